package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// hidden lists what children cannot read, where the mechanism can hide it.
func hidden() []string {
	return []string{
		"~/.ssh", "~/.gnupg", "~/.aws", "~/.azure", "~/.kube", "~/.docker", "~/.config/hanzo", "~/.config/gh", "~/.config/gcloud",
		"~/.hanzo/config.json", "~/.netrc", "~/.git-credentials", "~/.npmrc", "~/.pypirc", "~/.cargo/credentials.toml", "~/.cargo/credentials", "~/.gem/credentials",
		// sign-ins of clients
		"~/.claude.json", "~/.claude/.credentials.json", "~/.codex", "~/.gemini/oauth_creds.json", "~/.local/share/opencode/auth.json", "~/.cursor/mcp.json",
		"~/.config/Claude", "~/.config/github-copilot", "~/.config/hub", "~/.config/glab-cli",
		// clouds, databases, keepers of passwords, browsers
		"~/.terraform.d/credentials.tfrc.json", "~/.vault-token", "~/.config/op", "~/.config/rclone", "~/.config/sops", "~/.oci", "~/.s3cfg", "~/.boto", "~/.kaggle",
		"~/.cache/huggingface/token", "~/.huggingface/token", "~/.pgpass", "~/.my.cnf", "~/.password-store", "~/.local/share/keyrings", "~/Library/Keychains",
		"~/.mozilla", "~/.config/google-chrome", "~/.config/chromium", "~/.config/BraveSoftware", "~/Library/Application Support/Google/Chrome", "~/Library/Cookies",
		"~/.bash_history", "~/.zsh_history",
	}
}

// moved tells which variables give such a place, or the folder that holds it, another one.
var moved = []struct{ variable, place, below string }{
	{"XDG_CONFIG_HOME", "~/.config", ""}, {"XDG_DATA_HOME", "~/.local/share", ""}, {"XDG_CACHE_HOME", "~/.cache", ""},
	{"GNUPGHOME", "~/.gnupg", ""}, {"AZURE_CONFIG_DIR", "~/.azure", ""}, {"DOCKER_CONFIG", "~/.docker", ""}, {"GH_CONFIG_DIR", "~/.config/gh", ""},
	{"GLAB_CONFIG_DIR", "~/.config/glab-cli", ""}, {"CLOUDSDK_CONFIG", "~/.config/gcloud", ""}, {"CARGO_HOME", "~/.cargo", ""}, {"CODEX_HOME", "~/.codex", ""},
	{"CLAUDE_CONFIG_DIR", "~/.claude", ""}, {"CLAUDE_CONFIG_DIR", "~/.claude.json", ".claude.json"}, {"PASSWORD_STORE_DIR", "~/.password-store", ""},
	{"HF_HOME", "~/.cache/huggingface", ""}, {"NPM_CONFIG_USERCONFIG", "~/.npmrc", ""}, {"PGPASSFILE", "~/.pgpass", ""}, {"NETRC", "~/.netrc", ""},
	{"AWS_SHARED_CREDENTIALS_FILE", "~/.aws", ""}, {"KUBECONFIG", "~/.kube", ""},
}

// hiddenPaths are the places that children do not see; in a root that holds them the tools do not write them either.
func (s *server) hiddenPaths(set *settings.Settings) []string {
	var list []string
	add := func(path string) {
		// What holds the home folder cannot be meant, and would hide all.
		if filepath.IsAbs(path) && !within(s.env.home, path) && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	for _, name := range settings.Amend(hidden(), set.Hidden()) {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			add(s.env.inHome(rest))
		} else {
			add(name)
		}
		for _, m := range moved {
			rest, ok := strings.CutPrefix(name, m.place)
			if !ok || rest != "" && rest[0] != '/' {
				continue
			}
			for _, dir := range filepath.SplitList(s.env.getenv(m.variable)) { // KUBECONFIG names several
				add(filepath.Join(dir, filepath.FromSlash(m.below+rest)))
			}
		}
	}
	return list
}

// hiddenInRoots tells of the user's own hidden places that the tools read all the same, since they lie in a root.
func hiddenInRoots(entries []string, roots *sandbox.Roots) (warnings []string) {
	if roots.Mode() == sandbox.Off {
		return nil
	}
	for _, name := range entries {
		for _, dir := range roots.Dirs() {
			if filepath.IsAbs(name) && within(name, dir) {
				warnings = append(warnings, fmt.Sprintf("sandbox.hidden names %s, which lies in the root %s: commands do not see it, but fs, code and git still read it; keep it out of the root",
					sandbox.Printable(name), sandbox.Printable(dir)))
			}
		}
	}
	return warnings
}

// namedPaths are files and toolchain folders that the environment names: children find them where they are, also in
// /tmp, which is empty to them.
func (s *server) namedPaths() []string {
	var list []string
	for _, entry := range s.environ {
		name, value, _ := strings.Cut(entry, "=")
		info, err := os.Stat(value)
		if !filepath.IsAbs(value) || err != nil {
			continue
		}
		if info.Mode().IsRegular() || info.IsDir() && slices.Contains(toolchainFolders, name) {
			list = append(list, value)
		}
	}
	// What lies in a folder of the PATH is often a link into the package beside it.
	for _, dir := range filepath.SplitList(launch.Getenv(s.environ, "PATH")) {
		if base := filepath.Base(dir); filepath.IsAbs(dir) && (base == ".bin" || base == "bin") {
			list = append(list, filepath.Dir(dir))
		}
	}
	return list
}

var toolchainFolders = []string{
	"GOROOT", "GOPATH", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "JAVA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PNPM_HOME",
	"BUN_INSTALL", "DENO_INSTALL", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "NODE_PATH",
}

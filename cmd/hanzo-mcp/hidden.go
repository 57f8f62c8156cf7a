package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
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

// hiddenPaths are the places that children do not see; in a root that holds them the tools do not write them either.
func (s *server) hiddenPaths(set *settings.Settings) []string {
	var list []string
	for _, name := range settings.Amend(hidden(), set.Hidden()) {
		if rest, ok := strings.CutPrefix(name, "~/"); ok && s.env.home != "" {
			name = filepath.Join(s.env.home, rest)
		}
		if filepath.IsAbs(name) {
			list = append(list, name)
		}
	}
	return list
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

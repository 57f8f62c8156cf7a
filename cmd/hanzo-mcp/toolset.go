package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code"
	"github.com/hanzoai/hanzo-mcp/tools/exec"
	"github.com/hanzoai/hanzo-mcp/tools/fetch"
	"github.com/hanzoai/hanzo-mcp/tools/fs"
	"github.com/hanzoai/hanzo-mcp/tools/git"
	"github.com/hanzoai/hanzo-mcp/tools/memory"
	"github.com/hanzoai/hanzo-mcp/tools/mode"
	"github.com/hanzoai/hanzo-mcp/tools/plan"
	"github.com/hanzoai/hanzo-mcp/tools/tasks"
	"github.com/hanzoai/hanzo-mcp/tools/think"
	"github.com/hanzoai/hanzo-mcp/tools/ui"
	"github.com/hanzoai/hanzo-mcp/tools/workspace"
)

// newTools makes the local tools: the one ordered list.
func (s *server) newTools() []*tools.Tool {
	excludes := s.env.gitExcludes()
	return []*tools.Tool{
		fs.New(fs.Config{Excludes: excludes}),
		exec.New(exec.Config{Jobs: s.jobs, Env: s.childEnv, Look: s.look, Shell: s.env.getenv("HANZO_MCP_SHELL"), Confined: s.confined, Hidden: s.unseen, Planted: s.launcher.Planted, Weakened: s.weakened}),
		git.New(git.Config{Launcher: s.launcher, Look: s.look, Environ: s.childEnv, Jobs: s.jobs}),
		code.New(code.Config{Launcher: s.launcher, Look: s.look, Environ: s.childEnv, Excludes: excludes, Servers: s.languageServers(),
			Allowed: s.serversAllowed, Trusted: s.trusted, Done: s.done}),
		fetch.New(fetch.Config{AllowPrivate: s.allowPrivate, Jobs: s.jobs, Launcher: s.launcher, Look: s.look, Environ: s.childEnv}),
		workspace.New(s.workspace()),
		ui.New(ui.Config{Registries: s.registries(), LocalPath: s.env.getenv("HANZO_UI_PATH")}),
		think.New(),
		memory.New(memory.Config{Path: s.statePath(memoryFile)}),
		plan.New(plan.Config{Path: s.statePath(planFile)}),
		tasks.New(tasks.Config{Path: s.statePath(taskFile)}),
		mode.New(),
	}
}

// confined reports whether children are kept from writing outside the roots.
func (s *server) confined() bool {
	pl := s.current.Load()
	return pl != nil && pl.guard.Roots.Mode() != sandbox.Off && pl.settings.Confine() != "off"
}

// weakened are the ways in which commands have less than they could.
func (s *server) weakened() []string { return append(s.launcher.Weakened(), s.temp.missing()...) }

// unseen are the paths that confined children do not see now.
func (s *server) unseen() []string {
	pl := s.current.Load()
	if pl == nil {
		return nil
	}
	return s.hiddenPaths(pl.settings)
}

// trusted reports whether the user trusts the project whose calls are served.
func (s *server) trusted() bool {
	pl := s.current.Load()
	if pl == nil {
		return false
	}
	_, trusted := pl.settings.Project()
	return trusted
}

// serversAllowed reports whether language servers may run: they run a project's code, so only confined, or where the
// project is trusted.
func (s *server) serversAllowed() (bool, string) {
	pl := s.current.Load()
	switch {
	case pl == nil:
		return false, "no project is open"
	case s.trusted():
		return true, ""
	case pl.guard.ReadOnly:
		return false, "the server is read-only; language servers start only in projects of trusted_projects"
	case !s.confined():
		return false, "the sandbox is off; language servers start only confined (--sandbox workspace) or in projects of trusted_projects"
	case !pl.report(func() launch.Report { return s.launcher.Report(context.Background()) }).Confined:
		return false, "nothing confines commands on this machine; language servers start only in projects of trusted_projects"
	}
	return true, ""
}

func (s *server) languageServers() []code.Server {
	var list []code.Server
	for _, l := range s.userSet().LSP() {
		list = append(list, code.Server{Name: l.Name, Command: l.Command, Extensions: l.Extensions})
	}
	return list
}

func (s *server) allowPrivate() []string {
	if pl := s.current.Load(); pl != nil {
		return pl.settings.FetchAllowPrivate()
	}
	return nil
}

// registries are those of the user's settings, and HANZO_UI_REGISTRY under the name "default".
func (s *server) registries() map[string]ui.Registry {
	all := map[string]ui.Registry{}
	for _, r := range s.userSet().Registries() {
		headers := map[string]string{}
		for name, secret := range r.Headers {
			headers[name] = secret.Reveal()
		}
		all[r.Name] = ui.Registry{URL: r.URL, Headers: headers}
	}
	if url := s.env.getenv("HANZO_UI_REGISTRY"); url != "" {
		all["default"] = ui.Registry{URL: url}
	}
	return all
}

// gitExcludes is the text of the user's own ignore rules: core.excludesFile of ~/.gitconfig, else git's default place.
func (e environment) gitExcludes() string {
	file := e.xdg("XDG_CONFIG_HOME", ".config", "git", "ignore")
	var parsed config.Config
	for _, name := range []string{e.xdg("XDG_CONFIG_HOME", ".config", "git", "config"), e.inHome(".gitconfig")} {
		if config.NewDecoder(strings.NewReader(readSmall(name))).Decode(&parsed) != nil {
			continue
		}
		if named := parsed.Section("core").Option("excludesfile"); named != "" {
			file = named
		}
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = e.inHome(rest)
	}
	return readSmall(file)
}

// readSmall is the text of a regular file of the user's of at most 1 MiB, "" for any other.
func readSmall(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(raw)
}

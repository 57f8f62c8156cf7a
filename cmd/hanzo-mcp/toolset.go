package main

import (
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/exec"
	"github.com/hanzoai/hanzo-mcp/tools/fs"
	"github.com/hanzoai/hanzo-mcp/tools/git"
)

// newTools makes the local tools: the one ordered list.
func (s *server) newTools() []*tools.Tool {
	env := func() []string { return s.childEnv(nil) }
	return []*tools.Tool{
		fs.New(fs.Config{}),
		exec.New(exec.Config{Jobs: s.jobs, Env: env, Look: s.look, Shell: s.env.getenv("HANZO_MCP_SHELL"), Confined: s.confined, Planted: s.launcher.Planted}),
		git.New(git.Config{Launcher: s.launcher, Look: s.look, Environ: env, Jobs: s.jobs}),
	}
}

// confined reports whether children are kept from writing outside the roots.
func (s *server) confined() bool {
	pl := s.current.Load()
	return pl != nil && pl.guard.Roots.Mode() != sandbox.Off && pl.settings.Confine() != "off"
}

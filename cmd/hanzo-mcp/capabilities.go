package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/workspace"
)

// workspace tells the tool of that name what only the wiring knows: what confines, the door, who is signed in.
func (s *server) workspace() workspace.Config {
	cfg := workspace.Config{
		Look: s.look, Dirty: s.dirty, Git: s.gitBackend, Sandbox: s.sandboxInForce, SignIn: s.signInState, Schemas: s.schemasOf,
	}
	if s.door != nil {
		cfg.Door = s.doorState
	}
	return cfg
}

func (s *server) gitBackend(context.Context) (workspace.Git, error) {
	if path, err := s.look("git"); err == nil {
		return workspace.Git{Backend: "git", Path: path}, nil
	}
	return workspace.Git{Backend: "embedded"}, nil
}

// dirty asks the git tool whether a work tree has changes.
func (s *server) dirty(ctx context.Context, roots *sandbox.Roots, path string) (bool, error) {
	c, err := tools.Prepare(s.tool("git"), fmt.Appendf(nil, `{"action":"status","path":%s}`, tools.AppendString(nil, path)), &tools.Session{ID: "workspace"})
	if err != nil {
		return false, err
	}
	c.Roots = roots
	out := c.Run(ctx)
	if out.Envelope.Error != nil {
		return false, out.Envelope.Error
	}
	var data struct {
		Clean bool `json:"clean"`
	}
	raw, err := json.Marshal(out.Envelope.Data)
	if err == nil {
		err = json.Unmarshal(raw, &data)
	}
	return !data.Clean, err
}

func (s *server) sandboxInForce(ctx context.Context) (workspace.Sandbox, error) {
	pl := s.current.Load()
	if pl == nil {
		return workspace.Sandbox{Mode: "none"}, nil
	}
	in := workspace.Sandbox{Mode: pl.guard.Roots.Mode().String(), Network: pl.settings.Network(), ReadOnly: pl.guard.ReadOnly}
	in.Container, _ = sandbox.DetectContainer(sandbox.Probe{})
	if !s.confined() {
		in.Notes = []string{"commands are not confined"}
		return in, nil
	}
	r := pl.report(func() launch.Report { return s.launcher.Report(context.WithoutCancel(ctx)) })
	if s.env.home == "" {
		r.Notes = append(slices.Clone(r.Notes), noHome)
	}
	in.Mechanism, in.Confined, in.Network, in.Secrets, in.Notes = string(r.Mechanism), r.Confined, r.Network, r.Secrets || s.bearerSeen(r), r.Notes
	return in, nil
}

// bearerSeen reports whether a file that holds a bearer is not among what the trial found hidden from children.
func (s *server) bearerSeen(r launch.Report) bool {
	var files []string
	if s.userSet().APIKey().Reveal() != "" {
		files = append(files, settings.UserFile(s.env.getenv, s.env.home))
	}
	if file := s.env.inHome(".hanzo", "config.json"); file != "" {
		files = append(files, file)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		real, err := filepath.EvalSymlinks(file)
		return err == nil && !slices.ContainsFunc(r.Hidden, func(hidden string) bool { return within(real, hidden) })
	})
}

func (s *server) doorState(context.Context) (*workspace.Door, error) {
	st := s.door.State()
	d := &workspace.Door{URL: st.URL, State: "not asked yet", Tools: st.Tools}
	var meta struct {
		Unavailable json.RawMessage `json:"hanzo.ai/unavailable"`
	}
	switch {
	case st.Answered:
		d.State = "ready"
		if json.Unmarshal(st.Meta, &meta) == nil && len(meta.Unavailable) > 2 {
			d.Unavailable = clipBytes(meta.Unavailable, 300)
		}
	case st.Failure != "":
		d.State, d.Unavailable = "down", st.Failure
	}
	return d, nil
}

// signInState says whether there is a bearer. It never runs the sign-in command: a model that looks around should not
// make a process start.
func (s *server) signInState(ctx context.Context) (workspace.SignIn, error) {
	switch token := s.tokens.Token(ctx, auth.Ask{Passive: true}); {
	case token.Value != "":
		return workspace.SignIn{SignedIn: true, Source: token.Source}, nil
	case token.Withheld != "":
		return workspace.SignIn{Hint: "a credential is there but not sent: " + token.Withheld}, nil
	}
	return workspace.SignIn{Hint: "hanzo auth login, or HANZO_API_KEY; local tools need none"}, nil
}

// schemasOf lists the local tools of a session as they stand in its tools/list.
func (s *server) schemasOf(c *tools.Call) []workspace.Schema {
	var list []workspace.Schema
	for _, p := range s.allPeers() {
		if p.session != c.Session {
			continue
		}
		for _, t := range s.offered(p) {
			list = append(list, workspace.Schema{Name: t.name, JSON: t.schema})
		}
	}
	return list
}

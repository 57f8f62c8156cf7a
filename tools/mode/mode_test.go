package mode

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func call(t *testing.T, s *tools.Session, args string) (*tools.Output, string) {
	t.Helper()
	out := tools.Invoke(context.Background(), New(), nil, s, args)
	b, err := json.Marshal(out.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Text + string(b)
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	if err := New().Check(); err != nil {
		t.Error(err)
	}
}

// TestSwitchNarrowsAndTellsTheClient: each mode, and back.
func TestSwitchNarrowsAndTellsTheClient(t *testing.T) {
	t.Parallel()
	changes := 0
	s := &tools.Session{ID: "a", Changed: func() { changes++ }}
	for i, c := range []struct {
		args, text string
		readOnly   bool
		tools      []string
	}{
		{`{"action":"switch","name":"reviewer"}`, "switched to reviewer", true, nil},
		{`{"action":"activate","mode":"Minimal"}`, `"tools":["exec","fs","git"]`, false, []string{"fs", "exec", "git"}},
		{`{"action":"select_preset","preset":"developer"}`, "switched to developer", false, nil},
		{`{"action":"switch","name":"research"}`, `"read_only":true`, true, []string{"fs", "code", "git", "fetch", "workspace", "think", "memory"}},
	} {
		out, text := call(t, s, c.args)
		if !out.Envelope.OK || !strings.Contains(text, c.text) {
			t.Fatalf("%s: %s", c.args, text)
		}
		m := s.Mode()
		if m.ReadOnly != c.readOnly || len(m.Tools) != len(c.tools) || m.Text == "" {
			t.Errorf("%s: %+v", c.args, m)
		}
		for _, name := range c.tools {
			if !m.Tools[name] {
				t.Errorf("%s: no %s", c.args, name)
			}
		}
		if changes != i+1 {
			t.Errorf("%s: %d changes told", c.args, changes)
		}
	}
	if _, text := call(t, s, `{"action":"list"}`); !strings.Contains(text, "* research:") || !strings.Contains(text, "  minimal:") {
		t.Errorf("list: %s", text)
	}
	if _, text := call(t, s, `{"action":"list_presets"}`); strings.Contains(text, "research:") {
		t.Errorf("presets: %s", text)
	}
	if _, text := call(t, s, `{"action":"current"}`); !strings.Contains(text, "mode research") || !strings.Contains(text, "Find out") {
		t.Errorf("current: %s", text)
	}
	if _, text := call(t, s, `{"action":"switch","name":"default"}`); !strings.Contains(text, "no mode") || s.Mode() != nil || changes != 5 {
		t.Errorf("default: %s, %+v", text, s.Mode())
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		session *tools.Session
		args    string
		code    tools.Code
	}{
		"unknown":   {&tools.Session{}, `{"action":"switch","name":"10x"}`, tools.NotFound},
		"no preset": {&tools.Session{}, `{"action":"select_preset","name":"research"}`, tools.NotFound},
		"no name":   {&tools.Session{}, `{"action":"switch"}`, tools.InvalidParams},
		"stateless": {&tools.Session{Stateless: true}, `{"action":"switch","name":"minimal"}`, tools.Unsupported},
	} {
		out, text := call(t, c.session, c.args)
		if out.Envelope.OK || out.Envelope.Error.Code != c.code || c.session.Mode() != nil {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestOffIsNoMode: the words for taking a mode off do so, and nothing is said of what flags and settings forbid.
func TestOffIsNoMode(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"off", "reset", "clear"} {
		s := &tools.Session{}
		call(t, s, `{"action":"switch","name":"minimal"}`)
		out, text := call(t, s, `{"action":"`+action+`"}`)
		if !out.Envelope.OK || s.Mode() != nil || strings.Contains(text, "read_only") {
			t.Errorf("%s: %s", action, text)
		}
	}
}

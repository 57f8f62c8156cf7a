package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestDeclaration(t *testing.T) {
	t.Parallel()
	if err := New(Config{}).Check(); err != nil {
		t.Error(err)
	}
}

// Every action answers, with nothing wired, with no roots, and with roots.
func TestEveryActionAnswers(t *testing.T) {
	t.Parallel()
	_, some := layout{"a.go": ""}.make(t)
	for name, roots := range map[string]*sandbox.Roots{"none": new(sandbox.Roots), "some": some} {
		for _, action := range []string{"detect", "capabilities", "schema", "roots", "help", ""} {
			out := tools.Invoke(context.Background(), New(Config{}), roots, nil, `{"action":"`+action+`"}`)
			want := action != "schema" && (action != "detect" || name == "some")
			if out.Envelope.OK != want {
				t.Errorf("%s roots, %s: %+v", name, action, out.Envelope)
			}
		}
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	_, roots := layout{}.make(t)
	tool := New(Config{
		Look: func(name string) (string, error) {
			if name == "gopls" || name == "pylsp" {
				return "/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		},
		Git: func(context.Context) (Git, error) { return Git{Backend: "git", Version: "2.50"}, nil },
		Sandbox: func(context.Context) (Sandbox, error) {
			return Sandbox{Mode: "workspace", Mechanism: "landlock", Confined: true}, nil
		},
		Door: func(context.Context) (*Door, error) {
			return &Door{URL: "https://d/v1/mcp", State: "ready", Tools: 7}, nil
		},
		SignIn: func(context.Context) (SignIn, error) { return SignIn{Hint: "hanzo auth login"}, nil },
	})
	out := tools.Invoke(context.Background(), tool, roots, nil, `{"action":"capabilities"}`)
	raw, _ := json.Marshal(out.Envelope.Data)
	for _, want := range []string{`"backend":"git"`, `"program":"gopls"`, `"program":"pylsp"`, `"mechanism":"landlock"`, `"tools":7`, `"signed_in":false`, `"search":"built-in"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
	for _, want := range []string{"Go (gopls)", "landlock", "ready, 7 tools", "hanzo auth login"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q is not in\n%s", want, out.Text)
		}
	}
}

// What hangs or fails is unknown, with a warning, and the rest is there in time.
func TestCapabilitiesWaitForNobody(t *testing.T) {
	t.Parallel()
	_, roots := layout{}.make(t)
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	tool := New(Config{
		Door:   func(ctx context.Context) (*Door, error) { <-released; return &Door{}, nil },
		SignIn: func(ctx context.Context) (SignIn, error) { <-ctx.Done(); return SignIn{}, ctx.Err() },
		Git:    func(context.Context) (Git, error) { return Git{}, errors.New("no") },
		Search: func(context.Context) (string, error) { return "built-in, fast", nil },
	})
	start := time.Now()
	out := tools.Invoke(context.Background(), tool, roots, nil, `{"action":"capabilities"}`)
	if took := time.Since(start); took > 10*answerWait {
		t.Errorf("took %v", took)
	}
	d := out.Envelope.Data.(capabilities)
	if !out.Envelope.OK || d.Door != unknown || d.SignIn != unknown || d.Git != unknown || d.Search != "built-in, fast" {
		t.Errorf("%+v", d)
	}
	if len(out.Envelope.Meta.Warnings) != 3 {
		t.Errorf("warnings %q", out.Envelope.Meta.Warnings)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	_, roots := layout{}.make(t)
	var tool *tools.Tool
	tool = New(Config{Schemas: func(*tools.Call) []Schema {
		return []Schema{{"workspace", tool.Schema(false)}, {"other", json.RawMessage(`{"name":"other"}`)}}
	}})
	out := tools.Invoke(context.Background(), tool, roots, nil, `{"action":"schema"}`)
	var list []struct{ Name string }
	if err := json.Unmarshal([]byte(out.Text), &list); err != nil || len(list) != 2 || list[0].Name != "workspace" {
		t.Errorf("%v %v in %s", err, list, out.Text)
	}
	out = tools.Invoke(context.Background(), tool, roots, nil, `{"action":"schema","tool":"Other"}`)
	if out.Text != `[{"name":"other"}]` {
		t.Errorf("one: %s", out.Text)
	}
	out = tools.Invoke(context.Background(), tool, roots, nil, `{"action":"schema","tool":"workspce"}`)
	if e := out.Envelope.Error; e == nil || e.Code != tools.NotFound || e.Details.Nearest != "workspace" {
		t.Errorf("unknown: %+v", e)
	}
}

func TestRoots(t *testing.T) {
	t.Parallel()
	dir, roots := layout{}.make(t)
	out := tools.Invoke(context.Background(), New(Config{}), roots, nil, `{"action":"roots"}`)
	d := out.Envelope.Data.(rootsData)
	if d.Base != dir || !slices.Equal(d.Roots, []string{dir}) || d.Mode != "workspace" {
		t.Errorf("%+v", d)
	}
	out = tools.Invoke(context.Background(), New(Config{}), new(sandbox.Roots), nil, `{"action":"roots"}`)
	if len(out.Envelope.Meta.Warnings) == 0 {
		t.Error("no warning without roots")
	}
}

// A folder outside the roots is denied, by whatever name.
func TestDetectStaysInside(t *testing.T) {
	t.Parallel()
	_, roots := layout{"a.go": ""}.make(t)
	for _, path := range []string{"..", "/", "../state", "/etc", "~"} {
		out := tools.Invoke(context.Background(), New(Config{}), roots, nil, `{"action":"detect","path":"`+path+`"}`)
		if out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied {
			t.Errorf("%s: %+v", path, out.Envelope)
		}
	}
}

// What dirty says is passed on; when it fails nothing is made up.
func TestDirty(t *testing.T) {
	t.Parallel()
	_, roots := layout{".git/HEAD": "ref: refs/heads/m\n"}.make(t)
	for _, tt := range []struct {
		dirty bool
		err   error
		want  any
	}{{true, nil, true}, {false, nil, false}, {false, errors.New("x"), "unknown"}} {
		tool := New(Config{Dirty: func(context.Context, *sandbox.Roots, string) (bool, error) { return tt.dirty, tt.err }})
		out := tools.Invoke(context.Background(), tool, roots, nil, `{"action":"detect"}`)
		if got := out.Envelope.Data.(*found).VCS.Dirty; got != tt.want {
			t.Errorf("got %v, want %v", got, tt.want)
		}
	}
}

package job

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// endless starts a job that runs until it is stopped.
func endless(m *Manager, spec Spec) (*Job, error) {
	return m.Go(spec, func(ctx context.Context, _ io.Writer) error { <-ctx.Done(); return ctx.Err() })
}

// TestOwnersHaveIDsOfTheirOwn: what one session calls its server is no business of another.
func TestOwnersHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	m := newManager(t, Config{})
	jobs := map[string]*Job{}
	for _, owner := range []string{"a", "b"} {
		j, err := endless(m, Spec{Owner: owner, ID: "web"})
		if err != nil {
			t.Fatal(err)
		}
		jobs[owner] = j
	}
	for owner, j := range jobs {
		if got, err := m.Get(owner, "web"); got != j || err != nil {
			t.Errorf("%s: %v %v", owner, got, err)
		}
		if list := m.List(owner); len(list) != 1 || list[0] != j {
			t.Errorf("%s: %v", owner, list)
		}
	}
	if _, err := endless(m, Spec{Owner: "a", ID: "web"}); tools.AsError(err).Code != tools.Conflict {
		t.Error(err)
	}
	m.EndOwner("a")
	if s := jobs["b"].State(); s.Ended() {
		t.Errorf("%+v", s)
	}
	if again, err := endless(m, Spec{Owner: "a", ID: "web"}); err != nil {
		t.Error(err)
	} else if got, _ := m.Get("b", "web"); got != jobs["b"] || again == got {
		t.Error("the one of the other was taken")
	}
}

// TestBackgroundLeavesRoom for what calls wait for, which is bounded too; the error names ids of the caller alone.
func TestBackgroundLeavesRoom(t *testing.T) {
	t.Parallel()
	m := newManager(t, Config{Running: 12})
	for i := range 12 {
		if _, err := endless(m, Spec{Owner: []string{"a", "b"}[i%2], Background: true}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := endless(m, Spec{Owner: "a", Background: true})
	if e := tools.AsError(err); e.Code != tools.TooLarge || !strings.Contains(e.Message, "p1,") || strings.Contains(e.Message, "p2") {
		t.Error(err)
	}
	if _, err := endless(m, Spec{Owner: "c", Background: true}); !strings.Contains(err.Error(), "other sessions") {
		t.Error(err)
	}
	for range tools.MaxAtWork {
		if _, err := endless(m, Spec{Owner: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = endless(m, Spec{Owner: "a"})
	if e := tools.AsError(err); e.Code != tools.TooLarge || !strings.Contains(e.Message, "…") || len(e.Message) > 300 {
		t.Error(err)
	}
}

package git

import (
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestHugeNumbers: a page behind the end is empty, at once, and no number is too large to be added to.
func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "text\n")
	blob := strings.TrimSpace(w.git("rev-parse", "HEAD:a"))
	for _, n := range []int{1_000_000_000_000, math.MaxInt64} {
		for _, ref := range []string{"HEAD:a", blob} {
			from := time.Now()
			if out := w.call("show", args{"ref": ref, "offset": n}); out.Text != "" || out.Envelope.Meta.Truncated {
				t.Errorf("show %s from %d: %q", ref, n, out.Text)
			}
			if took := time.Since(from); took > 20*time.Second {
				t.Errorf("show %s from %d took %v", ref, n, took)
			}
		}
		for _, action := range []string{"reflog", "log", "show", "diff", "status", "branch", "tag", "stash", "shortlog", "config", "clean"} {
			w.call(action, args{"limit": n})
			w.call(action, args{"offset": n})
		}
		w.call("blame", args{"files": "a", "limit": n})
	}
}

// TestShowKeepsLittle: of a large object only the page is kept.
func TestShowKeepsLittle(t *testing.T) {
	t.Parallel()
	const size = 64 << 20
	for _, path := range []bool{true, false} {
		s := &showReader{path: path, patch: patchReader{first: size / 2, limit: 100}}
		if err := s.read(io.LimitReader(letters{}, size)); err != nil {
			t.Fatal(err)
		}
		if got := s.before.Cap() + len(s.sample); got > 1<<20 || s.size != size || !s.more || !s.content {
			t.Errorf("path %v: keeps %d bytes of %d, more %v", path, got, s.size, s.more)
		}
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestShowPages: pages put together are the file, whatever its bytes, by path and by hash.
func TestShowPages(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	text := strings.Repeat("ä line\n\xff\xfe\xfd bad\n€\n", 40)
	w.commit("one", "a", text)
	want, _ := valid(text)
	for _, ref := range []string{"HEAD:a", strings.TrimSpace(w.git("rev-parse", "HEAD:a"))} {
		got, next := "", any(0)
		for range 100 {
			out := w.call("show", args{"ref": ref, "offset": next, "max_chars": 31})
			page, _, _ := strings.Cut(out.Text, "[… of ")
			if got += page; out.Envelope.Meta.Paging == nil {
				break
			}
			next = out.Envelope.Meta.Paging.Cursor
		}
		if got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	w.fails(tools.InvalidParams, "show", args{"offset": -1})
}

package git

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestAnswersAreBounded: payload and data together, whatever a repository holds.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	w := newRepo(t, withJobs(t))
	long := strings.Repeat("long ", 20_000)
	w.write("a", strings.Repeat("line\n", 3000))
	w.write("msg", long)
	w.git("add", "a")
	w.git("commit", "-qF", "msg")
	var refs strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&refs, "create refs/heads/branch-%04d HEAD\ncreate refs/tags/tag-%04d HEAD\n", i, i)
	}
	w.stdin(refs.String(), "update-ref", "--stdin")
	w.stdin("subject\n\n"+long, "tag", "-a", "-F", "-", "long")
	w.write("a", "changed\n")
	w.git("stash", "push", "-qm", strings.Repeat("m", 60_000))
	for i := range 1500 {
		w.write(fmt.Sprintf("new/some-file-%04d.txt", i), "text\n")
	}
	w.git("init", "-q", "--bare", filepath.Join(w.out, "unused"))
	w.git("init", "-q", "--bare", "hub")
	w.git("remote", "add", "origin", filepath.Join(w.dir, "hub"))
	const most = tools.DefaultChars + 6000 // place, counts, notes
	for _, c := range []struct {
		action string
		args   args
	}{
		{"log", nil}, {"log", args{"limit": 1}}, {"show", nil}, {"show", args{"ref": "long"}}, {"branch", nil}, {"tag", nil}, {"reflog", nil}, {"stash", nil},
		{"status", nil}, {"blame", args{"files": "a"}}, {"clean", nil}, {"shortlog", nil}, {"stash", args{"sub_action": "push", "include_untracked": true, "dry_run": true}},
		{"add", args{"all": true}}, {"diff", args{"staged": true}}, {"commit", args{"message": long}}, {"show", nil}, {"diff", args{"ref": "HEAD~1 HEAD"}},
		{"stash", args{"sub_action": "drop", "dry_run": true}}, {"push", args{"tags": true}},
	} {
		for _, chars := range []int{0, 500} {
			if chars > 0 && (c.action == "add" || c.action == "commit" || c.action == "push") {
				continue
			}
			a := args{}
			for k, v := range c.args {
				a[k] = v
			}
			limit := most
			if chars > 0 && a["sub_action"] == nil {
				a["max_chars"] = chars
				limit = 6000
			}
			out := w.call(c.action, a)
			if n := len(out.Text) + len(jsonOf(t, out)); n > limit {
				t.Errorf("%s %.100v, max_chars %d: %d characters (%d of payload)", c.action, c.args, chars, n, len(out.Text))
			}
		}
	}
}

// TestPagesJoin: pages put together are the whole list, each entry once, in payload and data.
func TestPagesJoin(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	for i := range 7 {
		w.commit(fmt.Sprintf("commit %d", i), "b", strings.Repeat("x\n", i+1))
	}
	for i := range 60 {
		w.write(fmt.Sprintf("file-%02d", i), strings.Repeat("text\n", 5))
	}
	for i := range 30 {
		w.git("add", fmt.Sprintf("file-%02d", i))
		w.git("tag", fmt.Sprintf("tag-%02d", i))
	}
	for _, c := range []struct {
		action string
		args   args
		mark   string // begins every entry in the payload
		all    int
	}{
		{"status", args{"limit": 7}, "file-", 60},
		{"status", args{"max_chars": 1500}, "file-", 60},
		{"diff", args{"staged": true, "limit": 4}, "diff --git", 30},
		{"diff", args{"staged": true, "max_chars": 1000}, "diff --git", 30},
		{"blame", args{"files": "b", "max_chars": 600}, " (Ann Ash", 7},
		{"blame", args{"files": "b", "lines": "2,4", "limit": 2}, " (Ann Ash", 3},
		{"log", args{"max_chars": 900}, " — Ann Ash", 7},
		{"log", args{"limit": 2}, " — Ann Ash", 7},
		{"tag", args{"max_chars": 900}, "tag-", 30},
		{"reflog", args{"max_chars": 900}, "HEAD@{", 7},
		{"clean", args{"limit": 7}, "file-", 30},
	} {
		seen, pages := 0, 0
		for next := any(0); pages < 100; pages++ {
			a := args{"offset": next}
			for k, v := range c.args {
				a[k] = v
			}
			out := w.call(c.action, a)
			seen += strings.Count(out.Text, c.mark)
			if out.Envelope.Meta.Paging == nil {
				break
			}
			next = out.Envelope.Meta.Paging.Cursor
		}
		if seen != c.all || pages < 1 {
			t.Errorf("%s %v: %d entries on %d pages, want %d", c.action, c.args, seen, pages+1, c.all)
		}
	}
	if s := data[statusData](t, w.call("status", args{"offset": 55})); len(s.Staged) != 0 || len(s.Untracked) != 5 || s.Counts.Untracked != 30 {
		t.Errorf("status from 55: %d staged, %d untracked", len(s.Staged), len(s.Untracked))
	}
	if d := data[blameData](t, w.call("blame", args{"files": "b", "lines": "2,4", "offset": 5})); len(d.Lines) != 0 {
		t.Errorf("blame behind the end: %+v", d.Lines)
	}
	w.commit("wide", "wide", strings.Repeat("w", 5000)+"\nnext\n")
	if d := data[blameData](t, w.call("blame", args{"files": "wide", "max_chars": 300})); len(d.Lines) != 1 {
		t.Errorf("blame of a long line: %+v", d.Lines)
	}
}

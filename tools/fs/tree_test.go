package fs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func (r reply) entryNames() (list []string) {
	items, _ := r.data["entries"].([]any)
	for _, i := range items {
		list = append(list, i.(map[string]any)["name"].(string))
	}
	return list
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a.txt", "12345")
	w.put(".hidden", "")
	w.put("src/x.go", "x")
	w.put("src/deep/y.go", "y")
	w.put("node_modules/m/i.js", "m")
	w.put(".gitignore", "node_modules/\n")
	w.put(".git/HEAD", "ref: refs/heads/main\n")
	w.link("a.txt", "link")
	r := w.ok("list", nil)
	if r.Text != ".gitignore\n.hidden\na.txt\nlink -> a.txt\nsrc/\n" {
		t.Errorf("%q", r.Text)
	}
	if e := r.data["entries"].([]any)[2].(map[string]any); e["name"] != "a.txt" || e["type"] != "file" || e["size"] != 5.0 || r.data["count"] != 5.0 {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("list", args{"show_hidden": false}); r.Text != "a.txt\nlink -> a.txt\nsrc/\n" {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("list", args{"no_ignore": true}); !strings.Contains(r.Text, "node_modules/") || strings.Contains(r.Text, ".git/") {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("tree", args{"path": "src"}); r.Text != "deep/\n  y.go\nx.go\n" || !slices.Equal(r.entryNames(), []string{"deep", "deep/y.go", "x.go"}) {
		t.Errorf("%q %q", r.Text, r.entryNames())
	}
	if r := w.ok("ls", args{"depth": 2}); !strings.Contains(r.Text, "src/\n  deep/\n  x.go\n") {
		t.Errorf("%q", r.Text)
	}
	// A pattern must not keep folders that do not match from being entered (W56).
	if r := w.ok("list", args{"pattern": "**/*.go"}); r.Text != "src/deep/y.go\nsrc/x.go\n" {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("list", args{"pattern": "*.go", "depth": 0}); r.Text != "src/deep/y.go\nsrc/x.go\n" {
		t.Errorf("%q", r.Text)
	}
	w.refused(tools.InvalidParams, "list", args{"path": "a.txt"})
	w.refused(tools.NotFound, "list", args{"path": "nope"})
	w.refused(tools.InvalidParams, "list", args{"pattern": "[a"})
	w.refused(tools.InvalidParams, "list", args{"cursor": "zzz"})
}

func TestListPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []string
	for i := range 95 {
		name := fmt.Sprintf("d/f%03d", i)
		w.put(name, "x")
		want = append(want, name[2:])
	}
	for what, a := range map[string]args{"by limit": {"limit": 40}, "by room": {"max_chars": 100}} {
		var got []string
		a["path"] = "d"
		for range 100 {
			r := w.ok("list", a)
			got = append(got, r.entryNames()...)
			if strings.Count(r.Text, "\n") != len(r.entryNames()) {
				t.Errorf("%s: %q and %q differ", what, r.Text, r.entryNames())
			}
			p := r.Envelope.Meta.Paging
			if p == nil {
				break
			}
			if !p.More || !r.Envelope.Meta.Truncated {
				t.Errorf("%+v", p)
			}
			a["cursor"] = p.Cursor
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	for i, name := range []string{"a.go", "sub/b.go", "sub/c_test.go", "d.txt", "ignored/e.go"} {
		w.put(name, "x")
		if err := os.Chtimes(w.abs(name), now, now.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	w.put(".gitignore", "ignored/\n")
	if r := w.ok("find", args{"pattern": "*.go"}); r.Text != "sub/c_test.go\nsub/b.go\na.go\n" || r.data["count"] != 3.0 {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("glob", args{"pattern": "**/*.go", "sort": "name"}); r.Text != "a.go\nsub/b.go\nsub/c_test.go\n" {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("find", args{"pattern": "*.go", "path": "sub"}); r.Text != "sub/c_test.go\nsub/b.go\n" {
		t.Errorf("paths below the root: %q", r.Text)
	}
	if r := w.ok("find", args{"type": "dir"}); r.Text != "sub/\n" && r.Text != "sub\n" {
		t.Errorf("%q", r.Text)
	}
	// Pages without repeats.
	var got []string
	a := args{"pattern": "*", "limit": 2}
	for range 10 {
		r := w.ok("find", a)
		got = append(got, r.entryNames()...)
		if r.Envelope.Meta.Paging == nil {
			break
		}
		a["cursor"] = r.Envelope.Meta.Paging.Cursor
	}
	if slices.Sort(got); len(got) != 5 || len(slices.Compact(got)) != 5 {
		t.Errorf("%q", got)
	}
	w.refused(tools.InvalidParams, "find", args{"type": "pipe"})
	w.refused(tools.InvalidParams, "find", args{"sort": "size"})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a.go", "package a\nfunc Alpha() {}\n// alpha\n")
	w.put("sub/b.go", "one\nfunc Beta() {}\nthree\n")
	w.put("c.txt", "a.b(c\naxb(c\n")
	w.put(".github/w.yml", "needle\n")
	w.put(".env.example", "needle\n")
	w.put(".git/config", "needle\n")
	w.put(".git/HEAD", "ref: refs/heads/main\n")
	w.put("utf16", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\n\x00")
	r := w.ok("search_text", args{"query": `func \w+\(`})
	if r.Text != "a.go:2: func Alpha() {}\nsub/b.go:2: func Beta() {}\n" || r.data["count"] != 2.0 || r.data["total"] != 2.0 || r.data["backend"] != "builtin" {
		t.Errorf("%q %v", r.Text, r.data)
	}
	if h := r.data["results"].([]any)[1].(map[string]any); h["path"] != "sub/b.go" || h["line"] != 2.0 || h["column"] != 1.0 {
		t.Errorf("%v", h)
	}
	for _, tt := range []struct {
		name string
		args args
		want string
	}{
		{"pattern alone", args{"pattern": "Alpha"}, "a.go:2: func Alpha() {}\n"},
		{"ignoring case", args{"query": "ALPHA", "ignore_case": true}, "a.go:2: func Alpha() {}\na.go:3: // alpha\n"},
		{"literal", args{"query": "a.b(", "literal": true}, "c.txt:1: a.b(c\n"},
		{"glob", args{"query": "func", "glob": "*.txt"}, ""},
		{"globs", args{"query": "func", "glob": []string{"*.go", "!sub/"}}, "a.go:2: func Alpha() {}\n"},
		{"one folder", args{"query": "func", "path": "sub"}, "sub/b.go:2: func Beta() {}\n"},
		{"one file", args{"query": "func", "path": "sub/b.go"}, "sub/b.go:2: func Beta() {}\n"},
		{"with lines around", args{"query": "Beta", "context_lines": 1}, "sub/b.go-1- one\nsub/b.go:2: func Beta() {}\nsub/b.go-3- three\n"},
		{"files only", args{"query": "func", "files_only": true}, "a.go\nsub/b.go\n"},
		{"hidden but not .git, UTF-16", args{"query": "needle"}, ".env.example:1: needle\n.github/w.yml:1: needle\nutf16:1: needle\n"},
		{"dashes are text", args{"query": "--pre=/bin/sh"}, ""},
	} {
		if r := w.ok("search_text", tt.args); r.Text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, r.Text, tt.want)
		}
	}
	// Nothing in a query is run (W1).
	for _, q := range []string{"$(touch PWN)", "`touch PWN`", `"; touch PWN #`, "'"} {
		w.ok("search_text", args{"query": q, "literal": true})
		w.call("search_text", args{"query": q, "path": ".", "glob": q})
	}
	if strings.Contains(w.names("."), "PWN") {
		t.Error("PWN is there")
	}
	for _, q := range []string{"foo(", "[a"} {
		r := w.refused(tools.InvalidParams, "search_text", args{"query": q})
		if !strings.Contains(r.Envelope.Error.Message, "literal:true") || r.Envelope.Error.Details.Param != "query" {
			t.Errorf("%+v", r.Envelope.Error)
		}
	}
	w.refused(tools.InvalidParams, "search_text", nil)
}

func TestSearchIsBoundedAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for f := range 10 {
		w.put(fmt.Sprintf("f%d", f), strings.Repeat("hit\n", 50))
	}
	w.put("long", strings.Repeat("a", 40)+"!")
	r := w.ok("search_text", args{"query": "hit", "max_results": 20})
	if r.data["count"] != 20.0 || r.data["total"] != 500.0 || !r.Envelope.Meta.Truncated || r.Envelope.Meta.Paging == nil {
		t.Errorf("%v %+v", r.data, r.Envelope.Meta)
	}
	seen := map[string]bool{}
	for what, a := range map[string]args{"by count": {"max_results": 120}, "by room": {"max_results": 1000, "max_chars": 700}} {
		clear(seen)
		a["query"] = "hit"
		for n := 0; ; n++ {
			r := w.ok("search_text", a)
			if len(r.Text) > 30_000 {
				t.Errorf("%d bytes", len(r.Text))
			}
			for l := range strings.Lines(r.Text) {
				if seen[l] {
					t.Fatalf("%s: %q twice", what, l)
				}
				seen[l] = true
			}
			if r.Envelope.Meta.Paging == nil {
				break
			}
			if a["cursor"] = r.Envelope.Meta.Paging.Cursor; n > 100 {
				t.Fatal("never ends")
			}
		}
		if len(seen) != 500 {
			t.Errorf("%s: %d hits", what, len(seen))
		}
	}
	start := time.Now()
	w.ok("search_text", args{"query": "(a+)+$", "path": "long"})
	if r := w.ok("search_text", args{"query": "^"}); r.data["count"] != 50.0 {
		t.Errorf("%v", r.data)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestIgnoredFoldersStayOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(".git/HEAD", "ref: refs/heads/main\n")
	w.put(".gitignore", "node_modules/\nf/**\n!f/deno.json*\n")
	for i := range 200 {
		w.put(fmt.Sprintf("node_modules/p%d/i.js", i), "match\n")
	}
	w.put("a", "match\n")
	w.put("f/deno.json", "match\n")
	w.put("f/other", "match\n")
	if r := w.ok("search_text", args{"query": "match"}); r.Text != "a:1: match\nf/deno.json:1: match\n" {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("search_text", args{"query": "match", "no_ignore": true, "max_results": 1}); r.data["total"] != 203.0 {
		t.Errorf("%v", r.data)
	}
}

func TestLinkCyclesEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("real/sub/f", "text\n")
	w.link(".", "loop")
	w.link("b", "a")
	w.link("a", "b")
	w.link("real", "link")
	if r := w.ok("list", args{"depth": 20}); r.data["count"] != 7.0 {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("search_text", args{"query": "text"}); r.data["count"] != 1.0 {
		t.Errorf("%q", r.Text)
	}
	if r := w.call("read", args{"path": "a"}); r.Envelope.OK {
		t.Error("read a cycle")
	}
	if r := w.ok("list", args{"path": "link/sub"}); r.Text != "f\n" {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("read", args{"path": "link/sub/f"}); r.Text != "text\n" {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("stat", args{"path": "link"}); r.data["type"] != "link" || r.data["target"] != "real" || r.data["target_type"] != "dir" {
		t.Errorf("%v", r.data)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "x")
	w.put("d/a", "12345")
	w.put("d/sub/b", "x")
	w.put("keep/x", "x")
	w.put(".git/HEAD", "x")
	w.link("keep", "link")
	if err := os.Mkdir(w.abs("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{".", "", "/", w.W, "./", ".git", w.O, "..", "d/../.", "keep/.."} {
		r := w.call("rm", args{"path": p, "recursive": true, "confirm": true})
		if r.Envelope.OK {
			t.Errorf("removed %q", p)
		}
	}
	w.ok("rm", args{"path": "f"})
	w.ok("rm", args{"path": "empty"})
	w.ok("rm", args{"path": "link"})
	w.is("keep/x", "x")
	r := w.refused(tools.Conflict, "rm", args{"path": "d"})
	if !strings.Contains(r.Envelope.Error.Message, "recursive:true") {
		t.Error(r.Envelope.Error)
	}
	r = w.refused(tools.ConfirmRequired, "rm", args{"path": "d", "recursive": true})
	if !strings.Contains(r.Envelope.Error.Message, "3 entries (6 bytes)") {
		t.Error(r.Envelope.Error)
	}
	r = w.ok("rm", args{"path": "d", "recursive": true, "dry_run": true})
	if r.Text != "d/a\nd/sub\nd/sub/b\n" || r.data["entries"] != 3.0 {
		t.Errorf("%q %v", r.Text, r.data)
	}
	w.is("d/a", "12345")
	w.ok("delete", args{"path": "d", "recursive": true, "confirm": true})
	if got := w.names("."); got != ".git keep" {
		t.Errorf("W holds %s", got)
	}
	w.refused(tools.NotFound, "rm", args{"path": "d"})
}

func TestConfirmIsAskedFor(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for call, want := range map[string]bool{
		`{"action":"rm","path":"d","recursive":true}`:                true,
		`{"action":"rm","path":"d","recursive":"true"}`:              true,
		`{"action":"rm","path":"d","recursive":true,"dry_run":true}`: false,
		`{"action":"rm","path":"f"}`:                                 false,
		`{"action":"write","path":"f","content":""}`:                 false,
	} {
		c, err := tools.Prepare(tool, []byte(call), nil)
		if err != nil || c.NeedsConfirm() != want {
			t.Errorf("%s: %t %v", call, c.NeedsConfirm(), err)
		}
	}
}

func TestMoveAndCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "A")
	w.put("b", "B")
	if err := os.Chmod(w.abs("a"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"mv", "cp"} {
		r := w.refused(tools.Conflict, action, args{"path": "a", "destination": "b"})
		if !strings.Contains(r.Envelope.Error.Message, "overwrite:true") {
			t.Error(r.Envelope.Error)
		}
	}
	w.ok("cp", args{"path": "a", "destination": "new/c"})
	if fi, err := os.Stat(w.abs("new/c")); err != nil || fi.Mode().Perm() != 0o750 || w.get("new/c") != "A" {
		t.Errorf("%v %v", fi, err)
	}
	r := w.ok("mv", args{"path": "a", "destination": "b", "overwrite": true})
	if r.data["from"] != "a" || r.data["to"] != "b" || r.data["replaced"] != true {
		t.Errorf("%v", r.data)
	}
	w.is("b", "A")
	r = w.refused(tools.Conflict, "mv", args{"path": "b", "destination": "new"})
	if r.Envelope.Error.Details.Suggestion != "new/b" {
		t.Errorf("%+v", r.Envelope.Error.Details)
	}
	w.ok("mv", args{"path": "b", "destination": "new/"})
	w.is("new/b", "A")
	w.link("b", "new/l")
	w.link("nowhere", "new/dangling")
	w.put("new/.deep/x", "X")
	w.put("new/.gitignore", "*\n")
	r = w.ok("cp", args{"path": "new", "destination": "copy"})
	if r.data["entries"] != 7.0 {
		t.Errorf("%v", r.data)
	}
	w.is("copy/.deep/x", "X")
	if target, err := os.Readlink(w.abs("copy/l")); err != nil || target != "b" {
		t.Errorf("%q %v", target, err)
	}
	w.refused(tools.Conflict, "cp", args{"path": "new", "destination": "copy"})
	w.refused(tools.InvalidParams, "cp", args{"path": "new", "destination": "new/inside"})
	if r := w.call("mv", args{"path": "new", "destination": "new/inside"}); r.Envelope.OK {
		t.Error("moved into itself")
	}
	w.put("repo/.git/config", "x")
	w.refused(tools.PermissionDenied, "cp", args{"path": "repo", "destination": "repo2"})
	if got := w.names("."); got != "copy new repo" {
		t.Errorf("W holds %s", got)
	}
	w.refused(tools.NotFound, "mv", args{"path": "none", "destination": "x"})
	w.refused(tools.InvalidParams, "mv", args{"path": "new"})
	if r := w.call("mv", args{"path": ".", "destination": "x"}); r.Envelope.OK {
		t.Error("moved the root")
	}
}

// A copied folder must not bring a file to a protected place.
func TestCopyOntoAProtectedFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *sandbox.Config) { c.Protect = []string{filepath.Join(c.Dirs[0], "dest", "hook")} })
	w.put("src/hook", "x")
	w.refused(tools.PermissionDenied, "cp", args{"path": "src", "destination": "dest"})
	if got := w.names("."); got != "src" {
		t.Errorf("W holds %s", got)
	}
}

// Two names of one file are two names: neither may go by moving one onto the other.
func TestHardLinksAreNoSelfMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "A")
	if err := os.Link(w.abs("a"), w.abs("b")); err != nil {
		t.Skip(err)
	}
	w.refused(tools.Conflict, "mv", args{"path": "a", "destination": "b"})
	w.call("mv", args{"path": "a", "destination": "b", "overwrite": true})
	w.is("b", "A")
	// A write gives the name a new file; the other name keeps the old content.
	w.put("c", "C")
	if err := os.Link(w.abs("c"), w.abs("d")); err != nil {
		t.Skip(err)
	}
	w.ok("apply_patch", args{"path": "c", "old_text": "C", "new_text": "new"})
	w.is("c", "new")
	w.is("d", "C")
}

func TestMoveAcrossFileSystems(t *testing.T) {
	w := newWorld(t)
	if err := mountSmall(t, w.abs("small"), 1<<20); err != nil {
		t.Skip("no other file system to be had: ", err)
	}
	w.put("f", "text")
	w.put("d/sub/x", "X")
	w.link("sub/x", "d/l")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"f", "d/sub/x", "d/sub", "d"} {
		if err := os.Chtimes(w.abs(name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.ok("mv", args{"path": "f", "destination": "small/f"}); r.data["copied"] != true {
		t.Errorf("%v", r.data)
	}
	w.is("small/f", "text")
	w.ok("mv", args{"path": "d", "destination": "small/"})
	w.is("small/d/l", "X")
	for _, name := range []string{"small/f", "small/d", "small/d/sub", "small/d/sub/x"} {
		if fi, err := os.Stat(w.abs(name)); err != nil || !fi.ModTime().Equal(long) {
			t.Errorf("%s: %v, %v", name, fi.ModTime(), err)
		}
	}
	if got := w.names("."); got != "small" {
		t.Errorf("W holds %s", got)
	}
	w.put("big", strings.Repeat("x", 2<<20))
	if r := w.call("mv", args{"path": "big", "destination": "small/big"}); r.Envelope.OK {
		t.Error("moved to a full disk")
	}
	if r := w.call("mv", args{"path": "big", "destination": "small/big"}); r.data["copied"] == true {
		t.Errorf("%v", r.data)
	}
	if len(w.get("big")) != 2<<20 || w.names("small") != "d f" {
		t.Errorf("small holds %s", w.names("small"))
	}
}

func TestStat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *sandbox.Config) {})
	w.put("a.json", "{}\n")
	w.put("bin", "\x00\x01")
	w.link(w.O, "out")
	r := w.ok("stat", args{"path": "a.json", "hash": true})
	if r.data["hash"] != hashOf([]byte("{}\n")) || r.data["type"] != "file" || r.data["size"] != 3.0 || r.data["mode"] != "0644" || r.data["mime"] != "application/json" || r.data["binary"] != false {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("info", args{"path": "bin"}); r.data["binary"] != true || r.data["hash"] != nil {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("stat", args{"path": "."}); r.data["type"] != "dir" {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("stat", args{"path": "out"}); r.data["type"] != "link" || r.data["target_type"] != "outside" {
		t.Errorf("%v", r.data)
	}
	w.refused(tools.NotFound, "stat", args{"path": "none"})
}

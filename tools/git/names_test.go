package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// oddNames are names that have broken parsers of git's output. (C172, C173, W67, W68)
var oddNames = []string{
	"plain", "with space", " lead", "tail ", "tab\there", "line\nbreak", `quote"in`, `"quoted"`, `back\slash`, "a -> b", "-dash", "--output=x",
	"café.txt", "日本.md", "caf\xe9.txt", "\"caf\\351\"", ":(top)x", "*.go", "[id].ts", "a|b", "sub dir/ü\n\"x\"", "~tilde", "#hash", "'", "$(touch PWN)", "`touch PWN`", "a\rb", "e\u0301",
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("base", "base", "x\n")
	for i, name := range oddNames {
		w.write(name, fmt.Sprintf("%d\n", i))
	}
	s := data[statusData](t, w.call("status", nil))
	if len(s.Untracked) != len(oddNames) {
		t.Fatalf("%d untracked, want %d: %q", len(s.Untracked), len(oddNames), s.Untracked)
	}
	have := map[string]bool{}
	for _, n := range s.Untracked {
		have[named(n)] = true
	}
	for _, n := range oddNames {
		if !have[n] {
			t.Errorf("%q is missing in %q", n, s.Untracked)
		}
	}
	// Each by the name that status gave, and nothing else with it.
	for i, n := range s.Untracked {
		w.call("add", args{"files": []string{n}})
		if got := len(data[statusData](t, w.call("status", nil)).Staged); got != i+1 {
			t.Fatalf("after add %q %d files are staged, want %d", n, got, i+1)
		}
	}
	d := data[diffData](t, w.call("diff", args{"staged": true, "max_chars": 1 << 20}))
	for i, f := range d.Files {
		if !have[named(f.Path)] || f.Status != "added" || f.Additions != 1 {
			t.Errorf("diff %d: %+v", i, f)
		}
	}
	if len(d.Files) != len(oddNames) {
		t.Errorf("diff lists %d files, want %d", len(d.Files), len(oddNames))
	}
	c := data[commitData](t, w.call("commit", args{"message": "odd"}))
	if c.Files != len(oddNames) {
		t.Errorf("files_changed %d, want %d", c.Files, len(oddNames))
	}
	for i, n := range d.Files {
		if b := data[blameData](t, w.call("blame", args{"files": []string{n.Path}})); len(b.Lines) != 1 || b.Lines[0].Hash != c.Hash {
			t.Errorf("blame %q: %+v", n.Path, b)
		}
		if l := data[logData](t, w.call("log", args{"files": []string{n.Path}})); len(l.Commits) != 1 {
			t.Errorf("log %q: %d commits", n.Path, len(l.Commits))
		}
		w.file(w.dir, named(n.Path), fmt.Sprintf("changed %d\n", i))
		if one := data[diffData](t, w.call("diff", args{"files": []string{n.Path}})); len(one.Files) != 1 || one.Files[0].Path != n.Path {
			t.Errorf("diff of %q: %+v", n.Path, one.Files)
		}
		w.call("restore", args{"files": []string{n.Path}, "confirm": true})
	}
	if s := data[statusData](t, w.call("status", nil)); !s.Clean || w.has("PWN") {
		t.Errorf("in the end: %+v", s)
	}
}

func TestNamesComeBack(t *testing.T) {
	t.Parallel()
	for _, n := range append(oddNames, "", `"`, `""`, `"a"`, "\xff", "\"\xff\"", quote("\xff", true), quote(quote("\xff", true), true), "\x01", "\"\\377\"x") {
		if got := named(shown(n)); got != n {
			t.Errorf("%q is shown as %q and comes back as %q", n, shown(n), got)
		}
	}
	if got := shown(`"quoted"`); got != `"quoted"` {
		t.Errorf("a name in quotes is changed: %s", got)
	}
}

func FuzzNames(f *testing.F) {
	for _, n := range oddNames {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := named(shown(name)); got != name {
			t.Errorf("%q comes back as %q", name, got)
		}
		if q, ok := unquote(quote(name, true)); !ok || q != name {
			t.Errorf("quoting %q gives %q", name, q)
		}
	})
}

func TestNamesNotUTF8AreFlagged(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.write("caf\xe9", "x")
	out := w.call("status", nil)
	if got := data[statusData](t, out).Untracked; len(got) != 1 || got[0] != `"caf\351"` || len(out.Envelope.Meta.Warnings) == 0 {
		t.Errorf("untracked %q, warnings %q", got, out.Envelope.Meta.Warnings)
	}
	w.git("add", ".")
	out = w.call("diff", args{"staged": true})
	if len(out.Envelope.Meta.Warnings) == 0 || !strings.Contains(out.Text, "\uFFFD") {
		t.Errorf("a payload that lost bytes is not flagged: %q %q", out.Text, out.Envelope.Meta.Warnings)
	}
}

func TestRenamesAndTypes(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	text := strings.Repeat("some line of text\n", 20)
	w.commit("one", "old name", text, "t", "x\n", "exec", "#!\n", "gone", "g\n", "bin", "\x00\x01")
	w.git("mv", "old name", "new\tname")
	if err := os.Remove(filepath.Join(w.dir, "t")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("exec", filepath.Join(w.dir, "t")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(w.dir, "exec"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.git("rm", "-q", "--cached", "gone")
	w.write("bin", "\x00\x02")
	w.write("extra", "quite another text\n")
	w.git("add", "extra")
	s := data[statusData](t, w.call("status", nil))
	want := map[string]entry{
		"new\tname": {Path: "new\tname", OldPath: "old name", Status: "renamed"},
		"gone":      {Path: "gone", Status: "deleted"}, "extra": {Path: "extra", Status: "added"},
	}
	for _, e := range s.Staged {
		if want[e.Path] != e {
			t.Errorf("staged %+v, want %+v", e, want[e.Path])
		}
	}
	unstaged := map[string]string{"t": "type_changed", "exec": "modified", "bin": "modified"}
	for _, e := range s.Unstaged {
		if unstaged[e.Path] != e.Status {
			t.Errorf("unstaged %+v", e)
		}
	}
	if len(s.Staged) != 3 || len(s.Unstaged) != 3 || len(s.Untracked) != 1 || s.Untracked[0] != "gone" {
		t.Errorf("status %+v", s)
	}
	d := data[diffData](t, w.call("diff", args{"ref": "HEAD"}))
	byName := map[string]fileDiff{}
	for _, f := range d.Files {
		byName[f.Path] = f
	}
	if f := byName["new\tname"]; f.OldPath != "old name" || f.Status != "renamed" || f.Additions+f.Deletions != 0 {
		t.Errorf("renamed: %+v", f)
	}
	if f := byName["t"]; f.Status != "type_changed" || f.Additions != 1 || f.Deletions != 1 {
		t.Errorf("type change: %+v", f)
	}
	if f := byName["bin"]; !f.Binary || f.Status != "modified" {
		t.Errorf("binary: %+v", f)
	}
	if f := byName["exec"]; f.Status != "modified" || f.Additions != 0 {
		t.Errorf("mode: %+v", f)
	}
	w.git("config", "diff.renames", "copies")
	w.git("config", "diff.noprefix", "true")
	w.git("config", "diff.mnemonicPrefix", "true")
	w.git("config", "color.ui", "always")
	w.write("old name", text+"more\n")
	w.write("copy", text)
	w.git("add", "-A")
	d = data[diffData](t, w.call("diff", args{"staged": true}))
	found := false
	for _, f := range d.Files {
		found = found || f.Status == "copied" && f.OldPath == "old name" && f.Path == "copy"
	}
	if out := w.call("diff", args{"staged": true}); !found || strings.Contains(out.Text, "\x1b") {
		t.Errorf("copies: %+v\n%s", d.Files, out.Text)
	}
}

func TestEveryKindOfConflict(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("base", "uu", "1\n", "ud", "1\n", "du", "1\n", "mv", strings.Repeat("m\n", 9))
	w.git("checkout", "-qb", "side")
	w.git("rm", "-q", "ud")
	w.git("mv", "mv", "mv-side")
	w.commit("side", "uu", "side\n", "du", "side\n", "aa", "side\n")
	w.git("checkout", "-q", "main")
	w.git("rm", "-q", "du")
	w.git("mv", "mv", "mv-main")
	w.commit("main", "uu", "main\n", "ud", "main\n", "aa", "main\n")
	w.gitAny("merge", "side")
	s := data[statusData](t, w.call("status", nil))
	got := map[string]string{}
	for _, e := range s.Conflicts {
		got[e.Path] = e.Status
	}
	want := map[string]string{"uu": "both modified", "aa": "both added", "ud": "deleted by them", "du": "deleted by us", "mv": "both deleted", "mv-main": "added by us", "mv-side": "added by them"}
	for path, status := range want {
		if got[path] != status {
			t.Errorf("%s: %q, want %q", path, got[path], status)
		}
	}
	d := data[diffData](t, w.call("diff", nil))
	if len(d.Files) != len(want) {
		t.Errorf("diff lists %d files, want %d: %+v", len(d.Files), len(want), d.Files)
	}
}

func TestFilesOutsideAreRefused(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.file(w.out, "secret", "s\n")
	if err := os.Symlink(w.out, filepath.Join(w.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../o/secret", w.out + "/secret", "link/secret", "/etc/passwd", "file:///etc/passwd", "sub/../../o/secret"} {
		for _, action := range []string{"add", "diff", "log", "blame", "restore", "checkout", "clean", "commit", "reset", "status"} {
			a := args{"files": []string{name}, "message": "m", "confirm": true}
			if out := w.try(action, w.taken(action, a)); out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied {
				t.Errorf("%s %s: %+v", action, name, out.Envelope.Error)
			}
		}
	}
	w.write("sub/x", "x")
	w.call("add", args{"files": []string{filepath.Join(w.dir, "sub/x")}})
	w.call("add", args{"files": []string{"link"}}) // the link itself may be tracked
	w.write("sub/y", "y")
	w.call("add", args{"path": "sub", "files": []string{"y"}})
	w.write("sub/z", "z")
	w.call("add", args{"path": "sub/z"})
	if got := len(data[statusData](t, w.call("status", nil)).Staged); got != 4 {
		t.Errorf("%d staged, want 4", got)
	}
}

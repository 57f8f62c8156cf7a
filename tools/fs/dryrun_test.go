package fs

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestDryRunSaysWhatTheCallSays makes each call twice: what is refused is refused in the dry run too, with the same code.
func TestDryRunSaysWhatTheCallSays(t *testing.T) {
	t.Parallel()
	no := false
	for _, c := range []struct {
		action string
		a      args
		want   tools.Code // "": it is done
	}{
		{"mv", args{"path": "real", "destination": "real/sub/c"}, tools.InvalidParams},
		{"cp", args{"path": "real", "destination": "real/sub/c"}, tools.InvalidParams},
		{"mv", args{"path": "a", "destination": "no/x", "mkdirs": no}, tools.NotFound},
		{"cp", args{"path": "a", "destination": "no/x", "mkdirs": no}, tools.NotFound},
		{"cp", args{"path": "real", "destination": "no/x", "mkdirs": no}, tools.NotFound},
		{"write", args{"path": "no/x", "content": "x", "mkdirs": no}, tools.NotFound},
		{"write", args{"path": "b/x", "content": "x"}, tools.InvalidParams},
		{"mkdir", args{"path": "b/x"}, tools.InvalidParams},
		{"mv", args{"path": "a", "destination": "b/x"}, tools.InvalidParams},
		{"cp", args{"path": "a", "destination": "b/x"}, tools.InvalidParams},
		{"mv", args{"path": "n/.git", "destination": "z"}, tools.PermissionDenied},
		{"rm", args{"path": "n/.git", "recursive": true, "confirm": true}, tools.PermissionDenied},
		{"cp", args{"path": "a", "destination": "ro", "overwrite": true}, tools.PermissionDenied},
		{"mv", args{"path": "a", "destination": "ro", "overwrite": true}, tools.PermissionDenied},
		{"cp", args{"path": "n", "destination": "n2"}, tools.PermissionDenied},
		{"cp", args{"path": "real", "destination": "n2/.git"}, tools.PermissionDenied},
		{"write", args{"path": "ro", "content": "x", "overwrite": true}, tools.PermissionDenied},
		{"edit", args{"path": "ro", "old_text": "R", "new_text": "Q"}, tools.PermissionDenied},
		{"patch", args{"patch": patchOf("*** Add File: q\n+y\n*** Add File: q/x\n+z")}, tools.InvalidParams},
		{"patch", args{"patch": patchOf("*** Add File: b/x\n+z")}, tools.InvalidParams},
		{"patch", args{"patch": patchOf("*** Update File: ro\n@@\n-R\n+Q")}, tools.PermissionDenied},
		{"mv", args{"path": "a", "destination": "new/a"}, ""},
		{"cp", args{"path": "real", "destination": "new/real"}, ""},
		{"cp", args{"path": "l", "destination": "new/l"}, ""},
		{"write", args{"path": "new/x", "content": "x"}, ""},
		{"mkdir", args{"path": "new/x/y"}, ""},
		{"rm", args{"path": "real", "recursive": true, "confirm": true}, ""},
		{"patch", args{"patch": patchOf("*** Add File: q/x\n+y\n*** Delete File: b")}, ""},
	} {
		w := newWorld(t)
		w.put("a", "A\n")
		w.put("b", "B\n")
		w.put("ro", "R\n")
		w.put("real/sub/f", "F\n")
		w.put("n/.git/config", "c")
		w.link("real", "l")
		if err := os.Chmod(w.abs("ro"), 0o444); err != nil {
			t.Fatal(err)
		}
		before := w.names(".")
		a := args{"dry_run": true}
		for k, v := range c.a {
			a[k] = v
		}
		dry := w.call(c.action, a)
		if got := w.names("."); got != before {
			t.Errorf("%s %v: the dry run left %s", c.action, c.a, got)
		}
		real := w.call(c.action, c.a)
		code := func(r reply) tools.Code {
			if r.Envelope.OK {
				return ""
			}
			return r.Envelope.Error.Code
		}
		if code(dry) != c.want || code(real) != c.want {
			t.Errorf("%s %v: dry run %v, call %v, want %q", c.action, c.a, dry.Envelope.Error, real.Envelope.Error, c.want)
		}
	}
}

func TestHomeIsKeptInADryRunToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *sandbox.Config) { c.Mode = sandbox.Off })
	w.put(w.O+"/f", "x")
	w.refused(tools.PermissionDenied, "rm", args{"path": w.O, "recursive": true, "dry_run": true})
	w.refused(tools.PermissionDenied, "mv", args{"path": w.O, "destination": "gone", "dry_run": true})
	if runtime.GOOS != "windows" {
		w.refused(tools.PermissionDenied, "rm", args{"path": "/dev/null", "dry_run": true})
		w.refused(tools.PermissionDenied, "rm", args{"path": "/etc", "recursive": true, "dry_run": true})
	}
}

// A link is an entry of its own, wherever it leads.
func TestLinksAreRemovedAndRenamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(w.O+"/s", "S")
	for name, target := range map[string]string{"out": w.O, "abs": w.O + "/s", "c1": "c2", "c2": "c1", "dangling": "none"} {
		w.link(target, name)
	}
	for _, name := range []string{"out", "abs", "c1", "dangling"} {
		w.ok("mv", args{"path": name, "destination": "moved/" + name})
		w.ok("rm", args{"path": "moved/" + name, "dry_run": true})
		w.ok("rm", args{"path": "moved/" + name})
	}
	if got := w.names("."); got != "c2 moved" {
		t.Error(got)
	}
	w.is(w.O+"/s", "S")
}

// A copied link to a file is a copy of the file; another one leads where it led.
func TestCopiedLinksLeadToTheSamePlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("x", "X")
	w.put("dir/y", "Y")
	w.put(w.O+"/s", "S")
	for name, target := range map[string]string{"f": "x", "d": "dir", "out": w.O + "/s"} {
		w.link(target, name)
	}
	w.ok("cp", args{"path": "f", "destination": "sub/f"})
	w.is("sub/f", "X")
	if fi, err := os.Lstat(w.abs("sub/f")); err != nil || !fi.Mode().IsRegular() {
		t.Errorf("%v %v", fi, err)
	}
	w.ok("cp", args{"path": "d", "destination": "sub/d"})
	w.is("sub/d/y", "Y")
	w.ok("cp", args{"path": "out", "destination": "sub/out"})
	w.refused(tools.PermissionDenied, "read", args{"path": "sub/out"})
	w.refused(tools.PermissionDenied, "cp", args{"path": "x", "destination": "out", "overwrite": true})
	w.is(w.O+"/s", "S")
}

func TestCopyToALongName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("d/x", "X")
	name := strings.Repeat("e", 250)
	w.ok("cp", args{"path": "d", "destination": name})
	w.is(name+"/x", "X")
	r := w.call("cp", args{"path": "d", "destination": strings.Repeat("e", 300)})
	if r.Envelope.OK || strings.Contains(r.Envelope.Error.Message, ".tmp") {
		t.Error(r.Envelope.Error)
	}
}

// What a removal leaves behind, and what goes with it, is told.
func TestRemovalTellsWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"tree/x/1", "tree/y/2", "tree/z/3", "repos/a/.git/HEAD", "repos/b/.git/HEAD"} {
		w.put(name, "x")
	}
	if r := w.ok("rm", args{"path": "repos", "recursive": true, "dry_run": true}); !r.warned("2 repositories of git lie in it, the first at repos/a") {
		t.Error(r.Envelope.Meta.Warnings)
	}
	d := removeData{Entries: 9}
	err := d.partly(&tools.Call{Roots: w.roots}, must(w.roots.Resolve("tree")), os.ErrPermission)
	if !strings.Contains(err.Error(), "3 of 9 entries were removed already, 6 are left") || d.Removed != 3 {
		t.Error(err, d)
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return
	}
	if err := os.Chmod(w.abs("tree/y"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(w.abs("tree/y"), 0o755) }()
	r := w.refused(tools.PermissionDenied, "rm", args{"path": "tree", "recursive": true, "confirm": true})
	if m := r.Envelope.Error.Message; !strings.Contains(m, "tree/y/2") || !strings.Contains(m, "are left") {
		t.Error(m)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

package git

import (
	"fmt"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// body is the message of a commit, byte for byte.
func (w *world) body(ref string) string {
	w.Helper()
	return w.git("log", "-1", "--format=%B%x00", ref)
}

// TestMessagesStay: whatever the config says of cleaning messages up, those that are given or taken over stay as they are.
func TestMessagesStay(t *testing.T) {
	t.Parallel()
	const given = "#12 fix login\n\nbody\n# ------------------------ >8 ------------------------\nafter\n#tail"
	const want = given + "\n\x00\n"
	for _, config := range [][]string{{"commit.cleanup", "strip"}, {"commit.cleanup", "scissors"}, {"commit.cleanup", "whitespace"}, {"commit.verbose", "true"}} {
		t.Run(config[0]+"="+config[1], func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			w.commit("one", "a", "1\n", "b", "1\n")
			w.git("config", config[0], config[1])
			is := func(what, ref string) {
				t.Helper()
				if got := w.body(ref); got != want {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			w.git("checkout", "-qb", "f")
			for i := range 3 {
				w.write("f", fmt.Sprint(i))
				w.call("add", args{"files": "f"})
				w.call("commit", args{"message": given})
				is("commit", "HEAD")
			}
			w.write("f", "amended")
			w.call("commit", args{"amend": true, "all": true})
			is("amend", "HEAD")
			w.git("checkout", "-q", "main")
			w.call("merge", args{"ref": "f", "message": given, "mode": "no_ff"})
			is("merge", "HEAD")
			w.git("reset", "-q", "--hard", "HEAD~1")
			w.commit("other", "c", "1\n")
			w.call("cherry_pick", args{"ref": "f~2"})
			is("cherry_pick", "HEAD")
			w.git("reset", "-q", "--hard", "HEAD~1")
			w.git("checkout", "-q", "f")
			w.call("rebase", args{"ref": "main"})
			for _, ref := range []string{"HEAD", "HEAD~1", "HEAD~2"} {
				is("rebase", ref)
			}
			w.git("checkout", "-q", "main")
			w.commit("more", "d", "1\n")
			w.git("clone", "-q", "--bare", ".", "up.git")
			w.git("remote", "add", "origin", "./up.git")
			w.git("checkout", "-q", "f")
			w.call("pull", args{"name": "origin", "ref": "main", "mode": "rebase"})
			is("pull", "HEAD~2")
		})
	}
}

// TestMessagesStayOverConflicts: also where it stops more than once, and where more commits follow.
func TestMessagesStayOverConflicts(t *testing.T) {
	t.Parallel()
	for _, cleanup := range []string{"", "strip", "whitespace", "scissors"} {
		t.Run(cleanup, func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			w.commit("one", "a", "1\n", "b", "1\n")
			if cleanup != "" {
				w.git("config", "commit.cleanup", cleanup)
			}
			w.git("checkout", "-qb", "f")
			var messages []string
			for i, name := range []string{"a", "b", "c"} {
				messages = append(messages, fmt.Sprintf("#%d fix\n\nbody\n;x\n#tail", i))
				w.write(name, "f\n")
				w.git("add", name)
				w.stdin(messages[i]+"\n", "commit", "-q", "--cleanup=verbatim", "--file=-")
			}
			w.git("checkout", "-q", "main")
			w.commit("main", "a", "m\n", "b", "m\n")
			w.git("checkout", "-q", "f")
			w.fails(tools.Conflict, "rebase", args{"ref": "main"})
			w.write("a", "both\n")
			w.call("add", args{"files": "a"})
			w.fails(tools.Conflict, "rebase", args{"sub_action": "continue"})
			w.write("b", "both\n")
			w.call("add", args{"files": "b"})
			w.call("rebase", args{"sub_action": "continue"})
			want := ""
			for _, m := range messages {
				want += m + "\n\x00\n"
			}
			if got := w.git("log", "-3", "--reverse", "--format=%B%x00", "HEAD"); got != want {
				t.Errorf("%q\nwant %q", got, want)
			}
		})
	}
}

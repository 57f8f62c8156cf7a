package git

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestSwitches: git's own switches are taken under the names that mean the same.
func TestSwitches(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for _, c := range []struct{ given, want string }{
		{`{"action":"apply","patch":"p","check":true}`, `{"patch":"p","dry_run":true}`},
		{`{"action":"apply","patch":"p","stat":true}`, `{"patch":"p","dry_run":true}`},
		{`{"action":"apply","patch":"p","index":true}`, `{"patch":"p","staged":true}`},
		{`{"action":"cherry_pick","ref":"x","no_op":true}`, `{"ref":"x","dry_run":true}`},
		{`{"action":"apply","patch":"p","cached":true}`, `{"patch":"p","cached":true}`},
		{`{"action":"diff","cached":true}`, `{"staged":true}`},
		{`{"action":"push","u":true}`, `{"set_upstream":true}`},
		{`{"action":"push","upstream":true}`, `{"set_upstream":true}`},
		{`{"action":"rebase","upstream":"main"}`, `{"ref":"main"}`},
		{`{"action":"push","upstream":false}`, `{}`}, {`{"action":"log","upstream":false,"ref":false}`, `{}`}, {`{"action":"commit","message":"m","push":false}`, `{"message":"m"}`}, {`{"action":"push","push":true}`, `{}`},
		{`{"action":"commit","message":"m","amend":true,"ref":"HEAD"}`, `{"message":"m","amend":true}`}, {`{"action":"add","all":true,"staged":true}`, `{"all":true}`}, {`{"action":"reset","staged":true}`, `{}`},
		{`{"action":"push","track":true}`, `{"set_upstream":true}`}, {`{"action":"clone","url":"u","name":"origin"}`, `{"url":"u"}`},
		{`{"action":"stash","op":"push","u":true}`, `{"sub_action":"push","include_untracked":true}`},
		{`{"action":"commit","m":"x","stage_all":true}`, `{"message":"x","all":true}`},
		{`{"action":"cherry_pick","commit":"x"}`, `{"ref":"x"}`},
		{`{"action":"merge","ref":"f","squash":true}`, `{"ref":"f","mode":"squash"}`},
		{`{"action":"merge","ref":"f","noFF":true}`, `{"ref":"f","mode":"no_ff"}`},
		{`{"action":"merge","ref":"f","ff":false}`, `{"ref":"f","mode":"no_ff"}`},
		{`{"action":"merge","ref":"f","ff":"only"}`, `{"ref":"f","mode":"ff_only"}`},
		{`{"action":"merge","ref":"f","commit":false}`, `{"ref":"f","no_commit":true}`},
		{`{"action":"merge","ref":"f","squash":false,"amend":false,"depth":0,"url":"","files":[]}`, `{"ref":"f"}`},
		{`{"action":"pull","rebase":true}`, `{"mode":"rebase"}`},
		{`{"action":"pull","rebase":false}`, `{"mode":"merge"}`},
		{`{"action":"pull","ff_only":true}`, `{"mode":"ff_only"}`},
		{`{"action":"reset","type":"soft","ref":"HEAD~1"}`, `{"mode":"soft","ref":"HEAD~1"}`},
		{`{"action":"reset","reset_mode":"--soft"}`, `{"mode":"--soft"}`},
		{`{"action":"reset","mixed":true}`, `{"mode":"mixed"}`},
		{`{"action":"stash","op":"push","untracked":true,"keep_index":true}`, `{"sub_action":"push","include_untracked":true,"keep_index":true}`},
		{`{"action":"stash","op":"pop","index":true}`, `{"sub_action":"pop"}`},
		{`{"action":"checkout","ref":"f","detach":true}`, `{"ref":"f","detach":true}`},
		{`{"action":"checkout","sub_action":"create","name":"n"}`, `{"name":"n","create":true}`},
		{`{"action":"branch","create":true,"name":"n"}`, `{"name":"n","sub_action":"create"}`},
		{`{"action":"branch","delete":"n"}`, `{"sub_action":"delete","name":"n"}`},
		{`{"action":"branch","op":"rename","old_name":"a","new_name":"b"}`, `{"sub_action":"rename","name":"a","new_name":"b"}`},
		{`{"action":"commit","message":"m","staged":true,"sub_action":"commit"}`, `{"message":"m"}`},
		{`{"action":"config","op":"set","key":"user.name","value":"n","scope":"local"}`, `{"sub_action":"set","key":"user.name","value":"n"}`},
		{`{"action":"tag","op":"create","name":"v","message":"m","annotate":true}`, `{"sub_action":"create","name":"v","message":"m"}`},
		{`{"action":"log","search":"x","no_merges":true,"first_parent":true}`, `{"grep":"x","no_merges":true,"first_parent":true}`},
		{`{"action":"restore","files":["a"],"worktree":true}`, `{"files":["a"]}`},
		{`{"action":"status","worktree":"w"}`, `{"path":"w"}`},
		{`{"action":"status","project":"w"}`, `{"path":"w"}`},
		{`{"action":"diff","ref1":"a","ref2":"b"}`, `{"ref":"a..b"}`},
		{`{"action":"diff","commit1":"a","commit2":"b"}`, `{"ref":"a..b"}`},
		{`{"action":"diff","base":"a","head":"b"}`, `{"ref":"a..b"}`},
		{`{"action":"diff","from":"a","to":"b"}`, `{"ref":"a..b"}`},
		{`{"action":"diff","ref":"a","to":"b"}`, `{"ref":"a..b"}`},
		{`{"action":"diff","commit":"b","base":"a"}`, `{"ref":"a..b"}`},
		{`{"action":"diff","ref":["a","b"]}`, `{"ref":"a b"}`},
		{`{"action":"diff","base":"a"}`, `{"ref":"a"}`},
		{`{"action":"log","from":"a","to":"b"}`, `{"ref":"a..b"}`},
	} {
		call, err := tools.Prepare(tool, json.RawMessage(c.given), &tools.Session{})
		if err != nil {
			t.Errorf("%s: %v", c.given, err)
			continue
		}
		if !sameMembers(string(call.Args.JSON()), c.want) {
			t.Errorf("%s: %s, want %s", c.given, call.Args.JSON(), c.want)
		}
	}
	for _, given := range []string{
		`{"action":"merge","ref":"f","strategy":"ours"}`, `{"action":"merge","ref":"f","squash":true,"mode":"no_ff"}`, `{"action":"rebase","ref":"f","interactive":true}`,
		`{"action":"clone","url":"u","recursive":true}`, `{"action":"checkout","name":"n","create":true,"orphan":true}`, `{"action":"commit","message":"m","include_untracked":true}`,
		`{"action":"config","op":"set","key":"user.name","value":"n","scope":"global"}`, `{"action":"config","op":"set","key":"user.name","value":"n","global":true}`,
		`{"action":"branch","op":"create","name":"n","checkout":true}`, `{"action":"cherry_pick","ref":"f","x":true}`, `{"action":"add","all":true,"u":true}`,
		`{"action":"commit","message":"m","signoff":true}`, `{"action":"add","all":true,"update":true}`,
	} {
		if _, err := tools.Prepare(tool, json.RawMessage(given), &tools.Session{}); err == nil {
			t.Errorf("%s is let pass", given)
		}
	}
}

// TestReadingsTakeMore: what a reading does not know it leaves out, with a warning.
func TestReadingsTakeMore(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for name := range strings.FieldsSeq("oneline graph decorate porcelain short format pretty name_only verbose color stat numstat patch detail details sort sort_by order date start state local reverse type depth squash") {
		for _, action := range []string{"log", "status", "diff", "branch"} {
			if _, err := tools.Prepare(tool, json.RawMessage(`{"action":"`+action+`","`+name+`":true}`), &tools.Session{}); err != nil {
				t.Errorf("%s %s: %v", action, name, err)
			}
		}
	}
}

// TestOverlookedParameters: a verb refuses what another verb of its action takes.
func TestOverlookedParameters(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for _, name := range []string{"s0", "s1", "s2"} {
		w.write("a", name)
		w.git("stash", "push", "-qm", name)
	}
	w.git("branch", "f")
	state := func() string {
		return w.git("stash", "list") + w.git("for-each-ref") + w.git("status", "--porcelain", "--branch") + w.git("config", "--local", "--list") + w.git("worktree", "list")
	}
	before := state()
	for _, c := range []struct {
		action string
		args   args
		param  string
	}{
		{"stash", args{"sub_action": "drop", "n": 2}, "limit"}, {"stash", args{"sub_action": "pop", "offset": 2}, "offset"}, {"stash", args{"sub_action": "drop", "message": "s1"}, "message"},
		{"stash", args{"sub_action": "drop", "ref": ""}, "ref"}, {"stash", args{"sub_action": "apply", "files": "a"}, "files"}, {"stash", args{"sub_action": "drop", "all": true}, "all"},
		{"stash", args{"sub_action": "clear", "ref": "1"}, "ref"}, {"branch", args{"sub_action": "create", "name": "n", "new_name": "m"}, "new_name"}, {"branch", args{"sub_action": "delete", "name": "f", "ref": "main"}, "ref"},
		{"checkout", args{"ref": "f", "name": "n"}, "name"}, {"checkout", args{"files": "a", "name": "n"}, "files"}, {"rebase", args{"ref": "f", "no_commit": true}, "no_commit"},
		{"merge", args{"ref": "f", "onto": "main"}, "onto"}, {"cherry_pick", args{"ref": "f", "message": "m"}, "message"}, {"reset", args{"mode": "soft", "hard": true}, "mode"},
		{"worktree", args{"sub_action": "add", "destination": "wt", "force": true}, "force"}, {"config", args{"sub_action": "set", "key": "user.name", "value": "n", "all": true}, "all"},
		{"fetch", args{"mode": "rebase"}, "mode"}, {"pull", args{"all": true}, "all"}, {"push", args{"depth": 1}, "depth"}, {"remote", args{"sub_action": "add", "name": "o", "url": "x", "new_name": "p"}, "new_name"},
	} {
		c.args["confirm"] = true
		if e := w.fails(tools.InvalidParams, c.action, c.args).Envelope.Error; e.Details.Param != c.param || !strings.Contains(e.Message, "nothing was done") {
			t.Errorf("%s %v: %v", c.action, c.args, e)
		}
	}
	if after := state(); after != before {
		t.Errorf("%s\nwas %s", after, before)
	}
	// What says only how much is answered stops nothing that loses nothing, nor does what an action under way was begun with.
	w.call("branch", args{"sub_action": "create", "name": "n2", "limit": 10})
	w.write("a", "s3")
	w.call("stash", args{"sub_action": "push", "ref": "", "name": "", "limit": 10})
	w.call("stash", args{"sub_action": "pop", "ref": ""})
	w.git("checkout", "-q", "a")
	w.git("checkout", "-qb", "side", "n2")
	w.write("a", "side\n")
	w.git("commit", "-qam", "side")
	w.git("checkout", "-q", "f")
	w.write("a", "f\n")
	w.git("commit", "-qam", "f")
	w.fails(tools.Conflict, "merge", args{"ref": "side"})
	w.call("merge", args{"sub_action": "abort", "ref": "side", "confirm": true})
	w.git("checkout", "-q", "main")
	if out := w.call("branch", args{"new_name": "x"}); !strings.Contains(out.Text, "main") { // a reading takes more
		t.Error(out.Text)
	}
}

// TestSwitchesAct: what is taken is done.
func TestSwitchesAct(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", "b", "1\n")
	w.git("branch", "f")
	w.write("a", "staged\n")
	w.git("add", "a")
	w.write("b", "changed\n")
	w.write("c", "new\n")
	w.call("stash", args{"sub_action": "push", "keep_index": true, "untracked": true})
	if got := w.git("status", "--porcelain"); got != "M  a\n" {
		t.Errorf("%q", got)
	}
	w.git("reset", "-q", "--hard")
	w.call("apply", args{"patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n", "cached": true})
	if got := w.git("status", "--porcelain"); got != "MM a\n" {
		t.Errorf("%q", got)
	}
	w.git("reset", "-q", "--hard")
	w.call("checkout", args{"ref": "f", "detach": true})
	if got := w.git("status", "--branch", "--porcelain"); !strings.HasPrefix(got, "## HEAD (no branch)") {
		t.Errorf("%q", got)
	}
	w.call("worktree", args{"sub_action": "add", "worktree": "wt", "ref": "f", "detach": true})
	if got := w.gitIn(filepath.Join(w.dir, "wt"), "status", "--branch", "--porcelain"); !strings.HasPrefix(got, "## HEAD (no branch)") {
		t.Errorf("%q", got)
	}
	w.git("checkout", "-q", "main")
	w.call("branch", args{"sub_action": "rename", "new_name": "trunk"})
	if got := w.git("branch", "--show-current"); got != "trunk\n" {
		t.Errorf("%q", got)
	}
	w.git("clone", "-q", "--bare", ".", "up.git")
	w.git("remote", "add", "origin", "./up.git")
	up := filepath.Join(w.dir, "up.git")
	w.gitIn(up, "tag", "v1")
	w.git("tag", "v1", w.git("commit-tree", "-m", "x", "HEAD^{tree}")[:40])
	w.fails(tools.ConfirmRequired, "fetch", args{"tags": true, "force": true})
	w.call("fetch", args{"tags": true, "force": true, "confirm": true})
	if w.git("rev-parse", "v1") != w.git("rev-parse", "HEAD") {
		t.Error("the tag was not overwritten")
	}
	w.git("branch", "mine", w.git("commit-tree", "-m", "x", "HEAD^{tree}")[:40])
	w.fails(tools.ConfirmRequired, "fetch", args{"ref": "f:mine", "force": true})
	w.call("fetch", args{"ref": "f:mine", "force": true, "confirm": true})
	w.gitIn(up, "tag", "v2")
	w.call("pull", args{"ref": "f", "tags": true, "mode": "ff_only"})
	w.git("rev-parse", "v2")
}

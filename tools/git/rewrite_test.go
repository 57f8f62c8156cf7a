package git

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestOtherWords: what callers say in other words comes under the declared names.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for _, c := range []struct{ given, want string }{
		{`{"action":"status","repo_path":"r"}`, `{"path":"r"}`},
		{`{"action":"status","repoPath":"r"}`, `{"path":"r"}`},
		{`{"action":"commit","working_directory":"r","message":"m"}`, `{"message":"m","path":"r"}`},
		{`{"action":"status","directory":"r"}`, `{"path":"r"}`},
		{`{"action":"clone","directory":"r","url":"u"}`, `{"destination":"r","url":"u"}`},
		{`{"action":"log","path":"r","file_path":"a"}`, `{"path":"r","files":"a"}`},
		{`{"action":"blame","file_path":"a"}`, `{"path":"a"}`},
		{`{"action":"blame","cwd":"r","path":"a"}`, `{"files":"a","path":"r"}`},
		{`{"action":"add","repo_path":"r","path":"."}`, `{"path":"r"}`},
		{`{"action":"diff","source":"main","target":"feature"}`, `{"ref":"main..feature"}`},
		{`{"action":"diff","target":"feature"}`, `{"ref":"feature"}`},
		{`{"action":"checkout","branch":"n","create":true,"start_point":"main"}`, `{"create":true,"name":"n","ref":"main"}`},
		{`{"action":"checkout","branch":"n"}`, `{"ref":"n"}`},
		{`{"action":"checkout","new_branch":"n"}`, `{"name":"n","create":true}`},
		{`{"action":"branch","sub_action":"create","branch":"n","start_point":"main"}`, `{"sub_action":"create","name":"n","ref":"main"}`},
		{`{"action":"branch","delete":true,"branch":"n"}`, `{"name":"n","sub_action":"delete"}`},
		{`{"action":"push","remote":"origin","branch":"main"}`, `{"name":"origin","ref":"main"}`},
		{`{"action":"reset","mode":"hard","commit_hash":"HEAD~1"}`, `{"mode":"hard","ref":"HEAD~1"}`},
		{`{"action":"reset","soft":true}`, `{"mode":"soft"}`},
		{`{"action":"stash","op":"drop","index":3}`, `{"sub_action":"drop","ref":"3"}`},
		{`{"action":"stash","op":"drop","stash":"stash@{2}"}`, `{"sub_action":"drop","ref":"stash@{2}"}`},
		{`{"action":"stash","op":"pop","stash_index":1}`, `{"sub_action":"pop","ref":"1"}`},
		{`{"action":"stash","mode":"push"}`, `{"sub_action":"push"}`},
		{`{"action":"rebase","mode":"abort"}`, `{"sub_action":"abort"}`},
		{`{"action":"rebase","skip":true}`, `{"sub_action":"skip"}`},
		{`{"action":"merge","abort":true}`, `{"sub_action":"abort"}`},
		{`{"action":"merge","mode":"no_ff","ref":"x"}`, `{"mode":"no_ff","ref":"x"}`},
		{`{"action":"config","op":"set","key":"pull.rebase","value":true}`, `{"sub_action":"set","key":"pull.rebase","value":"true"}`},
		{`{"action":"blame","lines":[10,20]}`, `{"lines":"10,20"}`},
		{`{"action":"blame","start_line":10,"end_line":20}`, `{"lines":"10,20"}`},
		{`{"action":"tag","op":"create","tag_name":"v1","sha":"HEAD"}`, `{"sub_action":"create","name":"v1","ref":"HEAD"}`},
		{`{"action":"log","max":3}`, `{"limit":3}`},
		{`{"action":"git_diff_staged"}`, `{}`},
		{`{"action":"init","initial_branch":"main"}`, `{"ref":"main"}`},
		{`{"action":"init","name":"main"}`, `{"ref":"main"}`},
		{`{"action":"init","branch":"main","path":"r"}`, `{"ref":"main","path":"r"}`},
	} {
		call, err := tools.Prepare(tool, json.RawMessage(c.given), &tools.Session{})
		if err != nil {
			t.Errorf("%s: %v", c.given, err)
			continue
		}
		if len(call.Args.JSON()) != len(c.want) || !sameMembers(string(call.Args.JSON()), c.want) {
			t.Errorf("%s: %s, want %s", c.given, call.Args.JSON(), c.want)
		}
	}
	for _, given := range []string{
		`{"action":"merge","source":"a","target":"b"}`, `{"action":"merge","ref":"a","branch":"b"}`, `{"action":"checkout","cwd":"r","path":"s","ref":"x"}`,
		`{"action":"restore","all":true,"exclude":[".env"],"confirm":true}`, `{"action":"add","all":true,"exclude":[".env"]}`, `{"action":"stash","op":"drop","number":3,"confirm":true}`,
		`{"action":"clean","force":true,"confirm":true,"directories":["x"]}`, `{"action":"clean","force":true,"confirm":true,"unheard_of":true}`,
	} {
		if _, err := tools.Prepare(tool, json.RawMessage(given), &tools.Session{}); err == nil {
			t.Errorf("%s is let pass", given)
		}
	}
}

func sameMembers(a, b string) bool {
	var x, y map[string]any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// TestOtherWordsAct: the right repository, stash and files.
func TestOtherWordsAct(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", ".gitignore", "/emb\n")
	w.git("init", "-q", "emb")
	emb := filepath.Join(w.dir, "emb")
	w.gitIn(emb, "commit", "-q", "--allow-empty", "-m", "first")
	w.write("emb/x", "x\n")
	w.call("add", args{"repo_path": "emb", "path": "x"})
	w.call("commit", args{"repo_path": emb, "message": "second"})
	if got := w.gitIn(emb, "log", "-1", "--format=%s"); got != "second\n" {
		t.Error(got)
	}
	for _, name := range []string{"x", "y", "z"} {
		w.write("a", name)
		w.git("stash", "push", "-qm", name)
	}
	w.call("stash", args{"sub_action": "drop", "index": 1, "confirm": true})
	if got := w.git("stash", "list", "--format=%gs"); got != "On main: z\nOn main: x\n" {
		t.Error(got)
	}
	w.write(".env", "e")
	w.write("junk", "j")
	w.call("clean", args{"force": true, "confirm": true, "exclude": []string{".env"}})
	if !w.has(".env") || w.has("junk") {
		t.Error("clean does not keep what is excluded, or keeps more")
	}
	w.write("a", "1\n2\n3\n4\n5\n6\n")
	w.git("commit", "-qam", "long")
	w.git("mv", "a", "b")
	w.git("commit", "-qm", "moved")
	if l := data[logData](t, w.call("log", args{"files": "b", "follow": true})); len(l.Commits) != 3 {
		t.Errorf("follow: %d commits", len(l.Commits))
	}
	for _, lines := range []any{"2,3", "L2-L3", "2..3", []int{2, 3}} {
		if d := data[blameData](t, w.call("blame", args{"files": "b", "lines": lines})); len(d.Lines) != 2 || d.Lines[0].Line != 2 {
			t.Errorf("blame %v: %+v", lines, d.Lines)
		}
	}
	w.write("b", "staged\n")
	w.git("add", "b")
	for action, want := range map[string]int{"diff_staged": 1, "git_diff_staged": 1, "diff_unstaged": 0} {
		if d := data[diffData](t, w.call(action, nil)); d.Count != want {
			t.Errorf("%s: %d files", action, d.Count)
		}
	}
	if out := w.fails(tools.InvalidParams, "rebase", args{"sub_action": "--contine"}); !strings.Contains(out.Envelope.Error.Message, "continue") {
		t.Error(out.Envelope.Error.Message)
	}
	w.fails(tools.Conflict, "rebase", args{"sub_action": "--abort"})
}

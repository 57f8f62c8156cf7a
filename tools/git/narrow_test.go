package git

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestNarrowingWords: what callers say to have less listed comes under the declared names.
func TestNarrowingWords(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for _, c := range []struct{ given, want string }{
		{`{"action":"log","start_timestamp":"2024-01-01","end_timestamp":"2024-02-01"}`, `{"since":"2024-01-01","until":"2024-02-01"}`},
		{`{"action":"log","from_date":"2024-01-01","to_date":"2024-02-01"}`, `{"since":"2024-01-01","until":"2024-02-01"}`},
		{`{"action":"log","since_date":"2024-01-01"}`, `{"since":"2024-01-01"}`},
		{`{"action":"log","days":7}`, `{"since":"7 days ago"}`}, {`{"action":"shortlog","weeks":"2"}`, `{"since":"2 weeks ago"}`}, {`{"action":"log","days":0}`, `{}`},
		{`{"action":"log","message":"fix"}`, `{"grep":"fix"}`}, {`{"action":"log","query":"fix"}`, `{"grep":"fix"}`}, {`{"action":"log","search":"fix"}`, `{"grep":"fix"}`},
		{`{"action":"log","S":"text"}`, `{"pickaxe":"text"}`}, {`{"action":"log","G":"text"}`, `{"diff_grep":"text"}`}, {`{"action":"log","author_name":"Ann"}`, `{"author":"Ann"}`},
		{`{"action":"log","branch_name":"f"}`, `{"ref":"f"}`}, {`{"action":"log","start_commit":"a","end_commit":"b"}`, `{"ref":"a..b"}`},
		{`{"action":"log","all_branches":true}`, `{"all":true}`},
		{`{"action":"branch","branch_type":"remote"}`, `{"branch_type":"remote"}`}, {`{"action":"branch","type":"all"}`, `{"branch_type":"all"}`},
		{`{"action":"branch","remote":true}`, `{"remotes":true}`}, {`{"action":"branch","remote":false}`, `{}`}, {`{"action":"branch","include_remotes":true}`, `{"all":true}`},
		{`{"action":"branch","merged":true}`, `{"merged":"true"}`}, {`{"action":"branch","not_contains":"x"}`, `{"no_contains":"x"}`}, {`{"action":"branch","search":"x"}`, `{"pattern":"x"}`},
		{`{"action":"branch","mode":"show-current"}`, `{"sub_action":"show-current"}`},
		{`{"action":"branch","sub_action":"rename","name":"feat","new_branch":"feat2"}`, `{"sub_action":"rename","name":"feat","new_name":"feat2"}`},
		{`{"action":"branch","sub_action":"rename","oldBranchName":"feat","newBranchName":"feat2"}`, `{"sub_action":"rename","name":"feat","new_name":"feat2"}`},
		{`{"action":"branch","sub_action":"create","new_branch":"feat2"}`, `{"sub_action":"create","name":"feat2"}`},
		{`{"action":"commit","message":"m","author":{"name":"Ann","email":"a@b"}}`, `{"message":"m","author":"Ann <a@b>"}`},
		{`{"action":"commit","message":"m","author_name":"Ann","author_email":"a@b"}`, `{"message":"m","author":"Ann <a@b>"}`},
		{`{"action":"commit","message":"m","filesToStage":["a"]}`, `{"message":"m","files":["a"]}`},
		{`{"action":"status","days":0,"pattern":"","exclude":[],"author":""}`, `{}`},
	} {
		call, err := tools.Prepare(tool, json.RawMessage(c.given), &tools.Session{})
		if err != nil {
			t.Errorf("%s: %v", c.given, err)
			continue
		}
		if got := string(call.Args.JSON()); !sameMembers(got, c.want) {
			t.Errorf("%s: %s, want %s", c.given, got, c.want)
		}
	}
	for _, given := range []string{
		`{"action":"branch","author":"x"}`, `{"action":"branch","since":"2024"}`, `{"action":"tag","days":3}`, `{"action":"log","contains":"x"}`, `{"action":"log","merged":true}`,
		`{"action":"log","lines":"1,2"}`, `{"action":"show","ref":"HEAD:a","start_line":1}`, `{"action":"log","invert_grep":true}`, `{"action":"log","exclude":"x"}`, `{"action":"log","days":"x"}`,
		`{"action":"status","pattern":"*.go"}`, `{"action":"diff","diff_filter":"M"}`, `{"action":"diff","exclude":["x"]}`, `{"action":"stash","query":"x"}`, `{"action":"remote","pattern":"x"}`,
		`{"action":"shortlog","author":"x"}`, `{"action":"shortlog","no_merges":true}`, `{"action":"reflog","since":"2024"}`, `{"action":"config","query":"x"}`, `{"action":"blame","since":"2024"}`,
		`{"action":"branch","sub_action":"create","name":"n","contains":"x"}`, `{"action":"commit","message":"m","author_name":"Ann"}`, `{"action":"commit","message":"m","author":"Bob <b@c>","author_name":"Ann","author_email":"a@b"}`,
	} {
		c, err := tools.Prepare(tool, json.RawMessage(given), &tools.Session{})
		if err == nil && c.Action.Name == "branch" {
			err = overlooked(c)
		}
		if err == nil || !strings.Contains(err.Error(), "nothing was done") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// TestBranchesAndTagsOfACommit: what narrows a list does so as git does it.
func TestBranchesAndTagsOfACommit(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	one := w.commit("one", "a", "1\n")
	w.git("tag", "v1.0")
	w.git("branch", "old/x")
	w.git("checkout", "-qb", "feat/y")
	two := w.commit("two", "a", "2\n")
	w.git("tag", "-am", "t", "v2.0")
	w.git("checkout", "-q", "main")
	w.commit("three", "b", "1\n")
	w.git("update-ref", "refs/remotes/origin/feat/y", two)
	w.git("update-ref", "refs/remotes/up/main", one)
	branches := func(a args) string {
		t.Helper()
		var names []string
		for _, b := range data[branchData](t, w.call("branch", a)).Branches {
			names = append(names, b.Name)
		}
		return strings.Join(names, " ")
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"contains": "feat/y"}, "feat/y"}, {args{"contains": two, "all": true}, "feat/y origin/feat/y"}, {args{"contains": true}, "main"}, {args{"contains": "v2.0"}, "feat/y"},
		{args{"not_contains": "feat/y"}, "main old/x"}, {args{"merged": "main"}, "main old/x"}, {args{"merged": true}, "main old/x"}, {args{"no_merged": "main"}, "feat/y"},
		{args{"points_at": one}, "old/x"}, {args{"remotes": true}, "origin/feat/y up/main"}, {args{"remote": true}, "origin/feat/y up/main"}, {args{"branch_type": "remote"}, "origin/feat/y up/main"},
		{args{"branch_type": "all"}, "feat/y main old/x origin/feat/y up/main"}, {args{"branch_type": "local"}, "feat/y main old/x"}, {args{"pattern": "feat*"}, "feat/y"}, {args{"pattern": "x"}, "old/x"},
		{args{"pattern": "feat*", "all": true}, "feat/y origin/feat/y"}, {args{"name": "*/?"}, "feat/y old/x"}, {args{"name": "origin", "remotes": true}, "origin/feat/y"}, {args{"pattern": "nothing"}, ""},
		{args{"mode": "show-current"}, "feat/y main old/x"}, {args{"contains": "feat/y", "remotes": true, "pattern": "main"}, ""},
	} {
		if got := branches(c.args); got != c.want {
			t.Errorf("branch %v: %q, want %q", c.args, got, c.want)
		}
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"contains": "feat/y"}, "v2.0"}, {args{"merged": "main"}, "v1.0"}, {args{"pattern": "v1*"}, "v1.0"}, {args{"name": "v2.0"}, "v2.0"}, {args{"sub_action": "list", "name": "v*"}, "v2.0 v1.0"}, {args{"points_at": two}, "v2.0"},
	} {
		var names []string
		for _, one := range data[tagData](t, w.call("tag", c.args)).Tags {
			names = append(names, one.Name)
		}
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("tag %v: %q, want %q", c.args, got, c.want)
		}
	}
	w.fails(tools.InvalidParams, "branch", args{"branch_type": "odd"})
	w.fails(tools.InvalidParams, "branch", args{"pattern": "[a"})
	w.fails(tools.InvalidParams, "branch", args{"contains": "--all"})
	w.fails(tools.NotFound, "branch", args{"contains": "missing"})
	w.fails(tools.InvalidParams, "reflog", args{"until": "2024"})
	for _, action := range []string{"branch", "tag"} {
		if m := w.fails(tools.InvalidParams, action, args{"commit": two}).Envelope.Error.Message; !strings.Contains(m, "contains") {
			t.Error(m)
		}
	}
	out := w.fails(tools.InvalidParams, "branch", args{"author": "Ann"})
	if warned(out) != "" {
		t.Error(warned(out))
	}
	w.call("branch", args{"sub_action": "rename", "name": "old/x", "new_branch": "old/z"})
	if got := w.git("branch", "--list", "old/*"); got != "  old/z\n" {
		t.Error(got)
	}
}

// TestLogNarrowed by committer, by what a change holds, by merges and by days.
func TestLogNarrowed(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.env = append(w.env, "GIT_COMMITTER_DATE=2020-01-01T12:00:00Z")
	w.commit("one", "a", "needle\n")
	w.env = w.env[:len(w.env)-1]
	w.commit("two", "a", "needle\nmore\n")
	w.git("checkout", "-qb", "f")
	w.env = append(w.env, "GIT_COMMITTER_NAME=Bob Birch")
	w.commit("three", "b", "1\n")
	w.env = w.env[:len(w.env)-1]
	w.git("checkout", "-q", "main")
	w.git("merge", "-q", "--no-ff", "-m", "joined", "f")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"committer": "birch"}, "three"}, {args{"pickaxe": "needle"}, "one"}, {args{"S": "more"}, "two"}, {args{"G": "^mo"}, "two"}, {args{"merges": true}, "joined"}, {args{"no_merges": true, "days": 3, "files": "a"}, "two"},
		{args{"message": "three"}, "three"}, {args{"end_timestamp": "2020-01-01"}, "one"}, {args{"branch_name": "f", "limit": 1}, "three"}, {args{"S": "absent"}, ""},
	} {
		var names []string
		for _, one := range data[logData](t, w.call("log", c.args)).Commits {
			names = append(names, one.Subject)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
	w.write("c", "1\n")
	w.git("add", "c")
	w.call("commit", args{"message": "m", "author": args{"name": "Eve Elm", "email": "eve@example.org"}})
	if got := w.git("log", "-1", "--format=%an <%ae>"); got != "Eve Elm <eve@example.org>\n" {
		t.Error(got)
	}
}

// TestRefsOfCommits are the same whatever the config says of decorations.
func TestRefsOfCommits(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	hash := w.commit("one", "a", "1\n")
	w.git("tag", "v1")
	w.git("update-ref", "refs/original/x", hash)
	w.git("update-ref", "refs/remotes/origin/main", hash)
	refs := func() string {
		t.Helper()
		logged := data[logData](t, w.call("log", nil)).Commits[0].Refs
		shown := data[showData](t, w.call("show", nil)).Commit.Refs
		if !slices.Equal(logged, shown) {
			t.Errorf("log %q, show %q", logged, shown)
		}
		return strings.Join(logged, ", ")
	}
	const want = "HEAD -> main, tag: v1, origin/main"
	if got := refs(); got != want {
		t.Error(got)
	}
	for _, setting := range [][2]string{{"log.decorate", "full"}, {"log.decorate", "no"}, {"log.excludeDecoration", "refs/tags"}, {"log.initialDecorationSet", "all"}} {
		w.git("config", setting[0], setting[1])
		if got := refs(); got != want {
			t.Errorf("%s: %s", setting, got)
		}
		w.git("config", "--unset", setting[0])
	}
	w.git("checkout", "-q", "--detach")
	if got := refs(); got != "HEAD, tag: v1, origin/main, main" {
		t.Error(got)
	}
}

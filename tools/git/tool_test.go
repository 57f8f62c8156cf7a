package git

import "testing"

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	if n := len(tool.Actions); n != 31 {
		t.Errorf("%d actions, want the 29 of the family, add and restore", n)
	}
	t.Logf("schema %d bytes, description %d", len(tool.Schema(false)), len(tool.Description))
}

func TestFirstSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call("init", nil)
	w.write("a.txt", "one\n")
	s := data[statusData](t, w.call("status", nil))
	if s.Branch != "main" || !s.Unborn || len(s.Untracked) != 1 || s.Untracked[0] != "a.txt" || s.Clean {
		t.Errorf("status of a new repository: %+v", s)
	}
	w.call("add", args{"files": []string{"a.txt"}})
	c := data[commitData](t, w.call("commit", args{"message": "first"}))
	if c.Files != 1 || c.Branch != "main" || c.Subject != "first" {
		t.Errorf("commit: %+v", c)
	}
	l := data[logData](t, w.call("log", nil))
	if len(l.Commits) != 1 || l.Commits[0].Hash != c.Hash || l.Commits[0].Author != "Ann Ash" || l.Commits[0].Refs[0] != "HEAD -> main" {
		t.Errorf("log: %+v", l)
	}
	if s := data[statusData](t, w.call("status", nil)); !s.Clean || s.Head != c.Hash {
		t.Errorf("status: %+v", s)
	}
}

package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// reads are calls of every reading action, each of which must start nothing that the repository names.
var reads = []struct {
	action string
	args   args
}{
	{"status", nil}, {"status", args{"all": true}}, {"diff", nil}, {"diff", args{"staged": true}}, {"diff", args{"ref": "HEAD~1"}},
	{"log", nil}, {"log", args{"all": true, "files": []string{"a.txt"}, "grep": "x"}}, {"show", nil}, {"show", args{"ref": "HEAD:a.txt"}}, {"show", args{"ref": "v1"}},
	{"blame", args{"files": []string{"a.txt"}}}, {"branch", args{"all": true}}, {"stash", nil}, {"stash", args{"sub_action": "show"}},
	{"tag", nil}, {"remote", nil}, {"worktree", nil}, {"bisect", nil}, {"reflog", nil}, {"config", nil}, {"config", args{"key": "user.name"}},
	{"shortlog", nil}, {"rev_parse", nil}, {"describe", nil}, {"clean", nil}, {"reset", args{"mode": "hard", "dry_run": true}},
	{"checkout", args{"files": []string{"a.txt"}, "dry_run": true}}, {"merge", args{"ref": "v1", "dry_run": true}},
}

// trapped makes a repository with all that reading looks at, and then a trap: a program that leaves a mark.
func trapped(t *testing.T, set func(w *world, trap string)) *world {
	w := newRepo(t)
	w.write(".gitattributes", "*.txt diff=evil filter=evil merge=evil\n")
	w.commit("one", "a.txt", "1\n")
	w.git("tag", "-a", "-m", "v", "v1")
	w.commit("two", "a.txt", "2\n")
	w.write("a.txt", "stashed\n")
	w.git("stash")
	w.write("a.txt", "changed\n")
	w.write("new.txt", "n\n")
	w.git("add", "-N", "new.txt")
	trap := w.script(w.dir, ".git/trap", `touch "`+filepath.Join(w.dir, "pwn")+`"; cat`)
	set(w, trap)
	// Stat differs, content does not: git reads the file again.
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir, ".gitattributes"), old, old); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestReadingRunsNoProgramOfTheRepository(t *testing.T) {
	t.Parallel()
	traps := map[string]func(w *world, trap string){
		"core.fsmonitor": func(w *world, trap string) { w.git("config", "core.fsmonitor", trap) },
		"core.hooksPath": func(w *world, trap string) { hooks(w, trap, "hk"); w.git("config", "core.hooksPath", "hk") },
		"hooks":          func(w *world, trap string) { hooks(w, trap, ".git/hooks") },
		"diff.external":  func(w *world, trap string) { w.git("config", "diff.external", trap) },
		"diff driver":    func(w *world, trap string) { w.git("config", "diff.evil.command", trap) },
		"textconv":       func(w *world, trap string) { w.git("config", "diff.evil.textconv", trap) },
		"filter clean":   func(w *world, trap string) { w.git("config", "filter.evil.clean", trap) },
		"filter process": func(w *world, trap string) { w.git("config", "filter.evil.process", trap) },
		"filter required": func(w *world, trap string) {
			w.git("config", "filter.evil.clean", trap)
			w.git("config", "filter.evil.required", "true")
		},
		"filter smudge": func(w *world, trap string) { w.git("config", "filter.evil.smudge", trap) },
		"included filter": func(w *world, trap string) {
			w.write(".git/more", "[filter \"evil\"]\n\tclean = "+trap+"\n")
			w.git("config", "include.path", "more")
		},
		"worktree config": func(w *world, trap string) {
			w.git("config", "extensions.worktreeConfig", "true")
			w.write(".git/config.worktree", "[filter \"evil\"]\n\tclean = "+trap+"\n[core]\n\tfsmonitor = "+trap+"\n")
		},
		"gpg": func(w *world, trap string) {
			w.git("config", "log.showSignature", "true")
			w.git("config", "gpg.program", trap)
			sign(w)
		},
		"pager":  func(w *world, trap string) { w.git("config", "core.pager", trap); w.git("config", "pager.log", trap) },
		"editor": func(w *world, trap string) { w.git("config", "core.editor", trap) },
		"alias": func(w *world, trap string) {
			w.git("config", "alias.status", "!"+trap)
			w.git("config", "alias.log", "!"+trap)
		},
		"sshCommand":   func(w *world, trap string) { w.git("config", "core.sshCommand", trap) },
		"alternates":   func(w *world, trap string) { w.git("config", "core.alternateRefsCommand", trap) },
		"merge driver": func(w *world, trap string) { w.git("config", "merge.evil.driver", trap) },
		"trailer":      func(w *world, trap string) { w.git("config", "trailer.x.cmd", trap) },
		"credentials":  func(w *world, trap string) { w.git("config", "credential.helper", "!"+trap) },
	}
	for name, set := range traps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trapped(t, set)
			for _, r := range reads {
				out := w.try(r.action, r.args)
				if w.has("pwn") {
					t.Fatalf("%s %v ran the trap", r.action, r.args)
				}
				if !out.Envelope.OK && r.action != "merge" {
					t.Errorf("%s %v: %v", r.action, r.args, out.Envelope.Error)
				}
			}
		})
	}
}

// TestTrapsWork makes sure that the traps above would go off: a plain git falls into them.
func TestTrapsWork(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		set func(w *world, trap string)
		git []string
	}{
		"core.fsmonitor": {func(w *world, trap string) { w.git("config", "core.fsmonitor", trap) }, []string{"status"}},
		"hooks":          {func(w *world, trap string) { hooks(w, trap, ".git/hooks") }, []string{"status"}},
		"diff.external":  {func(w *world, trap string) { w.git("config", "diff.external", trap) }, []string{"diff"}},
		"textconv":       {func(w *world, trap string) { w.git("config", "diff.evil.textconv", trap) }, []string{"diff"}},
		"filter clean":   {func(w *world, trap string) { w.git("config", "filter.evil.clean", trap) }, []string{"diff"}},
		"gpg": {func(w *world, trap string) {
			w.git("config", "log.showSignature", "true")
			w.git("config", "gpg.program", trap)
			sign(w)
		}, []string{"log"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trapped(t, one.set)
			w.gitAny(one.git...)
			if !w.has("pwn") {
				t.Error("the trap did not go off: the test above proves nothing")
			}
		})
	}
}

func hooks(w *world, trap, dir string) {
	text, err := os.ReadFile(trap)
	if err != nil {
		w.Fatal(err)
	}
	for _, name := range []string{"post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"} {
		w.script(w.dir, filepath.Join(dir, name), strings.TrimPrefix(string(text), "#!/bin/sh\n"))
	}
}

// sign gives HEAD a signature that a gpg program would be asked about.
func sign(w *world) {
	body := w.git("cat-file", "commit", "HEAD")
	head, message, _ := strings.Cut(body, "\n\n")
	w.write(".git/signed", head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n xxxx\n -----END PGP SIGNATURE-----\n\n"+message)
	hash := strings.TrimSpace(w.git("hash-object", "-t", "commit", "-w", ".git/signed"))
	w.git("-c", "core.hooksPath=/dev/null", "update-ref", "HEAD", hash)
}

func TestUsersOwnFiltersStay(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.file(w.home, ".gitconfig", "[user]\n\tname = Ann\n\temail = a@b\n[filter \"lfs\"]\n\tclean = \"sed s/real/pointer/\"\n\tsmudge = \"sed s/pointer/real/\"\n\trequired = true\n")
	w.write(".gitattributes", "*.big filter=lfs\n")
	w.git("config", "filter.lfs.clean", "sed s/real/evil/") // local: must not win
	w.git("config", "filter.lfs.required", "true")
	w.write("x.big", "real\n")
	w.git("-c", "filter.lfs.clean=sed s/real/pointer/", "add", ".")
	w.git("commit", "-qm", "one")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir, "x.big"), later, later); err != nil {
		t.Fatal(err)
	}
	if s := data[statusData](t, w.call("status", nil)); !s.Clean {
		t.Errorf("a file behind the user's own filter is shown as changed: %+v", s.Unstaged)
	}
}

func TestSubmoduleIsLookedIntoWithItsProgramsOff(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	sub := filepath.Join(w.dir, "up")
	w.git("init", "-q", "up")
	w.file(sub, "s", "1\n")
	w.gitIn(sub, "add", ".")
	w.gitIn(sub, "commit", "-qm", "s")
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./up", "sub dir")
	w.write(".gitignore", "up/\n")
	w.commit("with submodule")
	in := filepath.Join(w.dir, "sub dir")
	state := func() (statusData, string) {
		s := data[statusData](t, w.call("status", nil))
		if len(s.Submodules) != 1 {
			t.Fatalf("submodules: %+v", s.Submodules)
		}
		return s, s.Submodules[0].State
	}
	if s, got := state(); got != "clean" || !s.Clean {
		t.Errorf("clean submodule: %q %+v", got, s)
	}
	trap := w.script(w.dir, ".git/trap", `touch "`+filepath.Join(w.dir, ".git", "pwn")+`"; cat`)
	w.gitIn(in, "config", "core.fsmonitor", trap)
	w.gitIn(in, "config", "filter.x.clean", trap)
	w.file(in, ".git-attributes", "")
	if _, got := state(); got != "untracked" {
		t.Errorf("untracked content: %q", got)
	}
	w.file(in, ".gitattributes", "* filter=x\n")
	w.file(in, "s", "2\n")
	s, got := state()
	if got != "modified" || s.Clean || s.Unstaged[len(s.Unstaged)-1].Path != "sub dir" {
		t.Errorf("dirty submodule: %q %+v", got, s)
	}
	w.call("diff", nil)
	w.call("status", args{"path": "sub dir"})
	if w.has(".git/pwn") {
		t.Error("a program of the submodule ran")
	}
	if err := os.RemoveAll(in); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(in, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, got := state(); got != "not_initialised" {
		t.Errorf("empty submodule: %q", got)
	}
	w.file(in, ".git", "gitdir: "+w.out+"\n")
	if _, got := state(); got != "unknown" {
		t.Errorf("a submodule whose git folder is outside: %q", got)
	}
}

func TestSubmoduleWithNewCommits(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	sub := filepath.Join(w.dir, "sub")
	w.git("init", "-q", "sub")
	w.gitIn(sub, "commit", "-q", "--allow-empty", "-m", "1")
	w.git("add", "sub")
	w.git("commit", "-qm", "one")
	w.gitIn(sub, "commit", "-q", "--allow-empty", "-m", "2")
	s := data[statusData](t, w.call("status", nil))
	if len(s.Unstaged) != 1 || s.Unstaged[0] != (entry{Path: "sub", Status: "new_commits"}) {
		t.Errorf("status: %+v", s.Unstaged)
	}
	d := data[diffData](t, w.call("diff", nil))
	if len(d.Files) != 1 || !d.Files[0].Submodule || d.Files[0].Additions != 1 {
		t.Errorf("diff: %+v", d.Files)
	}
}

func TestPartialCloneFetchesNothing(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a.txt", "1\n")
	w.commit("two", "a.txt", "2\n")
	w.git("config", "uploadpack.allowFilter", "true")
	w.git("clone", "-q", "--filter=blob:none", "file://"+w.dir, "part")
	part := filepath.Join(w.dir, "part")
	trap := w.script(w.dir, ".git/trap", `touch "`+filepath.Join(w.dir, ".git", "pwn")+`"; exit 1`)
	w.gitIn(part, "config", "core.sshCommand", trap)
	w.gitIn(part, "config", "remote.origin.url", "ssh://example.org/x")
	w.fails(tools.Unsupported, "diff", args{"path": "part", "ref": "HEAD~1"})
	w.call("status", args{"path": "part"})
	w.call("log", args{"path": "part"})
	if w.has(".git/pwn") {
		t.Error("the ssh command ran")
	}
}

func TestWritingKeepsHooks(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.script(w.dir, ".git/hooks/pre-commit", "echo no way >&2; exit 1")
	w.write("a", "1")
	w.call("add", args{"all": true})
	out := w.fails(tools.ExitNonzero, "commit", args{"message": "x"})
	if !strings.Contains(out.Envelope.Error.Message, "no way") {
		t.Errorf("the hook's words are missing: %s", out.Envelope.Error.Message)
	}
	w.call("commit", args{"message": "x", "no_verify": true})
}

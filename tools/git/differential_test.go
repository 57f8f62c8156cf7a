package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// history makes a repository of files and commits with fast-import, the same for the same numbers.
func history(t testing.TB, w *world, dir string, files, commits int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	name := func(i int) string { return fmt.Sprintf("dir%d/sub %d/file%d.txt", i%17, i%5, i) }
	blob := func(i, n int) {
		var text bytes.Buffer
		for l := range 20 {
			fmt.Fprintf(&text, "file %d line %d\n", i, l+n*((l+n)%7/6))
		}
		fmt.Fprintf(&b, "data %d\n%s\n", text.Len(), text.Bytes())
	}
	for n := range commits {
		author := fmt.Sprintf("Author %d <a%d@example.org>", n%13, n%13)
		message := fmt.Sprintf("change %d | x\n\nbody of %d\n", n, n)
		branch := "refs/heads/main"
		fmt.Fprintf(&b, "commit %s\nmark :%d\nauthor %s %d +0200\ncommitter %s %d +0000\ndata %d\n%s\n", branch, n+1, author, 1_600_000_000+n*60, author, 1_600_000_000+n*60, len(message), message)
		if n == 0 {
			for i := range files {
				fmt.Fprintf(&b, "M 100644 inline \"%s\"\n", name(i))
				blob(i, 0)
			}
			continue
		}
		if n%50 == 0 && n > 60 {
			fmt.Fprintf(&b, "merge :%d\n", n-30)
		}
		for range 3 {
			i := rnd.IntN(files)
			fmt.Fprintf(&b, "M 100644 inline \"%s\"\n", name(i))
			blob(i, n)
		}
		if n%40 == 7 {
			i := rnd.IntN(files)
			fmt.Fprintf(&b, "M 100644 inline \"%s\"\n", name(i))
			blob(i, n)
			fmt.Fprintf(&b, "R \"%s\" \"moved %d/file%d\"\n", name(i), n%3, n)
		}
		if n%100 == 99 {
			fmt.Fprintf(&b, "reset refs/heads/topic/%d\nfrom :%d\n\n", n, n-5)
		}
	}
	w.gitIn(dir, "init", "-q", ".")
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, w.env, &b
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
	w.gitIn(dir, "reset", "-q", "--hard", "main")
}

// TestAgainstPlumbing compares the reading actions with git's plumbing on this checkout and on a made history.
func TestAgainstPlumbing(t *testing.T) {
	t.Parallel()
	t.Run("made", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		history(t, w, w.dir, 200, 400)
		compare(t, w)
	})
	t.Run("this checkout", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
		if err != nil {
			t.Skip("not in a checkout")
		}
		w.git("config", "--global", "safe.directory", "*")
		w.git("clone", "-q", "--no-local", strings.TrimSpace(string(top)), ".")
		compare(t, w)
	})
}

func compare(t *testing.T, w *world) {
	compareLog(t, w)
	compareDiff(t, w)
	compareBlame(t, w)
	compareBranches(t, w)
	compareStatus(t, w)
}

func fields(out, sep string) []string {
	out = strings.TrimSuffix(out, sep)
	if out == "" {
		return nil
	}
	return strings.Split(out, sep)
}

func compareLog(t *testing.T, w *world) {
	t.Helper()
	l := data[logData](t, w.call("log", args{"limit": 300, "max_chars": 1 << 24}))
	lines := fields(w.git("rev-list", "--max-count=300", "--parents", "HEAD"), "\n")
	if len(l.Commits) != len(lines) {
		t.Fatalf("log gives %d commits, rev-list %d", len(l.Commits), len(lines))
	}
	for i, c := range l.Commits {
		if got := strings.Join(append([]string{c.Hash}, c.Parents...), " "); got != lines[i] {
			t.Fatalf("commit %d is %s, want %s", i, got, lines[i])
		}
		if i%10 != 0 {
			continue
		}
		head, message, _ := strings.Cut(w.git("cat-file", "commit", c.Hash), "\n\n")
		_, author, _ := strings.Cut(head, "\nauthor ")
		author, _, _ = strings.Cut(author, "\n")
		f := strings.Split(author, " ")
		at, _ := strconv.ParseInt(f[len(f)-2], 10, 64)
		who := strings.Join(f[:len(f)-2], " ")
		if want := fmt.Sprintf("%s <%s>", c.Author, c.Email); want != who || c.Date != zoned(at, f[len(f)-1]) {
			t.Errorf("commit %s: %s %s, want %s", c.Hash, want, c.Date, author)
		}
		if got := strings.TrimRight(c.Subject+"\n\n"+c.Body, "\n"); got != strings.TrimRight(message, "\n") {
			t.Errorf("commit %s: message %q, want %q", c.Hash, got, message)
		}
	}
	file := fields(w.git("ls-files", "-z"), "\x00")[0]
	if got, want := len(data[logData](t, w.call("log", args{"files": []string{file}, "limit": 1000, "max_chars": 1 << 24})).Commits), len(fields(w.git("rev-list", "HEAD", "--", file), "\n")); got != want {
		t.Errorf("log of %s: %d commits, want %d", file, got, want)
	}
}

func compareDiff(t *testing.T, w *world) {
	t.Helper()
	commits := fields(w.git("rev-list", "--first-parent", "HEAD"), "\n")
	for i := 0; i < len(commits)-1; i += max(1, len(commits)/12) {
		for _, j := range []int{i + 1, len(commits) - 1} {
			a, b := commits[j], commits[i]
			d := data[diffData](t, w.call("diff", args{"ref": a + ".." + b, "limit": 100000, "max_chars": 1 << 24}))
			var got []string
			for _, f := range d.Files {
				counts := fmt.Sprintf("%d\t%d", f.Additions, f.Deletions)
				if f.Binary {
					counts = "-\t-"
				}
				name := f.Path
				if f.OldPath != "" {
					name = f.OldPath + " => " + name
				}
				got = append(got, fmt.Sprintf("%c %s\t%s", letter(f.Status), counts, name))
			}
			var want []string
			stat := fields(w.git("diff-tree", "-r", "-M", "-z", "--numstat", a, b), "\x00")
			raw := fields(w.git("diff-tree", "-r", "-M", "-z", "--name-status", a, b), "\x00")
			for len(stat) > 0 {
				counts, name := stat[0], raw[1]
				status, n, s := raw[0][:1], 2, 1
				if status == "R" {
					name, n, s = raw[1]+" => "+raw[2], 3, 3
				} else {
					counts = counts[:strings.LastIndexByte(counts, '\t')+1]
				}
				want = append(want, fmt.Sprintf("%s %s\t%s", status, strings.TrimSuffix(counts, "\t"), name))
				stat, raw = stat[s:], raw[n:]
			}
			if !slices.Equal(got, want) {
				t.Fatalf("diff %s..%s:\n%s\nwant\n%s", a, b, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

func compareBlame(t *testing.T, w *world) {
	t.Helper()
	files := fields(w.git("ls-files", "-z"), "\x00")
	for i := 0; i < len(files); i += max(1, len(files)/15) {
		out := w.try("blame", args{"files": []string{files[i]}, "limit": 100000, "max_chars": 1 << 24})
		b := data[blameData](t, out)
		var want []string
		for _, line := range fields(w.git("blame", "-l", "-s", "--root", "--", files[i]), "\n") {
			want = append(want, strings.TrimPrefix(line[:40], "^"))
		}
		var got []string
		for _, l := range b.Lines {
			got = append(got, l.Hash)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("blame %s: %d lines, want %d (%v)", files[i], len(got), len(want), out.Envelope.Error)
		}
	}
}

func compareBranches(t *testing.T, w *world) {
	t.Helper()
	d := data[branchData](t, w.call("branch", args{"all": true}))
	var got, want []string
	for _, b := range d.Branches {
		got = append(got, b.Hash+" "+b.Name)
	}
	for _, line := range fields(w.git("show-ref"), "\n") {
		hash, ref, _ := strings.Cut(line, " ")
		for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
			if name, ok := strings.CutPrefix(ref, prefix); ok && !strings.HasSuffix(name, "/HEAD") {
				want = append(want, hash+" "+name)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("branches %q, want %q", got, want)
	}
}

// compareStatus makes a mess and compares with the three comparisons that a status consists of.
func compareStatus(t *testing.T, w *world) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 4))
	files := fields(w.git("ls-files", "-z"), "\x00")
	for range 40 {
		name := files[rnd.IntN(len(files))]
		full := filepath.Join(w.dir, name)
		switch rnd.IntN(6) {
		case 0:
			os.Remove(full)
		case 1:
			w.write(name, "changed\n")
			w.git("add", "--", name)
		case 2:
			w.write(name, "changed again\n")
		case 3:
			if _, err := os.Lstat(full); err == nil {
				os.Chmod(full, 0o755)
			}
		case 4:
			w.write(name+" new", "x")
			w.write(filepath.Join("new dir", name), "x")
		case 5:
			w.git("rm", "-q", "--cached", "--ignore-unmatch", "--", name)
		}
	}
	s := data[statusData](t, w.call("status", args{"limit": 100000, "max_chars": 1 << 24}))
	lists := func(entries []entry) (list []string) {
		for _, e := range entries {
			if e.OldPath != "" { // plumbing without -M
				list = append(list, "D "+e.OldPath, "A "+e.Path)
				continue
			}
			list = append(list, string(letter(e.Status))+" "+e.Path)
		}
		slices.Sort(list)
		return list
	}
	plumbing := func(args ...string) (list []string) {
		f := fields(w.git(args...), "\x00")
		for i := 0; i+1 < len(f); i += 2 {
			list = append(list, f[i]+" "+f[i+1])
		}
		slices.Sort(list)
		return list
	}
	w.gitAny("update-index", "-q", "--refresh") // diff-files itself trusts stale stat data
	if got, want := lists(s.Staged), plumbing("diff-index", "--cached", "--name-status", "-z", "HEAD"); !slices.Equal(got, want) {
		t.Errorf("staged %q, want %q", got, want)
	}
	if got, want := lists(s.Unstaged), plumbing("diff-files", "--name-status", "-z"); !slices.Equal(got, want) {
		t.Errorf("unstaged %q, want %q", got, want)
	}
	want := fields(w.git("ls-files", "--others", "--exclude-standard", "-z"), "\x00")
	slices.Sort(want)
	slices.Sort(s.Untracked)
	if !slices.Equal(s.Untracked, want) {
		t.Errorf("untracked %q, want %q", s.Untracked, want)
	}
}

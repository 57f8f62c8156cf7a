package tree

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// plant writes files; a name that ends with a slash is a folder.
func plant(tb testing.TB, dir string, files map[string]string) string {
	tb.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(tb, os.MkdirAll(p, 0o755))
			continue
		}
		must(tb, os.MkdirAll(filepath.Dir(p), 0o755))
		must(tb, os.WriteFile(p, []byte(text), 0o644))
	}
	return dir
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// gitIn runs git without any configuration of the machine's.
func gitIn(tb testing.TB, dir string, args ...string) []byte {
	tb.Helper()
	exe, err := exec.LookPath("git")
	if err != nil {
		tb.Skip("git is missing")
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "PATH=" + os.Getenv("PATH"), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("git %v: %v", args, err)
	}
	return out
}

// gitFiles is git's own answer.
func gitFiles(tb testing.TB, dir string) []string {
	out := gitIn(tb, dir, "ls-files", "-co", "--exclude-standard", "-z")
	list := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	if list[0] == "" {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// walkFiles is ours: files and links, as git lists both.
func walkFiles(tb testing.TB, dir, start string, o Options) []string {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	must(tb, err)
	defer root.Close()
	o.Types = File | Link
	var mu sync.Mutex
	var list []string
	st, err := Walk(context.Background(), root, start, o, func(e *Entry) error {
		mu.Lock()
		list = append(list, e.Path())
		mu.Unlock()
		return nil
	})
	must(tb, err)
	if st.SkippedTotal > 0 {
		tb.Errorf("skipped: %v", st.Skipped)
	}
	slices.Sort(list)
	return list
}

func diffLists(tb testing.TB, got, want []string) {
	tb.Helper()
	has := func(list []string, p string) bool {
		_, ok := slices.BinarySearch(list, p)
		return ok
	}
	for _, p := range got {
		if !has(want, p) {
			tb.Errorf("%q is listed, git does not", p)
		}
	}
	for _, p := range want {
		if !has(got, p) {
			tb.Errorf("%q is not listed, git does", p)
		}
	}
}

// A folder that ignores all of itself shows its own content when a walk begins there, not when it comes by.
func TestStartThatIgnoresItself(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{
		".git/HEAD": "ref: x", "a": "needle", "venv/.gitignore": "*\n", "venv/lib/m.py": "needle", "venv/lib/.gitignore": "*.pyc\n", "venv/lib/m.pyc": "needle",
		"half/.gitignore": "*\n!b\n", "half/a": "needle", "half/b": "needle",
	})
	root := openRoot(t, dir)
	for start, want := range map[string]string{".": "a half/b", "venv": "venv/lib/m.py", "venv/lib": "venv/lib/m.py", "half": "half/b"} {
		r, err := Search(t.Context(), root, start, Query{Pattern: "needle"})
		must(t, err)
		var got []string
		for _, h := range r.Hits {
			got = append(got, h.Path)
		}
		if strings.Join(got, " ") != want || r.Stats.StartIgnored != (start[0] == 'v') {
			t.Errorf("%s: %v, ignored %t", start, got, r.Stats.StartIgnored)
		}
		l, err := List(t.Context(), root, start, Options{Types: File, Globs: []string{"*.py"}}, Page{})
		must(t, err)
		if n := len(l.Entries); n != strings.Count(want, ".py") {
			t.Errorf("%s: %d listed", start, n)
		}
	}
}

func TestIgnoreAsGit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		files map[string]string
	}{
		{"plain, anchored, folder only", map[string]string{
			".gitignore": "foo\n/bar\nbaz/\n", "foo": "", "a/foo": "", "bar": "", "a/bar": "", "baz": "", "a/baz/x": "", "qux": "",
		}},
		{"re-included under double star", map[string]string{
			".gitignore": "f/**\n!f/deno.json*\n", "f/deno.json": "", "f/deno.jsonc": "", "f/other": "", "f/sub/deno.json": "",
		}},
		{"folders re-included so that files can be", map[string]string{
			".gitignore": "/*\n!/src/\n!*.md\n/src/**\n!/src/**/\n!/src/**/*.go\n", "src/a.go": "", "src/d/e/b.go": "", "src/d/x.c": "", "top.md": "", "top.go": "", "o/x.md": "",
		}},
		{"nested files and negation across levels", map[string]string{
			".gitignore": "*.log\n!keep.log\n", "a/.gitignore": "!*.log\nb/x.log\n", "a/b/.gitignore": "keep.log\n", "x.log": "", "keep.log": "", "a/y.log": "", "a/b/x.log": "", "a/b/keep.log": "", "a/b/z.log": "",
		}},
		{"nothing below an excluded folder comes back", map[string]string{
			".gitignore": "out/\n!out/keep\n", "out/keep": "", "out/.gitignore": "!*\n", "out/x": "",
		}},
		{"comments, escapes, spaces, tabs", map[string]string{
			".gitignore": "#c\n\\#d\n\\!e\nf \ng\\ \nh\\  \ni\t\n j\n", "#c": "", "#d": "", "!e": "", "f": "", "g ": "", "g": "", "h ": "", "h  ": "", "i": "", "i\t": "", "j": "", " j": "",
		}},
		{"carriage returns and a byte order mark", map[string]string{
			".gitignore": "\xef\xbb\xbfone\r\ntwo\r\n\r\n", "one": "", "two": "", "three": "",
		}},
		{"classes", map[string]string{
			".gitignore": "[!x]y.md\n[a-c]1\n[]-]2\n[[:digit:]]3\n[^a]4\n[a\\-z]5\n[!a-]6\n[[:upper:][:space:]]7\n[z-a]8\n[a-]9\n",
			"xy.md":      "", "zy.md": "", "a1": "", "d1": "", "]2": "", "-2": "", "a2": "", "93": "", "x3": "", "a4": "", "b4": "", "a5": "", "-5": "", "b5": "", "-6": "", "b6": "", "A7": "", " 7": "", "a7": "", "m8": "", "-9": "", "a9": "", "b9": "",
		}},
		{"broken classes and a final backslash match nothing", map[string]string{
			".gitignore": "a[\nb[a\nc\\\n[[:nope:]]d\n[[:alpha]e\n[[a]f\n", "a[": "", "b[a": "", "c\\": "", "c": "", "ad": "", "ae": "", ":e": "", "[e": "", "af": "", "[f": "", "aa": "",
		}},
		{"braces are text", map[string]string{".gitignore": "br{ace}\nx.{a,b}\n", "br{ace}": "", "brace": "", "x.a": "", "x.{a,b}": ""}},
		{"question mark and star stop at a slash", map[string]string{
			".gitignore": "a?b/c\nd/*/e\nf*g/h\n", "a/b/c": "", "axb/c": "", "d/x/e": "", "d/x/y/e": "", "d/e": "", "f/g/h": "", "fxg/h": "",
		}},
		{"question mark is a byte", map[string]string{".gitignore": "?x\n??y\n", "éx": "", "ax": "", "éy": ""}},
		{"double stars", map[string]string{
			".gitignore": "**/a1\na/**/b1\nc/**\nd**\n**e/x\nf/**g\nh/**/\ni**/j\n", "a1": "", "z/a1": "", "a/b1": "", "a/x/y/b1": "", "c/d/e": "", "c2": "", "dd": "", "dx/y": "", "ee/x": "", "y/e/x": "", "f/g": "", "f/xg": "", "f/x/g": "", "h/x": "", "h/y/z": "", "ij": "", "ix/j": "", "i/x/j": "",
		}},
		{"double star behind a literal beginning", map[string]string{
			".gitignore": "a/b**\n!a/bx/keep\nq/x**/y\n", "a/b": "", "a/bx/keep": "", "a/bx/no": "", "a/c": "", "q/x/y": "", "q/xa/b/y": "", "q/xy": "",
		}},
		{"odd slashes", map[string]string{
			".gitignore": "/\n//\nfoo//\nbar//x\n./baz\n../up\n/qux/\n", "foo/x": "", "bar/x": "", "baz": "", "up": "", "qux/x": "", "a/qux/x": "",
		}},
		{"the last line counts", map[string]string{".gitignore": "a\n!a\nb\n!b\nb\n*.x\n!y.x\n*.x/\n", "a": "", "b": "", "y.x": "", "d/y.x/z": ""}},
		{"empty negation and lone stars", map[string]string{".gitignore": "!\n*\n!*/\n!*.go\n", "a.go": "", "a.c": "", "d/b.go": "", "d/b.c": ""}},
		{"hidden files", map[string]string{".gitignore": ".*\n!.gitignore\n!.github/\n", ".env": "", ".github/w.yml": "", ".github/.x": "", "a": ""}},
		{"info/exclude and .gitignore", map[string]string{
			".git/info/exclude": "*.tmp\n/only-top\n!b.log\n", ".gitignore": "!keep.tmp\n*.log\n", "a.tmp": "", "keep.tmp": "", "only-top": "", "d/only-top": "", "b.log": "",
		}},
		{"extensions with more than one dot", map[string]string{".gitignore": "*.tar.gz\n*.\n*~\n", "a.tar.gz": "", "b.gz": "", "c.": "", "d~": "", ".tar.gz": ""}},
		{"case counts", map[string]string{".gitignore": "Foo\n*.TXT\n", "foo": "", "Foo2": "", "a.txt": "", "a.TXT": ""}},
		{"a NUL ends a line", map[string]string{".gitignore": "a\x00b\nc\n", "a": "", "ab": "", "c": ""}},
		{"long patterns", map[string]string{".gitignore": strings.Repeat("?", 70) + "*\n" + strings.Repeat("a", 90) + "[b]\n", strings.Repeat("x", 70): "", strings.Repeat("x", 69): "", strings.Repeat("a", 90) + "b": "", "a": ""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			gitIn(t, dir, "init", "-q")
			plant(t, dir, c.files)
			diffLists(t, walkFiles(t, dir, ".", Options{}), gitFiles(t, dir))
		})
	}
}

func TestIgnoreLinkedIgnoreFileIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"rules": "*\n", "a": ""})
	gitIn(t, dir, "init", "-q")
	if err := os.Symlink("rules", filepath.Join(dir, ".gitignore")); err != nil {
		t.Skip(err)
	}
	root := openRoot(t, dir)
	var n int
	st, err := Walk(t.Context(), root, ".", Options{Workers: 1}, func(*Entry) error { n++; return nil })
	must(t, err)
	if n != 3 || st.SkippedTotal != 1 {
		t.Errorf("%d entries, skipped %v; want all three and the link reported", n, st.Skipped)
	}
}

// Words are chosen so that random patterns meet random names often.
var fuzzWords = []string{"a", "b", "ab", "a.b", "b.a", ".a", "aa", "a b", "é"}

// fuzzTree turns bytes into ignore files over a fixed kind of tree.
func fuzzTree(rules, nested, exclude string) map[string]string {
	files := map[string]string{".gitignore": rules, ".git/info/exclude": exclude, "a/.gitignore": nested}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		name := fuzzWords[rng.IntN(len(fuzzWords))]
		for range rng.IntN(4) {
			name = fuzzWords[rng.IntN(len(fuzzWords))] + "/" + name
		}
		clash := false
		for have := range files {
			if strings.HasPrefix(have, name+"/") || strings.HasPrefix(name, have+"/") || have == name {
				clash = true
			}
		}
		if !clash {
			files[name] = ""
		}
	}
	return files
}

func FuzzIgnore(f *testing.F) {
	for _, s := range [][3]string{
		{"a\n!b", "*.b", ""}, {"/a/*\n!/a/b/", "!aa", "ab"}, {"**/a/**\n!**/b", "[!a]", "!*"}, {"a**/b\n*/a", "\\a\n\\ ", "?"},
		{"*\n!*/\n!*.b", "/*", "a/"}, {"[a-b]*\n![[:alpha:]].b", "**/", "**"}, {"a/**/b\n!a/b", "*a*b*", "**/ab"}, {"a\\\n[a", "[]a]\n[^b", "a\\/b"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, rules, nested, exclude string) {
		if len(rules)+len(nested)+len(exclude) > 400 {
			t.Skip()
		}
		dir := t.TempDir()
		gitIn(t, dir, "init", "-q")
		plant(t, dir, fuzzTree(rules, nested, exclude))
		diffLists(t, walkFiles(t, dir, ".", Options{}), gitFiles(t, dir))
	})
}

// TestIgnoreRandomRulesAsGit does what the fuzz target does over many made-up
// rules, in few git processes.
func TestIgnoreRandomRulesAsGit(t *testing.T) {
	t.Parallel()
	atoms := []string{"a", "b", ".", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^.]", "\\a", "\\*", " ", "**/", "/**", "é", "[[:alpha:]]", "aa", "a.b"}
	rng := rand.New(rand.NewPCG(7, 9))
	made := func() string {
		var b bytes.Buffer
		for range 1 + rng.IntN(5) {
			if rng.IntN(3) == 0 {
				b.WriteByte('!')
			}
			for range 1 + rng.IntN(4) {
				b.WriteString(atoms[rng.IntN(len(atoms))])
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	for range 25 {
		rules, nested, exclude := made(), made(), made()
		dir := t.TempDir()
		gitIn(t, dir, "init", "-q")
		plant(t, dir, fuzzTree(rules, nested, exclude))
		diffLists(t, walkFiles(t, dir, ".", Options{}), gitFiles(t, dir))
		if t.Failed() {
			t.Fatalf("rules %q\nnested %q\nexclude %q", rules, nested, exclude)
		}
	}
}

func TestIgnoreRulesAboveTheStart(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/info/exclude": "*.tmp\n",
		".gitignore": "*.log\n/src/gen/\n!src/deep/x.log\nvendor/\n", "src/.gitignore": "!b.log\nlocal\n",
		"src/deep/a.log": "", "src/deep/b.log": "", "src/deep/x.log": "", "src/deep/local": "", "src/deep/t.tmp": "", "src/deep/y": "",
		"src/gen/z": "", "vendor/p/q.go": "", "vendor/p/q.log": "", "vendor/p/.gitignore": "own\n", "vendor/p/own": "",
	})
	for _, c := range []struct{ start, want string }{
		{"src/deep", "src/deep/b.log src/deep/x.log src/deep/y"},
		{"src", "src/.gitignore src/deep/b.log src/deep/x.log src/deep/y"},
		{"./src//deep/../deep/", "src/deep/b.log src/deep/x.log src/deep/y"},
		// Asked for by name, an excluded folder is walked; the rules above it say nothing more.
		{"vendor", "vendor/p/.gitignore vendor/p/q.go vendor/p/q.log"},
		{"vendor/p", "vendor/p/.gitignore vendor/p/q.go vendor/p/q.log"},
		{"src/gen", "src/gen/z"},
	} {
		if got := strings.Join(walkFiles(t, dir, c.start, Options{}), " "); got != c.want {
			t.Errorf("from %s: %s\nwant %s", c.start, got, c.want)
		}
	}
	st, err := Walk(t.Context(), openRoot(t, dir), "vendor/p", Options{}, func(*Entry) error { return nil })
	if err != nil || !st.StartIgnored {
		t.Errorf("StartIgnored = %v, %v", st.StartIgnored, err)
	}
}

func TestIgnoreNestedRepositories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	plant(t, dir, map[string]string{".gitignore": "*.log\n", "sub/.gitignore": "*.txt\n", "sub/a.log": "", "sub/a.txt": "", "sub/a.go": "", "b.log": "", "fake/.git/": "", "fake/c.log": ""})
	gitIn(t, filepath.Join(dir, "sub"), "init", "-q")
	must(t, os.WriteFile(filepath.Join(dir, "sub/.git/info/exclude"), []byte("own\n"), 0o644))
	plant(t, dir, map[string]string{"sub/own": "", "own": ""})
	got := walkFiles(t, dir, ".", Options{})
	want := []string{".gitignore", "own", "sub/.gitignore", "sub/a.go", "sub/a.log"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	// From inside it is the repository that git sees there.
	var inside []string
	for _, p := range gitFiles(t, filepath.Join(dir, "sub")) {
		inside = append(inside, path.Join("sub", p))
	}
	diffLists(t, walkFiles(t, dir, "sub", Options{}), inside)
}

func TestIgnoreWorktreeUsesExcludeOfCommonFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	main := filepath.Join(dir, "main")
	must(t, os.Mkdir(main, 0o755))
	gitIn(t, main, "init", "-q")
	gitIn(t, main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	gitIn(t, main, "worktree", "add", "-q", "--detach", "../tree")
	must(t, os.WriteFile(filepath.Join(main, ".git/info/exclude"), []byte("*.tmp\n"), 0o644))
	plant(t, dir, map[string]string{"tree/a.tmp": "", "tree/a.go": ""})
	if got := walkFiles(t, dir, "tree", Options{}); !slices.Equal(got, []string{"tree/a.go"}) {
		t.Errorf("under the common root: %q", got)
	}
	// The common folder is out of this root, so its rules cannot be read.
	if got := walkFiles(t, filepath.Join(dir, "tree"), ".", Options{}); !slices.Equal(got, []string{"a.go", "a.tmp"}) {
		t.Errorf("alone: %q", got)
	}
	diffLists(t, walkFiles(t, dir, "tree", Options{}), []string{"tree/" + gitFiles(t, filepath.Join(dir, "tree"))[0]})
}

func TestIgnoreUsersOwnExcludes(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{".gitignore": "!keep.swp\n", "a.swp": "", "keep.swp": "", "d/b.swp": "", "d/c": "", "top": "", "d/top": ""})
	got := walkFiles(t, dir, ".", Options{Excludes: []byte("*.swp\n/top\n")})
	if want := []string{".gitignore", "d/c", "d/top", "keep.swp"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIgnoreLimits(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("x\n", maxIgnoreRules) + "late\n"
	dir := plant(t, t.TempDir(), map[string]string{
		"big/.gitignore": strings.Repeat("#", maxIgnoreBytes+1), "big/a": "",
		"many/.gitignore": many, "many/late": "", "many/x": "",
		"long/.gitignore": strings.Repeat("a", maxPatternBytes+1) + "\nb\n", "long/b": "", "long/c": "",
	})
	var mu sync.Mutex
	var files []string
	st, err := Walk(t.Context(), openRoot(t, dir), ".", Options{Types: File}, func(e *Entry) error {
		mu.Lock()
		defer mu.Unlock()
		if e.Name != ".gitignore" {
			files = append(files, e.Path())
		}
		return nil
	})
	must(t, err)
	slices.Sort(files)
	if want := []string{"big/a", "long/c", "many/late"}; !slices.Equal(files, want) {
		t.Errorf("got %q, want %q", files, want)
	}
	if st.SkippedTotal != 2 || st.Skipped[0].Path != "big/.gitignore" || st.Skipped[1].Path != "many/.gitignore" {
		t.Errorf("skipped %v", st.Skipped)
	}
}

// Patterns made to backtrack must not hold up a walk.
func TestIgnorePatternsCannotRunAway(t *testing.T) {
	t.Parallel()
	g, ok := compileGlob(strings.Repeat("*a", 200)+"b", false)
	if !ok || g.match(bytes.Repeat([]byte("a"), 4000)) {
		t.Error("matched")
	}
	g, ok = compileGlob(strings.Repeat("**/*a*/", 100)+"b", false)
	if !ok || g.match([]byte(strings.Repeat("aaaa/", 500)+"c")) {
		t.Error("matched")
	}
}

// TestIgnoreRealTrees compares whole trees: GOROOT/src and the trees of TREE_BENCH.
func TestIgnoreRealTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	for _, dir := range strings.Split(os.Getenv("TREE_BENCH"), string(filepath.ListSeparator)) {
		if dir == "" {
			t.Skip("set TREE_BENCH to folders with repositories")
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
				t.Skip("no repository")
			}
			diffLists(t, walkFiles(t, dir, ".", Options{}), gitFiles(t, dir))
		})
	}
}

package git

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// repo is a repository that a call has named, with all its folders inside the roots.
type repo struct {
	t     *git
	roots *sandbox.Roots
	c     *tools.Call

	given  string // path as the caller gave it
	top    sandbox.Path
	gitDir sandbox.Path
	common sandbox.Path // gitDir itself but in a linked work tree
	bare   bool
	linked bool   // gitDir is elsewhere: a linked work tree or a submodule
	target string // what the path names below top, slash-separated; "" for top
	isFile bool   // the target is no folder
	asked  bool   // the caller gave a path
	config string // text of the local config files, for a first look

	git      string    // where it is installed, "" when it is not
	unsure   bool      // contained is still to be asked, before anything of the repository is shown
	settings *settings // of git config, read when needed
	warned   string    // said already
	hosts    bool      // an address that was judged is on a host
	folders  bool      // … is a folder
	pushTo   string    // the last one that a push goes to
}

// gitFileMax bounds .git files, commondir and HEAD; configMax the local config.
const (
	gitFileMax = 8 << 10
	configMax  = 1 << 20
)

// open finds the repository that path lies in, without running git. Its top level, its git folder and the common
// folder of a linked work tree must all lie inside the roots.
func (t *git) open(ctx context.Context, c *tools.Call, given string) (*repo, error) {
	r, err := t.openToRead(ctx, c, given)
	if err == nil {
		err = r.settle()
	}
	return r, err
}

// openToRead is open for actions of which all is read by git: whether what lies in the git folder leads out of the
// roots is found out beside its first run, whose output counts only then.
func (t *git) openToRead(ctx context.Context, c *tools.Call, given string) (*repo, error) {
	asked := given != ""
	if !asked {
		given = "."
	}
	given = named(given)
	p, err := c.Roots.Resolve(given)
	if err != nil {
		return nil, err
	}
	r := &repo{t: t, roots: c.Roots, c: c, given: given, asked: asked, unsure: true}
	r.git, _ = t.cfg.Look("git")
	start, rest, err := r.start(p)
	if err != nil {
		return nil, err
	}
	for dir := start; ; {
		found, err := r.at(dir)
		if err != nil {
			return nil, err
		}
		if found {
			break
		}
		up := filepath.Dir(dir.Abs())
		if up == dir.Abs() {
			return nil, notARepository(given)
		}
		next, err := c.Roots.Resolve(up)
		if err != nil {
			return nil, outside(given, up)
		}
		dir = next
	}
	if err := r.readConfig(); err != nil {
		return nil, firstError(r.settle(), err)
	}
	moved := mentions(r.config, "worktree")
	if r.git == "" || moved {
		if err := r.settle(); err != nil {
			return nil, err
		}
	}
	if moved {
		if err := r.movedTop(ctx); err != nil {
			return nil, err
		}
	}
	for _, named := range []string{filepath.Join(start.Abs(), rest), p.Abs()} { // the second, when the work tree is elsewhere
		if rel, err := filepath.Rel(r.top.Abs(), named); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			if r.target = filepath.ToSlash(rel); rel == "." {
				r.target = ""
			}
			break
		}
	}
	return r, overlooked(c)
}

// openFiles is openToRead, with the files that the call names as git takes them.
func (t *git) openFiles(ctx context.Context, c *tools.Call, given string, names []string) (*repo, []string, error) {
	r, err := t.openToRead(ctx, c, given)
	if err != nil {
		return nil, nil, err
	}
	files, err := r.paths(names)
	return r, files, err
}

// openFor is open, with the files that the call names; all tells that the call is about all files that there are.
func (t *git) openFor(ctx context.Context, c *tools.Call, given string, names []string, all bool) (*repo, []string, error) {
	r, err := t.open(ctx, c, given)
	if err != nil {
		return nil, nil, err
	}
	find := r.paths
	if all {
		find = r.scope
	}
	files, err := find(names)
	return r, files, err
}

// start is the folder to look from, through any links: the path, or the nearest one above it that exists, with the rest
// of the path (a file, which may be deleted).
func (r *repo) start(p sandbox.Path) (dir sandbox.Path, rest string, err error) {
	for q := p; ; q = q.Dir() {
		fi, at, err := r.roots.Stat(q)
		if err == nil && fi.IsDir() {
			if r.isFile = q.Rel != p.Rel; r.isFile {
				rest, err = filepath.Rel(q.Abs(), p.Abs())
			}
			if err == nil {
				dir, err = r.roots.Follow(at)
			}
			return dir, rest, err
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && sandbox.KindOf(err) != sandbox.NotDir {
			return q, "", err
		}
		if q.Rel == "." {
			return q, "", notARepository(r.given)
		}
	}
}

// at looks for a repository in one folder, as git does: .git first, then the folder itself as a bare one.
func (r *repo) at(dir sandbox.Path) (bool, error) {
	dot := dir.Join(".git")
	fi, err := r.roots.Lstat(dot)
	switch {
	case err == nil:
		r.top = dir
		if fi.Mode()&fs.ModeSymlink != 0 {
			if fi, _, err = r.roots.Stat(dot); err != nil {
				return false, err
			}
		}
		if fi.IsDir() {
			if r.gitDir, err = r.roots.Follow(dot); err != nil {
				return false, err
			}
			if !r.isGitDir(r.gitDir) {
				return false, nil
			}
		} else if err := r.gitFile(dot); err != nil {
			return false, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	case r.isGitDir(dir):
		r.top, r.gitDir, r.bare = dir, dir, true
		if dir.Base() == ".git" && !r.saysBare(dir) {
			return false, tools.Errorf(tools.InvalidParams, "%s is inside a .git folder; give the work tree", r.given)
		}
	default:
		return false, nil
	}
	r.common = r.gitDir
	text, err := r.line(r.gitDir.Join("commondir"))
	if sandbox.KindOf(err) == sandbox.NotFound {
		return true, nil
	}
	if err != nil {
		return true, err
	}
	// The launcher holds the place of this file with one that says ".": that is no linked work tree.
	r.common, err = r.elsewhere(r.gitDir, strings.TrimRight(text, "\r\n"), "common folder")
	r.linked = r.linked || err == nil && r.common.Abs() != r.gitDir.Abs()
	return true, err
}

func (r *repo) saysBare(dir sandbox.Path) bool {
	text, _ := r.text(dir.Join("config"), configMax)
	return mentions(strings.ReplaceAll(text, " ", ""), "bare=true")
}

// gitFile follows a .git file to the git folder of a linked work tree or a submodule.
func (r *repo) gitFile(dot sandbox.Path) error {
	text, err := r.line(dot)
	if err != nil {
		return err
	}
	to, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if !ok {
		return tools.Errorf(tools.NotFound, "%s is a file, but not one of git; nothing was done", dot.String())
	}
	r.linked = true
	r.gitDir, err = r.elsewhere(dot.Dir(), to, "git folder")
	return err
}

// elsewhere resolves a path that a file of git names, which must stay inside the roots.
func (r *repo) elsewhere(from sandbox.Path, to, what string) (sandbox.Path, error) {
	p, err := reach(r.roots, from.Abs(), to)
	if err != nil {
		return p, tools.Errorf(tools.PermissionDenied, "the %s of %s is %s, which is outside the allowed folders; the user can add it with --allow-path",
			what, r.given, sandbox.Printable(to)).With(tools.Details{Param: "path"})
	}
	return p, nil
}

func (r *repo) isGitDir(dir sandbox.Path) bool {
	for _, name := range []string{"HEAD", "refs"} {
		if _, err := r.roots.Lstat(dir.Join(name)); err != nil {
			return false
		}
	}
	if _, err := r.roots.Lstat(dir.Join("objects")); err == nil {
		return true
	}
	_, err := r.roots.Lstat(dir.Join("commondir"))
	return err == nil
}

// movedTop asks git where the work tree is when the config may say so (core.worktree, as in every submodule).
func (r *repo) movedTop(ctx context.Context) error {
	res, err := r.t.run(ctx, spec{dir: r.top.Abs(), env: r.env(readingEnv...), args: append(readingArgs[:len(readingArgs):len(readingArgs)],
		"rev-parse", "--is-bare-repository", "--show-toplevel")})
	if errors.Is(err, errNoGit) {
		return nil // the embedded backend looks at the config itself
	}
	if err != nil {
		return err
	}
	bare, top, _ := strings.Cut(strings.TrimSuffix(string(res.out), "\n"), "\n")
	if res.code != 0 || bare == "true" || top == "" || top == r.top.Abs() {
		return nil
	}
	p, err := r.roots.Resolve(filepath.FromSlash(top))
	if err == nil {
		p, err = r.roots.Follow(p)
	}
	if err != nil {
		return tools.Errorf(tools.PermissionDenied, "core.worktree of %s is %s, which is outside the allowed folders; ask the user", r.given, sandbox.Printable(top)).
			With(tools.Details{Param: "path"})
	}
	r.top = p
	return nil
}

// text reads a small file.
func (r *repo) text(p sandbox.Path, most int64) (string, error) {
	if _, err := r.roots.Lstat(p); err != nil { // opening what is missing would look for near names
		return "", err
	}
	f, err := r.roots.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	return string(b), err
}

// line reads a file that holds where something is. One that cannot be read whole is refused: git reads it all.
func (r *repo) line(p sandbox.Path) (string, error) {
	text, err := r.text(p, gitFileMax+1)
	switch {
	case err != nil && sandbox.KindOf(err) == sandbox.NotFound:
		return "", err
	case err != nil:
		return "", tools.Errorf(tools.PermissionDenied, "%s cannot be read, so where the repository is is unknown: %v; ask the user", p.String(), err).With(tools.Details{Param: "path"})
	case len(text) > gitFileMax:
		return "", tools.Errorf(tools.PermissionDenied, "%s is larger than %d bytes, so where it leads is unknown; ask the user", p.String(), gitFileMax).With(tools.Details{Param: "path"})
	}
	return text, nil
}

// exists reports whether a file of the git folder is there.
func (r *repo) exists(name string) bool {
	_, err := r.roots.Lstat(r.gitDir.Join(name))
	return err == nil
}

// env is the environment of git in this repository: it may not look for another one above.
func (r *repo) env(extra ...string) []string {
	return append(append(r.t.env(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.top.Abs())), extra...)
}

func (t *git) env() []string { return environ(t.cfg.Environ()) }

// mentions reports whether text holds word, in any case.
func mentions(text, word string) bool {
	return strings.Contains(strings.ToLower(text), word)
}

func notARepository(given string) error {
	return tools.Errorf(tools.NotFound, "%s is in no git repository; give path, or make one with git.init", sandbox.Printable(given)).
		With(tools.Details{Param: "path"})
}

// outside is the answer when the roots end before a repository is found.
func outside(given, up string) error {
	for dir := up; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return tools.Errorf(tools.PermissionDenied, "the repository of %s has its top level at %s, outside the allowed folders; the user can add it with --allow-path",
				sandbox.Printable(given), sandbox.Printable(dir)).With(tools.Details{Param: "path"})
		}
		if dir == filepath.Dir(dir) {
			return notARepository(given)
		}
	}
}

// head reads HEAD: the branch (short), or "" when detached.
func (r *repo) head() (branch string, detached bool) {
	if branch, ok := r.linkedHead(); ok {
		return branch, false
	}
	text, err := r.text(r.gitDir.Join("HEAD"), gitFileMax)
	if err != nil {
		return "", false
	}
	if ref, ok := strings.CutPrefix(strings.TrimSpace(text), "ref: "); ok {
		return strings.TrimPrefix(ref, "refs/heads/"), false
	}
	return "", true
}

// state says what is under way, from git's own files: "" for nothing.
func (r *repo) state() string {
	switch {
	case r.exists("rebase-merge"):
		return "rebase"
	case r.exists("rebase-apply/applying"):
		return "am"
	case r.exists("rebase-apply"):
		return "rebase"
	case r.exists("MERGE_HEAD"):
		return "merge"
	case r.exists("CHERRY_PICK_HEAD"):
		return "cherry_pick"
	case r.exists("REVERT_HEAD"):
		return "revert"
	case r.exists("sequencer"):
		return "sequence"
	case r.exists("BISECT_LOG"):
		return "bisect"
	}
	return ""
}

// place is what every answer says first: the path as given, the top level as other calls take it, and where it is.
type place struct {
	Path     string `json:"path"`
	Resolved string `json:"resolved"`
	Repo     string `json:"repo"`
	Backend  string `json:"backend,omitempty"`
}

func (r *repo) place() place { return placeOf(r.given, r.top) }

func placeOf(given string, top sandbox.Path) place {
	return place{Path: shown(given), Resolved: shown(top.String()), Repo: shown(top.Abs())}
}

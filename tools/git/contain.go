package git

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// readConfig reads the repository's own config files. One that cannot be read whole is refused: git would read it, and
// what it says could not be judged.
func (r *repo) readConfig() error {
	for _, p := range []sandbox.Path{r.common.Join("config"), r.gitDir.Join("config.worktree")} {
		text, err := r.text(p, configMax+1)
		switch {
		case err != nil && sandbox.KindOf(err) == sandbox.NotFound:
			continue
		case err != nil:
			return tools.Errorf(tools.PermissionDenied, "the config of %s cannot be read, so what it would make git do is unknown: %v; ask the user", sandbox.Printable(r.given), err).
				With(tools.Details{Param: "path"})
		case len(text) > configMax:
			return tools.Errorf(tools.TooLarge, "%s is larger than %d bytes; ask the user", p.String(), configMax).With(tools.Details{Param: "path"})
		}
		r.config += text + "\n"
	}
	return nil
}

// partsOf are the folders in a git folder, "" itself, in which git reads whatever has the right name.
var partsOf = []string{"", "objects", "objects/pack", "objects/info", "refs", "info", "rebase-merge", "rebase-apply", "sequencer", "worktrees"}

// notOfGit holds programs and the stores of others: they are reached only by what is confined anyway.
var notOfGit = []string{"hooks", "lfs", "annex"}

// gitReads reports whether git reads a file of its folder by itself: others may stand there for a hook.
func gitReads(name string) bool {
	return strings.Contains(name, "/") || name == strings.ToUpper(name) || slices.Contains([]string{"index", "packed-refs", "shallow", "commondir"}, name)
}

// links lists the links, and the named pipes that git reads, in some folders of dir. A folder that cannot be opened without following one stands for itself.
func (r *repo) links(dir sandbox.Path, parts []string) ([]string, error) {
	root, rel, err := r.roots.Sub(dir)
	if err != nil {
		return nil, err
	}
	held, err := root.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	var links, more []string
	err = tree.Look(held, parts, func(part, name string, typ fs.FileMode) {
		if name := path.Join(part, name); (typ == fs.ModeSymlink || typ == fs.ModeNamedPipe && gitReads(name)) && !slices.Contains(notOfGit, name) {
			links = append(links, name)
		} else if part == "worktrees" && typ == fs.ModeDir {
			more = append(more, name)
		}
	}, func(part string, err error) {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			links = append(links, part) // or what lies behind a link
		}
	})
	if err == nil && len(more) > 0 {
		inner, err := r.links(dir, more)
		return append(links, inner...), err
	}
	return links, err
}

// settle refuses a repository that is not contained, if that is not known yet.
func (r *repo) settle() error {
	if !r.unsure {
		return nil
	}
	err := r.contained()
	r.unsure = err != nil
	return err
}

// beside is one run of git that reads, with settle at the same time: git waits for nobody then, not even where a pipe
// stands in its way.
func (r *repo) beside(ctx context.Context, s spec) (result, error) {
	if !r.unsure {
		return r.t.run(ctx, s)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	settle := sync.OnceValue(func() error {
		err := r.settle()
		if err != nil {
			cancel()
		}
		return err
	})
	s.started = func() { go settle() }
	res, err := r.t.run(ctx, s)
	if no := settle(); no != nil {
		return result{}, no
	}
	return res, err
}

// contained refuses a repository whose git folder takes its objects or refs, or anything else, from outside the roots.
func (r *repo) contained() error {
	l := &look{r: r, seen: map[string]int{}}
	for _, dir := range []sandbox.Path{r.gitDir, r.common} {
		if err := l.noLinksOut(dir, "", partsOf, 0); err != nil {
			return err
		}
		if dir.Abs() == r.common.Abs() {
			break
		}
	}
	for _, name := range []string{".gitignore", ".gitattributes", ".mailmap"} {
		if fi, err := r.roots.Lstat(r.top.Join(name)); err == nil && fi.Mode()&fs.ModeNamedPipe != 0 {
			return r.waits(name)
		}
	}
	return l.alternates(r.common.Join("objects"), 0)
}

// waits refuses a repository in which git would wait for ever for one who writes into a pipe.
func (r *repo) waits(name string) error {
	return tools.Errorf(tools.PermissionDenied, "%s of the repository %s is a named pipe, in which git would wait for a writer; nothing was done: ask the user to remove it", shown(name), sandbox.Printable(r.given)).
		With(tools.Details{Param: "path"})
}

// look is one search for what leads out of the roots.
type look struct {
	r    *repo
	seen map[string]int // folders and files of alternates, with the least depth that they were met at
	n    int            // links and entries of alternates followed
}

// maxFollowed bounds the links and alternates of a repository: more are no work of git's.
const maxFollowed = 2000

// again reports whether a place was looked at before, from no deeper: all that it leads to is known then.
func (l *look) again(place string, depth int) bool {
	before, met := l.seen[place]
	if met && before <= depth {
		return true
	}
	l.seen[place] = depth
	return false
}

// follow counts what is followed.
func (l *look) follow(where string) error {
	if l.n++; l.n > maxFollowed {
		return tools.Errorf(tools.PermissionDenied, "the git folder of %s holds more than %d links or alternates (%s): where all lead is unknown; ask the user", sandbox.Printable(l.r.given), maxFollowed, shown(where)).
			With(tools.Details{Param: "path"})
	}
	return nil
}

// noLinksOut refuses links that lead out of the roots, at once or by further ones.
func (l *look) noLinksOut(dir sandbox.Path, where string, parts []string, depth int) error {
	r := l.r
	links, err := r.links(dir, parts)
	if err != nil {
		return err
	}
	for _, name := range links {
		if err := l.follow(name); err != nil {
			return err
		}
		p, err := r.roots.Follow(dir.Join(name))
		if sandbox.KindOf(err) == sandbox.Denied {
			return r.leadsOutside(path.Join(where, name), "a link")
		}
		fi, _, serr := r.roots.Stat(p)
		if err != nil || serr != nil {
			continue
		}
		if fi.Mode()&fs.ModeNamedPipe != 0 {
			return r.waits(path.Join(where, name))
		}
		if !fi.IsDir() {
			continue
		}
		if depth == maxAlternates {
			return r.leadsOutside(path.Join(where, name), "the beginning of too many links, one")
		}
		if l.again("links "+p.Abs(), depth) {
			continue
		}
		if err := l.noLinksOut(p, path.Join(where, name), objectParts, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// objectParts are the folders in one of objects.
var objectParts = []string{"", "pack", "info"}

// maxAlternates is how deep git follows the files that say where more objects are.
const maxAlternates = 5

// alternates refuses a folder of objects that takes more from outside the roots, itself or through another one.
func (l *look) alternates(objects sandbox.Path, depth int) error {
	r := l.r
	text, err := r.text(objects.Join("info/alternates"), configMax+1)
	if err != nil || depth > maxAlternates || l.again("alternates "+objects.Abs(), depth) {
		return nil
	}
	if len(text) > configMax {
		return tools.Errorf(tools.PermissionDenied, "objects/info/alternates of the repository %s is larger than %d bytes, so where it leads is unknown; ask the user", sandbox.Printable(r.given), configMax).
			With(tools.Details{Param: "path"})
	}
	base, err := r.roots.Follow(objects) // as git does
	if err != nil {
		return nil
	}
	for _, name := range alternatesIn(text) {
		if err := l.follow(name); err != nil {
			return err
		}
		p, err := reach(r.roots, base.Abs(), name)
		if sandbox.KindOf(err) == sandbox.Denied {
			return r.leadsOutside("objects/info/alternates", sandbox.Printable(name))
		}
		if err != nil { // there is none
			continue
		}
		if !l.again("links "+p.Abs(), depth) {
			if err := l.noLinksOut(p, name, objectParts, depth); err != nil && !errors.Is(err, fs.ErrNotExist) && sandbox.KindOf(err) != sandbox.NotFound {
				return err
			}
		}
		if err := l.alternates(p, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// alternatesIn are the entries of a file of alternates, parted as git does it: one begins behind the closing quote of
// another and what follows that, whatever it is.
func alternatesIn(text string) []string {
	text, _, _ = strings.Cut(text, "\x00")
	var list []string
	for text != "" {
		name, rest, _ := strings.Cut(text, "\n")
		if text[0] == '"' {
			end := closingQuote(text)
			if quoted, ok := unquote(text[:end+1]); ok {
				name, rest = quoted, text[end+1:]
				if rest != "" {
					rest = rest[1:]
				}
			}
		}
		if text[0] != '#' && name != "" {
			list = append(list, name)
		}
		text = rest
	}
	return list
}

// closingQuote is where the quote that text begins with is closed, 0 when it is not.
func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return 0
}

// reach is the place that a name of git's stands for, from the folder base ("" when none is needed). The system goes
// through links before it goes up by "..", some of git goes by the text: both must stay inside the roots.
func reach(roots *sandbox.Roots, base, name string) (sandbox.Path, error) {
	if base != "" && !filepath.IsAbs(name) {
		name = base + string(filepath.Separator) + name
	}
	p, err := roots.Resolve(name)
	if err == nil {
		p, err = roots.Follow(p)
	}
	if err != nil || !filepath.IsAbs(name) || runtime.GOOS == "windows" { // which goes by the text
		return p, err
	}
	walked := walk(name)
	if walked == filepath.Clean(name) {
		return p, nil
	}
	if p, err = roots.Resolve(walked); err == nil {
		p, err = roots.Follow(p)
	}
	return p, err
}

// walk is an absolute name as the system reads it: each ".." leads up from where the links before it have led.
func walk(name string) string {
	volume := filepath.VolumeName(name)
	at := volume + string(filepath.Separator)
	for part := range strings.SplitSeq(filepath.ToSlash(name[len(volume):]), "/") {
		switch part {
		case "", ".":
		case "..":
			if real, err := filepath.EvalSymlinks(at); err == nil {
				at = real
			}
			at = filepath.Dir(at)
		default:
			at = filepath.Join(at, part)
		}
	}
	return at
}

func (r *repo) leadsOutside(name, what string) error {
	return tools.Errorf(tools.PermissionDenied, "%s of the repository %s is %s that leads outside the allowed folders; the user can add the folder with --allow-path",
		name, sandbox.Printable(r.given), what).With(tools.Details{Param: "path"})
}

// contains refuses a local repository that another one is to read from or write to, when its git folder or a part of
// it lies outside the roots. folder itself is known to be inside. What is no repository, git says in its own words.
func (t *git) contains(c *tools.Call, folder string) error {
	for _, name := range []string{folder, folder + ".git"} {
		p, err := c.Roots.Resolve(name)
		if err != nil {
			return err
		}
		if p.Base() == ".git" {
			p = p.Dir()
		}
		fi, p, err := c.Roots.Stat(p)
		if sandbox.KindOf(err) == sandbox.NotFound || err == nil && !fi.IsDir() { // a bundle is a file
			continue
		}
		if err != nil {
			return err
		}
		r := &repo{t: t, roots: c.Roots, c: c, given: name}
		found, err := r.at(p)
		if err == nil && found {
			err = r.contained()
		}
		if err != nil || found {
			return err
		}
	}
	return nil
}

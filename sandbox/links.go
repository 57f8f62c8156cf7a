package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// maxLinks is the number of symbolic links followed for one name.
const maxLinks = 40

// Follow returns where p really is: below a tree, through no link. The last
// names may be missing (a dangling link gives its target). A link that leads out
// of the trees is Denied, more than 40 of them TooManyLinks.
//
// The answer is true when it is given. Whatever is done with it goes through
// os.Root again, so a link put there since cannot lead out either.
func (r *Roots) Follow(p Path) (Path, error) { return r.locate("resolve", p, true) }

// Sub returns the os.Root that the real place of p lies in and its slash path
// there, for a walk that follows no links. The Root belongs to r: do not close it.
func (r *Roots) Sub(p Path) (*os.Root, string, error) {
	q, err := r.Follow(p)
	if err != nil {
		return nil, "", err
	}
	if q.Rel == "." && q.Root.deleted() { // it would look empty
		return nil, "", wrap("list", p, fs.ErrNotExist)
	}
	return q.Root.root, q.Rel, nil
}

// locate is Follow; last tells whether the final name is followed when it is a link.
func (r *Roots) locate(op string, p Path, last bool) (Path, error) {
	s, err := r.walk(op, p, walkOptions{last: last})
	s.close()
	return s.Path, err
}

// spot is a place that walk found, with its folder held open: what is done to
// the name base in dir happens there, even if the folder's own name is given to
// something else meanwhile.
type spot struct {
	Path
	base string   // "." for a root itself
	dir  *os.Root // nil when there is no such folder yet, and gap says why
	gap  Kind     // NotFound or NotDir
	own  bool     // dir is to be closed
}

func (s spot) close() {
	if s.own {
		s.dir.Close()
	}
}

// folder is an error unless the folder is there.
func (s spot) folder(op string) error {
	if s.dir != nil {
		return nil
	}
	why := "its folder does not exist: make it first, or ask for missing folders to be made"
	if s.gap == NotDir {
		why = "a name on the way is a file, not a folder"
	}
	return &PathError{Op: op, Path: s.Given, Kind: s.gap, Reason: why}
}

type walkOptions struct {
	last    bool        // follow the final name when it is a link
	noLinks bool        // a link is an error: the path was link-free a moment ago
	mkdirs  fs.FileMode // make missing folders with this mode; 0: do not
}

// walk goes from the tree to p name by name, each looked at before it is opened
// and compared afterwards, so that it follows exactly the links it sees.
func (r *Roots) walk(op string, p Path, o walkOptions) (spot, error) {
	w := walker{r: r, op: op, given: p.Given, o: o}
	defer w.closeAll()
	if p.Root == nil {
		return spot{}, &PathError{Op: op, Path: p.Given, Kind: Invalid, Err: errNoTree}
	}
	w.enter(p)
	for w.todo != "" {
		var name string
		name, w.todo, _ = strings.Cut(w.todo, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			if err := w.up(); err != nil {
				return spot{}, err
			}
			continue
		}
		final := strings.Trim(w.todo, "/.") == "" && !strings.Contains(w.todo, "..")
		if final && !o.last {
			return w.found(p, name), nil
		}
		fi, err := w.top().Lstat(name)
		switch {
		case isNotFound(err) && !final && o.mkdirs != 0:
			err = w.makeDown(name)
		case isNotFound(err) && final:
			return w.found(p, name), nil
		case isNotFound(err):
			return w.gap(p, name, NotFound)
		case err != nil:
		case isLink(fi):
			err = w.follow(name)
		case final:
			return w.found(p, name), nil
		case !fi.IsDir():
			return w.gap(p, name, NotDir)
		default:
			err = w.down(name, fi)
		}
		if err != nil {
			return spot{}, r.fail(op, p, err)
		}
	}
	if n := len(w.names); n > 0 {
		last := w.names[n-1]
		w.pop()
		return w.found(p, last), nil
	}
	return w.found(p, "."), nil
}

// walker is where a walk stands: below tree, through names, each but the tree
// held open in dirs.
type walker struct {
	r     *Roots
	op    string
	given string
	o     walkOptions

	tree  *Tree
	names []string
	dirs  []*os.Root
	todo  string
	hops  int
}

func (w *walker) top() *os.Root {
	if len(w.dirs) == 0 {
		return w.tree.root
	}
	return w.dirs[len(w.dirs)-1]
}

func (w *walker) enter(p Path) {
	w.closeAll()
	w.tree, w.names, w.todo = p.Root, w.names[:0], p.Rel
}

func (w *walker) pop() {
	n := len(w.dirs) - 1
	w.dirs[n].Close()
	w.dirs, w.names = w.dirs[:n], w.names[:n]
}

func (w *walker) closeAll() {
	for _, d := range w.dirs {
		d.Close()
	}
	w.dirs = w.dirs[:0]
}

func (w *walker) rel(rest ...string) string {
	return path.Join(".", path.Join(w.names...), path.Join(rest...))
}

// up is the name "..", which only the text of a link has.
func (w *walker) up() error {
	if len(w.names) > 0 {
		w.pop()
		return nil
	}
	return w.jump(join(w.tree.slash, "..") + "/" + w.todo)
}

// jump goes on at an absolute path, if it lies in a tree.
func (w *walker) jump(abs string) error {
	p, ok := w.r.place(path.Clean(abs))
	if !ok {
		return w.r.denied(w.op, w.given)
	}
	w.enter(p)
	return nil
}

func (w *walker) follow(name string) error {
	if w.o.noLinks {
		return errMoving
	}
	if w.hops++; w.hops > maxLinks {
		return &PathError{Op: w.op, Path: w.given, Kind: TooManyLinks}
	}
	target, err := w.top().Readlink(name)
	if err != nil {
		return err
	}
	target, abs := linkTarget(target)
	if abs {
		return w.jump(target + "/" + w.todo)
	}
	w.todo = target + "/" + w.todo
	return nil
}

// down opens the folder name, which must still be the one that was seen.
func (w *walker) down(name string, seen fs.FileInfo) error {
	d, err := w.top().OpenRoot(name)
	if err != nil {
		return err
	}
	fi, err := d.Lstat(".")
	if err == nil && os.SameFile(fi, seen) {
		w.dirs, w.names = append(w.dirs, d), append(w.names, name)
		return nil
	}
	d.Close()
	return w.again(name)
}

// makeDown makes the folder name and opens it.
func (w *walker) makeDown(name string) error {
	if err := w.top().Mkdir(name, w.o.mkdirs); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fi, err := w.top().Lstat(name)
	if err != nil || !fi.IsDir() {
		return w.again(name)
	}
	return w.down(name, fi)
}

// again looks at name once more, as often as there may be links.
func (w *walker) again(name string) error {
	if w.hops++; w.hops > maxLinks {
		return errMoving
	}
	w.todo = name + "/" + w.todo
	return nil
}

var errMoving = errors.New("folders on the way are being exchanged: try again")

func (w *walker) found(p Path, base string) spot {
	s := spot{base: base, dir: w.top(), own: len(w.dirs) > 0}
	s.Path = Path{Root: w.tree, Rel: w.rel(base), Given: p.Given, Warning: p.Warning, roots: w.r}
	if s.own {
		w.dirs = w.dirs[:len(w.dirs)-1]
	}
	return s
}

// gap is a place whose folder does not exist: the names to come can only be
// names yet to be made.
func (w *walker) gap(p Path, name string, why Kind) (spot, error) {
	rest := path.Clean(name + "/" + w.todo)
	if !filepath.IsLocal(rest) {
		return spot{}, &PathError{Op: w.op, Path: w.given, Kind: why}
	}
	return spot{Path: Path{Root: w.tree, Rel: w.rel(rest), Given: p.Given, Warning: p.Warning, roots: w.r}, base: path.Base(rest), gap: why}, nil
}

// fail is wrap, with the ways out of os.Root told as Denied.
func (r *Roots) fail(op string, p Path, err error) error {
	if r.isEscape(err) {
		return r.denied(op, p.Given)
	}
	return wrap(op, p, err)
}

func (r *Roots) isEscape(err error) bool {
	return err != nil && r.escapes != nil && errors.Is(err, r.escapes)
}

func isLink(fi fs.FileInfo) bool {
	// Windows junctions are ModeIrregular to Go and links to os.Root.
	return fi.Mode()&fs.ModeSymlink != 0 || runtime.GOOS == "windows" && fi.Mode()&fs.ModeIrregular != 0
}

// linkTarget returns the text of a link with slashes.
func linkTarget(s string) (target string, abs bool) {
	if runtime.GOOS != "windows" {
		return s, strings.HasPrefix(s, "/")
	}
	s = strings.ReplaceAll(s, `\`, "/")
	s = strings.TrimPrefix(s, "//?/")
	s = strings.TrimPrefix(s, "/??/")
	return s, isDrive(s) || strings.HasPrefix(s, "/")
}

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A folder that is wanted as a root may lie where tools write: in another root, or in a folder that commands may write.
// There they can put a link in its place, before the server starts or while it runs, and what that leads to is no root
// for it. So such a folder counts only where it really lies in a root, or in the same folder that commands may write, and
// it is opened from that one's descriptor, out of which no exchange of folders leads.

// want is a folder that is to be opened.
type want struct {
	given    string
	readOnly bool
	temp     bool // the server's own
	area     bool // no root: commands may write it

	abs  string        // as given, absolute
	end  string        // the real folder, "" when there is none
	way  []os.FileInfo // the folders in which a name of the way to it was looked up
	info os.FileInfo   // of end
	tree *Tree         // nil when err says why it is not open
	err  error
}

// wanted lists the folders of cfg in the order of their trees.
func wanted(cfg Config) []*want {
	var list []*want
	add := func(kind want, dirs ...string) {
		for _, dir := range dirs {
			w := kind
			w.given = dir
			list = append(list, &w)
		}
	}
	add(want{}, cfg.Dirs...)
	if cfg.Temp != "" {
		add(want{temp: true}, cfg.Temp)
	}
	add(want{readOnly: true}, cfg.ReadDirs...)
	if cfg.Mode != Off {
		add(want{area: true}, cfg.Writable...)
	}
	return list
}

// settle opens the wanted folders. Those with a short real path come first: what holds another one is open before it.
func (r *Roots) settle(wants []*want, aliases []alias) {
	for _, w := range wants {
		w.look(r.home)
	}
	order := slices.Clone(wants)
	slices.SortStableFunc(order, func(a, b *want) int {
		if c := cmp.Compare(len(a.end), len(b.end)); c != 0 || a.passes(a) == b.passes(b) {
			return c
		} else if b.passes(b) {
			return -1
		}
		return 1
	})
	for _, w := range order {
		var outer *Tree
		if w.err == nil && r.mode != Off {
			outer, w.err = w.outer(order, r.fold)
		}
		if w.err == nil {
			w.tree, w.err = w.open(outer, r.fold, aliases)
		}
	}
}

// look follows the names of w to its real folder.
func (w *want) look(home string) {
	name, _, err := parseName(w.given, home, runtime.GOOS == "windows")
	if err == nil {
		w.abs, err = filepath.Abs(filepath.FromSlash(name))
	}
	if err == nil {
		err = w.trace()
	}
	if err == nil && !w.info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		w.end, w.err = "", w.fault(err)
	}
}

func (w *want) trace() error {
	top := filepath.VolumeName(w.abs) + string(filepath.Separator)
	info, err := os.Lstat(top)
	if err != nil {
		return err
	}
	last := top
	w.way = []os.FileInfo{info}
	w.end, err = trace(top, strings.TrimPrefix(w.abs, top), func(place string, info os.FileInfo, err error) error {
		if err == nil && !isLink(info) {
			last, w.way = place, append(w.way, info)
		}
		return err
	})
	if err != nil {
		return err
	}
	if last == w.end {
		w.way = w.way[:len(w.way)-1]
	}
	if runtime.GOOS == "windows" { // which has more than one spelling of a name
		if w.end, err = filepath.EvalSymlinks(w.end); err != nil {
			return err
		}
	}
	w.info, err = os.Lstat(w.end)
	return err
}

// passes reports whether the way to w leads through a place in the folder u. That in the top of all it may lead through
// itself says nothing: there is no way out.
func (w *want) passes(u *want) bool {
	return (u != w || w.end != "/") && u.info != nil && slices.ContainsFunc(w.way, func(dir os.FileInfo) bool { return os.SameFile(dir, u.info) })
}

// outer is the tree from which w is to be opened, nil when no tool writes to a place on the way to it. It is an error that
// the way leads out of where tools write. Folders that were judged before have a tree or an err.
func (w *want) outer(list []*want, fold bool) (*Tree, error) {
	var through *want
	var outer *Tree
	for _, u := range list {
		if u.err != nil || u.readOnly {
			continue
		}
		passed := w.passes(u)
		if passed && through == nil {
			through = u
		}
		if t := u.tree; t != nil && (passed || !u.area) && below(filepath.ToSlash(w.end), t.slash, fold) && (outer == nil || len(t.slash) > len(outer.slash)) {
			outer = t
		}
	}
	if through == nil || outer != nil {
		return outer, nil
	}
	return nil, w.fault(fmt.Errorf("it leads out of %s, where tools can put links, to %s: the user can name that folder itself if it is meant",
		shown(through.end), shown(w.end)))
}

// open opens the real folder of w, from outer when that is not nil.
func (w *want) open(outer *Tree, fold bool, aliases []alias) (*Tree, error) {
	slash := filepath.ToSlash(w.end)
	var root *os.Root
	var err error
	if outer == nil {
		root, err = os.OpenRoot(w.end)
	} else {
		rel, _ := cutDir(slash, outer.slash, fold)
		root, err = outer.root.OpenRoot(rel + "/.") // the dot: it does not wait for the writer of a pipe
	}
	if err != nil {
		return nil, w.fault(err)
	}
	held, err := root.Stat(".")
	if err == nil && !os.SameFile(held, w.info) {
		err = errMoving
	}
	if err != nil {
		root.Close()
		return nil, w.fault(err)
	}
	t := &Tree{Dir: w.end, ReadOnly: w.readOnly, root: root, held: held, slash: slash}
	t.names = union([]string{slash}, []string{filepath.ToSlash(w.abs)})
	for _, a := range aliases {
		if rest, ok := cutDir(slash, a.target, false); ok {
			t.names = union(t.names, []string{path.Join(a.name, rest)})
		}
	}
	return t, nil
}

// join makes the tree of w one of r, which has each folder once.
func (r *Roots) join(w *want) {
	for _, have := range r.trees {
		if have.slash == w.tree.slash {
			have.names = union(have.names, w.tree.names)
			have.ReadOnly = have.ReadOnly && w.readOnly
			w.tree.root.Close()
			w.tree = have
			return
		}
	}
	w.tree.temp = w.temp
	r.trees = append(r.trees, w.tree)
}

// Moved reports whether the wanted folders are others by now: another folder, or none, stands where one of the roots was
// found, or one that was left out can be opened or is left out for another reason.
func (r *Roots) Moved() bool {
	left := false
	for _, w := range r.wants {
		switch {
		case w.area || w.temp:
		case w.tree == nil:
			left = true
		case w.strays():
			return true
		}
	}
	if !left {
		return false
	}
	again := make([]*want, len(r.wants))
	for i, w := range r.wants {
		again[i] = &want{given: w.given, readOnly: w.readOnly, temp: w.temp, area: w.area}
	}
	r.settle(again, nil)
	moved := false
	for i, w := range again {
		moved = moved || !w.area && !w.temp && !w.like(r.wants[i])
		if w.tree != nil {
			w.tree.root.Close()
		}
	}
	return moved
}

// strays reports whether the name of w leads to another folder than the open one, or that has another place.
func (w *want) strays() bool {
	there, err := os.Stat(w.abs)
	return err != nil || !os.SameFile(there, w.tree.held) || w.abs != w.tree.Dir && w.tree.replaced()
}

// like reports whether both came to the same.
func (w *want) like(u *want) bool {
	if w.err != nil || u.err != nil {
		return w.err != nil && u.err != nil && w.err.Error() == u.err.Error()
	}
	return os.SameFile(w.tree.held, u.tree.held)
}

// RealBase is the real folder that would be the base of relative names in the Roots of cfg, "" when there would be none.
func RealBase(cfg Config) string {
	cfg.Temp = ""
	r := &Roots{fold: folds(cfg), mode: cfg.Mode, home: slashed(cfg.Home)}
	list := wanted(cfg)
	r.settle(list, nil)
	base := ""
	for i, w := range list {
		if w.tree == nil {
			continue
		}
		if i == 0 && !w.readOnly && !w.area {
			base = w.tree.Dir
		}
		w.tree.root.Close()
	}
	return base
}

// fault is err as it is told of w.
func (w *want) fault(err error) error {
	return fmt.Errorf("root %s: %w%s", shown(w.given), cause(err), slip(w.given, err))
}

// maxShown is how much of a path is shown in a message about a root.
const maxShown = 300

func shown(name string) string {
	if len(name) > maxShown {
		name = strings.ToValidUTF8(name[:maxShown], "") + "…"
	}
	return Printable(name)
}

package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

// File is an open file with the Path that was really opened (its Warning tells
// of a near name) and what the file was when it was opened.
type File struct {
	*os.File
	Path Path
	Info fs.FileInfo
}

// Open opens a regular file to read. It never waits: a folder, pipe, socket or
// device is NotRegular at once. When the name does not exist and exactly one
// name differs from it only in odd spaces, Unicode form or case, that one is
// opened and the file's Path has a Warning.
func (r *Roots) Open(p Path) (*File, error) { return r.openNear("read", p, nonblock, true) }

// OpenDir opens a folder for ReadDir, near names as in Open.
func (r *Roots) OpenDir(p Path) (*File, error) {
	return r.openNear("list", p, nonblock|directory, false)
}

func (r *Roots) openNear(op string, p Path, flag int, regular bool) (*File, error) {
	f, err := r.open(op, p, flag, 0, regular)
	if err == nil || KindOf(err) != NotFound {
		return f, err
	}
	q, err := r.nearest(p, err)
	if err != nil {
		return nil, err
	}
	return r.open(op, q, flag, 0, regular)
}

// OpenFile opens a regular file with the flags of package os, perm at most
// 0777. To write, the file and its real place must not be protected or
// read-only; links are written through, except with O_EXCL.
func (r *Roots) OpenFile(p Path, flag int, perm fs.FileMode) (*File, error) {
	const writing = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREATE | os.O_TRUNC
	if flag&writing == 0 {
		return r.open("read", p, flag|nonblock, 0, true)
	}
	s, err := r.target("write", p, flag&os.O_EXCL == 0)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.folder("write"); err != nil {
		return nil, err
	}
	f, err := s.open(flag|nonblock, perm&0o777)
	if err != nil {
		return nil, r.fail("write", p, err)
	}
	file, err := s.check(f)
	if err == nil && flag&os.O_TRUNC != 0 {
		err = wrap("write", p, f.Truncate(0))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return file, nil
}

// open opens the spot itself. A link put there meanwhile is not trusted: os.Root
// would follow it to another place of the tree, perhaps a protected one. So
// nothing is made through one (O_EXCL follows none), and nothing cut before check.
func (s spot) open(flag int, perm fs.FileMode) (f *os.File, err error) {
	flag &^= os.O_TRUNC
	if flag&os.O_EXCL != 0 || flag&os.O_CREATE == 0 {
		return s.dir.OpenFile(s.base, flag, perm)
	}
	for range maxLinks {
		f, err = s.dir.OpenFile(s.base, flag&^os.O_CREATE, 0)
		if !isNotFound(err) {
			return f, err
		}
		f, err = s.dir.OpenFile(s.base, flag|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return f, err
}

// check returns f as the File at the spot, if it is a regular file that has that very name.
func (s spot) check(f *os.File) (*File, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, wrap("write", s.Path, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, notRegular("write", s.Path, fi.Mode())
	}
	named, err := s.dir.Lstat(s.base)
	if err == nil && !os.SameFile(fi, named) {
		err = errMoving
	}
	if err != nil {
		return nil, wrap("write", s.Path, err)
	}
	return &File{File: f, Path: s.Path, Info: fi}, nil
}

func (r *Roots) open(op string, p Path, flag int, perm fs.FileMode, regular bool) (*File, error) {
	if p.Root == nil {
		return nil, &PathError{Op: op, Path: p.Given, Kind: Invalid, Err: errNoTree}
	}
	if err := r.checkDevice(op, p, regular); err != nil {
		return nil, err
	}
	f, err := p.Root.root.OpenFile(p.Rel, flag, perm)
	if r.relocates(err) {
		q, lerr := r.locate(op, p, true)
		if lerr != nil {
			return nil, lerr
		}
		p = q
		if err = r.checkDevice(op, p, regular); err != nil {
			return nil, err
		}
		f, err = p.Root.root.OpenFile(p.Rel, flag, perm)
	}
	if err != nil {
		return nil, r.fail(op, p, err)
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
		err = wrap(op, p, err)
	case regular && !fi.Mode().IsRegular():
		err = notRegular(op, p, fi.Mode())
	case !regular && !fi.IsDir():
		err = &PathError{Op: op, Path: p.Given, Kind: NotDir}
	default:
		return &File{File: f, Path: p, Info: fi}, nil
	}
	f.Close()
	return nil, err
}

// relocates reports whether os.Root gave up on a link that may yet lead to
// another place in the trees: it follows no absolute one, and at most 8.
func (r *Roots) relocates(err error) bool {
	return err != nil && (r.isEscape(err) || kindOfErrno(err) == TooManyLinks)
}

// checkDevice keeps mode Off from opening a device: opening alone can rewind a
// tape or arm a watchdog. Elsewhere devices hardly lie inside a root, and a
// second look at every file would cost more than it is worth.
func (r *Roots) checkDevice(op string, p Path, regular bool) error {
	if !regular || r.mode != Off {
		return nil
	}
	fi, err := p.Root.root.Stat(p.Rel)
	if err == nil && !fi.Mode().IsRegular() {
		return notRegular(op, p, fi.Mode())
	}
	return nil
}

func notRegular(op string, p Path, m fs.FileMode) error {
	what := "a special file"
	switch {
	case m.IsDir():
		what = "a folder"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	case m&fs.ModeDevice != 0:
		what = "a device"
	case m&fs.ModeSymlink != 0:
		what = "a link that changed meanwhile"
	}
	return &PathError{Op: op, Path: p.Given, Kind: NotRegular, Reason: "not a regular file but " + what}
}

// Stat describes what p leads to, near names as in Open; the Path is the one described.
func (r *Roots) Stat(p Path) (fs.FileInfo, Path, error) {
	fi, q, err := r.stat(p)
	if err == nil || KindOf(err) != NotFound {
		return fi, q, err
	}
	if q, err = r.nearest(p, err); err != nil {
		return nil, p, err
	}
	return r.stat(q)
}

func (r *Roots) stat(p Path) (fs.FileInfo, Path, error) {
	if p.Root == nil {
		return nil, p, &PathError{Op: "stat", Path: p.Given, Kind: Invalid, Err: errNoTree}
	}
	fi, err := p.Root.root.Stat(p.Rel)
	if r.relocates(err) {
		q, lerr := r.locate("stat", p, true)
		if lerr != nil {
			return nil, p, lerr
		}
		p = q
		fi, err = p.Root.root.Stat(p.Rel)
	}
	if err != nil {
		return nil, p, r.fail("stat", p, err)
	}
	return fi, p, nil
}

// Lstat describes p itself, a link as a link.
func (r *Roots) Lstat(p Path) (fs.FileInfo, error) {
	return onEntry(r, "stat", p, func(root *os.Root, rel string) (fs.FileInfo, error) { return root.Lstat(rel) })
}

// Readlink returns the text of the link p, which may name anything.
func (r *Roots) Readlink(p Path) (string, error) {
	return onEntry(r, "readlink", p, func(root *os.Root, rel string) (string, error) { return root.Readlink(rel) })
}

// onEntry runs f on p without following its last name.
func onEntry[T any](r *Roots, op string, p Path, f func(root *os.Root, rel string) (T, error)) (T, error) {
	var zero T
	if p.Root == nil {
		return zero, &PathError{Op: op, Path: p.Given, Kind: Invalid, Err: errNoTree}
	}
	v, err := f(p.Root.root, p.Rel)
	if r.relocates(err) {
		q, lerr := r.locate(op, p, false)
		if lerr != nil {
			return zero, lerr
		}
		v, err = f(q.Root.root, q.Rel)
	}
	if err != nil {
		return zero, r.fail(op, p, err)
	}
	return v, nil
}

// target is where a write to p goes: its real place, checked. follow tells
// whether a link at the end is written through. The folder may be missing.
func (r *Roots) target(op string, p Path, follow bool) (spot, error) {
	s, err := r.walk(op, p, walkOptions{last: follow})
	if err == nil && r.protect.git && plainName(s.base) == ".git" && op != "mkdir" {
		err = &PathError{Op: op, Path: p.Given, Kind: Protected, Reason: ".git itself is not changed by the tools; ask the user, or use git"}
	}
	if err == nil {
		err = r.checkWrite(op, s.Path)
	}
	if err != nil {
		s.close()
		return spot{}, err
	}
	return s, nil
}

// checkWrite refuses a real place that tools may not write.
func (r *Roots) checkWrite(op string, q Path) error {
	t := q.Root
	if r.nested {
		if in, ok := r.find(q.slash()); ok {
			t = in.Root
		}
	}
	if t.ReadOnly {
		return &PathError{Op: op, Path: q.Given, Kind: ReadOnly, Reason: "the folder " + Printable(t.Dir) + " may only be read"}
	}
	why, ok := r.protect.covers(q)
	if !ok {
		why, ok = r.bareRepository(q)
	}
	if ok {
		return &PathError{Op: op, Path: q.Given, Kind: Protected, Reason: why}
	}
	return nil
}

// isNotFound reports whether err is a PathError of Kind NotFound or fs.ErrNotExist.
func isNotFound(err error) bool { return errors.Is(err, fs.ErrNotExist) }

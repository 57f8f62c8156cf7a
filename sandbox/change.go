package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// change runs f on the spot of p after the checks of a write.
func (r *Roots) change(op string, p Path, follow bool, f func(s spot) error) error {
	s, err := r.target(op, p, follow)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.folder(op); err != nil {
		return err
	}
	return r.fail(op, p, f(s))
}

// Chmod sets the permission bits (0777 only) of what p leads to.
func (r *Roots) Chmod(p Path, mode fs.FileMode) error {
	return r.change("chmod", p, true, func(s spot) error { return s.dir.Chmod(s.base, mode&0o777) })
}

// Chtimes sets the times of what p leads to.
func (r *Roots) Chtimes(p Path, atime, mtime time.Time) error {
	return r.change("touch", p, true, func(s spot) error { return s.dir.Chtimes(s.base, atime, mtime) })
}

// Mkdir makes the folder p; the one it is in must exist.
func (r *Roots) Mkdir(p Path, perm fs.FileMode) error {
	return r.change("mkdir", p, false, func(s spot) error { return s.dir.Mkdir(s.base, perm&0o777) })
}

// MkdirAll makes the folder p and those above it; that they exist is no error.
func (r *Roots) MkdirAll(p Path, perm fs.FileMode) error {
	s, err := r.target("mkdir", p, true)
	if err != nil {
		return err
	}
	if s, err = r.mkParents("mkdir", s, perm); err != nil {
		return err
	}
	defer s.close()
	if s.base == "." {
		return nil
	}
	err = s.dir.Mkdir(s.base, perm&0o777)
	if errors.Is(err, fs.ErrExist) {
		if fi, lerr := s.dir.Lstat(s.base); lerr == nil && fi.IsDir() {
			return nil
		}
	}
	return r.fail("mkdir", p, err)
}

// mkParents returns s with its folder made, where that is missing.
func (r *Roots) mkParents(op string, s spot, perm fs.FileMode) (spot, error) {
	if s.dir == nil && s.gap == NotFound {
		made, err := r.walk(op, s.Path, walkOptions{noLinks: true, mkdirs: perm & 0o777})
		if err != nil {
			return spot{}, err
		}
		s = made
	}
	return s, s.folder(op)
}

// Symlink makes p a link with the text target. The target may be anything: it
// is judged whenever the link is followed.
func (r *Roots) Symlink(target string, p Path) error {
	return r.change("link", p, false, func(s spot) error {
		if err := r.checkLink(s); err != nil {
			return err
		}
		return s.dir.Symlink(target, s.base)
	})
}

// checkLink refuses a link whose target could bring what is protected below its name.
func (r *Roots) checkLink(s spot) error {
	if tails, why := r.protect.tails(s.Path); len(tails) > 0 {
		return &PathError{Op: "link", Path: s.Given, Kind: Protected, Reason: why}
	}
	return nil
}

// Remove removes the file, link or empty folder p; never a root, the home
// folder, a folder above one of these, or .git.
func (r *Roots) Remove(p Path) error {
	s, err := r.removable("remove", p, false)
	if err != nil {
		return err
	}
	defer s.close()
	return r.fail("remove", p, s.dir.Remove(s.base))
}

// RemoveAll removes p and all beneath it, links as links, with the exceptions
// of Remove. It is NotFound when there is nothing.
func (r *Roots) RemoveAll(p Path) error {
	s, err := r.removable("remove", p, false)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.dir.Lstat(s.base); err != nil {
		return r.fail("remove", p, err)
	}
	if err := s.dir.RemoveAll(s.base); err != nil {
		return r.fail("remove", p.Join(strings.TrimPrefix(s.leaf(), s.base)), err)
	}
	return nil
}

// maxLeaf is how many folders leaf looks into.
const maxLeaf = 1000

// leaf is an entry that is left of the folder at the spot and holds nothing that could be looked at: one that could not be
// removed. It begins with the name of the folder.
func (s spot) leaf() string {
	at := s.base
	for range maxLeaf {
		d, err := s.dir.OpenFile(at, nonblock|directory, 0)
		if err != nil {
			break
		}
		names, _ := d.Readdirnames(1)
		d.Close()
		if len(names) == 0 {
			break
		}
		at = join(at, names[0])
	}
	return at
}

// Rename gives the entry from the name to, within a tree or from one to another
// on the same file system (else CrossDevice). A link is renamed, not followed.
// Without replace, an existing name is kept and the error is Exists, however late
// it appeared; with it, a file or an empty folder may be replaced. What Remove
// spares, Rename spares.
func (r *Roots) Rename(from, to Path, replace bool) error {
	x, err := r.renaming(from, to, false)
	if err != nil {
		return err
	}
	defer x.close()
	switch one := x.from.slash() == x.to.slash(); {
	case x.same && one && replace:
		return nil
	case x.same && !one && r.fold && strings.EqualFold(x.from.slash(), x.to.slash()):
		replace = true // only the letter case changes
	case x.old != nil && (x.same || replace):
		if err := x.replaces(to); err != nil {
			return err
		}
	}
	if err := rename(x.from, x.to, replace); err != nil {
		about := from
		if k := kindOfErrno(err); k == Exists || k == NotEmpty || k == NotFound {
			about = to
		}
		return r.fail("rename", about, err)
	}
	return nil
}

// renaming is the two ends of a Rename, checked.
type renaming struct {
	from, to spot
	old      fs.FileInfo // of to, nil when there is none
	same     bool        // both are names of one file
}

func (x renaming) close() {
	x.from.close()
	x.to.close()
}

// renaming looks at both ends of a Rename. With mkdirs set, the folder of to need not be there yet.
func (r *Roots) renaming(from, to Path, mkdirs bool) (x renaming, err error) {
	defer func() {
		if err != nil {
			x.close()
		}
	}()
	if x.from, err = r.removable("rename", from, false); err != nil {
		return x, err
	}
	if x.to, err = r.removable("rename", to, mkdirs); err != nil {
		return x, err
	}
	if rest, ok := cutDir(x.to.slash(), x.from.slash(), r.fold); ok && rest != "." {
		return x, &PathError{Op: "rename", Path: from.Given, Kind: Invalid, Reason: "a folder cannot be moved into itself"}
	}
	fi, err := x.from.dir.Lstat(x.from.base)
	if err != nil {
		return x, r.fail("rename", from, err)
	}
	if err := r.checkTails("rename", x.from, x.to.Path, isLink(fi)); err != nil {
		return x, err
	}
	if x.to.dir == nil {
		return x, nil
	}
	if old, err := x.to.dir.Lstat(x.to.base); err == nil {
		x.old, x.same = old, os.SameFile(fi, old)
	}
	return x, nil
}

// replaces tells why the file at the other end may not be replaced.
func (x renaming) replaces(to Path) error {
	switch {
	case x.same:
		return &PathError{Op: "rename", Path: to.Given, Kind: Exists, Reason: "it is the same file; nothing was done"}
	case readOnly(x.old):
		return &PathError{Op: "write", Path: to.Given, Kind: ReadOnly}
	}
	return nil
}

// readOnly reports whether the file may not be changed, nor replaced by another, whoever asks.
func readOnly(fi fs.FileInfo) bool { return fi.Mode().IsRegular() && fi.Mode().Perm()&0o222 == 0 }

// removable is target without following, for names that are taken away. The
// folder is there, or with mkdirs set could be made.
func (r *Roots) removable(op string, p Path, mkdirs bool) (spot, error) {
	s, err := r.target(op, p, false)
	if err != nil {
		return spot{}, err
	}
	if err = s.folder(op); err != nil && mkdirs && s.gap == NotFound {
		err = nil
	}
	if err == nil {
		err = r.checkRemovable(op, s)
	}
	if err != nil {
		s.close()
		return spot{}, err
	}
	return s, nil
}

func (r *Roots) checkRemovable(op string, s spot) error {
	refuse := func(k Kind, why string) error {
		return &PathError{Op: op, Path: s.Given, Kind: k, Reason: why}
	}
	if s.Rel == "." {
		return refuse(Denied, "a root folder is never removed or renamed")
	}
	for _, k := range r.keep {
		if below(k, s.slash(), r.fold) {
			return refuse(Denied, "it is or holds a root or the home folder, which are never removed or renamed")
		}
	}
	if why := ofTheSystem(s.slash(), r.fold); why != "" {
		return refuse(Denied, why)
	}
	if s.dir != nil {
		if fi, err := s.dir.Lstat(s.base); err == nil && fi.Mode()&fs.ModeDevice != 0 {
			return refuse(Denied, "a device is never removed, replaced or renamed")
		}
	}
	if plainName(s.base) == ".git" {
		return refuse(Protected, ".git is never removed or renamed; ask the user")
	}
	if why, ok := r.protect.carries(s.Path); ok {
		return refuse(Protected, why)
	}
	return r.checkTails(op, s, s.Path, false)
}

// checkTails refuses when what is protected below the name at exists below from,
// or could come to exist there because from is a link.
func (r *Roots) checkTails(op string, from spot, at Path, link bool) error {
	if from.dir == nil {
		return nil // nothing is there
	}
	tails, why := r.protect.tails(at)
	for _, tail := range tails {
		_, err := from.dir.Lstat(join(from.base, tail))
		if link || err == nil || !isNotFound(err) && kindOfErrno(err) != NotDir {
			return &PathError{Op: op, Path: at.Given, Kind: Protected, Reason: why}
		}
	}
	return nil
}

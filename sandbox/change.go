package sandbox

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// Mkdir makes the folder p; the one it is in must exist.
func (r *Roots) Mkdir(p Path, perm fs.FileMode) error {
	q, err := r.target("mkdir", p, false)
	if err != nil {
		return err
	}
	return r.fail("mkdir", p, q.Root.root.Mkdir(q.Rel, perm&0o777))
}

// MkdirAll makes the folder p and those above it; that they exist is no error.
func (r *Roots) MkdirAll(p Path, perm fs.FileMode) error {
	q, err := r.target("mkdir", p, true)
	if err != nil {
		return err
	}
	if q.Rel == "." {
		return nil
	}
	return r.fail("mkdir", p, q.Root.root.MkdirAll(q.Rel, perm&0o777))
}

// Symlink makes p a link with the text target. The target may be anything: it
// is judged whenever the link is followed.
func (r *Roots) Symlink(target string, p Path) error {
	q, err := r.target("link", p, false)
	if err != nil {
		return err
	}
	if tails, why := r.protect.tails(q); len(tails) > 0 {
		return &PathError{Op: "link", Path: p.Given, Kind: Protected, Reason: why}
	}
	return r.fail("link", p, q.Root.root.Symlink(target, q.Rel))
}

// Remove removes the file, link or empty folder p; never a root, the home
// folder, a folder above one of these, or .git.
func (r *Roots) Remove(p Path) error {
	q, err := r.removable("remove", p)
	if err != nil {
		return err
	}
	return r.fail("remove", p, q.Root.root.Remove(q.Rel))
}

// RemoveAll removes p and all beneath it, links as links, with the exceptions
// of Remove. It is NotFound when there is nothing.
func (r *Roots) RemoveAll(p Path) error {
	q, err := r.removable("remove", p)
	if err != nil {
		return err
	}
	if _, err := q.Root.root.Lstat(q.Rel); err != nil {
		return r.fail("remove", p, err)
	}
	return r.fail("remove", p, q.Root.root.RemoveAll(q.Rel))
}

// Rename gives the entry from the name to, within a tree or from one to another
// on the same file system (else CrossDevice). A link is renamed, not followed.
// Without replace, an existing name is kept and the error is Exists, however late
// it appeared; with it, a file or an empty folder may be replaced. What Remove
// spares, Rename spares.
func (r *Roots) Rename(from, to Path, replace bool) error {
	a, err := r.removable("rename", from)
	if err != nil {
		return err
	}
	b, err := r.removable("rename", to)
	if err != nil {
		return err
	}
	if rest, ok := cutDir(b.slash(), a.slash(), r.fold); ok && rest != "." {
		return &PathError{Op: "rename", Path: from.Given, Kind: Invalid, Reason: "a folder cannot be moved into itself"}
	}
	fi, err := a.Root.root.Lstat(a.Rel)
	if err != nil {
		return r.fail("rename", from, err)
	}
	if err := r.checkTails("rename", a, b, isLink(fi)); err != nil {
		return err
	}
	if old, err := b.Root.root.Lstat(b.Rel); err == nil && os.SameFile(fi, old) {
		switch {
		case a.slash() == b.slash() && replace:
			return nil
		case a.slash() != b.slash() && r.fold && strings.EqualFold(a.slash(), b.slash()):
			replace = true // only the letter case changes
		default:
			return &PathError{Op: "rename", Path: to.Given, Kind: Exists, Reason: "it is the same file; nothing was done"}
		}
	}
	if err := rename(a, b, replace); err != nil {
		about := from
		if k := kindOfErrno(err); k == Exists || k == NotEmpty || k == NotFound {
			about = to
		}
		return r.fail("rename", about, err)
	}
	return nil
}

// removable is target without following, for names that are taken away.
func (r *Roots) removable(op string, p Path) (Path, error) {
	q, err := r.target(op, p, false)
	if err != nil {
		return Path{}, err
	}
	refuse := func(k Kind, why string) (Path, error) {
		return Path{}, &PathError{Op: op, Path: p.Given, Kind: k, Reason: why}
	}
	if q.Rel == "." {
		return refuse(Denied, "a root folder is never removed or renamed")
	}
	abs := q.slash()
	for _, k := range r.keep {
		if below(k, abs, r.fold) {
			return refuse(Denied, "it is or holds a root or the home folder, which are never removed or renamed")
		}
	}
	if plainName(path.Base(abs)) == ".git" {
		return refuse(Protected, ".git is never removed or renamed; ask the user")
	}
	if why, ok := r.protect.carries(q); ok {
		return refuse(Protected, why)
	}
	if err := r.checkTails(op, q, q, false); err != nil {
		return Path{}, err
	}
	return q, nil
}

// checkTails refuses when what is protected below the name at exists below from,
// or could come to exist there because from is a link.
func (r *Roots) checkTails(op string, from, at Path, link bool) error {
	tails, why := r.protect.tails(at)
	for _, tail := range tails {
		_, err := from.Root.root.Lstat(join(from.Rel, tail))
		if link || err == nil || !isNotFound(err) && kindOfErrno(err) != NotDir {
			return &PathError{Op: op, Path: at.Given, Kind: Protected, Reason: why}
		}
	}
	return nil
}

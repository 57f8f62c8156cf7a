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
	return q.Root.root, q.Rel, nil
}

// locate walks p name by name through os.Root; last tells whether the final
// name is followed when it is a link.
func (r *Roots) locate(op string, p Path, last bool) (Path, error) {
	if p.Root == nil {
		return Path{}, &PathError{Op: op, Path: p.Given, Kind: Invalid, Err: errNoTree}
	}
	var (
		t    = p.Root
		done = "." // below t, through no link
		todo = p.Rel
		hops int
	)
	for todo != "" {
		var name string
		name, todo, _ = strings.Cut(todo, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			if done != "." {
				done = path.Dir(done)
				continue
			}
			q, ok := r.find(path.Clean(join(t.slash, "..") + "/" + todo))
			if !ok {
				return Path{}, r.denied(op, p.Given)
			}
			t, todo = q.Root, q.Rel
			continue
		}
		next := join(done, name)
		if !last && strings.Trim(todo, "/.") == "" {
			done = next
			break
		}
		fi, err := t.root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) || err != nil && kindOfErrno(err) == NotDir {
			// Nothing there: the rest can only be names yet to be made.
			done = next
			if todo != "" {
				if done = path.Clean(next + "/" + todo); !filepath.IsLocal(done) {
					return Path{}, r.denied(op, p.Given)
				}
			}
			break
		}
		if err != nil {
			return Path{}, r.fail(op, p, err)
		}
		if !isLink(fi) {
			done = next
			continue
		}
		if hops++; hops > maxLinks {
			return Path{}, &PathError{Op: op, Path: p.Given, Kind: TooManyLinks}
		}
		target, err := t.root.Readlink(next)
		if err != nil {
			return Path{}, r.fail(op, p, err)
		}
		target, abs := linkTarget(target)
		if !abs {
			todo = target + "/" + todo
			continue
		}
		q, ok := r.find(path.Clean(target + "/" + todo))
		if !ok {
			return Path{}, r.denied(op, p.Given)
		}
		t, done, todo = q.Root, ".", q.Rel
	}
	return Path{Root: t, Rel: done, Given: p.Given, Warning: p.Warning, roots: r}, nil
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

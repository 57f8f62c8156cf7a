package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// dirent is one name in a folder.
type dirent struct {
	name string
	typ  Type // 0 when the file system did not say
}

// folder is an opened folder. Names given to it are single components.
type folder interface {
	entries(buf []byte, limit int) ([]dirent, error) // without "." and ".."; at most about limit
	openDir(name string) (folder, error)             // never follows a link
	openFile(name string) (file, error)              // never follows a link, never blocks; regular files only
	lstat(name string) (Info, error)
	readlink(name string) (string, error)
	close()
}

// opener opens the top of a walk: openTop, or openRootDir.
type opener func(*os.Root) (folder, error)

// file is an opened regular file.
type file interface {
	io.Reader
	io.ReaderAt
	io.Closer
	size() int64
	file(name string) *os.File // takes over the descriptor
}

// rootDir is a folder held as an *os.Root: the portable way.
type rootDir struct{ r *os.Root }

func openRootDir(root *os.Root) (folder, error) {
	r, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return rootDir{r}, nil
}

func (d rootDir) entries(_ []byte, limit int) ([]dirent, error) {
	f, err := d.r.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []dirent
	for len(out) <= limit {
		list, err := f.ReadDir(1024)
		for _, e := range list {
			out = append(out, dirent{e.Name(), typeOf(e.Type())})
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func typeOf(m fs.FileMode) Type {
	switch {
	case m.IsRegular():
		return File
	case m.IsDir():
		return Dir
	case m&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

var errMoved = errors.New("changed while it was being opened")

func (d rootDir) openDir(name string) (folder, error) {
	before, err := d.r.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotDir}
	}
	r, err := d.r.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	after, err := r.Stat(".")
	if err != nil || !os.SameFile(before, after) {
		r.Close()
		return nil, errMoved
	}
	return rootDir{r}, nil
}

func (d rootDir) openFile(name string) (file, error) {
	before, err := d.r.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := d.r.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err != nil || !os.SameFile(before, after) || !after.Mode().IsRegular() {
		f.Close()
		return nil, errMoved
	}
	return osFile{f, after.Size()}, nil
}

func (d rootDir) lstat(name string) (Info, error) {
	fi, err := d.r.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: fi.Size(), ModTime: fi.ModTime(), Changed: ChangedOf(fi), Mode: fi.Mode()}, nil
}

func (d rootDir) readlink(name string) (string, error) { return d.r.Readlink(name) }
func (d rootDir) close()                               { d.r.Close() }

type osFile struct {
	*os.File
	n int64
}

func (f osFile) size() int64            { return f.n }
func (f osFile) file(_ string) *os.File { return f.File }

// readAll reads f whole into buf, which grows as needed.
func readAll(f file, buf []byte, limit int64) ([]byte, error) {
	if f.size() > limit {
		return nil, ErrTooLarge
	}
	buf = buf[:0]
	for {
		if int64(len(buf)) > limit {
			return nil, ErrTooLarge
		}
		if cap(buf)-len(buf) < 512 {
			grown := make([]byte, len(buf), max(2*cap(buf), int(f.size())+1024))
			copy(grown, buf)
			buf = grown
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF || err == nil && int64(len(buf)) == f.size() {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

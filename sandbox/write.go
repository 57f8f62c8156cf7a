package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// WriteOptions say how WriteAtomic treats what is there. The zero value writes a
// new file with the mode 0666 less the umask, or replaces one and keeps its mode.
type WriteOptions struct {
	Mode      fs.FileMode // of a new file, less the umask; 0 means 0666. An existing file keeps its own
	Exclusive bool        // only make a new file: any existing name, a link too, is Exists
	Mkdirs    bool        // make missing folders first

	// Check, when set, sees the file that is about to be replaced, open to
	// read (nil when there is none), after the new content is on disk and
	// right before the rename. Its error stops the write and is returned as it is.
	Check func(old *os.File) error
}

// Written is what WriteAtomic did.
type Written struct {
	Path    Path // the real file, behind any links
	Created bool // there was none before
	Size    int64
}

// WriteAtomic puts data in place of the file p, or makes it. Whatever happens,
// a crash and a full disk included, the file is afterwards wholly old or wholly
// new: the data goes to a new file of the same folder, is synced, and renamed.
// Links are written through (a dangling one makes its target); other hard
// links keep the old content. Mode is kept less setuid, setgid; owner, group, ACL
// and extended attributes where the system allows. A file without a write bit,
// or that this user could not write, is refused, root included.
//
// When p did not exist, an entry that appears meanwhile is Exists, not replaced.
// WriteAtomic takes no lock: hold Lock from reading the old content until after it.
func (r *Roots) WriteAtomic(ctx context.Context, p Path, data io.Reader, o WriteOptions) (Written, error) {
	s, err := r.target("write", p, !o.Exclusive)
	if err != nil {
		return Written{}, err
	}
	if s.base == "." {
		return Written{}, notRegular("write", p, fs.ModeDir)
	}
	if o.Mkdirs {
		s, err = r.mkParents("write", s, 0o777)
	} else {
		err = s.folder("write")
	}
	if err != nil {
		return Written{}, err
	}
	defer s.close()
	file, err := s.dir.OpenFile(".", nonblock|directory, 0)
	if err != nil {
		return Written{}, r.fail("write", p, err)
	}
	defer file.Close()
	w := atomicWrite{p: p, o: o, root: s.dir, file: file, base: s.base}
	if err := w.lookAtOld(); err != nil {
		return Written{}, r.fail("write", p, err)
	}
	n, err := w.fill(ctx, data)
	if w.from != nil {
		w.from.Close() // before the rename, for Windows
	}
	if err != nil {
		return Written{}, w.abandon(r, err)
	}
	if err := w.swap(); err != nil {
		return Written{}, w.abandon(r, err)
	}
	if err := syncDir(w.file); err != nil {
		return Written{}, &PathError{Op: "write", Path: p.Given, Reason: "written, but the folder could not be synced: " + err.Error(), Err: err}
	}
	return Written{Path: s.Path, Created: w.old == nil, Size: n}, nil
}

type atomicWrite struct {
	p    Path
	o    WriteOptions
	root *os.Root // the folder
	file *os.File // the same
	base string
	temp string      // name of the new file, "" when there is none
	old  fs.FileInfo // nil when there is none
	from *os.File    // the old one, nil when it cannot be opened
}

// lookAtOld refuses what must not be replaced.
func (w *atomicWrite) lookAtOld() error {
	fi, err := w.root.Lstat(w.base)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if w.o.Exclusive {
		return &PathError{Op: "write", Path: w.p.Given, Kind: Exists}
	}
	if !fi.Mode().IsRegular() {
		return notRegular("write", w.p, fi.Mode())
	}
	if readOnly(fi) {
		return &PathError{Op: "write", Path: w.p.Given, Kind: ReadOnly}
	}
	// The rename needs leave for the folder only; ask for the file's as well.
	w.old = fi
	w.from, err = w.root.OpenFile(w.base, os.O_WRONLY|nonblock, 0)
	if k := kindOfErrno(err); k == Permission || k == ReadOnly {
		return err
	}
	return nil
}

// fill writes the new file and syncs it.
func (w *atomicWrite) fill(ctx context.Context, data io.Reader) (int64, error) {
	perm := w.o.Mode & 0o777
	if perm == 0 {
		perm = 0o666
	}
	if w.old != nil {
		perm = 0o600 // nobody else reads it before it has the old owner
	}
	var f *os.File
	var err error
	for range 8 {
		w.temp = tempName()
		f, err = w.root.OpenFile(w.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nonblock, perm)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		w.temp = ""
		return 0, err
	}
	n, err := io.Copy(f, ctxReader{ctx, data})
	if err == nil && w.old != nil {
		err = w.dressLikeOld(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return n, err
}

// dressLikeOld gives the new file the owner, mode and attributes of the old one.
func (w *atomicWrite) dressLikeOld(f *os.File) error {
	mode := w.old.Mode().Perm()
	keepOwner(f, w.old)
	if err := f.Chmod(mode); err != nil || w.from == nil {
		return err
	}
	return keepAttrs(f, w.from, mode)
}

// swap gives the new file its name.
func (w *atomicWrite) swap() error {
	if w.o.Check != nil {
		if err := w.check(); err != nil {
			return err
		}
	}
	return renameIn(w.root, w.file, w.temp, w.base, w.old != nil)
}

// checkError keeps the error of a Check apart from those of the system.
type checkError struct{ err error }

func (e checkError) Error() string { return e.err.Error() }

func (w *atomicWrite) check() error {
	var old *os.File
	if w.old != nil {
		f, err := w.root.OpenFile(w.base, nonblock, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		old = f
	}
	if err := w.o.Check(old); err != nil {
		return checkError{err}
	}
	return nil
}

// abandon removes the new file and says why.
func (w *atomicWrite) abandon(r *Roots, err error) error {
	if w.temp != "" {
		_ = w.root.Remove(w.temp)
	}
	if c, ok := errors.AsType[checkError](err); ok {
		return c.err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return r.fail("write", w.p, err)
}

// syncDir makes the rename last. Some file systems cannot, and say so.
func syncDir(dir *os.File) error {
	err := dir.Sync()
	if err == nil || runtime.GOOS == "windows" || errors.Is(err, errors.ErrUnsupported) || kindOfErrno(err) == Invalid {
		return nil
	}
	return err
}

func tempName() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return ".hanzo-mcp-" + hex.EncodeToString(b[:]) + ".tmp"
}

// ctxReader ends a copy when its call is cancelled. The data is read in the
// caller's own chunks.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

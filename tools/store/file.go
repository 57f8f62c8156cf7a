package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	// racy is how long after its last change a file may change again without its time showing it.
	racy = 100 * time.Millisecond
	// fresh is how long after its last change a broken file may be one that another program is writing.
	fresh = 2 * time.Second
	// maxKept is how many broken files are kept beside a state file; with more, changes are refused.
	maxKept = 50
)

var seed = maphash.MakeSeed()

// fileState tells a file that was seen from any other.
type fileState struct {
	exists  bool
	info    fs.FileInfo
	sum     uint64
	settled bool // it was looked at so late that a later change shows in its time
}

// like reports whether nothing about the file shows a change.
func (a fileState) like(b fileState) bool {
	if !a.exists || !b.exists {
		return a.exists == b.exists
	}
	return os.SameFile(a.info, b.info) && a.info.Size() == b.info.Size() && a.info.ModTime().Equal(b.info.ModTime())
}

func (a fileState) same(b fileState) bool { return a.like(b) && a.sum == b.sum }

// load reads the file, unless it is surely the known one: then it gives that state and no text.
func load(ctx context.Context, path string, known *fileState) ([]byte, fileState, error) {
	for try := 0; ; try++ {
		real, err := follow(path)
		if err != nil {
			return nil, fileState{}, err
		}
		now, err := stateOf(real)
		if err != nil || !now.exists {
			return nil, now, err
		}
		if known != nil && known.settled && known.like(now) {
			return nil, *known, nil
		}
		text, state, err := slurp(real)
		if err != nil {
			return nil, state, err
		}
		if known != nil && known.same(state) {
			return nil, state, nil
		}
		// The other servers truncate the file and write it again.
		if try >= 10 || !state.exists || time.Since(state.info.ModTime()) > fresh || json.Valid(bytes.TrimPrefix(text, []byte("\ufeff"))) {
			return text, state, nil
		}
		pause := time.NewTimer(40 * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, state, ctx.Err()
		}
	}
}

// stateOf looks at a file without opening it.
func stateOf(real string) (fileState, error) {
	fi, err := os.Lstat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, unreadable(real, err)
	}
	return fileState{exists: true, info: fi}, nil
}

// slurp reads a regular file of at most MaxBytes; one that is gone gives a state that says so.
func slurp(real string) ([]byte, fileState, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|noFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fileState{}, nil
	}
	if err != nil {
		return nil, fileState{}, unreadable(real, err)
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileState{}, unreadable(real, err)
	case !fi.Mode().IsRegular():
		return nil, fileState{}, notRegular(real)
	case fi.Size() > MaxBytes:
		return nil, fileState{}, tools.Errorf(tools.TooLarge, "%s has %d bytes, more than the %d that are read; it was left alone. Move it away, or name another file in the configuration", real, fi.Size(), MaxBytes)
	}
	looked := time.Now()
	text := make([]byte, 0, fi.Size()+512)
	b := bytes.NewBuffer(text)
	if _, err := io.Copy(b, io.LimitReader(f, MaxBytes)); err != nil {
		return nil, fileState{}, unreadable(real, err)
	}
	text = b.Bytes()
	return text, fileState{exists: true, info: fi, sum: maphash.Bytes(seed, text), settled: looked.Sub(fi.ModTime()) > racy}, nil
}

// follow gives the file behind the links of a path. Links that another user made are refused.
func follow(path string) (string, error) {
	const hops = 40
	real := path
	for range hops {
		fi, err := os.Lstat(real)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return real, nil
		case err != nil:
			return "", unreadable(real, err)
		case fi.Mode().IsRegular():
			return real, nil
		case fi.Mode()&fs.ModeSymlink == 0:
			return "", notRegular(real)
		case !trusted(fi):
			return "", tools.Errorf(tools.PermissionDenied, "%s is a link that another user made; it was not followed. Remove it, or name another file in the configuration", real)
		}
		target, err := os.Readlink(real)
		if err != nil {
			return "", unreadable(real, err)
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(real), target)
		}
		real = target
	}
	return "", tools.Errorf(tools.PermissionDenied, "%s leads through too many links; name another file in the configuration", path)
}

func unreadable(path string, err error) error {
	code := tools.InternalError
	if errors.Is(err, fs.ErrPermission) {
		code = tools.PermissionDenied
	}
	return tools.Errorf(code, "reading %s: %v; it was left alone", path, err)
}

func notRegular(path string) error {
	return tools.Errorf(tools.PermissionDenied, "%s is no regular file; it was left alone. Remove it, or name another file in the configuration", path)
}

// replace puts text in the place of the file, if that is still the one that was seen; else the state that it gives
// does not exist, and nothing was done. The caller holds the lock.
func replace(path string, text []byte, was fileState) (fileState, error) {
	real, err := follow(path)
	if err != nil {
		return fileState{}, err
	}
	fail := func(err error) (fileState, error) {
		return fileState{}, tools.Errorf(tools.InternalError, "writing %s: %v; nothing was changed. The user can make room, or name another file in the configuration", real, err)
	}
	temp := filepath.Join(filepath.Dir(real), "."+filepath.Base(real)+".tmp") // one name: what a kill leaves is not litter
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	defer os.Remove(temp)
	info, err := create(temp, text, was.info)
	if err != nil {
		return fail(err)
	}
	if now, err := stateOf(real); err != nil || !now.like(was) {
		return fileState{}, err
	}
	if err := rename(temp, real); err != nil {
		return fail(err)
	}
	// A time to the nanosecond is none that a later change in place could leave the file with. Not all file systems
	// keep one.
	settled := info.ModTime().Nanosecond()%1_000_000 != 0
	return fileState{exists: true, info: info, sum: maphash.Bytes(seed, text), settled: settled}, nil
}

// create makes a new private file, on disk, with the owner of the one that it is to replace.
func create(name string, text []byte, was fs.FileInfo) (fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if was == nil {
		was = ownerOf(name)
	}
	keepOwner(f, was)
	if _, err := f.Write(text); err != nil {
		return nil, err
	}
	if err := os.Chtimes(name, time.Time{}, unround(time.Now())); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return info, f.Close()
}

// unround makes a time one that a clock of milliseconds or coarser does not give.
func unround(t time.Time) time.Time {
	if t.Nanosecond()%1_000_000 == 0 {
		return t.Add(time.Nanosecond)
	}
	return t
}

// ownerOf describes the folder of a new file: whoever owns it owns the file too, so that a server run once by root
// does not lock its user out.
func ownerOf(name string) fs.FileInfo {
	fi, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return nil
	}
	return fi
}

// makeFolder makes a private folder, and those above it.
func makeFolder(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if f, err := os.Open(dir); err == nil {
		keepOwner(f, ownerOf(dir))
		f.Close()
	}
	return nil
}

// setAside keeps the bytes of a broken file in a new file beside it and gives its path.
func setAside(path string, text []byte) (string, error) {
	real, err := follow(path)
	if err != nil {
		return "", err
	}
	kept, err := filepath.Glob(globQuote(real) + ".bad-*")
	if err != nil {
		return "", tools.Errorf(tools.InternalError, "keeping a copy of %s: %v; nothing was changed", real, err)
	}
	for _, name := range kept {
		if old, state, err := slurp(name); err == nil && state.exists && bytes.Equal(old, text) {
			return name, nil
		}
	}
	if len(kept) >= maxKept {
		return "", tools.Errorf(tools.Conflict, "%s is broken, and %d broken copies stand beside it already; nothing was changed. Look at them and remove them", real, len(kept))
	}
	for n := 0; ; n++ {
		name := real + ".bad-" + time.Now().UTC().Format("20060102T150405")
		if n > 0 {
			name += fmt.Sprintf("-%d", n)
		}
		_, err := create(name, text, nil)
		if errors.Is(err, fs.ErrExist) && n < maxKept {
			continue
		}
		if err != nil {
			return "", tools.Errorf(tools.InternalError, "keeping a copy of %s: %v; nothing was changed", real, err)
		}
		return name, nil
	}
}

func globQuote(path string) string {
	var b []byte
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' && filepath.Separator != '\\' {
			b = append(b, '\\')
		}
		b = append(b, path[i])
	}
	return string(b)
}

// lock keeps the user's other servers from changing the file until unlock is called.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	real, err := follow(path)
	if err != nil {
		return nil, err
	}
	if err := makeFolder(filepath.Dir(real)); err != nil {
		return nil, tools.Errorf(tools.InternalError, "making the folder of %s: %v", real, err)
	}
	name := real + ".lock"
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, tools.Errorf(tools.InternalError, "locking %s: %v; nothing was changed. The user can make its folder writable, or name another file in the configuration", real, err)
	}
	keepOwner(f, ownerOf(name))
	end := time.NewTimer(lockWait)
	defer end.Stop()
	for pause := time.Millisecond; ; pause = min(pause*2, 20*time.Millisecond) {
		ok, err := sandbox.TryLock(f)
		if ok {
			return func() { f.Close() }, nil // and with it the lock
		}
		if err != nil {
			f.Close()
			return nil, tools.Errorf(tools.InternalError, "locking %s: %v; nothing was changed. Name a file on a local disk in the configuration", name, err)
		}
		next := time.NewTimer(pause)
		select {
		case <-next.C:
		case <-end.C:
			next.Stop()
			f.Close()
			return nil, tools.Errorf(tools.Conflict, "another server has kept %s for %s; nothing was changed, try again", name, lockWait)
		case <-ctx.Done():
			next.Stop()
			f.Close()
			return nil, ctx.Err()
		}
	}
}

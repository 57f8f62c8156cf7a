package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// lockSlots bounds the number of lock files: files whose names hash alike
	// share one, which costs a short wait now and then.
	lockSlots = 1024
	// lockWait is how long Lock waits at most.
	lockWait = 20 * time.Second
)

// locks serialises writers of one file: in this process by a channel each, so
// that waiters queue, and among the user's servers by advisory locks on files.
type locks struct {
	mu    sync.Mutex
	slots map[int]chan struct{} // by number, made at first need
	dir   string

	once sync.Once
	root *os.Root
	err  error
}

func (l *locks) init(state, home string) {
	l.slots = map[int]chan struct{}{}
	switch {
	case state != "":
		l.dir = filepath.Join(state, "locks")
	case home != "":
		l.dir = filepath.Join(home, ".local", "state", "hanzo-mcp", "locks")
	default:
		l.dir = filepath.Join(os.TempDir(), fmt.Sprintf("hanzo-mcp-%d", os.Getuid()), "locks")
	}
}

// open makes the folder of the lock files at first need.
func (l *locks) open() (*os.Root, error) {
	l.once.Do(func() {
		if l.err = os.MkdirAll(l.dir, 0o700); l.err != nil {
			return
		}
		if l.err = checkPrivate(l.dir); l.err != nil {
			return
		}
		l.root, l.err = os.OpenRoot(l.dir)
	})
	return l.root, l.err
}

// Lock keeps other calls and the user's other servers from writing the given
// files through Lock until unlock is called. It waits until ctx ends or 20 s
// have passed, then is Busy. All files of one call are locked together, in one
// call: a second Lock by the holder of a first can wait for itself. Names that
// lead to one file by links are one. The files need not exist.
//
// Where the lock files cannot be kept (no writable home), only calls of this
// Roots exclude each other; LockState tells.
func (r *Roots) Lock(ctx context.Context, paths ...Path) (unlock func(), err error) {
	return r.lock(ctx, paths, true)
}

// LockEntries is Lock for a change of the names themselves: a link is locked, not what it leads to, which may be nowhere.
func (r *Roots) LockEntries(ctx context.Context, paths ...Path) (unlock func(), err error) {
	return r.lock(ctx, paths, false)
}

func (r *Roots) lock(ctx context.Context, paths []Path, follow bool) (unlock func(), err error) {
	var slots []int
	for _, p := range paths {
		q, err := r.locate("resolve", p, follow)
		if err != nil {
			return nil, err
		}
		name := q.slash()
		if r.fold {
			name = strings.ToLower(name)
		}
		sum := sha256.Sum256([]byte(name))
		slots = append(slots, int(binary.BigEndian.Uint32(sum[:])%lockSlots))
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)

	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	var undo []func()
	unlock = sync.OnceFunc(func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	})
	for _, n := range slots {
		free, err := r.locks.take(wait, n)
		if err != nil {
			unlock()
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &PathError{Op: "lock", Path: paths[0].Given, Kind: Busy, Err: err}
		}
		undo = append(undo, free)
	}
	return unlock, nil
}

// LockState returns why servers of the same user cannot exclude each other, or nil.
func (r *Roots) LockState() error {
	_, err := r.locks.open()
	return err
}

func (l *locks) slot(n int) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := l.slots[n]
	if slot == nil {
		slot = make(chan struct{}, 1)
		l.slots[n] = slot
	}
	return slot
}

func (l *locks) take(ctx context.Context, n int) (free func(), err error) {
	slot := l.slot(n)
	select {
	case slot <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	root, err := l.open()
	if err != nil {
		return func() { <-slot }, nil
	}
	f, err := root.OpenFile(fmt.Sprintf("%03x", n), os.O_RDWR|os.O_CREATE|nonblock, 0o600)
	if err != nil {
		return func() { <-slot }, nil
	}
	// A blocking lock could not be cancelled.
	for pause := time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		ok, err := TryLock(f)
		if ok {
			break
		}
		if err == nil {
			t := time.NewTimer(pause)
			select {
			case <-t.C:
				continue
			case <-ctx.Done():
				t.Stop()
				err = ctx.Err()
			}
		}
		f.Close()
		<-slot
		return nil, err
	}
	return func() {
		f.Close() // and with it the lock
		<-slot
	}, nil
}

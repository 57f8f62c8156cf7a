package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// increment adds one to the number in a file, n times, under its lock.
func increment(ctx context.Context, r *Roots, name string, n int) error {
	for range n {
		p, err := r.Resolve(name)
		if err != nil {
			return err
		}
		unlock, err := r.Lock(ctx, p)
		if err != nil {
			return err
		}
		f, err := r.Open(p)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return err
		}
		i, err := strconv.Atoi(string(b))
		if err != nil {
			return err
		}
		_, err = r.WriteAtomic(ctx, p, strings.NewReader(fmt.Sprint(i+1)), WriteOptions{})
		unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func helperIncrement(args []string) error {
	r, err := Open(Config{Dirs: args[:1], State: args[1]})
	if err != nil {
		return err
	}
	return increment(context.Background(), r, args[2], 50)
}

// TestNoUpdateIsLost: calls of this process, of another set of roots in it, and
// of other processes, by two names of one file.
func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	state := w.O + "/state"
	a, err := Open(Config{Dirs: []string{w.W}, State: state})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(Config{Dirs: []string{w.W}, State: state})
	if err != nil {
		t.Fatal(err)
	}
	w.put("n", "0")
	w.link(w.abs("n"), "alias")
	errs := make(chan error)
	for i, name := range []string{"n", "alias"} {
		r := []*Roots{a, b}[i]
		go func() { errs <- increment(t.Context(), r, name, 50) }()
		go func() { errs <- increment(t.Context(), r, name, 50) }()
		cmd := helper(t, "increment", w.W, state, name)
		cmd.Stderr = os.Stderr
		go func() { errs <- cmd.Run() }()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := w.get("n"); got != "300" {
		t.Errorf("%s of 300 updates", got)
	}
	if err := a.LockState(); err != nil {
		t.Error(err)
	}
	if m := mode(t, state+"/locks"); m.Perm() != 0o700 {
		t.Errorf("lock folder has mode %v", m)
	}
}

func TestLockWaitEndsWithTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v, err := Open(Config{Dirs: []string{w.W}, State: w.locks.dir[:len(w.locks.dir)-len("/locks")]})
	if err != nil {
		t.Fatal(err)
	}
	p := w.path("f")
	unlock, err := w.Lock(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Roots{w.Roots, v} {
		q, err := r.Resolve("f")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := r.Lock(ctx, q); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second lock: %v", err)
		}
		cancel()
	}
	unlock()
	unlock() // once is enough
	again, err := v.Lock(t.Context(), p, p, w.path("g"))
	if err != nil {
		t.Fatal(err)
	}
	again()
}

// TestLocksOfManyFilesDoNotCross: calls that lock the same files in other orders.
func TestLocksOfManyFilesDoNotCross(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var files []Path
	for _, name := range []string{"a", "b", "c", "d"} {
		files = append(files, w.path(name))
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			paths := slices.Clone(files)
			for range 200 {
				rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
				unlock, err := w.Lock(t.Context(), paths...)
				if err != nil {
					t.Error(err)
					return
				}
				unlock()
			}
		})
	}
	wg.Wait()
}

// TestLockWithoutStateFolder still serialises the calls of this process.
func TestLockWithoutStateFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.State = c.Dirs[0] + "/file" })
	w.put("file", "")
	w.put("n", "0")
	if w.LockState() == nil {
		t.Error("no reason given")
	}
	errs := make(chan error)
	for range 4 {
		go func() { errs <- increment(t.Context(), w.Roots, "n", 25) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := w.get("n"); got != "100" {
		t.Errorf("%s of 100 updates", got)
	}
}

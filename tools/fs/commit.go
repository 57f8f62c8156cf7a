package fs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// wrote is what commit did to one file, to be taken back when a later one fails.
type wrote struct {
	t       *staged
	removed bool
}

var errAbort = errors.New("another file of the patch could not be written")

// commit writes all files or none. Each is written beside its place and waits there, on disk, until all others are;
// then they are renamed one after the other, and what is deleted goes last.
func (s *staging) commit(ctx context.Context) error {
	writes, removes := s.changes()
	if err := filesAsFolders(writes); err != nil {
		return refused(s.c, err)
	}
	made := s.missingFolders(writes)
	done, err := s.writeAll(ctx, writes)
	if err == nil {
		for _, t := range s.order {
			if t.exists && t.chmod != 0 && (t.old == nil || t.chmod != t.old.info.Mode().Perm()) {
				if err = s.c.Roots.Chmod(t.path, t.chmod); err != nil {
					break
				}
			}
		}
	}
	for _, t := range removes {
		if err != nil {
			break
		}
		if err = s.c.Roots.Remove(t.path); err == nil {
			done = append(done, wrote{t, true})
		}
	}
	if err == nil {
		return nil
	}
	lost := s.rollBack(done)
	for i := len(made) - 1; i >= 0; i-- {
		_ = s.c.Roots.Remove(made[i]) // only when it is empty
	}
	if len(lost) == 0 {
		return refused(s.c, err)
	}
	out := *tools.AsError(fail(s.c, err, "patch"))
	out.Message += "; these files were changed already and could not be put back: " + strings.Join(lost, ", ")
	return &out
}

// changes lists the files that are to be written and those that are to go.
func (s *staging) changes() (writes, removes []*staged) {
	for _, t := range s.order {
		switch {
		case t.exists && (t.old == nil || string(t.bytes) != string(t.old.bytes)):
			writes = append(writes, t)
		case !t.exists && t.old != nil:
			removes = append(removes, t)
		}
	}
	return writes, removes
}

// rehearse tells what commit would refuse.
func (s *staging) rehearse() error {
	writes, removes := s.changes()
	if err := filesAsFolders(writes); err != nil {
		return refused(s.c, err)
	}
	for _, t := range writes {
		if err := s.c.Roots.CheckWrite(t.path, true); err != nil {
			return refused(s.c, err)
		}
	}
	for _, t := range removes {
		if err := s.c.Roots.CheckRemove(t.path); err != nil {
			return refused(s.c, err)
		}
	}
	return nil
}

// filesAsFolders refuses files below a file that the same patch writes.
func filesAsFolders(writes []*staged) error {
	files := map[string]bool{}
	for _, t := range writes {
		files[t.path.Abs()] = true
	}
	for _, t := range writes {
		for p := t.path.Dir(); p.Rel != "."; p = p.Dir() {
			if files[p.Abs()] {
				return &sandbox.PathError{Op: "write", Path: t.path.Given, Kind: sandbox.NotDir, Reason: sandbox.Printable(p.String()) + " is a file by the same patch, not a folder"}
			}
		}
	}
	return nil
}

// refused is the error of a patch of which nothing was done.
func refused(c *tools.Call, err error) *tools.Error {
	out := *tools.AsError(fail(c, err, "patch"))
	out.Message += "; no file was changed"
	return &out
}

// missingFolders lists the folders that writing will make, outer ones first.
func (s *staging) missingFolders(writes []*staged) (list []sandbox.Path) {
	seen := map[string]bool{}
	for _, t := range writes {
		var up []sandbox.Path
		for p := t.path.Dir(); !seen[p.Abs()]; p = p.Dir() {
			if _, err := s.c.Roots.Lstat(p); !notFound(err) {
				break
			}
			seen[p.Abs()] = true
			up = append(up, p)
		}
		for i := len(up) - 1; i >= 0; i-- {
			list = append(list, up[i])
		}
	}
	return list
}

// writeAll writes the files and gives those that have their new content, in order, when it fails.
func (s *staging) writeAll(ctx context.Context, writes []*staged) (done []wrote, err error) {
	type stage struct {
		ready, finished chan error
		start           chan bool
	}
	stages := make([]stage, len(writes))
	for i, t := range writes {
		st := stage{make(chan error, 1), make(chan error, 1), make(chan bool, 1)}
		stages[i] = st
		go func() {
			called := false
			o := sandbox.WriteOptions{Mkdirs: true, Mode: t.make}
			o.Check = func(old *os.File) error {
				if t.old != nil {
					if err := t.old.unchanged(old); err != nil {
						return err
					}
				}
				called = true
				st.ready <- nil
				if !<-st.start {
					return errAbort
				}
				return nil
			}
			_, err := s.c.Roots.WriteAtomic(ctx, t.path, bytes.NewReader(t.bytes), o)
			if !called {
				st.ready <- err
			}
			st.finished <- err
		}()
		// One after the other: the disk is one, and the first failure ends it.
		if err = <-st.ready; err != nil {
			stages = stages[:i+1]
			break
		}
	}
	for i, st := range stages {
		st.start <- err == nil
		switch ferr := <-st.finished; {
		case ferr == nil:
			done = append(done, wrote{writes[i], false})
		case err == nil:
			err = ferr
		}
	}
	return done, err
}

// rollBack puts back what the files held, last one first, and names those where that failed. It does not stop when the
// call is cancelled.
func (s *staging) rollBack(done []wrote) (lost []string) {
	ctx := context.Background()
	for i := len(done) - 1; i >= 0; i-- {
		t := done[i].t
		var err error
		if t.old == nil {
			err = s.c.Roots.Remove(t.path)
		} else {
			_, err = s.c.Roots.WriteAtomic(ctx, t.path, bytes.NewReader(t.old.bytes), sandbox.WriteOptions{Mode: t.old.info.Mode().Perm()})
		}
		if err != nil {
			lost = append(lost, sandbox.Printable(t.path.String()))
		}
	}
	return lost
}

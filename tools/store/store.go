package store

import (
	"context"
	"fmt"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	// MaxBytes is the size of a state file that is read or written.
	MaxBytes = 32 << 20
	// lockWait is how long a change waits for another server's.
	lockWait = 15 * time.Second
	// tries is how often a change starts again because the file changed under it.
	tries = 8
)

// Store is one state file with documents of type D. It is safe for concurrent use. Nothing is read or made before
// the first call.
type Store[D any] struct {
	path string
	turn chan struct{} // held by the one who reads the file or changes it
	last *seen[D]      // what the file held when it was last looked at, and the turn's
}

// seen is a document with the state of the file that it was read from.
type seen[D any] struct {
	doc   *Item[D]
	file  fileState
	fault string // why the file as it is on disk does not stand for doc alone
	bytes []byte // the file as it is, when fault is set
}

// New makes the store of the file at path, a configured one. With "" documents are kept in memory only, for as
// long as the store lives.
func New[D any](path string) *Store[D] {
	return &Store[D]{path: path, turn: make(chan struct{}, 1)}
}

// Path is the file.
func (s *Store[D]) Path() string { return s.path }

// Read gives the document as it is now. It must not be changed. What is wrong with the file is said to warn.
func (s *Store[D]) Read(ctx context.Context, warn func(string)) (*D, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.give()
	now, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if now.fault != "" {
		warn(fmt.Sprintf("%s: %s; what can be read is shown, and the next change keeps a copy of the file as it is", s.path, now.fault))
	}
	return &now.doc.V, nil
}

// Update changes the document: change gets a copy whose lists may be changed, and reports whether to write it. It
// is called again when the file was changed by another program meanwhile, so it must set what it gives out anew
// each time. When Update returns nil, the change is on disk or there was none to make.
func (s *Store[D]) Update(ctx context.Context, warn func(string), change func(d *D) (write bool, err error)) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.give()
	if s.path == "" {
		warn("there is no home folder to keep a file in; this is remembered until the server ends")
	} else {
		unlock, err := lock(ctx, s.path)
		if err != nil {
			return err
		}
		defer unlock()
	}
	for range tries {
		now, err := s.look(ctx)
		if err != nil {
			return err
		}
		write := false
		next := now.doc.with(func(d *D) { write, err = change(d) }, false)
		if err != nil || !write {
			return err
		}
		text := next.appendFile(nil)
		if len(text) > MaxBytes {
			return tools.Errorf(tools.TooLarge, "%s would have %d bytes, more than %d; nothing was written. Delete what is no longer needed", s.path, len(text), MaxBytes)
		}
		if s.path == "" {
			s.last = &seen[D]{doc: next}
			return nil
		}
		if now.fault != "" {
			kept, err := setAside(s.path, now.bytes)
			if err != nil {
				return err
			}
			warn(fmt.Sprintf("%s: %s; the file as it was is kept as %s", s.path, now.fault, kept))
		}
		state, err := replace(s.path, text, now.file)
		if err != nil {
			return err
		}
		if state.exists {
			s.last = &seen[D]{doc: next, file: state}
			return nil
		}
	}
	return tools.Errorf(tools.Conflict, "another program keeps changing %s; nothing was written, try again", s.path)
}

func (s *Store[D]) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store[D]) give() { <-s.turn }

// look gives the document of the file as it is now: the last one when it is still that file.
func (s *Store[D]) look(ctx context.Context) (*seen[D], error) {
	if s.path == "" {
		if s.last == nil {
			s.last = &seen[D]{doc: new(Item[D])}
		}
		return s.last, nil
	}
	var known *fileState
	if s.last != nil {
		known = &s.last.file
	}
	text, state, err := load(ctx, s.path, known)
	if err != nil {
		return nil, err
	}
	if known != nil && state.same(*known) {
		s.last.file = state
		return s.last, nil
	}
	next := &seen[D]{doc: new(Item[D]), file: state}
	if len(text) > 0 {
		var object []byte
		if object, next.fault = whole(text); next.fault != "" {
			next.bytes = text
		}
		if object != nil {
			next.doc.parse(object)
			next.doc.slim()
			if name := next.doc.misread(); name != "" && next.fault == "" {
				next.fault, next.bytes = fmt.Sprintf("its %s, or something in it, is no list", name), text
			}
		}
	}
	s.last = next
	return next, nil
}

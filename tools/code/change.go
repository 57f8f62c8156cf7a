package code

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// change is a file with its new content.
type change struct {
	src   *source
	fresh []byte
	count int // places changed
}

// skipped is a file that was left as it was, and why.
type skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

const hashPrefix = "sha256:"

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return string(hex.AppendEncode([]byte(hashPrefix), sum[:]))
}

// checkBase compares base_hash with what is there; "" always passes.
func checkBase(base string, b []byte) error {
	if base == "" {
		return nil
	}
	want := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(base)), hashPrefix)
	if len(want) < 16 || len(want) > 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return tools.Errorf(tools.InvalidParams, "base_hash must be \"sha256:\" and at least 16 hex digits, as fs.read and definition give it").
			With(tools.Details{Param: "base_hash", Expected: "sha256:<16 to 64 hex digits>", Actual: base})
	}
	if have := hashOf(b); !strings.HasPrefix(strings.TrimPrefix(have, hashPrefix), want) {
		return tools.Errorf(tools.Conflict, "the file has changed: its hash is %s; look at the symbol again, then repeat with the new hash", have).
			With(tools.Details{Param: "base_hash", Expected: base, Actual: have})
	}
	return nil
}

// cannotWrite says why a file may not be changed, "" when it may.
func cannotWrite(c *tools.Call, s *source) string {
	if why, ok := c.Roots.Protected(s.path); ok {
		return why
	}
	if s.path.Root != nil && s.path.Root.ReadOnly {
		return "its folder may only be read"
	}
	if s.info.Mode().Perm()&0o222 == 0 {
		return "read-only; ask the user to change its permissions"
	}
	return ""
}

// keepsMarks refuses a change that would put the mark of a hidden secret into a file: it is what an answer showed, not
// what the file holds.
func keepsMarks(ch *change) error {
	if !tools.HasMark(string(ch.fresh)) {
		return nil
	}
	count := func(b []byte) (n int) {
		for line := range bytes.Lines(b) {
			if tools.HasMark(string(line)) {
				n++
			}
		}
		return n
	}
	if count(ch.fresh) > count(ch.src.bytes) {
		return tools.Errorf(tools.Conflict, "the new text of %s holds the mark that stands for a secret in answers; leave that line out of the edit", sandbox.Printable(ch.src.name())).
			With(tools.Details{Param: "text"})
	}
	return nil
}

// commit writes all changes or none, under one lock. Files that were changed since they were read are a conflict.
func commit(ctx context.Context, c *tools.Call, changes []change) error {
	paths := make([]sandbox.Path, len(changes))
	for i, ch := range changes {
		if err := keepsMarks(&ch); err != nil {
			return err
		}
		paths[i] = ch.src.path
	}
	unlock, err := c.Roots.Lock(ctx, paths...)
	if err != nil {
		return err
	}
	defer unlock()
	return writeAll(ctx, c, changes)
}

// writeAll is commit for who holds the lock.
func writeAll(ctx context.Context, c *tools.Call, changes []change) error {
	var done []change
	for _, ch := range changes {
		_, err := c.Roots.WriteAtomic(ctx, ch.src.path, bytes.NewReader(ch.fresh), sandbox.WriteOptions{Check: ch.src.unchanged})
		if err == nil {
			done = append(done, ch)
			continue
		}
		var lost []string
		for i := len(done) - 1; i >= 0; i-- {
			back := context.WithoutCancel(ctx) // a cancelled call leaves no half of a change
			if _, err := c.Roots.WriteAtomic(back, done[i].src.path, bytes.NewReader(done[i].src.bytes), sandbox.WriteOptions{}); err != nil {
				lost = append(lost, sandbox.Printable(done[i].src.name()))
			}
		}
		out := *tools.AsError(about(err))
		if len(lost) > 0 {
			out.Message += "; these files were changed already and could not be put back: " + strings.Join(lost, ", ")
			return &out
		}
		out.Message += "; no file was changed"
		if moved := (*movedError)(nil); errors.As(err, &moved) {
			return &movedError{&out}
		}
		return &out
	}
	return nil
}

// movedError is the conflict of a file that was changed between reading and writing.
type movedError struct{ why *tools.Error }

func (e *movedError) Error() string { return e.why.Error() }

func (e *movedError) Unwrap() error { return e.why }

// again does a change of many files once more when another call changed one of them meanwhile: the texts are made anew from
// what is there, so that only who edits a named text by what it was has to be told.
func again(change func() (*tools.Result, error)) (res *tools.Result, err error) {
	for range 5 {
		var moved *movedError
		if res, err = change(); !errors.As(err, &moved) {
			break
		}
	}
	return res, err
}

// unchanged is a check right before a rename: the file still holds what was read.
func (s *source) unchanged(old *os.File) error {
	conflict := func(what string) error {
		return &movedError{tools.Errorf(tools.Conflict, "%s was %s meanwhile: look at it again", sandbox.Printable(s.name()), what).With(tools.Details{Param: "path"})}
	}
	if old == nil {
		return conflict("removed")
	}
	now, err := old.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, s.info) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime()) {
		return conflict("changed by another program")
	}
	return nil
}

// showDiff gives the diffs of changes, cut to what the caller takes.
func showDiff(c *tools.Call, changes []change, maxChars int) (string, bool) {
	var b strings.Builder
	for _, ch := range changes {
		b.WriteString(unified(ch.src.name(), string(ch.src.bytes), string(ch.fresh)))
	}
	head, cut := tools.Head(b.String(), tools.Limit(maxChars))
	if cut {
		c.Warn(fmt.Sprintf("the diff has %d bytes and is cut; give max_chars for more of it", b.Len()))
	}
	return head, cut
}

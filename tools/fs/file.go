package fs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

const (
	maxLoad = 16 << 20 // of a file that is read in one piece; larger ones are read in blocks
	maxEdit = 64 << 20 // of a file that is changed in memory
)

// where is how every result names its file: as given, and below the root.
type where struct {
	Path     string `json:"path"`
	Resolved string `json:"resolved"`
}

func at(given string, p sandbox.Path) where { return where{given, p.String()} }

// resolve finds the place that a parameter names.
func resolve(c *tools.Call, param, given string) (sandbox.Path, error) {
	if given == "" {
		return sandbox.Path{}, tools.Errorf(tools.InvalidParams, "%s is missing: give a file or folder", param).
			With(tools.Details{Param: param, Expected: "string"})
	}
	p, err := c.Roots.Resolve(given)
	if err != nil {
		return p, fail(c, err, param)
	}
	return p, nil
}

// fail adds to an error of the sandbox which parameter named the file, and the nearest name of one that is missing.
func fail(c *tools.Call, err error, param string) error {
	var e *sandbox.PathError
	if !errors.As(err, &e) {
		return err
	}
	out := tools.AsError(err)
	if out.Details == nil {
		out.With(tools.Details{})
	}
	out.Details.Param = param
	switch {
	case e.Kind == sandbox.NotFound && len(e.Near) == 0 && e.Reason == "":
		if target := linkToNothing(c, e.Path); target != "" {
			out.Message += "; it is a link to " + sandbox.Printable(target) + ", which does not exist"
		} else if near := nearest(c, e.Path); near != "" {
			out.Details.Nearest = near
			out.Message += "; the nearest is " + sandbox.Printable(near)
		} else {
			out.Message += `; look with action "list" or "find"`
		}
	case e.Kind == sandbox.Denied && e.Reason == "":
		if near := respelled(c, e.Path); near != "" {
			out.Details.Nearest = near
			out.Message += "; did you mean " + sandbox.Printable(near) + "?"
		}
	case e.Kind == sandbox.NotRegular && e.Reason == "":
		if p, err := c.Roots.Resolve(e.Path); err == nil {
			if fi, err := c.Roots.Lstat(p); err == nil {
				out.Message += " but a " + typeName(fi.Mode())
			}
		}
	case e.Kind == sandbox.NotRegular && strings.HasSuffix(e.Reason, "a folder"):
		out.Message += `; action "list" shows what is in it`
	}
	return out
}

// notFound reports whether err says that there is no such file.
func notFound(err error) bool { return sandbox.KindOf(err) == sandbox.NotFound }

// loaded is a whole file in memory.
type loaded struct {
	path  sandbox.Path
	info  fs.FileInfo
	bytes []byte
}

// load opens the existing file p, by exactly that name, and reads it to be changed. One that is too large comes
// without its bytes, beside a TOO_LARGE error.
func load(ctx context.Context, c *tools.Call, p sandbox.Path) (*loaded, error) {
	f, err := c.Roots.OpenFile(p, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Info.Size() > maxEdit {
		return &loaded{path: f.Path, info: f.Info}, tools.Errorf(tools.TooLarge, "%s has %d bytes; files above %d are not changed in memory: use exec, or write a new file",
			sandbox.Printable(p.Given), f.Info.Size(), maxEdit).With(tools.Details{Param: "path"})
	}
	b, err := readAll(ctx, f, maxEdit)
	if err != nil {
		return nil, err
	}
	return &loaded{path: f.Path, info: f.Info, bytes: b}, nil
}

// unchanged is a check right before a rename: the file is still the one that was loaded. It sees writers that know
// no lock, editors for one.
func (l *loaded) unchanged(old *os.File) error {
	if old == nil {
		return tools.Errorf(tools.Conflict, "%s was removed meanwhile; nothing was written", sandbox.Printable(l.path.Given))
	}
	now, err := old.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, l.info) || now.Size() != l.info.Size() || !now.ModTime().Equal(l.info.ModTime()) {
		return tools.Errorf(tools.Conflict, "%s was changed by another program meanwhile; nothing was written: read it again",
			sandbox.Printable(l.path.Given)).With(tools.Details{Param: "path"})
	}
	return nil
}

// readAll reads an open file of at most limit bytes: what it held when it was opened. Files without a size, those of
// /proc for one, are read to their end.
func readAll(ctx context.Context, f *sandbox.File, limit int64) ([]byte, error) {
	size := f.Info.Size()
	if size == 0 {
		return readUnsized(ctx, f, limit)
	}
	b := make([]byte, min(size, limit))
	n := 0
	for n < len(b) {
		m, err := f.Read(b[n:min(len(b), n+16<<20)])
		n += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return b[:n], nil
}

// readUnsized reads a file that says it has no bytes; one that does not answer is left after a moment.
func readUnsized(ctx context.Context, f *sandbox.File, limit int64) ([]byte, error) {
	_ = f.SetReadDeadline(time.Now().Add(2 * time.Second)) // most files know none
	var b []byte
	chunk := make([]byte, 64<<10)
	for int64(len(b)) < limit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.Read(chunk[:min(int64(len(chunk)), limit-int64(len(b)))])
		b = append(b, chunk[:n]...)
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

const hashPrefix = "sha256:"

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hashText(sum[:])
}

// hashBoth gives the hashes of two texts that may begin with the same bytes, which are hashed once.
func hashBoth(a, b []byte) [2]string {
	const block = 64 << 10
	n := 0
	for n+block <= min(len(a), len(b)) && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	h := sha256.New()
	h.Write(a[:n])
	twin, ok := h.(hash.Cloner)
	if !ok {
		return [2]string{hashOf(a), hashOf(b)}
	}
	other, err := twin.Clone()
	if err != nil {
		return [2]string{hashOf(a), hashOf(b)}
	}
	h.Write(a[n:])
	_, _ = other.Write(b[n:]) // a hash never fails
	return [2]string{hashText(h.Sum(nil)), hashText(other.Sum(nil))}
}

func hashText(sum []byte) string { return string(hex.AppendEncode([]byte(hashPrefix), sum)) }

// checkBase compares base_hash with the hash of what is there; "" always passes.
func checkBase(base, present string) error {
	if base == "" {
		return nil
	}
	want, err := baseHash(base)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(strings.TrimPrefix(present, hashPrefix), want) {
		return tools.Errorf(tools.Conflict, "the file has changed: its hash is %s; read it again, then repeat with the new hash",
			present).With(tools.Details{Param: "base_hash", Expected: base, Actual: present})
	}
	return nil
}

// baseHash gives the hex digits of a base_hash.
func baseHash(base string) (string, error) {
	want := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(base)), hashPrefix)
	if len(want) < 16 || len(want) > 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return "", tools.Errorf(tools.InvalidParams, "base_hash must be \"sha256:\" and at least 16 hex digits, as read gives it").
			With(tools.Details{Param: "base_hash", Expected: "sha256:<16 to 64 hex digits>", Actual: base})
	}
	return want, nil
}

// binaryError tells that a file is no text.
func binaryError(p sandbox.Path, mime string, size int64) error {
	return tools.Errorf(tools.Binary, "%s is binary (%s, %d bytes); read it with encoding:\"base64\"",
		sandbox.Printable(p.Given), mime, size).With(tools.Details{Param: "path", Actual: mime, Suggestion: `encoding:"base64"`})
}

// warnFormat says what is doubtful about the text of a file.
func warnFormat(c *tools.Call, f text.Format, given string) {
	name := sandbox.Printable(given)
	switch {
	case f.Invalid > 0:
		c.Warn(name + " has bytes that are no UTF-8; they are shown as U+FFFD and kept by edits")
	case f.Guessed:
		c.Warn("the encoding of " + name + " is a guess (" + f.Encoding + "); give encoding to read it as another")
	}
}

package fs

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fs/patch"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

// staging holds the files of a patch as they will be.
type staging struct {
	c     *tools.Call
	files map[string]*staged // by their real place
	order []*staged
	keys  []string // for each file of the patch, where its result stands
	bytes int64
}

// staged is one file: as it is, and as it will be.
type staged struct {
	path sandbox.Path
	old  *loaded // nil: there is none
	link bool    // the name is a link

	exists  bool // as it will be
	bytes   []byte
	decoded bool // text stands for bytes, which are made of it at the end
	text    string
	format  text.Format
	make    fs.FileMode // mode of a new file, less the umask; 0: the usual one
	chmod   fs.FileMode // mode to be set; 0: not
}

// lock locks all files of a patch together.
func (s *staging) lock(ctx context.Context, files []patch.File) (func(), error) {
	var paths []sandbox.Path
	for _, f := range files {
		for _, name := range []string{f.Path, f.To} {
			if name == "" {
				continue
			}
			p, err := resolve(s.c, "patch", name)
			if err != nil {
				return nil, err
			}
			paths = append(paths, p)
		}
	}
	unlock, err := s.c.Roots.Lock(ctx, paths...)
	return unlock, fail(s.c, err, "patch")
}

// file gives the state of a file, loading it when the patch has not met it yet.
func (s *staging) file(ctx context.Context, name string) (string, *staged, error) {
	p, err := resolve(s.c, "patch", name)
	if err != nil {
		return "", nil, err
	}
	real, err := s.c.Roots.Follow(p)
	if err != nil {
		return "", nil, fail(s.c, err, "patch")
	}
	key := real.Abs()
	if t := s.files[key]; t != nil {
		return key, t, nil
	}
	t := &staged{path: p, format: text.Format{Encoding: text.UTF8}}
	t.old, err = load(ctx, s.c, p)
	switch {
	case notFound(err):
		t.old = nil
		if fi, lerr := s.c.Roots.Lstat(p); lerr == nil && fi.Mode()&fs.ModeSymlink != 0 {
			return "", nil, tools.Errorf(tools.Conflict, "%s is a link to nothing; nothing was changed", sandbox.Printable(name)).
				With(tools.Details{Param: "patch"})
		}
	case err != nil:
		return "", nil, fail(s.c, err, "patch")
	default:
		if s.bytes += int64(len(t.old.bytes)); s.bytes > maxPatchBytes {
			return "", nil, tools.Errorf(tools.TooLarge, "the files of the patch have more than %d bytes; split it", maxPatchBytes).
				With(tools.Details{Param: "patch"})
		}
		t.exists, t.bytes = true, t.old.bytes
		if fi, lerr := s.c.Roots.Lstat(p); lerr == nil {
			t.link = fi.Mode()&fs.ModeSymlink != 0
		}
	}
	s.files[key] = t
	s.order = append(s.order, t)
	return key, t, nil
}

// decode makes the text of a file ready to be changed.
func (t *staged) decode() error {
	if t.decoded {
		return nil
	}
	s, format, err := text.Decode(t.bytes)
	if err != nil {
		return binaryError(t.path, binaryMIME(t.bytes[:min(len(t.bytes), 512)]), int64(len(t.bytes)))
	}
	if !format.Editable() || !format.Lossless(t.bytes, s) {
		return tools.Errorf(tools.Unsupported, "it is %s, which cannot be edited without risk; convert it first", format.Encoding).
			With(tools.Details{Param: "patch", Actual: format.Encoding})
	}
	t.text, t.format, t.decoded = s, format, true
	return nil
}

// stage makes one section of the patch, in memory.
func (s *staging) stage(ctx context.Context, f *patch.File) (patched, error) {
	key, t, err := s.file(ctx, f.Path)
	if err != nil {
		return patched{}, err
	}
	r := patched{Op: string(f.Op), Path: f.Path}
	switch f.Op {
	case patch.Add:
		if t.exists {
			return r, tools.Errorf(tools.Conflict, "it exists; use \"*** Update File\", or delete it first").
				With(tools.Details{Param: "patch", Actual: f.Path})
		}
		if err := meant(s.c, "patch", f.Path, true); err != nil {
			return r, err
		}
		t.exists, t.decoded, t.text, t.format = true, true, f.Content, text.Format{Encoding: text.UTF8}
		if f.Mode&0o111 != 0 {
			t.make = 0o777
		}
	case patch.Delete:
		if !t.exists {
			return r, fail(s.c, &sandbox.PathError{Op: "delete", Path: f.Path, Kind: sandbox.NotFound}, "patch")
		}
		if t.link {
			return r, tools.Errorf(tools.Conflict, "it is a link; remove it with action \"rm\"").
				With(tools.Details{Param: "patch", Actual: f.Path})
		}
		if err := t.holdsOnly(f.Hunks); err != nil {
			return r, err
		}
		t.exists = false
	case patch.Update, patch.Copy:
		if !t.exists {
			return r, fail(s.c, &sandbox.PathError{Op: "update", Path: f.Path, Kind: sandbox.NotFound}, "patch")
		}
		if key, err = s.update(ctx, f, key, t, &r); err != nil {
			return r, err
		}
	}
	s.keys = append(s.keys, key)
	return r, nil
}

// holdsOnly checks that a file to be deleted holds what the diff says it removes, and nothing else.
func (t *staged) holdsOnly(hunks []patch.Hunk) error {
	if len(hunks) == 0 {
		return nil
	}
	if err := t.decode(); err != nil {
		return err
	}
	left, err := patch.Apply(t.text, hunks)
	if err != nil {
		return err
	}
	if left != "" {
		return tools.Errorf(tools.Conflict, "it has %d lines that the patch does not remove; read it again", text.Lines(left)).
			With(tools.Details{Param: "patch"})
	}
	return nil
}

// update makes the hunks of a section, and moves or copies the file where it says so. It gives the key of the file
// that holds the result.
func (s *staging) update(ctx context.Context, f *patch.File, key string, t *staged, r *patched) (string, error) {
	dest, to := t, key
	if f.To != "" {
		var err error
		if to, dest, err = s.file(ctx, f.To); err != nil {
			return "", err
		}
		r.From, r.Path = f.Path, f.To
		if r.Op = "move"; f.Op == patch.Copy {
			r.Op = "copy"
		}
	}
	if dest == t && f.To != "" {
		r.Op, r.From = "update", "" // moved onto itself
		if len(f.Hunks) == 0 {
			return key, nil
		}
	} else if dest != t && dest.exists {
		return "", tools.Errorf(tools.Conflict, "%s exists; delete it first, or choose another name", sandbox.Printable(f.To)).
			With(tools.Details{Param: "patch", Actual: f.To})
	}
	if dest != t && f.Op == patch.Update && t.link {
		return "", tools.Errorf(tools.Conflict, "it is a link; move it with action \"mv\"").
			With(tools.Details{Param: "patch", Actual: f.Path})
	}
	was := *t
	if len(f.Hunks) > 0 {
		if err := t.decode(); err != nil {
			return "", err
		}
		fresh, err := patch.Apply(t.text, f.Hunks)
		if err != nil {
			return "", err
		}
		if err := keepsMarks("patch", t.text, fresh); err != nil {
			return "", err
		}
		if t.format.Doubtful && bringsCharacters(t.text, fresh) {
			return "", tools.Errorf(tools.Conflict, "its encoding is a guess (%s), too weak to write characters beyond ASCII by; edit it with action \"apply_patch\" and encoding", t.format.Encoding).
				With(tools.Details{Param: "patch", Actual: t.format.Encoding})
		}
		was.decoded, was.text, was.format = true, fresh, t.format
	}
	dest.exists, dest.bytes, dest.decoded, dest.text, dest.format = true, was.bytes, was.decoded, was.text, was.format
	if dest != t {
		dest.make = was.make
		if t.old != nil {
			dest.chmod = t.old.info.Mode().Perm()
		}
		t.exists = f.Op == patch.Copy
	}
	dest.execute(f.Mode)
	return to, nil
}

// execute gives or takes leave to run the file, as the mode in a diff says; 0 says nothing.
func (t *staged) execute(mode fs.FileMode) {
	now := t.chmod
	if now == 0 && t.old != nil {
		now = t.old.info.Mode().Perm()
	}
	switch {
	case mode == 0:
	case now == 0:
		t.make = 0o666 | mode&0o111
	case mode&0o111 != 0:
		t.chmod = now | now&0o444>>2
	default:
		t.chmod = now &^ 0o111
	}
}

// checkBase checks base_hash against the one file of the patch that exists.
func (s *staging) checkBase(base string) error {
	if base == "" {
		return nil
	}
	var only *staged
	for _, t := range s.order {
		if t.old != nil && only != nil {
			return tools.Errorf(tools.InvalidParams, "base_hash is for one file, but the patch changes several; leave it out").
				With(tools.Details{Param: "base_hash"})
		}
		if t.old != nil {
			only = t
		}
	}
	if only == nil {
		return tools.Errorf(tools.Conflict, "base_hash was given, but no file of the patch exists").
			With(tools.Details{Param: "base_hash", Actual: "no file"})
	}
	return checkBase(base, hashOf(only.old.bytes))
}

// finish encodes the new contents and gives the diff of them all.
func (s *staging) finish() (string, error) {
	var b strings.Builder
	for _, t := range s.order {
		if t.exists && t.decoded {
			var err error
			if t.bytes, err = t.format.Encode(t.text); err != nil {
				return "", encodeError(err, "patch")
			}
		}
		if s.bytes += int64(len(t.bytes)); s.bytes > 2*maxPatchBytes {
			return "", tools.Errorf(tools.TooLarge, "the patch would write more than %d bytes; split it", maxPatchBytes).
				With(tools.Details{Param: "patch"})
		}
		if err := writable(s.c, t.path, t.old); err != nil {
			return "", err
		}
		old, fresh, ok := t.texts()
		if !ok {
			fmt.Fprintf(&b, "Binary file %s\n", sandbox.Printable(t.path.String()))
			continue
		}
		if old != nil && fresh != nil {
			if err := keepsMarks("patch", *old, *fresh); err != nil {
				return "", err
			}
		}
		b.WriteString(unified(t.path.String(), old, fresh))
	}
	return b.String(), nil
}

// texts gives the file before and after as text, for its diff.
func (t *staged) texts() (old, fresh *string, ok bool) {
	if t.old != nil {
		s, _, err := text.Decode(t.old.bytes)
		if err != nil {
			return nil, nil, false
		}
		old = &s
	}
	if t.exists {
		s, _, err := text.Decode(t.bytes)
		if err != nil {
			return nil, nil, false
		}
		fresh = &s
	}
	return old, fresh, true
}

package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"
)

// maxFile bounds a client's settings file, in bytes; some clients keep their history in it.
const maxFile = 256 << 20

// Change is an edit of one client's file, planned and not yet made.
type Change struct {
	File   string // the real file, links resolved
	Before []byte // nil when there is none yet
	After  []byte
	Mode   fs.FileMode

	// Dropped are the members of an entry that stood there that say how another server was reached: they go.
	Dropped []string
}

// Same reports whether there is nothing to do.
func (c *Change) Same() bool { return c.Before != nil && bytes.Equal(c.Before, c.After) }

// Diff is the change as a unified diff.
func (c *Change) Diff() string {
	return udiff.Unified(c.File, c.File, string(c.Before), string(c.After))
}

// Plan reads the client's file and works out what it would be with the entry, or without it when e is nil. It
// writes nothing. The error says what is wrong with a file that cannot be edited; such a file is left alone.
func (c *Client) Plan(s System, e *Entry) (*Change, error) {
	change := &Change{File: c.file(s), Mode: 0o600}
	if real, err := filepath.EvalSymlinks(change.File); err == nil {
		change.File = real
	}
	info, err := os.Stat(change.File)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", change.File)
	case err == nil && info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes: too large to edit safely", change.File, info.Size())
	case err == nil:
		change.Mode = info.Mode().Perm()
		if change.Before, err = os.ReadFile(change.File); err != nil {
			return nil, fmt.Errorf("reading the settings of %s: %w", c.Title, err)
		}
		if change.Before == nil {
			change.Before = []byte{}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the settings of %s: %w", c.Title, err)
	}
	var member any
	if e != nil {
		member = c.make(*e, s.OS)
	}
	if change.Before == nil && e == nil {
		return change, nil
	}
	edit := editJSON
	if c.toml {
		edit = editTOML
	}
	if change.After, err = edit(change.Before, c.path, member); err != nil {
		return nil, fmt.Errorf("%s of %s cannot be edited, and was left as it is: %w", change.File, c.Title, err)
	}
	if e != nil {
		change.Dropped = c.dropped(change.Before, change.After)
	}
	return change, nil
}

// maxBackups is how many old files are kept beside a file.
const maxBackups = 20

// Backup is where Apply keeps the file as it was: beside it, under the first name that is free or holds the same.
func (c *Change) Backup() string {
	name := c.File + ".hanzo-backup"
	for i := 2; i <= maxBackups; i++ {
		old, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(old, c.Before) {
			break
		}
		name = fmt.Sprintf("%s.hanzo-backup-%d", c.File, i)
	}
	return name
}

// Apply makes the change: the old file is kept as Backup, the new one takes its place whole. It refuses when the
// file is another than when the change was planned.
func (c *Change) Apply() error {
	now, err := os.ReadFile(c.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, c.Before) || (err != nil) != (c.Before == nil) {
		return fmt.Errorf("%s was changed meanwhile: run the command again", c.File)
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o700); err != nil {
		return err
	}
	if c.Before != nil {
		if err := replace(c.Backup(), c.Before, 0o600); err != nil {
			return fmt.Errorf("keeping the old file: %w", err)
		}
	}
	return replace(c.File, c.After, c.Mode)
}

// replace writes a whole file or leaves the old one.
func replace(file string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".hanzo-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already once it is renamed
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

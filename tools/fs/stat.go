package fs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

type statIn struct {
	Path string `json:"path"`
	Hash bool   `json:"hash"`
}

type statData struct {
	where
	Size     int64  `json:"size"`
	Type     string `json:"type"` // file, dir, link, fifo, socket, device
	Mode     string `json:"mode"`
	Modified string `json:"mtime"`
	Target   string `json:"target,omitempty"`      // of a link, as written
	To       string `json:"target_type,omitempty"` // of what a link leads to; "missing", "outside", "cycle"
	MIME     string `json:"mime,omitempty"`
	Binary   *bool  `json:"binary,omitempty"`
	Hash     string `json:"hash,omitempty"`
}

func stat(ctx context.Context, c *tools.Call, in statIn) (*tools.Result, error) {
	p, err := resolve(c, "path", in.Path)
	if err != nil {
		return nil, err
	}
	fi, err := c.Roots.Lstat(p)
	if notFound(err) {
		var q sandbox.Path
		if _, q, err = c.Roots.Stat(p); err == nil {
			p = q
			c.Warn(p.Warning)
			fi, err = c.Roots.Lstat(p)
		}
	}
	if err != nil {
		return nil, fail(c, err, "path")
	}
	d := &statData{where: at(in.Path, p), Size: fi.Size(), Type: typeName(fi.Mode()), Mode: fmt.Sprintf("%04o", unixMode(fi.Mode())),
		Modified: fi.ModTime().Format(time.RFC3339Nano)}
	if fi.Mode()&fs.ModeSymlink != 0 {
		d.Target, _ = c.Roots.Readlink(p)
		to, _, err := c.Roots.Stat(p)
		switch {
		case err == nil:
			d.To = typeName(to.Mode())
			fi = to
		case notFound(err):
			d.To = "missing"
		case sandbox.KindOf(err) == sandbox.TooManyLinks:
			d.To = "cycle"
		default:
			d.To = "outside"
		}
	}
	if fi.Mode().IsRegular() {
		if err := d.look(ctx, c, p, in.Hash); err != nil && in.Hash {
			return &tools.Result{Data: d}, fail(c, err, "path")
		}
	}
	if in.Hash && !fi.Mode().IsRegular() {
		c.Warn("a " + typeName(fi.Mode()) + " has no hash")
	}
	return &tools.Result{Data: d}, nil
}

// look reads the start of the file for its kind, and all of it for its hash.
func (d *statData) look(ctx context.Context, c *tools.Call, p sandbox.Path, hash bool) error {
	f, err := c.Roots.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 8<<10)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	_, err = text.Detect(head, n < cap(head))
	binary := err != nil
	d.Binary = &binary
	if d.MIME = textMIME(p.Base()); binary {
		d.MIME = binaryMIME(head[:min(n, 512)])
	}
	if !hash {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, reading{ctx, io.NewSectionReader(f, 0, f.Info.Size())}); err != nil {
		return err
	}
	d.Hash = hashText(sum.Sum(nil))
	return nil
}

// reading ends a long read when its call does.
type reading struct {
	ctx context.Context
	r   io.Reader
}

func (r reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

func typeName(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "dir"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// unixMode gives the mode bits as chmod counts them.
func unixMode(m fs.FileMode) uint32 {
	n := uint32(m.Perm())
	for bit, with := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&bit != 0 {
			n |= with
		}
	}
	return n
}

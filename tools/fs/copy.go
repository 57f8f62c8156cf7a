package fs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

const (
	maxCopied     = 50_000  // entries of a copied folder
	maxCopiedSize = 4 << 30 // bytes of a copy
)

func copyTo(ctx context.Context, c *tools.Call, in moveIn) (*tools.Result, error) {
	x, unlock, err := in.ends(ctx, c, true)
	if err != nil {
		return nil, err
	}
	defer unlock()
	x.followFile(c)
	res := &tools.Result{Data: x.data}
	if x.data.Same || x.old != nil && os.SameFile(x.info, x.old) {
		x.data.Same = true
		c.Warn("source and destination are the same file; nothing was done")
		return res, nil
	}
	if err := copyEntry(ctx, c, x, in); err != nil {
		return nil, err
	}
	return res, nil
}

// followFile takes the file in place of a link to it that was named, as cp does. Other links stay links.
func (x *pair) followFile(c *tools.Call) {
	if x.info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	info, p, err := c.Roots.Stat(x.from)
	if err == nil && info.Mode().IsRegular() {
		x.from, x.info = p, info
		x.data.Type = typeName(info.Mode())
	}
}

// copyEntry copies a file, a link as a link, or a folder with all that is in it. A dry run makes all its checks.
func copyEntry(ctx context.Context, c *tools.Call, x *pair, in moveIn) error {
	if err := writable(c, x.to, nil); err != nil {
		return err
	}
	switch m := x.info.Mode(); {
	case m.IsDir():
		return copyFolder(ctx, c, x, in)
	case m.IsRegular():
		return copyFile(ctx, c, x, in)
	case m&fs.ModeSymlink != 0:
		return copyLink(c, x, in)
	}
	return tools.Errorf(tools.Unsupported, "%s is a %s; only files, links and folders are copied",
		sandbox.Printable(x.from.Given), x.data.Type).With(tools.Details{Param: "path", Actual: x.data.Type})
}

func copyFile(ctx context.Context, c *tools.Call, x *pair, in moveIn) error {
	if x.info.Size() > maxCopiedSize {
		return tooLarge(x.info.Size())
	}
	f, err := c.Roots.OpenFile(x.from, os.O_RDONLY, 0)
	if err != nil {
		return fail(c, err, "path")
	}
	defer f.Close()
	x.data.Bytes = f.Info.Size()
	if err := c.Roots.CheckWrite(x.to, in.mkdirs()); err != nil || in.DryRun {
		return fail(c, err, "destination")
	}
	if err := in.parents(c, x.to); err != nil {
		return err
	}
	var src io.Reader = io.NewSectionReader(f, 0, f.Info.Size())
	if f.Info.Size() == 0 {
		src = io.LimitReader(f, maxLoad)
	}
	_, err = c.Roots.WriteAtomic(ctx, x.to, src, sandbox.WriteOptions{Mode: f.Info.Mode().Perm()})
	if err == nil && x.moving {
		err = c.Roots.Chtimes(x.to, f.Info.ModTime(), f.Info.ModTime())
	}
	return fail(c, err, "destination")
}

func copyLink(c *tools.Call, x *pair, in moveIn) error {
	target, err := c.Roots.Readlink(x.from)
	if err != nil {
		return fail(c, err, "path")
	}
	if err := c.Roots.CheckNew(x.to, true, in.mkdirs()); err != nil || in.DryRun {
		return fail(c, err, "destination")
	}
	if err := in.parents(c, x.to); err != nil {
		return err
	}
	if x.old != nil && in.Overwrite {
		if err := c.Roots.Remove(x.to); err != nil {
			return fail(c, err, "destination")
		}
	}
	if !x.moving {
		target = x.moved(c, target)
	}
	return fail(c, c.Roots.Symlink(target, x.to), "destination")
}

// moved gives the text of a relative link as it leads to the same place from the folder of the destination.
func (x *pair) moved(c *tools.Call, target string) string {
	from, err := c.Roots.Follow(x.from.Dir())
	to, err2 := c.Roots.Follow(x.to.Dir())
	if err != nil || err2 != nil || filepath.IsAbs(target) || from.Abs() == to.Abs() {
		return target
	}
	if rel, err := filepath.Rel(to.Abs(), filepath.Join(from.Abs(), target)); err == nil {
		return filepath.ToSlash(rel)
	}
	return target
}

func tooLarge(n int64) error {
	return tools.Errorf(tools.TooLarge, "it has more than %d bytes, the most that is copied here (%d were counted); use exec with cp -a",
		int64(maxCopiedSize), n).With(tools.Details{Param: "path", Suggestion: "exec: cp -a"})
}

// copyFolder copies into a new folder beside the destination and renames it when all is there.
func copyFolder(ctx context.Context, c *tools.Call, x *pair, in moveIn) error {
	from, err := c.Roots.Follow(x.from)
	if err != nil {
		return fail(c, err, "path")
	}
	const sep = string(os.PathSeparator)
	if to, err := c.Roots.Follow(x.to); err == nil && strings.HasPrefix(to.Abs()+sep, from.Abs()+sep) {
		return tools.Errorf(tools.InvalidParams, "a folder cannot be copied into itself; choose another destination").
			With(tools.Details{Param: "destination"})
	}
	list, err := folderList(ctx, c, x, from)
	if err != nil {
		return err
	}
	for _, e := range list { // what may not be written there may not be written under another name first
		if why, ok := c.Roots.Protected(x.to.Join(e.rel)); ok {
			return tools.Errorf(tools.PermissionDenied, "copy %s: %s; nothing was copied",
				sandbox.Printable(path.Join(from.String(), e.rel)), why).With(tools.Details{Param: "path"})
		}
	}
	if err := c.Roots.CheckNew(x.to, false, in.mkdirs()); err != nil || in.DryRun {
		return fail(c, err, "destination")
	}
	if err := in.parents(c, x.to); err != nil {
		return err
	}
	temp := x.to.Dir().Join(tempName())
	if err := c.Roots.Mkdir(temp, 0o700); err != nil {
		return fail(c, renamed(err, temp, x.to), "destination")
	}
	if err = x.fill(ctx, c, from, temp, list); err == nil {
		err = c.Roots.Chmod(temp, x.info.Mode().Perm())
	}
	if err == nil && x.moving {
		err = c.Roots.Chtimes(temp, x.info.ModTime(), x.info.ModTime())
	}
	if err == nil {
		err = c.Roots.Rename(temp, x.to, false)
	}
	if err != nil {
		_ = c.Roots.RemoveAll(temp)
		return fail(c, renamed(err, temp, x.to), "path")
	}
	return nil
}

// tempName is a name for a folder until all is in it.
func tempName() string {
	return ".hanzo-mcp-" + strconv.FormatUint(uint64(os.Getpid()), 36) + "-" + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
}

// renamed gives an error about a place in the folder temp as one about the place that was meant.
func renamed(err error, temp, to sandbox.Path) error {
	var e *sandbox.PathError
	if !errors.As(err, &e) || !strings.HasPrefix(e.Path, temp.Given) {
		return err
	}
	out := *e
	out.Path = to.Given + strings.TrimPrefix(e.Path, temp.Given)
	return &out
}

// copied is an entry of a folder to be copied.
type copied struct {
	rel  string // below the folder
	typ  tree.Type
	mode fs.FileMode
	time time.Time
}

// folderList lists what is in the folder, folders before what they hold, and refuses more than is copied in one call.
func folderList(ctx context.Context, c *tools.Call, x *pair, from sandbox.Path) ([]copied, error) {
	root, rel, err := c.Roots.Sub(from)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	var list []copied
	for cursor := ""; ; {
		l, err := tree.List(ctx, root, rel, tree.Options{NoIgnore: true, Git: true}, tree.Page{Limit: maxCopied + 1, Cursor: cursor})
		if err != nil {
			return nil, fail(c, err, "path")
		}
		if l.Stats.SkippedTotal > 0 {
			k := l.Stats.Skipped[0]
			return nil, tools.Errorf(tools.PermissionDenied, "%s cannot be read (%s); nothing was copied",
				sandbox.Printable(k.Path), k.Reason).With(tools.Details{Param: "path"})
		}
		for _, f := range l.Entries {
			if f.Type == tree.Other {
				c.Warn(sandbox.Printable(f.Path) + " is no file, link or folder and was left out")
				continue
			}
			if f.Type == tree.File {
				x.data.Bytes += f.Info.Size
			}
			list = append(list, copied{below(rel, f.Path), f.Type, f.Info.Mode.Perm(), f.Info.ModTime})
		}
		if cursor = l.Cursor; cursor == "" {
			break
		}
		if len(list) > maxCopied {
			return nil, tools.Errorf(tools.TooLarge, "it has more than %d entries, the most that is copied here; use exec with cp -a",
				maxCopied).With(tools.Details{Param: "path", Suggestion: "exec: cp -a"})
		}
	}
	if x.data.Bytes > maxCopiedSize {
		return nil, tooLarge(x.data.Bytes)
	}
	x.data.Entries = len(list)
	return list, nil
}

// fill copies the entries of from into the folder temp.
func (x *pair) fill(ctx context.Context, c *tools.Call, from, temp sandbox.Path, list []copied) error {
	var folders []copied
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		dest := temp.Join(e.rel)
		var err error
		switch e.typ {
		case tree.Dir:
			err = c.Roots.Mkdir(dest, 0o700)
			folders = append(folders, e)
		case tree.Link:
			var target string
			if target, err = c.Roots.Readlink(from.Join(e.rel)); err == nil {
				err = c.Roots.Symlink(target, dest)
			}
		default:
			if err = copyInto(ctx, c, from.Join(e.rel), dest, e.mode); err == nil && x.moving {
				err = c.Roots.Chtimes(dest, e.time, e.time)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, e := range slices.Backward(folders) {
		if err := c.Roots.Chmod(temp.Join(e.rel), e.mode); err != nil {
			return err
		}
		if x.moving {
			if err := c.Roots.Chtimes(temp.Join(e.rel), e.time, e.time); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyInto(ctx context.Context, c *tools.Call, from, dest sandbox.Path, mode fs.FileMode) error {
	src, err := c.Roots.OpenFile(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	out, err := c.Roots.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, reading{ctx, io.LimitReader(src, maxCopiedSize)})
	if err == nil {
		err = out.Chmod(mode)
	}
	return errors.Join(err, out.Close())
}

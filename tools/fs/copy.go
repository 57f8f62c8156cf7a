package fs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

const (
	maxCopied     = 50_000  // entries of a copied folder
	maxCopiedSize = 4 << 30 // bytes of a copy
)

func copyTo(ctx context.Context, c *tools.Call, in moveIn) (*tools.Result, error) {
	x, unlock, err := in.ends(ctx, c)
	if err != nil {
		return nil, err
	}
	defer unlock()
	res := &tools.Result{Data: x.data}
	if x.data.Same || x.old != nil && os.SameFile(x.info, x.old) {
		x.data.Same = true
		c.Warn("source and destination are the same file; nothing was done")
		return res, nil
	}
	if err := writable(c, x.to, nil); err != nil {
		return nil, err
	}
	if in.DryRun {
		return res, nil
	}
	if err := copyEntry(ctx, c, x, in); err != nil {
		return nil, err
	}
	return res, nil
}

// copyEntry copies a file, a link as a link, or a folder with all that is in it.
func copyEntry(ctx context.Context, c *tools.Call, x *pair, in moveIn) error {
	if x.info.IsDir() {
		return copyFolder(ctx, c, x, in)
	}
	regular, link := x.info.Mode().IsRegular(), x.info.Mode()&fs.ModeSymlink != 0
	if regular || link {
		if err := in.parents(c, x.to); err != nil {
			return err
		}
	}
	switch {
	case regular:
		return copyFile(ctx, c, x)
	case link:
		return copyLink(c, x, in)
	}
	return tools.Errorf(tools.Unsupported, "%s is a %s; only files, links and folders are copied",
		sandbox.Printable(x.from.Given), x.data.Type).With(tools.Details{Param: "path", Actual: x.data.Type})
}

func copyFile(ctx context.Context, c *tools.Call, x *pair) error {
	if x.info.Size() > maxCopiedSize {
		return tooLarge(x.info.Size())
	}
	f, err := c.Roots.OpenFile(x.from, os.O_RDONLY, 0)
	if err != nil {
		return fail(c, err, "path")
	}
	defer f.Close()
	x.data.Bytes = f.Info.Size()
	var src io.Reader = io.NewSectionReader(f, 0, f.Info.Size())
	if f.Info.Size() == 0 {
		src = io.LimitReader(f, maxLoad)
	}
	_, err = c.Roots.WriteAtomic(ctx, x.to, src, sandbox.WriteOptions{Mode: f.Info.Mode().Perm()})
	return fail(c, err, "destination")
}

func copyLink(c *tools.Call, x *pair, in moveIn) error {
	target, err := c.Roots.Readlink(x.from)
	if err != nil {
		return fail(c, err, "path")
	}
	if x.old != nil && in.Overwrite {
		if err := c.Roots.Remove(x.to); err != nil {
			return fail(c, err, "destination")
		}
	}
	return fail(c, c.Roots.Symlink(target, x.to), "destination")
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
	if err := in.parents(c, x.to); err != nil {
		return err
	}
	temp := x.to.Dir().Join(".hanzo-mcp-" + strconv.FormatUint(uint64(os.Getpid()), 36) + "-" + x.to.Base() + ".tmp")
	if err := c.Roots.Mkdir(temp, 0o700); err != nil {
		return fail(c, err, "destination")
	}
	if err = fill(ctx, c, from, temp, list); err == nil {
		err = c.Roots.Chmod(temp, x.info.Mode().Perm())
	}
	if err == nil {
		err = c.Roots.Rename(temp, x.to, false)
	}
	if err != nil {
		_ = c.Roots.RemoveAll(temp)
		return fail(c, err, "path")
	}
	return nil
}

// copied is an entry of a folder to be copied.
type copied struct {
	rel  string // below the folder
	typ  tree.Type
	mode fs.FileMode
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
			list = append(list, copied{below(rel, f.Path), f.Type, f.Info.Mode.Perm()})
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
func fill(ctx context.Context, c *tools.Call, from, temp sandbox.Path, list []copied) error {
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
			err = copyInto(ctx, c, from.Join(e.rel), dest, e.mode)
		}
		if err != nil {
			return err
		}
	}
	for i := len(folders) - 1; i >= 0; i-- {
		if err := c.Roots.Chmod(temp.Join(folders[i].rel), folders[i].mode); err != nil {
			return err
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

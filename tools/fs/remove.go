package fs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type removeIn struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Confirm   bool   `json:"confirm"`
	DryRun    bool   `json:"dry_run"`
	MaxChars  int    `json:"max_chars"`
}

type removeData struct {
	where
	Type    string `json:"type"`
	Entries int    `json:"entries,omitempty"` // of a folder, at all levels
	Bytes   int64  `json:"bytes,omitempty"`
	Removed int    `json:"removed,omitempty"` // of the entries, when the rest could not be
	DryRun  bool   `json:"dry_run,omitempty"`
}

const maxCounted = 100_000 // entries counted before a removal

// removesTree reports whether the call would remove a folder with what is in it.
func removesTree(c *tools.Call) bool { return c.Args.Bool("recursive") && !c.Args.Bool("dry_run") }

func remove(ctx context.Context, c *tools.Call, in removeIn) (*tools.Result, error) {
	p, err := resolve(c, "path", in.Path)
	if err != nil {
		return nil, err
	}
	unlock, err := c.Roots.LockEntries(ctx, p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	defer unlock()
	fi, err := c.Roots.Lstat(p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	if err := c.Roots.CheckRemove(p); err != nil { // before anything is counted or shown
		return nil, fail(c, err, "path")
	}
	d := &removeData{where: at(in.Path, p), Type: typeName(fi.Mode()), DryRun: in.DryRun}
	res := &tools.Result{Data: d}
	full := false
	if fi.IsDir() {
		if full, err = hasEntries(c, p); err != nil {
			return nil, fail(c, err, "path")
		}
	} else {
		d.Bytes = fi.Size()
	}
	if full {
		if res.Text, res.Truncated, err = d.count(ctx, c, p, in); err != nil {
			return nil, err
		}
		if err := in.allowed(d); err != nil {
			return &tools.Result{Data: d}, err
		}
	}
	if in.DryRun {
		if !full {
			res.Text = sandbox.Printable(p.String()) + "\n"
		}
		return res, nil
	}
	res.Text, res.Truncated = "", false
	if full {
		if err := c.Roots.RemoveAll(p); err != nil {
			return &tools.Result{Data: d}, d.partly(c, p, err)
		}
		return res, nil
	}
	return res, fail(c, c.Roots.Remove(p), "path")
}

// partly adds to the error of a removal how much of the folder is gone. The call may have run out of time meanwhile.
func (d *removeData) partly(c *tools.Call, p sandbox.Path, err error) error {
	out := tools.AsError(fail(c, err, "path"))
	var left removeData
	if _, _, err := left.count(context.Background(), c, p, removeIn{}); err != nil {
		return out
	}
	d.Removed = max(0, d.Entries-left.Entries)
	if d.Removed == 0 {
		out.Message += "; nothing was removed"
	} else {
		out.Message += fmt.Sprintf("; %d of %d entries were removed already, %d are left", d.Removed, d.Entries, left.Entries)
	}
	return out
}

func hasEntries(c *tools.Call, p sandbox.Path) (bool, error) {
	dir, err := c.Roots.OpenDir(p)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return len(names) > 0, err
}

// count gives what is in the folder: its size in the data, and for a dry run its paths.
func (d *removeData) count(ctx context.Context, c *tools.Call, p sandbox.Path, in removeIn) (string, bool, error) {
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return "", false, fail(c, err, "path")
	}
	var mu sync.Mutex
	var list, repos []string
	stats, err := tree.Walk(ctx, root, rel, tree.Options{NoIgnore: true, Git: true, MaxEntries: maxCounted}, func(e *tree.Entry) error {
		info, ierr := e.Info()
		mu.Lock()
		defer mu.Unlock()
		d.Entries++
		if ierr == nil && e.Type == tree.File {
			d.Bytes += info.Size
		}
		if e.Name == ".git" {
			repos = append(repos, e.Path())
		}
		if in.DryRun && len(list) < maxCounted {
			q := p
			q.Rel = e.Path()
			list = append(list, sandbox.Printable(q.String()))
		}
		return nil
	})
	if err != nil {
		return "", false, fail(c, err, "path")
	}
	warnStats(c, stats)
	if len(repos) > 0 {
		sortPaths(repos)
		q := p
		q.Rel = path.Dir(repos[0])
		c.Warn(strconv.Itoa(len(repos)) + " repositories of git lie in it, the first at " + sandbox.Printable(q.String()) + ": their history goes with them")
	}
	if !in.DryRun {
		return "", false, nil
	}
	sortPaths(list)
	text, cut := tools.Head(strings.Join(list, "\n")+"\n", tools.Limit(in.MaxChars))
	return text, cut, nil
}

func (in removeIn) allowed(d *removeData) error {
	what := fmt.Sprintf("%s is a folder with %d entries (%d bytes)", sandbox.Printable(in.Path), d.Entries, d.Bytes)
	switch {
	case in.DryRun:
		return nil
	case !in.Recursive:
		return tools.Errorf(tools.Conflict, "%s; give recursive:true and confirm:true to remove it with all that is in it, or dry_run:true to see what would go",
			what).With(tools.Details{Param: "recursive", Expected: "true", Actual: "false"})
	case !in.Confirm:
		return tools.Errorf(tools.ConfirmRequired, "%s; nothing brings them back. Give confirm:true to remove them, or dry_run:true to see what would go",
			what).With(tools.Details{Param: "confirm", Expected: "true", Actual: "false"})
	}
	return nil
}

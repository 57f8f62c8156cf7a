package fs

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type moveIn struct {
	Path        string `json:"path"`
	Destination string `json:"destination"`
	Overwrite   bool   `json:"overwrite"`
	Mkdirs      *bool  `json:"mkdirs"`
	DryRun      bool   `json:"dry_run"`
}

type moveData struct {
	where
	From     string `json:"from"`
	To       string `json:"to"`
	Type     string `json:"type"`
	Replaced bool   `json:"replaced,omitempty"`
	Same     bool   `json:"same,omitempty"` // source and destination are one: nothing was done
	Copied   bool   `json:"copied,omitempty"`
	Entries  int    `json:"entries,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
	DryRun   bool   `json:"dry_run,omitempty"`
}

// landing gives the name that a move or copy into a folder makes there.
func landing(c *tools.Call) []string {
	to := c.Args.String("destination")
	if !strings.HasSuffix(to, "/") {
		return nil
	}
	return []string{to + path.Base(c.Args.String("path"))}
}

// pair is the two ends of a move or copy, looked at.
type pair struct {
	from, to sandbox.Path
	info     fs.FileInfo // of from, a link as a link
	old      fs.FileInfo // of to, nil when there is none
	data     *moveData

	moving bool // a copy stands for a rename: it has the times of its source, and links as they are
}

// ends finds both ends, makes sure that nothing is lost, and locks them. With through set, a link at the destination is
// written through.
func (in moveIn) ends(ctx context.Context, c *tools.Call, through bool) (x *pair, unlock func(), err error) {
	x = &pair{}
	if x.from, err = resolve(c, "path", in.Path); err != nil {
		return nil, nil, err
	}
	if x.to, err = resolve(c, "destination", in.Destination); err != nil {
		return nil, nil, err
	}
	if strings.HasSuffix(in.Destination, "/") {
		x.to = x.to.Join(x.from.Base())
	}
	to := x.to
	if through {
		if to, err = c.Roots.Follow(x.to); err != nil {
			return nil, nil, fail(c, err, "destination")
		}
	}
	if unlock, err = c.Roots.LockEntries(ctx, x.from, to); err != nil {
		return nil, nil, fail(c, err, "path")
	}
	if err = x.look(c, in); err != nil {
		unlock()
		return nil, nil, err
	}
	return x, unlock, nil
}

func (x *pair) look(c *tools.Call, in moveIn) (err error) {
	if x.info, err = c.Roots.Lstat(x.from); err != nil {
		return fail(c, err, "path")
	}
	if x.old, err = exists(c, x.to); err != nil {
		return fail(c, err, "destination")
	}
	x.data = &moveData{where: at(in.Path, x.from), From: x.from.String(), To: x.to.String(), DryRun: in.DryRun}
	x.data.Type, x.data.Replaced = typeName(x.info.Mode()), x.old != nil
	if x.old == nil {
		return meant(c, "destination", in.Destination, false)
	}
	if os.SameFile(x.info, x.old) && x.sameName(c) {
		x.data.Same, x.data.Replaced = true, false
		return nil
	}
	d := tools.Details{Param: "destination", Actual: x.data.To}
	switch {
	case x.old.IsDir():
		d.Suggestion = strings.TrimSuffix(in.Destination, "/") + "/" + x.from.Base()
		return tools.Errorf(tools.Conflict, "%s is a folder; give destination %q to put it in there, or another name",
			sandbox.Printable(in.Destination), d.Suggestion).With(d)
	case x.info.IsDir():
		return tools.Errorf(tools.Conflict, "%s exists and is no folder; choose another name, or remove it first",
			sandbox.Printable(in.Destination)).With(d)
	case !in.Overwrite:
		return tools.Errorf(tools.Conflict, "%s exists; give overwrite:true to replace it, or choose another name",
			sandbox.Printable(in.Destination)).With(d)
	}
	return nil
}

// sameName reports whether both ends are one name of one file, not two names of it.
func (x *pair) sameName(c *tools.Call) bool {
	a, err := c.Roots.Follow(x.from.Dir())
	b, err2 := c.Roots.Follow(x.to.Dir())
	return err == nil && err2 == nil && a.Join(x.from.Base()).Abs() == b.Join(x.to.Base()).Abs()
}

// mkdirs reports whether missing folders are to be made.
func (in moveIn) mkdirs() bool { return in.Mkdirs == nil || *in.Mkdirs }

func (in moveIn) parents(c *tools.Call, to sandbox.Path) error {
	if !in.mkdirs() {
		return nil
	}
	return fail(c, c.Roots.MkdirAll(to.Dir(), 0o777), "destination")
}

func move(ctx context.Context, c *tools.Call, in moveIn) (*tools.Result, error) {
	x, unlock, err := in.ends(ctx, c, false)
	if err != nil {
		return nil, err
	}
	defer unlock()
	res := &tools.Result{Data: x.data}
	if err := c.Roots.CheckRename(x.from, x.to, in.mkdirs()); err != nil {
		return nil, fail(c, err, "path")
	}
	if err := writable(c, x.to, nil); err != nil { // what a link there leads to
		return nil, err
	}
	if x.data.Same {
		c.Warn("source and destination are the same; nothing was done")
		return res, nil
	}
	if in.DryRun {
		return res, nil
	}
	if err := in.parents(c, x.to); err != nil {
		return nil, err
	}
	err = c.Roots.Rename(x.from, x.to, in.Overwrite)
	if sandbox.KindOf(err) == sandbox.CrossDevice {
		return res, in.across(ctx, c, x)
	}
	if err != nil {
		return nil, fail(c, err, "path")
	}
	return res, nil
}

// across moves to another file system: a copy, then the removal of the source once all of it is there.
func (in moveIn) across(ctx context.Context, c *tools.Call, x *pair) error {
	x.moving = true
	if err := copyEntry(ctx, c, x, in); err != nil {
		return err
	}
	x.data.Copied = true
	var err error
	if x.info.IsDir() {
		err = c.Roots.RemoveAll(x.from)
	} else {
		err = c.Roots.Remove(x.from)
	}
	if err != nil {
		return tools.Errorf(tools.Conflict, "it was copied to %s, but the source could not be removed: %v", x.data.To, err).
			With(tools.Details{Param: "path"})
	}
	return nil
}

func sortPaths(list []string) { slices.SortFunc(list, tree.ComparePaths) }

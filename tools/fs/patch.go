package fs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fs/patch"
)

const (
	maxPatched    = 200      // files of one patch: each holds descriptors until all are written
	maxPatchBytes = 64 << 20 // of all files of one patch, before and after
)

type patchIn struct {
	Path     string  `json:"path"`
	Patch    *string `json:"patch"`
	BaseHash string  `json:"base_hash"`
	DryRun   bool    `json:"dry_run"`
	MaxChars int     `json:"max_chars"`
}

// patched is what became of one file.
type patched struct {
	Op   string `json:"op"` // add, update, delete, move, copy
	Path string `json:"path"`
	From string `json:"from,omitempty"` // of move and copy
	Hash string `json:"hash,omitempty"`
}

type patchData struct {
	Path    string    `json:"path,omitempty"`
	Results []patched `json:"results"`
	DryRun  bool      `json:"dry_run,omitempty"`
}

// applyFiles applies a patch of several files: all of them or none.
func applyFiles(ctx context.Context, c *tools.Call, in patchIn) (*tools.Result, error) {
	if in.Patch == nil || strings.TrimSpace(*in.Patch) == "" {
		return nil, tools.Errorf(tools.InvalidParams, "patch is missing: give \"*** Begin Patch … *** End Patch\" or a unified diff").
			With(tools.Details{Param: "patch", Expected: "string"})
	}
	files, err := patch.Parse(*in.Patch, in.Path)
	if err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "%v; nothing was changed", err).
			With(tools.Details{Param: "patch", Actual: err.Error()})
	}
	in.nameFile(c, files)
	if len(files) > maxPatched {
		return nil, tools.Errorf(tools.TooLarge, "the patch has %d files; give at most %d in one call", len(files), maxPatched).
			With(tools.Details{Param: "patch"})
	}
	s := &staging{c: c, files: map[string]*staged{}}
	unlock, err := s.lock(ctx, files)
	if err != nil {
		return nil, err
	}
	defer unlock()
	d := &patchData{Path: in.Path, DryRun: in.DryRun, Results: []patched{}}
	for i := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := s.stage(ctx, &files[i])
		if err != nil {
			return nil, s.explain(&files[i], err)
		}
		d.Results = append(d.Results, r)
		if n := len(files[i].Hunks); n > 0 && files[i].Hunks[n-1].Short {
			c.Warn(fmt.Sprintf("the last hunk of %s has fewer lines than its header says: if the patch was cut off, look at what it left", sandbox.Printable(files[i].Path)))
		}
	}
	if in.Path != "" && !slices.ContainsFunc(files, func(f patch.File) bool { return f.Path == in.Path || f.To == in.Path }) {
		c.Warn("path was ignored: the patch names its files, relative to the first root")
	}
	if err := s.checkBase(in.BaseHash); err != nil {
		return nil, err
	}
	diffs, err := s.finish()
	if err != nil {
		return nil, err
	}
	for i := range d.Results {
		if t := s.files[s.keys[i]]; t.exists {
			d.Results[i].Hash = hashOf(t.bytes)
		}
	}
	if in.DryRun {
		err = s.rehearse()
	} else {
		err = s.commit(ctx)
	}
	if err != nil {
		return nil, err
	}
	res := &tools.Result{Data: d}
	res.Text, res.Truncated = capDiff(c, diffs, in.MaxChars)
	return res, nil
}

// nameFile lets path name the one file of a patch that calls it by a shorter name, as diffs made in its folder do.
func (in patchIn) nameFile(c *tools.Call, files []patch.File) {
	if len(files) != 1 || files[0].To != "" || in.Path == "" || !strings.HasSuffix(in.Path, "/"+files[0].Path) {
		return
	}
	if p, err := c.Roots.Resolve(files[0].Path); err == nil {
		if fi, err := exists(c, p); fi == nil && err == nil {
			files[0].Path = in.Path
		}
	}
}

// explain says which file of the patch an error is about, and how to mend it.
func (s *staging) explain(f *patch.File, err error) error {
	const tail = "; no file was changed"
	name := sandbox.Printable(f.Path)
	var h *patch.HunkError
	if errors.As(err, &h) {
		d := tools.Details{Param: "patch", Actual: f.Path}
		code, message := tools.NotFound, name+": "+h.Error()
		if len(h.Lines) > 0 {
			code = tools.Ambiguous
			d.Expected, d.Actual = "one place", strconv.Itoa(len(h.Lines))+" places"
			for _, n := range h.Lines {
				d.Available = append(d.Available, "line "+strconv.Itoa(n))
			}
		}
		if h.Near != nil {
			d.Nearest = h.Near
			message += fmt.Sprintf("; the nearest is at lines %d to %d (%d%% alike), details.nearest shows it and what differs", h.Near.Line, h.Near.EndLine, h.Near.Alike)
		}
		return tools.Errorf(code, "%s%s", message, tail).With(d)
	}
	var e *tools.Error
	if errors.As(err, &e) {
		out := *e
		out.Message = fmt.Sprintf("line %d of the patch, %s: %s%s", f.Line, name, e.Message, tail)
		return &out
	}
	return err
}

package git

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// submodule is what status says of one submodule. git itself would start a status inside it under the submodule's
// own config, and so run what that names; here a second git of ours looks, with its programs switched off.
type submodule struct {
	Path string `json:"path"`
	// State is clean, modified (its own changes), untracked, not_initialised, or unknown when it cannot be looked
	// into (its git folder is outside the roots, or there are too many).
	State string `json:"state"`
}

const (
	maxSubmodules = 50
	maxNesting    = 3
	maxIndex      = 256 << 20
)

// gitlinkMode is the mode of a submodule as the index stores it. Every index that has one holds these bytes.
var gitlinkMode = []byte{0, 0, 0xe0, 0}

// mayHaveSubmodules looks at the index file alone.
func (r *repo) mayHaveSubmodules() bool {
	f, err := r.roots.Open(r.gitDir.Join("index"))
	if err != nil {
		return false
	}
	defer f.Close()
	var buf bytes.Buffer
	if fi, err := f.Stat(); err == nil {
		buf.Grow(int(min(fi.Size(), maxIndex)) + bytes.MinRead)
	}
	_, err = buf.ReadFrom(io.LimitReader(f, maxIndex))
	b := buf.Bytes()
	return err != nil || len(b) == maxIndex || bytes.Contains(b, gitlinkMode) || bytes.Contains(b, []byte("link\x00"))
}

// addSubmodules asks every submodule for its own changes and adds them to the status.
func (s *statusList) addSubmodules(ctx context.Context, r *repo, files []string) {
	args := []string{"ls-files", "--stage", "-z", "--"}
	specs, _ := r.paths(files)
	out, err := r.mustRead(ctx, append(args, specs...)...)
	if err != nil {
		return
	}
	for rec := range bytes.SplitSeq(out, []byte{0}) {
		if !bytes.HasPrefix(rec, []byte("160000 ")) {
			continue
		}
		_, name, ok := strings.Cut(string(rec), "\t")
		if !ok {
			continue
		}
		one := submodule{Path: shown(name), State: "unknown"}
		if len(s.Submodules) < maxSubmodules {
			one.State = r.submodule(ctx, name, 0)
		}
		s.Submodules = append(s.Submodules, one)
		if one.State != "modified" && one.State != "untracked" {
			continue
		}
		s.Clean = false
		known := false
		for _, e := range s.Unstaged {
			known = known || e.Path == one.Path
		}
		if !known {
			s.Unstaged = append(s.Unstaged, entry{Path: one.Path, Status: map[string]string{"modified": "modified_content", "untracked": "untracked_content"}[one.State]})
			s.note(" M", name, "")
		}
	}
}

// submodule looks into one submodule.
func (r *repo) submodule(ctx context.Context, name string, depth int) string {
	dir := r.top.Join(name)
	if _, err := r.roots.Lstat(dir.Join(".git")); err != nil {
		if sandbox.KindOf(err) == sandbox.NotFound {
			return "not_initialised"
		}
		return "unknown"
	}
	if depth == maxNesting {
		return "unknown"
	}
	sub, err := r.t.open(ctx, r.c, dir.Abs())
	if err != nil || sub.top.Abs() != dir.Abs() {
		return "unknown"
	}
	s, err := sub.statusOf(ctx, false, nil)
	if err != nil {
		return "unknown"
	}
	if sub.mayHaveSubmodules() {
		s.nested(ctx, sub, depth+1)
	}
	switch {
	case s.Clean:
		return "clean"
	case len(s.Staged)+len(s.Unstaged)+len(s.Conflicts) == 0:
		return "untracked"
	}
	return "modified"
}

// nested is addSubmodules without the list, for submodules of submodules.
func (s *statusList) nested(ctx context.Context, r *repo, depth int) {
	out, err := r.mustRead(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return
	}
	n := 0
	for rec := range bytes.SplitSeq(out, []byte{0}) {
		_, name, ok := strings.Cut(string(rec), "\t")
		if !ok || !strings.HasPrefix(string(rec), "160000 ") || n == maxSubmodules {
			continue
		}
		n++
		if state := r.submodule(ctx, name, depth); state == "modified" || state == "untracked" {
			s.Clean = false
			s.Unstaged = append(s.Unstaged, entry{Path: shown(name), Status: state})
		}
	}
}

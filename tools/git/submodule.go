package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
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

// gitlinks are the names of the submodules that the index has, of those that files (as git takes them) name.
func (r *repo) gitlinks(ctx context.Context, files []string) (list []string, err error) {
	out, err := r.mustRead(ctx, append([]string{"ls-files", "--stage", "-z", "--"}, files...)...)
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if meta, name, ok := strings.Cut(rec, "\t"); ok && strings.HasPrefix(meta, "160000 ") {
			list = append(list, name)
		}
	}
	return slices.Compact(list), err // one in conflict stands there up to three times
}

// wouldStage is what git says to a dry run of add. It would start a status in every submodule, under that one's own config:
// so these are left out, and looked at from here.
func (r *repo) wouldStage(ctx context.Context, args, files []string) (string, error) {
	var links []string
	var moved strings.Builder
	if r.mayHaveSubmodules() {
		names, err := r.gitlinks(ctx, files)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			links = append(links, ":(top,literal)"+name)
			files = append(slices.Clip(files), ":(top,literal,exclude)"+name)
		}
	}
	if len(links) > 0 {
		list, err := r.touched(ctx, append([]string{"diff-files", "--name-status", "-z", "--ignore-submodules=dirty", "--"}, links...))
		if err != nil {
			return "", err
		}
		for _, one := range list {
			fmt.Fprintf(&moved, "%s '%s'\n", map[bool]string{true: "remove", false: "add"}[one.letter == 'D'], shown(one.name))
		}
	}
	res, err := r.read(ctx, nil, append(args, files...)...)
	if err == nil && res.code != 0 {
		err = failure("add", res)
	}
	return said(res) + moved.String(), err
}

// addSubmodules asks every submodule for its own changes and adds them to the status.
func (s *statusList) addSubmodules(ctx context.Context, r *repo, files []string) {
	specs, _ := r.paths(files)
	links, err := r.gitlinks(ctx, specs)
	if err != nil {
		return
	}
	for _, name := range links {
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
	links, err := r.gitlinks(ctx, nil)
	if err != nil {
		return
	}
	for _, name := range links[:min(len(links), maxSubmodules)] {
		if state := r.submodule(ctx, name, depth); state == "modified" || state == "untracked" {
			s.Clean = false
			s.Unstaged = append(s.Unstaged, entry{Path: shown(name), Status: state})
		}
	}
}

// warnLeftBehind says that submodules did not move along, where the config asks git to move them.
func (r *repo) warnLeftBehind(ctx context.Context) {
	if !r.mayHaveSubmodules() {
		return
	}
	if s, err := r.load(ctx); err == nil && s.bool("submodule.recurse") {
		r.c.Warn("submodules are left as they are, though submodule.recurse is set: git.status names those that now stand at another commit; check that out in each of them (path)")
	}
}

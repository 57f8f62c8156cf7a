package git

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// losses are the files that an act over changes would take: what differs from the index, with staged also what
// differs between index and HEAD, and with ref the untracked files that stand where ref has one. Files limit it.
func (r *repo) losses(ctx context.Context, staged bool, ref string, files []string) ([]entry, error) {
	out, err := r.mustRead(ctx, append([]string{"status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=all", "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	s := &statusList{}
	if err := s.parse(out); err != nil {
		return nil, err
	}
	list := append(s.Conflicts, s.Unstaged...)
	if staged {
		seen := map[string]bool{}
		for _, e := range list {
			seen[e.Path] = true
		}
		for _, e := range s.Staged {
			if !seen[e.Path] {
				list = append(list, e)
			}
		}
	}
	unseen, err := r.assumed(ctx, files)
	if err != nil {
		return nil, err
	}
	if list = append(list, unseen...); ref == "" || ref == "HEAD" {
		return list, nil
	}
	untracked, err := r.inTheWay(ctx, ref, files)
	return append(list, untracked...), err
}

// assumed are the files that were changed although they are marked assume-unchanged: git's status leaves them out, but
// a restore takes them.
func (r *repo) assumed(ctx context.Context, files []string) ([]entry, error) {
	out, err := r.mustRead(ctx, append([]string{"ls-files", "-v", "--stage", "-z", "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	var names, hashes []string
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if rec == "" || rec[0] < 'a' || rec[0] > 'z' {
			continue
		}
		meta, name, _ := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if fi, err := r.roots.Lstat(r.top.Join(name)); err != nil || len(f) < 3 || !fi.Mode().IsRegular() {
			continue
		}
		names, hashes = append(names, name), append(hashes, f[2])
	}
	var list []entry
	for len(names) > 0 {
		n := min(len(names), 500)
		if out, err = r.mustRead(ctx, append([]string{"hash-object", "--"}, names[:n]...)...); err != nil {
			return nil, err
		}
		now := strings.Fields(string(out))
		for i, name := range names[:n] {
			if i >= len(now) || now[i] != hashes[i] {
				list = append(list, entry{Path: shown(name), Status: modified})
			}
		}
		names, hashes = names[n:], hashes[n:]
	}
	return list, nil
}

// inTheWay are the untracked files that stand where ref has a file or a folder.
func (r *repo) inTheWay(ctx context.Context, ref string, files []string) ([]entry, error) {
	args := []string{"diff-index", "--cached", "--diff-filter=D", "--name-only", "--no-ext-diff", "-z", "--end-of-options", ref, "--"}
	out, err := r.mustRead(ctx, append(args, files...)...)
	if err != nil {
		return nil, err
	}
	var there []string
	known := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		for at := name; at != "" && at != "."; at = path.Dir(at) {
			fi, err := r.roots.Lstat(r.top.Join(at))
			if err != nil {
				continue
			}
			if (at == name || !fi.IsDir()) && !known[at] {
				known[at] = true
				there = append(there, ":(top,literal)"+at)
			}
			break
		}
	}
	var list []entry
	for len(there) > 0 {
		n := min(len(there), 500)
		if out, err = r.mustRead(ctx, append([]string{"ls-files", "--others", "-z", "--"}, there[:n]...)...); err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(string(out), "\x00") {
			if name != "" {
				list = append(list, entry{Path: shown(name), Status: "untracked"})
			}
		}
		there = there[n:]
	}
	return list, nil
}

// wouldLose is the answer of a dry run: the files that an act would change or take.
func (r *repo) wouldLose(ctx context.Context, what string, staged bool, ref string, files ...string) (*tools.Result, error) {
	list, err := r.losses(ctx, staged, ref, files)
	if err != nil {
		return nil, timedOut(err)
	}
	return r.wouldTake(what, list), nil
}

func (r *repo) wouldTake(what string, list []entry) *tools.Result {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s %s\n", e.Status, e.Path)
	}
	if len(list) == 0 {
		b.WriteString("no file\n")
	}
	all := len(list)
	text, cut := tools.Head(what+":\n"+b.String(), tools.DefaultChars)
	return &tools.Result{Text: text, Truncated: cut, Data: struct {
		place
		DryRun bool    `json:"dry_run"`
		Files  []entry `json:"files"`
		Count  int     `json:"count"`
	}{r.place(), true, some(list[:min(all, maxListed)]), all}}
}

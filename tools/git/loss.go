package git

import (
	"context"
	"fmt"
	"path"
	"slices"
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
	unseen, err := r.assumed(ctx, ref != "", files)
	if err != nil {
		return nil, err
	}
	if list = append(list, unseen...); ref == "" || ref == "HEAD" {
		return list, nil
	}
	untracked, err := r.inTheWay(ctx, ref, files)
	return append(list, untracked...), err
}

// assumed are the files that were changed although they are marked assume-unchanged, or with skipped also skip-worktree:
// git's status leaves them out, but a restore takes them, the latter when it is one of another commit.
func (r *repo) assumed(ctx context.Context, skipped bool, files []string) ([]entry, error) {
	out, err := r.mustRead(ctx, append([]string{"ls-files", "-v", "--stage", "-z", "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	var names, hashes []string
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if rec == "" || (rec[0] < 'a' || rec[0] > 'z' || rec[0] == 's' && !skipped) && !(rec[0] == 'S' && skipped) {
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
	return r.standing(ctx, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
}

// standing are the untracked files, ignored ones too, that stand where names are to be written.
func (r *repo) standing(ctx context.Context, names []string) ([]entry, error) {
	var there []string
	known := map[string]bool{}
	for _, name := range names {
		for at := name; at != "" && at != "."; at = path.Dir(at) {
			fi, err := r.roots.Lstat(r.top.Join(at))
			if err != nil {
				continue
			}
			if (at == name || !fi.IsDir()) && !known[at] {
				known[at] = true
				there = append(there, at)
			}
			break
		}
	}
	if len(there) > 500 { // most are tracked, as a rule
		out, err := r.mustRead(ctx, "ls-files", "-z")
		if err != nil {
			return nil, err
		}
		tracked := map[string]bool{}
		for name := range strings.SplitSeq(string(out), "\x00") {
			tracked[name] = true
		}
		there = slices.DeleteFunc(there, func(name string) bool { return tracked[name] })
	}
	var list []entry
	for part := range slices.Chunk(there, 500) {
		args := []string{"ls-files", "--others", "-z", "--"}
		for _, name := range part {
			args = append(args, ":(top,literal)"+name)
		}
		out, err := r.mustRead(ctx, args...)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(string(out), "\x00") {
			if name != "" {
				list = append(list, entry{Path: shown(name), Status: "untracked"})
			}
		}
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
	text, n := listing(list)
	if len(list) == 0 {
		text = "no file\n"
	}
	if n < len(list) {
		text += fmt.Sprintf("[… %d in all]\n", len(list))
	}
	return &tools.Result{Text: what + ":\n" + text, Truncated: n < len(list), Data: struct {
		place
		DryRun bool    `json:"dry_run"`
		Files  []entry `json:"files"`
		Count  int     `json:"count"`
	}{r.place(), true, some(list[:n]), len(list)}}
}

// listing is a list of files as text, as far as it fits into an answer that has it in data too.
func listing(list []entry) (text string, n int) {
	var b strings.Builder
	room := tools.NewRoom(0)
	for _, e := range list[:min(len(list), maxListed)] {
		line := fmt.Sprintf("%s %s\n", e.Status, e.Path)
		if !room.Takes(line, e) {
			break
		}
		n++
		b.WriteString(line)
	}
	return b.String(), n
}

package git

import (
	"context"
	"path"
	"slices"
	"strings"
)

// strand is what one side of a merge has done since the base.
type strand struct {
	added []string            // names that it brings, new names of moved files too
	moved map[string][]string // folders out of which files were moved, to where
}

// strandOf compares two commits, given as git diff takes them. What git cannot compare has changed nothing.
func (r *repo) strandOf(ctx context.Context, revisions ...string) (s strand, err error) {
	args := []string{"diff", "--name-status", "-z", "--find-renames", "--diff-filter=AR", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all", "--end-of-options"}
	res, err := r.read(ctx, nil, slices.Concat(args, revisions, []string{"--"})...)
	if err != nil || res.code != 0 {
		return s, err
	}
	s.moved = map[string][]string{}
	f := strings.Split(string(res.out), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		if strings.HasPrefix(f[i], "R") && i+2 < len(f) {
			s.move(path.Dir(f[i+1]), path.Dir(f[i+2]))
			i++
		}
		s.added = append(s.added, f[i+1])
	}
	return s, nil
}

// move notes that a file went from one folder to another, and with it the folders above as far as their names are alike.
func (s *strand) move(from, to string) {
	for from != to && !slices.Contains(s.moved[from], to) {
		s.moved[from] = append(s.moved[from], to)
		if path.Base(from) != path.Base(to) {
			return
		}
		from, to = path.Dir(from), path.Dir(to)
	}
}

// follow gives the names at which git may put what one side brings, since the other one has moved the folder. It is
// more than git does (only a folder that is gone counts, and where most of its files went).
func (s *strand) follow(added []string) (list []touch) {
	for _, name := range added {
		for dir := path.Dir(name); ; dir = path.Dir(dir) {
			for _, to := range s.moved[dir] {
				list = append(list, touch{'A', path.Join(to, strings.TrimPrefix(name, dir+"/"))})
			}
			if dir == "." {
				break
			}
		}
	}
	return list
}

// crossed are the files that a merge of two sides may write at names that neither has. A name that was moved once may be
// moved no further.
func crossed(ours, theirs strand) []touch {
	return append(ours.follow(theirs.added), theirs.follow(ours.added)...)
}

// relocated is crossed for a merge of a commit into another one.
func (r *repo) relocated(ctx context.Context, into, ref string) ([]touch, error) {
	ours, err := r.strandOf(ctx, ref+"..."+into)
	if err != nil || len(ours.added) == 0 { // what has come to no new name was not moved
		return nil, err
	}
	theirs, err := r.strandOf(ctx, into+"..."+ref)
	return crossed(ours, theirs), err
}

// maxRelocated bounds the commits of a cherry-pick that are looked at one by one for moved folders.
const maxRelocated = 100

// replayed is what commits bring when they are applied to HEAD one by one, each compared with its parent.
func (r *repo) replayed(ctx context.Context, parent string, revisions ...string) ([]touch, error) {
	list, err := r.touches(ctx, append(picked[:len(picked):len(picked)], "--no-walk=unsorted"), revisions...)
	if err != nil || len(list) == 0 {
		return list, err
	}
	n, args := 0, append([]string{"rev-list", "--no-walk=unsorted", "--end-of-options"}, revisions...)
	out, err := r.mustRead(ctx, append(args, "--")...)
	if err != nil {
		return list, err
	}
	for commit := range strings.FieldsSeq(string(out)) {
		if n++; n > maxRelocated {
			break
		}
		moved, err := r.carried(ctx, parent, commit)
		if err != nil {
			return nil, err
		}
		list = append(list, moved...)
	}
	return list, nil
}

// carried is crossed for one commit that is applied to HEAD.
func (r *repo) carried(ctx context.Context, parent, commit string) ([]touch, error) {
	theirs, err := r.strandOf(ctx, commit+parent, commit)
	if err != nil || len(theirs.added) == 0 {
		return nil, err
	}
	ours, err := r.strandOf(ctx, commit+parent, "HEAD")
	return crossed(ours, theirs), err
}

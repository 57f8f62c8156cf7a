package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// touch is a file that an act would change, with git's letter for the change.
type touch struct {
	letter byte
	name   string
}

// touchArgs are the switches of the looks at what an act would change. Submodules stay as they are.
var touchArgs = []string{"--name-status", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"}

// touches are the files that a diff or log of git's says it would change. What git cannot compare it will not act on
// either, and says so in its own words.
func (r *repo) touches(ctx context.Context, command []string, revisions ...string) ([]touch, error) {
	return r.touched(ctx, slices.Concat(command, touchArgs, []string{"--end-of-options"}, revisions, []string{"--"}))
}

func (r *repo) touched(ctx context.Context, args []string) (list []touch, err error) {
	res, err := r.read(ctx, nil, args...)
	if err != nil || res.code != 0 {
		return nil, err
	}
	f := strings.Split(string(res.out), "\x00")
	for i := 0; i+1 < len(f); i++ {
		if letter := strings.TrimLeft(f[i], "\n"); letter != "" { // commits are parted by empty fields
			list = append(list, touch{letter[0], f[i+1]})
			i++
		}
	}
	return list, nil
}

// picked lists what commits change, each against every parent. A range is walked, other revisions stand for themselves.
var picked = []string{"log", "--format=", "--no-show-signature", "--root", "-m"}

// guard refuses an act before it begins: when it would write or remove a protected file, at which the sandbox stops git
// half-way; or when it would overwrite a file that is in no commit, as git does without a word with those it ignores.
func (r *repo) guard(ctx context.Context, act string, list []touch) error {
	if err := r.guardProtected(act, list); err != nil {
		return err
	}
	var names []string
	for _, one := range list {
		if one.letter != 'D' {
			names = append(names, one.name)
		}
	}
	there, err := r.standing(ctx, names)
	if err == nil && len(there) > 0 {
		err = inTheWayOf(act, there)
	}
	return timedOut(err)
}

// guardTree is guard for an act that brings in a whole commit: all its files that the index does not have.
func (r *repo) guardTree(ctx context.Context, act, ref string) error {
	there, err := r.inTheWay(ctx, ref, nil)
	var te *tools.Error
	switch {
	case errors.As(err, &te): // git says it better
		return nil
	case err != nil:
		return timedOut(err)
	case len(there) > 0:
		return inTheWayOf(act, there)
	}
	return nil
}

func inTheWayOf(act string, there []entry) error {
	return tools.Errorf(tools.Conflict, "%s would overwrite %d file(s) that are here but in no commit (ignored or untracked): %s; nothing was done: move them away first, or git.add and commit them", act, len(there), few(there))
}

// guardCombine is guard for a merge, a rebase or a cherry-pick.
func (r *repo) guardCombine(ctx context.Context, name string, in mergeIn) error {
	var list []touch
	var err error
	switch name {
	case "merge":
		return r.guardMerge(ctx, name, in.Ref)
	case "rebase":
		list, err = r.rebased(ctx, in.Onto, in.Ref)
	default:
		list, err = r.replayed(ctx, fmt.Sprintf("^%d", max(in.Mainline, 1)), refsOf(in.Ref)...)
	}
	if err != nil {
		return timedOut(err)
	}
	return r.guard(ctx, strings.ReplaceAll(name, "_", "-"), list)
}

func (r *repo) guardMerge(ctx context.Context, act, ref string) error {
	list, err := r.touches(ctx, []string{"diff"}, "HEAD..."+ref)
	switch {
	case err != nil:
		return timedOut(err)
	case len(list) > 0:
		more, err := r.relocated(ctx, "HEAD", ref)
		if err != nil {
			return timedOut(err)
		}
		return r.guard(ctx, act, append(list, more...))
	}
	if unborn, _ := r.unborn(ctx); unborn {
		return r.guardTree(ctx, act, ref)
	}
	return nil
}

// rebased is what a rebase changes: first it goes to the new base, then come the commits that are not in upstream.
func (r *repo) rebased(ctx context.Context, onto, upstream string) ([]touch, error) {
	if onto == "" {
		onto = upstream
	}
	list, err := r.touches(ctx, []string{"diff"}, "HEAD", onto)
	if err != nil {
		return nil, err
	}
	more, err := r.touches(ctx, picked, upstream+"..HEAD")
	if err != nil || len(more) == 0 {
		return list, err
	}
	moved, err := r.relocated(ctx, onto, "HEAD")
	return slices.Concat(list, more, moved), err
}

// guardReset is guard for a reset, which asks by itself for what it takes in the modes hard and merge.
func (r *repo) guardReset(ctx context.Context, mode, from, to string) error {
	revisions := []string{to} // against the work tree
	switch mode {
	case "keep":
		revisions = []string{from, to}
	case "hard", "merge":
	default:
		return nil
	}
	list, err := r.touches(ctx, []string{"diff"}, revisions...)
	if err == nil {
		err = r.guardProtected("reset --"+mode, list)
	}
	if err == nil && mode == "keep" {
		err = r.guardTree(ctx, "reset --keep", to)
	}
	return timedOut(err)
}

// guardStash is guard for what a stash brings back, or, with push, for what one puts away.
func (r *repo) guardStash(ctx context.Context, sub, ref string, files []string) error {
	if sub != "push" {
		list, err := r.touches(ctx, []string{"diff"}, ref+"^1", ref)
		if err != nil {
			return timedOut(err)
		}
		moved, err := r.carried(ctx, "^1", ref)
		if err != nil {
			return timedOut(err)
		}
		return r.guard(ctx, "stash "+sub, append(list, moved...))
	}
	list, err := r.touched(ctx, slices.Concat([]string{"diff"}, touchArgs, []string{"HEAD", "--"}, files))
	if err != nil {
		return timedOut(err)
	}
	return r.guardProtected("stash push", list)
}

// guardBisect is guard for the commits that a bisect may go to: those between the good ones and the bad one. Only files
// that are ignored and stand here can be in the way of any.
func (r *repo) guardBisect(ctx context.Context, sub string, in bisectIn) error {
	if sub == "reset" {
		start, _ := r.text(r.gitDir.Join("BISECT_START"), gitFileMax)
		to := cmp.Or(in.Ref, strings.TrimSpace(start))
		return firstError(r.guardMove(ctx, "bisect reset", to, false), r.guardTree(ctx, "bisect reset", to))
	}
	bad, good := cmp.Or(in.Bad, "refs/bisect/bad"), in.Good
	switch sub {
	case "bad":
		bad = cmp.Or(in.Ref, "HEAD")
	case "good":
		good = cmp.Or(in.Ref, "HEAD")
	}
	out, err := r.mustRead(ctx, "for-each-ref", "--format=^%(objectname)", "refs/bisect/good-*")
	if err != nil {
		return timedOut(err)
	}
	revisions := append([]string{bad}, strings.Fields(string(out))...)
	if good != "" {
		revisions = append(revisions, "^"+good)
	}
	if len(revisions) == 1 { // nothing is tested yet
		return nil
	}
	for _, end := range revisions {
		if err := r.guardMove(ctx, "bisect", strings.TrimPrefix(end, "^"), false); err != nil {
			return err
		}
	}
	if out, err = r.mustRead(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"); err != nil || len(out) == 0 {
		return timedOut(err)
	}
	var list []touch
	for part := range slices.Chunk(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), 500) {
		args := slices.Concat(picked, touchArgs, []string{"--end-of-options"}, revisions, []string{"--"})
		for _, name := range part {
			args = append(args, ":(top,literal)"+name)
		}
		more, err := r.touched(ctx, args)
		if err != nil {
			return timedOut(err)
		}
		list = append(list, more...)
	}
	if err := r.guard(ctx, "bisect", list); err != nil {
		return err
	}
	return r.guardTree(ctx, "bisect", bad)
}

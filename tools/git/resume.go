package git

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// undone are the files whose changes go when an action under way is given up, or one commit of it: of a rebase all, of
// the others what is staged or in conflict; and what is in no commit and stands where git puts files back.
func (r *repo) undone(ctx context.Context, name, verb string) (list []entry, err error) {
	if name == "rebase" {
		list, err = r.losses(ctx, true, "", nil)
	} else {
		var s *statusList
		if s, err = r.statusOf(ctx, false, nil); err == nil {
			list = append(s.Conflicts, s.Staged...)
		}
	}
	if err != nil {
		return nil, err
	}
	untracked, err := r.inTheWay(ctx, r.backTo(name, verb), nil)
	return append(list, untracked...), err
}

// backTo is the commit whose files stand here again after an action under way is given up.
func (r *repo) backTo(name, verb string) string {
	var files []string
	switch {
	case verb != "abort":
	case name == "rebase":
		files = []string{"rebase-merge/orig-head", "rebase-apply/orig-head"}
	case name == "cherry_pick":
		files = []string{"sequencer/head"}
	}
	for _, file := range files {
		if text, err := r.text(r.gitDir.Join(file), gitFileMax); err == nil && isHash(strings.TrimSpace(text)) {
			return strings.TrimSpace(text)
		}
	}
	return "HEAD"
}

// todoCommit finds the commits in git's list of what is yet to do.
var todoCommit = tools.Pattern(`(?m)^(?:pick|p|reword|r|edit|e|squash|s|fixup|f|merge|m) (?:-[cC] )?([0-9a-f]{4,64})(?:\s|$)`)

// guardResume is guard for an action under way that goes on with the commits that are left, or goes back.
func (r *repo) guardResume(ctx context.Context, name, verb string) error {
	act := strings.ReplaceAll(name, "_", "-") + " --" + verb
	if verb == "abort" {
		return r.guardMove(ctx, act, r.backTo(name, verb), name == "rebase")
	}
	file, done := "rebase-merge/git-rebase-todo", 0
	if name == "cherry_pick" {
		file, done = "sequencer/todo", 1 // the one that git has stopped at
	}
	text, err := r.text(r.gitDir.Join(file), 16*maxPlain)
	if err != nil { // none is left
		return nil
	}
	found := todoCommit().FindAllStringSubmatch(text, -1)
	for part := range slices.Chunk(found[min(done, len(found)):], 500) {
		commits := make([]string, len(part))
		for i := range part {
			commits[i] = part[i][1]
		}
		list, err := r.replayed(ctx, "^", commits...)
		if err != nil {
			return timedOut(err)
		}
		if err := r.guard(ctx, act, list); err != nil {
			return err
		}
	}
	return nil
}

// stuck is the error of a run that failed while files are in conflict: from before, or since it came to a commit that
// does not fit.
func stuck(sub, state string, res result, conflicts []entry) *tools.Error {
	name, verb, _ := strings.Cut(sub, " --")
	before, n := notBegun().MatchString(said(res)), len(conflicts)
	switch {
	case verb == "continue" && before:
		return tools.Errorf(tools.Conflict, "%s cannot go on: %d file(s) are still in conflict: %s; mend them and git.add them first", name, n, few(conflicts))
	case before && verb == "":
		return tools.Errorf(tools.Conflict, "%s was not begun: %d file(s) are in conflict from before: mend them and git.add them, or give up what is under way (state: %s)", name, n, cmp.Or(state, "none"))
	case !stopped().MatchString(said(res)) && (verb != "" || gaveUp().MatchString(res.stderr)):
		return failure(sub, res)
	case strings.HasPrefix(sub, "stash"):
		return tools.Errorf(tools.Conflict, "%s left %d file(s) in conflict; the stash was kept: mend them and git.add them", name, n)
	case state == "": // a squash, or a pick without a commit: nothing is under way that could be continued
		return tools.Errorf(tools.Conflict, "%s left %d file(s) in conflict: mend them, git.add them, then git.commit", name, n)
	}
	return tools.Errorf(tools.Conflict, "%s stopped at %d file(s) in conflict: mend them, git.add them, then go on with sub_action continue (or abort)", name, n)
}

// stopped finds git's words for a commit that does not fit, gaveUp those for any other reason, and notBegun those for
// files that were in conflict already.
var (
	gaveUp   = tools.Pattern(`(?m)^(?:error|fatal): `)
	stopped  = tools.Pattern(`CONFLICT \(|[Cc]ould not apply|Automatic merge failed`)
	notBegun = tools.Pattern(`need to resolve your current index first|because you have unmerged files|: needs merge|not concluded your merge`)
)

package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// outcomeData says where a change left the repository.
type outcomeData struct {
	place
	Head      string  `json:"head,omitempty"`
	Branch    string  `json:"branch,omitempty"`
	State     string  `json:"state,omitempty"`
	Conflicts []entry `json:"conflicts,omitempty"`
}

// outcome makes the answer of a run that may end in conflicts (merge, rebase, stash pop …): then the error is
// CONFLICT, and data lists the files.
func (r *repo) outcome(ctx context.Context, sub string, res result, err error) (*tools.Result, error) {
	if err != nil {
		return nil, timedOut(err)
	}
	d := outcomeData{place: r.place(), State: r.state()}
	d.Branch, _ = r.head()
	d.Head, _ = r.resolve(ctx, "HEAD")
	text, _ := tools.HeadTail(said(res), tools.DefaultChars)
	out := &tools.Result{Text: text, Data: d}
	if res.code == 0 && !keptInStash(res) {
		return out, partly(res)
	}
	fail := failure(sub, res)
	s, serr := r.conflicts(ctx)
	d.Conflicts = s[:min(len(s), 100)]
	switch {
	case res.code == 0:
		fail = autostashed(sub, s)
	case serr == nil && len(s) > 0:
		fail = stuck(sub, d.State, res, s)
	case serr == nil && rerere().MatchString(said(res)):
		fail = resolvedBefore(sub, d.State)
	}
	out.Data = d
	return out, fail
}

// keptInStash reports whether git has put changes away (merge.autoStash, rebase.autoStash), could not bring them back in the
// end, and calls that a success.
func keptInStash(res result) bool {
	return strings.Contains(said(res), "Applying autostash resulted in conflicts")
}

// autostashed is the error of such a run.
func autostashed(sub string, conflicts []entry) *tools.Error {
	text := "could not be brought back"
	if len(conflicts) > 0 {
		text = fmt.Sprintf("left %d file(s) in conflict: %s", len(conflicts), few(conflicts))
	}
	return tools.Errorf(tools.Conflict, "%s was done, but the changes that git had put away for it (autostash) %s; they are whole in stash@{0}: mend the files and git.add them, then git.stash drop", sub, text)
}

// rerere finds git's words for conflicts that it resolved and staged as it was done before (rerere.autoupdate).
var rerere = tools.Pattern(`(?m)^Staged '.*' using previous resolution`)

// resolvedBefore is the error of a run that stopped although nothing is in conflict any more.
func resolvedBefore(sub, state string) *tools.Error {
	name, _, _ := strings.Cut(sub, " --")
	next := "go on with sub_action continue (or abort)"
	if state == "" {
		next = "git.commit"
	}
	return tools.Errorf(tools.Conflict, "%s stopped at conflicts that git has resolved and staged as they were resolved before (rerere): look at them (git.diff with staged), then %s", name, next)
}

// conflicts lists the files in conflict.
func (r *repo) conflicts(ctx context.Context) ([]entry, error) {
	out, err := r.mustRead(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	s := &statusList{}
	if err := s.parse(out); err != nil {
		return nil, err
	}
	return s.Conflicts, nil
}

// named few: the first names of a list for a message.
func few(list []entry) string {
	names := make([]string, 0, 5)
	for _, e := range list[:min(len(list), 5)] {
		names = append(names, e.Path)
	}
	text := strings.Join(names, ", ")
	if len(list) > 5 {
		text += fmt.Sprintf(" and %d more", len(list)-5)
	}
	return text
}

// noCommit makes a plain reason of a failure in a repository without commits.
func (r *repo) noCommit(ctx context.Context, err error) error {
	var te *tools.Error
	if errors.As(err, &te) && te.Code != tools.Timeout {
		if unborn, name := r.unborn(ctx); unborn {
			return tools.Errorf(tools.Conflict, "there is no commit yet on %s; make one with git.commit", name)
		}
	}
	return err
}

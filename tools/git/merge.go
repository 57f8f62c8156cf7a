package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type mergeIn struct {
	common
	Sub      string `json:"sub_action"`
	Ref      string `json:"ref"`
	Onto     string `json:"onto"`
	Mode     string `json:"mode"`
	Message  string `json:"message"`
	NoCommit bool   `json:"no_commit"`
	Mainline int    `json:"mainline"`
	Confirm  bool   `json:"confirm"`
	DryRun   bool   `json:"dry_run"`
}

var mergeSubs = verbs{"": tools.Writes, "start": tools.Writes, "continue": tools.Writes, "abort": tools.Destroys, "skip": tools.Destroys, "quit": tools.Writes}

// unedited makes git take the messages it has prepared.
var unedited = []string{"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_MERGE_AUTOEDIT=no"}

func (t *git) merge() tools.Action {
	return t.combining("merge", "ref into the branch; mode ff_only, no_ff, squash; message; or continue, abort, quit", func(in mergeIn) ([]string, error) {
		args := []string{"--no-edit", "--no-overwrite-ignore", "--cleanup=whitespace"}
		switch normal(in.Mode, nil) {
		case "":
		case "ff_only":
			args = append(args, "--ff-only")
		case "no_ff":
			args = append(args, "--no-ff")
		case "squash":
			args = append(args, "--squash")
		default:
			return nil, badMode(in.Mode, "ff_only", "no_ff", "squash")
		}
		if in.NoCommit {
			args = append(args, "--no-commit")
		}
		if in.Message != "" {
			args = append(args, "--no-log", "-m", in.Message) // merge takes no message on standard input, and merge.log would add to it
		}
		return append(args, "--", in.Ref), nil
	})
}

func (t *git) rebase() tools.Action {
	return t.combining("rebase", "the branch onto ref (onto: another base); or continue, skip, abort, quit", func(in mergeIn) ([]string, error) {
		var args []string
		if in.Onto != "" {
			args = append(args, "--onto="+in.Onto)
		}
		return append(args, "--", in.Ref), nil
	})
}

func (t *git) cherryPick() tools.Action {
	return t.combining("cherry_pick", "ref (commits or a range) onto the branch; no_commit, mainline; or continue, skip, abort, quit", func(in mergeIn) ([]string, error) {
		args := []string{}
		if in.NoCommit {
			args = append(args, "--no-commit")
		}
		if in.Mainline > 0 {
			args = append(args, "--mainline="+string(rune('0'+min(in.Mainline, 9))))
		}
		return append(append(args, "--end-of-options"), refsOf(in.Ref)...), nil
	})
}

func badMode(mode string, known ...string) error {
	return tools.Errorf(tools.InvalidParams, "mode %q is not known; use %s", mode, strings.Join(known, ", ")).With(tools.Details{Param: "mode", Available: known})
}

// combining makes the actions that bring commits together and may stop in conflict. start gives the arguments of
// a new one.
func (t *git) combining(name, doc string, start func(mergeIn) ([]string, error)) tools.Action {
	sub := strings.ReplaceAll(name, "_", "-")
	var aliases []string
	if sub != name {
		aliases = []string{strings.ReplaceAll(name, "_", "")}
	}
	return tools.Act(tools.Action{
		Name: name, Aliases: aliases, OwnTime: true, Effect: tools.Writes, Doc: doc,
		EffectOf: mergeSubs.effect(nil, nil),
		Confirms: func(c *tools.Call) bool { return mergeSubs[subOf(c, nil)] == tools.Destroys },
	}, func(ctx context.Context, c *tools.Call, in mergeIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		verb, err := mergeSubs.pick(in.Sub, nil)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported(name)
		}
		in.Ref, in.Onto = named(in.Ref), named(in.Onto)
		if err := checkRef("onto", in.Onto); err != nil {
			return nil, err
		}
		for _, ref := range refsOf(in.Ref) {
			if err := checkRef("ref", ref); err != nil {
				return nil, err
			}
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		ch := change{env: unedited}
		if verb == "" || verb == "start" {
			if strings.TrimSpace(in.Ref) == "" {
				return nil, tools.Errorf(tools.InvalidParams, "ref is missing: the branch or commit to %s", sub).With(tools.Details{Param: "ref"})
			}
			args, err := start(in)
			if err != nil {
				return nil, err
			}
			ch.args = append([]string{sub}, args...)
		} else {
			if state := r.state(); state != name && !(state == "sequence" && name == "cherry_pick") {
				return nil, tools.Errorf(tools.Conflict, "no %s is under way (state: %s); see git.status", sub, map[bool]string{true: "nothing", false: state}[state == ""])
			}
			ch.args = []string{sub, "--" + verb}
		}
		if mergeSubs[verb] == tools.Destroys {
			lost, err := r.undone(ctx, name, verb)
			if err != nil {
				return nil, timedOut(err)
			}
			act := "git " + strings.Join(ch.args, " ")
			if in.DryRun {
				return r.wouldTake(act+" would take the changes of", lost), nil
			}
			if len(lost) > 0 && !in.Confirm {
				return nil, confirm(act, fmt.Sprintf("what was done in %d file(s) would be lost, mended conflicts among it: %s.", len(lost), few(lost)))
			}
		}
		if in.DryRun {
			return r.wouldCombine(ctx, ch.args, in.Ref)
		}
		if verb == "" || verb == "start" {
			err = r.guardCombine(ctx, name, in)
		} else if verb != "quit" {
			err = r.guardResume(ctx, name, verb)
		}
		if err != nil {
			return nil, err
		}
		s, err := r.load(ctx)
		if err != nil {
			return nil, timedOut(err)
		}
		if verb == "continue" {
			args, err := r.keptMessage(s)
			if err != nil {
				return nil, err
			}
			ch.args = append(args, ch.args...)
		} else if verb == "" || verb == "start" || verb == "skip" {
			ch.args = slices.Concat(asGiven, ch.args)
		}
		if s.bool("commit.gpgsign") && verb != "abort" {
			ch = r.signed(s, ch, "commit")
		}
		res, err := r.write(ctx, ch)
		what := sub
		if verb != "" && verb != "start" {
			what += " --" + verb
		}
		out, err := r.outcome(ctx, what, res, err)
		if err == nil && what == "merge" && !in.NoCommit {
			r.warnUncommitted(in.Mode, res)
		}
		return out, r.noCommit(ctx, err)
	})
}

// warnUncommitted says that a merge was not committed though the call did not ask for that: branch.*.mergeOptions does.
func (r *repo) warnUncommitted(mode string, res result) {
	switch {
	case r.state() == "merge":
		r.c.Warn("the merge is not committed, since the config has --no-commit (branch.*.mergeOptions): sub_action continue commits it with its message, abort gives it up")
	case normal(mode, nil) != "squash" && strings.Contains(said(res), "Squash commit -- not updating HEAD"):
		r.c.Warn("nothing was committed and no merge is under way, since the config has --squash (branch.*.mergeOptions): what came in is staged for git.commit")
	}
}

// wouldCombine lists the commits that would come in.
func (r *repo) wouldCombine(ctx context.Context, args []string, ref string) (*tools.Result, error) {
	out := dry(r, "git "+strings.Join(args, " "))
	if ref == "" || strings.Contains(ref, " ") || strings.Contains(ref, "..") {
		return out, nil
	}
	list, err := r.mustRead(ctx, "log", "--oneline", "--no-decorate", "--no-color", "--no-show-signature", "--max-count=50", "--end-of-options", "HEAD.."+ref, "--")
	if err != nil {
		return nil, r.noCommit(ctx, timedOut(err))
	}
	text, _ := valid(string(list))
	out.Text += "commits that are in " + ref + " and not in HEAD:\n" + text
	return out, nil
}

package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type stashIn struct {
	common
	Sub       string   `json:"sub_action"`
	Ref       string   `json:"ref"`
	Name      string   `json:"name"`
	Message   string   `json:"message"`
	Files     []string `json:"files"`
	All       bool     `json:"all"`
	Untracked bool     `json:"include_untracked"`
	Staged    bool     `json:"staged"`
	Keep      bool     `json:"keep_index"`
	Confirm   bool     `json:"confirm"`
	DryRun    bool     `json:"dry_run"`
	page
}

type stashOne struct {
	Ref     string `json:"ref"`
	Hash    string `json:"hash"`
	Date    string `json:"date"`
	Message string `json:"message"`
}

type stashData struct {
	place
	Stashes []stashOne `json:"stashes"`
	Count   int        `json:"count"`
}

var stashSubs = verbs{
	"": tools.Reads, "list": tools.Reads, "show": tools.Reads,
	"push": tools.Writes, "apply": tools.Writes, "pop": tools.Writes,
	"drop": tools.Destroys, "clear": tools.Destroys,
}

var stashAliases = map[string]string{"save": "push", "create": "push", "ls": "list", "delete": "drop", "remove": "drop", "restore": "apply"}

var stashRef = tools.Pattern(`^(?:(?:refs/)?stash@\{)?(\d+)\}?$`)

func (t *git) stash() tools.Action {
	return tools.Act(tools.Action{
		Name: "stash", OwnTime: true, Effect: tools.Reads,
		Doc:      "list, show, push (message, files, include_untracked), apply, pop (ref), drop, clear",
		EffectOf: stashSubs.effect(stashAliases, nil),
		Confirms: func(c *tools.Call) bool { sub := subOf(c, stashAliases); return sub == "drop" || sub == "clear" },
	}, func(ctx context.Context, c *tools.Call, in stashIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := stashSubs.pick(in.Sub, stashAliases)
		if err = firstError(err, in.check()); err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("stash")
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if in.Ref == "" {
			in.Ref = in.Name
		}
		if in.Ref == "" && (c.Args.Has("ref") || c.Args.Has("name")) && sub == "drop" {
			return nil, tools.Errorf(tools.InvalidParams, `ref is empty; nothing was done: give a stash such as "stash@{1}" or "1", see git.stash`).With(tools.Details{Param: "ref"})
		}
		ref := "stash@{0}"
		if in.Ref != "" {
			m := stashRef().FindStringSubmatch(in.Ref)
			if m == nil {
				return nil, tools.Errorf(tools.InvalidParams, `ref must be a stash such as "stash@{1}" or "1"`).With(tools.Details{Param: "ref", Actual: in.Ref})
			}
			ref = "stash@{" + m[1] + "}"
		}
		switch sub {
		case "", "list":
			if sub == "" && (in.Message != "" || len(in.Files) > 0) {
				c.Warn("nothing was stashed: stash lists unless sub_action says push")
			}
			return r.listStashes(ctx, in)
		case "show":
			return r.showStash(ctx, ref, in)
		case "push":
			return r.pushStash(ctx, in)
		case "clear", "drop":
			return r.dropStash(ctx, sub, ref, in)
		}
		if in.DryRun {
			return r.showStash(ctx, ref, in)
		}
		if err := r.guardStash(ctx, sub, ref, nil); err != nil {
			return nil, err
		}
		res, err := r.write(ctx, change{args: []string{"stash", sub, "--index", ref}})
		if err == nil && res.code != 0 && strings.Contains(res.stderr, "--index") {
			// What was staged does not apply to the index; the changes themselves may.
			res, err = r.write(ctx, change{args: []string{"stash", sub, ref}})
			c.Warn("what was staged could not be staged again; everything came back unstaged")
		}
		return r.outcome(ctx, "stash "+sub, res, err)
	})
}

func (r *repo) stashes(ctx context.Context) ([]stashOne, error) {
	if entries, known := r.plainLog("refs/stash", "stash"); known {
		var list []stashOne
		for _, e := range entries {
			e.Message = shortened(redact(e.Message))
			list = append(list, stashOne(e))
		}
		return list, nil
	}
	out, err := r.mustRead(ctx, "stash", "list", "-z", "--encoding=UTF-8", "--no-show-signature", "--format=tformat:%gd%x00%H%x00%cI%x00%gs%x00")
	if err != nil {
		return nil, err
	}
	var list []stashOne
	fields := bytes.Split(out, []byte{0})
	for i := 0; i+4 < len(fields); i += 5 {
		message, _ := valid(string(fields[i+3]))
		// A date in place of the number comes from log.date; the place in the list is the number anyway.
		list = append(list, stashOne{fmt.Sprintf("stash@{%d}", len(list)), string(fields[i+1]), string(fields[i+2]), shortened(redact(message))})
	}
	return list, nil
}

func (r *repo) listStashes(ctx context.Context, in stashIn) (*tools.Result, error) {
	list, err := r.stashes(ctx)
	if err != nil {
		return nil, timedOut(err)
	}
	all := len(list)
	list = list[min(in.Offset, all):]
	list = list[:min(len(list), limitOr(in.Limit, maxListed))]
	var b strings.Builder
	room := tools.NewRoom(in.MaxChars)
	for i, s := range list {
		line := fmt.Sprintf("%s: %s\n", s.Ref, s.Message)
		if !room.Takes(line, s) {
			list = list[:i]
			break
		}
		b.WriteString(line)
	}
	if all == 0 {
		b.WriteString("no stashes\n")
	}
	return listed(b.String(), stashData{r.place(), some(list), all}, in.page, len(list), all), nil
}

func (r *repo) showStash(ctx context.Context, ref string, in stashIn) (*tools.Result, error) {
	p := &patchReader{first: in.Offset, limit: tools.Limit(in.MaxChars)}
	args := append([]string{"stash", "show", "--patch", "--include-untracked"}, diffArgs...)
	res, err := r.read(ctx, p.read, append(args, ref)...)
	if err != nil {
		return nil, timedOut(err)
	}
	if res.code != 0 {
		return nil, failure("stash show", res)
	}
	return r.diffResult(p, in.page, ""), nil
}

func (r *repo) pushStash(ctx context.Context, in stashIn) (*tools.Result, error) {
	files, err := r.scope(in.Files)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		return r.wouldStash(ctx, in, files)
	}
	if err := r.guardStash(ctx, "push", "", files); err != nil {
		return nil, err
	}
	if in.All || in.Untracked {
		s, err := r.statusOf(ctx, in.All, files)
		if err != nil {
			return nil, timedOut(err)
		}
		files = except(files, r.leaving("stash push", append(s.Untracked, s.Ignored...)))
	}
	args := []string{"stash", "push"}
	switch {
	case in.All:
		args = append(args, "--all")
	case in.Untracked:
		args = append(args, "--include-untracked")
	}
	if in.Staged {
		args = append(args, "--staged")
	}
	if in.Keep {
		args = append(args, "--keep-index")
	}
	if in.Message != "" {
		args = append(args, "--message="+in.Message)
	}
	args = append(args, "--")
	before, _ := r.resolve(ctx, "refs/stash")
	text, err := r.mustWrite(ctx, change{args: append(args, files...)})
	if err != nil {
		return nil, timedOut(err)
	}
	list, err := r.stashes(ctx)
	if err != nil {
		return nil, timedOut(err)
	}
	if len(list) == 0 || list[0].Hash == before {
		return nil, tools.Errorf(tools.Conflict, "nothing was stashed: %s; untracked files need include_untracked:true", firstLine(text))
	}
	return &tools.Result{Text: shortened(text), Data: stashData{r.place(), list[:1], len(list)}}, nil
}

// wouldStash lists what a push would put away.
func (r *repo) wouldStash(ctx context.Context, in stashIn, files []string) (*tools.Result, error) {
	s, err := r.statusOf(ctx, in.All, files)
	if err != nil {
		return nil, timedOut(err)
	}
	list := append(s.Conflicts, s.Staged...)
	if !in.Staged {
		list = append(list, s.Unstaged...)
		for _, names := range [][]string{s.Untracked, s.Ignored} {
			if !in.All && !in.Untracked {
				break
			}
			for _, name := range names {
				if _, no := r.stops(named(name)); !no {
					list = append(list, entry{Path: name, Status: "untracked"})
				}
			}
		}
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(e entry) bool {
		twice := seen[e.Path]
		seen[e.Path] = true
		return twice
	})
	return r.wouldTake("would be stashed", list), nil
}

func (r *repo) dropStash(ctx context.Context, sub, ref string, in stashIn) (*tools.Result, error) {
	list, err := r.stashes(ctx)
	if err != nil {
		return nil, timedOut(err)
	}
	lost := list
	if sub == "drop" {
		lost = nil
		for _, s := range list {
			if s.Ref == ref {
				lost = []stashOne{s}
			}
		}
	}
	if len(lost) == 0 {
		return nil, tools.Errorf(tools.NotFound, "there is no %s; see git.stash", ref).With(tools.Details{Param: "ref"})
	}
	var b strings.Builder
	for _, s := range lost {
		fmt.Fprintf(&b, "%s: %s (%s)\n", s.Ref, s.Message, s.Hash)
	}
	data := stashData{r.place(), lost[:min(len(lost), maxBeside)], len(lost)}
	text, cut := tools.Head(b.String(), tools.Limit(in.MaxChars))
	if in.DryRun {
		return &tools.Result{Text: "would drop\n" + text, Truncated: cut, Data: data}, nil
	}
	if !in.Confirm {
		return nil, confirm("stash "+sub, fmt.Sprintf("%d stash(es) would be lost, first: %s", len(lost), firstLine(b.String())))
	}
	args := []string{"stash", "clear"}
	if sub == "drop" {
		args = []string{"stash", "drop", ref}
	}
	if _, err := r.mustWrite(ctx, change{args: args}); err != nil {
		return nil, timedOut(err)
	}
	return &tools.Result{Text: "dropped\n" + text, Truncated: cut, Data: data}, nil
}

package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type resetIn struct {
	common
	Ref     string   `json:"ref"`
	Mode    string   `json:"mode"`
	Sub     string   `json:"sub_action"`
	Hard    bool     `json:"hard"`
	Files   []string `json:"files"`
	Confirm bool     `json:"confirm"`
	DryRun  bool     `json:"dry_run"`
}

type resetData struct {
	place
	Mode    string  `json:"mode"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Undone  int     `json:"commits_undone"` // no longer on this branch; the reflog has them
	Changed []entry `json:"changes_lost,omitempty"`
	DryRun  bool    `json:"dry_run,omitempty"`
}

// resetMode is the mode that a call asks for; "" is mixed.
func resetMode(mode, sub string, hard bool) string {
	mode = strings.TrimPrefix(strings.ToLower(mode), "--")
	if mode == "" {
		mode = strings.TrimPrefix(strings.ToLower(sub), "--")
	}
	switch {
	case hard:
		return "hard"
	case mode == "":
		return "mixed"
	}
	return mode
}

func (t *git) reset() tools.Action {
	return tools.Act(tools.Action{
		Name: "reset", OwnTime: true, Effect: tools.Destroys,
		Doc: "mode mixed (usual), soft, hard, keep, merge; ref HEAD; or unstage files",
		Confirms: func(c *tools.Call) bool {
			mode := resetMode(c.Args.String("mode"), c.Args.String("sub_action"), c.Args.Bool("hard"))
			return mode == "hard" || mode == "merge"
		},
	}, func(ctx context.Context, c *tools.Call, in resetIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if t.embedded() {
			return nil, unsupported("reset")
		}
		mode := resetMode(in.Mode, in.Sub, in.Hard)
		if said := resetMode(in.Mode, in.Sub, false); in.Hard && (in.Mode != "" || in.Sub != "") && said != "hard" {
			return nil, tools.Errorf(tools.InvalidParams, "hard and mode %q exclude each other; nothing was done: give one", said).With(tools.Details{Param: "mode"})
		}
		switch mode {
		case "mixed", "soft", "hard", "keep", "merge":
		default:
			return nil, tools.Errorf(tools.InvalidParams, "mode %q is not known; use mixed, soft, hard, keep or merge", mode).
				With(tools.Details{Param: "mode", Available: []string{"mixed", "soft", "hard", "keep", "merge"}})
		}
		ref := named(in.Ref)
		if ref == "" {
			ref = "HEAD"
		}
		if err := checkRef("ref", ref); err != nil {
			return nil, err
		}
		// Below a folder, all that is staged there is unstaged; a commit to go back to is one of the whole repository.
		r, files, err := t.openFor(ctx, c, in.Path, in.Files, mode == "mixed" && ref == "HEAD")
		if err != nil {
			return nil, err
		}
		if r.asked && r.target != "" && mode != "mixed" && mode != "soft" && len(in.Files) == 0 {
			return nil, tools.Errorf(tools.InvalidParams, "reset --%s takes the whole repository, and path names %s in it; nothing was done: give %s as path, or bring files back with git.restore", mode, shown(r.target), shown(r.top.Abs())).
				With(tools.Details{Param: "path"})
		}
		if len(files) > 0 {
			return r.unstage(ctx, in, mode, ref, files)
		}
		return r.reset(ctx, in, mode, ref)
	})
}

func (r *repo) unstage(ctx context.Context, in resetIn, mode, ref string, files []string) (*tools.Result, error) {
	if mode != "mixed" {
		return nil, tools.Errorf(tools.InvalidParams, "reset of files is always mixed; to bring files back use git.restore").With(tools.Details{Param: "mode"})
	}
	if in.DryRun {
		return r.stagedNow(ctx, files, true)
	}
	args := []string{"reset", "--quiet"}
	if unborn, _ := r.unborn(ctx); !unborn {
		args = append(args, ref)
	}
	if _, err := r.mustWrite(ctx, change{args: append(append(args, "--"), files...)}); err != nil {
		return nil, timedOut(err)
	}
	return r.stagedNow(ctx, nil, false)
}

func (r *repo) reset(ctx context.Context, in resetIn, mode, ref string) (*tools.Result, error) {
	from, err := r.resolve(ctx, "HEAD")
	if err != nil {
		if ref != "HEAD" || mode == "hard" || in.DryRun {
			return nil, r.noCommit(ctx, timedOut(err))
		}
		if _, err := r.mustWrite(ctx, change{args: []string{"reset", "--quiet"}}); err != nil {
			return nil, timedOut(err)
		}
		return &tools.Result{Text: "unstaged everything\n", Data: resetData{place: r.place(), Mode: mode}}, nil
	}
	to, err := r.resolve(ctx, ref+"^{commit}")
	if err != nil {
		return nil, tools.Errorf(tools.NotFound, "there is no commit %s; see git.log", ref).With(tools.Details{Param: "ref"})
	}
	d := resetData{place: r.place(), Mode: mode, From: from, To: to, DryRun: in.DryRun}
	if from != to {
		out, err := r.mustRead(ctx, "rev-list", "--count", "--end-of-options", to+".."+from)
		if err != nil {
			return nil, timedOut(err)
		}
		d.Undone, _ = strconv.Atoi(strings.TrimSpace(string(out)))
	}
	if mode == "hard" || mode == "merge" {
		if d.Changed, err = r.losses(ctx, true, to, nil); err != nil {
			return nil, timedOut(err)
		}
	}
	lost := fmt.Sprintf("changes of %d file(s) would be lost", len(d.Changed))
	if len(d.Changed) > 0 {
		lost += ": " + few(d.Changed)
	}
	if d.Undone > 0 {
		lost += fmt.Sprintf("; %d commit(s) would leave the branch", d.Undone)
	}
	n := len(d.Changed)
	d.Changed = d.Changed[:min(n, 100)]
	if in.DryRun {
		return &tools.Result{Text: "reset --" + mode + " " + ref + ": " + lost + "\n", Data: d}, nil
	}
	if (mode == "hard" || mode == "merge") && !in.Confirm {
		return nil, confirm("reset --"+mode, lost+".")
	}
	if err := r.guardReset(ctx, mode, from, to); err != nil {
		return nil, err
	}
	text, err := r.mustWrite(ctx, change{args: []string{"reset", "--" + mode, to, "--"}})
	if err != nil {
		return nil, timedOut(err)
	}
	if mode != "soft" && mode != "mixed" {
		r.warnLeftBehind(ctx)
	}
	text, _ = tools.Head(text, tools.DefaultChars)
	return &tools.Result{Text: text, Data: d}, nil
}

type cleanIn struct {
	common
	Files   []string `json:"files"`
	Exclude []string `json:"exclude"`
	All     bool     `json:"all"`
	Force   bool     `json:"force"`
	Confirm bool     `json:"confirm"`
	DryRun  bool     `json:"dry_run"`
	page
}

type cleanData struct {
	place
	Removed []string `json:"removed"`
	Count   int      `json:"count"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

func (t *git) clean() tools.Action {
	return tools.Act(tools.Action{
		Name: "clean", OwnTime: true, Effect: tools.Destroys,
		Doc:      "list untracked files and folders (all: ignored too); with force and confirm remove them",
		Confirms: func(c *tools.Call) bool { return c.Args.Bool("force") || c.Args.Bool("confirm") },
	}, func(ctx context.Context, c *tools.Call, in cleanIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if t.embedded() {
			return nil, unsupported("clean")
		}
		if err := in.check(); err != nil {
			return nil, err
		}
		r, files, err := t.openFor(ctx, c, in.Path, in.Files, true)
		if err != nil {
			return nil, err
		}
		args := []string{"clean", "-d"}
		if in.All {
			args = append(args, "-x")
		}
		for _, pattern := range in.Exclude {
			args = append(args, "--exclude="+pattern)
		}
		act := (in.Force || in.Confirm) && !in.DryRun
		find := func() ([]string, error) {
			out, err := r.mustRead(ctx, slices.Concat(args, []string{"--dry-run", "--"}, files)...)
			return cleaned(string(out)), timedOut(err)
		}
		list, err := find()
		if err != nil {
			return nil, err
		}
		if left := r.leaving("clean", list); len(left) > 0 {
			args = append(args, ignoring(left)...)
			if list, err = find(); err != nil {
				return nil, err
			}
		}
		if act && !in.Confirm {
			return nil, confirm("clean", fmt.Sprintf("%d untracked file(s) and folder(s) would be removed: %s.", len(list), fewNames(list)))
		}
		if act && len(list) > 0 {
			res, err := r.write(ctx, change{args: append(append(args, "--force", "--"), files...)})
			if err == nil && res.code != 0 {
				err = failure("clean", res)
			}
			if err = firstError(err, partly(res)); err != nil {
				return nil, timedOut(err)
			}
			list = cleaned(string(res.out))
		}
		d := cleanData{place: r.place(), Count: len(list), DryRun: !act}
		verb := map[bool]string{true: "removed ", false: "would remove "}[act]
		var b strings.Builder
		room := tools.NewRoom(in.MaxChars)
		for _, name := range list[min(in.Offset, len(list)):] {
			line := verb + lineName(name) + "\n"
			if len(d.Removed) == limitOr(in.Limit, maxListed) || !room.Takes(line, shown(name)) {
				break
			}
			d.Removed = append(d.Removed, shown(name))
			b.WriteString(line)
		}
		if d.Removed = some(d.Removed); len(list) == 0 {
			b.WriteString("nothing to remove\n")
		} else if !act {
			b.WriteString("dry run: force:true with confirm:true removes them\n")
		}
		return listed(b.String(), d, in.page, len(d.Removed), len(list)), nil
	})
}

// cleaned reads the names from what clean says.
func cleaned(out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		for _, head := range []string{"Would remove ", "Removing "} {
			if name, ok := strings.CutPrefix(line, head); ok {
				list = append(list, maybeUnquote(name))
			}
		}
	}
	return list
}

func fewNames(list []string) string {
	var entries []entry
	for _, name := range list {
		entries = append(entries, entry{Path: shown(name)})
	}
	return few(entries)
}

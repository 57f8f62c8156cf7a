package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type addIn struct {
	common
	Files  []string `json:"files"`
	All    bool     `json:"all"`
	Force  bool     `json:"force"`
	DryRun bool     `json:"dry_run"`
}

type stagedData struct {
	place
	Staged []entry `json:"staged"`
	Count  int     `json:"count"`
	DryRun bool    `json:"dry_run,omitempty"`
}

func (t *git) add() tools.Action {
	return tools.Act(tools.Action{
		Name: "add", Aliases: []string{"stage"}, OwnTime: true, Effect: tools.Writes,
		Doc: "stage files, or all; force adds ignored ones",
	}, func(ctx context.Context, c *tools.Call, in addIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		r, files, err := t.openFor(ctx, c, in.Path, in.Files, in.All)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 && !in.All {
			return nil, tools.Errorf(tools.InvalidParams, "files is missing: name what to stage, or all:true for everything").With(tools.Details{Param: "files"})
		}
		if r.git == "" {
			return r.goAdd(ctx, in, files)
		}
		args := []string{"add"}
		if in.All {
			args = append(args, "--all")
		}
		if in.Force {
			args = append(args, "--force")
		}
		if in.DryRun {
			said, err := r.wouldStage(ctx, append(args, "--dry-run", "--"), files)
			text, _ := tools.Head(said, tools.DefaultChars)
			return &tools.Result{Text: "would stage:\n" + text, Data: stagedData{place: r.place(), Staged: []entry{}, DryRun: true}}, timedOut(err)
		}
		res, err := r.write(ctx, change{args: append(append(args, "--"), files...)})
		if err == nil && res.code != 0 {
			fail := failure("add", res)
			if strings.Contains(res.stderr, "are ignored by one of your .gitignore files") {
				fail.Message += "\nThe other files were staged; force:true stages ignored ones"
			}
			err = fail
		}
		if err = firstError(err, partly(res)); err != nil {
			return nil, timedOut(err)
		}
		r.warnEmbedded(res.stderr)
		out, err := r.stagedNow(ctx, files, false)
		if err == nil && out.Data.(stagedData).Count == 0 && len(files) > 0 {
			r.warnInside(ctx, files)
		}
		return out, err
	})
}

// warnEmbedded passes on that a repository inside this one was added, of which a clone will get nothing.
func (r *repo) warnEmbedded(said string) {
	for line := range strings.Lines(said) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "warning: adding embedded git repository: "); ok {
			r.c.Warn(name + " is a repository of its own: only a link to its commit was staged, and a clone will lack its files; unstage it (git.restore with staged), or make it a submodule")
		}
	}
}

// warnInside says why nothing of a submodule was staged that has changes of its own.
func (r *repo) warnInside(ctx context.Context, files []string) {
	if !r.mayHaveSubmodules() {
		return
	}
	links, err := r.gitlinks(ctx, files)
	if err != nil {
		return
	}
	for _, name := range links[:min(len(links), maxSubmodules)] {
		if state := r.submodule(ctx, name, 0); state == "modified" || state == "untracked" {
			r.c.Warn(shown(name) + " is a submodule, of which only the commit it stands at is staged, and that has not changed: commit its own changes in it first (path " + shown(name) + ")")
		}
	}
}

// stagedNow lists what differs between HEAD and the index.
func (r *repo) stagedNow(ctx context.Context, files []string, dryRun bool) (*tools.Result, error) {
	list, err := r.staged(ctx, files)
	if err != nil {
		return nil, timedOut(err)
	}
	text, n := listing(list)
	if len(list) == 0 {
		text = "nothing is staged\n"
	}
	if n < len(list) {
		text += fmt.Sprintf("[… %d in all: git.diff with staged pages them]\n", len(list))
	}
	return &tools.Result{Text: text, Truncated: n < len(list), Data: stagedData{r.place(), some(list[:n]), len(list), dryRun}}, nil
}

// staged lists the files whose staged state differs from HEAD, also before the first commit.
func (r *repo) staged(ctx context.Context, files []string) ([]entry, error) {
	return r.stagedAgainst(ctx, "", files)
}

// stagedAgainst is staged against another commit.
func (r *repo) stagedAgainst(ctx context.Context, ref string, files []string) ([]entry, error) {
	args := []string{"diff", "--cached", "--raw", "-z", "--find-renames", "--no-ext-diff", "--ignore-submodules=dirty", "--end-of-options"}
	if ref != "" {
		args = append(args, ref)
	}
	out, err := r.mustRead(ctx, append(append(args, "--"), files...)...)
	if err != nil {
		return nil, err
	}
	return parseRaw(out), nil
}

// parseRaw reads diff --raw -z: ":modes hashes status", the name, and for a rename or copy the new name.
func parseRaw(out []byte) []entry {
	var list []entry
	f := bytes.Split(out, []byte{0})
	for i := 0; i+1 < len(f); i += 2 {
		meta := string(f[i])
		letter := meta[strings.LastIndexByte(meta, ' ')+1:]
		if letter == "" {
			break
		}
		e := entry{Path: shown(string(f[i+1])), Status: statusWord(letter[0])}
		if (letter[0] == 'R' || letter[0] == 'C') && i+2 < len(f) {
			e.OldPath, e.Path = e.Path, shown(string(f[i+2]))
			i++
		}
		list = append(list, e)
	}
	return list
}

type restoreIn struct {
	common
	Files   []string `json:"files"`
	Ref     string   `json:"ref"`
	Staged  bool     `json:"staged"`
	All     bool     `json:"all"`
	Confirm bool     `json:"confirm"`
	DryRun  bool     `json:"dry_run"`
}

func (t *git) restore() tools.Action {
	return tools.Act(tools.Action{
		Name: "restore", Aliases: []string{"unstage"}, OwnTime: true, Effect: tools.Writes,
		Doc: "files back to the index, or to ref; staged: unstage only; over changes needs confirm",
		EffectOf: func(c *tools.Call) tools.Effect {
			return map[bool]tools.Effect{true: tools.Writes, false: tools.Destroys}[unstages(c)]
		},
		Confirms: func(c *tools.Call) bool { return !unstages(c) },
	}, func(ctx context.Context, c *tools.Call, in restoreIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if t.embedded() {
			return nil, unsupported("restore")
		}
		in.Ref, in.Staged = named(in.Ref), in.Staged || c.Given == "unstage"
		if err := checkRef("ref", in.Ref); err != nil {
			return nil, err
		}
		r, files, err := t.openFor(ctx, c, in.Path, in.Files, in.All)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			if !in.All {
				return nil, tools.Errorf(tools.InvalidParams, "files is missing: name what to restore, or all:true for everything").With(tools.Details{Param: "files"})
			}
			files = []string{wholeTree}
		}
		args := []string{"restore"}
		if in.Staged {
			args = append(args, "--staged")
		}
		if in.Ref != "" {
			args = append(args, "--source="+in.Ref)
			if !in.Staged {
				args = append(args, "--worktree")
			}
		}
		if in.DryRun && in.Staged {
			list, err := r.stagedAgainst(ctx, in.Ref, files)
			if err != nil {
				return nil, r.noCommit(ctx, timedOut(err))
			}
			return r.wouldTake("would be unstaged", list), nil
		}
		if in.DryRun {
			return r.wouldLose(ctx, "would be restored", false, in.Ref, files...)
		}
		if !in.Staged {
			err := r.guardRestored(ctx, "restore", in.Ref, false, files)
			if err = firstError(err, r.guardLoss(ctx, "restore", in.Confirm, false, in.Ref, files)); err != nil {
				return nil, err
			}
		}
		text, err := r.mustWrite(ctx, change{args: append(append(args, "--"), files...)})
		if err != nil {
			return nil, r.noCommit(ctx, timedOut(err))
		}
		return &tools.Result{Text: text + "restored\n", Data: r.place()}, nil
	})
}

func unstages(c *tools.Call) bool { return c.Args.Bool("staged") || c.Given == "unstage" }

// guardLoss refuses an act that would overwrite changes unless it was confirmed.
func (r *repo) guardLoss(ctx context.Context, act string, confirmed, staged bool, ref string, files []string) error {
	if confirmed {
		return nil
	}
	list, err := r.losses(ctx, staged, ref, files)
	if err != nil {
		return timedOut(err)
	}
	if len(list) > 0 {
		return confirm(act, fmt.Sprintf("changes of %d file(s) would be lost: %s.", len(list), few(list)))
	}
	return nil
}

type checkoutIn struct {
	common
	Ref     string   `json:"ref"`
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Create  bool     `json:"create"`
	Detach  bool     `json:"detach"`
	Force   bool     `json:"force"`
	Confirm bool     `json:"confirm"`
	DryRun  bool     `json:"dry_run"`
}

func (t *git) checkout() tools.Action {
	over := func(c *tools.Call) bool { return c.Args.Bool("force") || c.Args.Has("files") }
	return tools.Act(tools.Action{
		Name: "checkout", Aliases: []string{"switch"}, OwnTime: true, Effect: tools.Writes,
		Doc: "switch to ref; create: a new branch name from ref; or files of ref (index) over the work tree",
		EffectOf: func(c *tools.Call) tools.Effect {
			return map[bool]tools.Effect{true: tools.Destroys, false: tools.Writes}[over(c)]
		},
		Confirms: over,
	}, func(ctx context.Context, c *tools.Call, in checkoutIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if t.embedded() {
			return nil, unsupported("checkout")
		}
		in.Ref, in.Name = named(in.Ref), named(in.Name)
		if err := checkRefs("ref", in.Ref, "name", in.Name); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if len(in.Files) > 0 && (in.Create || in.Detach || in.Name != "") {
			return nil, tools.Errorf(tools.InvalidParams, "checkout of files switches to no branch: it takes ref and files, not name, create or detach; nothing was done").With(tools.Details{Param: "files"})
		}
		if len(in.Files) > 0 {
			return r.checkoutFiles(ctx, in)
		}
		if r.isFile {
			return nil, tools.Errorf(tools.InvalidParams, "path names the file %s, and checkout without files switches the whole repository; nothing was done: give the file in files, or %s as path", shown(r.target), shown(r.top.Abs())).
				With(tools.Details{Param: "path"})
		}
		return r.checkoutRef(ctx, in)
	})
}

func (r *repo) checkoutFiles(ctx context.Context, in checkoutIn) (*tools.Result, error) {
	files, err := r.files(in.Files)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		return r.wouldLose(ctx, "changes of these files would be lost", in.Ref != "", in.Ref, files...)
	}
	err = r.guardRestored(ctx, "checkout of files", in.Ref, true, files)
	if err = firstError(err, r.guardLoss(ctx, "checkout of files", in.Confirm, in.Ref != "", in.Ref, files)); err != nil {
		return nil, err
	}
	args := []string{"checkout"}
	if in.Ref != "" {
		args = append(args, in.Ref)
	}
	text, err := r.mustWrite(ctx, change{args: append(append(args, "--"), files...)})
	if err != nil {
		return nil, r.noCommit(ctx, timedOut(err))
	}
	return &tools.Result{Text: text, Data: r.place()}, nil
}

func (r *repo) checkoutRef(ctx context.Context, in checkoutIn) (*tools.Result, error) {
	name := in.Name
	if name == "" && in.Create {
		name, in.Ref = in.Ref, ""
	}
	if !in.Create && in.Ref == "" {
		in.Ref, name = name, ""
	}
	switch {
	case !in.Create && name != "" && name != in.Ref:
		return nil, tools.Errorf(tools.InvalidParams, "name and ref name two places to switch to; nothing was done: give one, or create:true for a new branch %s from %s", name, in.Ref).With(tools.Details{Param: "name"})
	case in.Create && in.Detach:
		return nil, tools.Errorf(tools.InvalidParams, "a new branch (create) and detach exclude each other; nothing was done").With(tools.Details{Param: "detach"})
	}
	if in.Ref == "" && name == "" {
		return nil, tools.Errorf(tools.InvalidParams, "ref is missing: the branch, tag or commit to switch to").With(tools.Details{Param: "ref"})
	}
	args := []string{"checkout"}
	if in.Ref != "" && !in.DryRun {
		if err := r.guardMove(ctx, "checkout", in.Ref, in.Force); err != nil {
			return nil, err
		}
	}
	if !in.Force {
		args = append(args, "--no-overwrite-ignore") // what is ignored is in no commit
	} else {
		if in.DryRun {
			return r.wouldLose(ctx, "changes of these files would be lost", true, in.Ref)
		}
		if err := r.guardLoss(ctx, "checkout by force", in.Confirm, true, in.Ref, nil); err != nil {
			return nil, err
		}
		args = append(args, "--force")
	}
	if in.Create {
		args = append(args, "-b", name)
	}
	if in.Detach {
		args = append(args, "--detach")
	}
	if in.Ref != "" {
		args = append(args, in.Ref)
	}
	if in.DryRun {
		return dry(r, "git "+strings.Join(args, " ")), nil
	}
	res, err := r.write(ctx, change{args: append(args, "--"), config: true})
	out, err := r.outcome(ctx, "checkout", res, err)
	if err == nil {
		if branch, detached := r.head(); detached {
			r.c.Warn("HEAD is detached now: commits made here are on no branch until git.branch create")
		} else if branch != "" {
			out.Text += "on branch " + shown(branch) + "\n"
		}
		r.warnLeftBehind(ctx)
		return out, nil
	}
	return out, r.noCommit(ctx, err)
}

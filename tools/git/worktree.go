package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

type worktreeIn struct {
	common
	Sub     string `json:"sub_action"`
	Dest    string `json:"destination"`
	Name    string `json:"name"`
	Ref     string `json:"ref"`
	Detach  bool   `json:"detach"`
	Force   bool   `json:"force"`
	Confirm bool   `json:"confirm"`
	DryRun  bool   `json:"dry_run"`
}

type worktreeOne struct {
	Path     string `json:"path"`
	Head     string `json:"head,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Detached bool   `json:"detached,omitempty"`
	Bare     bool   `json:"bare,omitempty"`
	Locked   bool   `json:"locked,omitempty"`
	Prunable bool   `json:"prunable,omitempty"`
}

var worktreeSubs = verbs{"": tools.Reads, "list": tools.Reads, "add": tools.Writes, "remove": tools.Writes, "prune": tools.Destroys, "lock": tools.Writes, "unlock": tools.Writes}

var worktreeAliases = map[string]string{"ls": "list", "create": "add", "rm": "remove", "delete": "remove"}

func (t *git) worktree() tools.Action {
	forced := func(c *tools.Call, sub string) bool { return sub == "remove" && c.Args.Bool("force") }
	return tools.Act(tools.Action{
		Name: "worktree", Aliases: []string{"worktrees"}, OwnTime: true, Effect: tools.Reads,
		Doc:      "list, add (destination, name: new branch, ref), remove (destination, force), prune, lock, unlock",
		EffectOf: worktreeSubs.effect(worktreeAliases, forced),
		Confirms: func(c *tools.Call) bool {
			sub := subOf(c, worktreeAliases)
			return sub == "prune" || forced(c, sub)
		},
	}, func(ctx context.Context, c *tools.Call, in worktreeIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := worktreeSubs.pick(in.Sub, worktreeAliases)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("worktree")
		}
		in.Name, in.Ref = named(in.Name), named(in.Ref)
		if err := checkRefs("name", in.Name, "ref", in.Ref); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if sub == "" || sub == "list" {
			return r.listWorktrees(ctx)
		}
		args, lost := []string{"worktree", sub}, ""
		if sub != "prune" {
			dest, err := r.destination(in.Dest)
			if err != nil {
				return nil, err
			}
			switch sub {
			case "add":
				if in.Name != "" {
					args = append(args, "-b", in.Name)
				}
				if in.Detach {
					args = append(args, "--detach") // git refuses it beside a new branch
				}
				args = append(args, "--", dest)
				if in.Ref != "" {
					args = append(args, in.Ref)
				}
			case "remove":
				if lost, err = r.lostWith(ctx, dest, in.Force); err != nil {
					return nil, timedOut(err)
				}
				if lost != "" && !in.Confirm && !in.DryRun {
					return nil, confirm("removing the work tree "+dest, lost)
				}
				if in.Force {
					args = append(args, "--force")
				}
				args = append(args, "--", dest)
			default:
				args = append(args, "--", dest)
			}
		}
		if sub == "prune" && (in.DryRun || !in.Confirm) {
			text, err := r.mustWrite(ctx, change{args: []string{"worktree", "prune", "--dry-run", "--verbose"}, config: true})
			switch text = strings.TrimSpace(text); {
			case err != nil:
				return nil, timedOut(err)
			case in.DryRun:
				return &tools.Result{Text: text + "\ndry run\n", Data: r.place()}, nil
			case text != "":
				return nil, confirm("git worktree prune", "HEAD, reflog and index of work trees whose folders are gone (moved, or on a disk that is away?) would be lost: "+text+".")
			}
		}
		if in.DryRun {
			return dry(r, strings.TrimSpace("git "+strings.Join(args, " ")+"\n"+lost)), nil
		}
		res, err := r.write(ctx, change{args: args, config: true})
		if err == nil && res.code != 0 {
			err = r.noCommit(ctx, failure("worktree "+sub, res))
			if strings.Contains(res.stderr, "use --force") {
				err = tools.Errorf(tools.ConfirmRequired, "%s Nothing was done; with force:true and confirm:true it is removed and its changes are lost", strings.TrimSpace(res.stderr))
			}
		}
		if err != nil {
			return nil, timedOut(err)
		}
		out, err := r.listWorktrees(ctx)
		if err != nil {
			return nil, err
		}
		out.Text = said(res) + out.Text
		return out, nil
	})
}

// lostWith says what would be lost with a work tree, beside what git itself guards unless it is forced: ignored files,
// and commits on no branch or tag, since its reflog, the way back to them, goes too.
func (r *repo) lostWith(ctx context.Context, dest string, force bool) (string, error) {
	var lost []string
	if force {
		lost = append(lost, "its changed and untracked files would be lost.")
	}
	tree, err := r.t.open(ctx, r.c, dest)
	if err != nil || tree.top.Abs() != dest || tree.common.Abs() != r.common.Abs() {
		return strings.Join(lost, " "), nil // git says what it is
	}
	out, err := tree.mustRead(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return "", err
	}
	if names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); names[0] != "" {
		lost = append(lost, fmt.Sprintf("%d ignored file(s) and folder(s) in it would be lost: %s.", len(names), fewNames(names)))
	}
	head, err := tree.resolve(ctx, "HEAD")
	if err != nil { // before the first commit
		return strings.Join(lost, " "), nil
	}
	if out, err = tree.mustRead(ctx, "rev-list", "--count", head, "--not", "--branches", "--remotes", "--tags"); err != nil {
		return "", err
	}
	if n := strings.TrimSpace(string(out)); n != "0" {
		lost = append(lost, fmt.Sprintf("%s commit(s) on no branch or tag would be lost (its head is %s).", n, head))
	}
	return strings.Join(lost, " "), nil
}

// destination is the absolute path of a folder that a call names, inside the roots through any links.
func (r *repo) destination(given string) (string, error) {
	if given == "" {
		return "", tools.Errorf(tools.InvalidParams, "destination is missing: the folder of the work tree").With(tools.Details{Param: "destination"})
	}
	p, err := target(r.roots, given)
	if err != nil {
		return "", err
	}
	return p.Abs(), nil
}

// target is a place to make a repository or a work tree: inside the roots, through no link, in no .git folder.
func target(roots *sandbox.Roots, given string) (sandbox.Path, error) {
	p, err := roots.Resolve(named(given))
	if err == nil {
		p, err = roots.Follow(p)
	}
	if err != nil {
		return p, err
	}
	for name := range strings.SplitSeq(p.Rel, "/") {
		if strings.EqualFold(name, ".git") {
			return p, tools.Errorf(tools.PermissionDenied, "%s lies in a .git folder; choose another", sandbox.Printable(given))
		}
	}
	if reason, no := roots.Protected(p); no {
		return p, tools.Errorf(tools.PermissionDenied, "%s: %s", sandbox.Printable(given), reason)
	}
	return p, nil
}

func (r *repo) listWorktrees(ctx context.Context) (*tools.Result, error) {
	end := "\x00"
	res, err := r.read(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err == nil && res.code == 129 { // a git older than 2.36
		end = "\n"
		res, err = r.read(ctx, nil, "worktree", "list", "--porcelain")
	}
	if err == nil && res.code != 0 {
		err = failure("worktree", res)
	}
	if err != nil {
		return nil, timedOut(err)
	}
	d := struct {
		place
		Worktrees []worktreeOne `json:"worktrees"`
		Count     int           `json:"count"`
	}{place: r.place(), Worktrees: []worktreeOne{}}
	var b strings.Builder
	for record := range strings.SplitSeq(string(res.out), end+end) {
		var one worktreeOne
		for line := range strings.SplitSeq(record, end) {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				one.Path = shown(filepath.FromSlash(value))
			case "HEAD":
				one.Head = value
			case "branch":
				one.Branch = shown(strings.TrimPrefix(value, "refs/heads/"))
			case "detached":
				one.Detached = true
			case "bare":
				one.Bare = true
			case "locked":
				one.Locked = true
			case "prunable":
				one.Prunable = true
			}
		}
		if one.Path == "" {
			continue
		}
		if d.Count++; len(d.Worktrees) < maxListed {
			d.Worktrees = append(d.Worktrees, one)
		}
		what := one.Branch
		switch {
		case one.Bare:
			what = "(bare)"
		case one.Detached:
			what = "(detached)"
		}
		b.WriteString(one.Path + " " + one.Head[:min(9, len(one.Head))] + " " + what + "\n")
	}
	text, _ := tools.Head(b.String(), tools.DefaultChars)
	return &tools.Result{Text: text, Data: d}, nil
}

type bisectIn struct {
	common
	Sub    string `json:"sub_action"`
	Ref    string `json:"ref"`
	Good   string `json:"good"`
	Bad    string `json:"bad"`
	DryRun bool   `json:"dry_run"`
}

var bisectSubs = verbs{"": tools.Reads, "log": tools.Reads, "start": tools.Writes, "good": tools.Writes, "bad": tools.Writes, "skip": tools.Writes, "reset": tools.Writes, "run": tools.Reads}

var bisectAliases = map[string]string{"status": "log", "list": "log", "new": "bad", "old": "good", "stop": "reset"}

func (t *git) bisect() tools.Action {
	return tools.Act(tools.Action{
		Name: "bisect", OwnTime: true, Effect: tools.Reads,
		Doc:      "log, start (bad, good), good, bad, skip (ref), reset",
		EffectOf: bisectSubs.effect(bisectAliases, nil),
	}, func(ctx context.Context, c *tools.Call, in bisectIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := bisectSubs.pick(in.Sub, bisectAliases)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("bisect")
		}
		if sub == "run" {
			return nil, tools.Errorf(tools.Unsupported, "bisect run starts a command; run it with exec: git bisect run …")
		}
		if err := checkRefs("ref", in.Ref, "good", in.Good, "bad", in.Bad); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if sub == "" || sub == "log" {
			text := "no bisect is under way\n"
			if r.exists("BISECT_LOG") {
				out, err := r.mustRead(ctx, "bisect", "log")
				if err != nil {
					return nil, timedOut(err)
				}
				text, _ = valid(string(out))
			}
			text, cut := tools.Head(text, tools.DefaultChars)
			return &tools.Result{Text: text, Truncated: cut, Data: outcomeData{place: r.place(), State: r.state()}}, nil
		}
		args := []string{"bisect", sub}
		switch {
		case sub == "start" && in.Bad != "":
			args = append(args, in.Bad)
			if in.Good != "" {
				args = append(args, in.Good)
			}
		case sub == "start" && in.Good != "":
			return nil, tools.Errorf(tools.InvalidParams, "start takes bad, or bad and good").With(tools.Details{Param: "bad"})
		case sub == "start":
		case in.Ref != "":
			args = append(args, in.Ref)
		}
		if sub == "start" {
			args = append(args, "--")
		}
		if in.DryRun {
			return dry(r, "git "+strings.Join(args, " ")), nil
		}
		if err := r.guardBisect(ctx, sub, in); err != nil {
			return nil, err
		}
		res, err := r.write(ctx, change{args: args})
		return r.outcome(ctx, "bisect "+sub, res, err)
	})
}

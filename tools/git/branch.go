package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type branchIn struct {
	common
	Sub     string `json:"sub_action"`
	Name    string `json:"name"`
	NewName string `json:"new_name"`
	Ref     string `json:"ref"`
	All     bool   `json:"all"`
	Force   bool   `json:"force"`
	Confirm bool   `json:"confirm"`
	DryRun  bool   `json:"dry_run"`
	Remotes bool   `json:"remotes"`
	Type    string `json:"branch_type"`
	selection
	page
}

type branchOne struct {
	Name     string `json:"name"`
	Hash     string `json:"hash"`
	Current  bool   `json:"current,omitempty"`
	Remote   bool   `json:"remote,omitempty"`
	Upstream string `json:"upstream,omitempty"`
	Worktree string `json:"worktree,omitempty"` // checked out there, in another work tree
	Date     string `json:"date,omitempty"`
	Subject  string `json:"subject,omitempty"`
}

type branchData struct {
	place
	Branches []branchOne `json:"branches"`
	Count    int         `json:"count"`
	Current  *string     `json:"current"` // null when detached
	Detached bool        `json:"detached,omitempty"`
	Head     string      `json:"head,omitempty"`
}

// branchSubs are the verbs of branch and what they may do.
var branchSubs = verbs{
	"": tools.Reads, "list": tools.Reads, "current": tools.Reads,
	"create": tools.Writes, "rename": tools.Writes, "checkout": tools.Writes, "set_upstream": tools.Writes,
	"delete": tools.Destroys,
}

var branchAliases = map[string]string{"ls": "list", "show": "list", "new": "create", "add": "create", "move": "rename", "switch": "checkout", "show_current": "current", "remove": "delete", "rm": "delete"}

func (t *git) branch() tools.Action {
	return tools.Act(tools.Action{
		Name: "branch", OwnTime: true, Aliases: []string{"branches"}, Effect: tools.Reads,
		Doc: "list (also all), create (name, ref), rename (name, new_name), checkout, delete, set_upstream (name, ref)",
		EffectOf: branchSubs.effect(branchAliases, func(c *tools.Call, sub string) bool {
			return (sub == "create" || sub == "checkout") && c.Args.Bool("force")
		}),
		Confirms: func(c *tools.Call) bool {
			sub := subOf(c, branchAliases)
			return (sub == "delete" || sub == "create" || sub == "checkout") && c.Args.Bool("force")
		},
	}, func(ctx context.Context, c *tools.Call, in branchIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := branchSubs.pick(in.Sub, branchAliases)
		if err != nil {
			return nil, err
		}
		in.Name, in.NewName, in.Ref = named(in.Name), named(in.NewName), named(in.Ref)
		if in.Name == "" && (sub == "create" || sub == "delete" || sub == "checkout") {
			in.Name, in.Ref = in.Ref, "" // "branch" is an alias of ref
		}
		if err := firstError(checkRefs("name", in.Name, "new_name", in.NewName, "ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		if branchSubs[sub] == tools.Reads {
			if err := in.ofType(); err != nil {
				return nil, err
			}
			in.Name = in.byName(in.Name)
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if branchSubs[sub] == tools.Reads && in.Ref != "" {
			return nil, notTaken("branch")
		}
		if r.git == "" {
			if sub == "" || sub == "list" || sub == "current" {
				return r.goBranch(ctx, in)
			}
			return nil, unsupported("branch " + sub)
		}
		switch sub {
		case "", "list", "current":
			if sub == "" && in.Name != "" {
				c.Warn(`nothing was created: branch lists unless sub_action says create, rename, checkout or delete`)
			}
			return r.listBranches(ctx, in)
		}
		if in.Name == "" && sub == "rename" && in.Ref == "" {
			in.Name, in.NewName = in.NewName, "" // the current one
		}
		if in.Ref != "" && (sub == "delete" || sub == "checkout") {
			return nil, tools.Errorf(tools.InvalidParams, "git.branch %s does not take ref beside name; nothing was done", sub).With(tools.Details{Param: "ref"})
		}
		if in.Name == "" {
			return nil, tools.Errorf(tools.InvalidParams, "name is missing: the branch to %s", sub).With(tools.Details{Param: "name"})
		}
		return r.changeBranch(ctx, sub, in)
	})
}

// ofType heeds branch_type.
func (in *branchIn) ofType() error {
	switch kind := normal(in.Type, nil); kind {
	case "", "local":
	case "remote", "remotes":
		in.Remotes = true
	case "all", "both":
		in.All = true
	default:
		return tools.Errorf(tools.InvalidParams, "branch_type %q is not known; use local, remote or all", in.Type).
			With(tools.Details{Param: "branch_type", Available: []string{"local", "remote", "all"}})
	}
	return nil
}

// shows heeds pattern: the name of a remote branch may be given without its remote.
func (in *branchIn) shows(one branchOne) bool {
	_, short, _ := strings.Cut(one.Name, "/")
	return in.named(one.Name) || one.Remote && in.named(short)
}

func (r *repo) listBranches(ctx context.Context, in branchIn) (*tools.Result, error) {
	args, err := r.selecting(ctx, in.selection)
	if err != nil {
		return nil, err
	}
	args = append(args, "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(upstream:short)%00%(worktreepath)%00%(committerdate:iso-strict)%00%(subject)%00%(symref)%00")
	if in.All || !in.Remotes {
		args = append(args, "refs/heads")
	}
	if in.All || in.Remotes {
		args = append(args, "refs/remotes")
	}
	list, err := r.records(ctx, 8, args...)
	if err != nil {
		return nil, timedOut(err)
	}
	d := branchData{place: r.place()}
	branch, detached := r.head()
	if d.Detached = detached; detached {
		head, _ := r.text(r.gitDir.Join("HEAD"), gitFileMax)
		d.Head = strings.TrimSpace(head)
	} else {
		name := shown(branch)
		d.Current = &name
	}
	var text strings.Builder
	if detached {
		fmt.Fprintf(&text, "* (HEAD detached at %s)\n", d.Head[:min(12, len(d.Head))])
	}
	all, room, known := 0, tools.NewRoom(in.MaxChars), false
	for _, f := range list {
		one := branchOne{Hash: f[1], Current: f[2] == "*", Upstream: shown(f[3]), Date: f[5]}
		one.Subject, _ = valid(f[6])
		one.Subject = shortened(one.Subject)
		full, remote := f[0], false
		if one.Name, remote = strings.CutPrefix(full, "refs/remotes/"); remote {
			one.Remote = true
			if f[7] != "" {
				continue // origin/HEAD
			}
		} else {
			one.Name = strings.TrimPrefix(full, "refs/heads/")
		}
		one.Name = shown(one.Name)
		known = known || one.Current
		if f[4] != "" && !one.Current {
			one.Worktree = shown(f[4])
		}
		if sel := in.Name; sel != "" && one.Name != shown(sel) && !(one.Remote && strings.HasPrefix(one.Name, shown(sel)+"/")) || !in.shows(one) {
			continue
		}
		all++
		if all <= in.Offset || len(d.Branches) >= limitOr(in.Limit, maxListed) {
			continue
		}
		mark := "  "
		if one.Current {
			mark = "* "
		} else if one.Worktree != "" {
			mark = "+ "
		}
		prefix := ""
		if one.Remote {
			prefix = "remotes/"
		}
		if line := fmt.Sprintf("%s%s%s %s %s\n", mark, prefix, one.Name, one.Hash[:min(9, len(one.Hash))], one.Subject); room.Takes(line, one) {
			d.Branches = append(d.Branches, one)
			text.WriteString(line)
		}
	}
	whole := in.selection == selection{} && in.Name == "" && (in.All || !in.Remotes)
	if !detached && !known && branch != "" && (whole || in.Name != "") {
		if _, err := r.roots.Lstat(r.common.Join("refs/heads/" + branch)); err == nil && all == 0 && whole {
			return nil, unreadable(branch)
		} else if err == nil {
			r.c.Warn(unreadable(branch).Message)
		}
	}
	if d.Current != nil && all == 0 && whole {
		fmt.Fprintf(&text, "* %s (no commits yet)\n", *d.Current)
	}
	d.Branches, d.Count = some(d.Branches), all
	return listed(text.String(), d, in.page, len(d.Branches), all), nil
}

// maxRefField bounds what is kept of a field of a ref: its subject may be of any length.
const maxRefField = 8 << 10

// records runs for-each-ref, whose format has n fields, each ended by a NUL, the last also by a line break.
func (r *repo) records(ctx context.Context, n int, args ...string) ([][]string, error) {
	var list [][]string
	res, err := r.read(ctx, func(out io.Reader) error {
		br := bufio.NewReaderSize(out, 64<<10)
		one := make([]string, 0, n)
		for {
			field, whole, err := upTo(br, maxRefField, true)
			if err != nil || !whole {
				return err
			}
			if one = append(one, strings.Trim(string(field), "\x00\n")); len(one) == n {
				list, one = append(list, one), make([]string, 0, n)
			}
		}
	}, append([]string{"for-each-ref"}, args...)...)
	if err == nil && res.code != 0 {
		err = failure("for-each-ref", res)
	}
	return list, err
}

// listed makes the result of a list of which a page of n was taken.
func listed(text string, data any, in page, n, all int) *tools.Result {
	res := &tools.Result{Data: data}
	if next := in.Offset + n; next < all {
		res.Truncated = true
		res.Paging = &tools.Paging{Cursor: strconv.Itoa(next), More: true, Total: all}
		text += fmt.Sprintf("[… %d in all: offset %d]\n", all, next)
	}
	cut := false
	if res.Text, cut = tools.Head(text, tools.Limit(in.MaxChars)); cut {
		res.Truncated = true
	}
	return res
}

func limitOr(limit, usual int) int {
	if limit > 0 {
		return limit
	}
	return usual
}

func (r *repo) changeBranch(ctx context.Context, sub string, in branchIn) (*tools.Result, error) {
	ch := change{config: true}
	switch sub {
	case "create":
		ch.args = []string{"branch"}
		if in.Force {
			if !in.Confirm && !in.DryRun {
				return nil, confirm("moving the branch "+in.Name, "commits that only it holds would be lost.")
			}
			ch.args = append(ch.args, "--force")
		}
		ch.args = append(ch.args, "--", in.Name)
		if in.Ref != "" {
			ch.args = append(ch.args, in.Ref)
		}
	case "rename":
		if in.NewName == "" {
			if in.Ref == "" {
				ch.args = []string{"branch", "--move", "--", in.Name} // the current one
				break
			}
			in.Name, in.NewName = in.Ref, in.Name
		}
		ch.args = []string{"branch", "--move", "--", in.Name, in.NewName}
	case "set_upstream":
		if in.Ref == "" {
			return nil, tools.Errorf(tools.InvalidParams, "ref is missing: the branch to follow, such as origin/main").With(tools.Details{Param: "ref"})
		}
		ch.args = []string{"branch", "--set-upstream-to=" + in.Ref, "--", in.Name}
	case "checkout":
		return r.checkoutRef(ctx, checkoutIn{common: in.common, Ref: in.Name, Force: in.Force, Confirm: in.Confirm, DryRun: in.DryRun})
	case "delete":
		return r.deleteBranch(ctx, in)
	}
	if in.DryRun {
		return dry(r, "git "+strings.Join(ch.args, " ")), nil
	}
	text, err := r.mustWrite(ctx, ch)
	if err != nil {
		return nil, timedOut(err)
	}
	name := in.Name
	if sub == "rename" && in.NewName != "" {
		name = in.NewName
	}
	if text == "" {
		text = map[string]string{"create": "created ", "rename": "renamed to ", "set_upstream": "upstream set for "}[sub] + name + "\n"
	}
	hash, _ := r.resolve(ctx, "refs/heads/"+name)
	return &tools.Result{Text: text, Data: struct {
		place
		Name string `json:"name"`
		Hash string `json:"hash,omitempty"`
	}{r.place(), shown(name), hash}}, nil
}

func (r *repo) deleteBranch(ctx context.Context, in branchIn) (*tools.Result, error) {
	full := "refs/heads/" + in.Name
	hash, err := r.resolve(ctx, full)
	if err != nil {
		return nil, tools.Errorf(tools.NotFound, "there is no branch %s; see git.branch", in.Name).With(tools.Details{Param: "name"})
	}
	data := struct {
		place
		Name    string `json:"name"`
		Hash    string `json:"hash"`
		Deleted bool   `json:"deleted"`
		Lost    int    `json:"commits_only_here"`
	}{r.place(), shown(in.Name), hash, false, 0}
	if out, err := r.mustRead(ctx, "rev-list", "--count", hash, "--not", "--exclude="+in.Name, "--branches", "--remotes", "--tags"); err == nil {
		data.Lost, _ = strconv.Atoi(strings.TrimSpace(string(out)))
	}
	if in.DryRun {
		return &tools.Result{Text: fmt.Sprintf("would delete %s (%s); %d commits are on no other branch or tag\n", in.Name, hash, data.Lost), Data: data}, nil
	}
	flag := "--delete"
	if in.Force {
		if !in.Confirm {
			return nil, confirm("deleting "+in.Name+" by force", fmt.Sprintf("%d commits on no other branch or tag would be lost (its head is %s).", data.Lost, hash))
		}
		flag = "-D"
	}
	text, err := r.mustWrite(ctx, change{args: []string{"branch", flag, "--", in.Name}, config: true})
	if err != nil {
		return nil, timedOut(err)
	}
	data.Deleted = true
	return &tools.Result{Text: text, Data: data}, nil
}

// resolve gives the object that a ref means.
func (r *repo) resolve(ctx context.Context, ref string) (string, error) {
	if ref == "HEAD" {
		if hash, known := r.plainHead(); known {
			return hash, nil
		}
	}
	out, err := r.mustRead(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref)
	return strings.TrimSpace(string(out)), err
}

// dry is the answer of a dry run that only tells the command.
func dry(r *repo, what string) *tools.Result {
	return &tools.Result{Text: "would run: " + what + "\n", Data: struct {
		place
		DryRun bool `json:"dry_run"`
	}{r.place(), true}}
}

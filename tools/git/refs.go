package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type tagIn struct {
	common
	Sub     string `json:"sub_action"`
	Name    string `json:"name"`
	Ref     string `json:"ref"`
	Message string `json:"message"`
	Force   bool   `json:"force"`
	Confirm bool   `json:"confirm"`
	DryRun  bool   `json:"dry_run"`
	page
}

type tagOne struct {
	Name    string `json:"name"`
	Hash    string `json:"hash"` // of the commit
	Type    string `json:"type"` // tag when annotated
	Date    string `json:"date,omitempty"`
	Subject string `json:"subject,omitempty"`
}

type tagData struct {
	place
	Tags  []tagOne `json:"tags"`
	Count int      `json:"count"`
}

var tagSubs = verbs{"": tools.Reads, "list": tools.Reads, "create": tools.Writes, "delete": tools.Destroys}

var tagAliases = map[string]string{"add": "create", "new": "create", "ls": "list", "remove": "delete", "rm": "delete"}

func (t *git) tag() tools.Action {
	forced := func(c *tools.Call, sub string) bool {
		return sub == "delete" || sub == "create" && c.Args.Bool("force")
	}
	return tools.Act(tools.Action{
		Name: "tag", Aliases: []string{"tags"}, OwnTime: true, Effect: tools.Destroys,
		Doc:      "list, create (name, ref, message: annotated), delete",
		EffectOf: tagSubs.effect(tagAliases, forced),
		Confirms: func(c *tools.Call) bool { return forced(c, subOf(c, tagAliases)) },
	}, func(ctx context.Context, c *tools.Call, in tagIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := tagSubs.pick(in.Sub, tagAliases)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("tag")
		}
		in.Name, in.Ref = named(in.Name), named(in.Ref)
		if err := firstError(checkRefs("name", in.Name, "ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if sub == "" || sub == "list" {
			if sub == "" && in.Name != "" {
				c.Warn("nothing was tagged: tag lists unless sub_action says create or delete")
			}
			return r.listTags(ctx, in)
		}
		if in.Name == "" {
			return nil, tools.Errorf(tools.InvalidParams, "name is missing: the tag to %s", sub).With(tools.Details{Param: "name"})
		}
		old, _ := r.resolve(ctx, "refs/tags/"+in.Name)
		if sub == "delete" && old == "" {
			return nil, tools.Errorf(tools.NotFound, "there is no tag %s; see git.tag", in.Name).With(tools.Details{Param: "name"})
		}
		if in.DryRun {
			return dry(r, "git tag "+sub+" "+in.Name+" (now "+old+")"), nil
		}
		if old != "" && (sub == "delete" || in.Force) && !in.Confirm {
			return nil, confirm("tag "+sub, "the tag "+in.Name+" ("+old+") would be lost.")
		}
		ch := change{args: []string{"tag", "--delete", "--", in.Name}}
		if sub == "create" {
			ch.args = []string{"tag"}
			if in.Force {
				ch.args = append(ch.args, "--force")
			}
			s, err := r.load(ctx)
			if err != nil {
				return nil, err
			}
			ch.credential = s.bool("tag.gpgsign") || s.bool("tag.forcesignannotated") && in.Message != ""
			if in.Message != "" {
				ch.args = append(ch.args, "--annotate", "--file=-", "--cleanup=whitespace")
				ch.stdin = in.Message
			} else if ch.credential {
				return nil, tools.Errorf(tools.InvalidParams, "tags are signed here (tag.gpgSign), and a signed tag needs a message").With(tools.Details{Param: "message"})
			}
			ch.args = append(ch.args, "--", in.Name)
			if in.Ref != "" {
				ch.args = append(ch.args, in.Ref)
			}
		}
		text, err := r.mustWrite(ctx, ch)
		if err != nil {
			return nil, r.noCommit(ctx, timedOut(err))
		}
		hash, _ := r.resolve(ctx, "refs/tags/"+in.Name+"^{}")
		if text == "" {
			text = "tagged " + in.Name + "\n"
		}
		return &tools.Result{Text: text, Data: struct {
			place
			Name string `json:"name"`
			Hash string `json:"hash,omitempty"`
			Was  string `json:"was,omitempty"`
		}{r.place(), shown(in.Name), hash, old}}, nil
	})
}

func (r *repo) listTags(ctx context.Context, in tagIn) (*tools.Result, error) {
	out, err := r.mustRead(ctx, "for-each-ref", "--sort=-creatordate", "--format=%(refname)%00%(objectname)%00%(*objectname)%00%(objecttype)%00%(creatordate:iso-strict)%00%(subject)", "refs/tags")
	if err != nil {
		return nil, timedOut(err)
	}
	d := tagData{place: r.place()}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(f) != 6 {
			continue
		}
		d.Count++
		if d.Count <= in.Offset || len(d.Tags) >= limitOr(in.Limit, maxListed) {
			continue
		}
		one := tagOne{Name: shown(strings.TrimPrefix(f[0], "refs/tags/")), Hash: f[1], Type: f[3], Date: f[4]}
		if f[2] != "" {
			one.Hash = f[2]
		}
		one.Subject, _ = valid(f[5])
		d.Tags = append(d.Tags, one)
		fmt.Fprintf(&b, "%s %s %s\n", one.Name, one.Hash[:9], one.Subject)
	}
	d.Tags = some(d.Tags)
	if d.Count == 0 {
		b.WriteString("no tags\n")
	}
	return listed(b.String(), d, in.page, len(d.Tags), d.Count), nil
}

type reflogIn struct {
	common
	Sub     string `json:"sub_action"`
	Ref     string `json:"ref"`
	Until   string `json:"until"`
	All     bool   `json:"all"`
	Confirm bool   `json:"confirm"`
	DryRun  bool   `json:"dry_run"`
	page
}

type reflogOne struct {
	Ref     string `json:"ref"`
	Hash    string `json:"hash"`
	Date    string `json:"date"`
	Message string `json:"message"`
}

type reflogData struct {
	place
	Entries []reflogOne `json:"entries"`
}

var reflogSubs = verbs{"": tools.Reads, "list": tools.Reads, "show": tools.Reads, "expire": tools.Destroys}

func (t *git) reflog() tools.Action {
	return tools.Act(tools.Action{
		Name: "reflog", OwnTime: true, Effect: tools.Destroys,
		Doc:      "where ref (HEAD) has been; expire (until)",
		EffectOf: reflogSubs.effect(nil, nil),
		Confirms: func(c *tools.Call) bool { return subOf(c, nil) == "expire" },
	}, func(ctx context.Context, c *tools.Call, in reflogIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := reflogSubs.pick(in.Sub, nil)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("reflog")
		}
		in.Ref = named(in.Ref)
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if sub == "expire" {
			args := []string{"reflog", "expire"}
			if in.Until != "" {
				args = append(args, "--expire="+in.Until)
			}
			if in.Ref == "" {
				args = append(args, "--all")
			}
			if in.DryRun {
				args = append(args, "--dry-run", "--verbose")
			} else if !in.Confirm {
				return nil, confirm("reflog expire", "entries of the reflog would be lost, and with them the way back to commits that no branch holds.")
			}
			if in.Ref != "" {
				args = append(args, in.Ref)
			}
			text, err := r.mustWrite(ctx, change{args: args})
			if err != nil {
				return nil, timedOut(err)
			}
			text, _ = tools.Head(text, tools.Limit(in.MaxChars))
			return &tools.Result{Text: text, Data: r.place()}, nil
		}
		most := limitOr(in.Limit, 20)
		args := []string{"log", "--walk-reflogs", "-z", "--no-color", "--encoding=UTF-8", "--no-show-signature", "--no-patch",
			"--format=tformat:%gd%x00%H%x00%cI%x00%gs%x00", "--max-count=" + strconv.Itoa(most+1), "--skip=" + strconv.Itoa(in.Offset)}
		if in.All {
			args = append(args, "--all")
		}
		args = append(args, "--end-of-options")
		if in.Ref != "" {
			args = append(args, in.Ref)
		}
		out, err := r.mustRead(ctx, append(args, "--")...)
		if err != nil {
			if unborn, _ := r.unborn(ctx); !unborn {
				return nil, timedOut(err)
			}
		}
		d := reflogData{place: r.place()}
		var b strings.Builder
		f := strings.Split(string(out), "\x00")
		for i := 0; i+4 < len(f) && len(d.Entries) <= most; i += 5 {
			message, _ := valid(f[i+3])
			d.Entries = append(d.Entries, reflogOne{shown(f[i]), f[i+1], f[i+2], message})
		}
		all := in.Offset + len(d.Entries)
		d.Entries = some(d.Entries[:min(most, len(d.Entries))])
		for _, e := range d.Entries {
			fmt.Fprintf(&b, "%s %s: %s\n", e.Hash[:9], e.Ref, e.Message)
		}
		if len(d.Entries) == 0 {
			b.WriteString("no entries\n")
		}
		res := listed(b.String(), d, in.page, len(d.Entries), all)
		return res, nil
	})
}

type revIn struct {
	common
	Ref  string `json:"ref"`
	Name string `json:"name"`
	All  bool   `json:"all"`
}

func (t *git) revParse() tools.Action {
	return tools.Act(tools.Action{
		Name: "rev_parse", OwnTime: true,
		Doc: "the hash that ref means (HEAD), top level, git folder",
	}, func(ctx context.Context, c *tools.Call, in revIn) (*tools.Result, error) {
		r, ref, err := t.forRev(ctx, c, &in, "rev_parse")
		if err != nil {
			return nil, err
		}
		out, err := r.mustRead(ctx, "rev-parse", "--verify", "--end-of-options", ref)
		if err != nil {
			if in.Ref != "" {
				return nil, r.noCommit(ctx, timedOut(err))
			}
			out = nil // an unborn HEAD still has a top level
		}
		d := struct {
			place
			Ref    string `json:"ref"`
			Hash   string `json:"hash,omitempty"`
			Branch string `json:"branch,omitempty"`
			GitDir string `json:"git_dir"`
			Common string `json:"common_dir,omitempty"`
			Bare   bool   `json:"bare,omitempty"`
		}{place: r.place(), Ref: shown(ref), Hash: strings.TrimSpace(string(out)), GitDir: r.gitDir.Abs(), Bare: r.bare}
		d.Branch, _ = r.head()
		d.Branch = shown(d.Branch)
		if r.common.Abs() != r.gitDir.Abs() {
			d.Common = r.common.Abs()
		}
		return &tools.Result{Data: d}, nil
	})
}

func (t *git) describe() tools.Action {
	return tools.Act(tools.Action{
		Name: "describe", OwnTime: true,
		Doc: "ref (HEAD) by the nearest tag; all: any ref",
	}, func(ctx context.Context, c *tools.Call, in revIn) (*tools.Result, error) {
		r, ref, err := t.forRev(ctx, c, &in, "describe")
		if err != nil {
			return nil, err
		}
		args := []string{"describe", "--always"}
		if in.All {
			args = append(args, "--all")
		} else {
			args = append(args, "--tags")
		}
		out, err := r.mustRead(ctx, append(args, ref)...)
		if err != nil {
			return nil, r.noCommit(ctx, timedOut(err))
		}
		return &tools.Result{Data: struct {
			place
			Ref      string `json:"ref"`
			Describe string `json:"describe"`
		}{r.place(), shown(ref), shown(strings.TrimSpace(string(out)))}}, nil
	})
}

// forRev is the beginning of actions about one revision.
func (t *git) forRev(ctx context.Context, c *tools.Call, in *revIn, action string) (*repo, string, error) {
	if t.embedded() {
		return nil, "", unsupported(action)
	}
	if in.Ref == "" {
		in.Ref = in.Name
	}
	ref := named(in.Ref)
	if ref == "" {
		ref = "HEAD"
	}
	if err := checkRef("ref", ref); err != nil {
		return nil, "", err
	}
	r, err := t.open(ctx, c, in.Path)
	return r, ref, err
}

type shortlogIn struct {
	common
	Ref   string `json:"ref"`
	Since string `json:"since"`
	Until string `json:"until"`
	All   bool   `json:"all"`
	page
}

type shortlogOne struct {
	Author  string `json:"author"`
	Email   string `json:"email"`
	Commits int    `json:"commits"`
}

func (t *git) shortlog() tools.Action {
	return tools.Act(tools.Action{
		Name: "shortlog", OwnTime: true,
		Doc: "commits per author of ref (HEAD); since, until, all",
	}, func(ctx context.Context, c *tools.Call, in shortlogIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("shortlog")
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		args := []string{"shortlog", "--summary", "--numbered", "--email"}
		if in.Since != "" {
			args = append(args, "--since="+in.Since)
		}
		if in.Until != "" {
			args = append(args, "--until="+in.Until)
		}
		if in.All {
			args = append(args, "--all")
		}
		ref := named(in.Ref)
		if ref == "" && !in.All {
			ref = "HEAD" // without a revision it would read standard input
		}
		args = append(args, "--end-of-options")
		if ref != "" {
			args = append(args, ref)
		}
		out, err := r.mustRead(ctx, append(args, "--")...)
		if err != nil {
			return nil, r.noCommit(ctx, timedOut(err))
		}
		text, _ := valid(string(out))
		d := struct {
			place
			Authors []shortlogOne `json:"authors"`
			Count   int           `json:"count"`
		}{place: r.place()}
		var b strings.Builder
		for line := range strings.Lines(text) {
			n, who, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok {
				continue
			}
			if d.Count++; d.Count <= in.Offset || len(d.Authors) >= limitOr(in.Limit, 200) {
				continue
			}
			one := shortlogOne{Author: who}
			one.Commits, _ = strconv.Atoi(n)
			if at := strings.LastIndex(who, " <"); at >= 0 {
				one.Author, one.Email = who[:at], strings.TrimSuffix(who[at+2:], ">")
			}
			d.Authors = append(d.Authors, one)
			b.WriteString(line)
		}
		d.Authors = some(d.Authors)
		return listed(b.String(), d, in.page, len(d.Authors), d.Count), nil
	})
}

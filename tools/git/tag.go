package git

import (
	"context"
	"fmt"
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
	selection
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
		Name: "tag", Aliases: []string{"tags"}, OwnTime: true, Effect: tools.Reads,
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
		open, lists := t.open, tagSubs[sub] == tools.Reads
		if lists {
			in.Name, open = in.byName(in.Name), t.openToRead
		}
		r, err := open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if lists {
			if in.Ref != "" {
				return nil, notTaken("tag")
			}
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
			sign := s.bool("tag.gpgsign") || s.bool("tag.forcesignannotated") && in.Message != ""
			if in.Message != "" {
				ch.args = append(ch.args, "--annotate", "--file=-", "--cleanup=whitespace")
				ch.stdin = in.Message
			} else if sign {
				return nil, tools.Errorf(tools.InvalidParams, "tags are signed here (tag.gpgSign), and a signed tag needs a message").With(tools.Details{Param: "message"})
			}
			ch.args = append(ch.args, "--", in.Name)
			if in.Ref != "" {
				ch.args = append(ch.args, in.Ref)
			}
			if sign {
				ch = r.signed(s, ch, "tag")
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
	args, err := r.selecting(ctx, in.selection)
	if err != nil {
		return nil, err
	}
	list, err := r.records(ctx, 7, append(args, "--sort=-creatordate", "--format=%(refname)%00%(objectname)%00%(*objectname)%00%(objecttype)%00%(creatordate:iso-strict)%00%(subject)%00%(*objecttype)%00", "refs/tags")...)
	if err != nil {
		return nil, timedOut(err)
	}
	d := tagData{place: r.place()}
	var b strings.Builder
	room := tools.NewRoom(in.MaxChars)
	for _, f := range list {
		if name := strings.TrimPrefix(f[0], "refs/tags/"); in.Name != "" && name != in.Name || !in.named(name) {
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
		if f[6] == "tag" && !room.Full() { // a tag of a tag
			if hash, err := r.resolve(ctx, f[0]+"^{}"); err == nil {
				one.Hash = hash
			}
		}
		one.Subject, _ = valid(f[5])
		one.Subject = shortened(one.Subject)
		if line := fmt.Sprintf("%s %s %s\n", one.Name, one.Hash[:9], one.Subject); room.Takes(line, one) {
			d.Tags = append(d.Tags, one)
			b.WriteString(line)
		}
	}
	d.Tags = some(d.Tags)
	if d.Count == 0 {
		b.WriteString("no tags\n")
	}
	return listed(b.String(), d, in.page, len(d.Tags), d.Count), nil
}

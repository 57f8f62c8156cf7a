package git

import (
	"context"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

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
		hash, known := "", false
		if ref == "HEAD" || ref == "@" {
			hash, known = r.plainHead()
		}
		if !known {
			var out []byte
			out, err = r.mustRead(ctx, "rev-parse", "--verify", "--end-of-options", ref)
			hash = strings.TrimSpace(string(out))
		}
		if err != nil {
			if unborn, _ := r.unborn(ctx); in.Ref != "" || !unborn {
				return nil, r.noCommit(ctx, timedOut(err))
			}
			hash = "" // an unborn HEAD still has a top level
		}
		d := struct {
			place
			Ref    string `json:"ref"`
			Hash   string `json:"hash,omitempty"`
			Branch string `json:"branch,omitempty"`
			GitDir string `json:"git_dir"`
			Common string `json:"common_dir,omitempty"`
			Bare   bool   `json:"bare,omitempty"`
		}{place: r.place(), Ref: shown(ref), Hash: hash, GitDir: r.gitDir.Abs(), Bare: r.bare}
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
		in.Ref = named(in.Ref)
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
		if err := r.dates(ctx, &in.Since, &in.Until); err != nil {
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
		ref := in.Ref
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
		room := tools.NewRoom(in.MaxChars)
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
			one.Author, one.Email = shortened(one.Author), shortened(one.Email)
			if line = shortened(strings.TrimSuffix(line, "\n")) + "\n"; room.Takes(line, one) {
				d.Authors = append(d.Authors, one)
				b.WriteString(line)
			}
		}
		d.Authors = some(d.Authors)
		return listed(b.String(), d, in.page, len(d.Authors), d.Count), nil
	})
}

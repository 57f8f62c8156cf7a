package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

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
		Name: "reflog", OwnTime: true, Effect: tools.Reads,
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

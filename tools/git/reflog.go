package git

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
			if !slices.Contains([]string{"", "all", "never", "now"}, in.Until) { // what git cannot read it takes for the present
				if in.Until, err = r.date(ctx, "until", in.Until); err != nil {
					return nil, timedOut(err)
				}
			}
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
		if in.Until != "" {
			return nil, tools.Errorf(tools.InvalidParams, "a list of the reflog does not take until, which is for expire; nothing was done: git.log takes since and until").With(tools.Details{Param: "until"})
		}
		most := limitOr(in.Limit, 20)
		if full, ok := r.plainBranch(in.Ref); ok && !in.All {
			if list, known := r.plainLog(full, cmp.Or(strings.TrimPrefix(in.Ref, "refs/heads/"), "HEAD")); known {
				if len(list) == 0 {
					if err := r.isRef(ctx, in.Ref); err != nil {
						return nil, err
					}
				}
				list = list[min(in.Offset, len(list)):]
				return r.reflogResult(list[:min(len(list), most+1)], in.page, most), nil
			}
		}
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
		if len(out) == 0 {
			if err := r.isRef(ctx, in.Ref); err != nil {
				return nil, err
			}
		}
		var list []reflogOne
		f := strings.Split(string(out), "\x00")
		for i := 0; i+4 < len(f) && len(list) <= most; i += 5 {
			message, _ := valid(f[i+3])
			list = append(list, reflogOne{shown(f[i]), f[i+1], f[i+2], message}) // git gives the date of the commit only
		}
		return r.reflogResult(list, in.page, most), nil
	})
}

// isRef refuses a ref that there is none of, but for the branch of a repository without commits.
func (r *repo) isRef(ctx context.Context, ref string) error {
	if ref == "" || ref == "HEAD" {
		return nil
	}
	if _, err := r.resolve(ctx, ref); err == nil {
		return nil
	}
	if unborn, branch := r.unborn(ctx); unborn && branch == strings.TrimPrefix(ref, "refs/heads/") {
		return nil
	}
	return tools.Errorf(tools.NotFound, "there is no %s; see git.branch", shown(ref)).With(tools.Details{Param: "ref"})
}

// reflogResult makes the answer of a page with one entry more than it may show, if there are more.
func (r *repo) reflogResult(list []reflogOne, in page, most int) *tools.Result {
	d := reflogData{place: r.place(), Entries: []reflogOne{}}
	var b strings.Builder
	room := tools.NewRoom(in.MaxChars)
	for _, e := range list[:min(most, len(list))] {
		e.Message = shortened(redact(e.Message)) // git writes the arguments of pull there
		if line := fmt.Sprintf("%s %s: %s\n", e.Hash[:9], e.Ref, e.Message); room.Takes(line, e) {
			d.Entries = append(d.Entries, e)
			b.WriteString(line)
		}
	}
	if len(d.Entries) == 0 {
		b.WriteString("no entries\n")
	}
	return listed(b.String(), d, in, len(d.Entries), in.Offset+len(list))
}

// indexed is a ref with the number of its reflog's entry.
func indexed(ref string, n int) string { return shown(ref + "@{" + strconv.Itoa(n) + "}") }

// dated makes a date of seconds and zone, such as "1700000000 +0100".
func dated(at string) (string, bool) {
	seconds, zone, _ := strings.Cut(at, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || len(zone) != 5 {
		return "", false
	}
	return zoned(n, zone), true
}

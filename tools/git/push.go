package git

import (
	"context"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// pushVerbs are what sub_action or mode may say of a push.
var pushVerbs = verbs{"": tools.Writes, "push": tools.Writes, "force": tools.Destroys, "delete": tools.Destroys}

var pushAliases = map[string]string{"remove": "delete", "rm": "delete", "force_with_lease": "force"}

func pushVerb(c *tools.Call, param string) string { return normal(c.Args.String(param), pushAliases) }

func (t *git) push() tools.Action {
	forced := func(c *tools.Call) bool {
		return c.Args.Bool("force") || forces(c.Args.String("ref")) ||
			pushVerbs[pushVerb(c, "sub_action")] == tools.Destroys || pushVerbs[pushVerb(c, "mode")] == tools.Destroys
	}
	return tools.Act(tools.Action{
		Name: "push", OwnTime: true, Effect: tools.Writes,
		Doc: "name (remote), ref, set_upstream, tags; force (with lease) and sub_action delete need confirm",
		EffectOf: func(c *tools.Call) tools.Effect {
			return map[bool]tools.Effect{true: tools.Destroys, false: tools.Writes}[forced(c)]
		},
		Confirms: forced,
	}, func(ctx context.Context, c *tools.Call, in netIn) (*tools.Result, error) {
		r, s, err := t.netOpen(ctx, c, &in, "push")
		if err != nil {
			return nil, err
		}
		remove := false
		for _, given := range []string{in.Sub, in.Mode} {
			verb, err := pushVerbs.pick(given, pushAliases)
			if err != nil {
				return nil, err
			}
			remove, in.Force = remove || verb == "delete", in.Force || verb == "force"
		}
		asked := remove
		specs := refsOf(in.Ref)
		if remove && len(specs) == 0 {
			return nil, tools.Errorf(tools.InvalidParams, "ref is missing: what to delete at the remote").With(tools.Details{Param: "ref"})
		}
		// What the config says of a plain push may be a force too.
		if len(specs) == 0 && !in.Tags {
			if s.bool("remote." + in.Name + ".mirror") {
				return nil, tools.Errorf(tools.PermissionDenied, "remote.%s.mirror is set: a plain push would overwrite and delete branches there; give ref", in.Name).With(tools.Details{Param: "ref"})
			}
		}
		for _, one := range s.list { // a ref without a colon is mapped by these too
			if one.key == "remote."+in.Name+".push" && forces(one.value) {
				in.Force = true
			}
		}
		for i, spec := range specs {
			if spec[0] == '+' {
				specs[i], in.Force = spec[1:], true
			}
			remove = remove || spec[0] == ':'
			if in.Force && strings.HasPrefix(specs[i], "-") {
				return nil, checkRef("ref", specs[i])
			}
		}
		if (in.Force || remove) && !in.Confirm && !in.DryRun {
			act, lost := "force push", "commits that only the remote has could be lost."
			if remove {
				act, lost = "deleting at the remote", "the branch or tag there would be lost."
			}
			return nil, confirm(act, lost)
		}
		args := []string{"push", "--progress", "--porcelain", alone}
		for _, f := range []struct {
			on   bool
			flag string
		}{{in.Force, "--force-with-lease"}, {in.Upstream, "--set-upstream"}, {in.Tags, "--tags"}, {in.All, "--all"}, {in.DryRun, "--dry-run"}} {
			if f.on {
				args = append(args, f.flag)
			}
		}
		if asked {
			args = append(args, "--delete")
		}
		if in.Upstream && len(specs) == 0 && !in.All {
			if branch := r.branchName(); branch != "" {
				specs = []string{branch}
			}
		}
		args = append(append(args, "--end-of-options", in.Name), specs...)
		return r.overNetwork(ctx, in, "push", r.pushing(s, in, args)...)
	})
}

// forces reports whether a refspec overwrites or deletes.
func forces(refspec string) bool {
	for _, f := range strings.Fields(refspec) {
		if f[0] == '+' || f[0] == ':' {
			return true
		}
	}
	return false
}

// pushRef is what became of one ref of a push.
type pushRef struct {
	Ref    string `json:"ref"`
	Status string `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// pushed reads push --porcelain: flag, from:to, summary, separated by tabs.
func pushed(out string) []pushRef {
	words := map[byte]string{' ': "pushed", '+': "forced", '-': "deleted", '*': "created", '!': "rejected", '=': "up_to_date"}
	var list []pushRef
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) < 3 || len(f[0]) != 1 || words[f[0][0]] == "" {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		detail, _ := valid(f[2])
		list = append(list, pushRef{shown(to), words[f[0][0]], detail})
	}
	return list
}

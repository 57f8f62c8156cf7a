package git

import (
	"context"
	"io"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func (t *git) pull() tools.Action {
	return tools.Act(tools.Action{
		Name: "pull", OwnTime: true, Effect: tools.Writes,
		Doc: "name (remote), ref, mode rebase, merge or ff_only",
	}, func(ctx context.Context, c *tools.Call, in netIn) (*tools.Result, error) {
		r, s, err := t.netOpen(ctx, c, &in, "pull")
		if err != nil {
			return nil, err
		}
		how, err := pullMode(in.Mode, s, r.branchName())
		if err != nil {
			return nil, err
		}
		if forces(in.Ref) && !in.Confirm {
			return nil, confirm("pull by force", "what "+in.Ref+" names here would be overwritten.")
		}
		from := []string{}
		if in.Ref != "" || in.Name != s.get("branch."+r.branchName()+".remote") {
			from = append([]string{"--end-of-options", in.Name}, refsOf(in.Ref)...)
		}
		fetch := r.connection(s, change{args: append([]string{"fetch", "--progress", alone}, from...), bare: true})
		if in.DryRun {
			fetch.args = append([]string{"fetch", "--dry-run", alone}, from...)
			return r.overNetwork(ctx, in, "pull", r.writing(fetch))
		}
		then := change{args: append(how.then, "FETCH_HEAD"), env: unedited}
		sign := s.bool("commit.gpgsign")
		if sign {
			then = r.signed(s, then, "commit")
		}
		if !sign && !r.namesPrograms(s) {
			if len(from) > 0 {
				from[0] = "--"
			}
			args := append(append([]string{"pull", "--progress", "--no-edit", alone}, how.pull...), from...)
			return r.overNetwork(ctx, in, "pull", r.writing(r.connection(s, change{args: args, env: unedited})))
		}
		// Hooks, filters and merge drivers of the repository may run, but not where the user's keys are in sight.
		return r.overNetwork(ctx, in, "pull", r.writing(fetch), r.writing(then))
	})
}

// pulling is a way to pull: the switches of git pull, and the command that does the same after a fetch.
type pulling struct{ pull, then []string }

// pullMode is the way that a call asks for, or that the config says.
func pullMode(mode string, s *settings, branch string) (pulling, error) {
	merge := []string{"merge", "--no-edit"}
	switch normal(mode, nil) {
	case "rebase":
		return pulling{[]string{"--rebase"}, []string{"rebase"}}, nil
	case "merge":
		return pulling{[]string{"--no-rebase", "--ff"}, merge}, nil
	case "ff_only":
		return pulling{[]string{"--ff-only"}, append(merge, "--ff-only")}, nil
	case "":
	default:
		return pulling{}, badMode(mode, "rebase", "merge", "ff_only")
	}
	rebase := s.get("branch." + branch + ".rebase")
	if rebase == "" {
		rebase = s.get("pull.rebase")
	}
	switch ff := s.get("pull.ff"); {
	case rebase == "merges":
		return pulling{nil, []string{"rebase", "--rebase-merges"}}, nil
	case rebase != "" && rebase != "false":
		return pulling{nil, []string{"rebase"}}, nil
	case ff == "only", ff == "" && rebase == "":
		return pulling{nil, append(merge, "--ff-only")}, nil
	case ff == "false":
		return pulling{nil, append(merge, "--no-ff")}, nil
	}
	return pulling{nil, merge}, nil
}

// namesPrograms reports whether the repository has hooks, or names filters or merge drivers of its own.
func (r *repo) namesPrograms(s *settings) bool {
	for _, one := range s.list {
		if one.local && (isFilter(one.key) || one.key == "core.hookspath" || strings.HasPrefix(one.key, "merge.") && strings.HasSuffix(one.key, ".driver")) {
			return true
		}
	}
	dir, err := r.roots.OpenDir(r.common.Join("hooks"))
	if err != nil {
		return sandbox.KindOf(err) != sandbox.NotFound
	}
	defer dir.Close()
	entries, err := dir.ReadDir(1000)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") {
			return true
		}
	}
	return err != nil && err != io.EOF
}

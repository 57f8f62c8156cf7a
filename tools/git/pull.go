package git

import (
	"context"
	"io"
	"slices"
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
		if err := s.guardFetch("pull", in); err != nil {
			return nil, err
		}
		from := []string{}
		if in.Ref != "" || in.Name != s.get("branch."+r.branchName()+".remote") {
			from = append([]string{"--end-of-options", in.Name}, refsOf(in.Ref)...)
		}
		fetch := r.connection(s, change{args: append(in.fetching(), from...), bare: true})
		if in.DryRun {
			return r.overNetwork(ctx, in, "pull", r.writing(fetch))
		}
		how.fork = r.forkPoint(ctx, how, in)
		// Hooks, filters and merge drivers of the repository may run, but not where the user's keys are in sight.
		then := spec{late: func(ctx context.Context) (spec, error) {
			args, err := r.afterFetch(ctx, how)
			if err != nil {
				return spec{}, err
			}
			ch := change{args: slices.Concat(asGiven, args), env: unedited}
			if s.bool("commit.gpgsign") {
				return r.writing(r.signed(s, ch, "commit")), nil
			}
			if s.partial() && !r.namesPrograms(s) { // what is missing comes from the host
				ch = r.connection(s, ch)
				ch.apart = false
			}
			return r.writing(ch), nil
		}}
		return r.overNetwork(ctx, in, "pull", r.writing(fetch), then)
	})
}

// pulling is what follows the fetch of a pull.
type pulling struct {
	rebase bool
	args   []string // of the merge or the rebase
	fork   string   // where the branch has left its upstream, by the reflog of that before the fetch
}

// pullMode is the way that a call asks for, or that the config says.
func pullMode(mode string, s *settings, branch string) (pulling, error) {
	switch normal(mode, nil) {
	case "rebase":
		return pulling{rebase: true}, nil
	case "merge":
		return pulling{args: []string{"--ff"}}, nil
	case "ff_only":
		return pulling{args: []string{"--ff-only"}}, nil
	case "":
	default:
		return pulling{}, badMode(mode, "rebase", "merge", "ff_only")
	}
	rebase := s.get("branch." + branch + ".rebase")
	if rebase == "" {
		rebase = s.get("pull.rebase")
	}
	switch ff := s.get("pull.ff"); {
	case rebase == "merges" || rebase == "m":
		return pulling{rebase: true, args: []string{"--rebase-merges"}}, nil
	case rebase != "" && rebase != "false":
		return pulling{rebase: true}, nil
	case ff == "only", ff == "" && rebase == "":
		return pulling{args: []string{"--ff-only"}}, nil
	case ff == "false":
		return pulling{args: []string{"--no-ff"}}, nil
	}
	return pulling{}, nil
}

// forkPoint is the commit of the upstream's past that the branch was made from, "" when it is not known or does not
// matter: when the upstream was rewritten, the commits of its old history are not replayed.
func (r *repo) forkPoint(ctx context.Context, how pulling, in netIn) string {
	upstream := "@{upstream}"
	if in.Ref != "" {
		upstream = "refs/remotes/" + in.Name + "/" + strings.TrimPrefix(in.Ref, "refs/heads/")
	}
	if !how.rebase || strings.ContainsAny(in.Ref, " :+") {
		return ""
	}
	out, err := r.mustRead(ctx, "merge-base", "--fork-point", upstream, "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// afterFetch is the git command that brings in what was fetched, as git pull would.
func (r *repo) afterFetch(ctx context.Context, how pulling) ([]string, error) {
	heads, err := r.fetched()
	if err != nil {
		return nil, err
	}
	branch := shown(r.branchName())
	if len(heads) == 0 {
		return nil, tools.Errorf(tools.Conflict, "what was fetched names no branch to bring into %s, and nothing was brought in: give ref, or set what it follows with git.branch set_upstream", branch)
	}
	_, unborn := r.resolve(ctx, "HEAD")
	if !how.rebase || unborn != nil {
		args := append([]string{"merge", "--no-edit"}, how.args...)
		if how.rebase {
			args = []string{"merge", "--ff-only"}
		}
		for _, head := range heads {
			if err := r.guardMerge(ctx, "pull", head); err != nil {
				return nil, err
			}
		}
		return append(args, "FETCH_HEAD"), nil
	}
	if len(heads) > 1 {
		return nil, tools.Errorf(tools.InvalidParams, "%s cannot be rebased onto %d branches; it was fetched, and nothing was brought in: give one as ref, or mode merge", branch, len(heads)).With(tools.Details{Param: "ref"})
	}
	if r.isAncestor(ctx, "HEAD", heads[0]) {
		if err := r.guardMerge(ctx, "pull", heads[0]); err != nil {
			return nil, err
		}
		return []string{"merge", "--ff-only", "FETCH_HEAD"}, nil
	}
	upstream := heads[0]
	if how.fork != "" && !r.isAncestor(ctx, how.fork, heads[0]) {
		upstream = how.fork
	}
	list, err := r.rebased(ctx, heads[0], upstream)
	if err == nil {
		err = r.guard(ctx, "pull", list)
	}
	return append(append([]string{"rebase"}, how.args...), "--onto", heads[0], upstream), err
}

func (r *repo) isAncestor(ctx context.Context, old, young string) bool {
	res, err := r.read(ctx, nil, "merge-base", "--is-ancestor", old, young)
	return err == nil && res.code == 0
}

// fetched are the commits of the last fetch that are for merge: git writes them first.
func (r *repo) fetched() ([]string, error) {
	text, err := r.text(r.gitDir.Join("FETCH_HEAD"), maxPlain)
	if err != nil {
		return nil, err
	}
	var heads []string
	for line := range strings.Lines(text) {
		if f := strings.SplitN(line, "\t", 3); len(f) == 3 && f[1] == "" && isHash(f[0]) {
			heads = append(heads, f[0])
		}
	}
	return heads, nil
}

// partial reports whether objects may be missing that a remote has.
func (s *settings) partial() bool {
	for _, one := range s.list {
		if strings.HasPrefix(one.key, "remote.") && (strings.HasSuffix(one.key, ".promisor") || strings.HasSuffix(one.key, ".partialclonefilter")) {
			return true
		}
	}
	return false
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

package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type netIn struct {
	common
	Name     string `json:"name"`
	Ref      string `json:"ref"`
	All      bool   `json:"all"`
	Mode     string `json:"mode"`
	Tags     bool   `json:"tags"`
	Prune    bool   `json:"prune"`
	Depth    int    `json:"depth"`
	Upstream bool   `json:"set_upstream"`
	Sub      string `json:"sub_action"`
	Force    bool   `json:"force"`
	Confirm  bool   `json:"confirm"`
	DryRun   bool   `json:"dry_run"`
}

// netData is what actions over the network answer; while one goes on, proc_id names its job.
type netData struct {
	place
	Remote string    `json:"remote,omitempty"`
	Status string    `json:"status"`
	ProcID string    `json:"proc_id,omitempty"`
	Head   string    `json:"head,omitempty"`
	Branch string    `json:"branch,omitempty"`
	State  string    `json:"state,omitempty"`
	Refs   []pushRef `json:"refs,omitempty"`
}

// alone keeps git from going on into submodules: their remotes were not judged, and their own config would choose the
// programs.
const alone = "--recurse-submodules=no"

func (t *git) fetch() tools.Action {
	return tools.Act(tools.Action{
		Name: "fetch", OwnTime: true, Effect: tools.Writes,
		Doc: "name (remote), ref, all, prune, tags, depth",
	}, func(ctx context.Context, c *tools.Call, in netIn) (*tools.Result, error) {
		r, s, err := t.netOpen(ctx, c, &in, "fetch")
		if err != nil {
			return nil, err
		}
		args := in.fetching()
		if err := s.guardFetch("fetch", in); err != nil {
			return nil, err
		}
		if in.All {
			args = append(args, "--all")
		} else if in.Name != "" || in.Ref != "" {
			args = append(append(args, "--end-of-options", in.Name), refsOf(in.Ref)...)
		}
		return r.overNetwork(ctx, in, "fetch", r.writing(r.connection(s, change{args: args, bare: true})))
	})
}

// fetching is the beginning of a fetch, of fetch or pull.
func (in *netIn) fetching() []string {
	args := []string{"fetch", "--progress", alone}
	for _, f := range []struct {
		on   bool
		flag string
	}{{in.Prune, "--prune"}, {in.Tags, "--tags"}, {in.Force, "--force"}, {in.DryRun, "--dry-run"}, {in.Depth > 0 && !in.DryRun, "--depth=" + strconv.Itoa(in.Depth)}} {
		if f.on {
			args = append(args, f.flag)
		}
	}
	return args
}

// guardFetch asks before branches and tags of this repository are overwritten or deleted, by the call or by what the
// config says of a plain fetch.
func (s *settings) guardFetch(act string, in netIn) error {
	if in.Confirm || in.DryRun {
		return nil
	}
	if forces(in.Ref) || in.Force && in.Ref != "" {
		return confirm(act+" by force", "what "+in.Ref+" names here would be overwritten.")
	}
	if in.Force {
		return confirm(act+" by force", "tags of this repository, and what else the config has fetched into its own branches, would be overwritten.")
	}
	names := []string{in.Name}
	if in.All {
		names = s.remotes()
	}
	for _, name := range append(names, strings.Fields(s.all("remotes."+in.Name))...) { // or a group
		prune := in.Prune || s.switched("prune", name)
		if prune && s.switched("prunetags", name) {
			return confirm(act, "tags that "+redact(name)+" does not have would be deleted here (pruneTags).")
		}
		refspecs := refsOf(in.Ref)
		for _, one := range s.list {
			if one.key == "remote."+name+".fetch" {
				refspecs = append(refspecs, one.value)
			}
		}
		for _, spec := range refspecs {
			if _, to, _ := strings.Cut(spec, ":"); !isOwnRef(to) {
				continue
			}
			if spec[0] == '+' {
				return confirm(act, "the refspec "+spec+" of the config overwrites branches or tags of this repository by those of "+redact(name)+".")
			}
			if prune {
				return confirm(act, "with the refspec "+spec+", branches or tags of this repository that "+redact(name)+" does not have would be deleted (prune).")
			}
		}
	}
	return nil
}

// isOwnRef reports whether the target of a refspec lies among what is this repository's own, not a remote's. git takes a
// short one for a branch, but for those that begin with tags/ or remotes/.
func isOwnRef(to string) bool {
	if to != "" && !strings.HasPrefix(to, "refs/") {
		return !strings.HasPrefix(to, "remotes/")
	}
	for _, own := range []string{"refs/heads/", "refs/tags/", "refs/notes/", "refs/stash"} {
		if strings.HasPrefix(to, own) || strings.HasPrefix(to, "refs/*") {
			return true
		}
	}
	return false
}

// switched is a setting of fetch in general that a remote may override.
func (s *settings) switched(key, remote string) bool {
	if v := "remote." + remote + "." + key; s.get(v) != "" {
		return s.bool(v)
	}
	return s.bool("fetch." + key)
}

func (r *repo) branchName() string { name, _ := r.head(); return name }

// netOpen opens the repository of an action over the network and judges the addresses of its remotes.
func (t *git) netOpen(ctx context.Context, c *tools.Call, in *netIn, action string) (*repo, *settings, error) {
	if t.embedded() {
		return nil, nil, unsupported(action)
	}
	if sub := normal(in.Sub, nil); action != "push" && sub != "" && sub != action {
		return nil, nil, tools.Errorf(tools.InvalidParams, "%s takes no sub_action %q; nothing was done", action, in.Sub).With(tools.Details{Param: "sub_action"})
	}
	in.Name, in.Ref = named(in.Name), named(in.Ref)
	if err := checkRef("name", in.Name); err != nil {
		return nil, nil, err
	}
	for _, ref := range refsOf(in.Ref) {
		if err := checkRef("ref", strings.TrimPrefix(ref, "+")); err != nil {
			return nil, nil, err
		}
	}
	r, err := t.open(ctx, c, in.Path)
	if err != nil {
		return nil, nil, err
	}
	s, err := r.load(ctx)
	if err != nil {
		return nil, nil, timedOut(err)
	}
	if in.Name == "" {
		branch := r.branchName()
		in.Name = s.get("branch." + branch + ".remote")
		if action == "push" {
			for _, key := range []string{"remote.pushdefault", "branch." + branch + ".pushremote"} {
				if v := s.get(key); v != "" {
					in.Name = v
				}
			}
		}
		if in.Name == "" || in.Name == "." {
			in.Name = "origin"
			if names := s.remotes(); len(names) == 1 {
				in.Name = names[0]
			}
		}
	}
	names := []string{in.Name}
	if in.All && action == "fetch" {
		names = s.remotes()
	}
	for _, name := range names {
		members := strings.Fields(s.all("remotes." + name)) // of a group, which git takes before a remote of that name
		if names = append(names, members...); len(members) > 0 && action == "fetch" && !slices.Contains(s.remotes(), name) {
			names = slices.DeleteFunc(names, func(one string) bool { return one == name })
		}
	}
	for _, name := range names {
		if err := r.checkRemote(ctx, s, name); err != nil {
			return nil, nil, err
		}
	}
	if r.hosts && r.folders && (action == "push" || s.namesServer()) {
		return nil, nil, tools.Errorf(tools.PermissionDenied, "the addresses are folders as well as hosts, and the programs that a repository in a folder names may not run with the user's keys in sight; give one address as name").
			With(tools.Details{Param: "name"})
	}
	return r, s, nil
}

// remotes are the names of the remotes that the config has.
func (s *settings) remotes() []string {
	var names []string
	for _, one := range s.list {
		if rest, ok := strings.CutPrefix(one.key, "remote."); ok && strings.HasSuffix(rest, ".url") {
			if name := strings.TrimSuffix(rest, ".url"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// checkRemote judges every address that a remote stands for, as git would use it after insteadOf.
func (r *repo) checkRemote(ctx context.Context, s *settings, name string) error {
	if !slices.Contains(s.remotes(), name) {
		if strings.ContainsAny(name, ":/\\") {
			return r.checkNamed(ctx, s, name)
		}
		if len(s.remotes()) == 0 {
			return tools.Errorf(tools.NotFound, "this repository has no remote; add one with git.remote (sub_action add, name, url), or give an address as name").With(tools.Details{Param: "name"})
		}
		return tools.Errorf(tools.NotFound, "there is no remote %s; see git.remote", name).With(tools.Details{Param: "name", Available: s.remotes()})
	}
	if s.get("remote."+name+".vcs") != "" {
		return tools.Errorf(tools.PermissionDenied, "remote.%s.vcs names a remote helper, which is not run", name)
	}
	for _, args := range [][]string{{"remote", "get-url", "--all", "--", name}, {"remote", "get-url", "--push", "--all", "--", name}} {
		out, err := r.mustRead(ctx, args...)
		if err != nil {
			return timedOut(err)
		}
		for address := range strings.Lines(string(out)) {
			r.pushTo = strings.TrimSuffix(address, "\n")
			if err := r.checkAddress(r.pushTo); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkNamed judges an address that stands in the place of a remote's name: itself, and what git makes of it by the
// rules of the config.
func (r *repo) checkNamed(ctx context.Context, s *settings, name string) error {
	if _, _, err := checkURL(r.roots, name, r.top.Abs()); err != nil {
		return err
	}
	out, err := r.mustRead(ctx, "ls-remote", "--get-url", "--", name)
	if err != nil {
		return timedOut(err)
	}
	for _, address := range append(s.pushedTo(name), strings.TrimSuffix(string(out), "\n")) {
		r.pushTo = address
		if err := r.checkAddress(address); err != nil {
			return err
		}
	}
	return nil
}

// pushedTo is where git pushes to in place of an address, by the longest rules of the config that fit it.
func (s *settings) pushedTo(address string) []string {
	var list []string
	longest := 0
	for _, one := range s.list {
		rest, ours := strings.CutPrefix(one.key, "url.")
		base, ok := strings.CutSuffix(rest, ".pushinsteadof")
		if !ours || !ok || !strings.HasPrefix(address, one.value) || len(one.value) < longest {
			continue
		}
		if len(one.value) > longest {
			list, longest = nil, len(one.value)
		}
		list = append(list, base+address[len(one.value):])
	}
	return list
}

// checkAddress judges one address and notes whether it is a folder or a host.
func (r *repo) checkAddress(address string) error {
	_, folder, err := checkURL(r.roots, address, r.top.Abs())
	if err == nil && folder != "" {
		err = r.t.contains(r.c, folder)
	}
	if err != nil {
		return err
	}
	if folder == "" {
		r.hosts = true
	} else {
		r.folders = true
	}
	return nil
}

// connection makes a change one that talks to another repository: with the user's keys in sight when that is on a host.
// A folder needs none, and its hooks, and the programs that either config names for it, must not see them.
func (r *repo) connection(s *settings, ch change) change {
	ch.credential, ch.config, ch.apart = r.hosts, true, true
	ch.env = append(ch.env, networkEnv(s.users("core.sshcommand") != "")...)
	return ch
}

// overNetwork runs the steps of an action as one job and says what came of it.
func (r *repo) overNetwork(ctx context.Context, in netIn, sub string, steps ...spec) (*tools.Result, error) {
	res, id, err := r.t.asJob(ctx, r.c, "git "+sub+" "+redact(in.Name), in.Timeout, steps...)
	d := netData{place: r.place(), Remote: redact(in.Name), Status: "completed", ProcID: id}
	if id != "" {
		d.Status = "running"
		return &tools.Result{Text: tail(said(res)), Data: d}, nil
	}
	if err != nil {
		return nil, timedOut(err)
	}
	d.Branch, d.State = shown(r.branchName()), r.state()
	d.Head, _ = r.resolve(ctx, "HEAD")
	all := 0
	if sub == "push" {
		d.Refs = pushed(string(res.out))
		if all = len(d.Refs); all > maxBeside {
			r.c.Warn(fmt.Sprintf("refs lists %d of %d", maxBeside, all))
			d.Refs = d.Refs[:maxBeside]
		}
	}
	if sub == "pull" && (keptInStash(res) || res.code != 0 && d.State != "") {
		return r.outcome(ctx, sub, result{stderr: tail(said(res)), code: res.code}, nil)
	}
	text, cut := tools.HeadTail(brief(said(res)), tools.DefaultChars-tools.SizeOf(d.Refs))
	out := &tools.Result{Text: text, Truncated: cut || all > maxBeside, Data: d}
	if res.code == 0 {
		return out, partly(res)
	}
	d.Status = "failed"
	out.Data = d
	fail := failure(sub, result{stderr: brief(said(res)), code: res.code})
	return out, fail
}

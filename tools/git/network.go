package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// networkLimit is how long an action may take that talks to another repository and was given no timeout.
const networkLimit = 10 * time.Minute

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
		args := []string{"fetch", "--progress", alone}
		for _, f := range []struct {
			on   bool
			flag string
		}{{in.Prune, "--prune"}, {in.Tags, "--tags"}, {in.DryRun, "--dry-run"}, {in.Depth > 0 && !in.DryRun, "--depth=" + strconv.Itoa(in.Depth)}} {
			if f.on {
				args = append(args, f.flag)
			}
		}
		if forces(in.Ref) && !in.Confirm {
			return nil, confirm("fetch by force", "what "+in.Ref+" names here would be overwritten.")
		}
		if in.All {
			args = append(args, "--all")
		} else if in.Name != "" || in.Ref != "" {
			args = append(append(args, "--end-of-options", in.Name), refsOf(in.Ref)...)
		}
		return r.overNetwork(ctx, in, "fetch", r.writing(r.connection(s, change{args: args, bare: true})))
	})
}

func (r *repo) branchName() string { name, _ := r.head(); return name }

// forces reports whether a refspec overwrites or deletes.
func forces(refspec string) bool {
	for _, f := range strings.Fields(refspec) {
		if f[0] == '+' || f[0] == ':' {
			return true
		}
	}
	return false
}

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
		return r.overNetwork(ctx, in, "push", r.writing(r.connection(s, change{args: args})))
	})
}

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
			return r.checkAddress(name)
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
			if err := r.checkAddress(strings.TrimSuffix(address, "\n")); err != nil {
				return err
			}
		}
	}
	return nil
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
	ch.credential, ch.config = r.hosts, true
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
	if sub == "push" {
		d.Refs = pushed(string(res.out))
	}
	out := &tools.Result{Text: tail(said(res)), Data: d}
	if res.code == 0 {
		return out, partly(res)
	}
	d.Status = "failed"
	out.Data = d
	if sub == "pull" && d.State != "" {
		return r.outcome(ctx, sub, res, nil)
	}
	fail := failure(sub, result{stderr: brief(said(res)), code: res.code})
	return out, fail
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

// tail is what git said, progress lines shortened to their last state.
func tail(text string) string {
	text = brief(text)
	text, _ = tools.HeadTail(text, tools.DefaultChars)
	return text
}

// brief drops the progress that git wrote over and over on one line.
func brief(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString(strings.TrimRight(line[strings.LastIndexByte(line, '\r')+1:], " ") + "\n")
	}
	return b.String()
}

// runAll runs steps in turn until one fails; what they say is put together.
func (t *git) runAll(ctx context.Context, progress io.Writer, steps []spec) (all result, err error) {
	for _, sp := range steps {
		sp.progress = progress
		res, err := t.run(ctx, sp)
		all.out, all.stderr, all.code = append(all.out, res.out...), all.stderr+res.stderr, res.code
		if progress != nil {
			_, _ = io.WriteString(progress, redact(string(res.out)))
		}
		if err != nil || res.code != 0 {
			return all, err
		}
	}
	return all, nil
}

// asJob runs git as a job: when it takes longer than a call may, it goes on and id names it.
func (t *git) asJob(ctx context.Context, c *tools.Call, title string, timeout time.Duration, steps ...spec) (res result, id string, err error) {
	limit, wait := networkLimit, time.Duration(0)
	if timeout > 0 {
		limit, wait = timeout, min(timeout, tools.LocalLimit)
	}
	if t.cfg.Jobs == nil {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		res, err = t.runAll(ctx, nil, steps)
		return res, "", err
	}
	type ended struct {
		res result
		err error
	}
	end := make(chan ended, 1)
	j, err := t.cfg.Jobs.Go(job.Spec{Owner: c.Session.ID, Kind: "git", Title: title, Timeout: limit}, func(ctx context.Context, out io.Writer) error {
		res, err := t.runAll(ctx, out, steps)
		end <- ended{res, err}
		if err == nil && res.code != 0 {
			err = failure("failed", res)
		}
		return err
	})
	if err != nil {
		return res, "", err
	}
	done, err := t.cfg.Jobs.Foreground(ctx, j, wait, c.Progress)
	if err != nil {
		return res, "", err
	}
	if !done && timeout > 0 && timeout <= tools.LocalLimit {
		j.Stop(job.TimedOut, job.KillGrace)
		done = true
	}
	if !done {
		out, _ := j.Log().Slice(max(0, j.Log().Len()-4000), j.Log().Len())
		return result{stderr: string(out)}, j.ID, nil
	}
	j.Deliver()
	if j.State().Status == job.TimedOut {
		return res, "", context.DeadlineExceeded
	}
	select {
	case e := <-end:
		return e.res, "", e.err
	default:
		return res, "", errors.Join(j.State().Err, fmt.Errorf("git ended as %s", j.State().Status))
	}
}

package git

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

type initIn struct {
	common
	Dest   string `json:"destination"`
	Ref    string `json:"ref"`
	Bare   bool   `json:"bare"`
	DryRun bool   `json:"dry_run"`
}

type madeData struct {
	place
	Branch string `json:"branch,omitempty"`
	Head   string `json:"head,omitempty"`
	Status string `json:"status,omitempty"`
	ProcID string `json:"proc_id,omitempty"`
	URL    string `json:"url,omitempty"`
}

func (t *git) initialise() tools.Action {
	return tools.Act(tools.Action{
		Name: "init", OwnTime: true, Effect: tools.Writes,
		Doc: "a new repository at path (or destination); ref: first branch; bare",
	}, func(ctx context.Context, c *tools.Call, in initIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if in.Dest == "" {
			in.Dest = in.Path
		}
		if in.Dest == "" {
			in.Dest = "."
		}
		in.Ref = named(in.Ref)
		if err := checkRef("ref", in.Ref); err != nil {
			return nil, err
		}
		dest, err := target(c.Roots, in.Dest)
		if err != nil {
			return nil, err
		}
		d := madeData{place: placeOf(in.Dest, dest)}
		if in.DryRun {
			return &tools.Result{Text: "would make a repository at " + dest.Abs() + "\n", Data: d}, nil
		}
		if t.embedded() {
			return t.goInit(c, dest, in, d)
		}
		if err := c.Roots.MkdirAll(dest, 0o777); err != nil {
			return nil, err
		}
		args := append(slices.Clone(writingArgs), "init")
		if in.Ref != "" {
			args = append(args, "--initial-branch="+in.Ref)
		}
		if in.Bare {
			args = append(args, "--bare")
		}
		env := append(t.env(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dest.Abs()))
		res, err := t.run(ctx, spec{dir: dest.Abs(), env: env, args: append(args, "--", "."), policy: launch.Repository})
		if err == nil && res.code != 0 {
			err = failure("init", res)
		}
		if err != nil {
			return nil, timedOut(err)
		}
		r, err := t.open(ctx, c, dest.Abs())
		if err != nil {
			return nil, err
		}
		d.Branch = shown(r.branchName())
		return &tools.Result{Text: said(res), Data: d}, nil
	})
}

type cloneIn struct {
	common
	URL    string `json:"url"`
	Dest   string `json:"destination"`
	Ref    string `json:"ref"`
	Depth  int    `json:"depth"`
	Bare   bool   `json:"bare"`
	DryRun bool   `json:"dry_run"`
}

func (t *git) clone() tools.Action {
	return tools.Act(tools.Action{
		Name: "clone", OwnTime: true, Effect: tools.Writes,
		Doc:   "url to destination; ref: branch or tag; depth",
		Paths: urlPaths,
	}, func(ctx context.Context, c *tools.Call, in cloneIn) (*tools.Result, error) {
		in.Ref = named(in.Ref)
		if err := checkRef("ref", in.Ref); err != nil {
			return nil, err
		}
		base := c.Roots.Base()
		address, folder, err := checkURL(c.Roots, in.URL, base)
		if err == nil && folder != "" && hostLike().MatchString(in.URL) && !there(c.Roots, folder) {
			err = tools.Errorf(tools.InvalidParams, "there is no folder %s; is it a host? Then give https://%s", sandbox.Printable(folder), sandbox.Printable(in.URL)).With(tools.Details{Param: "url"})
		}
		if err == nil && folder != "" {
			err = t.contains(c, folder)
		}
		if err != nil {
			return nil, err
		}
		if in.Dest == "" {
			in.Dest = in.Path
		}
		if in.Dest == "" {
			if in.Dest = cloneName(address); in.Dest == "" {
				return nil, tools.Errorf(tools.InvalidParams, "destination is missing").With(tools.Details{Param: "destination"})
			}
		}
		dest, err := target(c.Roots, in.Dest)
		if err != nil {
			return nil, err
		}
		if err := emptyFolder(c.Roots, dest); err != nil {
			return nil, err
		}
		d := madeData{place: placeOf(in.Dest, dest), URL: redact(in.URL)}
		if in.DryRun {
			return &tools.Result{Text: "would clone " + d.URL + " to " + dest.Abs() + "\n", Data: d}, nil
		}
		if t.embedded() {
			return t.goClone(ctx, c, dest, address, folder, in, d)
		}
		made := missing(c.Roots, dest)
		if err := c.Roots.MkdirAll(dest, 0o777); err != nil {
			return nil, err
		}
		args := append(slices.Clone(writingArgs), "clone", "--progress")
		if in.Ref != "" {
			args = append(args, "--branch="+in.Ref)
		}
		if in.Depth > 0 {
			args = append(args, "--depth="+strconv.Itoa(in.Depth))
			if folder != "" {
				args = append(args, "--no-local") // git ignores depth on plain paths
			}
		}
		if in.Bare {
			args = append(args, "--bare")
		}
		// Whether the user has an ssh command of their own decides if ours is set.
		env := append(t.env(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dest.Abs()))
		own, err := t.run(ctx, spec{dir: dest.Abs(), env: env, args: []string{"config", "--get", "core.sshCommand"}})
		if err != nil {
			return nil, timedOut(err)
		}
		run := spec{
			dir: dest.Abs(), args: append(args, "--", address, "."), env: withEnv(env, networkEnv(len(own.out) > 0)...),
			policy: launch.Credentialed, writable: []string{dest.Abs()},
		}
		if folder != "" { // no host is reached, and what the other repository names need not see the user's keys
			run.policy, run.writable = launch.Repository, nil
		}
		res, id, err := t.asJob(ctx, c, "git clone "+d.URL, in.Timeout, run)
		if err != nil {
			return nil, timedOut(err)
		}
		out := &tools.Result{Text: tail(said(res))}
		if d.ProcID, d.Status = id, "completed"; id != "" {
			d.Status = "running"
			out.Data = d
			return out, nil
		}
		if res.code != 0 {
			d.Status = "failed"
			out.Data = d
			for _, dir := range made { // what is not empty stays
				_ = c.Roots.Remove(dir)
			}
			return out, failure("clone", result{stderr: brief(said(res)), code: res.code})
		}
		r, err := t.open(ctx, c, dest.Abs())
		if err != nil {
			return nil, err
		}
		d.Branch = shown(r.branchName())
		d.Head, _ = r.resolve(ctx, "HEAD")
		out.Data = d
		return out, nil
	})
}

// hostLike finds an address without its scheme, such as github.com/owner/name.
var hostLike = tools.Pattern(`^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}/[^/].*$`)

func there(roots *sandbox.Roots, folder string) bool {
	p, err := roots.Resolve(folder)
	if err == nil {
		_, err = roots.Lstat(p)
	}
	return err == nil
}

// missing are the folders that must be made for dest, the innermost first.
func missing(roots *sandbox.Roots, dest sandbox.Path) []sandbox.Path {
	var list []sandbox.Path
	for p := dest; p.Rel != "."; p = p.Dir() {
		if _, err := roots.Lstat(p); err == nil {
			break
		}
		list = append(list, p)
	}
	return list
}

// cloneName is the folder that git itself would choose.
func cloneName(address string) string {
	name := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(address, "/\\"), "/.git"), "/\\")
	if at := strings.LastIndexAny(name, "/\\:"); at >= 0 {
		name = name[at+1:]
	}
	if name = strings.TrimSuffix(name, ".git"); name == "" || name == "." || name == ".." || strings.HasPrefix(name, "-") {
		return ""
	}
	return path.Base(name)
}

// emptyFolder refuses a destination that holds something.
func emptyFolder(roots *sandbox.Roots, dest sandbox.Path) error {
	dir, err := roots.OpenDir(dest)
	if sandbox.KindOf(err) == sandbox.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	if entries, _ := dir.ReadDir(1); len(entries) > 0 {
		return tools.Errorf(tools.Conflict, "%s exists and is not empty; choose another destination", sandbox.Printable(dest.String())).With(tools.Details{Param: "destination"})
	}
	return nil
}

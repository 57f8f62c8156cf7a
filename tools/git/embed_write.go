package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// lock takes the lock file of the index, as git does, for as long as the embedded backend writes.
func (e *embed) lock(ctx context.Context) (unlock func(), err error) {
	done, err := e.hold(ctx)
	if err != nil {
		return nil, err
	}
	p := e.gitDir.Join("index.lock")
	f, err := e.roots.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		done()
		if errors.Is(err, fs.ErrExist) {
			return nil, tools.Errorf(tools.Conflict, "%s exists: another git may be at work; the lock was left alone", p.Abs())
		}
		return nil, err
	}
	f.Close()
	return func() { _ = e.roots.Remove(p); done() }, nil
}

func (r *repo) goAdd(ctx context.Context, in addIn, files []string) (*tools.Result, error) {
	if in.Force {
		return nil, unsupported("add by force")
	}
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	if !in.DryRun { // the index is written in place: what reads it then may find half of it
		unlock, err := e.lock(ctx)
		if err != nil {
			return nil, timedOut(err)
		}
		defer unlock()
	}
	idx, err := e.fitForFiles()
	if err != nil {
		return nil, err
	}
	changed, err := e.unstaged(ctx, idx)
	if err != nil {
		return nil, timedOut(err)
	}
	untracked, err := e.untracked(ctx, idx)
	if err != nil {
		return nil, timedOut(err)
	}
	for _, f := range files {
		known := slices.ContainsFunc(untracked, func(n string) bool { return under(n, []string{f}) })
		for _, en := range idx.Entries {
			known = known || under(en.Name, []string{f})
		}
		if !known {
			return nil, tools.Errorf(tools.NotFound, "%s did not match any file that is not ignored; names are relative to the top level", strings.TrimPrefix(f, ":(top,literal)"))
		}
	}
	for _, name := range untracked {
		if under(name, files) && strings.HasSuffix(name, "/") {
			return nil, e.refuse(name + " is a repository of its own")
		}
	}
	if in.DryRun {
		d := stagedData{place: e.place(), Staged: []entry{}, DryRun: true}
		text := "would stage:\n"
		for _, name := range untracked {
			changed = append(changed, delta{new: &side{name: name, mode: filemode.Regular}})
		}
		for _, c := range changed {
			if under(c.name(), files) {
				text += c.status() + " " + shown(c.name()) + "\n"
			}
		}
		return &tools.Result{Text: text, Data: d}, nil
	}
	wt, err := e.git.Worktree()
	if err != nil {
		return nil, e.refuse("opening the work tree: " + err.Error())
	}
	names := untracked
	var gone []string
	for _, d := range changed {
		if d.new == nil {
			gone = append(gone, d.name())
		} else {
			names = append(names, d.name())
		}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, timedOut(err)
		}
		if under(name, files) {
			if err := wt.AddWithOptions(&gogit.AddOptions{Path: name, SkipStatus: true}); err != nil {
				if strings.Contains(err.Error(), "invalid path") {
					return nil, e.refuse(fmt.Sprintf("it does not take the name %q", name))
				}
				return nil, fmt.Errorf("adding %s: %w", name, err)
			}
		}
	}
	if err := e.forget(gone, files); err != nil {
		return nil, err
	}
	if idx, err = e.git.Storer.Index(); err != nil {
		return nil, e.refuse("reading the index: " + err.Error())
	}
	list, err := e.staged(ctx, idx)
	if err != nil {
		return nil, timedOut(err)
	}
	d := stagedData{place: e.place(), Staged: []entry{}, Count: len(list)}
	var b strings.Builder
	for _, one := range list[:min(len(list), maxListed)] {
		d.Staged = append(d.Staged, entry{Path: shown(one.name()), Status: one.status()})
		fmt.Fprintf(&b, "%s %s\n", one.status(), shown(one.name()))
	}
	return &tools.Result{Text: b.String(), Data: d}, nil
}

// forget takes deleted files out of the index.
func (e *embed) forget(gone, files []string) error {
	if len(gone) == 0 {
		return nil
	}
	idx, err := e.git.Storer.Index()
	if err != nil {
		return e.refuse("reading the index: " + err.Error())
	}
	for _, name := range gone {
		if under(name, files) {
			_, _ = idx.Remove(name)
		}
	}
	return e.git.Storer.SetIndex(idx)
}

func (r *repo) goCommit(ctx context.Context, in commitIn, files []string) (*tools.Result, error) {
	if in.Amend || len(files) > 0 || in.All || in.Author != "" {
		return nil, unsupported("commit with amend, files, all or author")
	}
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	if err := e.fitToCommit(in.NoVerify); err != nil {
		return nil, err
	}
	if !in.DryRun {
		unlock, err := e.lock(ctx)
		if err != nil {
			return nil, timedOut(err)
		}
		defer unlock()
	}
	idx, err := e.fitForFiles()
	if err != nil {
		return nil, err
	}
	list, err := e.staged(ctx, idx)
	if err != nil {
		return nil, timedOut(err)
	}
	if len(list) == 0 && !in.AllowEmpty {
		return nil, tools.Errorf(tools.Conflict, "nothing is staged; stage files with git.add")
	}
	if in.DryRun {
		return &tools.Result{Text: fmt.Sprintf("would commit %d file(s)\n", len(list)), Data: stagedData{place: e.place(), Staged: []entry{}, Count: len(list), DryRun: true}}, nil
	}
	who := object.Signature{Name: e.settings.get("user.name"), Email: e.settings.get("user.email"), When: time.Now()}
	if who.Name == "" || who.Email == "" {
		return nil, tools.Errorf(tools.Conflict, "user.name and user.email are not set; ask the user to set them (git config --global)")
	}
	wt, err := e.git.Worktree()
	if err != nil {
		return nil, e.refuse("opening the work tree: " + err.Error())
	}
	hash, err := wt.Commit(cleanMessage(in.Message), &gogit.CommitOptions{Author: &who, Committer: &who, AllowEmptyCommits: true})
	if err != nil {
		return nil, fmt.Errorf("committing: %w", err)
	}
	branch, detached := r.head()
	if detached {
		branch = ""
		r.c.Warn("HEAD is detached: this commit is on no branch")
	}
	subject, _ := splitMessage(in.Message)
	return &tools.Result{Text: "[" + branch + " " + hash.String()[:7] + "] " + subject + "\n",
		Data: commitData{place: e.place(), Hash: hash.String(), Branch: shown(branch), Files: len(list), Subject: subject}}, nil
}

// fitToCommit refuses a commit that git would have signed, or would have asked a hook about.
func (e *embed) fitToCommit(noVerify bool) error {
	if e.settings.bool("commit.gpgsign") {
		return e.refuse("commits are signed here")
	}
	if state := e.state(); state != "" && state != "bisect" {
		return e.refuse("a " + state + " is under way")
	}
	if v := e.settings.get("core.hookspath"); v != "" {
		return e.refuse("core.hooksPath is set")
	}
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "post-index-change"} {
		if fi, err := e.roots.Lstat(e.common.Join("hooks/" + name)); err == nil && (fi.Mode()&0o111 != 0 || fi.Mode()&fs.ModeSymlink != 0) {
			return e.refuse("there is a " + name + " hook")
		}
	}
	return nil
}

// cleanMessage is what git's --cleanup=whitespace makes of a message.
func cleanMessage(message string) string {
	var lines []string
	for line := range strings.SplitSeq(message, "\n") {
		line = strings.TrimRight(line, " \t\r\v\f")
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

func (t *git) goInit(c *tools.Call, dest sandbox.Path, in initIn, d madeData) (*tools.Result, error) {
	r := &repo{t: t, roots: c.Roots, c: c, given: d.Path, top: dest}
	s, err := r.plainSettings()
	if err != nil {
		return nil, err
	}
	branch := in.Ref
	if branch == "" {
		branch = s.get("init.defaultbranch")
	}
	if branch == "" {
		branch = "master"
	}
	ref := plumbing.NewBranchReferenceName(branch)
	if err := ref.Validate(); err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "%s is no name for a branch", branch).With(tools.Details{Param: "ref"})
	}
	if err := c.Roots.MkdirAll(dest, 0o777); err != nil {
		return nil, err
	}
	_, err = gogit.PlainInitWithOptions(dest.Abs(), &gogit.PlainInitOptions{InitOptions: gogit.InitOptions{DefaultBranch: ref}, Bare: in.Bare})
	if errors.Is(err, gogit.ErrRepositoryAlreadyExists) {
		return nil, tools.Errorf(tools.Conflict, "%s is a repository already", d.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("making the repository: %w", err)
	}
	d.Branch, d.Backend = shown(branch), backendName
	return &tools.Result{Text: "made a repository at " + dest.Abs() + "\n", Data: d}, nil
}

func (t *git) goClone(ctx context.Context, c *tools.Call, dest sandbox.Path, address, folder string, in cloneIn, d madeData) (*tools.Result, error) {
	lower := strings.ToLower(address)
	if folder != "" || !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://") {
		return nil, unsupported("clone over anything but http and https")
	}
	r := &repo{t: t, roots: c.Roots, c: c, given: d.Path, top: dest}
	s, err := r.plainSettings()
	if err != nil {
		return nil, err
	}
	if v := s.get("core.autocrlf"); v != "" && v != "false" {
		return nil, refusal("core.autocrlf is " + v)
	}
	for _, one := range s.list {
		if strings.HasPrefix(one.key, "url.") || strings.HasPrefix(one.key, "http.") && !strings.HasPrefix(one.key, "http.postbuffer") {
			return nil, refusal(one.key + " is set")
		}
	}
	opts := &gogit.CloneOptions{URL: address, Depth: in.Depth, SingleBranch: in.Depth > 0}
	if in.Ref != "" {
		opts.ReferenceName = plumbing.NewBranchReferenceName(in.Ref)
	}
	limit := networkLimit
	if in.Timeout > 0 {
		limit = in.Timeout
	}
	work := func(ctx context.Context) error {
		_, err := gogit.PlainCloneContext(ctx, dest.Abs(), in.Bare, opts)
		if err != nil {
			return tools.Errorf(tools.ExitNonzero, "clone: %s", redact(err.Error()))
		}
		return nil
	}
	d.Backend, d.Status = backendName, "completed"
	if t.cfg.Jobs == nil {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err = work(ctx)
	} else {
		d.ProcID, err = t.goJob(ctx, c, limit, in.Timeout, d.URL, work)
		if d.ProcID != "" {
			d.Status = "running"
			return &tools.Result{Text: "still cloning\n", Data: d}, nil
		}
	}
	if err != nil {
		d.Status = "failed"
		return &tools.Result{Data: d}, timedOut(err)
	}
	if made, err := t.open(ctx, c, dest.Abs()); err == nil {
		d.Branch = shown(made.branchName())
	}
	return &tools.Result{Text: "cloned " + d.URL + "\n", Data: d}, nil
}

func (t *git) goJob(ctx context.Context, c *tools.Call, limit, timeout time.Duration, title string, work func(context.Context) error) (id string, err error) {
	j, err := t.cfg.Jobs.Go(job.Spec{Owner: c.Session.ID, Kind: "git", Title: "git clone " + title, Timeout: limit}, func(ctx context.Context, _ io.Writer) error { return work(ctx) })
	if err != nil {
		return "", err
	}
	wait := time.Duration(0)
	if timeout > 0 {
		wait = min(timeout, tools.LocalLimit)
	}
	done, err := t.cfg.Jobs.Foreground(ctx, j, wait, c.Progress)
	if err != nil {
		return "", err
	}
	if !done {
		return j.ID, nil
	}
	j.Deliver()
	return "", j.State().Err
}

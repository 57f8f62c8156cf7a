// Package git is the tool git: repositories on this machine, and what goes to and from others.
//
// The git that is installed does the work, started through the launcher with an argument vector, never through a
// shell; messages and patches go in on standard input, lists come back with NUL between fields. Where no git is
// installed an embedded one (go-git) does what it does rightly and refuses the rest.
//
// What a checkout holds is not trusted. A reading action must start no program that the repository's own config
// names, and nothing that it names ever runs where the user's keys are in sight: signatures are made apart from git,
// and git reaches hosts without hooks. No ref, path or address may become an option; nothing may wait for a person. A repository whose top
// level, git folder or common folder lies outside the roots is refused. Acts that nothing brings back need
// confirm:true.
//
// Governing text: HIP-0300 §2 (local tools), HIP-0301 §10 (sandbox).
package git

import (
	_ "embed"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

//go:embed git.md
var description string

// Config is what the tool needs. Without Launcher or Look, or where Look finds no git, the embedded backend answers.
type Config struct {
	Launcher *launch.Launcher
	Look     func(name string) (string, error) // finds a program on the cleaned PATH
	Environ  func() []string                   // environment of children, as launch.Environ makes it; nil: the server's own
	Jobs     *job.Manager                      // keeps what takes longer than a call; nil: calls wait
}

// git is the tool behind its actions.
type git struct {
	cfg  Config
	run  runner
	held sync.Map // by git folder: whose turn it is to change it, a channel
}

// common are the parameters of every action.
type common struct {
	Path    string        `json:"path"`
	Timeout time.Duration `json:"timeout"`
}

// New makes the tool.
func New(cfg Config) *tools.Tool {
	t := &git{cfg: cfg}
	if cfg.Environ == nil {
		t.cfg.Environ = os.Environ
	}
	if cfg.Launcher == nil || cfg.Look == nil {
		t.cfg.Look = func(string) (string, error) { return "", errNoGit }
	}
	t.run = launched(cfg.Launcher, t.cfg.Look)
	return t.tool()
}

// embedded reports whether no git is installed.
func (t *git) embedded() bool {
	_, err := t.cfg.Look("git")
	return err != nil
}

func (t *git) tool() *tools.Tool {
	tool := &tools.Tool{
		Name:        "git",
		Title:       "Git",
		Description: description,
		Hints:       tools.Hints{Destructive: true, OpenWorld: true},
		Params:      declared(),
		Rewrite:     rewrite,
		Actions: []tools.Action{
			t.status(), t.diff(), t.log(), t.show(), t.blame(), t.branch(), t.add(), t.restore(), t.commit(), t.checkout(),
			t.stash(), t.tag(), t.remote(), t.merge(), t.rebase(), t.cherryPick(), t.reset(), t.clean(), t.worktree(),
			t.bisect(), t.reflog(), t.initialise(), t.clone(), t.fetch(), t.pull(), t.push(), t.configure(),
			t.shortlog(), t.revParse(), t.describe(), t.apply(),
		},
	}
	for i, a := range tool.Actions {
		tool.Actions[i] = strictly(a)
	}
	return tool
}

var params = []tools.Param{
	{Name: "path", Type: "string", Path: tools.ReadPath, Doc: "repository, or a file in it; first root", Aliases: []string{"uri"}},
	{Name: "sub_action", Type: "string", Doc: "verb of branch, stash, tag, remote, worktree, bisect, reflog, config, merge, rebase", Aliases: []string{"op", "operation", "subcommand"}},
	{Name: "name", Type: "string", Doc: "branch, tag or remote", Aliases: []string{"remote", "tag", "tag_name", "branch_name", "remote_name", "old_name", "old_branch", "old_branch_name"}},
	{Name: "ref", Type: "string", Doc: "branch, tag, commit or range", Aliases: []string{"rev", "revision", "object", "commit_hash", "commit_id", "commit_sha", "commit_ref", "ref_name", "sha", "hash"}},
	{Name: "files", Type: "array", Path: tools.WritePath, Doc: "names from the top level, taken literally", Aliases: []string{"paths", "file", "pathspec", "files_to_stage", "files_to_commit"}},
	{Name: "limit", Type: "integer", Doc: "entries per page", Aliases: []string{"count", "max_count", "n", "max", "max_results"}},
	{Name: "offset", Type: "integer", Doc: "first entry, file or line of the page", Aliases: []string{"cursor", "skip"}},
	{Name: "max_chars", Type: "integer", Doc: "cap of the text"},
	{Name: "message", Type: "string", Doc: "of commit, tag, stash, merge", Aliases: []string{"msg", "m", "commit_message"}},
	{Name: "all", Type: "boolean", Doc: "every branch, file or remote", Aliases: []string{"add_all", "stage_all", "a"}},
	{Name: "staged", Type: "boolean", Doc: "the index"},
	{Name: "mode", Type: "string", Doc: "reset: mixed soft hard; merge: ff_only no_ff squash; pull: rebase merge ff_only", Aliases: []string{"reset_mode"}},
	{Name: "force", Type: "boolean", Doc: "with confirm", Aliases: []string{"force_with_lease"}},
	{Name: "confirm", Type: "boolean", Strict: true, Doc: "do what cannot be undone"},
	dryRun(),
	{Name: "lines", Type: "string", Doc: `blame: "10,20"`, Aliases: []string{"line_range"}},
	{Name: "since", Type: "string", Doc: "log", Aliases: []string{"after", "start_timestamp", "since_date", "from_date", "start_date", "date_from", "start_time"}},
	{Name: "until", Type: "string", Doc: "log", Aliases: []string{"before", "end_timestamp", "until_date", "to_date", "end_date", "date_to", "end_time"}},
	{Name: "author", Type: "string", Doc: "log, commit"},
	{Name: "grep", Type: "string", Doc: "log: in messages"},
	{Name: "context_lines", Type: "integer", Doc: "of a diff", Aliases: []string{"context", "unified"}},
	{Name: "amend", Type: "boolean", Doc: "commit"},
	{Name: "create", Type: "boolean", Doc: "checkout: a new branch", Aliases: []string{"create_branch"}},
	{Name: "new_name", Type: "string", Doc: "rename", Aliases: []string{"to"}},
	{Name: "destination", Type: "string", Path: tools.WritePath, Doc: "clone, init, worktree: folder", Aliases: []string{"dest", "directory", "output", "worktree_path"}},
	{Name: "url", Type: "string", Doc: "clone, remote: https, ssh", Aliases: []string{"repository_url", "remote_url"}},
	{Name: "key", Type: "string", Doc: "config"},
	{Name: "value", Type: "string", Doc: "config"},
	{Name: "patch", Type: "string", Doc: "apply: unified diff", Aliases: []string{"diff"}},
	{Name: "include_untracked", Type: "boolean", Doc: "stash push", Aliases: []string{"untracked", "u"}},
	{Name: "set_upstream", Type: "boolean", Doc: "push"},
	{Name: "timeout", Doc: `milliseconds or "5m"`},

	{Name: "good", Type: "string", Doc: "bisect start"},
	{Name: "bad", Type: "string", Doc: "bisect start"},
	{Name: "onto", Type: "string", Doc: "rebase"},
	{Name: "hard", Type: "boolean", Doc: "reset", Hidden: true},
	{Name: "no_commit", Type: "boolean", Doc: "merge, cherry_pick", Hidden: true},
	{Name: "mainline", Type: "integer", Doc: "cherry_pick of a merge", Hidden: true},
	{Name: "allow_empty", Type: "boolean", Doc: "commit", Hidden: true},
	{Name: "no_verify", Type: "boolean", Doc: "commit without hooks", Hidden: true, Aliases: []string{"skip_hooks"}},
	{Name: "cached", Type: "boolean", Doc: "apply: to the index alone", Hidden: true},
	{Name: "reverse", Type: "boolean", Doc: "apply"},
	{Name: "three_way", Type: "boolean", Doc: "apply", Hidden: true},
	{Name: "tags", Type: "boolean", Doc: "fetch, push", Hidden: true},
	{Name: "prune", Type: "boolean", Doc: "fetch", Hidden: true},
	{Name: "depth", Type: "integer", Doc: "clone, fetch"},
	{Name: "exclude", Type: "array", Doc: "clean: patterns to keep", Hidden: true, Strict: true, Aliases: []string{"excludes", "exclude_patterns"}},
	{Name: "follow", Type: "boolean", Doc: "log of a file: through renames", Hidden: true},
	{Name: "bare", Type: "boolean", Doc: "init, clone", Hidden: true},
}

// dryRun is dry_run in git's own words, too: apply --check.
func dryRun() tools.Param {
	p := tools.DryRun("only show")
	p.Aliases = slices.Concat(p.Aliases, []string{"check", "no_op", "noop"})
	return p
}

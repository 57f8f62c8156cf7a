package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type commitIn struct {
	common
	Message    string   `json:"message"`
	Files      []string `json:"files"`
	All        bool     `json:"all"`
	Amend      bool     `json:"amend"`
	AllowEmpty bool     `json:"allow_empty"`
	NoVerify   bool     `json:"no_verify"`
	Author     string   `json:"author"`
	DryRun     bool     `json:"dry_run"`
}

type commitData struct {
	place
	Hash    string `json:"hash"`
	Branch  string `json:"branch,omitempty"`
	Files   int    `json:"files_changed"`
	Subject string `json:"subject"`
}

func (t *git) commit() tools.Action {
	return tools.Act(tools.Action{
		Name: "commit", OwnTime: true, Effect: tools.Writes,
		Doc: "message; what is staged, or files, or all tracked; amend, allow_empty, no_verify",
	}, func(ctx context.Context, c *tools.Call, in commitIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		r, files, err := t.openFor(ctx, c, in.Path, in.Files, in.All)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(in.Message) == "" && !in.Amend && !in.DryRun {
			return nil, tools.Errorf(tools.InvalidParams, "message is missing; nothing was committed").With(tools.Details{Param: "message"})
		}
		if strings.ContainsRune(in.Message, 0) {
			return nil, tools.Errorf(tools.InvalidParams, "message holds a NUL character; nothing was committed").With(tools.Details{Param: "message"})
		}
		if r.git == "" {
			return r.goCommit(ctx, in, files)
		}
		if in.DryRun {
			return r.wouldCommit(ctx, in, files)
		}
		return r.commit(ctx, in, files)
	})
}

func (r *repo) wouldCommit(ctx context.Context, in commitIn, files []string) (*tools.Result, error) {
	if in.All || len(files) > 0 {
		return r.wouldLose(ctx, "would be committed", true, "", files...)
	}
	return r.stagedNow(ctx, nil, true)
}

func (r *repo) commit(ctx context.Context, in commitIn, files []string) (*tools.Result, error) {
	if in.All || len(files) > 0 {
		if err := r.marked(ctx, files); err != nil {
			return nil, err
		}
	}
	s, err := r.load(ctx)
	if err != nil {
		return nil, timedOut(err)
	}
	// The message stays as it is: a line that begins with # is no comment, and one that looks like git's cut is no end.
	ch := change{args: []string{"commit", "--cleanup=whitespace", "--no-verbose"}, stdin: in.Message}
	if s.bool("commit.gpgsign") {
		ch = r.signed(s, ch, "commit")
	}
	if in.Message != "" {
		ch.args = append(ch.args, "--file=-")
	} else {
		ch.args = append(ch.args, "--no-edit")
	}
	for _, f := range []struct {
		on   bool
		flag string
	}{{in.All && (len(files) == 0 || len(in.Files) > 0), "--all"}, {in.Amend, "--amend"}, {in.AllowEmpty, "--allow-empty"}, {in.NoVerify, "--no-verify"}} {
		if f.on {
			ch.args = append(ch.args, f.flag)
		}
	}
	if in.Author != "" {
		ch.args = append(ch.args, "--author="+in.Author)
	}
	ch.args = append(append(ch.args, "--"), files...)
	res, err := r.write(ctx, ch)
	if err != nil {
		return nil, timedOut(err)
	}
	if res.code != 0 {
		return nil, r.commitFailure(ctx, in, res)
	}
	out, err := r.mustRead(ctx, "log", "-1", "--no-show-signature", "--raw", "-z", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff", "--encoding=UTF-8", "--format=tformat:%H%x00%s%x00", "HEAD", "--")
	if err != nil {
		return nil, fmt.Errorf("the commit was made, but reading it: %w", timedOut(err))
	}
	d := commitData{place: r.place()}
	hash, rest, _ := strings.Cut(string(out), "\x00")
	subject, changes, _ := strings.Cut(rest, "\x00")
	d.Hash = hash
	d.Subject, _ = valid(subject)
	d.Subject = shortened(d.Subject)
	list := parseRaw([]byte(strings.TrimLeft(changes, "\x00\n")))
	d.Files = len(list)
	if n := r.elsewhereIn(list); n > 0 && len(files) == 0 {
		r.c.Warn(fmt.Sprintf("the whole index was committed, %d file(s) outside %s among it; files limits a commit", n, shown(r.target)))
	}
	branch, detached := r.head()
	if d.Branch = shown(branch); detached {
		d.Branch = ""
		r.c.Warn("HEAD is detached: this commit is on no branch; git.branch create keeps it")
	}
	text, _ := tools.HeadTail(said(res), tools.DefaultChars)
	if keptInStash(res) { // it has ended a merge
		s, _ := r.conflicts(ctx)
		return &tools.Result{Text: text, Data: d}, autostashed("commit", s)
	}
	return &tools.Result{Text: text, Data: d}, nil
}

// marked refuses to commit files as they stand that are in conflict and still hold git's marks.
func (r *repo) marked(ctx context.Context, files []string) error {
	out, err := r.mustRead(ctx, append([]string{"ls-files", "--unmerged", "-z", "--"}, files...)...)
	if err != nil {
		return timedOut(err)
	}
	var names []string
	for one := range strings.SplitSeq(string(out), "\x00") {
		_, name, ok := strings.Cut(one, "\t")
		if !ok || slices.Contains(names, name) { // there is one for each side
			continue
		}
		if text, err := r.text(r.top.Join(name), maxMarked); err == nil && conflictMarks().MatchString(text) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return tools.Errorf(tools.Conflict, "%d file(s) are in conflict and still hold the marks <<<<<<< and >>>>>>>: %s; nothing was committed: mend them and git.add them first", len(names), fewNames(names))
}

// maxMarked is how much of a file is searched for marks.
const maxMarked = 8 << 20

var conflictMarks = tools.Pattern(`(?m)^<{7,} [^\n]*\n(?s:.*)^>{7,} `)

// elsewhereIn counts the files that lie outside the folder that path names.
func (r *repo) elsewhereIn(list []entry) int {
	n := 0
	for _, e := range list {
		if r.asked && r.target != "" && !strings.HasPrefix(named(e.Path), r.target+"/") {
			n++
		}
	}
	return n
}

// commitFailure tells an empty commit from a hook or a signing program that refused.
func (r *repo) commitFailure(ctx context.Context, in commitIn, res result) error {
	fail := failure("commit", result{stderr: said(res), code: res.code})
	if s, err := r.statusOf(ctx, false, nil); err == nil {
		switch {
		case len(s.Conflicts) > 0:
			return tools.Errorf(tools.Conflict, "%d file(s) are in conflict: %s; mend them and git.add them first", len(s.Conflicts), few(s.Conflicts))
		case len(s.Staged) == 0 && res.code == 1 && res.stderr == "":
			next := "there are no changes"
			if n := len(s.Untracked); n > 0 && in.All {
				next = fmt.Sprintf("%d file(s) are untracked, which all:true leaves out: stage them with git.add", n)
			} else if n := len(s.Unstaged) + n; n > 0 && !in.All {
				next = fmt.Sprintf("%d file(s) are changed or untracked: stage them with git.add, or give all:true", n)
			}
			return tools.Errorf(tools.Conflict, "nothing is staged; %s", next)
		}
	}
	return fail
}

type applyIn struct {
	common
	Sub      string `json:"sub_action"`
	Patch    string `json:"patch"`
	Staged   bool   `json:"staged"`
	Cached   bool   `json:"cached"`
	Reverse  bool   `json:"reverse"`
	ThreeWay bool   `json:"three_way"`
	DryRun   bool   `json:"dry_run"`
}

func (t *git) apply() tools.Action {
	return tools.Act(tools.Action{
		Name: "apply", OwnTime: true, Effect: tools.Writes,
		Doc:   "patch (unified diff) to the work tree, with staged to the index too; reverse, three_way; all or nothing",
		Paths: func(c *tools.Call) []string { return patchPaths(c.Args.String("patch")) },
	}, func(ctx context.Context, c *tools.Call, in applyIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if t.embedded() {
			return nil, unsupported("apply")
		}
		if strings.TrimSpace(in.Patch) == "" {
			return nil, tools.Errorf(tools.InvalidParams, "patch is missing: a unified diff").With(tools.Details{Param: "patch"})
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(in.Patch, "\n") {
			in.Patch += "\n"
		}
		args := []string{"apply", "--whitespace=nowarn"}
		for _, f := range []struct {
			on   bool
			flag string
		}{{in.Staged && !in.Cached, "--index"}, {in.Cached, "--cached"}, {in.Reverse, "--reverse"}, {in.ThreeWay, "--3way"}} {
			if f.on {
				args = append(args, f.flag)
			}
		}
		// What the patch touches, in git's own reading of it; nothing is written.
		look := func() (result, error) {
			return r.readText(ctx, in.Patch, nil, append(args[:len(args):len(args)], "--numstat", "--summary", "-z", "-")...)
		}
		res, err := look()
		if err == nil && strings.Contains(res.stderr, "corrupt patch at line") {
			args = append(args, "--recount")
			if res, err = look(); err == nil && res.code == 0 {
				c.Warn("the line counts in the patch's @@ lines do not fit its lines and were made anew")
			}
		}
		if err == nil && res.code != 0 {
			err = applyFailure(in.Patch, res)
		}
		if err != nil {
			return nil, timedOut(err)
		}
		files, err := r.numstat(res.out, patchRenames(in.Patch, in.Reverse))
		if err != nil {
			return nil, err
		}
		if in.DryRun || in.Sub == "check" {
			res, err = r.readText(ctx, in.Patch, nil, append(args, "--check", "-")...)
		} else {
			res, err = r.write(ctx, change{args: append(args, "-"), stdin: in.Patch})
		}
		if err == nil && res.code != 0 {
			err = applyFailure(in.Patch, res)
		}
		if err != nil {
			return nil, timedOut(err)
		}
		text := map[bool]string{true: "would apply to\n", false: "applied to\n"}[in.DryRun || in.Sub == "check"]
		for _, f := range files {
			name := f.Path
			if f.OldPath != "" {
				name = f.OldPath + " -> " + name
			}
			text += fmt.Sprintf("%s %s +%d -%d\n", f.Status, name, f.Additions, f.Deletions)
		}
		text, _ = tools.Head(text, tools.DefaultChars)
		return &tools.Result{Text: text, Data: struct {
			place
			Files  []fileDiff `json:"files"`
			DryRun bool       `json:"dry_run,omitempty"`
		}{r.place(), some(files[:min(len(files), maxListed)]), in.DryRun || in.Sub == "check"}}, nil
	})
}

// applyFailure says what to do about a patch that git does not take.
func applyFailure(patch string, res result) error {
	fail := failure("apply", res)
	switch {
	case strings.Contains(fail.Message, "does not apply"):
		fail.Code = tools.Conflict
		fail.Message += "\nNothing was changed; read the file again and make the patch from it"
		if strings.Contains(patch, "\r\n") {
			fail.Message += " (the lines of the patch end in CRLF: do those of the file?)"
		}
	case strings.HasPrefix(strings.TrimSpace(patch), "*** Begin Patch"):
		fail.Message += "\nThis is no unified diff; fs.apply_patch takes patches of this form"
	case strings.Contains(fail.Message, "corrupt patch") || strings.Contains(fail.Message, "No valid patches"):
		fail.Message += "\nNothing was changed; give a unified diff: --- a/name, +++ b/name, @@ -1,3 +1,4 @@, and lines that begin with a space, + or -"
	}
	return fail
}

package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type logIn struct {
	common
	Ref    string   `json:"ref"`
	Since  string   `json:"since"`
	Until  string   `json:"until"`
	Author string   `json:"author"`
	Grep   string   `json:"grep"`
	By     string   `json:"committer"`
	Text   string   `json:"pickaxe"`
	Change string   `json:"diff_grep"`
	Files  []string `json:"files"`
	All    bool     `json:"all"`
	Follow bool     `json:"follow"`
	First  bool     `json:"first_parent"`
	Plain  bool     `json:"no_merges"`
	Merges bool     `json:"merges"`
	page
}

// commit is one commit of log and show.
type commit struct {
	Hash    string   `json:"hash"`
	Short   string   `json:"short"`
	Author  string   `json:"author"`
	Email   string   `json:"email"`
	Date    string   `json:"date"`
	Subject string   `json:"subject"`
	Body    string   `json:"body,omitempty"`
	Parents []string `json:"parents"`
	Refs    []string `json:"refs,omitempty"`
	More    int      `json:"more_refs,omitempty"` // left out of refs

	cut bool // the subject or refs are not whole
}

// commitFormat has the fields of a commit, each ended by a NUL, which no commit can hold.
const (
	commitFormat = "%H%x00%h%x00%aN%x00%aE%x00%aI%x00%P%x00%D%x00%B%x00"
	commitFields = 8
)

// parseCommit makes a commit of its fields.
func parseCommit(f []string) commit {
	subject, body := splitMessage(f[7])
	c := commit{Hash: f[0], Short: f[1], Author: f[2], Email: f[3], Date: f[4], Subject: subject, Body: body, Parents: some(strings.Fields(f[5]))}
	if f[6] != "" {
		c.Refs = strings.Split(f[6], ", ")
		c.limitRefs()
		for i := range c.Refs {
			c.Refs[i] = shown(c.Refs[i])
		}
	}
	return c
}

func (c *commit) limitRefs() {
	if n := len(c.Refs); n > maxRefs {
		c.Refs, c.More, c.cut = c.Refs[:maxRefs:maxRefs], n-maxRefs, true
	}
}

// shorten cuts what would make a list of commits endless.
func (c *commit) shorten() {
	for _, s := range []*string{&c.Subject, &c.Author, &c.Email} {
		if short := shortened(*s); short != *s {
			*s, c.cut = short, true
		}
	}
}

// splitMessage parts a message as git does: the subject is the first paragraph on one line.
func splitMessage(message string) (subject, body string) {
	message = strings.TrimLeft(message, "\n")
	first, rest, _ := strings.Cut(message, "\n\n")
	return strings.Join(strings.Split(strings.TrimRight(first, "\n"), "\n"), " "), strings.Trim(rest, "\n")
}

// decorated makes refs of a commit the usual ones, by their short names, whatever the config says of decorations.
var decorated = []string{"--decorate=short", "--decorate-refs=HEAD", "--decorate-refs=refs/heads", "--decorate-refs=refs/tags", "--decorate-refs=refs/remotes", "--decorate-refs=refs/stash"}

// maxLog bounds limit of log.
const maxLog = 10_000

func (t *git) log() tools.Action {
	return tools.Act(tools.Action{
		Name: "log", OwnTime: true,
		Doc: "commits of ref (HEAD); since, until, author, grep, files, all; limit 20",
	}, func(ctx context.Context, c *tools.Call, in logIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		if in.Limit == 0 {
			in.Limit = 20
		}
		in.Limit = min(in.Limit, maxLog)
		r, files, err := t.openFiles(ctx, c, in.Path, in.Files)
		if err != nil {
			return nil, err
		}
		if r.git == "" {
			return r.goLog(ctx, in, files)
		}
		if err := r.dates(ctx, &in.Since, &in.Until); err != nil {
			return nil, err
		}
		args := append(append([]string{"log"}, decorated...), "-z", "--encoding=UTF-8", "--no-color", "--no-show-signature", "--no-patch", "--no-ext-diff", "--no-textconv",
			"--format=tformat:"+commitFormat, "--max-count="+strconv.Itoa(in.Limit+1), "--skip="+strconv.Itoa(in.Offset))
		for _, f := range [][2]string{{"--since=", in.Since}, {"--until=", in.Until}, {"--author=", in.Author}, {"--committer=", in.By}, {"--grep=", in.Grep}, {"-S", in.Text}, {"-G", in.Change}} {
			if f[1] != "" {
				args = append(args, f[0]+f[1])
			}
		}
		if in.Grep != "" || in.Author != "" || in.By != "" {
			args = append(args, "--regexp-ignore-case")
		}
		for _, f := range []struct {
			on   bool
			flag string
		}{{in.All, "--all"}, {in.First, "--first-parent"}, {in.Plain, "--no-merges"}, {in.Merges, "--merges"}} {
			if f.on {
				args = append(args, f.flag)
			}
		}
		if in.Follow && len(files) == 1 {
			args = append(args, "--follow")
		}
		args = append(args, "--end-of-options")
		for _, f := range refsOf(in.Ref) {
			if f = namedRange(f); checkRef("ref", f) != nil {
				return nil, checkRef("ref", f)
			}
			args = append(args, f)
		}
		args = append(append(args, "--"), files...)
		res, err := r.read(ctx, nil, args...)
		if err == nil && len(res.out) == 0 {
			res = r.otherwise(ctx, in, args, res)
		}
		if err != nil {
			return nil, timedOut(err)
		}
		if res.code != 0 {
			if unborn, name := r.unborn(ctx); unborn && (in.Ref == "" || in.Ref == "HEAD") {
				return r.logResult(in, nil, "no commits yet on "+name+"\n"), nil
			}
			return nil, failure("log", res)
		}
		commits, err := parseLog(res.out)
		if err != nil {
			return nil, err
		}
		if len(commits) == 0 && len(files) > 0 && in.Offset == 0 {
			out, err := r.mustRead(ctx, append([]string{"log", "--all", "--max-count=1", "--format=%H", "--"}, files...)...)
			if err == nil && len(out) == 0 { // it never was in any commit
				err = r.present(ctx, files, true, endsOf(in.Ref)...)
			}
			if err != nil {
				return nil, timedOut(err)
			}
		}
		return r.logResult(in, commits, ""), nil
	})
}

// otherwise tries a log again that found nothing, with its patterns read in another way.
func (r *repo) otherwise(ctx context.Context, in logIn, args []string, res result) result {
	patterns := in.Author + in.By + in.Grep
	again := func(kind, warning string) bool {
		other, err := r.read(ctx, nil, slices.Insert(slices.Clone(args), 1, kind)...)
		if err != nil || other.code != 0 || len(other.out) == 0 && res.code == 0 {
			return false
		}
		res = other
		r.c.Warn(warning)
		return true
	}
	if strings.ContainsAny(patterns, `[](){}*+?^$|\`) { // perhaps it was not meant as a pattern: dependabot[bot]
		if again("--fixed-strings", "author and grep are taken literally here: as patterns they match nothing") && len(res.out) > 0 {
			return res
		}
	}
	if strings.Contains(patterns, "|") || strings.Contains(patterns, `\d`) {
		for i, arg := range args {
			if strings.HasPrefix(arg, "--grep=") || strings.HasPrefix(arg, "--author=") || strings.HasPrefix(arg, "--committer=") {
				args[i] = strings.ReplaceAll(arg, `\d`, "[0-9]")
			}
		}
		again("--extended-regexp", "author and grep are taken as extended regular expressions here: as basic ones they match nothing")
	}
	return res
}

// parseLog parses what log -z writes: every commit ends with the NUL of its last field and one more.
func parseLog(out []byte) ([]commit, error) {
	var list []commit
	fields := make([]string, 0, commitFields)
	for len(out) > 0 {
		f, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, fmt.Errorf("git's log output ends early; please report it")
		}
		out = rest
		if fields = append(fields, string(f)); len(fields) == commitFields {
			list = append(list, parseCommit(fields))
			fields = fields[:0]
			out = bytes.TrimPrefix(out, []byte{0})
		}
	}
	return list, nil
}

type logData struct {
	place
	Commits []commit `json:"commits"`
	Count   int      `json:"count"`
}

func (r *repo) logResult(in logIn, commits []commit, text string) *tools.Result {
	res := &tools.Result{}
	more := len(commits) > in.Limit
	if more {
		commits = commits[:in.Limit]
	}
	var b strings.Builder
	b.WriteString(text)
	lossy, room := false, tools.NewRoom(in.MaxChars)
	for i := range commits {
		one := &commits[i]
		lossy = one.clean() || lossy
		one.shorten()
		bare := *one
		bare.Body = ""
		line := one.line()
		if !room.Takes(line, bare) {
			commits, more = commits[:i], true
			break
		}
		b.WriteString(line)
		res.Truncated = res.Truncated || one.cut
	}
	left := 0
	for i := range commits {
		if !room.Spare(len(commits[i].Body)) {
			commits[i].Body, left = "", left+1
		}
	}
	if lossy {
		r.c.Warn("some messages or names are not UTF-8; their bad bytes are shown as U+FFFD")
	}
	if left > 0 {
		res.Truncated = true
		r.c.Warn(fmt.Sprintf("the bodies of %d commits are left out: give a smaller limit, or a larger max_chars", left))
	}
	if len(commits) == 0 && text == "" {
		b.WriteString("no commits match\n")
	}
	if more {
		res.Truncated = true
		res.Paging = &tools.Paging{Cursor: strconv.Itoa(in.Offset + len(commits)), More: true}
		fmt.Fprintf(&b, "[… more commits: offset %d]\n", in.Offset+len(commits))
	}
	cut := false
	if res.Text, cut = tools.Head(b.String(), tools.Limit(in.MaxChars)); cut {
		res.Truncated = true
	}
	res.Data = logData{r.place(), some(commits), len(commits)}
	return res
}

// clean makes the texts of a commit UTF-8.
func (c *commit) clean() bool {
	lossy := false
	for _, s := range []*string{&c.Author, &c.Email, &c.Subject, &c.Body} {
		v, bad := valid(*s)
		*s, lossy = v, lossy || bad
	}
	return lossy
}

// line is a commit on one line, as git log --oneline --decorate writes it, with day and author.
func (c *commit) line() string {
	refs := c.decoration()
	if refs != "" {
		refs += " "
	}
	return fmt.Sprintf("%s %s%s — %s, %s\n", c.Short, refs, c.Subject, c.Author, c.Date[:min(10, len(c.Date))])
}

// decoration are the refs of a commit in brackets.
func (c *commit) decoration() string {
	if len(c.Refs) == 0 {
		return ""
	}
	text := "(" + strings.Join(c.Refs, ", ")
	if c.More > 0 {
		text += fmt.Sprintf(", … %d more", c.More)
	}
	return text + ")"
}

// header is a commit as git show begins it.
func (c *commit) header() string {
	var b strings.Builder
	b.WriteString("commit " + c.Hash)
	if refs := c.decoration(); refs != "" {
		b.WriteString(" " + refs)
	}
	if len(c.Parents) > 1 {
		b.WriteString("\nMerge: " + strings.Join(c.Parents, " "))
	}
	fmt.Fprintf(&b, "\nAuthor: %s <%s>\nDate:   %s\n\n", c.Author, c.Email, c.Date)
	message := c.Subject
	if c.Body != "" {
		message += "\n\n" + c.Body
	}
	for line := range strings.Lines(message) {
		b.WriteString("    " + line)
	}
	b.WriteString("\n\n")
	return b.String()
}

// unborn reports whether HEAD has no commit, and the name of its branch.
func (r *repo) unborn(ctx context.Context) (bool, string) {
	branch, detached := r.head()
	if detached || branch == "" {
		return false, branch
	}
	if _, err := r.roots.Lstat(r.common.Join("refs/heads/" + branch)); err == nil {
		return false, branch // a ref that cannot be read is a fault, not a repository without commits
	}
	res, err := r.read(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	return err == nil && res.code == 1, branch // 128: it may not be read
}

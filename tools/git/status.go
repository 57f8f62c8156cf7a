package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

type statusIn struct {
	common
	Files []string `json:"files"`
	All   bool     `json:"all"`
	page
}

// entry is one file of status, or of another list of files.
type entry struct {
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"`
	Status  string `json:"status"`
}

// statusData is what status answers. Lists are cut at limit entries in all; the counts are whole.
type statusData struct {
	place
	Branch     string      `json:"branch,omitempty"`
	Head       string      `json:"head,omitempty"` // "" before the first commit
	Upstream   string      `json:"upstream,omitempty"`
	Gone       bool        `json:"upstream_gone,omitempty"`
	Ahead      int         `json:"ahead"`
	Behind     int         `json:"behind"`
	Detached   bool        `json:"detached"`
	Unborn     bool        `json:"unborn,omitempty"`
	State      string      `json:"state,omitempty"`
	Clean      bool        `json:"clean"`
	Stashes    int         `json:"stashes,omitempty"`
	Staged     []entry     `json:"staged"`
	Unstaged   []entry     `json:"unstaged"`
	Untracked  []string    `json:"untracked"`
	Conflicts  []entry     `json:"conflicts"`
	Ignored    []string    `json:"ignored,omitempty"`
	Submodules []submodule `json:"submodules,omitempty"`
	Counts     counts      `json:"counts"`
}

type counts struct {
	Staged    int `json:"staged"`
	Unstaged  int `json:"unstaged"`
	Untracked int `json:"untracked"`
	Conflicts int `json:"conflicts"`
}

func (t *git) status() tools.Action {
	return tools.Act(tools.Action{
		Name: "status", OwnTime: true,
		Doc: "branch, upstream, what is staged, changed, untracked, in conflict, under way; all adds ignored",
	}, func(ctx context.Context, c *tools.Call, in statusIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if err := in.check(); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if r.bare {
			return nil, tools.Errorf(tools.Unsupported, "%s is a bare repository and has no work tree; use git.log, git.branch or git.show", sandbox.Printable(r.given))
		}
		files, err := r.paths(in.Files)
		if err != nil {
			return nil, err
		}
		if r.git == "" {
			return r.goStatus(ctx, in, files)
		}
		links := make(chan bool, 1) // looked up while git works
		go func() { links <- r.mayHaveSubmodules() }()
		s, err := r.statusOf(ctx, in.All, files)
		if may := <-links; err == nil && may {
			s.addSubmodules(ctx, r, in.Files)
		}
		if err != nil {
			return nil, timedOut(err)
		}
		if err := r.present(ctx, files, s.Clean && len(s.Ignored) == 0); err != nil {
			return nil, err
		}
		return s.result(r, in.page), nil
	})
}

// statusOf asks git for the status of the repository, submodules' dirt left out.
func (r *repo) statusOf(ctx context.Context, ignored bool, files []string) (*statusList, error) {
	args := []string{"status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignore-submodules=dirty"}
	if ignored {
		args = append(args, "--ignored=matching")
	}
	res, err := r.read(ctx, nil, append(append(args, "--"), files...)...)
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, failure("status", res)
	}
	s := &statusList{}
	if err := s.parse(res.out); err != nil {
		return nil, err
	}
	if s.Unborn && s.Branch == "(unknown)" {
		if unborn, name := r.unborn(ctx); !unborn {
			return nil, unreadable(name)
		}
	}
	if s.Detached { // or a branch of that name
		if branch, detached := r.head(); !detached {
			s.Detached, s.Branch = false, shown(branch)
		}
	}
	s.State = r.state()
	return s, nil
}

// unreadable is the error of a branch whose file is damaged, as after a loss of power.
func unreadable(branch string) *tools.Error {
	return tools.Errorf(tools.ExitNonzero, "refs/heads/%s cannot be read, so what is staged is not known; see git.reflog and .git/refs/heads/%s", shown(branch), shown(branch))
}

// statusList is a parsed status; names are raw bytes.
type statusList struct {
	statusData
	short []shortLine // what git status --short says of the entries
}

// shortLine is a line of a file, as git status --short writes it.
type shortLine struct{ name, text string }

// conflictWord tells what two sides did, by git's two letters.
func conflictWord(xy string) string {
	switch xy {
	case "DD":
		return "both deleted"
	case "AU":
		return "added by us"
	case "UD":
		return "deleted by them"
	case "UA":
		return "added by them"
	case "DU":
		return "deleted by us"
	case "AA":
		return "both added"
	}
	return "both modified"
}

var errStatus = errors.New("git's status output has an unknown form; please report it")

// parse reads porcelain v2 with NUL: fields before the path are separated by spaces, their number is fixed per kind.
func (s *statusList) parse(out []byte) error {
	for len(out) > 0 {
		rec, rest, ok := bytes.Cut(out, []byte{0})
		if !ok || len(rec) < 3 {
			return errStatus
		}
		out = rest
		line := string(rec)
		switch line[0] {
		case '#':
			s.header(line[2:])
		case '1':
			f := strings.SplitN(line, " ", 9)
			if len(f) < 9 || len(f[1]) != 2 {
				return errStatus
			}
			s.changed(f[1], f[2], f[8], "")
		case '2':
			f := strings.SplitN(line, " ", 10)
			old, rest, ok := bytes.Cut(out, []byte{0})
			if len(f) < 10 || len(f[1]) != 2 || !ok {
				return errStatus
			}
			out = rest
			s.changed(f[1], f[2], f[9], string(old))
		case 'u':
			f := strings.SplitN(line, " ", 11)
			if len(f) < 11 {
				return errStatus
			}
			s.Conflicts = append(s.Conflicts, entry{Path: shown(f[10]), Status: conflictWord(f[1])})
			s.note(f[1], f[10], "")
		case '?':
			s.Untracked = append(s.Untracked, shown(line[2:]))
			s.note("??", line[2:], "")
		case '!':
			s.Ignored = append(s.Ignored, shown(line[2:]))
			s.note("!!", line[2:], "")
		}
	}
	s.Clean = len(s.Staged)+len(s.Unstaged)+len(s.Untracked)+len(s.Conflicts) == 0
	return nil
}

func (s *statusList) header(line string) {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "branch.oid":
		if s.Unborn = value == "(initial)"; !s.Unborn {
			s.Head = value
		}
	case "branch.head":
		if s.Detached = value == "(detached)"; !s.Detached {
			s.Branch = shown(value)
		}
	case "branch.upstream":
		s.Upstream, s.Gone = shown(value), true
	case "branch.ab":
		s.Gone = false
		a, b, _ := strings.Cut(value, " ")
		s.Ahead, _ = strconv.Atoi(strings.TrimPrefix(a, "+"))
		s.Behind, _ = strconv.Atoi(strings.TrimPrefix(b, "-"))
	}
}

func (s *statusList) changed(xy, sub, path, old string) {
	x, y := xy[0], xy[1]
	if x != '.' {
		e := entry{Path: shown(path), Status: statusWord(x)}
		if (x == 'R' || x == 'C') && old != "" {
			e.OldPath = shown(old)
		}
		s.Staged = append(s.Staged, e)
	}
	if y != '.' {
		e := entry{Path: shown(path), Status: statusWord(y)}
		if (y == 'R' || y == 'C') && old != "" { // of an intent-to-add
			e.OldPath = shown(old)
		}
		if strings.HasPrefix(sub, "SC") {
			e.Status = "new_commits"
		}
		s.Unstaged = append(s.Unstaged, e)
	}
	s.note(strings.ReplaceAll(xy, ".", " "), path, old)
}

// note adds a line as git status --short writes it.
func (s *statusList) note(xy, path, old string) {
	text := xy + " " + lineName(path) + "\n"
	if old != "" {
		text = xy + " " + lineName(old) + " -> " + lineName(path) + "\n"
	}
	s.short = append(s.short, shortLine{path, text})
}

// lineName is a name on a line of its own: quoted as git does when it holds a space, a quote or a control character.
func lineName(name string) string {
	if v, lossy := valid(name); lossy || strings.ContainsFunc(v, func(c rune) bool { return c < 0x20 || c == 0x7f || c == '"' || c == '\\' }) {
		return quote(name, lossy)
	}
	if strings.Contains(name, " ") {
		return `"` + name + `"`
	}
	return name
}

const escapedNames = `names that are not UTF-8 are given quoted, as "caf\351"; give them back as they are`

// maxEntries is how many entries status lists without limit.
const maxEntries = 500

func (s *statusList) result(r *repo, in page) *tools.Result {
	s.place = r.place()
	s.Counts = counts{len(s.Staged), len(s.Unstaged), len(s.Untracked), len(s.Conflicts)}
	most := in.Limit
	if most <= 0 {
		most = maxEntries
	}
	if s.escaped() {
		r.c.Warn(escapedNames)
	}
	res := &tools.Result{}
	total := s.Counts.Staged + s.Counts.Unstaged + s.Counts.Untracked + s.Counts.Conflicts + len(s.Ignored)
	text := s.branchLine()
	if n := s.fitting(in, most); n < total {
		next := in.Offset + n
		s.cut(in.Offset, n)
		res.Truncated = true
		text += s.lines(true)
		if next < total {
			res.Paging = &tools.Paging{Cursor: strconv.Itoa(next), More: true, Total: total}
			text += fmt.Sprintf("[… %d entries in all: offset %d]\n", total, next)
		}
	} else {
		text += s.lines(false)
	}
	s.Staged, s.Unstaged, s.Conflicts = some(s.Staged), some(s.Unstaged), some(s.Conflicts)
	s.Untracked = some(s.Untracked)
	res.Text, _ = tools.Head(text, tools.Limit(in.MaxChars))
	res.Data = s.statusData
	return res
}

func (s *statusList) escaped() bool {
	for _, list := range [][]entry{s.Staged, s.Unstaged, s.Conflicts} {
		for _, e := range list {
			if isEscaped(e.Path) || isEscaped(e.OldPath) {
				return true
			}
		}
	}
	for _, name := range s.Untracked {
		if isEscaped(name) {
			return true
		}
	}
	return false
}

// branchLine is the first line of git status --short --branch, with what is under way.
func (s *statusList) branchLine() string {
	var b strings.Builder
	b.WriteString("## ")
	switch {
	case s.Detached:
		b.WriteString("HEAD (no branch) at " + s.Head[:min(12, len(s.Head))])
	case s.Unborn:
		b.WriteString("No commits yet on " + s.Branch)
	default:
		b.WriteString(s.Branch)
	}
	if s.Upstream != "" {
		b.WriteString("..." + s.Upstream)
	}
	switch {
	case s.Gone:
		b.WriteString(" [gone]")
	case s.Ahead > 0 && s.Behind > 0:
		fmt.Fprintf(&b, " [ahead %d, behind %d]", s.Ahead, s.Behind)
	case s.Ahead > 0:
		fmt.Fprintf(&b, " [ahead %d]", s.Ahead)
	case s.Behind > 0:
		fmt.Fprintf(&b, " [behind %d]", s.Behind)
	}
	if s.State != "" {
		b.WriteString(" (" + s.State + " in progress)")
	}
	if s.Clean {
		b.WriteString("\nclean")
	}
	b.WriteByte('\n')
	return b.String()
}

// some makes an empty list of nil, so that JSON says [].
func some[E any](list []E) []E {
	if list == nil {
		return []E{}
	}
	return list
}

package git

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// diffArgs are the switches of every diff: no program runs, and the form is the one that patchReader reads,
// whatever the user's config says about prefixes, colours or submodules.
var diffArgs = []string{
	"--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
	"--submodule=short", "--ignore-submodules=dirty",
}

type diffIn struct {
	common
	Ref     string   `json:"ref"`
	Staged  bool     `json:"staged"`
	Files   []string `json:"files"`
	Context *int     `json:"context_lines"`
	page
}

// page is how a call asks for a part of a long answer.
type page struct {
	Limit    int `json:"limit"`
	Offset   int `json:"offset"`
	MaxChars int `json:"max_chars"`
}

// maxCount is the largest limit and offset: more than any list has, and one that can be added to.
const maxCount = 1 << 30

func (p *page) check() error {
	if p.Limit < 0 || p.Offset < 0 {
		return tools.Errorf(tools.InvalidParams, "limit and offset may not be negative")
	}
	p.Limit, p.Offset = min(p.Limit, maxCount), min(p.Offset, maxCount)
	return nil
}

// diffData is the data of every answer that holds a diff.
type diffData struct {
	place
	Files     []fileDiff `json:"files"`
	Count     int        `json:"count"`
	Additions int        `json:"additions"`
	Deletions int        `json:"deletions"`
}

func (t *git) diff() tools.Action {
	return tools.Act(tools.Action{
		Name: "diff", Aliases: []string{"diff_staged", "diff_cached", "diff_unstaged"}, OwnTime: true,
		Doc: "changes of the work tree, or staged, or of ref (A, A..B, A...B); files",
	}, func(ctx context.Context, c *tools.Call, in diffIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		in.Staged = in.Staged || strings.HasSuffix(c.Given, "_staged") || strings.HasSuffix(c.Given, "_cached")
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		r, files, err := t.openFiles(ctx, c, in.Path, in.Files)
		if err != nil {
			return nil, err
		}
		if r.git == "" {
			return r.goDiff(ctx, in, files)
		}
		args := append([]string{"diff"}, diffArgs...)
		args = append(args, contextArg(in.Context)...)
		if in.Staged {
			args = append(args, "--cached")
		}
		args = append(args, "--end-of-options")
		for _, f := range refsOf(in.Ref) {
			if f = namedRange(f); checkRef("ref", f) != nil {
				return nil, checkRef("ref", f)
			}
			args = append(args, f)
		}
		args = append(append(args, "--"), files...)
		p := &patchReader{first: in.Offset, limit: tools.Limit(in.MaxChars)}
		res, err := r.read(ctx, p.read, args...)
		if err != nil {
			return nil, timedOut(err)
		}
		if res.code != 0 {
			return nil, failure("diff", res)
		}
		if err := r.present(ctx, files, len(p.files) == 0, endsOf(in.Ref)...); err != nil {
			return nil, err
		}
		return r.diffResult(p, in.page, ""), nil
	})
}

func contextArg(lines *int) []string {
	if lines == nil || *lines < 0 {
		return nil
	}
	return []string{"--unified=" + strconv.Itoa(*lines)}
}

// maxListed is how many files an answer lists without limit.
const maxListed = 500

// diffResult makes the answer of a diff. Counts cover all files; payload and list are the page, and share its room.
func (r *repo) diffResult(p *patchReader, in page, preamble string) *tools.Result {
	d := diffData{place: r.place(), Count: len(p.files)}
	for _, f := range p.files {
		d.Additions += f.Additions
		d.Deletions += f.Deletions
	}
	headCut := false
	if preamble != "" {
		if preamble, headCut = tools.Head(preamble, p.limit/2); headCut {
			preamble += "\n[… the message is longer: give a larger max_chars]\n"
		}
		p.limit = max(p.limit-len(preamble), p.limit/2)
	}
	first := min(in.Offset, len(p.files))
	room := max(p.limit/3, minList)
	listed := p.files
	taken, size := fitting(listed, limitOr(in.Limit, maxListed), room)
	whole := taken == len(listed)
	if !whole { // the page's own files are listed even when they are late ones
		listed = listed[first:]
		taken, size = fitting(listed, limitOr(in.Limit, maxListed), room)
		listed = listed[:taken]
	}
	p.limit = max(p.limit-size, p.limit/2)
	text, next := p.page(limitOr(in.Limit, len(p.files)))
	if !whole {
		next = min(next, first+taken)
	}
	d.Files = shownFiles(listed)
	if slices.ContainsFunc(d.Files, func(f fileDiff) bool { return isEscaped(f.Path) || isEscaped(f.OldPath) }) {
		r.c.Warn(escapedNames)
	}
	res := &tools.Result{Data: d, Truncated: headCut}
	text, lossy := valid(preamble + text)
	if lossy {
		r.c.Warn("some bytes of the payload are not UTF-8 and are shown as U+FFFD")
	}
	if len(p.files) == 0 && preamble == "" {
		text = "no changes\n"
	}
	for _, f := range p.files {
		res.Truncated = res.Truncated || f.Cut
	}
	if next < len(p.files) {
		res.Truncated = true
		res.Paging = &tools.Paging{Cursor: strconv.Itoa(next), More: true, Total: len(p.files)}
		text += "[… files " + strconv.Itoa(next+1) + " to " + strconv.Itoa(len(p.files)) + " of " + strconv.Itoa(len(p.files)) +
			" (" + strconv.Itoa(p.total) + " bytes in all) follow: offset " + strconv.Itoa(next) + "]\n"
	}
	res.Text = text
	return res
}

// minList is what the list of files may take in any case, however small the page.
const minList = 2000

// fitting is how many files of a list fit into room, one at least, and what they take.
func fitting(list []fileDiff, most, room int) (n, size int) {
	for n < min(len(list), most) {
		one := tools.SizeOf(list[n])
		if n > 0 && size+one > room {
			break
		}
		n, size = n+1, size+one
	}
	return n, size
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

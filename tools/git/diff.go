package git

import (
	"context"
	"slices"
	"strconv"

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

func (p page) check() error {
	if p.Limit < 0 || p.Offset < 0 {
		return tools.Errorf(tools.InvalidParams, "limit and offset may not be negative")
	}
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
		Name: "diff", OwnTime: true,
		Doc: "changes of the work tree, or staged, or of ref (A, A..B, A...B); files",
	}, func(ctx context.Context, c *tools.Call, in diffIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		r, files, err := t.openFiles(ctx, c, in.Path, in.Files)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return r.goDiff(ctx, in, files)
		}
		args := append([]string{"diff"}, diffArgs...)
		args = append(args, contextArg(in.Context)...)
		if in.Staged {
			args = append(args, "--cached")
		}
		args = append(args, "--end-of-options")
		if in.Ref != "" {
			args = append(args, refsOf(in.Ref)...)
		}
		for _, f := range refsOf(in.Ref) {
			if err := checkRef("ref", f); err != nil {
				return nil, err
			}
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

// diffResult makes the answer of a diff. Counts cover all files; the payload is the page.
func (r *repo) diffResult(p *patchReader, in page, preamble string) *tools.Result {
	text, next := p.page()
	d := diffData{place: r.place(), Count: len(p.files)}
	for _, f := range p.files {
		d.Additions += f.Additions
		d.Deletions += f.Deletions
	}
	listed := p.files
	most := in.Limit
	if most == 0 {
		most = maxListed
	}
	if len(listed) > most {
		// The page's own files are listed even when they are late ones.
		first := min(in.Offset, len(listed))
		listed = listed[first:min(len(listed), first+most)]
		next = min(next, first+len(listed))
	}
	d.Files = shownFiles(listed)
	if slices.ContainsFunc(d.Files, func(f fileDiff) bool { return isEscaped(f.Path) || isEscaped(f.OldPath) }) {
		r.c.Warn(escapedNames)
	}
	res := &tools.Result{Data: d}
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

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

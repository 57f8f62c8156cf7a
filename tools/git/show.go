package git

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type showIn struct {
	common
	Ref     string   `json:"ref"`
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Context *int     `json:"context_lines"`
	page
}

type showData struct {
	diffData
	Commit *commit `json:"commit,omitempty"`
	Type   string  `json:"type"` // commit, tag, tree or blob
	Size   int     `json:"size,omitempty"`
}

func (t *git) show() tools.Action {
	return tools.Act(tools.Action{
		Name: "show", OwnTime: true,
		Doc: "a commit with its diff, a tag, or a file or folder of a commit as ref:path; ref HEAD",
	}, func(ctx context.Context, c *tools.Call, in showIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		if in.Ref == "" {
			in.Ref = in.Name
		}
		if in.Ref == "" {
			in.Ref = "HEAD"
		}
		in.Ref = named(in.Ref)
		revision := in.Ref
		if objectRef(in.Ref) { // a name may hold anything
			at := strings.IndexByte(in.Ref, ':')
			revision = in.Ref[:at]
			in.Ref = revision + ":" + named(in.Ref[at+1:])
		}
		if err := firstError(checkRefs("ref", revision), in.check()); err != nil {
			return nil, err
		}
		r, files, err := t.openFiles(ctx, c, in.Path, in.Files)
		if err != nil {
			return nil, err
		}
		if r.git == "" {
			return r.goShow(ctx, in, files)
		}
		args := append([]string{"show", "--encoding=UTF-8", "--no-show-signature", "--patch", "--cc", "--format=tformat:%x00" + commitFormat}, slices.Concat(decorated, diffArgs)...)
		args = append(args, contextArg(in.Context)...)
		args = append(args, "--end-of-options", in.Ref, "--")
		if !strings.Contains(in.Ref, ":") {
			args = append(args, files...)
		}
		s := &showReader{patch: patchReader{first: in.Offset, limit: tools.Limit(in.MaxChars)}, path: objectRef(in.Ref)}
		res, err := r.read(ctx, s.read, args...)
		if err != nil {
			return nil, timedOut(err)
		}
		if res.code != 0 {
			if unborn, name := r.unborn(ctx); unborn && strings.HasPrefix(in.Ref, "HEAD") {
				return nil, tools.Errorf(tools.NotFound, "there is no commit yet on %s; make one with git.commit", name)
			}
			return nil, failure("show", res)
		}
		if s.patch.another {
			return nil, tools.Errorf(tools.InvalidParams, "%s names several commits, and show takes one; use git.log, or git.diff for what changed between two", in.Ref).With(tools.Details{Param: "ref"})
		}
		return s.result(r, in)
	})
}

// objectRef reports whether a ref names a file or folder of a commit. (":/text" and "^{/text}" name commits.)
func objectRef(ref string) bool {
	at := strings.IndexByte(ref, ':')
	return at > 0 && !strings.Contains(ref[:at], "{/") || at == 0 && !strings.HasPrefix(ref, ":/")
}

func (s *showReader) result(r *repo, in showIn) (*tools.Result, error) {
	if !s.content {
		lossy := s.commit.clean()
		preamble, bad := valid(s.before.String())
		if lossy || bad {
			r.c.Warn("some bytes of the message are not UTF-8 and are shown as U+FFFD")
		}
		if preamble != "" && !strings.HasSuffix(preamble, "\n\n") {
			preamble += "\n"
		}
		res := r.diffResult(&s.patch, in.page, preamble+s.commit.header())
		d := showData{diffData: res.Data.(diffData), Commit: s.commit, Type: "commit"}
		if s.before.Len() > 0 {
			d.Type = "tag"
		}
		brief := *s.commit
		brief.Body = "" // it stands in the payload
		brief.shorten()
		res.Truncated = res.Truncated || brief.cut
		d.Commit = &brief
		res.Data = d
		return res, nil
	}
	return s.object(r, in)
}

// object makes the answer of a file or folder. Offset counts characters here: a file is one piece.
func (s *showReader) object(r *repo, in showIn) (*tools.Result, error) {
	d := showData{diffData: diffData{place: r.place(), Files: []fileDiff{}}, Type: "blob", Size: int(s.size)}
	if bytes.HasPrefix(s.sample, []byte("tree "+in.Ref+"\n")) {
		d.Type = "tree"
	}
	if bytes.IndexByte(s.sample, 0) >= 0 {
		return &tools.Result{Data: d}, tools.Errorf(tools.Binary, "%s is binary (%s, %d bytes); its text cannot be shown", shown(in.Ref), http.DetectContentType(s.sample), s.size)
	}
	text, lossy := valid(s.before.String())
	if lossy {
		r.c.Warn("the content is not UTF-8; its bad bytes are shown as U+FFFD")
	}
	res := &tools.Result{Data: d}
	cut := false
	if res.Text, cut = tools.Head(text, s.patch.limit); cut || s.more {
		res.Truncated = true
		next := in.Offset + utf8.RuneCountInString(res.Text)
		res.Paging = &tools.Paging{Cursor: fmt.Sprint(next), More: true}
		res.Text += fmt.Sprintf("[… of %d bytes in all: give offset %d, or a larger max_chars]\n", s.size, next)
	}
	return res, nil
}

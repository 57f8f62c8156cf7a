package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
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
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		r, files, err := t.openFiles(ctx, c, in.Path, in.Files)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return r.goShow(ctx, in, files)
		}
		args := append([]string{"show", "--encoding=UTF-8", "--no-show-signature", "--patch", "--cc", "--format=tformat:%x00" + commitFormat}, diffArgs...)
		args = append(args, contextArg(in.Context)...)
		args = append(args, "--end-of-options", in.Ref, "--")
		if !strings.Contains(in.Ref, ":") {
			args = append(args, files...)
		}
		s := &showReader{patch: patchReader{first: in.Offset, limit: tools.Limit(in.MaxChars)}, object: objectRef(in.Ref)}
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

// showReader reads the output of show: the text of a tag if there is one, a commit in NUL-ended fields, its patch;
// or the bare content of an object.
type showReader struct {
	object  bool
	before  bytes.Buffer // a tag's text, or the content
	size    int
	commit  *commit
	patch   patchReader
	content bool
}

func (s *showReader) read(r io.Reader) error {
	br := bufio.NewReaderSize(r, 64<<10)
	if !s.object {
		tag, err := br.ReadString(0)
		if err == nil && len(tag) < 1<<20 {
			fields := make([]string, commitFields)
			for i := range fields {
				if fields[i], err = br.ReadString(0); err != nil {
					break
				}
				fields[i] = strings.TrimSuffix(fields[i], "\x00")
			}
			if err == nil && isHash(fields[0]) {
				s.before.WriteString(strings.TrimSuffix(tag, "\x00"))
				one := parseCommit(fields)
				s.commit = &one
				return s.patch.read(br)
			}
			s.before.WriteString(tag + strings.Join(fields, "\x00"))
		} else {
			s.before.WriteString(tag)
		}
		s.size = s.before.Len()
	}
	s.content = true
	n, err := io.Copy(&s.before, io.LimitReader(br, int64(s.patch.limit+s.patch.first)*4+4096))
	if err != nil {
		return err
	}
	rest, err := io.Copy(io.Discard, br)
	s.size += int(n + rest)
	return err
}

func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
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
		d.Commit = &brief
		res.Data = d
		return res, nil
	}
	text := s.before.String()
	d := showData{diffData: diffData{place: r.place(), Files: []fileDiff{}}, Type: "blob", Size: s.size}
	if strings.HasPrefix(text, "tree "+in.Ref+"\n") {
		d.Type = "tree"
	}
	if sample := text[:min(len(text), 8000)]; strings.IndexByte(sample, 0) >= 0 {
		return &tools.Result{Data: d}, tools.Errorf(tools.Binary, "%s is binary (%s, %d bytes); its text cannot be shown", in.Ref, http.DetectContentType([]byte(sample)), s.size)
	}
	text, lossy := valid(text)
	if lossy {
		r.c.Warn("the content is not UTF-8; its bad bytes are shown as U+FFFD")
	}
	// Offset counts characters here: a file is one piece.
	for range in.Offset {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	res := &tools.Result{Data: d}
	cut := false
	if res.Text, cut = tools.Head(text, s.patch.limit); cut || s.before.Len() < s.size {
		res.Truncated = true
		next := in.Offset + utf8.RuneCountInString(res.Text)
		res.Paging = &tools.Paging{Cursor: fmt.Sprint(next), More: true}
		res.Text += fmt.Sprintf("[… of %d bytes in all: give offset %d, or a larger max_chars]\n", s.size, next)
	}
	return res, nil
}

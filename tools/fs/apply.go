package fs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/edit"
	"github.com/hanzoai/hanzo-mcp/tools/fs/patch"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

const maxEdits = 1000

// oneEdit is what an edit says; edits[] is a list of it.
type oneEdit struct {
	OldText       *string `json:"old_text" alias:"old_string,old_str,old"`
	NewText       *string `json:"new_text" alias:"new_string,new_str,new"`
	ReplaceAll    bool    `json:"replace_all"`
	ExpectedCount *int    `json:"expected_count" alias:"expected_replacements"`
	Match         string  `json:"match"`
}

type applyIn struct {
	Path string `json:"path"`
	oneEdit
	Patch    *string   `json:"patch"`
	Edits    []oneEdit `json:"edits"`
	Encoding string    `json:"encoding"`
	BaseHash string    `json:"base_hash"`
	DryRun   bool      `json:"dry_run"`
	MaxChars int       `json:"max_chars"`
}

// patchText gives the text that is a patch of files, where the call holds one.
func patchText(old, fresh, patched *string) (string, bool) {
	switch {
	case fresh != nil:
		return "", false
	case patched != nil:
		return *patched, true
	case old != nil && patch.Looks(*old):
		return *old, true
	}
	return "", false
}

// patchGiven is the patch of several files in the arguments of a call, "" when there is none.
func patchGiven(c *tools.Call) string {
	opt := func(name string) *string {
		if !c.Args.Has(name) {
			return nil
		}
		s := c.Args.String(name)
		return &s
	}
	fresh := opt("new_text")
	if c.Action.Name == "patch" {
		fresh = nil
	}
	s, _ := patchText(opt("old_text"), fresh, opt("patch"))
	return s
}

// patchedPaths lists the files that a patch names.
func patchedPaths(c *tools.Call) []string {
	s := patchGiven(c)
	if s == "" {
		return nil
	}
	return patch.Paths(s, c.Args.String("path"))
}

// patchedBy names the actions whose work a patch does: one that deletes a file does that of rm.
func patchedBy(c *tools.Call) []string {
	files, err := patch.Parse(patchGiven(c), c.Args.String("path"))
	if err != nil {
		return nil // it will be refused
	}
	var acts []string
	for _, f := range files {
		switch {
		case f.Op == patch.Delete:
			acts = append(acts, "rm")
		case f.Op == patch.Add:
			acts = append(acts, "write")
		case f.Op == patch.Copy:
			acts = append(acts, "cp")
		case f.To != "":
			acts = append(acts, "mv")
		}
	}
	slices.Sort(acts)
	return slices.Compact(acts)
}

// applyPatch edits one file, or hands over to patch.
func applyPatch(ctx context.Context, c *tools.Call, in applyIn) (*tools.Result, error) {
	if s, ok := patchText(in.OldText, in.NewText, in.Patch); ok && len(in.Edits) == 0 {
		return applyFiles(ctx, c, patchIn{Path: in.Path, Patch: &s, BaseHash: in.BaseHash, DryRun: in.DryRun, MaxChars: in.MaxChars})
	}
	edits, err := in.list()
	if err != nil {
		return nil, err
	}
	p, err := resolve(c, "path", in.Path)
	if err != nil {
		return nil, err
	}
	if _, q, err := c.Roots.Stat(p); err == nil {
		if p = q; p.Warning != "" {
			c.Warn(p.Warning)
		}
	}
	unlock, err := c.Roots.Lock(ctx, p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	defer unlock()
	old, err := load(ctx, c, p)
	if notFound(err) && len(edits) == 1 && *edits[0].OldText == "" {
		unlock()
		return write(ctx, c, writeIn{Path: in.Path, Content: edits[0].NewText, Encoding: in.Encoding, BaseHash: in.BaseHash, DryRun: in.DryRun, MaxChars: in.MaxChars})
	}
	if err != nil {
		return nil, fail(c, err, "path")
	}
	return in.change(ctx, c, p, old, edits)
}

// list gives the edits of the call, checked.
func (in applyIn) list() ([]oneEdit, error) {
	edits := in.Edits
	if len(edits) == 0 {
		one := in.oneEdit
		if one.OldText == nil {
			one.OldText = in.Patch // the other servers' spelling
		}
		edits = []oneEdit{one}
	} else if in.OldText != nil || in.NewText != nil || in.Patch != nil {
		return nil, tools.Errorf(tools.InvalidParams, "give old_text and new_text, or edits, or patch, not several of them").
			With(tools.Details{Param: "edits"})
	}
	if len(edits) > maxEdits {
		return nil, tools.Errorf(tools.InvalidParams, "edits has %d items; give at most %d in one call", len(edits), maxEdits).
			With(tools.Details{Param: "edits"})
	}
	for i, e := range edits {
		missing := ""
		switch {
		case e.OldText == nil:
			missing = "old_text"
		case e.NewText == nil:
			missing = "new_text"
		}
		name := in.name(i, missing)
		if missing != "" {
			return nil, tools.Errorf(tools.InvalidParams, "%s is missing: give the text to find and the text to put there (\"\" to remove it); nothing was changed",
				name).With(tools.Details{Param: name, Expected: "string"})
		}
		if m := strings.ToLower(e.Match); m != "" && m != "exact" && m != "whitespace" {
			return nil, tools.Errorf(tools.InvalidParams, "match must be exact or whitespace, got %q", e.Match).
				With(tools.Details{Param: in.name(i, "match"), Actual: e.Match, Available: []string{"exact", "whitespace"}})
		}
		if e.ExpectedCount != nil && *e.ExpectedCount < 1 {
			return nil, tools.Errorf(tools.InvalidParams, "expected_count must be 1 or more").
				With(tools.Details{Param: in.name(i, "expected_count"), Actual: strconv.Itoa(*e.ExpectedCount)})
		}
	}
	return edits, nil
}

// name is the parameter of edit i, as the caller wrote it.
func (in applyIn) name(i int, param string) string {
	if len(in.Edits) == 0 {
		return param
	}
	return fmt.Sprintf("edits[%d].%s", i, param)
}

// change makes the edits, one after the other, and writes the file once.
func (in applyIn) change(ctx context.Context, c *tools.Call, p sandbox.Path, old *loaded, edits []oneEdit) (*tools.Result, error) {
	if in.BaseHash != "" {
		if err := checkBase(in.BaseHash, hashOf(old.bytes)); err != nil {
			return nil, err
		}
	}
	s, format, err := in.decode(p, old.bytes)
	if err != nil {
		return nil, err
	}
	if err := writable(c, p, old); err != nil {
		return nil, err
	}
	warnFormat(c, format, in.Path)
	fresh, count := s, 0
	for i, e := range edits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := edit.Apply(fresh, e.edit())
		if errors.Is(err, edit.Empty{}) && fresh == "" {
			r, err = edit.Result{Text: *e.NewText, Count: 1}, nil
		}
		if err != nil {
			return nil, in.explain(i, e, fresh, err)
		}
		if r.Overlapping {
			c.Warn("some places of " + in.name(i, "old_text") + " overlapped; they were taken from the left")
		}
		fresh, count = r.Text, count+r.Count
	}
	if err := keepsMarks("new_text", s, fresh); err != nil {
		return nil, err
	}
	if format.Doubtful && bringsCharacters(s, fresh) {
		return nil, doubtful(format, "new_text")
	}
	b, err := format.Encode(fresh)
	if err != nil {
		return nil, encodeError(err, "new_text")
	}
	d := &changeData{where: at(in.Path, p), Size: len(b), Replacements: count, DryRun: in.DryRun}
	if format.Encoding != text.UTF8 {
		d.Encoding = format.Encoding
	}
	hashes := make(chan [2]string, 1)
	go func() { hashes <- hashBoth(old.bytes, b) }() // while the disk works
	if err = rehearse(c, in.DryRun, p, true, "path"); !in.DryRun {
		_, err = put(ctx, c, p, old, b, sandbox.WriteOptions{})
	}
	both := <-hashes
	d.PreviousHash, d.Hash = both[0], both[1]
	if err != nil {
		return nil, fail(c, err, "path")
	}
	res := &tools.Result{Data: d}
	res.Text, res.Truncated = showDiff(c, d.Resolved, &s, &fresh, in.MaxChars)
	return res, nil
}

// decode gives the text of the file: by the encoding that was named, else by the one it seems to have where that will do to
// write by.
func (in applyIn) decode(p sandbox.Path, b []byte) (string, text.Format, error) {
	if in.Encoding != "" {
		f, ok := text.Named(in.Encoding)
		if !ok {
			return "", f, unknownEncoding(in.Encoding)
		}
		f = f.Of(b)
		s, err := f.Decode(b)
		if err == nil && !f.Lossless(b, s) {
			err = tools.Errorf(tools.Conflict, "%s has bytes that mean nothing in %s; nothing was changed", sandbox.Printable(in.Path), f.Encoding).
				With(tools.Details{Param: "encoding", Actual: f.Encoding})
		}
		return s, f, err
	}
	s, f, err := text.Decode(b)
	if err != nil {
		return "", f, binaryError(p, binaryMIME(b[:min(len(b), 512)]), int64(len(b)))
	}
	if !f.Editable() || !f.Lossless(b, s) {
		return "", f, tools.Errorf(tools.Unsupported, "%s seems to be %s, by which a guess is no ground to edit; nothing was changed. Give encoding, convert it with exec, or write the whole file as UTF-8",
			sandbox.Printable(in.Path), f.Encoding).
			With(tools.Details{Param: "encoding", Actual: f.Encoding, Available: []string{text.UTF8, text.UTF16LE, text.UTF16BE, text.Windows1252}})
	}
	return s, f, nil
}

func (e oneEdit) edit() edit.Edit {
	out := edit.Edit{Old: *e.OldText, New: *e.NewText, All: e.ReplaceAll, Whitespace: strings.EqualFold(e.Match, "whitespace")}
	if e.ExpectedCount != nil {
		out.Count = *e.ExpectedCount
	}
	return out
}

// explain turns a failed edit into an answer by which the next call succeeds.
func (in applyIn) explain(i int, e oneEdit, s string, err error) error {
	name := in.name(i, "old_text")
	tail := "; nothing was changed"
	if len(in.Edits) > 1 {
		tail = "; none of the " + strconv.Itoa(len(in.Edits)) + " edits was made"
	}
	var (
		miss    *edit.Miss
		several *edit.Several
	)
	switch {
	case errors.As(err, &miss):
		d := tools.Details{Param: name, Suggestion: miss.Hint}
		code, message := tools.NotFound, name+" was not found in "+sandbox.Printable(in.Path)
		if tools.HasMark(*e.OldText) {
			code = tools.Conflict
			d.Suggestion = "it holds the mark that stands for a secret in answers: leave that line out of old_text"
		}
		if n := miss.Near; n != nil {
			d.Nearest = n
			message += fmt.Sprintf("; the nearest is at lines %d to %d (%d%% alike), details.nearest shows it and what differs", n.Line, n.EndLine, n.Alike)
		} else {
			message += "; nothing in the file is like it: read the file and copy the text exactly"
		}
		if d.Suggestion != "" {
			message += ". " + d.Suggestion
		}
		return tools.Errorf(code, "%s%s", message, tail).With(d)
	case errors.As(err, &several):
		return tooMany(name, s, several, tail)
	case errors.Is(err, edit.Empty{}):
		return tools.Errorf(tools.InvalidParams, "%s is empty: give the text to replace%s", name, tail).
			With(tools.Details{Param: name})
	case errors.Is(err, edit.Same{}):
		return tools.Errorf(tools.InvalidParams, "%s and %s are the same, so there is nothing to change (line endings are kept as the file has them)%s",
			name, in.name(i, "new_text"), tail).With(tools.Details{Param: in.name(i, "new_text")})
	}
	return err
}

func tooMany(name, s string, e *edit.Several, tail string) error {
	found := strconv.Itoa(e.Count)
	if e.More {
		found = "more than " + found
	}
	d := tools.Details{Param: name, Expected: strconv.Itoa(e.Want), Actual: found,
		Suggestion: "add lines around it to old_text, or give replace_all:true"}
	var lines []string
	for _, n := range e.Lines {
		lines = append(lines, strconv.Itoa(n))
		if len(d.Available) < 10 {
			line, _, _ := strings.Cut(s[lineStart(s, n):], "\n")
			d.Available = append(d.Available, strconv.Itoa(n)+": "+short(text.Valid(strings.TrimRight(line, "\r"))))
		}
	}
	code := tools.Ambiguous
	if e.Count < e.Want {
		d.Suggestion = "give expected_count:" + found + " if that is right"
	}
	if e.Want > 1 {
		code = tools.Conflict
	}
	return tools.Errorf(code, "%s was found %s times (lines %s), expected %d; %s%s", name, found, strings.Join(lines, ", "), e.Want, d.Suggestion, tail).With(d)
}

func short(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

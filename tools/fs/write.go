package fs

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

type writeIn struct {
	Path      string  `json:"path"`
	Content   *string `json:"content"`
	Overwrite bool    `json:"overwrite"`
	Append    bool    `json:"append"`
	Encoding  string  `json:"encoding"`
	BaseHash  string  `json:"base_hash"`
	Mkdirs    *bool   `json:"mkdirs"`
	DryRun    bool    `json:"dry_run"`
	MaxChars  int     `json:"max_chars"`
	Mode      string  `json:"mode"`
}

func write(ctx context.Context, c *tools.Call, in writeIn) (*tools.Result, error) {
	if err := in.modeOf(); err != nil {
		return nil, err
	}
	in.Append = in.Append || calledAs(c, "append", "append_file", "append_to_file")
	touch := calledAs(c, "touch")
	if touch && in.Content == nil {
		in.Content = new(string)
	}
	if in.Content == nil {
		return nil, tools.Errorf(tools.InvalidParams, "content is missing: give the whole text, \"\" for an empty file; to change a part use action \"apply_patch\"").
			With(tools.Details{Param: "content", Expected: "string"})
	}
	p, err := resolve(c, "path", in.Path)
	if err != nil {
		return nil, err
	}
	unlock, err := c.Roots.Lock(ctx, p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	defer unlock()
	old, err := load(ctx, c, p)
	switch {
	case notFound(err):
		old = nil
		if err := meant(c, "path", in.Path, true); err != nil {
			return nil, err
		}
	case err != nil && old != nil && in.Overwrite && !in.Append && in.BaseHash == "":
		return in.replaceLarge(ctx, c, p, old)
	case err != nil:
		return nil, fail(c, err, "path")
	}
	d := &changeData{where: at(in.Path, p), DryRun: in.DryRun, Created: old == nil}
	if touch && old != nil && *in.Content == "" {
		d.Hash, d.Size, d.Unchanged = hashOf(old.bytes), len(old.bytes), true
		c.Warn("the file exists and was left as it is, its time too")
		return &tools.Result{Data: d}, nil
	}
	if err := in.mayReplace(old, d); err != nil {
		return nil, err
	}
	fresh, err := in.bytes(c, old, d)
	if err != nil {
		return nil, err
	}
	if err := writable(c, p, old); err != nil {
		return nil, err
	}
	d.Hash, d.Size = hashOf(fresh), len(fresh)
	res := &tools.Result{Data: d}
	if old != nil {
		if res.Text, res.Truncated, err = in.compare(c, old, fresh, d); err != nil {
			return nil, err
		}
		d.Unchanged = d.Hash == d.PreviousHash
	}
	mkdirs := in.Mkdirs == nil || *in.Mkdirs
	if in.DryRun || d.Unchanged {
		return res, rehearse(c, in.DryRun, p, mkdirs, "path")
	}
	if _, err := put(ctx, c, p, old, fresh, sandbox.WriteOptions{Mkdirs: mkdirs}); err != nil {
		return nil, fail(c, err, "path")
	}
	return res, nil
}

// replaceLarge replaces a file that is too large to be compared with what comes.
func (in writeIn) replaceLarge(ctx context.Context, c *tools.Call, p sandbox.Path, old *loaded) (*tools.Result, error) {
	d := &changeData{where: at(in.Path, p), DryRun: in.DryRun}
	fresh, err := in.bytes(c, nil, d)
	if err != nil {
		return nil, err
	}
	if err := writable(c, p, old); err != nil {
		return nil, err
	}
	if tools.HasMark(*in.Content) {
		return nil, keepsMarks("content", "", *in.Content)
	}
	d.Hash, d.Size = hashOf(fresh), len(fresh)
	if err = rehearse(c, in.DryRun, p, true, "path"); !in.DryRun {
		_, err = put(ctx, c, p, old, fresh, sandbox.WriteOptions{})
	}
	return &tools.Result{Data: d}, fail(c, err, "path")
}

// mayReplace checks what the caller says of the file that is there.
func (in writeIn) mayReplace(old *loaded, d *changeData) error {
	if old == nil {
		if in.BaseHash == "" {
			return nil
		}
		if _, err := baseHash(in.BaseHash); err != nil {
			return err
		}
		return tools.Errorf(tools.Conflict, "base_hash was given, but there is no such file any more; leave base_hash out to make it").
			With(tools.Details{Param: "base_hash", Expected: in.BaseHash, Actual: "no file"})
	}
	d.PreviousHash = hashOf(old.bytes)
	if err := checkBase(in.BaseHash, d.PreviousHash); err != nil {
		return err
	}
	if !in.Overwrite && !in.Append {
		return tools.Errorf(tools.Conflict, "%s exists (%d bytes, %s); give overwrite:true to replace it, append:true to add to it, or change a part with action \"apply_patch\"",
			sandbox.Printable(in.Path), len(old.bytes), d.PreviousHash).With(tools.Details{Param: "overwrite", Expected: "true", Actual: d.PreviousHash})
	}
	return nil
}

// bytes gives the new content of the file: in the encoding that it had, with its byte order mark.
func (in writeIn) bytes(c *tools.Call, old *loaded, d *changeData) ([]byte, error) {
	if strings.EqualFold(in.Encoding, "base64") {
		b, err := fromBase64(*in.Content)
		if err != nil {
			return nil, err
		}
		if in.Append && old != nil {
			b = append(old.bytes[:len(old.bytes):len(old.bytes)], b...)
		}
		return b, nil
	}
	format := text.Format{Encoding: text.UTF8}
	was := ""
	if old != nil {
		s, f, err := text.Decode(old.bytes)
		switch {
		case err == nil && (f.Editable() || in.Append):
			format, was = f, s
		case err == nil:
			c.Warn("the file was " + f.Encoding + " and is now UTF-8")
		case in.Append:
			return nil, tools.Errorf(tools.Binary, "the file is binary; append to it with encoding:\"base64\"").
				With(tools.Details{Param: "encoding"})
		}
	}
	if in.Encoding != "" {
		f, ok := text.Named(in.Encoding)
		if !ok {
			return nil, unknownEncoding(in.Encoding)
		}
		if f.Encoding != format.Encoding {
			if in.Append && old != nil && was != "" && !format.Guessed {
				return nil, tools.Errorf(tools.Conflict, "the file is %s; what is added must be the same", format.Encoding).
					With(tools.Details{Param: "encoding", Expected: format.Encoding, Actual: f.Encoding})
			}
			format = f
		}
	}
	content := *in.Content
	if format.BOM {
		content = strings.TrimPrefix(content, "\ufeff")
	}
	if in.Append && old != nil {
		return in.appended(c, content, format, old, was, d)
	}
	if format.Doubtful && !ascii(content) {
		c.Warn("the file seemed to be " + format.Encoding + "; it is now UTF-8")
		format = text.Format{Encoding: text.UTF8}
	}
	b, err := format.Encode(content)
	if err != nil && in.Encoding == "" && format.Encoding == text.Windows1252 {
		c.Warn("the file was windows-1252, which cannot hold the new text (" + err.Error() + "); it is now UTF-8")
		format = text.Format{Encoding: text.UTF8}
		b, err = format.Encode(content)
	}
	if err != nil {
		return nil, encodeError(err, "content")
	}
	if format.Encoding != text.UTF8 {
		d.Encoding = format.Encoding
	}
	if old != nil {
		sameEnding(c, was, content)
	}
	return b, nil
}

// fromBase64 decodes base64 in the forms that it comes in: with line breaks, of URLs, without padding, as a data: URI.
func fromBase64(s string) ([]byte, error) {
	if strings.HasPrefix(s, "data:") {
		if _, body, ok := strings.Cut(s, ";base64,"); ok {
			s = body
		}
	}
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.Join(strings.Fields(s), ""))
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "content is no base64, or is cut off: %v; nothing was written", err).
			With(tools.Details{Param: "content", Expected: "base64"})
	}
	return b, nil
}

// appended adds to the bytes of the old file, which stay as they are.
func (in writeIn) appended(c *tools.Call, content string, format text.Format, old *loaded, was string, d *changeData) ([]byte, error) {
	if format.Doubtful && !ascii(content) {
		return nil, doubtful(format, "content")
	}
	warnFormat(c, format, in.Path)
	if text.Ending(was) == "crlf" && text.Ending(content) == "lf" {
		c.Warn("the file has CRLF line endings and what was added has LF, as given")
	}
	if format.Encoding != text.UTF8 {
		d.Encoding = format.Encoding
	}
	if len(old.bytes) > 0 {
		format.BOM = false
	}
	b, err := format.Encode(content)
	if err != nil {
		return nil, encodeError(err, "content")
	}
	if len(old.bytes)+len(b) > maxEdit {
		return nil, tools.Errorf(tools.TooLarge, "the file would have %d bytes, more than the %d that are changed in memory; add to it with exec",
			len(old.bytes)+len(b), maxEdit)
	}
	return append(old.bytes[:len(old.bytes):len(old.bytes)], b...), nil
}

func encodeError(err error, param string) error {
	return tools.Errorf(tools.Conflict, "the file's encoding cannot hold the new text: %v; nothing was written. Use other characters, or write the whole file with encoding:\"utf8\"",
		err).With(tools.Details{Param: param, Actual: err.Error()})
}

// compare gives the diff of what is replaced, and refuses marks of secrets.
func (in writeIn) compare(c *tools.Call, old *loaded, fresh []byte, d *changeData) (string, bool, error) {
	a, _, err := text.Decode(old.bytes)
	b, _, err2 := text.Decode(fresh)
	if err := errors.Join(err, err2); err != nil {
		if tools.HasMark(string(fresh)) && !tools.HasMark(string(old.bytes)) {
			return "", false, keepsMarks("content", "", string(fresh))
		}
		return "", false, nil // binary: there is no diff to show
	}
	if err := keepsMarks("content", a, b); err != nil {
		return "", false, err
	}
	shown, cut := showDiff(c, d.Resolved, &a, &b, in.MaxChars)
	return shown, cut, nil
}

type mkdirIn struct {
	Path   string `json:"path"`
	DryRun bool   `json:"dry_run"`
}

func mkdir(ctx context.Context, c *tools.Call, in mkdirIn) (*tools.Result, error) {
	p, err := resolve(c, "path", in.Path)
	if err != nil {
		return nil, err
	}
	d := struct {
		where
		Created bool `json:"created"`
		DryRun  bool `json:"dry_run,omitempty"`
	}{where: at(in.Path, p), DryRun: in.DryRun}
	fi, err := exists(c, p)
	if err != nil && sandbox.KindOf(err) != sandbox.NotDir {
		return nil, fail(c, err, "path")
	}
	if fi != nil && fi.Mode()&fs.ModeSymlink != 0 {
		if fi, _, err = c.Roots.Stat(p); err != nil {
			return nil, fail(c, err, "path")
		}
	}
	switch {
	case fi != nil && fi.IsDir():
		return &tools.Result{Data: d}, nil
	case fi != nil:
		return nil, tools.Errorf(tools.Conflict, "%s exists and is a %s; choose another name",
			sandbox.Printable(in.Path), typeName(fi.Mode())).With(tools.Details{Param: "path", Actual: typeName(fi.Mode())})
	}
	d.Created = true
	if err := meant(c, "path", in.Path, false); err != nil {
		return nil, err
	}
	if why, ok := c.Roots.Protected(p); ok {
		return nil, tools.Errorf(tools.PermissionDenied, "mkdir %s: %s", sandbox.Printable(in.Path), why).
			With(tools.Details{Param: "path"})
	}
	if in.DryRun {
		err = c.Roots.CheckMkdir(p)
	} else {
		err = c.Roots.MkdirAll(p, 0o777)
	}
	if err != nil {
		return nil, fail(c, err, "path")
	}
	return &tools.Result{Data: d}, nil
}

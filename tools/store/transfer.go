package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// Text writes a document as it stands in a state file.
func Text[D any](d D) string {
	it := &Item[D]{V: d}
	it.sync(nil, false)
	return string(it.appendFile(nil))
}

// ExportTo says where an export goes.
type ExportTo struct {
	Path      string // a file in the roots; "" for the payload of the result
	Overwrite bool   // an existing file is replaced
	MaxChars  int    // of the payload
	What      string // what is exported, for people: "3 entries"
}

// Export answers with text, or puts it into a file of the roots. Text is never cut: half of it would be no JSON.
func Export(ctx context.Context, c *tools.Call, text string, to ExportTo) (*tools.Result, error) {
	type exported struct {
		Text string `json:"text"`
		Path string `json:"path,omitempty"`
		Size int    `json:"size,omitempty"`
	}
	if to.Path == "" {
		if n, most := utf8.RuneCountInString(text), tools.Limit(to.MaxChars); n > most {
			return nil, tools.Errorf(tools.TooLarge, "the export of %s has %d characters, more than %d; give path to write it to a file, or a larger max_chars", to.What, n, most).
				With(tools.Details{Param: "path"})
		}
		return &tools.Result{Text: text, Data: exported{Text: "exported " + to.What}}, nil
	}
	p, err := c.Roots.Resolve(to.Path)
	if err != nil {
		return nil, err
	}
	unlock, err := c.Roots.Lock(ctx, p)
	if err != nil {
		return nil, err
	}
	defer unlock()
	w, err := c.Roots.WriteAtomic(ctx, p, strings.NewReader(text), sandbox.WriteOptions{Mode: 0o600, Exclusive: !to.Overwrite, Mkdirs: true})
	if sandbox.KindOf(err) == sandbox.Exists {
		return nil, tools.Errorf(tools.Conflict, "%s exists; give another path, or overwrite:true to replace it", sandbox.Printable(to.Path)).With(tools.Details{Param: "path"})
	}
	if err != nil {
		return nil, err
	}
	return &tools.Result{Data: exported{fmt.Sprintf("exported %s to %s", to.What, sandbox.Printable(w.Path.String())), w.Path.String(), len(text)}}, nil
}

// Import reads JSON from a file of the roots, or from data, which may be JSON text in a string.
func Import(ctx context.Context, c *tools.Call, path string, data json.RawMessage) (json.RawMessage, error) {
	param := "data"
	switch {
	case path != "":
		param = "path"
		p, err := c.Roots.Resolve(path)
		if err != nil {
			return nil, err
		}
		f, err := c.Roots.Open(p)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if f.Path.Warning != "" {
			c.Warn(f.Path.Warning)
		}
		if data, err = io.ReadAll(io.LimitReader(f, MaxBytes+1)); err != nil {
			return nil, err
		}
		if len(data) > MaxBytes {
			return nil, tools.Errorf(tools.TooLarge, "%s has more than %d bytes; import it in parts", sandbox.Printable(path), MaxBytes).With(tools.Details{Param: param})
		}
	case len(data) == 0:
		return nil, tools.Errorf(tools.InvalidParams, "nothing to import: give path, or data").With(tools.Details{Param: param})
	case data[0] == '"':
		data = []byte(textOf(data))
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !json.Valid(data) || data[0] != '[' && data[0] != '{' {
		return nil, tools.Errorf(tools.InvalidParams, "%s holds no JSON object or list; nothing was imported", param).With(tools.Details{Param: param})
	}
	return data, nil
}

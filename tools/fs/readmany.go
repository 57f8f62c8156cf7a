package fs

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// readMany reads several files into one payload, each under a line with its name.
func readMany(ctx context.Context, c *tools.Call, in readIn) (*tools.Result, error) {
	if len(in.Paths) > maxFiles {
		return nil, tools.Errorf(tools.InvalidParams, "paths has %d files; give at most %d in one call", len(in.Paths), maxFiles).
			With(tools.Details{Param: "paths"})
	}
	w, err := in.window()
	if err != nil {
		return nil, err
	}
	type item struct {
		*readData
		Given string       `json:"path"`
		Error *tools.Error `json:"error,omitempty"`
	}
	r := reader{c: c, in: in, w: w, chars: tools.Limit(in.MaxChars), several: true}
	var (
		b         strings.Builder
		items     []item
		first     error
		failed    int
		truncated bool
	)
	for _, given := range in.Paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.chars <= 0 {
			break
		}
		one := item{Given: given}
		res, err := r.file(ctx, given)
		if err == nil && res.Image != nil {
			err = tools.Errorf(tools.Binary, "it is an image; read it alone to see it")
		}
		if err != nil {
			if failed++; first == nil {
				first = err
			}
			one.Error = brief(err)
		} else {
			truncated = truncated || res.Truncated
			one.readData = res.Data.(*readData)
			head := "==> " + sandbox.Printable(given) + " <==\n"
			r.chars -= len(head)
			b.WriteString(head + res.Text)
			if !strings.HasSuffix(res.Text, "\n") {
				b.WriteByte('\n')
			}
		}
		items = append(items, one)
		r.chars -= tools.SizeOf(one)
	}
	left := len(in.Paths) - len(items)
	res := &tools.Result{Text: b.String(), Truncated: truncated || left > 0, Data: struct {
		Files  []item `json:"files"`
		Failed int    `json:"failed,omitempty"`
		Left   int    `json:"left,omitempty"` // the last of paths, not read
	}{items, failed, left}}
	if left > 0 {
		c.Warn(fmt.Sprintf("no room was left in the answer for the last %d of %d files, from %s on; read them in another call", left, len(in.Paths), sandbox.Printable(in.Paths[len(items)])))
	}
	if failed == len(items) {
		return res, first
	}
	if failed > 0 {
		c.Warn(strconv.Itoa(failed) + " of " + strconv.Itoa(len(in.Paths)) + " files could not be read; see data.files")
	}
	return res, nil
}

// brief is an error beside the name of its file.
func brief(err error) *tools.Error {
	e := *tools.AsError(err)
	if e.Details != nil {
		e.Details = &tools.Details{Nearest: e.Details.Nearest, Suggestion: e.Details.Suggestion}
	}
	return &e
}

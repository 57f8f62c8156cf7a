package code

import (
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/diff"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

// This file alone uses the packages of the fs tool.

// decode gives s its text.
func (s *source) decode(c *tools.Call) error {
	if s.plain = utf8.Valid(s.bytes); s.plain {
		return nil
	}
	decoded, f, err := text.Decode(s.bytes)
	if err != nil {
		return tools.Errorf(tools.Binary, "%s is binary, no source", sandbox.Printable(s.path.Given)).With(tools.Details{Param: "path"})
	}
	s.text = []byte(decoded)
	if f.Encoding != text.UTF8 {
		c.Warn(sandbox.Printable(s.path.Given) + " is " + f.Encoding + ", shown as UTF-8")
	} else {
		c.Warn(sandbox.Printable(s.path.Given) + " has bytes that are no UTF-8, shown as U+FFFD")
	}
	return nil
}

// valid gives s with every byte that is no UTF-8 replaced by U+FFFD.
func valid(s string) string { return text.Valid(s) }

// unified gives the diff of one file; the name of one in a further root is an absolute path.
func unified(name, old, fresh string) string {
	name = strings.TrimPrefix(name, "/")
	return text.Valid(diff.Unified("a/"+name, "b/"+name, old, fresh))
}

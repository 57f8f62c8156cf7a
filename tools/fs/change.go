package fs

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/diff"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

// changeData describes a file that was written.
type changeData struct {
	where
	Hash         string `json:"hash"`
	PreviousHash string `json:"previous_hash,omitempty"`
	Size         int    `json:"size"`
	Created      bool   `json:"created,omitempty"`
	Replacements int    `json:"replacements,omitempty"`
	Encoding     string `json:"encoding,omitempty"` // when it is not UTF-8
	Unchanged    bool   `json:"unchanged,omitempty"`
	DryRun       bool   `json:"dry_run,omitempty"`
}

// put replaces a loaded file, or makes p when old is nil, and gives where it stands.
func put(ctx context.Context, c *tools.Call, p sandbox.Path, old *loaded, b []byte, o sandbox.WriteOptions) (sandbox.Path, error) {
	if old != nil {
		o.Check = old.unchanged
	}
	w, err := c.Roots.WriteAtomic(ctx, p, bytes.NewReader(b), o)
	return w.Path, err
}

// writable tells before a dry run, or before work is done, what a write would say.
func writable(c *tools.Call, p sandbox.Path, old *loaded) error {
	if why, ok := c.Roots.Protected(p); ok {
		return tools.Errorf(tools.PermissionDenied, "write %s: %s", sandbox.Printable(p.Given), why).
			With(tools.Details{Param: "path"})
	}
	if old != nil && old.info.Mode().Perm()&0o222 == 0 {
		return fail(c, &sandbox.PathError{Op: "write", Path: p.Given, Kind: sandbox.ReadOnly}, "path")
	}
	return nil
}

// rehearse tells in a dry run what the write itself would refuse.
func rehearse(c *tools.Call, dryRun bool, p sandbox.Path, mkdirs bool, param string) error {
	if !dryRun {
		return nil
	}
	return fail(c, c.Roots.CheckWrite(p, mkdirs), param)
}

// keepsMarks refuses new text that would put the mark of a hidden secret where the file has something else: it is what
// an answer showed, not what the file holds.
func keepsMarks(param, old, fresh string) error {
	if !tools.HasMark(fresh) {
		return nil
	}
	for _, ch := range diff.Changes(old, fresh) {
		marks := 0
		for _, l := range ch.New {
			if tools.HasMark(l) {
				marks++
			}
		}
		for _, l := range ch.Old {
			if tools.HasMark(l) {
				marks--
			}
		}
		if marks > 0 {
			return tools.Errorf(tools.Conflict, "line %d of the new text holds the mark that stands for a secret in answers, but the file holds something else there; "+
				"leave that line out of the edit", ch.NewAt+1).With(tools.Details{Param: param})
		}
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// bringsCharacters reports whether changed lines hold characters beyond ASCII that the lines in their place did not.
func bringsCharacters(old, fresh string) bool {
	for _, ch := range diff.Changes(old, fresh) {
		was := strings.Join(ch.Old, "\n")
		for _, l := range ch.New {
			if !ascii(l) && strings.ContainsFunc(l, func(r rune) bool { return r >= utf8.RuneSelf && !strings.ContainsRune(was, r) }) {
				return true
			}
		}
	}
	return false
}

// doubtful refuses to write characters beyond ASCII by a guess.
func doubtful(f text.Format, param string) error {
	return tools.Errorf(tools.Conflict, "the encoding of the file is a guess (%s), too weak to write characters beyond ASCII by; nothing was written. Give encoding: that of the file",
		f.Encoding).With(tools.Details{Param: param, Actual: f.Encoding, Suggestion: "encoding",
		Available: []string{text.UTF8, text.Windows1252, "windows-1251", "iso-8859-2", text.GBK, "big5", text.ShiftJIS, "euc-kr"}})
}

func unknownEncoding(name string) error {
	return tools.Errorf(tools.InvalidParams, "encoding %q is not known; use utf8, base64, or a name such as windows-1252, gbk, shift_jis, utf-16le", name).
		With(tools.Details{Param: "encoding", Actual: name, Available: []string{"utf8", "base64", "utf-16le", "utf-16be", "windows-1252", "gbk", "shift_jis"}})
}

// showDiff gives the payload for a change of text, cut to what the caller takes.
func showDiff(c *tools.Call, name string, old, fresh *string, maxChars int) (string, bool) {
	return capDiff(c, unified(name, old, fresh), maxChars)
}

// unified gives the diff of one file; nil for text that is not there.
func unified(name string, old, fresh *string) string {
	oldName, newName, a, b := "a/"+name, "b/"+name, "", ""
	if old == nil {
		oldName = "/dev/null"
	} else {
		a = *old
	}
	if fresh == nil {
		newName = "/dev/null"
	} else {
		b = *fresh
	}
	return text.Valid(diff.Unified(oldName, newName, a, b))
}

func capDiff(c *tools.Call, d string, maxChars int) (string, bool) {
	head, cut := tools.Head(d, tools.Limit(maxChars))
	if cut {
		c.Warn("the diff has " + strconv.Itoa(len(d)) + " bytes and is cut; give max_chars for more of it, or read the file")
	}
	return head, cut
}

// exists looks for a file by exactly its name.
func exists(c *tools.Call, p sandbox.Path) (os.FileInfo, error) {
	fi, err := c.Roots.Lstat(p)
	if notFound(err) {
		return nil, nil
	}
	return fi, err
}

// sameEnding warns when a whole file is written with other line endings than it had.
func sameEnding(c *tools.Call, old, fresh string) {
	if was := text.Ending(old); was == "crlf" && text.Ending(fresh) == "lf" {
		c.Warn("the file had CRLF line endings and was written with LF, as given")
	} else if was == "lf" && strings.Contains(fresh, "\r\n") {
		c.Warn("the file had LF line endings and was written with CRLF, as given")
	}
}

// Package patch reads patches of several files and applies them to texts.
//
// Its room: the two grammars that models write, the one between "*** Begin Patch" and "*** End Patch"
// (envelope.go) and unified diffs as git and diff give them (unified.go), and the placing of their hunks in a text
// (apply.go). Hunks are taken in order; their context must stand in the text exactly, but for blanks at line ends,
// and in one place only, unless an @@ line or a true line number says which.
//
// It is pure: it opens no file and trusts no name in a patch. Which files there are, where they may lie, and that
// all or none are changed is the business of the caller.
package patch

import (
	"fmt"
	"io/fs"
	"strings"
)

// Op is what a patch does with a file.
type Op string

// A rename is an Update with To set, with or without hunks.
const (
	Add    Op = "add"
	Update Op = "update"
	Delete Op = "delete"
	Copy   Op = "copy" // Path stays, To is made
)

// File is what a patch says of one file.
type File struct {
	Op      Op
	Path    string
	To      string      // of Update and Copy: the new name, "" when it stays
	Content string      // of Add
	Mode    fs.FileMode // permission bits that the patch gives the file; 0: not said
	Hunks   []Hunk
	Line    int // where in the patch it begins, 1-based
}

// Hunk is a run of lines that changes, with lines around it.
type Hunk struct {
	Anchors []string // lines that come before it, outermost first
	Lines   []Line
	At      int  // line of the old file that it says it begins at, 1-based; 0: not said
	AtEnd   bool // its last line is the last of the file
	Number  int  // of a diff -U0: lines follow line At
	AtStart bool // of a diff -U0: lines come before all others
	Short   bool // the patch ends before the hunk has the lines that its header says

	oldNoEnd, newNoEnd bool // the old or new text has no final newline, says the diff
	Line               int  // where in the patch it begins
}

// Line is one line of a hunk, without its ending. Op is ' ', '-' or '+'.
type Line struct {
	Op   byte
	Text string
}

// SyntaxError is the error of Parse.
type SyntaxError struct {
	Line   int // of the patch, 1-based
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d of the patch: %s", e.Line, e.Reason)
}

func syntax(line int, format string, args ...any) error {
	return &SyntaxError{line, fmt.Sprintf(format, args...)}
}

const (
	beginMark = "*** Begin Patch"
	endMark   = "*** End Patch"
)

// Looks reports whether text is a patch rather than text to be found in a file: the envelope, or a unified diff
// with its header.
func Looks(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n\ufeff")
	if strings.HasPrefix(text, beginMark) || strings.HasPrefix(text, "diff --git ") {
		return true
	}
	for _, head := range []string{"--- ", "diff "} {
		if strings.HasPrefix(text, head) {
			return strings.Contains(text, "\n+++ ")
		}
	}
	return false
}

// Parse reads a patch in either grammar. path is the file that hunks without a header are for; "" when there is
// none. The error is a *SyntaxError.
func Parse(text, path string) ([]File, error) {
	lines := split(text)
	for i, l := range lines {
		if strings.TrimSpace(l) == beginMark {
			return parseEnvelope(lines, i)
		}
		if strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "diff ") || strings.HasPrefix(l, "@@") {
			break
		}
	}
	return parseUnified(lines, path)
}

// Paths lists every name that a patch holds, for those who judge it by them. A patch that Parse refuses gives what
// Parse might still have read.
func Paths(text, path string) []string {
	files, err := Parse(text, path)
	var list []string
	add := func(name string) {
		if name != "" {
			list = append(list, name)
		}
	}
	for _, f := range files {
		add(f.Path)
		add(f.To)
	}
	if err == nil {
		return list
	}
	for _, l := range split(text) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "--- ", "+++ ", "rename to ", "copy to "} {
			if name, ok := strings.CutPrefix(l, head); ok {
				add(strings.TrimSpace(name))
			}
		}
	}
	return list
}

// split gives the lines of a patch. Where all of them end in CRLF that is how the patch travelled, and no part of
// its text.
func split(text string) []string {
	text = strings.TrimPrefix(text, "\ufeff")
	if n := strings.Count(text, "\r\n"); n > 0 && n == strings.Count(text, "\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// without counts the lines of the hunk that are not of one kind.
func (h *Hunk) without(op byte) (n int) {
	for _, l := range h.Lines {
		if l.Op != op {
			n++
		}
	}
	return n
}

// changes reports whether the hunk adds or removes anything.
func (h *Hunk) changes() bool {
	for _, l := range h.Lines {
		if l.Op != ' ' {
			return true
		}
	}
	return false
}

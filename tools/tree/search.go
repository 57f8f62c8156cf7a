package tree

import (
	"context"
	"os"
)

// Query says what to search for and how much to give back.
type Query struct {
	Pattern    string // RE2 syntax; with Literal plain text
	Literal    bool
	IgnoreCase bool
	Word       bool // no word character on either side of a match
	Multiline  bool // a match may span lines; set by itself when Pattern contains a line break

	Context    int    // lines shown before and after a hit, at most 50
	MaxResults int    // hits over all files; 0: 50
	FilesOnly  bool   // one hit a file, the first
	Cursor     string // Result.Cursor of the page before, for the same query

	MaxFileSize int64 // larger files are skipped; 0: 256 MiB
	Options           // Types and Git apply to the walk as said there
}

// Hit is a line (Multiline: lines) with a match.
type Hit struct {
	Path   string
	Line   int // 1-based
	Column int // of the first match, 1-based, in characters
	Text   string
	Cut    bool     // Text is a part of a long line around the match
	Before []string // lines in front that no earlier hit of the page shows
	After  []string // lines behind, up to the next hit
}

// Result is one page of hits, by path and line.
type Result struct {
	Hits      []Hit
	Total     int    // hits over all files and pages (FilesOnly: files)
	Files     int    // files with a hit
	Searched  int    // text files looked at
	Binary    int    // binary files left out
	Lossy     bool   // some Text had bytes that are no UTF-8, shown as U+FFFD
	Truncated bool   // there are hits after these, or the walk is incomplete
	Cursor    string // for the next page, when there is one
	Stats     Stats  // what was walked, and what was skipped
}

// Search looks for a pattern in the text files below the folder dir of root, or in
// the one file dir. The answer is the same whatever the number of workers. An
// invalid pattern gives an error that wraps ErrPattern. When ctx ends, the hits so
// far come with its error.
func Search(ctx context.Context, root *os.Root, dir string, q Query) (Result, error) {
	return Result{}, nil
}

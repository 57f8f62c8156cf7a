// Package tree walks a folder under git's ignore rules and searches its text.
//
// It is the one engine behind listing, finding and searching files. It starts
// from an opened *os.Root and a folder inside it and never leaves that root:
// on Linux each folder is opened from its parent's descriptor without following
// links, elsewhere through os.Root. Links are reported and never followed,
// FIFOs, devices and sockets are never opened, and an excluded folder is not
// opened at all. What cannot be read is reported as skipped, so that a missing
// hit is never silent. It writes nothing and runs no program.
//
// Everything is bounded: workers, open folders, depth, entries, hits, the length
// of a shown line, ignore files, and the memory a file may take.
package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Limits that a caller cannot raise.
const (
	maxDepth        = 256     // folders below the start; each may hold a descriptor
	maxWorkers      = 8       // more gain nothing measurable and hold more memory
	maxEntries      = 2 << 20 // default of Options.MaxEntries
	maxSkips        = 100     // of Stats.Skipped; the number is always complete
	maxIgnoreBytes  = 1 << 20 // of one ignore file
	maxIgnoreRules  = 10_000  // in force at once
	maxPatternBytes = 4096    // of one ignore pattern or glob
	maxLinks        = 40      // followed on the way to the start folder
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrPattern is wrapped by an invalid search pattern, with the reason.
	ErrPattern = errors.New("invalid pattern")
	// ErrGlob is wrapped by an invalid glob, with the reason.
	ErrGlob = errors.New("invalid glob")
	// ErrCursor is returned for a cursor that this package did not make.
	ErrCursor = errors.New("invalid cursor: pass the cursor of the previous page, or none")
	// ErrNotRegular is returned when a folder, link, FIFO, device or socket is opened as a file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is returned by Entry.Read for a file above the limit.
	ErrTooLarge = errors.New("file too large")
)

// Type is a set of entry types.
type Type uint8

// The types of an entry. In Options they can be combined.
const (
	File Type = 1 << iota
	Dir
	Link  // symbolic link, never followed
	Other // FIFO, device, socket: never opened
)

// Options says what a walk visits. The zero value is what tools want: everything
// that git would not ignore, hidden files included, without .git.
type Options struct {
	NoIgnore   bool     // visit what ignore rules exclude (.git stays out)
	Git        bool     // visit entries called .git too
	SkipHidden bool     // leave out names that begin with a dot
	OwnOnly    bool     // leave out folders of what others wrote or a build made, such as node_modules
	Excludes   []byte   // text of the user's core.excludesFile; weakest rules of each repository
	Depth      int      // 1: the folder's own entries; 0: no limit but the package's
	Globs      []string // see Globs; empty: all
	Types      Type     // which types are visited; 0: all. Folders are entered whatever this says
	MaxEntries int      // entries looked at before the walk stops; 0: 2,097,152
	Workers    int      // 0: GOMAXPROCS, at most 8
}

// Info is what a walk knows about an entry after asking the file system.
type Info struct {
	Size    int64
	ModTime time.Time
	Changed time.Time // of the entry itself (ctime): also when a file of the same times took its place; zero where the system does not say
	Mode    fs.FileMode
}

// Entry is one thing found by a walk. It is valid during the visit only.
type Entry struct {
	Name   string
	Type   Type // exactly one
	Depth  int  // 1 for the start folder's own entries
	Worker int  // 0 … workers-1; visits with the same number never overlap

	node *node
	path string
}

// Path is the entry's name relative to the root, with slashes.
func (e *Entry) Path() string {
	if e.path == "" {
		e.path = join(e.node.rel, e.Name)
	}
	return e.path
}

// Info asks the file system about the entry itself (a link is not followed).
func (e *Entry) Info() (Info, error) { return e.node.dir.lstat(e.Name) }

// Open opens a regular file. The caller closes it; it stays valid after the visit.
func (e *Entry) Open() (*os.File, error) {
	f, err := e.node.dir.openFile(e.Name)
	if err != nil {
		return nil, err
	}
	return f.file(e.Path()), nil
}

// Read reads a regular file of at most limit bytes into buf, growing it where
// needed, and returns the bytes read. A larger file gives ErrTooLarge.
func (e *Entry) Read(buf []byte, limit int64) ([]byte, error) {
	f, err := e.node.dir.openFile(e.Name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, buf, limit)
}

// Readlink gives the text of a symbolic link.
func (e *Entry) Readlink() (string, error) { return e.node.dir.readlink(e.Name) }

// Skip is something that was not visited or not searched, and why.
type Skip struct {
	Path   string
	Reason string
}

// Stats tells how a walk went.
type Stats struct {
	Entries      int    // entries looked at, after ignore rules
	Ignored      int    // entries that ignore rules excluded (an excluded folder counts once)
	StartIgnored bool   // the start folder itself is excluded, by those above it or by its own rules, which were not applied
	Truncated    bool   // MaxEntries was reached: the walk is incomplete
	Skipped      []Skip // by path, the first 100
	SkippedTotal int
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// ComparePaths orders slash-separated paths so that a folder is followed at once
// by what it holds. List and Search give their results in this order.
func ComparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x == '/' {
			return -1
		}
		if y == '/' {
			return 1
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

func globError(pattern, reason string) error {
	return fmt.Errorf("%w %q: %s", ErrGlob, pattern, reason)
}

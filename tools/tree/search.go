package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
	Guessed   int    // files with a hit of which the encoding is a guess
	Lossy     bool   // some Text had bytes that are no UTF-8, shown as U+FFFD
	Truncated bool   // there are hits after these, or the walk is incomplete
	Cursor    string // for the next page, when there is one
	Stats     Stats  // what was walked, and what was skipped
}

const (
	defaultResults  = 50
	maxResults      = 10_000
	maxContext      = 50
	defaultFileSize = 256 << 20
)

// Search looks for a pattern in the text files below the folder dir of root, or in
// the one file dir (whatever the rules say of it). The answer is the same whatever
// the number of workers. An invalid pattern gives an error that wraps ErrPattern.
// When ctx ends, the hits so far come with its error.
//
// A file with a NUL in its first 64 KiB is binary and left out, but for UTF-16
// with a byte order mark. Others are searched as bytes, but see legacy.go.
func Search(ctx context.Context, root *os.Root, dir string, q Query) (Result, error) {
	return search(ctx, root, dir, q, openTop)
}

func search(ctx context.Context, root *os.Root, dir string, q Query, open opener) (Result, error) {
	if q.MaxResults <= 0 {
		q.MaxResults = defaultResults
	}
	if q.MaxFileSize <= 0 {
		q.MaxFileSize = defaultFileSize
	}
	q.MaxResults = min(q.MaxResults, maxResults)
	q.Context = max(0, min(q.Context, maxContext))
	q.Types = File
	m, err := Compile(q)
	if err != nil {
		return Result{}, err
	}
	out, err := newCollector(q.MaxResults, q.Cursor)
	if err != nil {
		return Result{}, err
	}
	run := &run{matcher: m, q: &q, out: out}
	w, start, err := newWalker(ctx, root, dir, q.Options, open, run.visit)
	if errors.Is(err, errNotDir) {
		return run.one(ctx, root, dir, open)
	}
	if err != nil {
		return Result{}, err
	}
	defer w.unhook()
	run.walker = w
	run.searchers = make([]*searcher, w.workers())
	w.run(start)
	res := out.result()
	res.Stats = w.stats()
	err = w.failure()
	res.Truncated = res.Truncated || res.Stats.Truncated || err != nil
	return res, err
}

// run is one search.
type run struct {
	matcher   *Matcher
	q         *Query
	out       *collector
	walker    *walker
	searchers []*searcher // by worker, made when it meets its first file
	whole     sync.Mutex
}

func (r *run) searcher(stop *atomic.Bool) *searcher {
	return &searcher{scanner: newScanner(r.matcher, stop), q: r.q, out: r.out, whole: &r.whole, buf: make([]byte, window), beyond: asksBeyond(r.q)}
}

func (r *run) visit(e *Entry) error {
	s := r.searchers[e.Worker]
	if s == nil {
		s = r.searcher(&r.walker.stop)
		r.searchers[e.Worker] = s
	}
	f, err := e.node.dir.openFile(e.Name)
	if err == nil {
		err = s.search(f, e.Path())
		f.Close()
	}
	r.note(&r.walker.skips, e.Path(), err)
	return nil
}

func (r *run) note(s *skips, path string, err error) {
	switch {
	case err == nil:
	case errors.Is(err, errBinary):
		r.out.binary()
	default:
		s.addError(path, err)
	}
}

// one searches a single file.
func (r *run) one(ctx context.Context, root *os.Root, name string, open opener) (Result, error) {
	d, path, err := openParent(root, name, open)
	if err != nil {
		return Result{}, err
	}
	defer d.close()
	f, err := d.openFile(base(path))
	if err != nil {
		return Result{}, &fs.PathError{Op: "search", Path: name, Err: err}
	}
	defer f.Close()
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	var lost skips
	r.note(&lost, path, r.searcher(&stop).search(f, path))
	res := r.out.result()
	lost.mergeInto(&res.Stats)
	res.Stats.Entries = 1
	err = ctx.Err()
	res.Truncated = res.Truncated || err != nil
	return res, err
}

// openParent opens the folder of a file that may be reached through links inside
// the root, and gives the file's real path.
func openParent(root *os.Root, name string, open opener) (folder, string, error) {
	sc := &scoper{root: root}
	name = path.Clean(filepath.ToSlash(name))
	for range maxLinks {
		p, err := sc.descend(open, path.Dir(name), true)
		if err != nil {
			return nil, "", err
		}
		real := join(p.rel, base(name))
		target, err := p.dir.readlink(base(name))
		if err != nil {
			return p.dir, real, nil
		}
		p.dir.close()
		name = path.Join(p.rel, filepath.ToSlash(target))
		if path.IsAbs(target) || filepath.IsAbs(target) || !filepath.IsLocal(filepath.FromSlash(name)) {
			break
		}
	}
	return nil, "", &fs.PathError{Op: "search", Path: name, Err: errLinkOut}
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

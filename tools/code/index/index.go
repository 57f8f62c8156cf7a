// Package index keeps the symbols of the source files below a root in memory.
//
// Its room: walking a folder under git's ignore rules, parsing what is new or changed (by modification time and
// size) in parallel, and remembering what was parsed, within a bound of memory. Nothing is read twice while it is
// unchanged. A search for a name parses only the files that hold it; Fill parses the rest afterwards, in the
// background, so that later searches read nothing.
//
// It never leaves the *os.Root that it is given, follows no link, and opens nothing but regular files. Files that are
// too large or that no person wrote (minified) are left out and named. It writes nothing and keeps no lock while it
// parses, so that no call waits for another.
package index

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/text"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// Limits.
const (
	MaxFile    = 1 << 20   // bytes of a file that is parsed
	maxMemory  = 200 << 20 // of all symbols kept, estimated
	maxEntries = 300_000   // entries of a walk
	maxSkipped = 20        // that are named
	parseTime  = 4 * time.Second
)

// Index holds symbols by root. Its methods may be called from any goroutine.
type Index struct {
	stop <-chan struct{}

	mu     sync.Mutex
	roots  map[string]*root
	memory atomic.Int64
}

// New makes an index. Work in the background ends when stop is closed.
func New(stop <-chan struct{}) *Index {
	return &Index{stop: stop, roots: map[string]*root{}}
}

// root is what is known below one *os.Root.
type root struct {
	mu    sync.RWMutex
	files map[string]*entry
	walk  atomic.Int64    // number of the last walk
	fills map[string]bool // folders that are being filled, or are full
}

type entry struct {
	mod     time.Time
	changed time.Time
	size    int64
	file    *syntax.File // nil when it was left out
	skip    string       // why
	cost    int64
	seen    atomic.Int64 // number of the last walk that had begun when one met it
}

// Options narrow a walk.
type Options struct {
	Globs    []string // as tree.Options has them
	Excludes []byte   // the user's own ignore rules
	// Needs, when set, is a text that a file must hold, whatever the case, to be worth parsing. Files that are known
	// already are visited all the same.
	Needs string
	// Worth, when set, is asked of each file before it is visited; what it refuses counts as visited.
	Worth func(f *syntax.File) bool
	Data  bool // visit files that hold data and markup too
	// Unparsed, when set, is told of files in languages that this build cannot parse, and which are not said to be
	// left out then.
	Unparsed func(name string)
	Workers  int // 0: as many as there are processors
}

// Stats tells how a walk went.
type Stats struct {
	Files     int      // visited
	Parsed    int      // of these, for this walk
	Passed    int      // not parsed, since they do not hold Needs
	Data      int      // of data and markup, which were not asked for
	Skipped   []string // "path: reason", the first of them by name
	SkippedN  int
	Truncated bool // there were more entries than a walk looks at
}

func (x *Index) root(r *os.Root) *root {
	x.mu.Lock()
	defer x.mu.Unlock()
	one := x.roots[r.Name()]
	if one == nil {
		one = &root{files: map[string]*entry{}, fills: map[string]bool{}}
		x.roots[r.Name()] = one
	}
	return one
}

// Each visits the source files below the folder dir of r with their symbols, in no order and from several goroutines
// at once. Paths are relative to r. The error is the context's, or that of opening dir.
func (x *Index) Each(ctx context.Context, r *os.Root, dir string, o Options, visit func(name string, f *syntax.File)) (Stats, error) {
	known := x.root(r)
	number := known.walk.Add(1)
	w := &walk{index: x, root: known, o: o, needs: newFolded(o.Needs), visit: visit, buffers: make([][]byte, 64)}
	stats, err := tree.Walk(ctx, r, dir, tree.Options{Globs: o.Globs, Excludes: o.Excludes, Types: tree.File, MaxEntries: maxEntries, Workers: o.Workers},
		func(e *tree.Entry) error { return w.file(ctx, e) })
	w.stats.Truncated, w.stats.Files, w.stats.Data = stats.Truncated, int(w.files.Load()), int(w.data.Load())
	if err != nil {
		return w.stats, err
	}
	if !stats.Truncated && len(o.Globs) == 0 {
		x.forget(known, dir, number)
	}
	return w.stats, nil
}

// forget drops the files below a folder that a whole walk of it has not met.
func (x *Index) forget(r *root, dir string, number int64) {
	prefix := path.Clean(dir) + "/"
	if prefix == "./" {
		prefix = ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, e := range r.files {
		if e.seen.Load() < number && strings.HasPrefix(name, prefix) {
			delete(r.files, name)
			x.memory.Add(-e.cost)
		}
	}
}

// Fill parses in the background what Each has passed over below a folder. It returns at once; a second call for the
// same folder does nothing.
func (x *Index) Fill(r *os.Root, dir string, o Options) {
	if x.memory.Load() > maxMemory*9/10 {
		return // what does not fit would be parsed again and again
	}
	known := x.root(r)
	known.mu.Lock()
	busy := known.fills[dir]
	known.fills[dir] = true
	known.mu.Unlock()
	if busy {
		return
	}
	o.Needs, o.Workers, o.Globs, o.Unparsed, o.Worth = "", 1, nil, func(string) {}, nil
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		go func() {
			select {
			case <-x.stop:
				cancel()
			case <-ctx.Done():
			}
		}()
		_, _ = x.Each(ctx, r, dir, o, func(string, *syntax.File) {})
		known.mu.Lock()
		delete(known.fills, dir)
		known.mu.Unlock()
	}()
}

// walk is one run of Each.
type walk struct {
	index   *Index
	root    *root
	o       Options
	needs   folded
	visit   func(string, *syntax.File)
	buffers [][]byte // by worker
	files   atomic.Int64
	data    atomic.Int64

	mu    sync.Mutex
	stats Stats
}

func (w *walk) skip(name, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.SkippedN++
	said := name + ": " + reason
	if i, _ := slices.BinarySearch(w.stats.Skipped, said); i < maxSkipped { // in order: files are read at the same time
		w.stats.Skipped = slices.Insert(w.stats.Skipped, i, said)
		w.stats.Skipped = w.stats.Skipped[:min(len(w.stats.Skipped), maxSkipped)]
	}
}

func (w *walk) file(ctx context.Context, e *tree.Entry) error {
	lang := syntax.Detect(e.Name, nil)
	if lang == nil && strings.Contains(e.Name, ".") {
		return nil
	}
	if lang != nil && lang.Data && !w.o.Data {
		w.data.Add(1)
		return nil
	}
	info, err := e.Info()
	if err != nil || !info.Mode.IsRegular() || lang == nil && (info.Mode&0o111 == 0 || info.Size > MaxFile) {
		return nil
	}
	name := e.Path()
	w.root.mu.RLock()
	old := w.root.files[name]
	w.root.mu.RUnlock()
	if old != nil && old.size == info.Size && old.mod.Equal(info.ModTime) && old.changed.Equal(info.Changed) {
		old.seen.Store(w.root.walk.Load())
		w.give(name, old)
		return nil
	}
	fresh := &entry{mod: info.ModTime, changed: info.Changed, size: info.Size}
	switch {
	case info.Size > MaxFile:
		fresh.skip = "larger than 1 MiB"
	case minifiedName(e.Name):
		fresh.skip = "minified"
	default:
		passed, err := w.parse(ctx, e, lang, fresh)
		if err != nil {
			return err
		}
		if passed {
			w.mu.Lock()
			w.stats.Passed++
			w.mu.Unlock()
			return nil
		}
	}
	w.keep(name, fresh)
	w.give(name, fresh)
	return nil
}

// parse reads a file and fills its entry. passed reports that it was not worth it.
func (w *walk) parse(ctx context.Context, e *tree.Entry, lang *syntax.Language, fresh *entry) (passed bool, err error) {
	buf, err := e.Read(w.buffers[e.Worker%len(w.buffers)][:0], MaxFile)
	switch {
	case errors.Is(err, tree.ErrTooLarge):
		fresh.skip = "larger than 1 MiB"
		return false, nil
	case err != nil:
		fresh.skip = cause(err)
		return false, nil
	}
	w.buffers[e.Worker%len(w.buffers)] = buf
	if lang == nil && syntax.Detect(e.Name, buf[:min(len(buf), 64<<10)]) == nil {
		return false, nil // a program that is no script: no source, whatever it holds
	}
	if w.needs.text != "" && !w.needs.in(buf) && (w.needs.ascii() && !wide(buf) || utf8.Valid(buf)) { // names in other encodings have other bytes
		return true, nil
	}
	if !utf8.Valid(buf) {
		if s, _, err := text.Decode(buf); err == nil {
			buf = []byte(s)
		}
	}
	lang = syntax.Detect(e.Name, buf[:min(len(buf), 64<<10)])
	switch {
	case lang == nil:
		return false, nil
	case bytes.IndexByte(buf[:min(len(buf), 8<<10)], 0) >= 0:
		fresh.skip = "binary"
		return false, nil
	case Minified(buf):
		fresh.skip = "minified"
		return false, nil
	}
	short, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	f, err := syntax.Analyze(short, lang, buf)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if short.Err() != nil {
			fresh.skip = "takes too long to parse"
			return false, nil
		}
		if errors.Is(err, syntax.ErrUnsupported) && w.o.Unparsed != nil {
			w.o.Unparsed(e.Path())
			return true, nil
		}
		fresh.skip = cause(err)
		return false, nil
	}
	fresh.file = f
	w.mu.Lock()
	w.stats.Parsed++
	w.mu.Unlock()
	return false, nil
}

// wide reports whether a file says that it is UTF-16.
func wide(b []byte) bool {
	return len(b) > 1 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
}

// keep remembers an entry, if there is room.
func (w *walk) keep(name string, e *entry) {
	e.seen.Store(w.root.walk.Load())
	e.cost = 200 + int64(len(name))
	if e.file != nil {
		for i := range e.file.Symbols {
			s := &e.file.Symbols[i]
			e.cost += 168 + int64(len(s.Path)+len(s.Signature))
		}
		for i := range e.file.Passed {
			e.cost += 168 + int64(len(e.file.Passed[i].Name)+len(e.file.Passed[i].Signature))
		}
	}
	w.root.mu.Lock()
	defer w.root.mu.Unlock()
	if old := w.root.files[name]; old != nil {
		w.index.memory.Add(-old.cost)
		delete(w.root.files, name)
	}
	if w.index.memory.Load()+e.cost > maxMemory {
		return
	}
	w.index.memory.Add(e.cost)
	w.root.files[name] = e
}

func (w *walk) give(name string, e *entry) {
	if e.file == nil {
		if e.skip != "" {
			w.skip(name, e.skip)
		}
		return
	}
	w.files.Add(1)
	if w.o.Worth == nil || w.o.Worth(e.file) {
		w.visit(name, e.file)
	}
}

func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

func minifiedName(name string) bool {
	return strings.HasSuffix(name, ".min.js") || strings.HasSuffix(name, ".min.mjs") || strings.HasSuffix(name, ".min.css")
}

// Minified reports whether nobody wrote this text by hand: it is long, and so are its lines.
func Minified(src []byte) bool {
	return len(src) > 50<<10 && bytes.Count(src, []byte{'\n'}) < len(src)/1000
}

// File gives what is known of one file, nil when that is nothing or the file may have changed since.
func (x *Index) File(r *os.Root, name string) *syntax.File {
	known := x.root(r)
	known.mu.RLock()
	e := known.files[name]
	known.mu.RUnlock()
	if e == nil {
		return nil
	}
	fi, err := r.Lstat(name)
	if err != nil || fi.Size() != e.size || !fi.ModTime().Equal(e.mod) {
		return nil
	}
	return e.file
}

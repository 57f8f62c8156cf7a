package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// batch is how many files of a folder one worker takes at a time, so that a
// single huge folder is shared out.
const batch = 64

// node is an opened folder of a walk. It is closed when its last user is done.
type node struct {
	dir   folder
	rel   string // path from the root, "" for the root itself
	depth int    // 0 for the start
	scope *level // in force for its entries
	refs  atomic.Int32
}

func (n *node) release() {
	if n.refs.Add(-1) == 0 {
		n.dir.close()
	}
}

// job is a folder to open (name in parent) or files to visit (in parent).
type job struct {
	parent *node
	name   string
	files  []dirent
}

// Walk visits what lies below the folder dir of root ("" or "." for the root
// itself), in parallel and in no order. visit may be called by several goroutines
// at once, Entry.Worker tells them apart. It can return fs.SkipDir for a folder
// (not entered; for another entry it means nothing) or fs.SkipAll; any other
// error stops the walk and is returned. dir may be reached through links that
// stay inside the root; Entry.Path is then the real path.
//
// The error is the context's, visit's, ErrGlob's, or that of opening dir; all
// that goes wrong further down is in Stats.
func Walk(ctx context.Context, root *os.Root, dir string, o Options, visit func(*Entry) error) (Stats, error) {
	return walk(ctx, root, dir, o, openTop, visit)
}

func walk(ctx context.Context, root *os.Root, dir string, o Options, open opener, visit func(*Entry) error) (Stats, error) {
	w, start, err := newWalker(ctx, root, dir, o, open, visit)
	if err != nil {
		return Stats{}, err
	}
	defer w.unhook()
	w.run(start)
	return w.stats(), w.failure()
}

func (w *walker) run(start *node) {
	w.stack = []job{{parent: start}}
	w.open = 1
	var group sync.WaitGroup
	for i := range w.workers() {
		group.Go(func() { w.work(i) })
	}
	group.Wait()
}

type walker struct {
	o      Options
	globs  *Globs
	cut    int // length of the start folder's path with its slash
	visit  func(*Entry) error
	scoper *scoper
	unhook func() bool

	stop    atomic.Bool
	entries atomic.Int64
	ignored atomic.Int64
	full    atomic.Bool
	ctx     context.Context
	skips   skips
	start   place

	mu    sync.Mutex
	more  sync.Cond
	stack []job
	open  int // jobs on the stack or in work
	err   error
}

func newWalker(ctx context.Context, root *os.Root, dir string, o Options, open opener, visit func(*Entry) error) (*walker, *node, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	globs, err := CompileGlobs(o.Globs)
	if err != nil {
		return nil, nil, err
	}
	if o.Types == 0 {
		o.Types = File | Dir | Link | Other
	}
	if o.Depth <= 0 || o.Depth > maxDepth {
		o.Depth = maxDepth
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = maxEntries
	}
	w := &walker{o: o, globs: globs, visit: visit, ctx: ctx}
	w.more.L = &w.mu
	w.scoper = newScoper(root, &o, w.skips.addError)
	if w.start, err = w.scoper.descend(open, dir, o.NoIgnore); err != nil {
		return nil, nil, err
	}
	if w.start.rel != "" {
		w.cut = len(w.start.rel) + 1
	}
	start := &node{dir: w.start.dir, rel: w.start.rel, scope: w.start.scope}
	start.refs.Store(1)
	w.unhook = context.AfterFunc(ctx, func() { w.fail(ctx.Err()) })
	return w, start, nil
}

func (w *walker) workers() int {
	n := w.o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, maxWorkers)
}

func (w *walker) stats() Stats {
	w.skips.trim()
	return Stats{
		Entries:      int(w.entries.Load()),
		Ignored:      int(w.ignored.Load()),
		StartIgnored: w.start.ignored,
		Truncated:    w.full.Load(),
		Skipped:      w.skips.list,
		SkippedTotal: w.skips.total,
	}
}

// fail ends the walk; the first reason counts.
func (w *walker) fail(err error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = err
	}
	w.stop.Store(true)
	w.more.Broadcast()
	w.mu.Unlock()
}

func (w *walker) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, fs.SkipAll) {
		return nil
	}
	if w.err == nil { // the hook of the context may run after the last entry
		return w.ctx.Err()
	}
	return w.err
}

// push adds jobs; the last one is taken first, which keeps few folders open.
func (w *walker) push(jobs ...job) {
	if len(jobs) == 0 {
		return
	}
	w.mu.Lock()
	w.stack = append(w.stack, jobs...)
	w.open += len(jobs)
	w.mu.Unlock()
	if len(jobs) > 1 {
		w.more.Broadcast()
	} else {
		w.more.Signal()
	}
}

// next waits for a job. done tells that the last one is finished.
func (w *walker) next(done bool) (job, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if done {
		if w.open--; w.open == 0 {
			w.more.Broadcast()
		}
	}
	for len(w.stack) == 0 && w.open > 0 {
		w.more.Wait()
	}
	if len(w.stack) == 0 {
		return job{}, false
	}
	last := len(w.stack) - 1
	j := w.stack[last]
	w.stack[last] = job{}
	w.stack = w.stack[:last]
	return j, true
}

// worker is the scratch of one goroutine.
type worker struct {
	*walker
	id      int
	dirents []byte
	path    []byte
}

func (w *walker) work(id int) {
	wk := &worker{walker: w, id: id, dirents: make([]byte, 32<<10)}
	for j, ok := w.next(false); ok; j, ok = w.next(true) {
		// After a stop the stack is only emptied, to close what is open.
		switch {
		case w.stop.Load():
			j.parent.release()
		case j.files != nil:
			wk.files(j.parent, j.files)
			j.parent.release()
		case j.name == "":
			wk.folder(j.parent)
			j.parent.release()
		default:
			if n := wk.enter(j.parent, j.name); n != nil {
				wk.folder(n)
				n.release()
			}
		}
	}
}

// enter opens a folder and lets go of its parent.
func (w *worker) enter(parent *node, name string) *node {
	d, err := parent.dir.openDir(name)
	rel := join(parent.rel, name)
	scope, depth := parent.scope, parent.depth+1
	parent.release()
	if err != nil {
		w.skips.addError(rel, err)
		return nil
	}
	n := &node{dir: d, rel: rel, scope: scope, depth: depth}
	n.refs.Store(1)
	return n
}

// folder reads one folder: its folders become jobs, its files are visited.
func (w *worker) folder(n *node) {
	list, err := n.dir.entries(w.dirents, w.o.MaxEntries-int(w.entries.Load()))
	if err != nil {
		w.skips.addError(dotted(n.rel), err)
	}
	list = w.chosen(n, list)
	var jobs []job
	keep := list[:0]
	for _, e := range list {
		if e.typ != Dir {
			keep = append(keep, e)
			continue
		}
		if !w.emit(n, e) {
			continue
		}
		switch {
		case n.depth+1 < w.o.Depth:
			n.refs.Add(1)
			jobs = append(jobs, job{parent: n, name: e.name})
		case w.o.Depth == maxDepth:
			w.skips.add(join(n.rel, e.name), "deeper than the limit of folders in folders")
		}
	}
	for len(keep) > 2*batch {
		cut := len(keep) - batch
		n.refs.Add(1)
		jobs = append(jobs, job{parent: n, files: keep[cut:]})
		keep = keep[:cut]
	}
	w.push(jobs...)
	w.files(n, keep)
}

func dotted(rel string) string {
	if rel == "" {
		return "."
	}
	return rel
}

func (w *worker) files(n *node, list []dirent) {
	for _, e := range list {
		if w.stop.Load() {
			return
		}
		w.emit(n, e)
	}
}

// emit shows an entry to visit when it is chosen, and tells whether a folder may
// be entered.
func (w *worker) emit(n *node, e dirent) bool {
	if e.typ&w.o.Types == 0 {
		return true
	}
	if len(w.globs.include) > 0 || len(w.globs.exclude) > 0 {
		w.path = append(w.path[:0], n.rel...)
		if n.rel != "" {
			w.path = append(w.path, '/')
		}
		w.path = append(w.path, e.name...)
		if !w.globs.match(w.path[w.cut:], e.typ == Dir) {
			return true
		}
	}
	entry := Entry{Name: e.name, Type: e.typ, Depth: n.depth + 1, Worker: w.id, node: n}
	err := w.visit(&entry)
	if err == nil {
		return true
	}
	if !errors.Is(err, fs.SkipDir) {
		w.fail(err)
	}
	return false
}

// trim keeps the first skips by path.
func (s *skips) trim() {
	slices.SortFunc(s.list, func(a, b Skip) int { return ComparePaths(a.Path, b.Path) })
	s.list = s.list[:min(len(s.list), maxSkips)]
}

package tree

import (
	"container/heap"
	"context"
	"encoding/base64"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Order is how a listing is sorted.
type Order int

const (
	ByName Order = iota // each folder followed by what it holds, names by byte
	ByTime              // last changed first, then by name
)

// Page chooses a part of a listing.
type Page struct {
	Order  Order
	Limit  int    // entries at most; 0: 500
	Cursor string // Listing.Cursor of the page before; "": the first
}

const defaultPage = 500

// Found is an entry of a listing.
type Found struct {
	Path  string // from the root
	Type  Type
	Depth int // 1 for the start folder's own
	Info  Info
}

// Listing is one page. Cursor is set when there is more.
type Listing struct {
	Entries []Found
	Cursor  string
	Total   int // all entries chosen, over all pages; -1 when not known (ByName)
	Stats   Stats
}

// List gives a page of what Walk would visit, in a fixed order. A cursor is the
// place after an entry, not a state: pages neither repeat nor lose what stayed in
// the tree, even when the entry itself is gone. By name it holds the names of the
// open folders only and stops at the end of the page.
func List(ctx context.Context, root *os.Root, dir string, o Options, p Page) (Listing, error) {
	if p.Limit <= 0 {
		p.Limit = defaultPage
	}
	if p.Order == ByTime {
		return listByTime(ctx, root, dir, o, p)
	}
	return listByName(ctx, root, dir, o, p)
}

// lister walks in order, with one goroutine.
type lister struct {
	worker
	out   Listing
	limit int
}

func listByName(ctx context.Context, root *os.Root, dir string, o Options, p Page) (Listing, error) {
	after, err := decodeCursor(p.Cursor, 'n', 1)
	if err != nil {
		return Listing{}, err
	}
	l := &lister{limit: p.Limit}
	l.out.Total = -1
	w, start, err := newWalker(ctx, root, dir, o, openTop, l.take)
	if err != nil {
		return Listing{}, err
	}
	defer w.unhook()
	l.worker = worker{walker: w, dirents: make([]byte, 32<<10)}
	var path []string
	if after != nil {
		path = strings.Split(after[0], "/")
	}
	l.folder(start, path)
	start.release()
	l.out.Stats = w.stats()
	return l.out, w.failure()
}

// take is the visit of a listing: one entry beyond the page ends it.
func (l *lister) take(e *Entry) error {
	if len(l.out.Entries) == l.limit {
		l.out.Cursor = encodeCursor('n', l.out.Entries[l.limit-1].Path[l.cut:])
		return fs.SkipAll
	}
	info, err := e.Info()
	if err != nil {
		l.skips.addError(e.Path(), err)
		return fs.SkipDir
	}
	l.out.Entries = append(l.out.Entries, Found{e.Path(), e.Type, e.Depth, info})
	return nil
}

// folder lists n in order, beginning behind the path after.
func (l *lister) folder(n *node, after []string) {
	list, err := n.dir.entries(l.dirents, l.o.MaxEntries)
	if err != nil {
		l.skips.addError(dotted(n.rel), err)
	}
	list = l.chosen(n, list)
	slices.SortFunc(list, func(a, b dirent) int { return strings.Compare(a.name, b.name) })
	for _, e := range list {
		if l.stop.Load() {
			return
		}
		var below []string
		if len(after) > 0 {
			if e.name < after[0] {
				continue
			}
			if e.name == after[0] {
				below = after[1:]
			}
		}
		if below == nil && !l.emit(n, e) || e.typ != Dir || n.depth+1 >= l.o.Depth {
			continue
		}
		n.refs.Add(1)
		if child := l.enter(n, e.name); child != nil {
			l.folder(child, below)
			child.release()
		}
	}
}

func listByTime(ctx context.Context, root *os.Root, dir string, o Options, p Page) (Listing, error) {
	after, err := decodeCursor(p.Cursor, 't', 2)
	if err != nil {
		return Listing{}, err
	}
	var last Found
	var nanos int64
	if after != nil {
		if nanos, err = strconv.ParseInt(after[0], 10, 64); err != nil {
			return Listing{}, ErrCursor
		}
		last.Path = after[1]
	}
	var (
		mu    sync.Mutex
		best  oldest
		out   Listing
		older int
		lost  skips
	)
	out.Stats, err = Walk(ctx, root, dir, o, func(e *Entry) error {
		info, err := e.Info()
		if err != nil {
			lost.addError(e.Path(), err)
			return fs.SkipDir
		}
		mu.Lock()
		defer mu.Unlock()
		out.Total++
		f := Found{Type: e.Type, Depth: e.Depth, Info: info}
		if len(best) == p.Limit && info.ModTime.Before(best[0].Info.ModTime) {
			older++
			return nil
		}
		f.Path = e.Path()
		if t := info.ModTime.UnixNano(); after != nil && (t > nanos || t == nanos && ComparePaths(f.Path, last.Path) <= 0) {
			return nil
		}
		heap.Push(&best, f)
		if len(best) > p.Limit {
			heap.Pop(&best)
			older++
		}
		return nil
	})
	lost.mergeInto(&out.Stats)
	slices.SortFunc(best, newerFirst)
	out.Entries = best
	if older > 0 && len(best) > 0 {
		f := best[len(best)-1]
		out.Cursor = encodeCursor('t', strconv.FormatInt(f.Info.ModTime.UnixNano(), 10), f.Path)
	}
	return out, err
}

func newerFirst(a, b Found) int {
	if c := b.Info.ModTime.Compare(a.Info.ModTime); c != 0 {
		return c
	}
	return ComparePaths(a.Path, b.Path)
}

// oldest is a heap whose first element comes last in the listing.
type oldest []Found

func (h oldest) Len() int           { return len(h) }
func (h oldest) Less(i, j int) bool { return newerFirst(h[i], h[j]) > 0 }
func (h oldest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *oldest) Push(x any)        { *h = append(*h, x.(Found)) }
func (h *oldest) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	*h = (*h)[:last]
	return f
}

// A cursor is its kind and its parts, with NUL between, as base64url.
func encodeCursor(kind byte, parts ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(kind) + strings.Join(parts, "\x00")))
}

func decodeCursor(s string, kind byte, parts int) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) == 0 || b[0] != kind {
		return nil, ErrCursor
	}
	list := strings.Split(string(b[1:]), "\x00")
	if len(list) != parts {
		return nil, ErrCursor
	}
	return list, nil
}

// mergeInto adds skips of a visitor to those of its walk.
func (s *skips) mergeInto(st *Stats) {
	s.list = append(s.list, st.Skipped...)
	s.trim()
	st.Skipped, st.SkippedTotal = s.list, st.SkippedTotal+s.total
}

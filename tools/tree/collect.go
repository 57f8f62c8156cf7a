package tree

import (
	"container/heap"
	"slices"
	"strconv"
	"sync"
)

// collector gathers the hits of all workers and keeps the first of them by path
// and line, so that the page is the same whoever is faster.
type collector struct {
	limit int
	after position // the end of the page before

	mu     sync.Mutex
	kept   lastFirst // files with hits that may be on the page
	hits   int       // in kept
	behind int       // hits after the cursor
	out    Result
}

type position struct {
	path string // "" before everything
	line int
}

type fileHits struct {
	path string
	hits []Hit
}

// want tells how many hits of a file may be on the page, and behind which line.
func (c *collector) want(path string) (n, afterLine int) {
	if c.after.path != "" {
		switch d := ComparePaths(path, c.after.path); {
		case d < 0:
			return 0, 0
		case d == 0:
			afterLine = c.after.line
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hits >= c.limit && ComparePaths(path, c.kept[0].path) > 0 {
		return 0, afterLine
	}
	return c.limit, afterLine
}

// add takes the result of one file: total hits, those behind the cursor, and
// the first of these.
func (c *collector) add(path string, total, behind int, hits []Hit, lossy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Total += total
	c.out.Files++
	if c.after.path == "" || ComparePaths(path, c.after.path) >= 0 {
		c.behind += behind
	}
	if len(hits) == 0 {
		return
	}
	c.out.Lossy = c.out.Lossy || lossy
	heap.Push(&c.kept, fileHits{path, hits})
	c.hits += len(hits)
	for c.hits-len(c.kept[0].hits) >= c.limit {
		c.hits -= len(heap.Pop(&c.kept).(fileHits).hits)
	}
}

func (c *collector) searched() {
	c.mu.Lock()
	c.out.Searched++
	c.mu.Unlock()
}

func (c *collector) guessed() {
	c.mu.Lock()
	c.out.Guessed++
	c.mu.Unlock()
}

func (c *collector) binary() {
	c.mu.Lock()
	c.out.Binary++
	c.mu.Unlock()
}

func (c *collector) result() Result {
	slices.SortFunc(c.kept, func(a, b fileHits) int { return ComparePaths(a.path, b.path) })
	out := c.out
	for _, f := range c.kept {
		out.Hits = append(out.Hits, f.hits...)
	}
	out.Hits = out.Hits[:min(len(out.Hits), c.limit)]
	if n := len(out.Hits); n > 0 && c.behind > n {
		out.Cursor = encodeCursor('s', out.Hits[n-1].Path, strconv.Itoa(out.Hits[n-1].Line))
	}
	out.Truncated = out.Cursor != ""
	return out
}

func newCollector(limit int, cursor string) (*collector, error) {
	c := &collector{limit: limit}
	parts, err := decodeCursor(cursor, 's', 2)
	if err != nil || parts == nil {
		return c, err
	}
	c.after.path = parts[0]
	if c.after.line, err = strconv.Atoi(parts[1]); err != nil || parts[0] == "" {
		return nil, ErrCursor
	}
	return c, nil
}

// lastFirst is a heap whose first element is the last by path.
type lastFirst []fileHits

func (h lastFirst) Len() int           { return len(h) }
func (h lastFirst) Less(i, j int) bool { return ComparePaths(h[i].path, h[j].path) > 0 }
func (h lastFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lastFirst) Push(x any)        { *h = append(*h, x.(fileHits)) }
func (h *lastFirst) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = fileHits{}
	*h = (*h)[:last]
	return f
}

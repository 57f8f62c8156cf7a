package main

import (
	"sync"

	"golang.org/x/sync/semaphore"
)

// lane is a bound for requests that are being answered, and the line of those that wait for their turn.
type lane struct {
	size   int64
	budget *semaphore.Weighted
	queue  *waiting
}

func newLane(size int64) *lane {
	return &lane{size: size, budget: semaphore.NewWeighted(size), queue: newWaiting()}
}

// queued is a request that was read and has not begun.
type queued struct {
	f      *inflight
	lane   *lane
	size   int64
	weight int64
}

// waiting holds the requests that could not begin, in order: at most maxQueued of queuedBytes together. The zero value
// is empty; it grows as it must, since it stands empty almost always.
type waiting struct {
	mu    sync.Mutex
	list  []queued
	bytes int64
	more  chan struct{} // has room for one word that there is something
}

func newWaiting() *waiting { return &waiting{more: make(chan struct{}, 1)} }

// push adds a request at the end and reports whether there was room.
func (w *waiting) push(q queued) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bytes+q.size > queuedBytes || len(w.list) >= maxQueued {
		return false
	}
	w.list = append(w.list, q)
	w.bytes += q.size
	select {
	case w.more <- struct{}{}:
	default:
	}
	return true
}

// pop takes the first request.
func (w *waiting) pop() (queued, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.list) == 0 {
		return queued{}, false
	}
	q := w.list[0]
	w.list[0] = queued{}
	if w.list = w.list[1:]; len(w.list) == 0 {
		w.list = nil
	}
	w.bytes -= q.size
	return q, true
}

func (w *waiting) empty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.list) == 0
}

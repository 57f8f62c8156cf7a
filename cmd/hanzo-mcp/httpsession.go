package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// sessions keeps the sessions of legacy HTTP clients. One that is idle for idleSession ends.
type sessions struct {
	srv  *server
	mu   sync.Mutex
	byID map[string]*httpSession
}

// httpSession is one legacy client over HTTP. Its calls end with it.
type httpSession struct {
	id     string
	peer   *peer
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	used   time.Time
	busy   int             // requests and streams that are open
	listen []chan<- []byte // the open GET streams, the newest last
	missed []byte          // the last message that no stream was there for
}

func (ss *sessions) init(s *server) { ss.srv, ss.byID = s, map[string]*httpSession{} }

// create makes a session and marks it as used until release. It is not found before keep.
func (ss *sessions) create(ctx context.Context) *httpSession {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // never fails
	s := &httpSession{id: hex.EncodeToString(raw), used: time.Now(), busy: 1}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.peer = ss.srv.newPeer(s.ctx, s.id, s.tell)
	s.peer.remote = true
	return s
}

// keep makes a session that was initialized findable. When there are maxSessions, the one that was idle longest ends.
func (ss *sessions) keep(s *httpSession) bool {
	ss.mu.Lock()
	full := len(ss.byID) >= maxSessions
	ss.mu.Unlock()
	if full && !ss.endIdlest() {
		return false
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.byID[s.id] = s
	ss.srv.addPeer(s.peer)
	return true
}

// endIdlest ends the session that nobody has used for the longest time; false when all are in use.
func (ss *sessions) endIdlest() bool {
	ss.mu.Lock()
	var oldest string
	var since time.Time
	for id, s := range ss.byID {
		s.mu.Lock()
		if s.busy == 0 && (oldest == "" || s.used.Before(since)) {
			oldest, since = id, s.used
		}
		s.mu.Unlock()
	}
	ss.mu.Unlock()
	return oldest != "" && ss.end(oldest)
}

// get finds a session and marks it as used until release.
func (ss *sessions) get(id string) *httpSession {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.byID[id]
	if s != nil {
		s.hold(1)
	}
	return s
}

func (s *httpSession) hold(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += n
	s.used = time.Now()
}

func (s *httpSession) release() { s.hold(-1) }

// end removes a session and cancels its calls; false when there is none of this id.
func (ss *sessions) end(id string) bool {
	ss.mu.Lock()
	s := ss.byID[id]
	delete(ss.byID, id)
	ss.mu.Unlock()
	if s == nil {
		return false
	}
	s.cancel()
	ss.srv.dropPeer(s.peer)
	go ss.srv.jobs.EndOwner(id) // takes up to 2 s
	return true
}

// sweep ends sessions that nobody uses, until ctx is done.
func (ss *sessions) sweep(ctx context.Context) {
	tick := time.NewTicker(idleSession / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, id := range ss.idle(now) {
				ss.end(id)
			}
		}
	}
}

func (ss *sessions) idle(now time.Time) []string {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	var ids []string
	for id, s := range ss.byID {
		s.mu.Lock()
		if s.busy == 0 && now.Sub(s.used) > idleSession {
			ids = append(ids, id)
		}
		s.mu.Unlock()
	}
	return ids
}

// tell sends a message on the newest of the session's GET streams. Without one the last message is kept for the next
// stream; when its client does not read, it is lost.
func (s *httpSession) tell(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.listen)
	if n == 0 {
		s.missed = message
		return
	}
	select {
	case s.listen[n-1] <- message:
	default:
	}
}

// attach makes ch the session's stream for as long as no newer one is there. It has room for a message.
func (s *httpSession) attach(ch chan<- []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen = append(s.listen, ch)
	if s.missed != nil {
		ch <- s.missed
		s.missed = nil
	}
}

func (s *httpSession) detach(ch chan<- []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen = slices.DeleteFunc(s.listen, func(other chan<- []byte) bool { return other == ch })
}

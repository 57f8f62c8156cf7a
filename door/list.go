package door

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/auth"
)

const (
	defaultTTL    = 5 * time.Minute
	minTTL        = 30 * time.Second
	maxTTL        = 10 * time.Minute
	staleFor      = 10 * time.Minute // beyond its ttl, while the door does not answer
	failedFor     = 15 * time.Second // a failure is remembered
	shortWait     = 80 * time.Millisecond
	listTimeout   = 30 * time.Second
	maxPages      = 50
	maxTools      = 1000
	rememberLists = 4
	maxLogged     = 300 // bytes of a cause in a line for a person
	maxLeftOut    = 1000
)

// Listing is the door's list as it is known. Its slices and map are shared: they
// must not be changed.
type Listing struct {
	Tools   []Tool         // in the door's order; none while the door has not answered
	Meta    []byte         // raw result._meta, nil if there is none
	TTL     time.Duration  // what is left of its freshness; 0 until the door has answered
	Dropped map[string]int // how many tools were left out, by reason
	// Examples are the names of the first few of those, in quotes, by reason.
	Examples map[string][]string
}

// LeftOut tells of the tools that were left out, for a person; "" if none was.
func (l *Listing) LeftOut() string {
	var parts []string
	for _, reason := range dropReasons {
		n, why := l.Dropped[reason], reason
		if n == 0 {
			continue
		}
		if names := l.Examples[reason]; len(names) > 0 {
			why += ": " + strings.Join(names, ", ")
			if n > len(names) {
				why += ", …"
			}
		}
		parts = append(parts, fmt.Sprintf("%d (%s)", n, why))
	}
	return strings.Join(parts, ", ")
}

// list is the cache of tools/list. One fetch is under way at most.
type list struct {
	local  map[string]bool // by plainName
	life   context.Context
	ending context.CancelFunc

	mu       sync.Mutex
	cache    *lru.Cache[string, *entry]
	key      string // of the last list that was fetched
	bearer   bool   // the door wanted one for it
	flight   chan struct{}
	begun    time.Time // when the first fetch began
	failed   time.Time // zero: the last fetch did not fail
	failure  string
	served   [sha256.Size]byte
	wasAsked bool

	// What follows is for fetches that nobody asked for; see Refresh.
	said       []string  // causes of failures, since the door last gave a list
	outdated   bool      // the door has answered a call during the fetch
	again      time.Time // when the last fetch began, but for the first one
	timer      *time.Timer
	pause      time.Duration // of timer
	firstPause time.Duration // 0: failedFor
}

// entry is one list and when it was had. It is not changed once it is cached.
type entry struct {
	Listing
	at       time.Time
	ttl      time.Duration
	readOnly map[string]bool      // every name of it
	mirrored map[string]*mcp.Tool // with arguments that travel in headers too
	sum      [sha256.Size]byte
}

func (l *list) init(local []string) {
	l.local = make(map[string]bool, len(local))
	for _, name := range local {
		l.local[plainName(name)] = true
	}
	l.life, l.ending = context.WithCancel(context.Background())
	l.cache, _ = lru.New[string, *entry](rememberLists) // fails for a size of 0 only
}

func (l *list) close() {
	l.ending()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}

// Start fetches the list in the background.
func (c *Client) Start() {
	if c.fault == "" {
		c.list.mu.Lock()
		defer c.list.mu.Unlock()
		c.list.start(c)
	}
}

// start begins a fetch if none is under way. The caller holds l.mu.
func (l *list) start(c *Client) {
	if l.flight != nil || l.life.Err() != nil {
		return
	}
	if now := c.now(); l.begun.IsZero() {
		l.begun = now
	} else {
		l.again = now
	}
	l.flight = make(chan struct{})
	go l.fetch(c, l.flight)
}

// List gives the list: the fresh one at once, else it asks the door. For the
// first answer it waits at most wait, counted from the first fetch; later at
// most 80 ms, so that a list that has changed is seen but nothing hangs. Then it
// gives what there is (an old list for at most 10 minutes more), and Changed
// tells when there is another.
func (c *Client) List(ctx context.Context, wait time.Duration) Listing {
	if c.fault != "" {
		return Listing{}
	}
	l := &c.list
	key := l.currentKey(ctx, c)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := c.now()
	if l.due(key, now) {
		e := l.entry(key, now)
		l.start(c)
		if flight := l.flight; flight != nil {
			limit := shortWait
			if e == nil {
				limit = max(limit, wait-now.Sub(l.begun))
			}
			l.mu.Unlock()
			timer := time.NewTimer(limit)
			select {
			case <-flight:
			case <-timer.C:
			case <-ctx.Done():
			}
			timer.Stop()
			l.mu.Lock()
		}
		now = c.now()
	}
	l.wasAsked = true
	l.retry(c)
	e := l.entry(l.key, now)
	if e == nil {
		l.served = [sha256.Size]byte{}
		return Listing{}
	}
	l.served = e.sum
	given := e.Listing
	given.TTL = max(0, e.ttl-now.Sub(e.at))
	return given
}

// currentKey is the key of the list for the bearer that there is now.
func (l *list) currentKey(ctx context.Context, c *Client) string {
	l.mu.Lock()
	bearer, key := l.bearer, l.key
	l.mu.Unlock()
	if bearer {
		key = listKey(c.config.URL, c.config.Auth.Token(ctx, auth.Ask{Passive: true}).Value)
		l.mu.Lock()
		l.key = key
		l.mu.Unlock()
	}
	return key
}

func listKey(url, bearer string) string {
	if bearer == "" {
		return url
	}
	return fmt.Sprintf("%s#%x", url, sha256.Sum256([]byte(bearer)))
}

// entry is the list of a key while it may be served. The caller holds l.mu.
func (l *list) entry(key string, now time.Time) *entry {
	e, _ := l.cache.Get(key)
	if e == nil || now.Sub(e.at) >= e.ttl+staleFor {
		return nil
	}
	return e
}

func (l *list) now(c *Client) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entry(l.key, c.now())
}

// Known reports whether the list, as it is kept, has a tool of this name.
func (c *Client) Known(name string) bool {
	e := c.list.now(c)
	if e == nil {
		return false
	}
	_, known := e.readOnly[name]
	return known
}

// ReadOnly reports whether the list, as it is kept, says that a tool only reads.
func (c *Client) ReadOnly(name string) bool {
	e := c.list.now(c)
	return e != nil && e.readOnly[name]
}

// mirrored is the definition of a tool with arguments that travel in headers.
func (l *list) mirrored(c *Client, name string) *mcp.Tool {
	if e := l.now(c); e != nil {
		return e.mirrored[name]
	}
	return nil
}

// State is what is known of the door without asking it.
type State struct {
	URL      string
	Answered bool   // there is a list, perhaps an old one
	Failure  string // of the last fetch, "" if it went well or none has ended
	Tools    int
	Meta     []byte // raw result._meta of the list
}

// State tells how the door is, for people.
func (c *Client) State() State {
	state := State{URL: c.shown(), Failure: c.fault}
	if e := c.list.now(c); e != nil {
		state.Answered, state.Tools, state.Meta = true, len(e.Tools), e.Meta
	}
	c.list.mu.Lock()
	defer c.list.mu.Unlock()
	if c.list.failure != "" {
		state.Failure = c.list.failure
	}
	return state
}

// fetch gets the list, without a bearer unless the door wants one.
func (l *list) fetch(c *Client, flight chan struct{}) {
	ctx, cancel := context.WithTimeout(l.life, listTimeout)
	defer cancel()
	bearer := ""
	e, err := l.pages(ctx, c, bearer)
	var refused *unauthorized
	if errors.As(err, &refused) && c.config.Auth != nil {
		if bearer = c.config.Auth.Token(ctx, auth.Ask{Passive: true, Retry: true}).Value; bearer != "" {
			e, err = l.pages(ctx, c, bearer)
		}
	}
	l.mu.Lock()
	outdated := l.outdated
	l.flight, l.outdated = nil, false
	close(flight)
	ended, changed, known := l.life.Err() != nil, false, false
	if err != nil {
		known = l.fail(c, c.clean(c.listFailure(err)), outdated)
	} else {
		l.succeed()
		l.key, l.bearer = listKey(c.config.URL, bearer), bearer != ""
		if old, _ := l.cache.Peek(l.key); old != nil && old.sum == e.sum {
			e.Tools = old.Tools // as they were told: a door may give them in any order
		}
		l.cache.Add(l.key, e)
		changed = l.wasAsked && e.sum != l.served
	}
	l.mu.Unlock()
	switch {
	case ended, known: // said once, until the door answers or fails otherwise
	case err != nil:
		c.log("the door at %s did not list its tools: %s; local tools still work", c.shown(), c.listFailure(err))
	case len(e.Dropped) > 0:
		c.log("the door at %s lists tools that are left out: %s", c.shown(), cut(e.LeftOut(), maxLeftOut))
	}
	if changed && !ended && c.config.Changed != nil {
		c.config.Changed()
	}
}

func (c *Client) listFailure(err error) string {
	var f *fault
	var refused *unauthorized
	switch {
	case errors.As(err, &f):
		return "it " + cut(strings.Join(strings.Fields(f.text), " "), maxLogged)
	case errors.As(err, &refused):
		return "it wants a sign-in (401)"
	}
	text := c.cause(err, listTimeout)
	if via := c.via(); via != "" && unsent(err) {
		text = "it could not be reached" + via + ": " + text
	}
	if mend := mendOf(err); mend != "" {
		text += ". " + strings.TrimSuffix(mend, ".")
	}
	return text
}

// pages follows nextCursor. What is beyond a limit is left out and counted; a
// page that cannot be had fails the whole, since half a list would come and go.
func (l *list) pages(ctx context.Context, c *Client, bearer string) (*entry, error) {
	b := builder{local: l.local, entry: entry{at: c.now(), readOnly: map[string]bool{}, mirrored: map[string]*mcp.Tool{}}}
	cursors := map[string]bool{}
	left := c.config.MaxSize
	for cursor := []byte(nil); ; {
		m := Message{ID: []byte("1"), Method: "tools/list", Params: []byte("{}")}
		if cursor != nil {
			m.Params = append(append([]byte(`{"cursor":`), cursor...), '}')
		}
		a, err := c.post(ctx, request{message: &m, bearer: bearer, limit: left, dials: 1})
		if b.pages > 0 && isTooLarge(err) {
			b.drop(dropBytes, "")
			break
		}
		if err != nil {
			return nil, err
		}
		if a.err != nil {
			return nil, faultf("answered with the error %s", c.quote(a.err))
		}
		text, _ := c.redact(a.result, a.odd)
		if a.breaks {
			OneLine(text)
		}
		if left -= len(text); !b.page(text) {
			return nil, faultf("answered with a list that cannot be read: %s", c.quote(text))
		}
		cursor = b.cursor
		if cursor == nil {
			break
		}
		if cursors[string(cursor)] || b.pages >= maxPages || b.full {
			b.drop(dropPages, "")
			break
		}
		cursors[string(cursor)] = true
	}
	return b.done(), nil
}

package door

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// told waits until a client is told of another list.
func told(t *testing.T, changed chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-deadline(t).Done():
		t.Fatal("not told of the list")
	}
}

// idle waits until no fetch is under way.
func (l *list) idle(t *testing.T) {
	t.Helper()
	for ctx := deadline(t); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		flight := l.flight
		l.mu.Unlock()
		if flight == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal("a fetch does not end")
		}
	}
}

// A door that comes up after the list was asked for is seen without a call and without being asked again.
func TestListComesByItself(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("a")}})
	door.Stop()
	var logged log
	changed := make(chan struct{}, 10)
	c := open(t, Config{URL: door.URL(), Log: logged.add, Changed: func() { changed <- struct{}{} }})
	c.list.firstPause = 10 * time.Millisecond
	equal(t, len(c.List(deadline(t), 10*time.Second).Tools), 0)
	logged.wait(t, 1)
	time.Sleep(200 * time.Millisecond) // some tries fail
	if err := door.Start(); err != nil {
		t.Fatal(err)
	}
	told(t, changed)
	equal(t, toolNames(c.List(deadline(t), 0)), "a")
	equal(t, len(logged.all()), 1)
	equal(t, c.list.timer == nil, true)
}

// The pause between tries doubles up to its limit, and ends with the client.
func TestListPauses(t *testing.T) {
	t.Parallel()
	c := New(Config{URL: "http://127.0.0.1:1/v1/mcp"})
	l := &c.list
	l.wasAsked, l.failed = true, time.Now()
	for _, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute} {
		l.mu.Lock()
		l.retry(c)
		equal(t, l.pause, want)
		equal(t, l.timer.Stop(), true)
		l.timer = nil
		l.mu.Unlock()
	}
	c.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retry(c)
	equal(t, l.timer == nil, true)
}

// Before a list was asked for, nothing is tried again.
func TestListIsNotFetchedForNobody(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Status: http.StatusInternalServerError, Methods: []string{"tools/list"}})
	now := newClock()
	c := open(t, Config{URL: door.URL(), Now: now.Now})
	c.Start()
	c.list.idle(t)
	now.add(time.Hour)
	c.Refresh()
	c.list.idle(t)
	equal(t, len(door.Requests("tools/list")), 1)
	equal(t, c.list.timer == nil, true)
}

// A call, forwarded or not, has a list fetched that is past its time; one that failed is left to the pauses between tries
// and to calls that the door answers. Another order is no change.
func TestListIsRefreshedByCalls(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("a")}, TTL: "30000"})
	now := newClock()
	changed := make(chan struct{}, 10)
	c := open(t, Config{URL: door.URL(), Now: now.Now, Changed: func() { changed <- struct{}{} }})
	c.list.firstPause = time.Hour
	refresh := func(after time.Duration, want int) {
		t.Helper()
		now.add(after)
		c.Refresh()
		c.list.idle(t)
		equal(t, len(door.Requests("tools/list")), want)
	}
	equal(t, toolNames(c.List(deadline(t), 10*time.Second)), "a")
	door.Set(func(s *fakedoor.Script) { s.Tools = []string{tool("b")} })
	refresh(29*time.Second, 1)
	refresh(time.Second, 2)
	told(t, changed)
	equal(t, toolNames(c.List(deadline(t), 0)), "b")

	no := "no"
	door.Set(func(s *fakedoor.Script) { s.Status, s.Body = http.StatusInternalServerError, &no })
	refresh(30*time.Second, 3)
	refresh(failedFor, 3)
	door.Set(func(s *fakedoor.Script) { s.Status, s.Body, s.Tools = 0, nil, []string{tool("c"), tool("d")} })
	if r := c.Call(deadline(t), Caller{}, call(t, "1", "c", "")); r.Made {
		t.Fatalf("%s", r.Result)
	}
	told(t, changed)
	equal(t, toolNames(c.List(deadline(t), 0)), "c d")
	door.Set(func(s *fakedoor.Script) { s.Tools = []string{tool("d"), tool("c")} })
	refresh(30*time.Second, 5)
	equal(t, len(changed), 0)
	equal(t, toolNames(c.List(deadline(t), 0)), "c d")
}

// A door that answers calls and never has a list is not asked for it with each call.
func TestListThatAlwaysFails(t *testing.T) {
	t.Parallel()
	no := "no"
	door := fakedoor.Start(t, fakedoor.Script{Status: http.StatusInternalServerError, Body: &no, Methods: []string{"tools/list"}})
	now := newClock()
	var logged log
	c := open(t, Config{URL: door.URL(), Now: now.Now, Log: logged.add})
	c.list.firstPause = time.Hour
	c.List(deadline(t), 10*time.Second)
	for _, want := range []int{2, 3} { // one since the door answers calls
		for range 20 {
			c.Refresh()
			if r := c.Call(deadline(t), Caller{}, call(t, "1", "service_001", "")); r.Made {
				t.Fatalf("%s", r.Result)
			}
			c.list.idle(t)
		}
		equal(t, len(door.Requests("tools/list")), want)
		now.add(failedFor)
	}
	equal(t, len(logged.all()), 1)
}

// The door answers a call while a fetch is under way that fails, since it began before: the list is fetched again.
func TestListThatBeganTooEarly(t *testing.T) {
	t.Parallel()
	no := "not yet"
	door := &fakedoor.Server{Script: fakedoor.Script{Status: http.StatusInternalServerError, Body: &no, Methods: []string{"tools/list"}}}
	release := make(chan struct{})
	var first sync.Once
	door.Observe = func(r *fakedoor.Request) { // its answer is settled by then
		if r.RPC == "tools/list" {
			first.Do(func() { <-release })
		}
	}
	if err := door.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(door.Close)
	changed := make(chan struct{}, 10)
	c := open(t, Config{URL: door.URL(), Changed: func() { changed <- struct{}{} }})
	c.list.firstPause = time.Hour
	c.Start()
	door.Wait(deadline(t), "tools/list", 1)
	equal(t, len(c.List(deadline(t), 0).Tools), 0)
	door.Set(func(s *fakedoor.Script) { *s = fakedoor.Script{Tools: []string{tool("a")}} })
	if r := c.Call(deadline(t), Caller{}, call(t, "1", "a", "")); r.Made {
		t.Fatalf("%s", r.Result)
	}
	close(release)
	told(t, changed)
	equal(t, toolNames(c.List(deadline(t), 0)), "a")
}

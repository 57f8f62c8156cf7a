package door

import (
	"slices"
	"time"
)

// A client often asks for the list once, when it starts. So that the cloud's tools reach it all the same when the door was
// not there then, or lists others later, the list is had again without being asked for: at a call, when it is due, and
// after a failure by and by. Nothing of this happens before a list was asked for.

const (
	maxRetryAfter = 5 * time.Minute // between two tries after failures
	maxSaid       = 8               // causes that are told between two lists that the door gave
)

// Refresh fetches the list in the background when it is past its time. It is to be called at each call of a tool,
// forwarded or not; it waits for nothing. After a failure it leaves the next try to retry and revive.
func (c *Client) Refresh() {
	if c.fault != "" {
		return
	}
	l := &c.list
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wasAsked && l.failed.IsZero() && l.due(l.key, c.now()) {
		l.start(c)
	}
}

// due reports whether a list is to be had: there is none that is fresh, and no failure that is remembered. The caller
// holds l.mu.
func (l *list) due(key string, now time.Time) bool {
	e := l.entry(key, now)
	return (e == nil || now.Sub(e.at) >= e.ttl) && (l.failed.IsZero() || now.Sub(l.failed) >= failedFor)
}

// revive asks again after a failure when the door has answered a call, at most once in failedFor: a door may answer calls
// and still have no list. A fetch that is under way then may have begun before the door was there; should it fail, it is
// begun again.
func (l *list) revive(c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.flight != nil:
		l.outdated = true
	case !l.failed.IsZero():
		l.reviveNow(c)
	}
}

// reviveNow is revive for a list that has failed. The caller holds l.mu.
func (l *list) reviveNow(c *Client) {
	if l.again.IsZero() || c.now().Sub(l.again) >= failedFor {
		l.start(c)
	}
}

// fail notes why a fetch failed and sees to the next one; said tells that this cause, or enough of them, was told
// already. The caller holds l.mu.
func (l *list) fail(c *Client, why string, outdated bool) (said bool) {
	l.failed, l.failure = c.now(), why
	if said = slices.Contains(l.said, why) || len(l.said) >= maxSaid; !said {
		l.said = append(l.said, why)
	}
	if outdated {
		l.reviveNow(c)
	}
	l.retry(c)
	return said
}

// succeed forgets the failures. The caller holds l.mu.
func (l *list) succeed() {
	l.failed, l.failure, l.said, l.pause = time.Time{}, "", nil, 0
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// retry has a list that failed fetched again after a pause, which doubles from time to time. The caller holds l.mu.
func (l *list) retry(c *Client) {
	if !l.wasAsked || l.failed.IsZero() || l.flight != nil || l.timer != nil || l.life.Err() != nil {
		return
	}
	first := l.firstPause
	if first == 0 {
		first = failedFor
	}
	l.pause = min(max(first, 2*l.pause), maxRetryAfter)
	l.timer = time.AfterFunc(l.pause, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.timer = nil
		l.start(c)
	})
}

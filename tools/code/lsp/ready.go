package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	youth       = 20 * time.Second       // how long an empty answer of a new server is doubted
	doubt       = 8 * time.Second        // how long an empty answer about a new document is doubted, of a new server
	shortDoubt  = 2 * time.Second        // and of one that has been there for a while
	beginWait   = 300 * time.Millisecond // for a server to say that it is at work
	workWait    = 20 * time.Second       // for its work to end
	askLimit    = 35 * time.Second       // for an answer, with all waiting: then names must do
	settleDiags = 700 * time.Millisecond // without news, diagnostics count as complete
	diagWait    = 15 * time.Second
	muteWait    = time.Second // of a server that was not in time for another document
)

// Settle waits until the server says that it has ended the work it does at start: what it tells before may be wrong.
// A server that says nothing is not waited for.
func (c *Client) Settle(ctx context.Context) error {
	if time.Since(c.started) > youth && !c.busy() {
		return nil
	}
	begun := time.NewTimer(beginWait)
	defer begun.Stop()
	end := time.NewTimer(workWait)
	defer end.Stop()
	waited := false
	for {
		c.mu.Lock()
		busy, changed, ever := c.awaited(), c.changed, !c.settled.IsZero()
		c.mu.Unlock()
		if !busy && (ever || waited) {
			return nil
		}
		select {
		case <-changed:
		case <-begun.C:
			waited = true
		case <-end.C: // this work may go on for ever: the next question does not wait for it again
			c.mu.Lock()
			for token := range c.progress {
				c.progress[token] = false
			}
			c.mu.Unlock()
			return nil
		case <-c.ended:
			return c.explain(ErrEnded)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// KnowsOpen reports whether the server finds places in open files only.
func (c *Client) KnowsOpen() bool { return c.spec.KnowsOpen }

// WantsHolders reports whether the server must be shown the files that hold a name to find all its places.
func (c *Client) WantsHolders() bool {
	return c.spec.KnowsOpen || c.spec.ByProject || c.spec.ReadsLate && time.Since(c.started) < youth
}

// ByProject reports whether the server sees only what the projects and imports of open files name.
func (c *Client) ByProject() bool { return c.spec.ByProject }

// Sure reports whether the server names all the places of a symbol in what it sees, and no others.
func (c *Client) Sure() bool { return c.spec.Sure }

// TakesCommands reports whether TakeForC does something.
func (c *Client) TakesCommands() bool { return c.spec.Commands }

// ChecksNothing reports whether the server has nothing to say of faults.
func (c *Client) ChecksNothing() bool { return c.spec.NoChecks }

// Speaks reports whether the server is for files of a language.
func (c *Client) Speaks(language string) bool { return slices.Contains(c.spec.Languages, language) }

// Read waits until the server has read open documents, which it shows by telling what is wrong in each, if anything. A
// server that does not end is not waited for.
func (c *Client) Read(ctx context.Context, paths []string) error {
	end := time.NewTimer(workWait)
	defer end.Stop()
	for {
		c.mu.Lock()
		left := 0
		for _, path := range paths {
			if _, told := c.told(keyOf(path)); !told {
				left++
			}
		}
		changed := c.changed
		c.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-end.C:
			return nil
		case <-c.ended:
			return c.explain(ErrEnded)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Faulty reports whether the server has last spoken of errors in a document.
func (c *Client) Faulty(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.told(keyOf(path))
	return ok && slices.ContainsFunc(p.list, func(d Diagnostic) bool { return d.Severity == 1 })
}

// told gives what the server last said of a document, ok false when that is of an older text, or of its closing. The lock is
// held.
func (c *Client) told(name string) (p published, ok bool) {
	p, ok = c.diags[name]
	if d := c.docs[name]; ok && d != nil && c.spec.Versions && (p.version == nil || *p.version < d.version) {
		return p, false
	}
	return p, ok
}

// busy reports whether there is work that is worth waiting for.
func (c *Client) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.awaited()
}

// awaited is busy for those who hold the lock.
func (c *Client) awaited() bool {
	for _, wait := range c.progress {
		if wait {
			return true
		}
	}
	return false
}

func (c *Client) working() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.progress) > 0
}

// Ask asks about a document, again and again while the server is new and good refuses the answer: the first answers
// of some servers are null or wrong. known is what Open gave for the document.
func (c *Client) Ask(ctx context.Context, known bool, method string, params any, good func(json.RawMessage) bool) (json.RawMessage, error) {
	short, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	raw, err := c.ask(short, known, method, params, good)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		if !c.working() {
			c.kill() // it hangs; the next question starts another
		}
		return nil, fmt.Errorf("%w: no answer to %s in %s", ErrEnded, method, askLimit)
	}
	return raw, err
}

func (c *Client) ask(ctx context.Context, known bool, method string, params any, good func(json.RawMessage) bool) (json.RawMessage, error) {
	if err := c.Settle(ctx); err != nil {
		return nil, err
	}
	begun := time.Now()
	until := begun
	switch left := youth - time.Since(c.started); {
	case c.spec.KnowsOpen: // it answers when it has read the document
	case left > 0 && !c.doubted.Load():
		until = until.Add(min(left, doubt))
	case left > 0:
		until = until.Add(shortDoubt)
	case !known:
		until = until.Add(shortDoubt)
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		var raw json.RawMessage
		err := c.Call(ctx, method, params, &raw)
		if err != nil && !transient(err) {
			return nil, err
		}
		if err == nil && good(raw) {
			return raw, nil
		}
		if time.Since(begun) > shortDoubt && c.hasRead(params) {
			until = begun
		}
		if time.Now().After(until) {
			c.doubted.Store(c.doubted.Load() || err == nil && time.Since(begun) >= doubt)
			return raw, err
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-c.ended:
			t.Stop()
			return nil, c.explain(ErrEnded)
		case <-ctx.Done():
			t.Stop()
			return nil, ctx.Err()
		}
	}
}

// hasRead reports whether the server has told what is wrong in the document of a question, if anything, and is not at work: it
// knows as much of it as it will. Of servers that are not known well that is not said.
func (c *Client) hasRead(params any) bool {
	if !c.spec.Versions && !c.spec.ReadsLate && !c.spec.TSServer {
		return false
	}
	p, _ := params.(map[string]any)
	d, _ := p["textDocument"].(map[string]any)
	uri, _ := d["uri"].(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, told := c.told(keyOf(Path(uri)))
	return told && !c.awaited()
}

// transient reports errors of a server that has not read everything yet.
func transient(err error) bool {
	var e *Refusal
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case -32801, -32802, -32002: // content modified, server cancelled, not initialized
		return true
	}
	return e.Code == 0 && e.Message == "no views"
}

// Diagnostics gives what the server has to say about an open document. complete is false when it gave nothing in time,
// which is short for the second document that is asked about when it was not in time for the first.
func (c *Client) Diagnostics(ctx context.Context, path string) (list []Diagnostic, complete bool, err error) {
	if err := c.Settle(ctx); err != nil {
		return nil, false, err
	}
	limit := diagWait
	if c.mute.Load() {
		limit = muteWait
	}
	list, complete, err = c.diagnostics(ctx, path, limit)
	if err == nil {
		c.mute.Store(!complete)
	}
	return list, complete, err
}

func (c *Client) diagnostics(ctx context.Context, path string, limit time.Duration) (list []Diagnostic, complete bool, err error) {
	if c.spec.TSServer {
		short, cancel := context.WithTimeout(ctx, max(limit, diagWait))
		defer cancel()
		list, ok, err := c.tsserverDiagnostics(short, URI(path))
		switch {
		case short.Err() != nil && ctx.Err() == nil:
			return nil, false, nil
		case ok, ctx.Err() != nil, errors.Is(err, ErrEnded):
			return list, ok, err
		} // it is too old to pass requests on
	}
	if c.Can("diagnosticProvider") {
		var report struct {
			Items []Diagnostic `json:"items"`
		}
		short, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := c.Call(short, "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": URI(path)}}, &report)
		if short.Err() != nil && ctx.Err() == nil {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		return report.Items[:min(len(report.Items), maxDiags)], true, nil
	}
	name := keyOf(path)
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		c.mu.Lock()
		p, ok := c.told(name)
		changed, busy, news := c.changed, c.awaited(), p.at
		if c.settled.After(news) {
			news = c.settled // what it said before it had read the project may change now
		}
		c.mu.Unlock()
		wait := (<-chan time.Time)(nil)
		if ok && !busy {
			left := settleDiags - time.Since(news)
			if left <= 0 {
				return p.list, true, nil
			}
			t := time.NewTimer(left)
			defer t.Stop()
			wait = t.C
		}
		select {
		case <-changed:
		case <-wait:
		case <-end.C:
			return p.list, ok, nil
		case <-c.ended:
			return nil, false, c.explain(ErrEnded)
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

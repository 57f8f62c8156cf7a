package lsp

import (
	"context"
	"crypto/sha256"
	"time"
)

// Open tells the server what a file holds, if it does not know yet. stamp changes when the file does; a file of another
// stamp that holds what it held is none that changed. It reports whether the server knew it already.
func (c *Client) Open(ctx context.Context, path, language, stamp, text string) (known bool, err error) {
	name := keyOf(path)
	c.mu.Lock()
	if c.holds(name, stamp, text) {
		c.mu.Unlock()
		return true, nil
	}
	d := c.docs[name]
	fresh := d == nil
	if fresh {
		d = &document{path: path}
		c.docs[name] = d
	}
	again := d.outdated
	c.clock++
	d.version++
	d.outdated = false
	d.stamp, d.used, d.text = stamp, c.clock, sha256.Sum256([]byte(text))
	version := d.version
	oldest := ""
	if len(c.docs) > maxDocs {
		for n, o := range c.docs {
			if n != name && (oldest == "" || o.used < c.docs[oldest].used) {
				oldest = n
			}
		}
	}
	old := c.docs[oldest]
	delete(c.docs, oldest)
	delete(c.diags, name)
	c.touched = time.Now()
	c.mu.Unlock()
	if old != nil {
		if err := c.didClose(ctx, old.path); err != nil {
			return false, c.explain(err)
		}
	}
	switch {
	case again:
		err = c.openAgain(ctx, path, language, version, text)
	case fresh:
		err = c.didOpen(ctx, path, language, version, text)
	default:
		err = c.didChange(ctx, path, version, text)
	}
	return false, c.explain(err)
}

// Holds reports whether a document is open and holds a text: then there is nothing that the server must be told of it.
func (c *Client) Holds(path, stamp, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holds(keyOf(path), stamp, text)
}

// holds is Holds for those who hold the lock. The document has the stamp then.
func (c *Client) holds(name, stamp, text string) bool {
	d := c.docs[name]
	if d == nil || d.outdated || d.stamp != stamp && d.text != sha256.Sum256([]byte(text)) {
		return false
	}
	c.clock++
	d.stamp, d.used = stamp, c.clock
	return true
}

// Renew has the server look at an open document once more when it was told of changes since it last spoke of it: what it
// said then may be about files that are others now.
func (c *Client) Renew(ctx context.Context, path, language, text string) error {
	c.mu.Lock()
	p, told := c.diags[keyOf(path)]
	old := told && !p.at.After(c.touched)
	c.mu.Unlock()
	if !old {
		return nil
	}
	return c.Reread(ctx, path, language, text)
}

// Reread has the server look at an open document once more.
func (c *Client) Reread(ctx context.Context, path, language, text string) error {
	name := keyOf(path)
	c.mu.Lock()
	d := c.docs[name]
	if d == nil {
		c.mu.Unlock()
		return nil
	}
	d.version++
	version := d.version
	delete(c.diags, name)
	c.mu.Unlock()
	if !c.spec.KnowsOpen {
		return c.explain(c.didChange(ctx, path, version, text))
	}
	return c.explain(c.openAgain(ctx, path, language, version, text)) // it passes over a document that holds what it held
}

// openAgain has the server forget what it has read for a document.
func (c *Client) openAgain(ctx context.Context, path, language string, version int, text string) error {
	if err := c.didClose(ctx, path); err != nil {
		return err
	}
	return c.didOpen(ctx, path, language, version, text)
}

func (c *Client) didOpen(ctx context.Context, path, language string, version int, text string) error {
	return c.conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": URI(path), "languageId": language, "version": version, "text": text}})
}

func (c *Client) didChange(ctx context.Context, path string, version int, text string) error {
	params := map[string]any{"textDocument": map[string]any{"uri": URI(path), "version": version}, "contentChanges": []any{map[string]any{"text": text}}}
	if c.spec.KnowsOpen { // clangd's own: else it may leave out one change of two, and say nothing when the second takes back the first
		params["wantDiagnostics"] = true
	}
	return c.conn.Notify(ctx, "textDocument/didChange", params)
}

func (c *Client) didClose(ctx context.Context, path string) error {
	return c.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": URI(path)}})
}

// Opened lists the paths of the open documents with their stamps.
func (c *Client) Opened() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]string, len(c.docs))
	for _, d := range c.docs {
		out[d.path] = d.stamp
	}
	return out
}

// Forget closes a document that is no longer there.
func (c *Client) Forget(ctx context.Context, path string) {
	name := keyOf(path)
	c.mu.Lock()
	_, open := c.docs[name]
	delete(c.docs, name)
	delete(c.diags, name)
	c.mu.Unlock()
	if open {
		_ = c.didClose(ctx, path)
	}
}

// Event is a change of a file that happened on disk: 1 made, 2 changed, 3 removed.
type Event struct {
	URI  string `json:"uri"`
	Type int    `json:"type"`
}

// Watched tells the server about changes on disk.
func (c *Client) Watched(ctx context.Context, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	c.mu.Lock()
	c.touched = time.Now()
	for _, e := range events {
		if _, open := c.docs[key(e.URI)]; !open || e.Type != 2 {
			c.moved = true
		}
	}
	c.outdate(events)
	c.mu.Unlock()
	return c.explain(c.conn.Notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": events}))
}

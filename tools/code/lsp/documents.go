package lsp

import (
	"context"
	"time"
)

// Open tells the server what a file holds, if it does not know yet. stamp changes when the file does. It reports
// whether the server knew it already.
func (c *Client) Open(ctx context.Context, path, language, stamp, text string) (known bool, err error) {
	uri := URI(path)
	c.mu.Lock()
	c.clock++
	d := c.docs[uri]
	if d != nil && d.stamp == stamp {
		d.used = c.clock
		c.mu.Unlock()
		return true, nil
	}
	fresh := d == nil
	if fresh {
		d = &document{}
		c.docs[uri] = d
	}
	d.version++
	d.stamp, d.used, d.at = stamp, c.clock, time.Now()
	version := d.version
	oldest := ""
	if len(c.docs) > maxDocs {
		for u, o := range c.docs {
			if u != uri && (oldest == "" || o.used < c.docs[oldest].used) {
				oldest = u
			}
		}
		delete(c.docs, oldest)
	}
	delete(c.diags, uri)
	c.touched = time.Now()
	c.mu.Unlock()
	if oldest != "" {
		if err := c.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": oldest}}); err != nil {
			return false, c.explain(err)
		}
	}
	if fresh {
		err = c.conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": language, "version": version, "text": text}})
	} else {
		err = c.conn.Notify(ctx, "textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
	}
	return false, c.explain(err)
}

// Renew has the server look at an open document once more when it was told of changes since it last spoke of it: what it
// said then may be about files that are others now.
func (c *Client) Renew(ctx context.Context, path, language, text string) error {
	uri := URI(path)
	c.mu.Lock()
	d := c.docs[uri]
	p, told := c.diags[uri]
	if d == nil || !told || p.at.After(c.touched) {
		c.mu.Unlock()
		return nil
	}
	d.version++
	version := d.version
	delete(c.diags, uri)
	c.mu.Unlock()
	var err error
	if c.spec.KnowsOpen { // it passes over a document that holds what it held
		err = c.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
		if err == nil {
			err = c.conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": language, "version": version, "text": text}})
		}
	} else {
		err = c.conn.Notify(ctx, "textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
	}
	return c.explain(err)
}

// Opened lists the paths of the open documents with their stamps.
func (c *Client) Opened() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]string, len(c.docs))
	for uri, d := range c.docs {
		out[Path(uri)] = d.stamp
	}
	return out
}

// Forget closes a document that is no longer there.
func (c *Client) Forget(ctx context.Context, path string) {
	uri := URI(path)
	c.mu.Lock()
	_, open := c.docs[uri]
	delete(c.docs, uri)
	delete(c.diags, uri)
	c.mu.Unlock()
	if open {
		_ = c.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
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
		if _, open := c.docs[e.URI]; !open || e.Type != 2 {
			c.moved = true
		}
	}
	c.mu.Unlock()
	return c.explain(c.conn.Notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": events}))
}

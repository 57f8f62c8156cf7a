package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// TakeForC has clangd read headers as C, which it takes for C++ when nothing says how they are compiled. It reads those that
// are open again before it answers.
func (c *Client) TakeForC(ctx context.Context, paths []string) error {
	changes := map[string]any{}
	c.mu.Lock()
	for _, path := range paths {
		if !c.plain[path] {
			c.plain[path] = true
			changes[path] = map[string]any{"workingDirectory": filepath.Dir(path), "compilationCommand": []string{"clang", "-xc-header", path}}
		}
	}
	c.mu.Unlock()
	if len(changes) == 0 {
		return nil
	}
	return c.explain(c.conn.Notify(ctx, "workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"compilationDatabaseChanges": changes}}))
}

// Outdated reports whether a fault is that what was read of headers before does not fit to them any more, which is none of
// the document: clangd keeps what it has read, and may see late that it is old.
func (d Diagnostic) Outdated() bool {
	return d.Severity == 1 && strings.Contains(d.Message, "precompiled header")
}

// outdate marks the open documents of a server that keeps what it has read of headers when one of them has changed: clangd
// compares their sizes and times, which it counts in seconds, so it does not see that a name became another of its length.
// The lock is held.
func (c *Client) outdate(events []Event) {
	if !c.spec.KnowsOpen || !slices.ContainsFunc(events, func(e Event) bool { return !isCSource(Path(e.URI)) }) {
		return
	}
	for _, d := range c.docs {
		d.outdated = true
	}
}

// isCSource reports whether a file is one that others do not include.
func isCSource(path string) bool {
	return slices.Contains([]string{".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm", ".cu"}, strings.ToLower(filepath.Ext(path)))
}

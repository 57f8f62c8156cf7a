package lsp

import (
	"context"
	"path/filepath"
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

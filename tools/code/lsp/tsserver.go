package lsp

import (
	"context"
	"encoding/json"
	"errors"
)

// tsserverKinds are the requests of tsserver that together give what typescript-language-server publishes.
var tsserverKinds = []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"}

// tsserverDiagnostics asks tsserver itself, which stands behind typescript-language-server, about an open document: what
// is published cannot be waited for, since nothing is when a list without entries stays so. ok is false when the server
// does not pass such requests on.
func (c *Client) tsserverDiagnostics(ctx context.Context, uri string) (list []Diagnostic, ok bool, err error) {
	c.mu.Lock()
	moved := c.moved
	c.moved = false
	c.mu.Unlock()
	if moved { // it would see that later, some of it after a second
		err := c.tsserver(ctx, nil, "reloadProjects", map[string]any{}, map[string]any{"expectsResult": false})
		var no *Refusal
		if err != nil && !errors.As(err, &no) { // without a result to wait for the server always says that it failed
			return nil, false, err
		}
	}
	for _, kind := range tsserverKinds {
		var answer struct {
			Success bool                 `json:"success"`
			Body    []tsserverDiagnostic `json:"body"`
		}
		var raw json.RawMessage
		if err := c.tsserver(ctx, &raw, kind, map[string]any{"file": uri}); err != nil {
			return nil, false, err
		}
		if json.Unmarshal(raw, &answer) != nil || !answer.Success {
			return nil, false, nil
		}
		for _, d := range answer.Body {
			list = append(list, d.diagnostic())
		}
	}
	return list[:min(len(list), maxDiags)], true, nil
}

// tsserver passes a request on to tsserver.
func (c *Client) tsserver(ctx context.Context, result any, request ...any) error {
	return c.Call(ctx, "workspace/executeCommand", map[string]any{"command": "typescript.tsserverRequest", "arguments": request}, result)
}

// tsserverDiagnostic is a fault in the words of tsserver: lines and UTF-16 columns count from 1.
type tsserverDiagnostic struct {
	Start, End struct{ Line, Offset int }
	Text       string
	Code       json.RawMessage
	Category   string
	Source     string
}

func (d tsserverDiagnostic) diagnostic() Diagnostic {
	severity := map[string]int{"warning": 2, "message": 3, "suggestion": 4}[d.Category]
	if severity == 0 {
		severity = 1
	}
	source := d.Source
	if source == "" {
		source = "typescript"
	}
	return Diagnostic{
		Range:    Range{Position{d.Start.Line - 1, d.Start.Offset - 1}, Position{d.End.Line - 1, d.End.Offset - 1}},
		Severity: severity, Code: d.Code, Source: source, Message: d.Text,
	}
}

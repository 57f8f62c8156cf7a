package lsp

import (
	"context"
	"encoding/json"
	"time"
)

// projectDelay is how long tsserver may take to see that files came, went or changed on disk: it waits a second itself
// before it looks again for a module that it did not find.
const projectDelay = 1300 * time.Millisecond

// tsserverKinds are the requests of tsserver that together give what typescript-language-server publishes.
var tsserverKinds = []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"}

// tsserverDiagnostics asks tsserver itself, which stands behind typescript-language-server, about an open document: what
// is published cannot be waited for, since nothing is when a list without entries stays so. ok is false when the server
// does not pass such requests on.
func (c *Client) tsserverDiagnostics(ctx context.Context, uri string) (list []Diagnostic, ok bool, err error) {
	c.mu.Lock()
	left := projectDelay - time.Since(c.moved)
	c.mu.Unlock()
	if left > 0 {
		select {
		case <-time.After(left):
		case <-c.ended:
			return nil, false, c.explain(ErrEnded)
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	for _, kind := range tsserverKinds {
		var answer struct {
			Success bool                 `json:"success"`
			Body    []tsserverDiagnostic `json:"body"`
		}
		var raw json.RawMessage
		err := c.Call(ctx, "workspace/executeCommand", map[string]any{"command": "typescript.tsserverRequest", "arguments": []any{kind, map[string]any{"file": uri}}}, &raw)
		if err != nil {
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

// Package lsp starts language servers and talks to them.
//
// Its room: one server for each language and root (pool.go), started through the launcher at first use, kept, started
// again with backoff when it dies; the conversation (client.go) with bounded messages, answers to whatever the server
// asks, documents kept as they are on disk, and waiting until a server is ready (ready.go); the table of known servers
// with the project's own code switched off in each (servers.go).
//
// It never writes a file, not even when a server asks for it (workspace/applyEdit is refused), never starts a program
// that it was not given, and runs none unconfined. A server that floods, hangs or crashes costs an error, no more.
//
// Governing text: HIP-0301 §8.
package lsp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Position is a place in a document, from 0, in the units that the server counts.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a part of a document.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range of a file.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// link is what servers give in place of a Location.
type link struct {
	Location
	TargetURI   string `json:"targetUri"`
	TargetRange Range  `json:"targetSelectionRange"`
}

// Locations reads the answer to a question for places: null, one Location, or a list of Locations or LocationLinks.
func Locations(raw json.RawMessage) ([]Location, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var list []link
	if raw[0] == '{' {
		raw = append(append(json.RawMessage{'['}, raw...), ']')
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("the language server gave no list of locations: %w", err)
	}
	out := make([]Location, 0, len(list))
	for _, l := range list {
		if l.TargetURI != "" {
			l.Location = Location{l.TargetURI, l.TargetRange}
		}
		if l.URI == "" || l.Range.Start.Line < 0 || l.Range.Start.Character < 0 {
			continue // nowhere
		}
		out = append(out, l.Location)
	}
	return out, nil
}

// Diagnostic is one fault that a server sees.
type Diagnostic struct {
	Range    Range           `json:"range"`
	Severity int             `json:"severity"` // 1 error, 2 warning, 3 information, 4 hint
	Code     json.RawMessage `json:"code"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
}

// Symbol is one entry of documentSymbol, in either of its forms.
type Symbol struct {
	Name           string    `json:"name"`
	Kind           int       `json:"kind"`
	Detail         string    `json:"detail"`
	Range          Range     `json:"range"`
	SelectionRange Range     `json:"selectionRange"`
	Children       []Symbol  `json:"children"`
	Location       *Location `json:"location"`
	Container      string    `json:"containerName"`
}

// CallItem is a function of the call hierarchy. Raw is what the server wants back.
type CallItem struct {
	Name           string `json:"name"`
	URI            string `json:"uri"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit is a change of several files, by URI.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit `json:"changes"`
	DocumentChanges []struct {
		Kind         string `json:"kind"`
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Edits []TextEdit `json:"edits"`
	} `json:"documentChanges"`
}

// Files gives the edits by URI. It is an error when files would be made, renamed or removed.
func (w *WorkspaceEdit) Files() (map[string][]TextEdit, error) {
	out := map[string][]TextEdit{}
	for uri, edits := range w.Changes {
		out[uri] = append(out[uri], edits...)
	}
	if len(w.DocumentChanges) > 0 {
		out = map[string][]TextEdit{}
	}
	for _, d := range w.DocumentChanges {
		if d.Kind != "" {
			return nil, fmt.Errorf("the language server wants to %s a file, which is not done here", d.Kind)
		}
		out[d.TextDocument.URI] = append(out[d.TextDocument.URI], d.Edits...)
	}
	return out, nil
}

// URI gives the file URI of an absolute path.
func URI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// Path gives the absolute path of a file URI, "" for any other.
func Path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	return filepath.FromSlash(p)
}

// key is what a document is known by: the path that its URI decodes to, since servers write more characters with % than we
// do, and the drives of Windows in small letters. What is no file is known by its URI.
func key(uri string) string {
	if path := Path(uri); path != "" {
		return keyOf(path)
	}
	return uri
}

// keyOf is the key of an absolute path.
func keyOf(path string) string {
	drive := filepath.VolumeName(path)
	return strings.ToLower(drive) + path[len(drive):]
}

// IsFile reports whether a URI, however it is written, names the file of an absolute path.
func IsFile(uri, path string) bool { return key(uri) == keyOf(path) }

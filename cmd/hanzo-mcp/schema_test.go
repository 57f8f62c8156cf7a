package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// testServer is a server that nobody talks to, for looking at its tools.
func testServer(t *testing.T) *server {
	t.Helper()
	env := map[string]string{"HOME": t.TempDir(), "HANZO_MCP_DOOR": "http://127.0.0.1:9/"}
	s := newServer(&console{w: &bytes.Buffer{}}, options{noDoor: true}, func(name string) string { return env[name] })
	t.Cleanup(s.close)
	return s
}

// allTools are the local tools in the order of tools/list.
func allTools(t *testing.T) []*tools.Tool {
	s := testServer(t)
	var list []*tools.Tool
	for _, name := range localNames {
		if tool := s.tool(name); tool != nil {
			list = append(list, tool)
		}
	}
	return list
}

// TestSchemaSnapshots compares each tool's schema with the kept one, byte for byte; -update rewrites them.
func TestSchemaSnapshots(t *testing.T) {
	t.Parallel()
	for _, tool := range allTools(t) {
		var got bytes.Buffer
		if err := json.Indent(&got, tool.Schema(false), "", "  "); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		got.WriteByte('\n')
		file := filepath.Join("..", "..", "tools", "testdata", "snap", tool.Name+".json")
		want, err := os.ReadFile(file)
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil || !bytes.Equal(want, got.Bytes()) {
			t.Errorf("%s: the schema is not the kept one (-update rewrites it): %v", tool.Name, err)
		}
	}
}

// TestSchemasAreWhatClientsAccept checks the shapes that clients are known to refuse or drop.
func TestSchemasAreWhatClientsAccept(t *testing.T) {
	t.Parallel()
	toolName, property := regexp.MustCompile(`^[a-z0-9_]+$`), regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	for _, tool := range allTools(t) {
		if err := tool.Check(); err != nil {
			t.Error(err)
		}
		for _, readOnly := range []bool{false, true} {
			raw := tool.Schema(readOnly)
			var s struct {
				Name, Title, Description string
				InputSchema              map[string]json.RawMessage
				Annotations              map[string]any
			}
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			if !toolName.MatchString(s.Name) || strings.Contains(s.Name, "__") || len("mcp__hanzo-mcp__"+s.Name) > 64 {
				t.Errorf("name %q", s.Name)
			}
			if len(s.Description) == 0 || len(s.Description) > 1024 || len(raw) > 4096 {
				t.Errorf("%s: description of %d bytes, tool of %d", s.Name, len(s.Description), len(raw))
			}
			if string(s.InputSchema["type"]) != `"object"` || s.InputSchema["properties"] == nil || len(s.InputSchema) != 2 {
				t.Errorf("%s: inputSchema %s", s.Name, raw)
			}
			var properties map[string]struct{ Type, Description string }
			if err := json.Unmarshal(s.InputSchema["properties"], &properties); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
			for name, p := range properties {
				if !property.MatchString(name) || (name != "action" && p.Description == "") {
					t.Errorf("%s: property %q %+v", s.Name, name, p)
				}
			}
			for _, hint := range []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
				if _, ok := s.Annotations[hint]; !ok {
					t.Errorf("%s: no annotation %s", s.Name, hint)
				}
			}
			if readOnly && s.Annotations["readOnlyHint"] != true {
				t.Errorf("%s: readOnlyHint under --read-only: %v", s.Name, s.Annotations)
			}
		}
	}
}

// TestOddArgumentsAreAnswered: whatever stands for the arguments, the answer names what is wrong, and nothing breaks.
func TestOddArgumentsAreAnswered(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	for name, arguments := range map[string]string{
		"list": `[]`, "string": `"x"`, "number": `7`, "true": `true`,
	} {
		got := c.ask("1", "tools/call", `{"name":"fs","arguments":`+arguments+`}`)
		if !strings.Contains(got, "-32602") && !strings.Contains(got, "INVALID_PARAMS") {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, tool := range []string{"fs", "exec", "git"} {
		for _, params := range []string{`{"name":"` + tool + `"}`, `{"name":"` + tool + `","arguments":null}`, `{"name":"` + tool + `","arguments":{}}`} {
			if r := parseResult(t, c.ask("2", "tools/call", params)); !strings.Contains(r.Payload, "Actions:") {
				t.Errorf("%s: %+v", params, r)
			}
		}
	}
	for _, path := range []string{`123`, `["a"]`, `{}`, `true`} {
		r := parseResult(t, c.ask("3", "tools/call", `{"name":"fs","arguments":{"action":"read","path":`+path+`}}`))
		if r.Error.Code != "INVALID_PARAMS" || !strings.Contains(r.Error.Message, "path") || strings.Contains(r.Error.Message, "goroutine") {
			t.Errorf("path %s: %+v", path, r.Error)
		}
	}
	for _, arguments := range []string{`{"action":"read"}`, `{"action":"read","path":null}`} {
		r := parseResult(t, c.ask("4", "tools/call", `{"name":"fs","arguments":`+arguments+`}`))
		if r.OK || !strings.Contains(r.Error.Message, "path") {
			t.Errorf("%s: %+v", arguments, r.Error)
		}
	}
	c.alive()
}

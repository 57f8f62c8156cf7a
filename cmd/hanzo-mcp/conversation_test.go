package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

var update = flag.Bool("update", false, "rewrite the conversations and snapshots")

// TestConversation replays what a client of each protocol revision says and compares all that comes back. In the
// files, "> " is what the client sends, "< " what the server answered; -update rewrites the answers.
func TestConversation(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/conversation/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := converse(t, string(text))
			if got == string(text) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("the conversation went otherwise (-update rewrites it):\n%s", got)
		})
	}
}

// converse sends each "> " line and puts what comes back behind it.
func converse(t *testing.T, text string) string {
	d := fakedoor.Start(t, fakedoor.Script{
		Tools: []string{`{"name":"describe","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
			`{"name":"agents","inputSchema":{"type":"object"}}`},
		TTL: "600000",
		Results: map[string]string{
			"agents": `{"content":[{"type":"text","text":"done"}],"resultType":"complete"}`,
			"ask":    `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s1"}`,
		},
	})
	c := start(t, []string{"HANZO_MCP_DOOR=" + d.URL()}, "--tools", "mode", "--sandbox", "workspace")
	idOf := regexp.MustCompile(`"id":("[^"]*"|[0-9]+)`)
	var out bytes.Buffer
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "< ") {
			continue
		}
		out.WriteString(line + "\n")
		message, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		c.raw(message + "\n")
		if m := idOf.FindStringSubmatch(message); m != nil && strings.Contains(message, `"method"`) {
			out.WriteString("< " + scrub(c.wait(m[1])) + "\n")
			// The first reply sets off the fetch of the list.
			waitFor(t, 10e9, "the door's list", func() bool { return len(d.Requests("tools/list")) == 1 })
		}
	}
	return out.String()
}

// scrub replaces what differs from run to run.
func scrub(line string) string {
	for pattern, with := range map[string]string{
		`"ttlMs":[1-9][0-9]*`:                    `"ttlMs":N`,
		`\\"duration_ms\\":[0-9]+`:               `\"duration_ms\":N`,
		`("name":"hanzo-mcp","version":)"[^"]*"`: `$1"V"`,
		`http://127\.0\.0\.1:[0-9]+`:             `http://DOOR`,
		`"instructions":"(?:[^"\\]|\\.)*"`:       `"instructions":"I"`,
	} {
		line = regexp.MustCompile(pattern).ReplaceAllString(line, with)
	}
	return line
}

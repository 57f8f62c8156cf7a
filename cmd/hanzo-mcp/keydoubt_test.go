package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// A key that nobody filled in is told of once and takes no word out of what the model sees; the good one behind it is used.
func TestKeyThatIsNone(t *testing.T) {
	t.Parallel()
	const key, code = "hk-0123456789abcdef", "if (x === undefined) { return undefined }"
	c, d := withDoor(t, fakedoor.Script{Token: key, Results: map[string]string{"t": `{"content":[{"type":"text","text":"undefined"}]}`}},
		[]string{"HANZO_API_KEY=undefined", "HANZO_TOKEN=" + key}, "--log-level", "warn")
	if err := os.WriteFile(filepath.Join(c.dir, "a.js"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.ask(`"k"`, "tools/call", `{"name":"t","arguments":{}}`); !strings.Contains(got, `"text":"undefined"`) {
		t.Error(got)
	}
	if got := c.do("fs", `{"action":"read","path":"a.js"}`); !strings.Contains(got.Payload, code) {
		t.Errorf("%+v", got)
	}
	for _, r := range d.Requests("tools/call") {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Error(got)
		}
	}
	waitFor(t, 20*time.Second, "the line", func() bool { return strings.Contains(c.stderr.String(), "HANZO_API_KEY counts as not set") })
	if n := strings.Count(c.stderr.String(), "HANZO_"); n != 1 {
		t.Errorf("%d lines: %s", n, c.stderr)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A rule on an action holds for another one that does its work.
func TestRulesHoldForTheSameWork(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"permissions":{"fs.rm":"deny","fs.mv":"deny","fs.write":"deny"}}`)}, "--no-door", "--sandbox", "workspace")
	if err := os.WriteFile(filepath.Join(c.dir, "f"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, body := range []string{`*** Delete File: f`, `*** Update File: f\n*** Move to: g`, `*** Add File: n\n+x`} {
		got := c.ask(strconv.Itoa(i), "tools/call", `{"name":"fs","arguments":{"action":"patch","patch":"*** Begin Patch\n`+body+`\n*** End Patch"}}`)
		if !strings.Contains(got, "PERMISSION_DENIED") {
			t.Errorf("%s: %s", body, got)
		}
	}
	if got := c.ask("9", "tools/call", `{"name":"fs","arguments":{"action":"patch","patch":"*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"}}`); !strings.Contains(got, `\"ok\":true`) {
		t.Error(got)
	}
}

// So does one on deleting for what deletes under another name, and one on requests for a fetch that sends.
func TestRulesHoldForOtherNames(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"permissions":{"tasks.delete":"deny","memory.delete":"deny","fetch.request":"deny","tasks.add":"allow"}}`)}, "--no-door", "--sandbox", "workspace")
	for i, call := range []string{
		`{"name":"tasks","arguments":{"action":"batch","operations":[{"op":"add","content":"x"},{"op":"remove","id":"1"}]}}`,
		`{"name":"memory","arguments":{"action":"forget","key":"k"}}`,
		`{"name":"memory","arguments":{"action":"clear","confirm":true}}`,
		`{"name":"fetch","arguments":{"url":"http://127.0.0.1:9/","method":"POST","body":"x"}}`,
		`{"name":"fetch","arguments":{"action":"post","url":"http://127.0.0.1:9/"}}`,
	} {
		if got := c.ask(strconv.Itoa(i), "tools/call", call); !strings.Contains(got, "PERMISSION_DENIED") {
			t.Errorf("%s: %s", call, got)
		}
	}
	for i, call := range []string{
		`{"name":"tasks","arguments":{"action":"batch","operations":[{"op":"add","content":"x"}]}}`,
		`{"name":"fetch","arguments":{"url":"http://127.0.0.1:9/"}}`,
	} {
		if got := c.ask(strconv.Itoa(10+i), "tools/call", call); strings.Contains(got, "PERMISSION_DENIED") {
			t.Errorf("%s: %s", call, got)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The log's name comes from a client's settings, which expand no ~ and keep blanks; its folder is made.
func TestAuditLogIsNamed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for given, want := range map[string]string{"~/logs/a.jsonl": home + "/logs/a.jsonl", " " + home + "/b.jsonl ": home + "/b.jsonl", " ": ""} {
		c := start(t, []string{"HOME=" + home, "HANZO_MCP_AUDIT_LOG=" + given}, "--no-door")
		c.do("mode", `{"action":"current"}`)
		if _, err := os.Stat(want); want != "" && err != nil {
			t.Errorf("%q: %v", given, err)
		}
		if left, err := filepath.Glob(filepath.Join(c.dir, "[~ ]*")); err != nil || len(left) > 0 {
			t.Errorf("%q: %v %v", given, left, err)
		}
	}
}

// Limits with blanks around them are limits.
func TestTrimmedVariables(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HANZO_MCP_DOOR_TIMEOUT": "2s ", "HANZO_MCP_MAX_MESSAGE_BYTES": " 70000 ", "HOME": " x"}
	getenv := trimmed(func(name string) string { return env[name] })
	if faults := limitFaults(getenv); len(faults) > 0 || messageLimit(getenv) != 70000 || getenv("HOME") != " x" {
		t.Errorf("%v, %d bytes, HOME %q", faults, messageLimit(getenv), getenv("HOME"))
	}
}

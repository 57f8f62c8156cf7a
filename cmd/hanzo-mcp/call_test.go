package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// TestCallSendsTheHeadersOfATool: one call on the command line learns, as a session does, which arguments the tool wants
// in headers too; a door refuses it without them.
func TestCallSendsTheHeadersOfATool(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Conformance())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "call", "test_x_mcp_header", `{"region":"us-west1"}`)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "HANZO_MCP_DOOR=" + d.URL()}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("the header was right")) {
		t.Errorf("%v: %s", err, out)
	}
	calls := d.Requests("tools/call")
	if len(calls) != 1 || calls[0].Header.Get("Mcp-Param-Region") != "us-west1" {
		t.Errorf("%d calls, headers %v", len(calls), calls[0].Header)
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// TestReadmeCommands runs every `hanzo-mcp …` line of the README, in order, in one project.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	d := fakedoor.Start(t, fakedoor.Script{})
	home, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(text), "\n") {
		command, ok := strings.CutPrefix(line, "    hanzo-mcp ")
		if !ok {
			continue
		}
		command, _, _ = strings.Cut(command, " #")
		n++
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		cmd := shellWords(ctx, t, strings.TrimSpace(command))
		cmd.Dir = dir
		cmd.Env = append([]string{asProgram + "=1"}, "HOME="+home, "PATH="+os.Getenv("PATH"), "HANZO_MCP_DOOR="+d.URL())
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Errorf("hanzo-mcp %s: %v\n%s", command, err, &out)
		}
		cancel()
	}
	if n < 6 {
		t.Errorf("the README has only %d commands", n)
	}
}

// shellWords is this program with arguments as a shell would read them: only single quotes are known.
func shellWords(ctx context.Context, t *testing.T, line string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return exec.CommandContext(ctx, self, words...)
}

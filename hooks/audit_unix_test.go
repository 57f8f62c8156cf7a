//go:build unix

package hooks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

func TestAuditLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a, err := OpenAudit(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Log(Entry{
		Time:    time.Date(2026, 7, 28, 12, 0, 0, 5, time.FixedZone("", 7200)),
		Subject: Subject{Tool: "git", Action: "push", Local: true}, SessionID: "s1", Outcome: "denied",
		Verdict: Verdict{Mode: Deny, Rule: "git.<push>", Tier: "user", Reason: "not\nfrom here"},
	})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"timestamp":"2026-07-28T10:00:00.000000005Z","tool_name":"git","action":"push","mode":"deny","rule_matched":"git.<push>","tier":"user","reason":"not\nfrom here","session_id":"s1","outcome":"denied"}` + "\n"
	if string(got) != want {
		t.Errorf("got  %swant %s", got, want)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o, want 600", info.Mode().Perm())
	}
}

func TestAuditAppendsWholeLinesFromMany(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	const writers, lines = 8, 200
	var wg sync.WaitGroup
	for w := range writers {
		a, err := OpenAudit(path, func(line string) { t.Error(line) }) // each its own descriptor, as processes have
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		for range 2 {
			wg.Go(func() {
				for i := range lines / 2 {
					a.Log(Entry{Subject: Subject{Tool: strings.Repeat("n", i*10), Action: "\xff"}, SessionID: fmt.Sprint(w)})
				}
			})
		}
	}
	wg.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for scanner := bufio.NewScanner(bytes.NewReader(text)); scanner.Scan(); count++ {
		var entry map[string]string
		if err := json.Unmarshal(scanner.Bytes(), &entry); err != nil {
			t.Fatalf("line %d: %v", count+1, err)
		}
		if len(entry["tool_name"]) > maxAuditField+len("…") {
			t.Fatalf("line %d: a name of %d bytes", count+1, len(entry["tool_name"]))
		}
	}
	if count != writers*lines || !utf8.Valid(text) {
		t.Errorf("%d lines, want %d; valid UTF-8 %v", count, writers*lines, utf8.Valid(text))
	}
}

func TestAuditRefusesWhatOthersControl(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file("target", 0o600), link); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "made"), dangling); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	cases := map[string]string{
		"a link": link, "a dangling link": dangling, "a directory": dir, "a pipe with a reader": fifo,
		"group-writable": file("group", 0o620), "world-writable": file("world", 0o602), "no folder": filepath.Join(file("no-folder", 0o600), "log"),
	}
	if os.Geteuid() == 0 {
		foreign := file("foreign", 0o600)
		if err := os.Chown(foreign, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		cases["another user's"] = foreign
	}
	for name, path := range cases {
		if a, err := OpenAudit(path, nil); err == nil {
			t.Errorf("%s was accepted", name)
			_ = a.Close()
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "made")); err == nil {
		t.Error("a file was made through a link")
	}
	a, err := OpenAudit(file("readable", 0o644), nil)
	if err != nil {
		t.Errorf("a file that others may read: %v", err)
	}
	_ = a.Close()
}

// The log's folder is made, for its owner alone.
func TestAuditMakesItsFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "b")
	a, err := OpenAudit(filepath.Join(folder, "log"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

func TestFailingAuditIsToldOnce(t *testing.T) {
	t.Parallel()
	var told []string
	a, err := OpenAudit(filepath.Join(t.TempDir(), "log"), func(line string) { told = append(told, line) })
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a.Log(Entry{Subject: Subject{Tool: "fs"}})
	}
	if len(told) != 1 || !strings.Contains(told[0], "audit log") {
		t.Errorf("told %q, want one line", told)
	}
	var none *Audit
	none.Log(Entry{})
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

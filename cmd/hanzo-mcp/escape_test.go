package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// sample values for parameters that are no paths, so that a call gets as far as using its paths. A parameter
// without one gets a value of its type.
var samples = map[string]string{
	"command": `"true"`, "edits": `[{"old_text":"S","new_text":"T"}]`, "old_text": `"SECRET"`, "new_text": `"CHANGED"`, "content": `"CHANGED"`,
	"query": `"SECRET"`, "pattern": `"*"`, "patch": `"*** Begin Patch\n*** Add File: ok-added\n+x\n*** End Patch"`, "confirm": `true`, "overwrite": `true`,
	"recursive": `true`, "force": `true`, "message": `"m"`, "name": `"x"`, "ref": `"HEAD"`, "url": `"http://127.0.0.1:9/x"`, "text": `"x"`, "kind": `"text"`,
	"base_hash": ``, "expected_count": ``, "sha256": ``, "dry_run": ``, "encoding": ``, "proc_id": ``, "timeout": `2000`, "match": ``, "cursor": ``, "method": ``,
	"sub_action": ``, "lines": ``, "type": ``, "sort": ``, "severity": ``, "format": ``, "stdin": ``, "shell": ``, "env": ``, "until": ``,
}

// TestNoPathLeavesTheRoots tries every path parameter of every action of every tool with every way out that is
// known. Nothing outside is shown, nothing outside changes. Actions and parameters join by being declared.
func TestNoPathLeavesTheRoots(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	w, o := filepath.Join(base, "repo"), filepath.Join(base, "repo-evil")
	home := filepath.Join(base, "home")
	for _, dir := range []string{w, o, home, filepath.Join(w, "real"), filepath.Join(o, "sub")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(w, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(o, "s.go"), "package SECRET\n\nfunc SECRETFunc() {}\n")
	write(filepath.Join(home, "s.go"), "package SECRET\n")
	write(filepath.Join(w, "ok.go"), "package ok\n")
	link(filepath.Join(o, "s.go"), "filelink")
	link(o, "dirlink")
	link("../repo-evil", "rellink")
	link(filepath.Join(o, "made-by-dangling"), "dangling")
	link("/proc/self/root", "procroot")
	before := snapshotOf(t, o) + snapshotOf(t, home)

	c := startIn(t, w, []string{"HOME=" + home}, "--no-door", "--sandbox", "workspace")
	out := filepath.Join(o, "s.go")
	ways := map[string]string{
		"up":                "../repo-evil/s.go",
		"up and down":       "real/../../repo-evil/s.go",
		"absolute":          out,
		"prefix sibling":    w + "-evil/s.go",
		"folder":            o,
		"new file":          filepath.Join(o, "new.go"),
		"file link":         "filelink",
		"through a link":    "dirlink/s.go",
		"linked folder":     "dirlink",
		"relative link":     "rellink/s.go",
		"new through link":  "dirlink/new.go",
		"new folder there":  "dirlink/newdir/new.go",
		"dangling link":     "dangling",
		"NUL":               "ok.go\x00/../../repo-evil/s.go",
		"file URI":          "file://" + out,
		"file URI, encoded": "file://" + strings.ReplaceAll(out, "s.go", "%73.go"),
		"file URI, dots":    "file://" + w + "/%2e%2e/repo-evil/s.go",
		"percent":           "%2e%2e/repo-evil/s.go",
		"backslashes":       `..\repo-evil\s.go`,
		"proc root":         "/proc/self/root" + out,
		"proc cwd":          "/proc/self/cwd/../repo-evil/s.go",
		"link to proc":      "procroot" + out,
		"home":              "~/s.go",
		"home of root":      "~root/x",
		"look-alike dots":   "\u2025/repo-evil/s.go",
		"full-width slash":  "..\uff0frepo-evil\uff0fs.go",
		"case variant":      strings.ToUpper(w) + "-EVIL/s.go",
		"trailing slash up": "./../repo-evil/./s.go",
	}
	tried := 0
	for _, tool := range allTools(t) {
		for i := range tool.Actions {
			a := &tool.Actions[i]
			for _, p := range tool.Params {
				if p.Path == tools.NoPath || !slices.Contains(a.Params(), p.Name) {
					continue
				}
				for way, path := range ways {
					tried++
					args := sampleArguments(tool, a, p, path)
					got := c.ask(fmt.Sprint(tried), "tools/call", `{"name":"`+tool.Name+`","arguments":`+args+`}`)
					if strings.Contains(got, "SECRET") && !strings.Contains(args, "SECRET") || strings.Contains(got, "package SECRET") {
						t.Errorf("%s.%s %s %s: shown: %.400s", tool.Name, a.Name, p.Name, way, got)
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Fatalf("only %d ways were tried", tried)
	}
	t.Logf("%d calls", tried)
	if after := snapshotOf(t, o) + snapshotOf(t, home); after != before {
		t.Errorf("something outside changed:\nbefore\n%s\nafter\n%s", before, after)
	}
	c.alive()
}

func sampleArguments(tool *tools.Tool, a *tools.Action, bad tools.Param, path string) string {
	args := map[string]json.RawMessage{"action": mustJSON(a.Name)}
	for _, name := range a.Params() {
		p := tool.Params[slices.IndexFunc(tool.Params, func(p tools.Param) bool { return p.Name == name })]
		value, known := samples[name]
		switch {
		case name == bad.Name && p.Type == "array":
			args[name] = mustJSON([]string{path})
		case name == bad.Name:
			args[name] = mustJSON(path)
		case p.Path != tools.NoPath && p.Type == "array":
			// the others stay away: one path at a time
		case p.Path != tools.NoPath && name == "path":
			args[name] = mustJSON("ok.go")
		case known && value != "":
			args[name] = json.RawMessage(value)
		}
	}
	return string(mustJSON(args))
}

// snapshotOf lists all that is below a folder, with contents and modes.
func snapshotOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.Contains(path, ".local") || strings.Contains(path, ".cache") || strings.Contains(path, ".hanzo") {
			return nil // the server's own state
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", path, info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

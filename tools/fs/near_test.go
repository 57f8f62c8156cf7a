package fs

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A name that was hardly meant makes nothing, and the error says what was meant.
func TestNamesThatWereNotMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("src/a", "A")
	for given, want := range map[string]string{
		"q.txt ": "q.txt", "nl.txt\n": "nl.txt", "dir/": "dir",
		"~root/z": "", "$HOME/z": "z", "${workspaceFolder}/sub/z": "sub/z", "%USERPROFILE%/z": "z", `C:\Users\me\a.txt`: "", "C:/a.txt": "", `src\main.go`: "src/main.go",
	} {
		if runtime.GOOS == "windows" && strings.ContainsAny(given, `\:~$%`) {
			continue
		}
		r := w.refused(tools.InvalidParams, "write", args{"path": given, "content": "x"})
		if r.Envelope.Error.Details.Suggestion != want {
			t.Errorf("%q: %q, want %q", given, r.Envelope.Error.Details.Suggestion, want)
		}
		if given != "dir/" {
			w.refused(tools.InvalidParams, "mkdir", args{"path": given})
			w.refused(tools.InvalidParams, "cp", args{"path": "src/a", "destination": given})
		}
		if !strings.Contains(given, "\n") {
			w.refused(tools.InvalidParams, "patch", args{"patch": patchOf("*** Add File: " + strings.TrimSuffix(given, " ") + "/\n+x")})
		}
	}
	if got := w.names("."); got != "src" {
		t.Error(got)
	}
	for _, given := range []string{"$x", "a~", "a b.txt", "100%", "$lib/there", "[id]/$slug.tsx"} {
		if given == "$lib/there" {
			w.put("$lib/x", "")
		}
		if given != "$x" {
			w.ok("write", args{"path": given, "content": "x"})
		}
	}
}

func TestMissingFileIsFoundUnderItsRightName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("sub/f.txt", "x")
	w.link("none", "dangling")
	for _, given := range []string{"sub/f.txt:1", "sub/f.txt:12:3", "sub/f.txt:1-2", `"sub/f.txt"`, " sub/f.txt", "@sub/f.txt", "/sub/f.txt", `sub\f.txt`, "sub/f.tx"} {
		if runtime.GOOS == "windows" && strings.ContainsAny(given, `\:"`) {
			continue
		}
		r := w.call("read", args{"path": given})
		if r.Envelope.OK || r.Envelope.Error.Details.Nearest != "sub/f.txt" {
			t.Errorf("%s: %+v", given, r.Envelope.Error)
		}
	}
	r := w.refused(tools.NotFound, "read", args{"path": "dangling"})
	if m := r.Envelope.Error.Message; !strings.Contains(m, "a link to none, which does not exist") {
		t.Error(m)
	}
	w.link("c2", "c1")
	w.link("c1", "c2")
	if r := w.ok("stat", args{"path": "c1"}); r.data["target_type"] != "cycle" {
		t.Errorf("%v", r.data)
	}
}

// Many names that are missing, among many others, take no time and no room beyond measure.
func TestReadOfManyMissingFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 1000 {
		if err := os.WriteFile(w.abs(fmt.Sprintf("%s%03d", strings.Repeat("abcdefghij", 12), i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var missing []string
	for i := range maxFiles {
		missing = append(missing, fmt.Sprintf("%s%03d", strings.Repeat("abcdefghik", 18), i))
	}
	start := time.Now()
	r := w.call("read", args{"paths": missing})
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if n := r.size(t); r.Envelope.OK || n > tools.DefaultChars+4000 {
		t.Errorf("ok %t, %d characters", r.Envelope.OK, n)
	}
	r = w.call("read", args{"paths": missing[:4]})
	if !strings.Contains(fmt.Sprint(r.data), "no such file") {
		t.Error(r.data)
	}
}

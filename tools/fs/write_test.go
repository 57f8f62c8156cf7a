package fs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.ok("write", args{"path": "new/dir/f.txt", "content": "a\n"})
	w.is("new/dir/f.txt", "a\n")
	if r.data["created"] != true || r.data["hash"] != hashOf([]byte("a\n")) || r.Text != "" {
		t.Errorf("%v %q", r.data, r.Text)
	}
	r = w.refused(tools.Conflict, "write", args{"path": "new/dir/f.txt", "content": "b\n"})
	if !strings.Contains(r.Envelope.Error.Message, "overwrite:true") {
		t.Error(r.Envelope.Error)
	}
	w.is("new/dir/f.txt", "a\n")
	r = w.ok("write", args{"path": "new/dir/f.txt", "content": "b\n", "overwrite": true})
	if r.data["previous_hash"] != hashOf([]byte("a\n")) || !strings.Contains(r.Text, "-a\n+b\n") {
		t.Errorf("%v %q", r.data, r.Text)
	}
	w.ok("write", args{"path": "new/dir/f.txt", "content": "c", "append": true})
	w.is("new/dir/f.txt", "b\nc")
	w.ok("write", args{"path": "fresh", "content": "x", "append": true})
	w.is("fresh", "x")
	w.refused(tools.NotFound, "write", args{"path": "no/such/f", "content": "x", "mkdirs": false})
	r = w.refused(tools.InvalidParams, "write", args{"path": "f"})
	if r.Envelope.Error.Details.Param != "content" {
		t.Error(r.Envelope.Error)
	}
	w.ok("write", args{"path": "empty", "content": ""})
	w.is("empty", "")
	w.ok("write", args{"path": "bin", "content": base64.StdEncoding.EncodeToString([]byte{0, 1, 255}), "encoding": "base64"})
	w.is("bin", "\x00\x01\xff")
	w.refused(tools.InvalidParams, "write", args{"path": "bin2", "content": "***", "encoding": "base64"})
	w.ok("write", args{"path": "a..b.txt", "content": "dots"})
	w.ok("write", args{"path": "x~", "content": "tilde"})
	w.is("x~", "tilde")
}

func TestLargeFilesAreReplacedButNotEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("big", "")
	if err := os.Truncate(w.abs("big"), maxEdit+1); err != nil {
		t.Skip(err)
	}
	w.refused(tools.TooLarge, "apply_patch", args{"path": "big", "old_text": "a", "new_text": "b"})
	w.refused(tools.TooLarge, "write", args{"path": "big", "content": "x", "append": true})
	w.refused(tools.TooLarge, "write", args{"path": "big", "content": "x"})
	if r := w.ok("write", args{"path": "big", "content": "x", "overwrite": true}); r.data["hash"] != hashOf([]byte("x")) || r.data["created"] != nil {
		t.Errorf("%v", r.data)
	}
	w.is("big", "x")
}

func TestDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "a\n")
	w.put("d/g", "x")
	before, _ := os.Stat(w.abs("f"))
	for _, c := range []struct {
		action string
		args   args
	}{
		{"write", args{"path": "f", "content": "b\n", "overwrite": true}},
		{"write", args{"path": "new", "content": "b\n"}},
		{"apply_patch", args{"path": "f", "old_text": "a", "new_text": "b"}},
		{"patch", args{"patch": "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** Add File: n/new\n+x\n*** Delete File: d/g\n*** End Patch"}},
		{"mkdir", args{"path": "m"}}, {"mv", args{"path": "f", "destination": "g"}}, {"cp", args{"path": "f", "destination": "g"}},
		{"rm", args{"path": "d", "recursive": true}}, {"rm", args{"path": "f"}},
	} {
		c.args["dry_run"] = true
		r := w.ok(c.action, c.args)
		if r.data["dry_run"] != true {
			t.Errorf("%s: %v", c.action, r.data)
		}
	}
	w.is("f", "a\n")
	after, _ := os.Stat(w.abs("f"))
	if w.names(".") != "d f" || w.names("d") != "g" || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("%s, %s", w.names("."), w.names("d"))
	}
	w.refused(tools.InvalidParams, "write", args{"path": "f", "content": "b", "overwrite": true, "dryrun": true})
}

func TestBaseHash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "a\n")
	hash := hashOf([]byte("a\n"))
	w.ok("apply_patch", args{"path": "f", "old_text": "a", "new_text": "b", "base_hash": hash[:7+16]})
	for action, a := range map[string]args{
		"apply_patch": {"path": "f", "old_text": "b", "new_text": "c"},
		"write":       {"path": "f", "content": "c", "overwrite": true},
		"patch":       {"patch": "*** Begin Patch\n*** Update File: f\n@@\n-b\n+c\n*** End Patch"},
	} {
		a["base_hash"] = hash
		r := w.refused(tools.Conflict, action, a)
		if r.Envelope.Error.Details.Actual != hashOf([]byte("b\n")) {
			t.Errorf("%s does not give the present hash: %+v", action, r.Envelope.Error.Details)
		}
		a["base_hash"] = "abc"
		w.refused(tools.InvalidParams, action, a)
	}
	w.refused(tools.Conflict, "write", args{"path": "gone", "content": "c", "base_hash": hash})
	w.is("f", "b\n")
}

func TestFullWriteKeepsTheEncoding(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, content, want, warning string }{
		{"mark kept", "\xef\xbb\xbfold", "new", "\xef\xbb\xbfnew", ""},
		{"mark not doubled", "\xef\xbb\xbfold", "\ufeffnew", "\xef\xbb\xbfnew", ""},
		{"utf-16", "\xff\xfeo\x00", "nä", "\xff\xfen\x00\xe4\x00", ""},
		{"windows-1252", "caf\xe9 au lait", "thé", "th\xe9", ""},
		{"windows-1252 that cannot hold it", "caf\xe9 au lait", "日本", "日本", "now UTF-8"},
		{"line endings as given", "a\r\nb\r\n", "a\nb\n", "a\nb\n", "CRLF"},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.put("f", tt.old)
		r := w.ok("write", args{"path": "f", "content": tt.content, "overwrite": true})
		w.is("f", tt.want)
		if tt.warning == "" != (len(r.Envelope.Meta.Warnings) == 0) || !r.warned(tt.warning) && tt.warning != "" {
			t.Errorf("%s: %q", tt.name, r.Envelope.Meta.Warnings)
		}
	}
	w := newWorld(t)
	w.put("f", "\xff\xfea\x00")
	w.ok("write", args{"path": "f", "content": "b", "append": true})
	w.is("f", "\xff\xfea\x00b\x00")
}

func TestLinksAreWrittenThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("real.md", "one\n")
	if err := os.Chmod(w.abs("real.md"), 0o750); err != nil {
		t.Fatal(err)
	}
	w.link("real.md", "link")
	w.ok("apply_patch", args{"path": "link", "old_text": "one", "new_text": "two"})
	w.is("real.md", "two\n")
	w.ok("write", args{"path": "link", "content": "three\n", "overwrite": true})
	w.ok("patch", args{"patch": "*** Begin Patch\n*** Update File: link\n@@\n-three\n+four\n*** End Patch"})
	w.is("real.md", "four\n")
	fi, err := os.Lstat(w.abs("link"))
	if err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", fi.Mode(), err)
	}
	if fi, err = os.Stat(w.abs("real.md")); err != nil || fi.Mode().Perm() != 0o750 {
		t.Errorf("mode %v", fi.Mode())
	}
}

func TestNothingIsWrittenOutside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(w.O+"/f", "OUT\n")
	w.put("in", "IN\n")
	w.link(w.O, "d")
	w.link(w.O+"/f", "l")
	for _, c := range []struct {
		action string
		args   args
	}{
		{"stat", args{"path": "d/f"}}, {"list", args{"path": "d"}}, {"write", args{"path": "d/f", "content": "x", "overwrite": true}}, {"write", args{"path": "d/new", "content": "x"}},
		{"rm", args{"path": "d/f"}}, {"mv", args{"path": "d/f", "destination": "x"}}, {"mv", args{"path": "in", "destination": "d/x"}}, {"cp", args{"path": "d/f", "destination": "x"}},
		{"cp", args{"path": "in", "destination": "d/x"}}, {"apply_patch", args{"path": "d/f", "old_text": "OUT", "new_text": "x"}}, {"search_text", args{"path": "d", "query": "OUT"}},
		{"find", args{"path": "d", "pattern": "*"}}, {"mkdir", args{"path": "d/m"}}, {"apply_patch", args{"path": "l", "old_text": "OUT", "new_text": "x"}},
		{"write", args{"path": "l", "content": "x", "overwrite": true}}, {"write", args{"path": "../O/g", "content": "x"}}, {"write", args{"path": "~/g", "content": "x"}},
	} {
		r := w.call(c.action, c.args)
		if r.Envelope.OK || r.Envelope.Error.Code != tools.PermissionDenied || strings.Contains(r.Text, "OUT") {
			t.Errorf("%s %v: %q %+v", c.action, c.args, r.Text, r.Envelope.Error)
		}
	}
	w.is(w.O+"/f", "OUT\n")
	if got := w.names(w.O); got != "f" {
		t.Errorf("O holds %s", got)
	}
	if got := w.names("."); got != "d in l" {
		t.Errorf("W holds %s", got)
	}
}

func TestSettingsAreProtected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(".git/config", "x\n")
	w.put(".hanzo/settings.json", "{}\n")
	w.put("f", "f\n")
	for _, c := range []struct {
		action string
		args   args
	}{
		{"write", args{"path": ".hanzo/settings.json", "content": "x", "overwrite": true}}, {"apply_patch", args{"path": ".git/config", "old_text": "x", "new_text": "y"}},
		{"patch", args{"patch": "*** Begin Patch\n*** Update File: .git/config\n@@\n-x\n+y\n*** End Patch"}}, {"mv", args{"path": ".hanzo", "destination": "h"}},
		{"mv", args{"path": "f", "destination": ".git/hooks/pre-commit"}}, {"cp", args{"path": "f", "destination": ".mcp.json"}}, {"rm", args{"path": ".git", "recursive": true, "confirm": true}},
		{"rm", args{"path": ".git/config"}}, {"write", args{"path": ".claude/settings.json", "content": "x"}}, {"mkdir", args{"path": ".cursor"}},
	} {
		r := w.call(c.action, c.args)
		if r.Envelope.OK || r.Envelope.Error.Code != tools.PermissionDenied {
			t.Errorf("%s %v: %v %+v", c.action, c.args, r.data, r.Envelope.Error)
		}
	}
	w.is(".git/config", "x\n")
	w.is(".hanzo/settings.json", "{}\n")
	w.is("f", "f\n")
}

// Edits of one file at the same time: every one that says it was made is there (C109), with two servers too.
func TestEditsAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", numbered(40))
	other := newWorldAt(t, w)
	var wg sync.WaitGroup
	made := make([]bool, 40)
	for i := range 40 {
		server := w
		if i%2 == 1 {
			server = other
		}
		wg.Go(func() {
			r := server.call("apply_patch", args{"path": "f", "old_text": fmt.Sprintf("line %d\n", i+1), "new_text": fmt.Sprintf("LINE %d\n", i+1)})
			made[i] = r.Envelope.OK
			if !r.Envelope.OK {
				t.Errorf("edit %d: %v", i+1, r.Envelope.Error)
			}
		})
	}
	wg.Wait()
	text := w.get("f")
	for i, ok := range made {
		if ok != strings.Contains(text, fmt.Sprintf("LINE %d\n", i+1)) {
			t.Errorf("edit %d: said %t", i+1, ok)
		}
	}
	if got := w.names("."); got != "f" {
		t.Errorf("left behind: %s", got)
	}
}

func TestAnEditorsWriteInBetweenIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "old\n")
	p, err := w.roots.Resolve("f")
	if err != nil {
		t.Fatal(err)
	}
	c := &tools.Call{Roots: w.roots}
	for what, change := range map[string]func() error{
		"written": func() error { return os.WriteFile(w.abs("f"), []byte("someone else's\n"), 0o644) },
		"removed": func() error { return os.Remove(w.abs("f")) },
	} {
		l, err := load(t.Context(), c, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		before := w.names(".")
		_, err = put(t.Context(), c, p, l, []byte("mine\n"), sandbox.WriteOptions{})
		if err == nil || tools.AsError(err).Code != tools.Conflict {
			t.Errorf("%s: not seen: %v", what, err)
		}
		if w.names(".") != before {
			t.Errorf("%s: left behind %s", what, w.names("."))
		}
		w.put("f", "old\n")
	}
}

func TestWriteIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "old")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := tools.Invoke(ctx, w.tool, w.roots, w.session, `{"action":"write","path":"f","content":"new","overwrite":true}`)
	if out.Envelope.OK || out.Envelope.Error.Code != tools.Cancelled {
		t.Errorf("%+v", out.Envelope)
	}
	w.is("f", "old")
	if got := w.names("."); got != "f" {
		t.Errorf("left behind: %s", got)
	}
}

// TestMain can be the process that is killed while it writes.
func TestMain(m *testing.M) {
	if dir := os.Getenv("FS_TEST_WRITE_IN"); dir != "" {
		if err := writeForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForEver writes the file big of a root, wholly of one letter each time, and says when it has begun.
func writeForEver(dir string) error {
	roots, err := openRoots(dir)
	if err != nil {
		return err
	}
	tool := New(Config{})
	for i := 0; ; i++ {
		content, err := json.Marshal(strings.Repeat(string(rune('a'+i%26)), bigSize))
		if err != nil {
			return err
		}
		if i == 1 {
			fmt.Println("writing")
		}
		out := tools.Invoke(context.Background(), tool, roots, nil, `{"action":"write","path":"big","overwrite":true,"content":`+string(content)+`}`)
		if !out.Envelope.OK {
			return out.Envelope.Error
		}
	}
}

const bigSize = 4 << 20

// Killed at any moment, a write leaves the old file or the new one (C111).
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for i := range rounds {
		w.put("big", strings.Repeat("a", bigSize))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FS_TEST_WRITE_IN="+w.W)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 8)
		_, _ = out.Read(buf) // it writes now
		spin := i * 400_000  // a little later each time, without a clock
		for n := 0; n < spin; n++ {
			buf[n%8]++
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		text := w.get("big")
		if len(text) != bigSize || strings.Trim(text, text[:1]) != "" {
			t.Fatalf("round %d: %d bytes, neither old nor new", i, len(text))
		}
		left, err := filepath.Glob(w.abs(".hanzo-mcp-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

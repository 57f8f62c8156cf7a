package fs

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fs/patch"
)

func patchOf(body string) string { return "*** Begin Patch\n" + body + "\n*** End Patch\n" }

func (r reply) results() (list []string) {
	items, _ := r.data["results"].([]any)
	for _, i := range items {
		m := i.(map[string]any)
		list = append(list, m["op"].(string)+" "+m["path"].(string))
	}
	return list
}

func TestPatchOfSeveralFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("u.txt", "a\r\nb\r\nc")
	w.put("d.txt", "gone\n")
	w.put("m.txt", "1\n2\n")
	r := w.ok("patch", args{"patch": patchOf("*** Update File: u.txt\n@@\n a\n-b\n+B\n*** Add File: new/dir/n.txt\n+one\n+\n+two\n*** Delete File: d.txt\n*** Update File: m.txt\n*** Move to: moved/m.txt\n@@\n-1\n+one")})
	w.is("u.txt", "a\r\nB\r\nc")
	w.is("new/dir/n.txt", "one\n\ntwo\n")
	w.is("moved/m.txt", "one\n2\n")
	if got := w.names("."); got != "moved new u.txt" {
		t.Errorf("W holds %s", got)
	}
	if got := r.results(); !reflect.DeepEqual(got, []string{"update u.txt", "add new/dir/n.txt", "delete d.txt", "move moved/m.txt"}) {
		t.Errorf("%q", got)
	}
	first := r.data["results"].([]any)[0].(map[string]any)
	if first["hash"] != hashOf([]byte("a\r\nB\r\nc")) {
		t.Errorf("%v", first)
	}
	for _, part := range []string{"--- a/u.txt\n+++ b/u.txt\n", "--- /dev/null\n+++ b/new/dir/n.txt\n", "--- a/d.txt\n+++ /dev/null\n"} {
		if !strings.Contains(r.Text, part) {
			t.Errorf("the diff lacks %q:\n%s", part, r.Text)
		}
	}
}

// The first files of a patch must not stay changed when a later one fails (W14).
func TestPatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, patch string
		code        tools.Code
		says        string
	}{
		{"bad second hunk", patchOf("*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-MISS\n+x"), tools.NotFound, "b: hunk 1 of 1"},
		{"existing file added", patchOf("*** Update File: a\n@@\n-one\n+1\n*** Add File: b\n+x"), tools.Conflict, "exists"},
		{"folder added", patchOf("*** Add File: n\n+x\n*** Add File: dir\n+x"), tools.InvalidParams, "folder"},
		{"link added over", patchOf("*** Add File: n\n+x\n*** Add File: link\n+x"), tools.Conflict, "exists"},
		{"dangling link added over", patchOf("*** Add File: n\n+x\n*** Add File: dangling\n+x"), tools.Conflict, "link to nothing"},
		{"moved onto an existing file", patchOf("*** Update File: a\n*** Move to: b\n@@\n-one\n+1"), tools.Conflict, "exists"},
		{"missing file", patchOf("*** Add File: n\n+x\n*** Update File: none\n@@\n-a\n+b"), tools.NotFound, "none"},
		{"missing file deleted", patchOf("*** Add File: n\n+x\n*** Delete File: none"), tools.NotFound, "none"},
		{"way out", patchOf("*** Add File: n\n+x\n*** Add File: a/../../O/x\n+x"), tools.PermissionDenied, "outside"},
		{"absolute way out", patchOf("*** Add File: n\n+x\n*** Add File: $O/x\n+x"), tools.PermissionDenied, "outside"},
		{"way out by a link", patchOf("*** Add File: n\n+x\n*** Add File: out/x\n+x"), tools.PermissionDenied, "outside"},
		{"update of a way out", patchOf("*** Update File: a\n@@\n-one\n+1\n*** Update File: out/f\n@@\n-OUT\n+x"), tools.PermissionDenied, "outside"},
		{"delete of a way out", patchOf("*** Update File: a\n@@\n-one\n+1\n*** Delete File: out/f"), tools.PermissionDenied, "outside"},
		{"move to a way out", patchOf("*** Update File: a\n*** Move to: ../O/a\n@@\n-one\n+1"), tools.PermissionDenied, "outside"},
		{"unified way out", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ ../O/x\n@@ -0,0 +1 @@\n+x\n", tools.PermissionDenied, "outside"},
		{"protected file", patchOf("*** Add File: n\n+x\n*** Add File: .mcp.json\n+x"), tools.PermissionDenied, "read-only"},
		{"no patch", "hello", tools.InvalidParams, "line 1"},
		{"cut off", "*** Begin Patch\n*** Add File: n\n+x\n", tools.InvalidParams, "cut off"},
		{"deletion of other lines", "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n", tools.NotFound, "not found"},
		{"deletion of some lines", "--- a/twice\n+++ /dev/null\n@@ -1 +0,0 @@\n-same\n", tools.Conflict, "1 lines"},
		{"ambiguous", patchOf("*** Add File: n\n+x\n*** Update File: twice\n@@\n-same\n+x"), tools.Ambiguous, "2 places"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("a", "one\n")
			w.put("b", "two\n")
			w.put("twice", "same\nsame\n")
			w.put("dir/x", "x")
			w.put(w.O+"/f", "OUT\n")
			w.link("b", "link")
			w.link("nothing", "dangling")
			w.link(w.O, "out")
			before := w.names(".")
			r := w.refused(tt.code, "patch", args{"patch": strings.ReplaceAll(tt.patch, "$O", w.O)})
			if !strings.Contains(r.Envelope.Error.Message, tt.says) {
				t.Errorf("%q does not say %q", r.Envelope.Error.Message, tt.says)
			}
			w.is("a", "one\n")
			w.is("b", "two\n")
			w.is(w.O+"/f", "OUT\n")
			if got := w.names("."); got != before {
				t.Errorf("W holds %s", got)
			}
			if got := w.names(w.O); got != "f" {
				t.Errorf("O holds %s", got)
			}
		})
	}
}

// A failure in the middle of writing takes back what was written, new folders too.
func TestPatchIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "one\n")
	w.put("gone", "x\n")
	w.put("last", "y\n")
	files, err := patch.Parse(patchOf("*** Update File: a\n@@\n-one\n+1\n*** Add File: new/deep/n\n+x\n*** Delete File: gone\n*** Delete File: last"), "")
	if err != nil {
		t.Fatal(err)
	}
	s := &staging{c: &tools.Call{Roots: w.roots}, files: map[string]*staged{}}
	for i := range files {
		if _, err := s.stage(t.Context(), &files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.finish(); err != nil {
		t.Fatal(err)
	}
	// The last file goes away under the patch, so that its removal fails when all else is done.
	if err := os.Remove(w.abs("last")); err != nil {
		t.Fatal(err)
	}
	err = s.commit(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no file was changed") {
		t.Fatalf("%v", err)
	}
	w.is("a", "one\n")
	w.is("gone", "x\n")
	if got := w.names("."); got != "a gone" {
		t.Errorf("W holds %s", got)
	}
}

func TestPatchWithAFileForAFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "one\n")
	w.put("file", "x\n")
	r := w.call("patch", args{"patch": patchOf("*** Update File: a\n@@\n-one\n+1\n*** Add File: new/n\n+x\n*** Add File: file/under\n+x")})
	if r.Envelope.OK {
		t.Fatal("written")
	}
	w.is("a", "one\n")
	if got := w.names("."); got != "a file" {
		t.Errorf("W holds %s", got)
	}
}

func TestMoveOntoItselfKeepsTheFile(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"diary.md", "./diary.md", "folder/diary.md"} {
		w := newWorld(t)
		w.put("diary.md", "old\n")
		w.link(".", "folder")
		r := w.ok("patch", args{"patch": patchOf("*** Update File: diary.md\n*** Move to: " + to + "\n@@\n-old\n+new")})
		if got := r.results(); got[0] != "update "+to {
			t.Errorf("%q", got)
		}
		w.is("diary.md", "new\n")
		w.ok("patch", args{"patch": patchOf("*** Update File: diary.md\n*** Move to: " + to)})
		w.is("diary.md", "new\n")
		w.ok("mv", args{"path": "diary.md", "destination": to})
		w.is("diary.md", "new\n")
		w.ok("mv", args{"path": "diary.md", "destination": to, "overwrite": true})
		w.ok("cp", args{"path": "diary.md", "destination": to, "overwrite": true})
		w.is("diary.md", "new\n")
	}
}

func TestPatchOfOneFileInSeveralSections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "1\n2\n3\n")
	w.ok("patch", args{"patch": patchOf("*** Update File: a\n@@\n-1\n+one\n*** Update File: ./a\n@@\n-3\n+three\n*** Add File: b\n+x\n*** Update File: b\n@@\n-x\n+y")})
	w.is("a", "one\n2\nthree\n")
	w.is("b", "y\n")
	w.ok("patch", args{"patch": patchOf("*** Delete File: b\n*** Add File: b\n+z\n*** Update File: a\n*** Move to: c\n*** Update File: c\n@@\n-2\n+two")})
	w.is("b", "z\n")
	w.is("c", "one\ntwo\nthree\n")
	if got := w.names("."); got != "b c" {
		t.Errorf("W holds %s", got)
	}
}

func TestPatchKeepsEncodings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("u16", "\xff\xfea\x00\r\x00\n\x00b\x00")
	w.put("bom", "\xef\xbb\xbfa\r\nb\r\n")
	w.put("latin", "caf\xe9\nx")
	w.ok("patch", args{"patch": patchOf("*** Update File: u16\n@@\n a\n-b\n+ä\n*** Update File: bom\n@@\n-a\n+A\n*** Update File: latin\n@@\n café\n-x\n+thé")})
	w.is("u16", "\xff\xfea\x00\r\x00\n\x00\xe4\x00")
	w.is("bom", "\xef\xbb\xbfA\r\nb\r\n")
	w.is("latin", "caf\xe9\nth\xe9")
}

func TestUnifiedDiffs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("sub/f.txt", "a\nb\nc\n")
	w.put("old name", "x\n")
	w.put("dead", "y\n")
	diff := `diff --git a/sub/f.txt b/sub/f.txt
index 1..2 100644
--- a/sub/f.txt
+++ b/sub/f.txt
@@ -1,3 +1,3 @@
 a
-b
+B
 c
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git a/dead b/dead
deleted file mode 100644
--- a/dead
+++ /dev/null
@@ -1 +0,0 @@
-y
`
	// Given to apply_patch it is the same.
	r := w.ok("apply_patch", args{"old_text": diff})
	if got := r.results(); !reflect.DeepEqual(got, []string{"update sub/f.txt", "move new name", "delete dead"}) {
		t.Errorf("%q", got)
	}
	w.is("sub/f.txt", "a\nB\nc\n")
	w.is("new name", "x\n")
	if got := w.names("."); got != "new name sub" {
		t.Errorf("W holds %s", got)
	}
	w.ok("apply_patch", args{"path": "sub/f.txt", "patch": "@@ -1,2 +1,2 @@\n a\n-B\n+b\n"})
	w.is("sub/f.txt", "a\nb\nc\n")
	w.ok("apply_patch", args{"patch": patchOf("*** Update File: sub/f.txt\n@@\n-b\n+B")})
	w.is("sub/f.txt", "a\nB\nc\n")
	// What a change answered is a patch that undoes nothing and can be taken: reversed names aside, it applies to the old text.
	w.put("sub/f.txt", "a\nb\nc\n")
	w.ok("patch", args{"patch": r.Text[:strings.Index(r.Text, "--- a/old name")]})
	w.is("sub/f.txt", "a\nB\nc\n")
}

// A rule must see every file of a patch, wherever the patch stands in the call.
func TestPathsOfPatchesAreSeen(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	text := patchOf(`*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n*** Delete File: d`)
	text = strings.ReplaceAll(text, "\n", `\n`)
	for name, call := range map[string]string{
		"patch":             `{"action":"patch","patch":"` + text + `"}`,
		"patch in edit":     `{"action":"apply_patch","patch":"` + text + `"}`,
		"old_text":          `{"action":"edit","old_string":"` + text + `"}`,
		"with another path": `{"action":"patch","path":"z","patch":"` + text + `"}`,
		"broken":            `{"action":"patch","patch":"` + strings.ReplaceAll(text, `*** End Patch`, ``) + `"}`,
	} {
		c, err := tools.Prepare(tool, []byte(call), nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := " " + strings.Join(c.Paths(), " ") + " "
		for _, p := range []string{"a", "b", "c", "d"} {
			if !strings.Contains(seen, " "+p+" ") {
				t.Errorf("%s: %q lacks %s", name, seen, p)
			}
		}
	}
	c, err := tools.Prepare(tool, []byte(`{"action":"edit","path":"f","old_text":"x","new_text":"y"}`), nil)
	if err != nil || !reflect.DeepEqual(c.Paths(), []string{"f"}) {
		t.Errorf("%v %v", c.Paths(), err)
	}
	c, err = tools.Prepare(tool, []byte(`{"action":"mv","path":"d/f","destination":"e/"}`), nil)
	if err != nil || !reflect.DeepEqual(c.Paths(), []string{"d/f", "e/", "e/f"}) {
		t.Errorf("%v %v", c.Paths(), err)
	}
}

func TestPatchOfTooManyFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var b strings.Builder
	for range maxPatched + 1 {
		b.WriteString("*** Add File: x\n")
	}
	w.refused(tools.TooLarge, "patch", args{"patch": patchOf(strings.TrimSuffix(b.String(), "\n"))})
}

func TestLargePatchWritesAllFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var b strings.Builder
	for i := range maxPatched {
		b.WriteString("*** Add File: d/" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "\n+" + strings.Repeat("y", i) + "\n")
	}
	w.ok("patch", args{"patch": patchOf(strings.TrimSuffix(b.String(), "\n"))})
	list, err := os.ReadDir(w.abs("d"))
	if err != nil || len(list) != maxPatched {
		t.Errorf("%d files, %v", len(list), err)
	}
}

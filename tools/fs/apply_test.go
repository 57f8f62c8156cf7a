package fs

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	crlf := strings.ReplaceAll(numbered(100), "\n", "\r\n")
	tests := []struct {
		name, file string
		args       args
		want       string
		count      int
	}{
		{"dollars", "price: X\n", args{"old_text": "X", "new_text": "$$100 $& $1 ${x} $'a $`"}, "price: $$100 $& $1 ${x} $'a $`\n", 1},
		{"other names", "a\n", args{"old_string": "a", "new_string": "b"}, "b\n", 1},
		{"patch and new_text", "a\n", args{"patch": "a", "new_text": "b"}, "b\n", 1},
		{"one line of CRLF", crlf, args{"old_text": "line 50\nline 51", "new_text": "line 50\nnew\nline 51"}, strings.Replace(crlf, "line 50\r\n", "line 50\r\nnew\r\n", 1), 1},
		{"BOM and CRLF", "\xef\xbb\xbfa\r\nb\r\n", args{"old_text": "b", "new_text": "c\nd"}, "\xef\xbb\xbfa\r\nc\r\nd\r\n", 1},
		{"BOM at the place itself", "\xef\xbb\xbfa\n", args{"old_text": "a\n", "new_text": "b\n"}, "\xef\xbb\xbfb\n", 1},
		{"utf-16 le", "\xff\xfea\x00\r\x00\n\x00", args{"old_text": "a\n", "new_text": "ä\nb\n"}, "\xff\xfe\xe4\x00\r\x00\n\x00b\x00\r\x00\n\x00", 1},
		{"utf-16 be", "\xfe\xff\x00a\x00\n", args{"old_text": "a", "new_text": "b"}, "\xfe\xff\x00b\x00\n", 1},
		{"windows-1252", "caf\xe9 \x81 na\xefve\n", args{"old_text": "café", "new_text": "thé"}, "th\xe9 \x81 na\xefve\n", 1},
		{"bad bytes stay", "ääääääääääää \xff x\n", args{"old_text": "x", "new_text": "y"}, "ääääääääääää \xff y\n", 1},
		{"no final newline", "a\nb", args{"old_text": "b", "new_text": "c"}, "a\nc", 1},
		{"replace_all", "x y x", args{"old_text": "x", "new_text": "z", "replace_all": true}, "z y z", 2},
		{"expected_count", "x y x", args{"old_text": "x", "new_text": "z", "expected_count": 2}, "z y z", 2},
		{"match whitespace", "\tif a {\n\t}\n", args{"old_text": "  if a {\n  }", "new_text": "  if b {\n  }", "match": "whitespace"}, "\tif b {\n\t}\n", 1},
		{"edits in order", "a b c", args{"edits": []any{args{"old_text": "a", "new_text": "x"}, args{"oldText": "x b", "new_string": "y"}}}, "y c", 2},
		{"edits as text", "a", args{"edits": `[{"old_text":"a","new_text":"b"}]`}, "b", 1},
		{"front matter is no patch", "---\ntitle: x\n---\n", args{"old_text": "---\ntitle: x", "new_text": "---\ntitle: y"}, "---\ntitle: y\n---\n", 1},
		{"empty file", "", args{"old_text": "", "new_text": "a\n"}, "a\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("f", tt.file)
			tt.args["path"] = "f"
			r := w.ok("apply_patch", tt.args)
			w.is("f", tt.want)
			if int(r.data["replacements"].(float64)) != tt.count || r.data["hash"] != hashOf([]byte(tt.want)) || r.data["previous_hash"] != hashOf([]byte(tt.file)) {
				t.Errorf("%v", r.data)
			}
			if !strings.HasPrefix(r.Text, "--- a/f\n+++ b/f\n@@ ") {
				t.Errorf("diff %q", r.Text)
			}
			if got := w.names("."); got != "f" {
				t.Errorf("left behind: %s", got)
			}
		})
	}
}

func TestEditRefused(t *testing.T) {
	t.Parallel()
	gbk, _ := simplifiedchinese.GBK.NewEncoder().String("你好，世界！这是一个测试文件。\n")
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("こんにちは、世界。これはテストです。\n")
	tests := []struct {
		name, file string
		args       args
		code       tools.Code
		says       string
	}{
		{"twice", "debug = True\nx\ndebug = True\n", args{"old_text": "debug = True", "new_text": "y"}, tools.Ambiguous, "2 times (lines 1, 3)"},
		{"overlapping", "aaa", args{"old_text": "aa", "new_text": "b"}, tools.Ambiguous, "2 times"},
		{"one miss of three", "a b c", args{"edits": []any{args{"old_text": "a", "new_text": "x"}, args{"old_text": "MISS", "new_text": "y"}, args{"old_text": "c", "new_text": "z"}}}, tools.NotFound, "edits[1].old_text"},
		{"another count", "x x", args{"old_text": "x", "new_text": "y", "expected_count": 3}, tools.Conflict, "2 times"},
		{"same", "a", args{"old_text": "a", "new_text": "a"}, tools.InvalidParams, "the same"},
		{"empty", "a", args{"old_text": "", "new_text": "a"}, tools.InvalidParams, "empty"},
		{"no new_text", "a", args{"old_text": "a"}, tools.InvalidParams, "new_text is missing"},
		{"no texts", "a", args{}, tools.InvalidParams, "old_text is missing"},
		{"edit without new_text", "a", args{"edits": []any{args{"old_text": "a"}}}, tools.InvalidParams, "edits[0].new_text"},
		{"unknown member", "a", args{"edits": []any{args{"old_text": "a", "new_text": "b", "newtxt": "c"}}}, tools.InvalidParams, "newtxt"},
		{"cannot be encoded", "caf\xe9 na\xefve\n", args{"old_text": "café", "new_text": "5 ₽"}, tools.Conflict, "₽"},
		{"gbk", gbk, args{"old_text": "世界", "new_text": "x"}, tools.Unsupported, "gbk"},
		{"shift_jis", sjis, args{"old_text": "世界", "new_text": "x"}, tools.Unsupported, "shift_jis"},
		{"binary", "a\x00b", args{"old_text": "a", "new_text": "x"}, tools.Binary, "binary"},
		{"utf-16 cut in a character", "\xff\xfea\x00b", args{"old_text": "a", "new_text": "x"}, tools.Unsupported, "utf-16le"},
		{"bad match", "a", args{"old_text": "a", "new_text": "b", "match": "fuzzy"}, tools.InvalidParams, "whitespace"},
		{"mark of a secret", "key = sk-123\nx\n", args{"old_text": "x", "new_text": "x [redacted:hanzo]"}, tools.Conflict, "secret"},
		{"mark of a secret to be found", "key = sk-123\nx\n", args{"old_text": "key = [redacted:hanzo]", "new_text": "key = y"}, tools.Conflict, "secret"},
		{"line numbers copied", "first\nsecond\n", args{"old_text": "     1\tfirst\n     2\tsecond", "new_text": "x"}, tools.NotFound, "line numbers"},
		{"whitespace differs", "\tfirst(a, b)\n", args{"old_text": "    first(a,b)\n", "new_text": "x"}, tools.NotFound, `match:"whitespace"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("f", tt.file)
			before, _ := os.Stat(w.abs("f"))
			tt.args["path"] = "f"
			r := w.refused(tt.code, "apply_patch", tt.args)
			if !strings.Contains(r.Envelope.Error.Message, tt.says) {
				t.Errorf("%q does not say %q", r.Envelope.Error.Message, tt.says)
			}
			if r.Envelope.Error.Details == nil || r.Envelope.Error.Details.Param == "" {
				t.Errorf("details %+v", r.Envelope.Error.Details)
			}
			w.is("f", tt.file)
			after, _ := os.Stat(w.abs("f"))
			if !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
				t.Error("the file was touched")
			}
		})
	}
	w := newWorld(t)
	w.refused(tools.NotFound, "apply_patch", args{"path": "none", "old_text": "a", "new_text": "b"})
	w.ok("apply_patch", args{"path": "none", "old_text": "", "new_text": "made\n"})
	w.is("none", "made\n")
}

// What a miss says must be enough for the next call (one step).
func TestMissIsMendedInOneStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f.go", "package a\n\nfunc total(items []int) (sum int) {\n\tfor _, i := range items {\n\t\tsum += i\n\t}\n\treturn sum\n}\n")
	r := w.refused(tools.NotFound, "apply_patch", args{"path": "f.go", "old_text": "func total(items []int) int {\n\tfor _, it := range items {\n", "new_text": "x"})
	raw, err := json.Marshal(r.Envelope.Error.Details)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Nearest struct {
			Line, EndLine    int
			Text, Difference string
		}
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	if d.Nearest.Line != 3 || !strings.Contains(r.Envelope.Error.Message, "lines 3 to 4") || !strings.Contains(d.Nearest.Difference, "{+") {
		t.Errorf("%s %s", r.Envelope.Error.Message, raw)
	}
	w.ok("apply_patch", args{"path": "f.go", "old_text": d.Nearest.Text, "new_text": "func total(items []int) (sum int) {\n\tfor _, it := range items {\n"})
	if !strings.Contains(w.get("f.go"), "it := range") {
		t.Error(w.get("f.go"))
	}
}

func TestMarkThatTheFileHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "doc: [redacted:hanzo] stands for a secret\nkey = sk-123\n")
	w.ok("apply_patch", args{"path": "f", "old_text": "doc: [redacted:hanzo] stands", "new_text": "docs: [redacted:hanzo] stands"})
	w.refused(tools.Conflict, "write", args{"path": "f", "overwrite": true, "content": "docs: [redacted:hanzo] stands for a secret\nkey = [redacted:hanzo]\n"})
	w.ok("write", args{"path": "f", "overwrite": true, "content": "docs: [redacted:hanzo] stands for it\nkey = other\n"})
	w.ok("write", args{"path": "new", "content": "the mark is [redacted:hanzo]\n"})
	w.refused(tools.Conflict, "patch", args{"patch": "*** Begin Patch\n*** Update File: f\n@@\n-key = other\n+key = [redacted:hanzo]\n*** End Patch"})
	w.refused(tools.Conflict, "patch", args{"patch": "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n-key = other\n+key = [redacted:hanzo]\n*** End Patch"})
}

func TestDiskFull(t *testing.T) {
	w := newWorld(t)
	if err := mountSmall(t, w.abs("small"), 1<<20); err != nil {
		t.Skip("no small file system to be had: ", err)
	}
	s := newWorld(t, func(c *sandbox.Config) { c.Dirs = []string{w.abs("small")} })
	s.W = w.abs("small")
	old := strings.Repeat("o", 600<<10)
	s.put("f", old)
	r := s.call("write", args{"path": "f", "content": strings.Repeat("n", 2<<20), "overwrite": true})
	if r.Envelope.OK || !strings.Contains(r.Envelope.Error.Message, "no space") {
		t.Errorf("%+v", r.Envelope.Error)
	}
	s.is("f", old)
	r = s.call("patch", args{"patch": "*** Begin Patch\n*** Add File: a\n+small\n*** Add File: b\n+" + strings.Repeat("n", 600<<10) + "\n*** End Patch"})
	if r.Envelope.OK {
		t.Error("written to a full disk")
	}
	if got := s.names("."); got != "f" {
		t.Errorf("left behind: %s", got)
	}
}

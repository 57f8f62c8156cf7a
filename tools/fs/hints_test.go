package fs

import (
	"path/filepath"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestQuestionsThatFindNothingAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("src/deep/a.ts", "needle\n")
	for _, c := range []struct {
		action string
		a      args
		told   string
	}{
		{"search_text", args{"query": "needle", "glob": "*.ts,*.tsx"}, "{a,b}"},
		{"search_text", args{"query": "needle", "glob": w.W + "/src/*.ts"}, "give the folder as path"},
		{"search_text", args{"query": "needle", "glob": "../*"}, "give the folder as path"},
		{"find", args{"pattern": "~/*"}, "give the folder as path"},
		{"find", args{"pattern": `src\*.ts`}, "separated by /"},
		{"find", args{"path": "src", "pattern": "src/*.ts"}, "leave src/ out"},
		{"find", args{"pattern": "deep"}, `type:"dir"`},
		{"search_text", args{"query": `needle\|foo`, "glob": "*.md"}, "a|b"},
		{"search_text", args{"query": `\<needle\>`}, `\b`},
		{"search_text", args{"query": "/needle/i"}, "ignore_case"},
		{"search_text", args{"query": "absent"}, ""},
		{"find", args{"pattern": "*.go"}, ""},
	} {
		r := w.ok(c.action, c.a)
		if r.data["count"] != 0.0 {
			t.Errorf("%s %v: %q", c.action, c.a, r.Text)
		}
		warnings := r.Envelope.Meta.Warnings
		if c.told == "" && len(warnings) > 0 || c.told != "" && !r.warned(c.told) {
			t.Errorf("%s %v: %v", c.action, c.a, warnings)
		}
	}
}

func TestOtherRootsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *sandbox.Config) {
		c.Dirs = append(c.Dirs, filepath.Join(filepath.Dir(c.Dirs[0]), "O"))
		c.Home = ""
	})
	w.put(w.O+"/x", "needle")
	for _, action := range []string{"search_text", "find"} {
		if r := w.ok(action, args{"query": "needle"}); !r.warned(w.O) {
			t.Errorf("%s: %v", action, r.Envelope.Meta.Warnings)
		}
	}
	if r := w.ok("search_text", args{"query": "needle", "path": w.O}); r.data["count"] != 1.0 || len(r.Envelope.Meta.Warnings) > 0 {
		t.Errorf("%v %v", r.data, r.Envelope.Meta.Warnings)
	}
}

func TestSmallThingsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("crlf", "a\r\n")
	w.put("sub/f", "old\n")
	if r := w.ok("write", args{"path": "crlf", "append": true, "content": "b\n"}); !r.warned("CRLF") {
		t.Error(r.Envelope.Meta.Warnings)
	}
	if r := w.ok("stat", args{"path": "sub", "hash": true}); !r.warned("no hash") {
		t.Error(r.Envelope.Meta.Warnings)
	}
	for _, content := range []string{"+/8=", "-_8", "+/\n8", "data:application/octet-stream;base64,+/8="} {
		w.ok("write", args{"path": "b", "encoding": "base64", "content": content, "overwrite": true})
		w.is("b", "\xfb\xff")
	}
	w.refused(tools.InvalidParams, "write", args{"path": "b", "encoding": "base64", "content": "+", "overwrite": true})
	w.ok("patch", args{"path": "sub/f", "patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\n"})
	w.is("sub/f", "new\n")
}

package fs

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// lineList gives the lines of a text in one.
func lineList(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestLinesInOtherWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "1\n2\n3\n4\n5\n6\n")
	for _, c := range []struct {
		a    args
		want string // "": refused
	}{
		{args{"head": 2}, "1 2"},
		{args{"tail": 2}, "5 6"},
		{args{"tail": 20}, "1 2 3 4 5 6"},
		{args{"end_line": 2}, "1 2"},
		{args{"start_line": 3, "end_line": 4}, "3 4"},
		{args{"startLine": 3, "endLine": -1}, "3 4 5 6"},
		{args{"offset": 3, "end_line": 5}, "4 5"},
		{args{"range": "2-3"}, "2 3"},
		{args{"lines": "2-3"}, "2 3"},
		{args{"lines": 2}, "1 2"},
		{args{"view_range": []int{5, -1}}, "5 6"},
		{args{"range": []int{2, 2}}, "2"},
		{args{"range": "L2:L4"}, "2 3 4"},
		{args{"range": "4-2"}, ""},
		{args{"range": "all"}, ""},
		{args{"range": []int{1, 2, 3}}, ""},
		{args{"head": 0}, ""},
		{args{"head": 1, "tail": 1}, ""},
		{args{"tail": 1, "limit": 3}, ""},
		{args{"line": 2, "range": "1-2"}, ""},
		{args{"start_line": 5, "end_line": 4}, ""},
		{args{"line": -2, "end_line": 4}, ""},
	} {
		c.a["path"] = "f"
		if c.want == "" {
			w.refused(tools.InvalidParams, "read", c.a)
			continue
		}
		if r := w.ok("read", c.a); lineList(r.Text) != c.want || len(r.Envelope.Meta.Warnings) > 0 {
			t.Errorf("%v: %q %v", c.a, r.Text, r.Envelope.Meta.Warnings)
		}
	}
}

// Each call in other words gives what the same call in ours does.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"src/a.ts", "src/deep/b.ts", "src/deep/c.go", "out/d.ts", "e.md"} {
		w.put(name, "zero\nneedle\ntwo\n")
	}
	for _, c := range []struct {
		action string
		a      args
		want   string // lines of the payload, sorted by the tool; "": refused
	}{
		{"search_text", args{"query": "NEEDLE", "case_sensitive": false, "files_only": true, "glob": "*.go"}, "src/deep/c.go"},
		{"grep", args{"query": "NEEDLE", "-i": true, "output_mode": "files_with_matches", "type": "go"}, "src/deep/c.go"},
		{"grep_search", args{"query": "needle", "-A": 1, "include_pattern": "*.md"}, "e.md:2: needle e.md-1- zero e.md-3- two"},
		{"search", args{"query": "needle", "-l": true, "exclude": "src"}, "e.md out/d.ts"},
		{"search", args{"query": "needle", "-l": true, "excludePatterns": []string{"src/**", "*.md"}}, "out/d.ts"},
		{"search", args{"query": "needle", "-l": true, "type": "ts", "paths": []string{"src"}}, "src/a.ts src/deep/b.ts"},
		{"search", args{"query": "needle", "-l": true, "recursive": false}, "e.md"},
		{"search", args{"query": "needle", "output_mode": "count"}, ""},
		{"search", args{"query": "needle", "type": "whatever"}, ""},
		{"search", args{"query": "needle", "paths": []string{"src", "out"}}, ""},
		{"find", args{"name": "*.ts", "sort": "name"}, "out/d.ts src/a.ts src/deep/b.ts"},
		{"glob", args{"glob": "*.ts", "sort": "name", "exclude": []string{"deep"}}, "out/d.ts src/a.ts"},
		{"search_files", args{"pattern": "c.*"}, "src/deep/c.go"},
		{"search_files", args{"regex": "needle"}, ""},
		{"find", args{"name": "*.ts", "pattern": "*.go"}, ""},
		{"list", args{"paths": []string{"src"}}, "a.ts deep/"},
		{"list_directory", args{"directory": "src", "recursive": true}, "a.ts deep/ b.ts c.go"},
		{"directory_tree", args{"dir_path": "src"}, "a.ts deep/ b.ts c.go"},
		{"tree", args{"path": "src", "ignore": []string{"*.go"}}, "a.ts deep/ b.ts"},
		{"list", args{"glob": "*.md"}, "e.md"},
		{"view", args{"filename": "e.md"}, "zero needle two"},
		{"read_multiple_files", args{"files": []string{"e.md"}}, "==> e.md <== zero needle two"},
		{"read", args{"paths": []string{"e.md", "e.md"}}, "==> e.md <== zero needle two ==> e.md <== zero needle two"},
		{"write", args{"path": "e.md", "mode": "sideways", "content": ""}, ""},
		{"rm", args{"paths": []string{"e.md", "out"}}, ""},
	} {
		r := w.call(c.action, c.a)
		if c.want == "" {
			if r.Envelope.OK || r.Envelope.Error.Code != tools.InvalidParams {
				t.Errorf("%s %v: ok %t %v", c.action, c.a, r.Envelope.OK, r.Envelope.Error)
			}
			continue
		}
		if got := lineList(r.Text); !r.Envelope.OK || got != c.want && sorted(got) != sorted(c.want) || len(r.Envelope.Meta.Warnings) > 0 {
			t.Errorf("%s %v: %q, want %q; %v %v", c.action, c.a, got, c.want, r.Envelope.Error, r.Envelope.Meta.Warnings)
		}
	}
	w.ok("write", args{"path": "log", "content": "a\n"})
	w.ok("write", args{"path": "log", "content": "b\n", "mode": "append", "overwrite": true})
	w.ok("append", args{"path": "log", "content": "c\n"})
	w.ok("touch", args{"path": "log"})
	w.is("log", "a\nb\nc\n")
	w.ok("write", args{"path": "log", "content": "d\n", "mode": "rewrite"})
	w.is("log", "d\n")
	w.ok("touch", args{"path": "new"})
	w.is("new", "")
	w.ok("create", args{"path": "made", "file_text": "x"})
	w.ok("str_replace", args{"path": "made", "old_str": "x", "new_str": "y"})
	w.ok("move_file", args{"old_path": "made", "new_path": "moved"})
	w.is("moved", "y")
	w.ok("delete_file", args{"file_path": "moved"})
	w.refused(tools.NotFound, "exists", args{"path": "moved"})
	w.ok("create_directory", args{"dir": "d"})
	w.ok("get_file_info", args{"path": "d"})
}

func sorted(s string) string {
	list := strings.Fields(s)
	sortPaths(list)
	return strings.Join(list, " ")
}

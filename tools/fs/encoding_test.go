package fs

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

// Characters beyond ASCII are written by what is known of a file, not by what it may be.
func TestWeakGuessesAreNotWrittenBy(t *testing.T) {
	t.Parallel()
	cyrillic, _ := text.Named("windows-1251")
	russian := string(must(cyrillic.Encode("Привет, это текст\nx = 1\n")))
	mixed := strings.Repeat("plain\n", 50) + "café\ncaf\xe9\n"
	for _, c := range []struct {
		name, old string
		action    string
		a         args
		want      string // "": refused
	}{
		{"append to mixed", mixed, "write", args{"append": true, "content": "naïve\n"}, ""},
		{"append ASCII to mixed", mixed, "write", args{"append": true, "content": "plain\n"}, mixed + "plain\n"},
		{"append by name", mixed, "write", args{"append": true, "content": "naïve\n", "encoding": "utf8"}, mixed + "naïve\n"},
		{"append to half a character", "caf\xc3", "write", args{"append": true, "content": "é\n"}, ""},
		{"append to Western text", "caf\xe9\n", "write", args{"append": true, "content": "naïve\n"}, "caf\xe9\nna\xefve\n"},
		{"edit Cyrillic", russian, "edit", args{"old_text": "x = 1", "new_text": "x = é"}, ""},
		{"edit Cyrillic in ASCII", russian, "edit", args{"old_text": "x = 1", "new_text": "x = 2"}, strings.Replace(russian, "1", "2", 1)},
		{"edit by name", russian, "edit", args{"old_text": "это", "new_text": "то", "encoding": "windows-1251"}, strings.Replace(russian, "\xfd\xf2\xee", "\xf2\xee", 1)},
		{"edit by a name that cannot hold it", russian, "edit", args{"old_text": "это", "new_text": "日", "encoding": "windows-1251"}, ""},
		{"patch Cyrillic", russian, "patch", args{"patch": patchOf("*** Update File: f\n@@\n-x = 1\n+x = é")}, ""},
		{"replace Cyrillic", russian, "write", args{"overwrite": true, "content": "café\n"}, "café\n"},
	} {
		w := newWorld(t)
		w.put("f", c.old)
		if c.action != "patch" {
			c.a["path"] = "f"
		}
		if c.want != "" {
			w.ok(c.action, c.a)
			w.is("f", c.want)
			continue
		}
		if r := w.refused(tools.Conflict, c.action, c.a); !strings.Contains(r.Envelope.Error.Message, "cannot hold") && !strings.Contains(r.Envelope.Error.Message, "guess") {
			t.Errorf("%s: %v", c.name, r.Envelope.Error)
		}
		w.is("f", c.old)
	}
	w := newWorld(t)
	w.put("f", "caf\xe9\n")
	if r := w.ok("write", args{"path": "f", "append": true, "content": "x\n"}); r.data["encoding"] != "windows-1252" || !r.warned("guess") {
		t.Errorf("%v %v", r.data, r.Envelope.Meta.Warnings)
	}
	w.refused(tools.InvalidParams, "edit", args{"path": "f", "old_text": "a", "new_text": "b", "encoding": "klingon"})
}

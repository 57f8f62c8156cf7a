package plan

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestDryRunPlansNothing: every action that changes takes dry_run and heeds it.
func TestDryRunPlansNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"create","name":"p","steps":["a","b"]}`)
	before := w.Read()
	for _, args := range []string{
		`"action":"create","name":"q","steps":["a"]`, `"action":"update","step_id":"1","status":"completed"`, `"action":"update","status":"draft"`, `"action":"archive"`,
		`"action":"cancel"`, `"action":"add_step","description":"c"`, `"action":"remove_step","step_id":"2"`, `"action":"clone"`, `"action":"notes","text":"n"`,
	} {
		w.Do("{"+args+`,"dry_run":true}`, `"dry_run":true`, "nothing changed")
		if w.Read() != before {
			t.Fatalf("%s changed the file to %s", args, w.Read())
		}
	}
	w.Fail(tools.InvalidParams, `{"action":"create","name":"q","dryrun":true}`)
}

// TestNumbersOfStepsDoNotComeBack: what was said about a removed step is not said about a new one.
func TestNumbersOfStepsDoNotComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"create","name":"p","steps":["a","b"]}`)
	w.Do(`{"action":"remove_step","step_id":"2"}`)
	w.Restart()
	w.Do(`{"action":"add_step","description":"c"}`, "added step 1.3")
}

// TestTenthStepAsANumber: 1.10 is step 10 of plan 1, not 1.1.
func TestTenthStepAsANumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"create","name":"p","steps":["1","2","3","4","5","6","7","8","9","10","11"]}`)
	w.Do(`{"action":"update","step_id":"11","dependencies":[1.10, 2]}`)
	w.Do(`{"action":"get","step_id":"1.11"}`, `"1.10"`, `"1.2"`)
}

// TestPicturesOfHostileText: no text of a step is an order to mermaid, or a line of its own.
func TestPicturesOfHostileText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"plans":[{"id":"1","name":"n\nforged","goal":"g","status":"active","tags":["t\nforged"],"steps":[
		{"id":"1.1","description":"%%{init: {\"themeCSS\":\"x\"}}%%\u001b[31m","status":"pending","dependencies":[]},
		{"id":"1.2","description":"x\"]; click s1 \"javascript:alert(1)\"\n  s1 --> s2\nend","status":"pending\nforged","dependencies":["1.1\nforged"],"estimate":"e\nforged","assignee":"a\nforged","tools":["o\nforged"]}]}],"lastId":1}`)
	picture, _ := w.Do(`{"action":"visualize","format":"mermaid"}`)
	if strings.ContainsAny(picture, "%\x1b") || strings.Count(picture, `"`) != 4 || strings.Contains(picture, "\n  s1 --> s2") {
		t.Errorf("mermaid:\n%s", picture)
	}
	for _, args := range []string{`{"action":"visualize"}`, `{"action":"show"}`, `{"action":"list"}`, `{"action":"next"}`} {
		text, _ := w.Do(args)
		if strings.Contains(text, "\nforged") || strings.Contains(text, "\x1b") {
			t.Errorf("%s:\n%s", args, text)
		}
	}
}

package ui

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestOneOddItemDoesNotHideTheOthers: an index with a member of another type in one of its items is still listed.
func TestOneOddItemDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]string{"type": `{"name":"odd","type":5}`, "files": `{"name":"odd","files":["ui/odd.tsx"]}`, "text": `"odd"`, "null": "null"} {
		w := newWorld(t)
		w.answers["/r/registry.json"] = `{"items":[` + odd + `,{"name":"button","type":"registry:ui","description":"a\u001b[31m\nforged"}]}`
		if text := w.do(`{"action":"list_components"}`, "button: a[31m forged"); strings.Contains(text, "odd") {
			t.Errorf("%s: %s", name, text)
		}
		w.do(`{"action":"search","query":"button"}`, "button")
	}
}

// TestNameIsTheOneAskedFor: an answer's own name goes nowhere.
func TestNameIsTheOneAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answers["/r/sly.json"] = `{"name":"` + strings.Repeat("N", 100_000) + `","files":[{"path":"ui/sly.tsx","type":"registry:ui","content":"x\n"}]}`
	for _, action := range []string{"get_component", "get_metadata", "install"} {
		if _, text := w.call(`{"action":"` + action + `","component":"sly"}`); len(text) > 2000 || !strings.Contains(text, `"name":"sly"`) {
			t.Errorf("%s: %d bytes, %.300s", action, len(text), text)
		}
	}
}

// TestAnswersThatAreNoComponent: null and an empty object are not "0 files".
func TestAnswersThatAreNoComponent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{"null", "{}", `{"items":[]}`} {
		w.answers["/r/none.json"] = body
		w.fail(tools.HTTPError, `{"action":"get_component","component":"none"}`, "is no component")
	}
}

// TestWhatIsNotAppliedIsSaid: styles and variables of an item are told, not dropped.
func TestWhatIsNotAppliedIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve("themed", `"cssVars":{"light":{"brand":"red"}},"envVars":{"KEY":""},"tailwind":{}`, File{Path: "ui/themed.tsx", Type: "registry:ui", Content: "x\n"})
	w.do(`{"action":"install","component":"themed"}`, "also brings cssVars, envVars")
	w.do(`{"action":"get_metadata","component":"themed"}`, `"brand": "red"`)
}

// TestOneVeryLongLineIsShown: a minified file is cut within its line, not left out.
func TestOneVeryLongLineIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve("min", plainItem, File{Path: "ui/min.tsx", Type: "registry:ui", Content: strings.Repeat("é", 5000)})
	out, text := w.call(`{"action":"get_component","component":"min","max_chars":1000}`)
	if n := strings.Count(text, "é"); n < 900 || n > 1000 || !out.Envelope.Meta.Truncated || !strings.Contains(text, "max_chars") {
		t.Errorf("%d characters: %.300s", n, text)
	}
}

package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// verdict reads what a hook that ended well wrote to its standard output, as hooks for Claude Code do: scripts carry
// over. Plain text says nothing; an object that does not let the call go on as it is denies it, and so does one that
// cannot be read, since it may be such a one: fault then says why.
func verdict(out []byte, short bool) (reason, fault string, denied bool) {
	text := bytes.TrimPrefix(bytes.TrimSpace(out), []byte("\ufeff"))
	for first := true; len(text) > 0; first = false {
		if text[0] == '{' || text[0] == '[' {
			var v any
			d := json.NewDecoder(bytes.NewReader(text))
			err := d.Decode(&v)
			switch {
			case err == nil:
				if reason, denied = denies(v); denied {
					return cut(reason, MaxStderr), "", true
				}
				text = bytes.TrimSpace(text[d.InputOffset():])
				continue
			case short:
				return "", fmt.Sprintf("its answer on standard output is longer than %d bytes", MaxStdout), true
			case text[0] == '{' && first && decides(text):
				return "", fmt.Sprintf("its answer on standard output begins as a JSON object, but is none (%v)", err), true
			}
		}
		_, text, _ = bytes.Cut(text, []byte{'\n'}) // a line of plain text
		text = bytes.TrimSpace(text)
	}
	return "", "", false
}

// decides reports whether a text speaks of a decision: one that is no JSON then was meant as such.
func decides(text []byte) bool {
	return slices.ContainsFunc([]string{"ecision", "behavior", "continue", "updatedInput"}, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// goesOn are the words by which an answer lets a call go on.
var goesOn = []string{"", "allow", "approve", "approved", "continue", "passthrough", "undefined"}

// stops are those by which it denies.
var stops = []string{"deny", "block", "ask"}

// denies reports whether one value of an answer denies, and its reason.
func denies(v any) (reason string, denied bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if reason, denied = denies(e); denied {
				return reason, true
			}
		}
	case map[string]any:
		if more, ok := v["hookSpecificOutput"].(map[string]any); ok {
			if reason, denied = denies(more); denied {
				return reason, true
			}
		}
		if decision, ok := v["decision"].(map[string]any); ok { // {"behavior": "deny", "message": …}
			if reason, denied = denies(decision); denied {
				return reason, true
			}
		}
		reason = firstText(v, "permissionDecisionReason", "reason", "stopReason", "message")
		for _, key := range []string{"permissionDecision", "decision", "behavior"} {
			word, ok := v[key].(string)
			if word = strings.ToLower(strings.TrimSpace(word)); !ok || slices.Contains(goesOn, word) {
				continue
			}
			if reason == "" && !slices.Contains(stops, word) {
				reason = fmt.Sprintf("the hook answers %s:%q, which is no word that lets a call go on", key, cut(word, 60))
			}
			return reason, true
		}
		if on, ok := v["continue"]; ok && (on == false || on == "false") {
			return reason, true
		}
		for _, key := range []string{"updatedInput", "modifiedInput"} {
			if v[key] != nil {
				return "the hook asks for other arguments (" + key + "), and a hook cannot change a call here: deny it with the arguments to use as the reason", true
			}
		}
	}
	return "", false
}

func firstText(v map[string]any, keys ...string) string {
	for _, key := range keys {
		if text, ok := v[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

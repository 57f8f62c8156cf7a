package settings

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hanzoai/hanzo-mcp/hooks"
)

// permissions are the one key that is not merged: each tier's rules are judged apart (Settings.Rules).
func permissions() field {
	at := func(v *values) *[]Value[hooks.Rule] { return &v.rules }
	f := list("permissions", narrows, at, listedRule, showRule)
	readList := f.read
	f.read = func(v *values, n node) error {
		switch n.kind() {
		case '"':
			name, err := n.text()
			if err == nil && name != hooks.CautiousName {
				err = n.fail("must be rules or the preset %q, not %q", hooks.CautiousName, clip(name))
			}
			v.cautious = Value[bool]{true, n.origin()}
			return err
		case '{':
			members, err := n.members() // in the order of the file, which is the order of the rules
			if err != nil {
				return err
			}
			for _, m := range members {
				r, err := namedRule(m)
				if err != nil {
					return err
				}
				v.rules = append(v.rules, Value[hooks.Rule]{r, m.origin()})
			}
			return nil
		case '[':
			return readList(v, n)
		}
		return n.wrong(fmt.Sprintf("an object or a list of rules, or %q", hooks.CautiousName))
	}
	merge, drop, rows := f.merge, f.drop, f.rows
	f.merge = func(into, from *values) {
		merge(into, from)
		if from.cautious.IsSet() {
			into.cautious = from.cautious
		}
	}
	f.drop = func(v *values) {
		drop(v)
		v.cautious = Value[bool]{}
	}
	f.rows = func(v *values) []row {
		found := rows(v)
		if v.cautious.IsSet() {
			found = append(found, row{"permissions", hooks.CautiousName, v.cautious.Origin})
		}
		return found
	}
	f.narrow = func(v *values, _ string) bool {
		before := len(v.rules)
		v.rules = slices.DeleteFunc(v.rules, func(r Value[hooks.Rule]) bool { return r.V.Mode != hooks.Deny })
		lost := len(v.rules) < before || v.cautious.IsSet()
		v.cautious = Value[bool]{}
		return lost
	}
	return f
}

// namedRule reads "git.push": "prompt", or "git.push": {"mode": "prompt", "reason": "…"}.
func namedRule(m member) (hooks.Rule, error) {
	if err := hooks.CheckPattern(m.key); err != nil {
		return hooks.Rule{}, m.fail("is no pattern: %v", err)
	}
	if m.kind() == '"' {
		mode, err := ruleMode(m.node)
		return hooks.Rule{Pattern: m.key, Mode: mode}, err
	}
	if m.kind() != '{' {
		return hooks.Rule{}, m.wrong("allow, deny or prompt")
	}
	found, err := m.record("mode", "reason")
	if err != nil {
		return hooks.Rule{}, err
	}
	return ruleParts(m.node, m.key, found)
}

// listedRule reads {"tool_pattern": "git.push", "mode": "prompt", "reason": "…"}.
func listedRule(n node) (hooks.Rule, error) {
	found, err := n.record("tool_pattern", "mode", "reason")
	if err != nil {
		return hooks.Rule{}, err
	}
	p, ok := found["tool_pattern"]
	if !ok {
		return hooks.Rule{}, n.fail("has no tool_pattern")
	}
	pattern, err := p.text()
	if err != nil {
		return hooks.Rule{}, err
	}
	if err := hooks.CheckPattern(pattern); err != nil {
		return hooks.Rule{}, p.fail("is no pattern: %v", err)
	}
	return ruleParts(n, pattern, found)
}

func ruleParts(n node, pattern string, found map[string]node) (hooks.Rule, error) {
	m, ok := found["mode"]
	if !ok {
		return hooks.Rule{}, n.fail("has no mode")
	}
	mode, err := ruleMode(m)
	if err != nil {
		return hooks.Rule{}, err
	}
	r := hooks.Rule{Pattern: pattern, Mode: mode}
	if why, ok := found["reason"]; ok {
		if r.Reason, err = why.text(); err != nil {
			return hooks.Rule{}, err
		}
		r.Reason = oneLine(r.Reason)
	}
	return r, nil
}

func ruleMode(n node) (hooks.Mode, error) {
	text, err := n.text()
	if err != nil {
		return hooks.Deny, err
	}
	mode, err := hooks.ParseMode(text)
	if err != nil {
		return hooks.Deny, n.fail("must be allow, deny or prompt, not %q", clip(text))
	}
	return mode, nil
}

// oneLine makes a reason fit to be shown to the user and the model: a project may have written it.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "…"
	}
	return strings.TrimSpace(text)
}

func showRule(r hooks.Rule) string {
	text := fmt.Sprintf("%s: %s", printable(r.Pattern), r.Mode)
	if r.Reason != "" {
		text += " (" + printable(r.Reason) + ")"
	}
	return text
}

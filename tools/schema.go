package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Schema gives the tool as it stands in tools/list, one line of JSON, the same bytes for the same arguments.
// Under readOnly only the actions that may read are offered, and readOnlyHint is true.
func (t *Tool) Schema(readOnly bool) json.RawMessage {
	b := []byte(`{"name":`)
	b = AppendString(b, t.Name)
	b = append(b, `,"title":`...)
	b = AppendString(b, t.Title)
	b = append(b, `,"description":`...)
	b = AppendString(b, strings.TrimSpace(t.Description))
	b = append(b, `,"inputSchema":{"type":"object","properties":{"action":{"type":"string","enum":[`...)
	used := map[string]bool{}
	first := true
	for _, a := range t.Actions {
		if readOnly && !a.mayRead() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = AppendString(b, a.Name)
		for _, p := range a.params {
			used[p] = true
		}
	}
	b = append(b, `,"help"]`...)
	if t.Default != "" {
		b = append(b, `,"default":`...)
		b = AppendString(b, t.Default)
	}
	b = append(b, '}')
	for _, p := range t.Params {
		if p.Hidden || !used[p.Name] {
			continue
		}
		b = append(b, ',')
		b = AppendString(b, p.Name)
		b = append(b, ':')
		b = p.appendSchema(b)
	}
	h := t.Hints
	if readOnly {
		h.ReadOnly, h.Destructive = true, false
	}
	b = append(b, `}},"annotations":{"title":`...)
	b = AppendString(b, t.Title)
	b = fmt.Appendf(b, `,"readOnlyHint":%t,"destructiveHint":%t,"idempotentHint":%t,"openWorldHint":%t}}`,
		h.ReadOnly, h.Destructive, h.Idempotent, h.OpenWorld)
	return b
}

// mayRead reports whether some call of the action only reads.
func (a *Action) mayRead() bool { return a.Effect == Reads }

func (p *Param) appendSchema(b []byte) []byte {
	b = append(b, '{')
	b = append(b, `"type":`...)
	b = AppendString(b, cmp.Or(p.Type, "string")) // some clients refuse a parameter, or the whole server, without one
	b = append(b, ',')
	if p.Type == "array" {
		items := p.Items
		if items == "" {
			items = "string"
		}
		b = append(b, `"items":{"type":`...)
		b = AppendString(b, items)
		b = append(b, `},`...)
	}
	if len(p.Enum) > 0 {
		b = append(b, `"enum":[`...)
		for i, e := range p.Enum {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendString(b, e)
		}
		b = append(b, `],`...)
	}
	b = append(b, `"description":`...)
	b = AppendString(b, p.Doc)
	return append(b, '}')
}

// help is what the action "help", or a call without an action, answers: every action with its parameters.
func (t *Tool) help(readOnly bool) *Result {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nActions:\n", t.Name, strings.TrimSpace(t.Description))
	for _, a := range t.Actions {
		if readOnly && !a.mayRead() {
			continue
		}
		fmt.Fprintf(&b, "  %-16s %s", a.Name, a.Doc)
		if len(a.Aliases) > 0 {
			fmt.Fprintf(&b, " (also %s)", strings.Join(a.Aliases, ", "))
		}
		if len(a.params) > 0 {
			fmt.Fprintf(&b, "\n  %-16s   %s", "", strings.Join(a.params, ", "))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nParameters:\n")
	for _, p := range t.Params {
		if p.Hidden && p.Doc == "" { // taken only to be refused or passed over
			continue
		}
		kind := p.Type
		if kind == "" {
			kind = "any"
		}
		fmt.Fprintf(&b, "  %-16s %s: %s\n", p.Name, kind, p.Doc)
	}
	return &Result{Text: b.String(), Data: struct {
		Actions []string `json:"actions"`
	}{t.actionNames()}}
}

// Check reports what is wrong with the declaration of a tool: names that clients refuse, parameters that an
// action decodes but nobody declared, schemas that are too large. Each tool's tests call it.
func (t *Tool) Check() error {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if !isName(t.Name, "_") {
		fault("tool name %q", t.Name)
	}
	if len(t.Description) > 1024 {
		fault("description of %d bytes, at most 1024", len(t.Description))
	}
	if n := len(t.Schema(false)); n > 4096 {
		fault("schema of %d bytes, at most 4096", n)
	}
	seen := map[string]string{actionParam: actionParam}
	for _, p := range t.Params {
		if !isName(p.Name, "_") || len(p.Name) > 64 {
			fault("parameter name %q", p.Name)
		}
		for _, n := range append([]string{p.Name}, p.Aliases...) {
			if other, ok := seen[n]; ok {
				fault("%q names both %s and %s", n, other, p.Name)
			}
			seen[n] = p.Name
		}
	}
	verbs := map[string]string{}
	for _, a := range t.Actions {
		for _, n := range append([]string{a.Name}, a.Aliases...) {
			if other, ok := verbs[n]; ok {
				fault("%q names both action %s and %s", n, other, a.Name)
			}
			verbs[n] = a.Name
		}
		for _, p := range a.params {
			if t.declared(p) == nil {
				fault("action %s decodes %q, which is not declared", a.Name, p)
			}
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("tool %s: %s", t.Name, strings.Join(faults, "; "))
	}
	return nil
}

func isName(s, extra string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune(extra, r) {
			return false
		}
	}
	return s != ""
}

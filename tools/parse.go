package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Parse makes the canonical arguments of a call of tool t from the raw arguments member (nil when absent) and
// finds its action. It gives the action (nil when none was named and the tool has no default), how it was
// spelled, the arguments without the action member, and warnings about members that are not known.
func Parse(t *Tool, raw json.RawMessage) (a *Action, given string, args Args, warnings []string, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if at := halfPair(raw); at != "" {
		return nil, "", args, nil, Errorf(InvalidParams, "the arguments hold half of a surrogate pair (%s), which is no character; nothing was done", at)
	}
	list, perr := members(raw)
	if perr != nil {
		return nil, "", args, nil, Errorf(InvalidParams, "arguments must be an object such as {\"action\":%q}, got %s", firstAction(t), kindOf(raw)).
			With(Details{Param: "arguments", Expected: "object", Actual: kindOf(raw)})
	}
	seen, said := map[string]string{}, ""
	for _, m := range list {
		if string(m.raw) == "null" {
			continue
		}
		name := t.param(m.name)
		if name == "" {
			near := Nearest(m.name, t.paramNames())
			if p := t.declared(near); p != nil && p.Strict {
				return nil, "", args, nil, Errorf(InvalidParams, "unknown parameter %q: did you mean %q? Nothing was done", m.name, near).
					With(Details{Param: m.name, Nearest: near})
			}
			args.unknown = append(args.unknown, m.name)
			w := fmt.Sprintf("unknown parameter %q was ignored", m.name)
			if near != "" {
				w += fmt.Sprintf("; the nearest is %q", near)
			}
			warnings = append(warnings, w)
			continue
		}
		if first, twice := seen[name]; twice {
			old := given
			if name != actionParam {
				old = string(args.Raw(name))
			} else {
				m.raw = json.RawMessage(snake(stringOf(m.raw)))
			}
			if old != string(m.raw) {
				return nil, "", args, nil, Errorf(InvalidParams, "%q and %q are two spellings of one parameter with different values; give one", first, m.name).
					With(Details{Param: name})
			}
			continue
		}
		seen[name] = m.name
		if name == actionParam {
			if m.raw[0] != '"' {
				return nil, "", args, nil, typeError(actionParam, "string", m.raw)
			}
			said = strings.TrimSpace(stringOf(m.raw))
			given = snake(said)
			continue
		}
		args.set(name, m.raw)
	}
	if given == "" && len(args.members) > 0 {
		given = t.Default
	}
	if given == "" {
		if err := t.noAction(list, &args); err != nil {
			return nil, "", args, warnings, err
		}
	}
	if given == "" || given == "help" {
		return nil, "help", args, warnings, nil
	}
	a = t.Action(given)
	if a == nil { // git_status, git.status
		if rest, ok := strings.CutPrefix(strings.NewReplacer(".", "_", " ", "_").Replace(given), t.Name+"_"); ok {
			a = t.Action(rest)
		}
	}
	if a == nil {
		names := t.actionNames()
		near := Nearest(given, names)
		msg := fmt.Sprintf("%s has no action %q", t.Name, given)
		if near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		} else {
			msg += "; use one of " + strings.Join(names, ", ")
		}
		if line := strings.Fields(strings.TrimPrefix(said, t.Name+" ")); len(line) > 1 && t.Action(line[0]) != nil { // "log -1"
			near = t.Action(line[0]).Name
			msg = fmt.Sprintf("%s has no action %q: give action %q, and what %q means as parameters of their own (action help lists them); nothing was done", t.Name, said, near, strings.Join(line[1:], " "))
		}
		return nil, given, args, warnings, (&Error{Code: UnknownAction, Message: msg}).With(Details{Param: actionParam, Actual: given, Available: names, Nearest: near})
	}
	if t.Rewrite != nil {
		t.Rewrite(a, &args)
	}
	return a, given, args, warnings, nil
}

// noAction refuses a call that names no action and yet asks for something: the help in its place would look as if that
// had been done.
func (t *Tool) noAction(given []member, args *Args) error {
	for _, m := range given {
		if inner, err := members(m.raw); err == nil && slices.Contains(args.unknown, m.name) && len(inner) > 0 {
			return Errorf(InvalidParams, "action is missing; nothing was done. What stands in %q belongs beside it: {\"action\":%q, …}", m.name, firstAction(t)).
				With(Details{Param: actionParam, Available: t.actionNames()})
		}
	}
	if len(args.members) == 0 {
		return nil
	}
	var takers []string
	for i := range t.Actions {
		a := &t.Actions[i]
		if !slices.ContainsFunc(args.members, func(m member) bool { return !slices.Contains(a.Params(), m.name) }) {
			takers = append(takers, a.Name)
		}
	}
	e := Errorf(InvalidParams, "action is missing; nothing was done: give one of %s, or help", strings.Join(t.actionNames(), ", ")).
		With(Details{Param: actionParam, Available: t.actionNames()})
	if len(takers) > 0 && len(takers) <= 3 {
		e.Message = "action is missing; nothing was done. With these parameters it may be " + strings.Join(takers, ", ") + "; help tells of all"
	}
	return e
}

const actionParam = "action"

// careful are names of parameters with which callers limit or check a change. An action that changes something and does
// not know the one it gets must not go on without it.
var careful = slices.Concat([]string{"dry_run"}, dryRunWords, []string{"base_hash", "expected_hash", "hash", "etag", "if_match",
	"expected_count", "expected_replacements", "max_replacements", "occurrence", "regex", "is_regex", "literal", "case_sensitive", "whole_word", "exclude", "excludes", "include", "exclude_patterns"})

// places are the last words of names that say where something is to be done. A call must not be carried out elsewhere.
var places = []string{"path", "paths", "dir", "dirs", "directory", "directories", "folder", "folders", "root", "cwd", "workdir", "file", "files", "filename", "filenames",
	"repo", "repository", "workspace", "pathspec"}

// harmless are parameters that a call which loses something may have and not take.
var harmless = []string{"confirm", "max_chars", "timeout"}

// needed says why the call must not go on without an unknown parameter, "" when it may; located tells that the action has
// a place at all.
func (c *Call) needed(name string, located bool) string {
	name = snake(name)
	switch {
	case located && slices.Contains(places, name[strings.LastIndexByte(name, '_')+1:]):
		return "which seems to say where"
	case c.Effect() != Reads && slices.Contains(careful, name):
		return "which seems meant to limit what is changed"
	case c.NeedsConfirm():
		return "and what is lost by mistake is gone"
	}
	return ""
}

// param finds the declared parameter that a member name means: its own name, an alias, or a camelCase or
// kebab-case spelling of either. It gives "" when there is none.
func (t *Tool) param(name string) string {
	for _, n := range [2]string{name, snake(name)} {
		if n == actionParam || (n == "method" && t.declared("method") == nil) {
			return actionParam
		}
		if p := t.declared(n); p != nil {
			return p.Name
		}
		for i := range t.Params {
			if slices.Contains(t.Params[i].Aliases, n) {
				return t.Params[i].Name
			}
		}
	}
	return ""
}

func (t *Tool) declared(name string) *Param {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return &t.Params[i]
		}
	}
	return nil
}

func (t *Tool) paramNames() []string {
	names := []string{actionParam}
	for _, p := range t.Params {
		names = append(names, p.Name)
	}
	return names
}

func (t *Tool) actionNames() []string {
	names := make([]string, len(t.Actions))
	for i, a := range t.Actions {
		names[i] = a.Name
	}
	return names
}

func firstAction(t *Tool) string {
	if t.Default != "" {
		return t.Default
	}
	return t.Actions[0].Name
}

// Nearest gives the name of list that a misspelled one most likely means, "" when none is near.
func Nearest(name string, list []string) string {
	name = snake(name)
	dmp := diffmatchpatch.New()
	type near struct {
		name string
		d    int
	}
	var found []near
	for _, n := range list {
		d := dmp.DiffLevenshtein(dmp.DiffMain(name, n, false))
		if d <= max(1, len(n)/3) || (len(name) >= 4 && strings.HasPrefix(n, name)) {
			found = append(found, near{n, d})
		}
	}
	if len(found) == 0 {
		return ""
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].d < found[j].d })
	return found[0].name
}

// snake turns camelCase, kebab-case and odd capitals into snake_case.
func snake(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '-' || (c >= 'A' && c <= 'Z') || c >= 0x80 || c == ' ' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	prev := rune(0)
	for _, r := range strings.TrimSpace(s) {
		switch {
		case r == '-' || r == ' ':
			r = '_'
		case unicode.IsUpper(r):
			if prev != 0 && prev != '_' && !unicode.IsUpper(prev) {
				b.WriteByte('_')
			}
			prev = r
			b.WriteRune(unicode.ToLower(r))
			continue
		}
		prev = r
		b.WriteRune(r)
	}
	return b.String()
}

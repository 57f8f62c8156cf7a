package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Args are the canonical arguments of one call: declared names only, each once, in the order they came, null
// members gone. They are what rules and hooks judge, and what the action decodes.
type Args struct {
	members []member
	unknown []string // names that the tool does not declare, as given
}

type member struct {
	name string
	raw  json.RawMessage
}

// Raw gives the raw JSON of a parameter, nil when it is absent.
func (a Args) Raw(name string) json.RawMessage {
	for _, m := range a.members {
		if m.name == name {
			return m.raw
		}
	}
	return nil
}

// Has reports whether a parameter was given.
func (a Args) Has(name string) bool { return a.Raw(name) != nil }

// String gives a parameter as a string: the text of a string, "" when it is absent or of another type.
func (a Args) String(name string) string {
	var s string
	if raw := a.Raw(name); len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return ""
}

// Bool gives a parameter as a boolean with the same leniency as Decode; false when it is absent.
func (a Args) Bool(name string) bool {
	raw := a.Raw(name)
	if raw == nil {
		return false
	}
	b, err := lenientBool(raw)
	return err == nil && b
}

// Strings gives a parameter that is a string or a list of strings as a list; other values give nothing.
func (a Args) Strings(name string) []string {
	raw := a.Raw(name)
	if len(raw) == 0 {
		return nil
	}
	if raw[0] == '"' {
		return []string{a.String(name)}
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// JSON gives the arguments as one JSON object, as hooks see them.
func (a Args) JSON() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range a.members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name)
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.raw)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (a *Args) set(name string, raw json.RawMessage) {
	a.members = append(a.members, member{name, raw})
}

// Take removes a parameter and gives its raw JSON, nil when it is absent: for Tool.Rewrite.
func (a *Args) Take(name string) json.RawMessage {
	for i, m := range a.members {
		if m.name == name {
			a.members = slices.Delete(a.members, i, i+1)
			return m.raw
		}
	}
	return nil
}

// Put gives a parameter a value unless it has one or raw is nil: for Tool.Rewrite.
func (a *Args) Put(name string, raw json.RawMessage) {
	if raw != nil && !a.Has(name) {
		a.set(name, raw)
	}
}

// Set gives a parameter a value, whatever it had: for Tool.Rewrite.
func (a *Args) Set(name string, raw json.RawMessage) {
	a.Take(name)
	a.Put(name, raw)
}

// Move gives a parameter another name, unless there is one of that name: for Tool.Rewrite.
func (a *Args) Move(from, to string) {
	if !a.Has(to) {
		a.Put(to, a.Take(from))
	}
}

// Texts makes text of the numbers and booleans of a call where a text is wanted: ids are shown as numbers, and callers
// give them back as such. For Tool.Rewrite.
func (a *Args) Texts(names ...string) {
	for _, name := range names {
		if raw := a.Raw(name); raw != nil && strings.IndexByte(`"{[`, raw[0]) < 0 {
			a.Set(name, Text(string(raw)))
		}
	}
}

// Text is a string as JSON.
func Text(s string) json.RawMessage { return AppendString(nil, s) }

// halfPair finds an escape in JSON that is one half of a surrogate pair without the other, "" when there is none. A decoder
// puts U+FFFD in its place, and so into files.
func halfPair(raw json.RawMessage) string {
	for i := 0; i+5 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i++; raw[i] != 'u' {
			continue
		}
		unit := func(at int) uint64 {
			if at+5 >= len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
				return 0
			}
			n, _ := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
			return n
		}
		switch n := unit(i - 1); {
		case n >= 0xd800 && n < 0xdc00:
			if low := unit(i + 5); low < 0xdc00 || low >= 0xe000 {
				return string(raw[i-1 : i+5])
			}
			i += 10
		case n >= 0xdc00 && n < 0xe000:
			return string(raw[i-1 : i+5])
		default:
			i += 4
		}
	}
	return ""
}

// members splits a JSON object into its members, in order. It fails on anything but an object.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if tok != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, got %s", kindOf(raw))
	}
	var list []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		list = append(list, member{key.(string), value})
	}
	return list, nil
}

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

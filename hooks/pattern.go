package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxPattern is the longest pattern accepted, in bytes.
	MaxPattern = 512
	// maxMatched bounds the text a pattern is held against, in bytes: the action is in the hands of the caller. A longer
	// action counts as unknown, so that no length escapes a deny rule.
	maxMatched = 1024
)

// Names is what the caller knows about its own tools. The zero value knows none: every pattern is then taken as written.
type Names struct {
	// Local holds the names of the local tools that are not given away to the door.
	Local []string
	// Canonical gives the name under which an action of a local tool is judged ("edit" → "apply_patch"), and whether the
	// tool has such an action at all. Nil: actions are taken as written.
	Canonical func(tool, action string) (string, bool)
}

// CheckPattern reports what is wrong with a pattern, or nil.
func CheckPattern(text string) error {
	switch {
	case text == "":
		return errors.New("the pattern is empty")
	case len(text) > MaxPattern:
		return fmt.Errorf("the pattern is longer than %d bytes", MaxPattern)
	case !utf8.ValidString(text):
		return errors.New("the pattern is not valid UTF-8")
	case strings.HasSuffix(text, `\`) && (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1:
		return errors.New(`the pattern ends in a lone "\"`)
	}
	return nil
}

// pattern is one compiled pattern in its two readings.
type pattern struct {
	text   string // as written
	source string // in the names by which calls are judged
	exact  glob   // as written, case counts
	folded glob   // case ignored
	local  bool   // begins with the name of a local tool
}

// compile parses a pattern. The warning is not empty when the pattern names an action that its local tool does not have,
// since such a rule would guard nothing.
func (n Names) compile(text string) (p pattern, warning string, err error) {
	if err := CheckPattern(text); err != nil {
		return pattern{}, "", fmt.Errorf("pattern %q: %w", text, err)
	}
	p = pattern{text: text}
	source := text
	head, action, dotted := strings.Cut(text, ".")
	head = Unprefixed(head)
	if i := slices.IndexFunc(n.Local, func(name string) bool { return fold(name) == fold(head) }); i >= 0 {
		p.local = true
		source = n.Local[i]
		if dotted {
			action = strings.ReplaceAll(fold(action), "-", "_")
			if n.Canonical != nil && !strings.ContainsAny(action, `*?\`) {
				if canonical, ok := n.Canonical(n.Local[i], action); ok {
					action = canonical
				} else {
					warning = fmt.Sprintf("pattern %q matches nothing: %s has no action %q", text, n.Local[i], action)
				}
			}
			source = n.Local[i] + "." + action
		}
	}
	if at := strings.IndexAny(head, "|,()[]{} "); at >= 0 && !p.local {
		warning = fmt.Sprintf("pattern %q has %q, which names of tools do not: patterns are tool or tool.action with * and ?, one for each rule", text, head[at:at+1])
	}
	p.source = source
	p.exact = parseGlob(source)
	p.folded = parseGlob(loose(source))
	return p, warning, nil
}

// Unprefixed is the name of a tool that is written as Claude Code shows it: exec of mcp__hanzo__exec.
func Unprefixed(tool string) string {
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		if at := strings.LastIndex(rest, "__"); at > 0 {
			return rest[at+len("__"):]
		}
	}
	return tool
}

// covers reports whether the pattern covers the call, read widely (deny, prompt, hooks) or narrowly (allow).
func (p *pattern) covers(s *folded, wide bool) bool {
	if !wide && !s.local && p.local {
		return false
	}
	g, name, full := &p.exact, s.name, s.full
	if wide || s.local {
		g, name, full = &p.folded, s.foldName, s.foldFull
	}
	if g.match(name) || g.match(full) || wide && !s.known && g.extends(full) {
		return true
	}
	return wide && (p.exact.match(s.name) || p.exact.match(s.full)) // of a name that folds to nothing, the narrow reading sees more
}

// stands reports whether p, standing before later, leaves it nothing: all that later covers is covered by p. A wildcard of
// later is held against p as it stands, which is enough for the patterns that people write.
func (p *pattern) stands(later *pattern, wide bool) bool {
	tool, action, dotted := strings.Cut(later.source, ".")
	s := Subject{Tool: tool, Action: action, Local: later.local}.fold()
	if s.known = true; !dotted { // a whole tool
		s.full, s.foldFull = s.name+".*", s.foldName+".*"
	}
	return p.covers(&s, wide)
}

// folded is a Subject made ready for many patterns.
type folded struct {
	name, full         string // "billing", "billing.create_invoice" ("billing." when the action is not known)
	foldName, foldFull string
	local, known       bool
}

func (s Subject) fold() folded {
	action := s.Action
	if len(action) > maxMatched {
		action = ""
	}
	f := folded{name: s.Tool, full: s.Tool + "." + action, local: s.Local, known: action != ""}
	f.foldName, f.foldFull = loose(f.name), loose(f.full)
	return f
}

// loose is fold without what parts words: the door may take create-invoice for create_invoice, so that a rule that
// denies one must hold for the other.
func loose(s string) string {
	s = fold(s)
	if !strings.ContainsAny(s, "_- ") {
		return s
	}
	return separators.Replace(s)
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// fold maps a text to one spelling for all its case variants.
func fold(s string) string {
	ascii, same := true, true
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case 'A' <= c && c <= 'Z':
			same = false
		}
	}
	if ascii {
		if same {
			return s
		}
		return strings.ToLower(s)
	}
	return strings.Map(foldRune, s)
}

func foldRune(r rune) rune {
	// The orbit of simple folding is small; its least member stands for all ("K", "k" and the Kelvin sign are one).
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if 'A' <= least && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}

// glob is a literal beginning and, from its first wildcard on, a list of runes and wildcards.
type glob struct {
	prefix string
	tail   []rune
}

const (
	anyText rune = -1
	anyRune rune = -2
)

func parseGlob(text string) glob {
	var g glob
	var prefix strings.Builder
	escaped := false
	put := func(r rune) {
		switch {
		case r >= 0 && len(g.tail) == 0:
			prefix.WriteRune(r)
		case r == anyText && len(g.tail) > 0 && g.tail[len(g.tail)-1] == anyText:
		default:
			g.tail = append(g.tail, r)
		}
	}
	for _, r := range text {
		switch {
		case escaped:
			put(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '*':
			put(anyText)
		case r == '?':
			put(anyRune)
		default:
			put(r)
		}
	}
	g.prefix = prefix.String()
	return g
}

// match reports whether the whole text fits.
func (g *glob) match(text string) bool {
	if !strings.HasPrefix(text, g.prefix) {
		return false
	}
	switch {
	case len(g.tail) == 0:
		return len(text) == len(g.prefix)
	case len(g.tail) == 1 && g.tail[0] == anyText:
		return true
	}
	return matchTail(g.tail, text[len(g.prefix):], false)
}

// extends reports whether some text that begins with the given one fits.
func (g *glob) extends(text string) bool {
	if len(text) <= len(g.prefix) {
		return strings.HasPrefix(g.prefix, text)
	}
	return strings.HasPrefix(text, g.prefix) && matchTail(g.tail, text[len(g.prefix):], true)
}

// matchTail is the greedy walk with one point to return to: at most len(tail) × len(text) steps.
func matchTail(tail []rune, text string, open bool) bool {
	t, back, backText := 0, -1, ""
	for {
		if text == "" {
			if open {
				return true
			}
			for t < len(tail) && tail[t] == anyText {
				t++
			}
			return t == len(tail)
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case t < len(tail) && tail[t] == anyText:
			t++
			back, backText = t, text
		case t < len(tail) && (tail[t] == anyRune || tail[t] == r):
			t++
			text = text[size:]
		case back >= 0:
			_, size = utf8.DecodeRuneInString(backText)
			backText = backText[size:]
			t, text = back, backText
		default:
			return false
		}
	}
}

package code

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// The beginning of a text that a caller gave: what a symbol begins with that he left out, or that stands in front of it already.

// withoutOpening takes the mark off a text of PHP that a file begins with: what stands in front of it is code already.
func withoutOpening(warn func(string), f *parsed, text string) string {
	code, ok := strings.CutPrefix(strings.TrimSpace(text), "<?php")
	if f.lang.ID != "php" || !ok || strings.Contains(code, "?>") {
		return text
	}
	warn("the <?php in front of text was taken off")
	return strings.TrimLeft(code, " \t\r\n")
}

// withKey puts the key of a pair of JSON or YAML in front of a text that is the new value alone.
func withKey(ctx context.Context, f *parsed, s *syntax.Symbol, text string) string {
	switch {
	case s.Kind != syntax.Key:
	case f.lang.ID == "json" && json.Valid([]byte(text)):
		return withJSONKey(f.text[s.Start:s.End], text)
	case f.lang.ID == "yaml" && yamlValue(ctx, f.lang, text):
		return withYAMLKey(f.text[s.Start:s.End], s, text)
	}
	return text
}

func withJSONKey(pair []byte, text string) string {
	dec := json.NewDecoder(bytes.NewReader(pair))
	if key, err := dec.Token(); err != nil || key == nil {
		return text
	}
	at := int(dec.InputOffset())
	colon := bytes.IndexByte(pair[at:], ':')
	if colon < 0 || strings.TrimSpace(string(pair[at:at+colon])) != "" {
		return text
	}
	value := at + colon + 1
	value += len(pair[value:]) - len(bytes.TrimLeft(pair[value:], " \t"))
	return string(slices.Concat(pair[:value], []byte(strings.TrimSpace(text))))
}

// yamlValue reports whether a text of YAML is a value: a list, or what has no keys.
func yamlValue(ctx context.Context, lang *syntax.Language, text string) bool {
	code := string(syntax.TrimLeft(lang, []byte(text)))
	if first, _, _ := strings.Cut(code, "\n"); code == "" || strings.HasPrefix(first, "- ") || first == "-" {
		return code != ""
	}
	file, err := syntax.Analyze(ctx, lang, []byte(text))
	return err == nil && !file.Broken && len(file.Symbols) == 0
}

func withYAMLKey(pair []byte, s *syntax.Symbol, text string) string {
	colon := s.NameStart - s.Start + len(s.Name)
	i := bytes.IndexByte(pair[min(colon, len(pair)):], ':')
	if i < 0 {
		return text
	}
	key := string(pair[:colon+i+1])
	text = strings.Trim(text, "\n")
	if code := strings.TrimLeft(text, " "); strings.HasPrefix(code, "-") && (len(code) == 1 || code[1] == ' ' || code[1] == '\n') || strings.HasPrefix(code, "#") {
		return key + "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	first, rest, lines := strings.Cut(strings.TrimLeft(text, " "), "\n")
	if lines && !strings.HasPrefix(rest, " ") {
		rest = "  " + strings.ReplaceAll(rest, "\n", "\n  ")
	}
	if lines {
		first += "\n"
	}
	return key + " " + first + rest
}

// codeAt is where the code of a text begins, behind comments and what is put on it.
func codeAt(lang *syntax.Language, text string) int {
	at := len(text) - len(syntax.TrimLeft(lang, []byte(text)))
	return syntax.SkipAttributes(lang, []byte(text), at)
}

// declared matches the words that begin a declaration of values or types.
var declared = tools.Pattern(`(?m)^[ \t]*((?:export\s+)?(?:declare\s+)?(const|let|var|type)(?:[ \t]+|\b))`)

// withoutKeyword takes the words in front of a name from a text where they stand in front of the whole group: const ( A; B )
// of Go, let a, b of JavaScript.
func withoutKeyword(f *parsed, s *syntax.Symbol, given string) string {
	switch f.lang.ID {
	case "go", "javascript", "typescript", "typescriptreact":
	default:
		return given
	}
	at := codeAt(f.lang, given)
	own := declared().FindStringSubmatchIndex(given[at:])
	pattern := f.text[s.Start] == '{' || f.text[s.Start] == '['
	if s.NameStart != s.Start && !pattern || s.Kind == syntax.Field || s.Kind == syntax.Member || own == nil || own[0] != 0 || strings.HasPrefix(given[at+own[3]:], "(") {
		return given
	}
	groups := declared().FindAllSubmatch(f.text[:s.Start], -1)
	if len(groups) == 0 || string(groups[len(groups)-1][2]) != given[at+own[4]:at+own[5]] {
		return given
	}
	return given[:at] + given[at+own[3]:]
}

// front is what may stand in front of the head of a declaration, and is kept where a new text begins with the head alone.
type front struct {
	langs []string
	have  func() *regexp.Regexp // its first group is what is kept
	head  func() *regexp.Regexp // what a text begins with that is the head alone
	other func() *regexp.Regexp // what it begins with else, where heads begin with any word
}

var fronts = []front{
	{langs: []string{"javascript", "typescript", "typescriptreact"}, have: tools.Pattern(`^(export\s+(?:default\s+)?)`),
		head: tools.Pattern(`^(?:declare|async|function|class|abstract|const|let|var|interface|type|enum|namespace|module)\b`)},
	{langs: []string{"ruby"}, have: tools.Pattern(`^((?:[\w.]+[!?]?[ \t]+)+)def\b`), head: tools.Pattern(`^def\b`)},
	{langs: []string{"c", "cpp"}, have: tools.Pattern(`^((?:extern\s*"[^"\n]*"|friend\b)\s*)`), head: tools.Pattern(`^\w`),
		other: tools.Pattern(`^(?:extern|static|template|(?:\w+\s+)*friend)\b`)},
}

// withFront keeps export and the like in front of a declaration whose new text has none.
func withFront(warn func(string), f *parsed, s *syntax.Symbol, given string) string {
	at := codeAt(f.lang, given)
	old := f.text[min(syntax.SkipAttributes(f.lang, f.text, s.Start), s.End):s.End]
	for _, x := range fronts {
		if !slices.Contains(x.langs, f.lang.ID) || !x.head().MatchString(given[at:]) || x.other != nil && x.other().MatchString(given[at:]) {
			continue
		}
		if m := x.have().FindSubmatch(old); m != nil {
			warn(strings.TrimSpace(string(m[1])) + " in front of " + s.Path + " stays; fs.edit takes it away")
			return given[:at] + string(m[1]) + given[at:]
		}
	}
	return given
}

// directives are the lines of a comment that the Go toolchain reads.
func directives(lang *syntax.Language, text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if lang.ID == "go" && (strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "//export ")) {
			list = append(list, line)
		}
	}
	return list
}

// withDirectives puts directives between the comment that a text begins with and what it is about.
func withDirectives(text string, list []string) string {
	lines := strings.SplitAfter(text, "\n")
	at := 0
	for inBlock := false; at < len(lines); at++ {
		line := strings.TrimSpace(lines[at])
		switch {
		case inBlock, strings.HasPrefix(line, "/*"):
			inBlock = !strings.Contains(line, "*/")
		case !strings.HasPrefix(line, "//"):
			return strings.Join(lines[:at], "") + strings.Join(list, "\n") + "\n" + strings.Join(lines[at:], "")
		}
	}
	return text
}

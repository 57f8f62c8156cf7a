package code

import (
	"context"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// The indentation of a text that a caller gave.

// fit makes of the text that a caller gave whole lines, LF, without a last ending, that stand at an indentation: text that has
// none or another one is moved there, but for lines inside strings.
func fit(ctx context.Context, f *parsed, text, indent string) string {
	lang := f.lang
	text = strings.ReplaceAll(strings.TrimPrefix(text, bom), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	own := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	if own == indent || lang.ID == "yaml" && own != "" && isElement(lines) { // of a list, which stands further left than the keys in it
		return strings.Join(lines, "\n")
	}
	inString := stringLines(ctx, lang, strings.Join(lines, "\n"), lines)
	if own != "" {
		return moved(f, lines, inString, own, indent)
	}
	least, unit, placed := -1, 0, true
	for _, l := range lines[1:] {
		if strings.TrimSpace(l) == "" {
			continue
		}
		placed = placed && strings.HasPrefix(l, indent)
		n := len(l) - len(strings.TrimLeft(l, " \t"))
		if least < 0 || n < least {
			least = n
		}
		if n > 0 && (unit == 0 || n < unit) {
			unit = n
		}
	}
	// Only the first line was cut out of its line: the others stand where they should.
	if placed && (least > len(indent) || least == len(indent) && lang.ID != "python" && lang.ID != "yaml") {
		lines[0] = indent + lines[0]
		return strings.Join(lines, "\n")
	}
	return joined(f, lines, inString, "", indent, unit)
}

// isElement reports whether the first line of YAML that is no comment begins an element of a list.
func isElement(lines []string) bool {
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return l == "-" || strings.HasPrefix(l, "- ")
		}
	}
	return false
}

// moved is fit for lines that stand at another indentation. Where one stands further left than the first, nobody knows where
// they belong, and they stay.
func moved(f *parsed, lines []string, inString []bool, own, indent string) string {
	unit := 0
	for i, l := range lines {
		if strings.TrimSpace(l) == "" || inString[i] {
			continue
		}
		rest, ok := strings.CutPrefix(l, own)
		if !ok {
			return strings.Join(lines, "\n")
		}
		if n := len(rest) - len(strings.TrimLeft(rest, " ")); n > 0 && (unit == 0 || n < unit) {
			unit = n
		}
	}
	return joined(f, lines, inString, own, indent, unit)
}

// joined puts lines at an indentation that stand at their own, but for those inside strings.
func joined(f *parsed, lines []string, inString []bool, own, indent string, unit int) string {
	step := ""
	for i, l := range lines {
		if strings.TrimSpace(l) == "" || inString[i] {
			continue
		}
		rest := l[len(own):]
		if rest[0] == '\t' && strings.Trim(indent, " ") == "" && indent != "" {
			if step == "" {
				step = strings.Repeat(" ", stepOf(f))
			}
			bare := strings.TrimLeft(rest, "\t")
			rest = strings.Repeat(step, len(rest)-len(bare)) + bare
		}
		lines[i] = indent + respaced(rest, indent, unit)
	}
	return strings.Join(lines, "\n")
}

// stepOf is how many spaces further right than what it stands in a symbol of a file begins.
func stepOf(f *parsed) int {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Parent < 0 || s.ByMethod {
			continue
		}
		inner, outer := indentOf(f.text, s.Start), indentOf(f.text, f.Symbols[s.Parent].Start)
		if n := len(inner) - len(outer); n > 0 && strings.Trim(inner, " ") == "" {
			return n
		}
	}
	return 4
}

// respaced gives a line whose indentation is of spaces, unit of them a level, the tabs that stand around it.
func respaced(line, indent string, unit int) string {
	text := strings.TrimLeft(line, " ")
	n := len(line) - len(text)
	if n == 0 || unit <= 0 || indent == "" || strings.Trim(indent, "\t") != "" || text[0] == '\t' {
		return line
	}
	return strings.Repeat("\t", n/unit) + strings.Repeat(" ", n%unit) + text
}

const phpOpening = "<?php\n"

// stringLines tells which lines begin inside a string.
func stringLines(ctx context.Context, lang *syntax.Language, text string, lines []string) []bool {
	spans := make([]syntax.Span, len(lines))
	at := 0
	if lang.ID == "php" { // else all of it is text
		text = phpOpening + text
		at = len(phpOpening)
	}
	for i, l := range lines {
		spans[i] = syntax.Span{Start: max(at-1, 0), End: at} // the end of the line before: a string that begins here is not meant
		at += len(l) + 1
	}
	inside := make([]bool, len(lines))
	if lang.ID == "json" { // its strings have no lines
		return inside
	}
	places, err := syntax.Classify(ctx, lang, []byte(text), spans)
	if err != nil {
		return inside
	}
	for i, p := range places {
		inside[i] = i > 0 && p == syntax.InText
	}
	return inside
}

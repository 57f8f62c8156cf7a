//go:build !cgo

package syntax

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Grammars reports whether this build has the tree-sitter grammars.
const Grammars = false

func missing(lang *Language) error {
	return fmt.Errorf("%s is %w by this build, which was made without cgo and has no tree-sitter: Go is read all the same, "+
		"other languages by a language server or by ctags where one is installed", lang.ID, ErrUnsupported)
}

func parse(_ context.Context, lang *Language, _ []byte) (*File, error) { return nil, missing(lang) }

func branches(_ context.Context, lang *Language, _ []byte) ([]int, error) { return nil, missing(lang) }

func declarators(_ context.Context, lang *Language, _ []byte, _ Span) (*Declaration, error) {
	return nil, missing(lang)
}

func classify(_ context.Context, lang *Language, src []byte, spans []Span) ([]Place, error) {
	return inside(lex(lang, src), spans), nil
}

// defining matches what stands in front of a name that is defined.
var defining = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(def|function|fun|func|fn|sub|class|struct|interface|trait|enum|record|macro_rules!|define)[ \t]+$`)
})

// typed matches a line of C, Java or C# up to the name of a function that it declares: a type stands in front.
var typed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:[\w:<>,*&]+\s+)*[\w:<>,]+[\s*&]+(?:\w+::)*~?$`)
})

// declaring reports whether a function of these languages is declared at an offset, not called.
func declaring(lang *Language, src []byte, at int) bool {
	if !slices.Contains([]string{"c", "cpp", "java", "csharp"}, lang.ID) {
		return false
	}
	line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
	return typed().Match(line) && !slices.Contains([]string{"return", "else", "do", "throw", "case", "new", "await", "yield", "co", "delete"}, firstWord(bytes.TrimSpace(line)))
}

// calledInTree knows no tree: it takes what a shell runs, and what decorates, by what stands around it.
func calledInTree(_ context.Context, lang *Language, src []byte, at []int, length int, calls []bool) error {
	for i, a := range at {
		if lang.ID == "shellscript" {
			calls[i] = calls[i] || shellCall(src, Span{Start: a, End: a + length})
		} else {
			calls[i] = (calls[i] || a > 0 && src[a-1] == '@') && !defining().Match(src[max(0, a-20):a]) && !declaring(lang, src, a)
		}
	}
	return nil
}

// shellCall reports whether a name that a shell uses is run there: it is not expanded, given a value or defined.
func shellCall(src []byte, s Span) bool {
	before := src[max(0, s.Start-2):s.Start]
	if bytes.HasSuffix(before, []byte("$")) || bytes.HasSuffix(before, []byte("${")) || bytes.HasSuffix(before, []byte("{#")) || bytes.HasSuffix(before, []byte("{!")) {
		return false
	}
	if rest := src[s.End:]; len(rest) > 0 && bytes.IndexByte([]byte("=[(+"), rest[0]) >= 0 {
		return false
	}
	line := src[bytes.LastIndexByte(src[:s.Start], '\n')+1 : s.Start]
	return !slices.Contains(shellNamers, firstWord(line)) && usedByShell(src, s)
}

// Dump writes the syntax tree of Go source, an indented line for each node with its place; down to depth levels, at
// most max bytes. cut reports that there is more.
func Dump(ctx context.Context, lang *Language, src []byte, depth, max int) (text string, cut bool, err error) {
	if lang.ID != "go" {
		return "", false, missing(lang)
	}
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if tree == nil {
		return "", false, nil
	}
	var b strings.Builder
	level := 0
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			level--
			return false
		}
		if level >= depth || b.Len() > max || ctx.Err() != nil {
			cut = true
			return false
		}
		from, to := fset.PositionFor(n.Pos(), false), fset.PositionFor(n.End(), false)
		fmt.Fprintf(&b, "%s%s %d:%d-%d:%d", strings.Repeat("  ", level), strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."), from.Line, from.Column, to.Line, to.Column)
		if id, ok := n.(*ast.Ident); ok {
			fmt.Fprintf(&b, " %q", id.Name)
		}
		b.WriteByte('\n')
		level++
		return true
	})
	return b.String(), cut, ctx.Err()
}

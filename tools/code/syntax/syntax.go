// Package syntax reads the structure of one source file: its symbols with their lines, signatures and name paths,
// what of it does not parse, and which places of it are code, text or comment.
//
// Its room: the table of languages (language.go), Go by the standard library's own parser (golang.go), every other
// language by tree-sitter with queries of our own in queries/ (treesitter.go, grammars.go), and the rules that make
// nested symbols of what either finds (build.go). Without cgo only Go is left, and ErrUnsupported says so.
//
// It is pure: it opens no file and starts no process. Source that does not parse gives what can be seen of it and
// says where it breaks. Parsing ends with its context.
//
// Governing text: HIP-0300 §2 (the local code tool).
package syntax

import (
	"context"
	"errors"
	"fmt"
)

// Kind is what a symbol is, in words that are the same for all languages.
type Kind string

// The kinds of symbols.
const (
	Function  Kind = "function"
	Method    Kind = "method"
	Class     Kind = "class"
	Struct    Kind = "struct"
	Interface Kind = "interface"
	Trait     Kind = "trait"
	Impl      Kind = "impl" // a block of methods of a type named elsewhere
	Enum      Kind = "enum"
	Member    Kind = "member" // of an enum
	Type      Kind = "type"   // alias, typedef and the like
	Constant  Kind = "constant"
	Variable  Kind = "variable"
	Field     Kind = "field"
	Module    Kind = "module" // or namespace
	Macro     Kind = "macro"
	Element   Kind = "element" // of markup
	Key       Kind = "key"     // of data
	Rule      Kind = "rule"    // of a style sheet
	Passed    Kind = "export"  // of what another file defines

	prototype Kind = "prototype" // a declaration of a function; dropped inside functions
)

// Symbol is one definition.
type Symbol struct {
	Name      string
	Kind      Kind
	Path      string // with the names around it: "Type.method"
	Signature string // one line, at most 200 bytes
	Parent    int    // index of the symbol around it in File.Symbols, -1 at the top
	Depth     int    // symbols around it
	Line      int    // of the name, 1-based
	EndLine   int
	NameStart int // byte offsets in the source
	Start     int // with export, decorators and the like around it
	End       int
	Exported  bool
	Part      bool     // of a statement that says more, and is not one without it
	Behind    bool     // words stand at or in front of its beginning that may be of its declaration or not
	ByMethod  bool     // a field that a method of its class binds: it stands in there, and others may bind it again
	Supers    []string // names of the types it extends or implements, as written

	letters letters // of Name; 0 when they were not counted
}

// Fault is a place that does not parse.
type Fault struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// File is the structure of a source file.
type File struct {
	Language string
	Package  string // as the file itself names it, "" when it does not
	Backend  string // what parsed it
	Lines    int
	Symbols  []Symbol          // in the order of the file, each after the one around it
	Passed   []Symbol          // names that it exports and that are no symbols of it: of what other files define, or given to its own
	Faults   []Fault           // the first of them
	Origins  map[string]Origin // of the names that Supers begin with, those that imports bring
	Broken   bool              // something does not parse
	Left     string            // why some of its symbols are not among them, "" when all are

	grams grams // of Symbols
}

// Limits of a file.
const (
	MaxSource = 8 << 20 // bytes of a source that is parsed
	maxFaults = 20
	maxDepth  = 200 // of symbols in symbols
	maxPath   = 500 // bytes of a name path
)

// ErrUnsupported is wrapped by errors for languages that this build cannot parse.
var ErrUnsupported = errors.New("not supported")

// Analyze finds the symbols of a source file. The error is the context's, or wraps ErrUnsupported; source that does
// not parse is no error.
func Analyze(ctx context.Context, lang *Language, src []byte) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(src) > MaxSource {
		return nil, fmt.Errorf("%w: %d bytes are more than the %d that are parsed", ErrUnsupported, len(src), MaxSource)
	}
	if lang.ID == "go" {
		return analyzeGo(ctx, lang, src)
	}
	f, err := parse(ctx, lang, src)
	if err == nil {
		flagIndents(f, lang, src)
		openTo(f, lang, src)
		f.findOrigins(lang, src)
	}
	return f, err
}

// Place says what a range of a source is.
type Place uint8

// The kinds of places.
const (
	InCode Place = iota
	InText       // inside a string or character literal
	InComment
)

// Span is a range of bytes.
type Span struct{ Start, End int }

//go:build cgo

package syntax

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	lua "github.com/tree-sitter-grammars/tree-sitter-lua/bindings/go"
	yaml "github.com/tree-sitter-grammars/tree-sitter-yaml/bindings/go"
	sitter "github.com/tree-sitter/go-tree-sitter"
	bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	css "github.com/tree-sitter/tree-sitter-css/bindings/go"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	html "github.com/tree-sitter/tree-sitter-html/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	json "github.com/tree-sitter/tree-sitter-json/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// Grammars reports whether this build has the tree-sitter grammars.
const Grammars = true

// The queries are written for these very versions of the grammars: go.mod pins them.
//
//go:embed queries/*.scm
var queryFiles embed.FS

// grammar is a parser of one language. Loading and compiling cost milliseconds each, so both wait for the first file.
type grammar struct {
	load    func() unsafe.Pointer
	queries []string // names of files, joined

	once     sync.Once
	language *sitter.Language
	query    *sitter.Query
	roles    []role // by capture
	err      error

	branch     sync.Once
	branchTags *sitter.Query
}

// role is what a capture of a query means.
type role struct {
	kind Kind // of a definition
	part part
}

type part uint8

const (
	definition part = iota
	nameOf
	scopeOf
	superOf
	wrapOf
	innerOf
	exportOf
	emptyOf      // a block that must hold something: without, it does not parse
	patternOf    // binds names, each a definition
	pieceOf      // is a part of a statement that says more
	ownerOf      // is given a field
	bindsOf      // whose statements bind names
	walrusOf     // a name that an expression binds
	lambdaOf     // holds names of its own
	keyedOf      // may be an object with functions
	madeOf       // may be made by a call of one
	passedOf     // an export of a name that may be another file's
	stateOf      // the statement around it
	takesOf      // takes names from other files
	visibilityOf // says who may use what comes next
	declaratorOf // of C, which has the name somewhere inside
	ignored
)

var parts = map[string]part{"name": nameOf, "scope": scopeOf, "super": superOf, "wrap": wrapOf, "inner": innerOf, "export": exportOf, "empty": emptyOf, "pattern": patternOf, "part": pieceOf, "owner": ownerOf, "binds": bindsOf, "walrus": walrusOf, "lambda": lambdaOf, "keyed": keyedOf, "made": madeOf, "passed": passedOf, "statement": stateOf, "takes": takesOf, "visibility": visibilityOf, "declarator": declaratorOf}

var grammars = map[string]*grammar{
	"go":              {load: golang.Language, queries: []string{"go"}},
	"python":          {load: python.Language, queries: []string{"python"}},
	"javascript":      {load: javascript.Language, queries: []string{"script", "javascript"}},
	"typescript":      {load: typescript.LanguageTypescript, queries: []string{"script", "typescript"}},
	"typescriptreact": {load: typescript.LanguageTSX, queries: []string{"script", "typescript"}},
	"rust":            {load: rust.Language, queries: []string{"rust"}},
	"java":            {load: java.Language, queries: []string{"java"}},
	"c":               {load: c.Language, queries: []string{"c"}},
	"cpp":             {load: cpp.Language, queries: []string{"c", "cpp"}},
	"csharp":          {load: csharp.Language, queries: []string{"csharp"}},
	"ruby":            {load: ruby.Language, queries: []string{"ruby"}},
	"php":             {load: php.LanguagePHP, queries: []string{"php"}},
	"kotlin":          {load: kotlin.Language, queries: []string{"kotlin"}},
	"lua":             {load: lua.Language, queries: []string{"lua"}},
	"shellscript":     {load: bash.Language, queries: []string{"bash"}},
	"html":            {load: html.Language, queries: []string{"html"}},
	"css":             {load: css.Language, queries: []string{"css"}},
	"json":            {load: json.Language, queries: []string{"json"}},
	"yaml":            {load: yaml.Language, queries: []string{"yaml"}},
}

// ready loads the language and compiles its query.
func (g *grammar) ready() error {
	g.once.Do(func() {
		g.language = sitter.NewLanguage(g.load())
		var text strings.Builder
		for _, name := range g.queries {
			b, err := queryFiles.ReadFile("queries/" + name + ".scm")
			if err != nil {
				g.err = err
				return
			}
			text.Write(b)
		}
		query, err := sitter.NewQuery(g.language, text.String())
		if err != nil {
			g.err = fmt.Errorf("query of %v: %w", g.queries, err)
			return
		}
		g.query = query
		for _, name := range query.CaptureNames() {
			r := role{kind: Kind(name)}
			if p, ok := parts[name]; ok {
				r = role{part: p}
			} else if strings.HasPrefix(name, "_") {
				r = role{part: ignored}
			}
			g.roles = append(g.roles, r)
		}
	})
	return g.err
}

// branches gives the query for the nodes that split the way through a function, nil when there is none.
func (g *grammar) branches(lang *Language) *sitter.Query {
	g.branch.Do(func() {
		if g.ready() != nil || len(lang.branches) == 0 {
			return
		}
		if q, err := sitter.NewQuery(g.language, "[("+strings.Join(lang.branches, ") (")+")] @branch"); err == nil {
			g.branchTags = q
		}
	})
	return g.branchTags
}

package syntax

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Language is one that the package knows. All are in Languages.
type Language struct {
	ID    string   // "go", "typescript", …; the names that language servers use
	Exts  []string // with the dot, lower case
	Names []string // of whole files, and of interpreters in a first line
	Data  bool     // shown by outline only: it has keys, elements or rules, no definitions
	Line  []string // what begins a comment that ends with its line
	Block bool     // /* … */ is a comment

	exported func(name, sig string) bool
	dollar   bool     // names may have a $
	branches []string // kinds of nodes that split the way through a function
	reserved []string // words that name nothing, beside those of statementWords
	tops     []string // words that begin a declaration in the first column of a broken source
}

// Languages lists all that are known.
func Languages() []*Language { return languages }

var languages = []*Language{
	{ID: "go", Exts: []string{".go"}, Line: []string{"//"}, Block: true, exported: upper, tops: []string{"func", "type", "var", "const", "import", "package"}},
	{ID: "python", reserved: []string{"elif", "try", "except", "finally", "with", "def", "class", "lambda", "import", "from", "raise", "pass", "del"}, Exts: []string{".py", ".pyi", ".pyw"}, Names: []string{"python", "SConstruct", "SConscript"}, Line: []string{"#"},
		exported: func(name, _ string) bool {
			return !strings.HasPrefix(name, "_") || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
		},
		branches: []string{"if_statement", "elif_clause", "for_statement", "while_statement", "except_clause", "conditional_expression", "boolean_operator", "case_clause", "if_clause"},
		tops:     []string{"def", "async def", "class", "import", "from", "if"}},
	{ID: "javascript", dollar: true, Exts: []string{".js", ".mjs", ".cjs", ".jsx"}, Names: []string{"node"}, Line: []string{"//"}, Block: true, exported: marked("export", "exports", "declare"), branches: scriptBranches, tops: scriptTops, reserved: scriptReserved},
	{ID: "typescript", dollar: true, Exts: []string{".ts", ".mts", ".cts"}, Names: []string{"deno", "ts-node", "bun"}, Line: []string{"//"}, Block: true, exported: marked("export", "exports", "declare"), branches: scriptBranches, tops: scriptTops, reserved: scriptReserved},
	{ID: "typescriptreact", dollar: true, Exts: []string{".tsx"}, Line: []string{"//"}, Block: true, exported: marked("export", "exports", "declare"), branches: scriptBranches, tops: scriptTops, reserved: scriptReserved},
	{ID: "rust", reserved: []string{"match", "loop", "let", "fn", "impl", "use"}, Exts: []string{".rs"}, Line: []string{"//"}, Block: true, exported: openRust,
		branches: []string{"if_expression", "match_arm", "for_expression", "while_expression", "loop_expression", "try_expression"},
		tops:     []string{"pub", "fn", "async fn", "unsafe", "const", "static", "struct", "enum", "union", "trait", "impl", "mod", "use", "type", "extern", "macro_rules"}},
	{ID: "java", reserved: braceReserved, dollar: true, Exts: []string{".java"}, Line: []string{"//"}, Block: true, exported: marked("public"),
		branches: []string{"if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement", "catch_clause", "ternary_expression", "switch_label"},
		tops:     []string{"public", "final", "abstract", "sealed", "strictfp", "class", "interface", "enum", "record", "@interface", "import", "package"}},
	{ID: "c", reserved: []string{"switch", "case", "do", "sizeof", "default", "goto"}, Exts: []string{".c", ".h"}, Line: []string{"//"}, Block: true, exported: unmarked("static"),
		branches: []string{"if_statement", "for_statement", "while_statement", "do_statement", "case_statement", "conditional_expression"}},
	{ID: "cpp", reserved: []string{"switch", "case", "do", "sizeof", "default", "goto", "try", "catch", "throw"}, Exts: []string{".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl", ".cu", ".cuh"}, Line: []string{"//"}, Block: true, exported: unmarked("static"),
		branches: []string{"if_statement", "for_statement", "for_range_loop", "while_statement", "do_statement", "case_statement", "conditional_expression", "catch_clause"}},
	{ID: "csharp", reserved: braceReserved, Exts: []string{".cs", ".csx"}, Line: []string{"//"}, Block: true, exported: marked("public"),
		branches: []string{"if_statement", "for_statement", "foreach_statement", "while_statement", "do_statement", "catch_clause", "conditional_expression", "switch_section", "switch_expression_arm"},
		tops:     []string{"public", "internal", "private", "protected", "static", "sealed", "abstract", "partial", "readonly", "unsafe", "file", "class", "struct", "interface", "enum", "record", "delegate", "namespace", "using"}},
	{ID: "ruby", tops: []string{"class", "module", "def"}, Exts: []string{".rb", ".rake", ".gemspec", ".ru"}, Names: []string{"ruby", "Rakefile", "Gemfile", "Vagrantfile"}, Line: []string{"#"},
		exported: func(name, sig string) bool {
			word := firstWord([]byte(sig))
			return !strings.HasPrefix(name, "_") && word != "private" && word != "protected"
		},
		branches: []string{"if", "elsif", "unless", "while", "until", "for", "when", "rescue", "conditional", "if_modifier", "unless_modifier"}},
	{ID: "php", Exts: []string{".php", ".phtml", ".php5", ".inc"}, Names: []string{"php"}, Line: []string{"//", "#"}, Block: true, exported: unmarked("private", "protected"),
		branches: []string{"if_statement", "else_if_clause", "for_statement", "foreach_statement", "while_statement", "do_statement", "case_statement", "catch_clause", "conditional_expression", "match_conditional_expression"}},
	{ID: "kotlin", reserved: []string{"when", "do", "try", "throw"}, Exts: []string{".kt", ".kts"}, Line: []string{"//"}, Block: true, exported: unmarked("private", "internal", "protected"),
		branches: []string{"if_expression", "when_entry", "for_statement", "while_statement", "do_while_statement", "catch_block"},
		tops:     []string{"public", "private", "internal", "protected", "open", "abstract", "sealed", "data", "enum", "annotation", "value", "inline", "infix", "operator", "tailrec", "suspend", "fun", "class", "interface", "object", "val", "var", "const", "typealias", "import", "package"}},
	{ID: "lua", Exts: []string{".lua"}, Names: []string{"lua", "luajit"}, Line: []string{"--"}, exported: unmarked("local"),
		branches: []string{"if_statement", "elseif_statement", "for_statement", "while_statement", "repeat_statement"}},
	{ID: "shellscript", Exts: []string{".sh", ".bash", ".zsh", ".ksh", ".bats"}, Names: []string{"sh", "bash", "zsh", "ksh", "dash", ".bashrc", ".bash_profile", ".profile", ".zshrc"}, Line: []string{"#"},
		exported: func(name, _ string) bool { return !strings.HasPrefix(name, "_") },
		branches: []string{"if_statement", "elif_clause", "for_statement", "c_style_for_statement", "while_statement", "case_item", "list"}},
	{ID: "html", Exts: []string{".html", ".htm", ".xhtml"}, Data: true},
	{ID: "css", Exts: []string{".css"}, Data: true, Block: true},
	{ID: "json", Exts: []string{".json", ".jsonc", ".webmanifest"}, Data: true, Line: []string{"//"}, Block: true},
	{ID: "yaml", Exts: []string{".yaml", ".yml"}, Data: true, Line: []string{"#"}},
}

var scriptBranches = []string{"if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement", "catch_clause", "ternary_expression", "switch_case"}

var scriptTops = []string{"export", "import", "declare", "function", "async function", "class", "abstract class", "interface", "type", "enum", "const enum", "namespace", "module", "const", "let", "var"}

// statementWords begin statements, so they name nothing: a broken source is often taken for calls and methods of such names.
var statementWords = []string{"if", "else", "for", "while", "return", "break", "continue"}

// reserved reports whether a word can be no name in a language.
func reserved(lang *Language, word string) bool {
	if lang.Data {
		return false
	}
	return slices.Contains(statementWords, word) || slices.Contains(lang.reserved, word)
}

var scriptReserved = []string{"const", "let", "var", "switch", "case", "do", "try", "catch", "throw", "function", "new", "typeof", "with", "import"}

var braceReserved = []string{"switch", "case", "do", "try", "catch", "finally", "throw"}

// ByID finds a language by its name, or by a name that people use for it.
func ByID(id string) *Language {
	id = strings.ToLower(strings.TrimSpace(id))
	if full, ok := nicknames[id]; ok {
		id = full
	}
	for _, l := range languages {
		if l.ID == id {
			return l
		}
	}
	for _, l := range languages {
		if slices.Contains(l.Exts, "."+id) {
			return l
		}
	}
	return nil
}

var nicknames = map[string]string{"golang": "go", "c++": "cpp", "c#": "csharp", "cs": "csharp", "bash": "shellscript", "sh": "shellscript", "shell": "shellscript", "js": "javascript", "ts": "typescript"}

// Detect finds the language of a file by its name; head, its first bytes, decides where the name does not. It gives
// nil when neither does.
func Detect(name string, head []byte) *Language {
	base := path.Base(name)
	ext := path.Ext(base)
	own := len(ext) == len(base) // ".bashrc": a name, not an ending
	if l := byExt()[strings.ToLower(ext)]; l != nil && !own {
		if l.ID == "c" && looksCPP(head) && strings.EqualFold(ext, ".h") {
			return ByID("cpp")
		}
		return l
	}
	for _, l := range languages {
		if slices.Contains(l.Names, base) && base != "sh" && base != l.ID {
			return l
		}
	}
	if ext == "" || own {
		return byInterpreter(head)
	}
	return nil
}

var byExt = sync.OnceValue(func() map[string]*Language {
	all := map[string]*Language{}
	for _, l := range languages {
		for _, ext := range l.Exts {
			all[ext] = l
		}
	}
	return all
})

// byInterpreter reads the first line of a script.
func byInterpreter(head []byte) *Language {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	for _, word := range strings.Fields(string(rest)) {
		word = path.Base(word)
		if word == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		word = strings.TrimRight(word, "0123456789.")
		for _, l := range languages {
			if slices.Contains(l.Names, word) {
				return l
			}
		}
		return nil
	}
	return nil
}

// looksCPP tells a header of C++ from one of C.
func looksCPP(head []byte) bool {
	for line := range bytes.Lines(head[:min(len(head), 64<<10)]) {
		line = bytes.TrimSpace(line)
		for _, w := range cppOnly {
			if bytes.HasPrefix(line, w) {
				return true
			}
		}
	}
	return false
}

var cppOnly = [][]byte{[]byte("class "), []byte("namespace "), []byte("template"), []byte("public:"), []byte("private:"), []byte("protected:"), []byte("using "), []byte("constexpr "), []byte("#include <string>"), []byte("#include <vector>"), []byte("#include <memory>")}

func upper(name, _ string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// marked reports symbols whose signature says one of the words.
func marked(words ...string) func(name, sig string) bool {
	return func(_, sig string) bool { return says(sig, words) }
}

func unmarked(words ...string) func(name, sig string) bool {
	return func(_, sig string) bool { return !says(sig, words) }
}

// openRust reports what is public: what is so for its own crate, as pub(crate), is not open to others.
func openRust(_, sig string) bool {
	return says(sig, []string{"pub"}) && !strings.HasPrefix(strings.TrimPrefix(sig, "pub"), "(")
}

// says looks for words in front of the parameters.
func says(sig string, words []string) bool {
	head, _, _ := strings.Cut(sig, "(")
	for _, f := range strings.FieldsFunc(head, func(r rune) bool { return r == ' ' || r == '.' || r == ':' }) {
		if slices.Contains(words, f) {
			return true
		}
	}
	return false
}

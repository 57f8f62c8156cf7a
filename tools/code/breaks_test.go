package code

import (
	"strings"
	"testing"
)

// Servers end lines where we do not, at a lone \r and U+2028: what they name is where it stands all the same.
func TestLineBreaksOfServers(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	lineBreaks(t, [][3]string{{"sep.ts", "foo", "foo2"}, {"cr.ts", "mix", "mix2"}, {"cr.py", "pmix", "pmix2"}, {"old.py", "pcr", "pcr2"}, {"g.go", "Emo", "Emo2"}},
		"pyright-langserver", "typescript-language-server", "gopls", "node")
}

func TestClangdLineBreaks(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	lineBreaks(t, [][3]string{{"c.c", "cw", "cw2"}}, "clangd")
}

// lineBreaks looks for names of files, and renames them: file, old name, new name.
func lineBreaks(t *testing.T, cases [][3]string, servers ...string) {
	files := map[string]string{
		"tsconfig.json": "{}\n", "sep.ts": "export const s = 'a\u2028b'; // x\nexport function foo() { return s; }\nfoo();\n",
		"cr.ts":  "const a1 = 1;\rexport function mix() { return a1; }\nmix();\r\nmix();\n",
		"use.ts": "import { foo } from './sep';\nimport { mix } from './cr';\nfoo(); mix();\n",
		"cr.py":  "a = 1\r\ndef pmix():\r\n    return a\r\npmix()\rpmix()\n", "old.py": "def pcr():\r    return 1\rpcr()\r",
		"go.mod": "module ex.com/u\n\ngo 1.22\n", "g.go": "package u\n\nvar s = \"a\u2028b\"; var Emo = 1\n\n/* \r x */ var z = Emo\n",
		"c.c": "int cw; /* \r \u2028 */ int f(void) { return cw; }\nint g(void) { return cw; }\n",
	}
	b := withServers(t, files, servers...)
	for _, at := range cases {
		if out := b.ok("references", "path", at[0], "query", at[1]); out.data["total"] != float64(strings.Count(files[at[0]]+files["use.ts"], at[1])) {
			t.Errorf("references of %s: %s\n%s", at[1], out.raw, out.Text)
		}
		b.ok("rename", "path", at[0], "query", at[1], "new_name", at[2])
		for name, text := range files {
			if name == at[0] || name == "use.ts" && strings.HasSuffix(at[0], ".ts") {
				files[name] = strings.ReplaceAll(text, at[1], at[2])
			}
			if got := b.read(name); got != files[name] {
				t.Errorf("%s after the rename of %s:\n%q, want\n%q", name, at[1], got, files[name])
			}
		}
	}
}

package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Edits take a declaration of C with all its macros, and nothing of what stands around it.
func TestEditsBesideMacros(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const kernel = "static __always_inline __must_check int f(int x)\n{\n\treturn x;\n}\n\nint __init setup(void)\n{\n\treturn 0;\n}\n\nMODULE_SCOPE const T v;\n\nint last;\n"
	const jni = "JNIEXPORT jint JNICALL Java_x(JNIEnv *e)\n{\n\treturn 0;\n}\n\nJNIEXPORT void JNICALL\nJava_y(JNIEnv *e)\n{\n}\n"
	const decls = "__BEGIN_DECLS\nint f(int x) __THROW;\nstruct s { int a; };\n__END_DECLS\n"
	const cond = "extern int a (char *__restrict __s, int __flag,\n\t\t const char *__restrict __f)\nextern int b (struct o *__restrict __o,\n\t\t ...)\n     __THROW;\n#if X (Y)\n#ifdef __USE_GNU\nint zz(void);\n"
	head, _, _ := strings.Cut(kernel, "\n{")
	for _, c := range []struct{ file, before, action, symbol, text, from, to string }{
		{"k.c", kernel, "delete_symbol", "f", "", head + "\n{\n\treturn x;\n}\n\n", ""},
		{"k.c", kernel, "insert_before", "f", "int q;", head, "int q;\n\n" + head},
		{"k.c", kernel, "replace_symbol", "f", head + "\n{\n\treturn x + 1;\n}", "return x;", "return x + 1;"},
		{"k.c", kernel, "insert_before", "setup", "int q;", "int __init", "int q;\n\nint __init"},
		{"k.c", kernel, "insert_after", "v", "int q;", "const T v;\n", "const T v;\n\nint q;\n"},
		{"j.c", jni, "delete_symbol", "Java_x", "", "JNIEXPORT jint JNICALL Java_x(JNIEnv *e)\n{\n\treturn 0;\n}\n\n", ""},
		{"j.c", jni, "insert_before", "Java_y", "int q;", "JNIEXPORT void", "int q;\n\nJNIEXPORT void"},
		{"d.h", decls, "delete_symbol", "f", "", "int f(int x) __THROW;\n", ""},
		{"d.h", decls, "insert_before", "f", "int q;", "int f", "int q;\nint f"},
		{"d.h", decls, "delete_symbol", "s", "", "struct s { int a; };\n", ""},
		{"c.h", cond, "delete_symbol", "zz", "", "int zz(void);\n", ""},
		{"l.h", "extern LZMA_API(int) one(const int *a)\n\t\tlzma_nothrow;\n\nextern LZMA_API(void) two(void);\n", "delete_symbol", "one", "", "extern LZMA_API(int) one(const int *a)\n\t\tlzma_nothrow;\n\n", ""},
		{"s.c", "SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)\n{\n\treturn 0;\n}\n\nint last;\n", "replace_symbol", "read", "SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)\n{\n\treturn 1;\n}", "return 0", "return 1"},
		{"a.hpp", "class A_EXPORT Foo : public Bar {\n  Q_OBJECT\npublic:\n  int m() const Q_DECL_OVERRIDE;\nsignals:\n  void sig();\n};\nint q();\n", "delete_symbol", "Foo.sig", "", "  void sig();\n", ""},
	} {
		b := project(t, map[string]string{c.file: c.before})
		args := []any{"path", c.file, "name_path", c.symbol}
		if c.text != "" {
			args = append(args, "text", c.text)
		}
		if strings.Count(c.before, c.from) == 0 {
			t.Fatalf("%s: no %q", c.file, c.from)
		}
		b.ok(c.action, args...)
		if got, want := b.read(c.file), strings.Replace(c.before, c.from, c.to, 1); got != want {
			t.Errorf("%s of %s in %s:\n%s\nwant\n%s", c.action, c.symbol, c.file, got, want)
		}
	}
}

// Where words in front of a symbol may be of its declaration, no edit is made.
func TestUnsureBegin(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct{ src, symbol, text string }{
		{"void g(void)\n{\n\tA B typedef int T;\n}\n", "T", "typedef char T;"},
		{"FOO_THING(a)\nint f(void);\nextern int g(int) __THROW;\n", "f", "int f(int);"},
	} {
		b := project(t, map[string]string{"a.c": c.src})
		for _, action := range []string{"delete_symbol", "insert_before", "insert_after", "replace_symbol"} {
			args := []any{"path", "a.c", "name_path", c.symbol}
			if action != "delete_symbol" {
				args = append(args, "text", c.text)
			}
			b.fails(tools.Conflict, action, args...)
		}
		if got := b.read("a.c"); got != c.src {
			t.Errorf("changed: %s", got)
		}
	}
}

// A comment that begins behind code is about that code, on all its lines.
func TestCommentBehindCode(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const src = "struct s {\n\t/* Zero. */\n\tint a;\t/* One\n\t\t * and more. */\n\tint b;\t/* Two\n\t\t * and more. */\n\tint c;\n};\n"
	b := project(t, map[string]string{"a.c": src})
	b.ok("delete_symbol", "path", "a.c", "name_path", "s.c")
	if got, want := b.read("a.c"), strings.Replace(src, "\tint c;\n", "", 1); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

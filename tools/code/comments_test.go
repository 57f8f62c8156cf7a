package code

import (
	"testing"
)

// A comment behind a member is its own, however it is written: what comes behind the member stands behind it, and it goes with
// the member.
func TestCommentsBehindMembers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, before, symbol, text, inserted, deleted string }{
		{"c: in an enum", "a.c", "enum e {\n\tA = 1, /* a */\n\tB, /* b */\n};\n", "e.A", "C", "enum e {\n\tA = 1, /* a */\n\tC,\n\tB, /* b */\n};\n", "enum e {\n\tB, /* b */\n};\n"},
		{"c: the last one", "a.c", "enum e {\n\tA = 1, /* a */\n\tB, /* b */\n};\n", "e.B", "C, /* c */", "enum e {\n\tA = 1, /* a */\n\tB, /* b */\n\tC, /* c */\n};\n", "enum e {\n\tA = 1, /* a */\n};\n"},
		{"c: without a comma", "a.c", "enum e {\n\tA, /**< a */\n\tB /**< b */\n};\n", "e.B", "C", "enum e {\n\tA, /**< a */\n\tB, /**< b */\n\tC\n};\n", "enum e {\n\tA, /**< a */\n};\n"},
		{"c: a field", "a.c", "struct s {\n\tint a; /* a */\n\tint b; /* b */\n};\n", "s.a", "int c;", "struct s {\n\tint a; /* a */\n\tint c;\n\tint b; /* b */\n};\n", "struct s {\n\tint b; /* b */\n};\n"},
		{"c: over lines", "a.c", "struct s {\n\tint a; /* a,\n\t\t* and more */\n\tint b;\n};\n", "s.a", "int c;", "struct s {\n\tint a; /* a,\n\t\t* and more */\n\tint c;\n\tint b;\n};\n", "struct s {\n\tint b;\n};\n"},
		{"c: two of them", "a.c", "int a; /* a */ // b\nint c;\n", "a", "int d;", "int a; /* a */ // b\nint d;\nint c;\n", "int c;\n"},
		{"c: one in front of another symbol is not behind it", "a.c", "int a; /* c */ int c;\n", "c", "int d;", "int a; /* c */ int c;\nint d;\n", "int a; /* c */\n"},
		{"typescript", "a.ts", "enum E {\n  A, /* a */\n  B, /* b */\n}\n", "E.B", "C,", "enum E {\n  A, /* a */\n  B, /* b */\n  C,\n}\n", "enum E {\n  A, /* a */\n}\n"},
		{"rust", "a.rs", "enum E {\n    A, /* a */\n    B, /* b */\n}\n", "E.A", "C(u8)", "enum E {\n    A, /* a */\n    C(u8),\n    B, /* b */\n}\n", "enum E {\n    B, /* b */\n}\n"},
		{"go", "a.go", "package a\n\nvar (\n\tA = 1 /* a */\n\tB = 2 // b\n)\n", "A", "C = 3", "package a\n\nvar (\n\tA = 1 /* a */\n\tC = 3\n\tB = 2 // b\n)\n", "package a\n\nvar (\n\tB = 2 // b\n)\n"},
		{"java: behind the mark that ends the constants", "A.java", "enum E {\n    A, // a\n    B; // b\n    int x;\n}\n", "E.B", "C // c", "enum E {\n    A, // a\n    B, // b\n    C; // c\n    int x;\n}\n", "enum E {\n    A; // a\n    int x;\n}\n"},
		{"java: a block there", "A.java", "enum E {\n    A(1), /* a */\n    B(2); /* b */\n}\n", "E.B", "C(3)", "enum E {\n    A(1), /* a */\n    B(2), /* b */\n    C(3);\n}\n", "enum E {\n    A(1); /* a */\n}\n"},
		{"css", "a.css", ".a { x: y } /* a */\n.b { x: y }\n", ".a", ".c { x: y }", ".a { x: y } /* a */\n.c { x: y }\n.b { x: y }\n", ".b { x: y }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needGrammars(t)
			b := project(t, map[string]string{c.file: c.before, "d/" + c.file: c.before})
			for action, want := range map[string]string{"insert_after": c.inserted, "delete_symbol": c.deleted} {
				file := c.file
				if action == "delete_symbol" {
					file = "d/" + c.file
				}
				out := b.ok(action, "path", file, "name_path", c.symbol, "text", c.text)
				if got := b.read(file); got != want || out.data["parse_error"] == true {
					t.Errorf("%s: %v\n%s\nwant\n%s", action, out.Envelope.Meta.Warnings, got, want)
				}
			}
		})
	}
}

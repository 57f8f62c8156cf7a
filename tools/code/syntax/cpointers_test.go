//go:build cgo

package syntax

import "testing"

// Marks of pointers to members are hidden where they are marks, and what only looks like one stays.
func TestReadable(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"int A::*p; void (B<int>::C::*q)();", "int    *p; void (           *q)();"},
		{"(a->*p)(1); (a.*p)(); b[1].*p;", "(a-> p)(1); (a. p)(); b[1]. p;"},
		{"/** ends here.*/ x = 1.*y; s = \"a.*\";", "/** ends here.*/ x = 1.*y; s = \"a.*\";"},
		{"int (&a)[3] = b;\nT<int> (&f(int))(char);\nreturn x(&a);", "int (*a)[3] = b;\nT<int> (*f(int))(char);\nreturn x(&a);"},
	} {
		if got := string(readable([]byte(c[0]))); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

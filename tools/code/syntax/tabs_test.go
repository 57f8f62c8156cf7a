package syntax

import "testing"

// What Python refuses of indentation is a fault, though the grammar takes it.
func TestIndentsAreFaults(t *testing.T) {
	t.Parallel()
	if !Grammars {
		t.Skip("this build does not parse Python")
	}
	const mixed, none = "inconsistent use of tabs and spaces in indentation", "unindent does not match any outer block"
	for text, want := range map[string]Fault{
		"def a():\n\tx = 1\n        y = 2\n\ndef b():\n    pass\n":           {3, 1, mixed},
		"class A:\n    def f(self):\n\treturn 1\n":                           {3, 1, mixed},
		"def a():\n\tif x:\n\t    y = 1\n\t    z = 2\n\treturn 1\n":          {},
		"def a():\n\tx = (1,\n        2)\n\ndef b():\n    pass\n":            {},
		"def a():\n    x = \"\"\"\n\ty\n\"\"\"\n    # c\n\t# d\n\n":          {},
		"def a():\n    x = 1\n   y = 2\n":                                    {3, 1, none},
		"def a():\n    x = 1\n      y = 2\n":                                 {3, 1, "unexpected indent"},
		"if x:\n    def a():\n        pass\n\ndef b():\n\tif y:\n\t\tpass\n": {},
	} {
		f, err := Analyze(t.Context(), ByID("python"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if want.Line == 0 && !f.Broken && len(f.Faults) == 0 {
			continue
		}
		if !f.Broken || len(f.Faults) != 1 || f.Faults[0] != want {
			t.Errorf("%q: %v %+v, want %+v", text, f.Broken, f.Faults, want)
		}
	}
}

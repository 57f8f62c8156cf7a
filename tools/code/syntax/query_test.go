//go:build cgo

package syntax

import "testing"

// Every query fits its grammar, and every capture means something.
func TestQueriesCompile(t *testing.T) {
	t.Parallel()
	kinds := map[Kind]bool{Function: true, Method: true, Class: true, Struct: true, Interface: true, Trait: true, Impl: true, Enum: true,
		Member: true, Type: true, Constant: true, Variable: true, Field: true, Module: true, Macro: true, Element: true, Key: true, Rule: true, prototype: true}
	for _, l := range Languages() {
		g := grammars[l.ID]
		if g == nil {
			t.Errorf("%s has no grammar", l.ID)
			continue
		}
		if err := g.ready(); err != nil {
			t.Errorf("%s: %v", l.ID, err)
			continue
		}
		for i, r := range g.roles {
			if r.part == definition && !kinds[r.kind] {
				t.Errorf("%s: capture %s is no kind", l.ID, g.query.CaptureNames()[i])
			}
		}
		if len(l.branches) > 0 && g.branches(l) == nil {
			t.Errorf("%s: its list of branches does not fit the grammar", l.ID)
		}
	}
}

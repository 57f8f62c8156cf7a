//go:build cgo

package syntax

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// What is nested without end costs no more than what is long, and what was left of it is said.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // it takes a tenth of a second, or minutes
	defer cancel()
	f, err := Analyze(ctx, ByID("json"), []byte(strings.Repeat(`{"a":`, 20_000)+"1"+strings.Repeat("}", 20_000)))
	if err != nil || len(f.Symbols) != maxDepth || f.Left == "" {
		t.Fatalf("%v: %d symbols, %q", err, len(f.Symbols), f.Left)
	}
	if f, err = Analyze(ctx, ByID("json"), []byte(`{"a":{"b":1}}`)); err != nil || f.Left != "" {
		t.Errorf("%v: %q", err, f.Left)
	}
}

// A query ends with its context.
func TestQueryEnds(t *testing.T) {
	t.Parallel()
	src := []byte("x = " + strings.Repeat("(", 120_000) + "1" + strings.Repeat(")", 120_000) + ";\nfunction z() {}\n")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Analyze(ctx, ByID("javascript"), src); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it does not end with its context: %v", err)
	}
	f, err := Analyze(t.Context(), ByID("javascript"), src)
	if err != nil || f.Left == "" && len(f.Symbols) == 0 {
		t.Errorf("%v: %+v", err, f)
	}
}

// What many names are bound by is looked at once, however deep it is.
func TestDeepBindings(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a second, or minutes
	defer cancel()
	for id, src := range map[string]string{
		"python":     "class A:\n    def f(self):\n        " + strings.Repeat("self.a = ", 3000) + "1\nx = " + strings.Repeat("(y := ", 2000) + "1" + strings.Repeat(")", 2000) + "\n",
		"javascript": "const x = " + strings.Repeat("{ f: () => 1, a: ", 3000) + "1" + strings.Repeat("}", 3000) + ";\n",
	} {
		if f, err := Analyze(ctx, ByID(id), []byte(src)); err != nil || len(f.Symbols) < 3 {
			t.Errorf("%s: %v", id, err)
		}
	}
}

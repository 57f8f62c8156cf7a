package lsp

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// escaped is a URI as servers write it that keep few characters of a path as they are.
func escaped(uri string) string {
	return "file:" + strings.NewReplacer("@", "%40", "+", "%2B", "&", "%26", "=", "%3d", "$", "%24", ",", "%2C", ";", "%3b", ":", "%3A").Replace(strings.TrimPrefix(uri, "file:"))
}

// A document is known by its path, however a server writes the URI of it.
func TestSpellingsOfURIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		uri, path string
		same      bool
	}{
		{"file:///p/%40scope/a%2Bb%26c%3Dd%24e%2Cf%3Bg.py", "/p/@scope/a+b&c=d$e,f;g.py", true},
		{"file:///p/@scope/a+b&c=d$e,f;g.py", "/p/@scope/a+b&c=d$e,f;g.py", true},
		{"file:///p/%C3%BC%20%23%3F%25/a.c", "/p/ü #?%/a.c", true},
		{"file:///p/a%2520.c", "/p/a .c", false},
		{"untitled:a", "a", false},
	} {
		if path := filepath.FromSlash(c.path); IsFile(c.uri, path) != c.same {
			t.Errorf("%s is %s: want %v", c.uri, path, c.same)
		}
	}
	p, spec, dir := pool(t, "tells")
	c := get(t, p, spec, dir)
	for _, name := range []string{"@scope/a.x", "c++/a+b.x", "a&b=c$d,e;f.x", "plain.x"} {
		file := filepath.Join(dir, name)
		if _, err := c.Open(t.Context(), file, "x", "1", "u\n"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		list, complete, err := c.Diagnostics(t.Context(), file)
		if err != nil || !complete || len(list) != 1 {
			t.Errorf("%s: %+v %v %v after %s", name, list, complete, err, time.Since(start))
		}
	}
}

// A file with another time and the same bytes is none that changed: what was said of it stays.
func TestTouched(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "tells")
	spec.KnowsOpen = true
	c := get(t, p, spec, dir)
	file := filepath.Join(dir, "a.x")
	said := func(want string) {
		t.Helper()
		list, complete, err := c.Diagnostics(t.Context(), file)
		if err != nil || !complete || len(list) != 1 || list[0].Message != want {
			t.Errorf("%+v %v %v, want %s", list, complete, err, want)
		}
	}
	for i, step := range []struct {
		stamp, text string
		known       bool
		want        string
	}{{"1", "u\n", false, "1"}, {"2", "u\n", true, "1"}, {"3", "v\n", false, "2"}, {"4", "u\n", false, "3"}} {
		known, err := c.Open(t.Context(), file, "x", step.stamp, step.text)
		if err != nil || known != step.known {
			t.Fatalf("%d: known %v, %v", i, known, err)
		}
		said(step.want)
		if stamp := c.Opened()[file]; stamp != step.stamp {
			t.Errorf("%d: stamp %s, want %s", i, stamp, step.stamp)
		}
	}
	if !c.Holds(file, "5", "u\n") || c.Holds(file, "6", "w\n") || c.Holds(filepath.Join(dir, "b.x"), "5", "u\n") {
		t.Error("what a document holds")
	}
	if err := c.Reread(t.Context(), file, "x", "u\n"); err != nil {
		t.Fatal(err)
	}
	said("4")
}

package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of the user's flags those pass that run nothing and change nothing, in the checkout or elsewhere.
func TestGoFlags(t *testing.T) {
	t.Parallel()
	abs := filepath.Join(t.TempDir(), "go.mod")
	for flags, want := range map[string]string{
		"": "", "-tags=integration,e2e": "-tags=integration,e2e", "  --tags=a   -race ": "--tags=a -race", "'-tags=a b' -mod=vendor": "'-tags=a b' -mod=vendor",
		"-mod=mod": "", "-mod=readonly": "-mod=readonly", "-toolexec=./x -tags=a": "-tags=a", "\"-toolexec=sh -c x\" -tags=a": "-tags=a", "-overlay=o.json": "",
		"-modfile=x.mod": "", "-modfile=" + abs: "-modfile=" + abs, "-ldflags=-extld=x '-gccgoflags=-B .' -exec=x -vettool=x -C=x -compiler=gccgo -pkgdir=x": "",
		"'-tags=a -toolexec=x": "", "-tags=a '-toolexec=x": "-tags=a",
	} {
		if got := strings.Join(safeGoFlags(flags), " "); got != want {
			t.Errorf("%q: %q, want %q", flags, got, want)
		}
		env := goFlags([]string{"GOENV=off", "GOFLAGS=" + flags})
		if len(env) != 1 || env[0] != strings.TrimSpace("GOFLAGS=-buildvcs=false "+want) {
			t.Errorf("%q: %q", flags, env)
		}
	}
	file := filepath.Join(t.TempDir(), "env") // as go env -w writes it: an empty variable would not hide it
	if err := os.WriteFile(file, []byte("GOFLAGS=-mod=mod -tags=a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if env := goFlags([]string{"GOENV=" + file}); env[0] != "GOFLAGS=-buildvcs=false -tags=a" {
		t.Errorf("%q", env)
	}
	if tags := GoTags([]string{"GOENV=off", "GOFLAGS='-tags=a b'"}); strings.Join(tags, " ") != "a b" {
		t.Errorf("%q", tags)
	}
}

package exec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	look := func(string) (string, error) { return "/x", nil }
	for line, want := range map[string]string{
		"git status":           "git status",
		"  ls   -la  a/b.txt ": "ls -la a/b.txt",
		"go test -run=X ./...": "go test -run=X ./...",
		"echo hello":           "sh -c echo hello",
		"echo -n x":            "",
		"echo a\\b":            "",
		"./x":                  "",
		"A=b c":                "",
		"cd x":                 "",
		"time ls":              "",
		"ls *":                 "",
		"ls ~":                 "",
		"ls $HOME":             "",
		"ls {a,b}":             "",
		"ls a#b":               "",
		"a\nb":                 "",
		"a\tb":                 "",
		"a;b":                  "",
		"ls 'a'":               "",
		"ls é":                 "",
		"! ls":                 "",
		"true":                 "sh -c true",
		"test -f x":            "",
		"printf x":             "",
		"kill 1":               "",
		"[ -f x ]":             "",
		"":                     "",
		"%1":                   "",
	} {
		_, args, ok := (&tool{Config: Config{Look: look}}).plain(line, execArgs{}, nil)
		if got := strings.Join(args, " "); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %t %q, want %q", line, ok, got, want)
		}
	}
	one := &tool{Config: Config{Look: look}}
	for name, try := range map[string]func() bool{
		"another PATH": func() bool {
			_, _, ok := one.plain("ls", execArgs{Env: map[string]string{"PATH": "/y"}}, nil)
			return ok
		},
		"another shell": func() bool { _, _, ok := one.plain("ls", execArgs{Shell: "zsh"}, nil); return ok },
		"functions": func() bool {
			_, _, ok := one.plain("ls", execArgs{}, []string{"BASH_FUNC_ls%%=() { echo no; }"})
			return ok
		},
		"BASH_ENV": func() bool { _, _, ok := one.plain("ls", execArgs{}, []string{"BASH_ENV=/x"}); return ok },
	} {
		if try() {
			t.Errorf("%s: the shell was left out", name)
		}
	}
	// A function of the call's own environment is still the shell's.
	if rep := r.call(m{"command": "true x", "env": m{"BASH_FUNC_true%%": "() { echo function; }"}}); rep.Text != "function\n" {
		t.Errorf("%q %s", rep.Text, rep.msg)
	}
	// A script without a first line runs in the shell, as it would.
	bin := r.dir // where children see it
	if err := os.WriteFile(filepath.Join(bin, "noline"), []byte("echo script $1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := bin + ":" + os.Getenv("PATH")
	two := &tool{Config: Config{Jobs: r.jobs, Env: func() []string { return append(r.env, "PATH="+path) },
		Look: func(name string) (string, error) {
			if name == "noline" {
				return filepath.Join(bin, name), nil
			}
			return "/bin/" + name, nil
		}}}
	r.tool = New(two.Config)
	if rep := r.run("noline a"); rep.Text != "script a\n" || rep.exit() != 0 {
		t.Errorf("%q %s", rep.Text, rep.msg)
	}
}

// TestPlainAgreesWithTheShell runs commands both ways.
func TestPlainAgreesWithTheShell(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, line := range []string{"echo a  b", "ls -la .", "true a", "false", "cat nosuch", "sleep 0", "env true", "sh -c exit", "nosuchcmd a", "basename a/b.c .c", "seq 1 3"} {
		direct, shell := r.run(line), r.run(line+" ;")
		if direct.Text != shell.Text || direct.exit() != shell.exit() {
			t.Errorf("%q: %q %d without a shell, %q %d with", line, direct.Text, direct.exit(), shell.Text, shell.exit())
		}
	}
}

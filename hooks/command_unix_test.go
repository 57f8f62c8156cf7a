//go:build unix

package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Public reports: a hook that could not run let the call pass, or hid why (claude-code#94362, #80697, #84656).
func TestHookThatCannotRunDeniesAndTellsTheCause(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const script = "#!/bin/sh\nexit 0\n"
	s.write("plain", script, 0o644)
	s.write("bare", "exit 0\n", 0o755)
	s.write("empty", "", 0o755)
	s.write("crlf", "#!/bin/sh\r\nexit 0\r\n", 0o755)
	s.write("nobody", "#!/no/such/interpreter\n", 0o755)
	s.write("nothing", "#!\n", 0o755)
	s.write("folder/x", "", 0o644)
	s.write("inside", script, 0o755)
	s.write("with space", script, 0o644)
	if err := os.Symlink("nowhere", filepath.Join(s.dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(s.dir, "pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, command, cause string }{
		{"no execute bit", "./plain", "plain is not executable: chmod +x it"},
		{"no execute bit, absolute, with arguments", s.dir + "/plain --now", "plain is not executable"},
		{"no execute bit, below home", "~/plain", "plain is not executable"},
		{"no execute bit, by HOME", `"$HOME/plain" x`, "plain is not executable"},
		{"no execute bit, after an assignment", "A=b exec ./plain", "plain is not executable"},
		{"no execute bit, unquoted space", "with space", "with space is not executable"},
		{"missing", "./missing", "missing: does not exist"},
		{"missing, quoted with spaces", `'./my hook' a`, "my hook: does not exist"},
		{"no #! line", "./bare", "bare has no #! line"},
		{"empty file", "./empty", "empty has no #! line"},
		{"CRLF #! line", "./crlf", "crlf ends in CRLF"},
		{"missing interpreter", "./nobody", "/no/such/interpreter, which does not exist"},
		{"no interpreter", "./nothing", "names no interpreter"},
		{"a directory", "./folder", "folder is a directory"},
		{"a dangling link", "./dangling", "dangling is a dangling link to nowhere"},
		{"a pipe", "./pipe", "pipe is not a regular file"},
		{"not in PATH", "no-such-program-here --x", `"no-such-program-here" is not in PATH`},
		{"in the folder but not in PATH", "inside", "write ./inside"},
		{"a later program is missing", "true && ./missing", "a program that it calls was not found (exit code 127)"},
		{"a later program is not executable", "true && ./plain", "not executable (exit code 126)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := s.runner(pre(c.command)).Pre(t.Context(), writeCall("{}"))
			if !d.Denied || !d.Failed {
				t.Fatalf("%+v, want denied and failed", d)
			}
			if !strings.Contains(d.Reason, c.cause) || !strings.Contains(d.Reason, quoted(c.command)) {
				t.Errorf("reason %q, want the command and %q", d.Reason, c.cause)
			}
			if log := s.logged(); len(log) == 0 || !strings.Contains(log[len(log)-1], quoted(c.command)) {
				t.Errorf("not logged: %q", log)
			}
			if w := s.runner(post(c.command)).Post(t.Context(), writeCall("{}"), nil); len(w) != 1 || !strings.Contains(w[0], c.cause) {
				t.Errorf("as a post-hook: %q, want a warning with %q", w, c.cause)
			}
		})
	}
}

func TestFolderOfTheSettingsGone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	h := pre("true")
	h.Dir = filepath.Join(s.dir, "gone")
	if d := s.runner(h).Pre(t.Context(), writeCall("{}")); !d.Denied || !strings.Contains(d.Reason, "gone cannot be entered") {
		t.Errorf("%+v, want denied for its folder", d)
	}
}

func TestPathsThatWork(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"check", "my hook", "it's", "sub/check", "-dash here"} {
		s.write(name, "#!/bin/sh\necho \"$0\" >&2\nexit 2\n", 0o755)
	}
	if err := os.Symlink("check", filepath.Join(s.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]string{
		"relative to the settings file": "./check", "relative in a folder": "sub/check", "absolute": s.dir + "/check",
		"quoted with a space": `"` + s.dir + `/my hook"`, "quoted, with an argument": `'./my hook' x`, "unquoted with a space": s.dir + "/my hook",
		"unquoted, relative, with a space": "my hook", "an escaped space": `./my\ hook`, "a link": "./link", "below home": "~/check", "spaces around": "  ./check  ",
		"unquoted with a dash and a space": "-dash here", "through a shell word": "sh ./check", "a quote in the name": `"./it's"`,
	} {
		t.Run(name, func(t *testing.T) {
			d := s.runner(pre(command)).Pre(t.Context(), writeCall("{}"))
			if !d.Denied || d.Failed {
				t.Errorf("%+v, want the hook's own refusal", d)
			}
		})
	}
}

func TestFirstWord(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"a b": "a", "  a": "a", "'a b' c": "a b", `"a b"c d`: "a bc", `a\ b c`: "a b", `"a\"b\c"`: `a"b\c`, "a;b": "a", "a>x": "a", "(a)": "", "$X/a": "", "`a`": "", "a*": "",
		"X=1 Y='2 3' a": "a", "exec a": "a", "~/a b": "/h/a", "~x/a": "", "$HOME/a": "/h/a", `"${HOME}/a b"`: "/h/a b", "$HOMES/a": "", `'$HOME/a'`: "$HOME/a",
		"'a": "", `"a`: "", "# a": "", "": "", "1X=2 a": "1X=2", `"exec" a`: "exec", `'Y=1' a`: "Y=1", `"Y"=1 a`: "Y=1", "{ a; }": "", "$P/a": "/p/a", `"${P}"/a b`: "/p/a", "$S/a": "", `"$S/a"`: "a b/a", "${P:-x}/a": "", "$(P)/a": "",
	} {
		env := map[string]string{"HOME": "/h", "P": "/p", "S": "a b"}
		if got := firstWord(command, func(name string) string { return env[name] }); got != want {
			t.Errorf("firstWord(%q) = %q, want %q", command, got, want)
		}
	}
}

func TestFilesOfACommand(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"check", "my hook", "lib.py", "sub/x"} {
		s.write(name, "", 0o755)
	}
	for command, want := range map[string]string{
		"./check": "check", "my hook": "my hook", "'./my hook' --flag": "my hook", "python3 lib.py ./check": "lib.py check", "~/check": "check", `"$HOME/check"`: "check",
		"true && ./check; (sub/x)": "check sub/x", "./check <lib.py": "check lib.py", "$X/check ./check": "check", "`a` $(b) ./sub/x": "sub/x", "none": "", "sub": "", "'": "", ";;": "", "./check ./check": "check", "$P/x": "sub/x", `"${HANZO_PROJECT_DIR}"/x`: "sub/x", `cd "$HANZO_PROJECT_DIR" && python3 x`: "sub/x", "cd sub; ./x ../lib.py": "sub/x lib.py",
		"cd sub && cd .. && ./check": "check", "./gone.sh -x": "gone.sh", "sh ./gone.sh": "", "$P/gone": "sub/gone", "PWD= $PWD/check": "check",
	} {
		var got []string
		for _, path := range (Hook{Command: command, Dir: s.dir}).Files(s.dir+"/sub", func(name string) string { return map[string]string{"HOME": s.dir, "P": s.dir + "/sub"}[name] }) {
			got = append(got, strings.TrimPrefix(path, s.dir+"/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

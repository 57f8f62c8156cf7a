package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// program is a hook's command made ready to start.
type program struct {
	path string
	argv []string
	raw  string // the whole command line, where the system passes one (Windows)
	word string // the first word as a literal text, "" when only the shell can tell
}

// plan turns a command into what is started, or says why it cannot run. The shell hides causes: it takes a file without
// a #! line for its own script and answers 127 for half a dozen faults, so the file is looked at first.
func plan(command, dir, shell string, env []string) (program, error) {
	if info, err := os.Stat(dir); err != nil {
		return program{}, fmt.Errorf("its folder %s cannot be entered: %w", dir, reason(err))
	} else if !info.IsDir() {
		return program{}, fmt.Errorf("its folder %s is not a folder", dir)
	}
	command = strings.TrimSpace(command)
	if strings.ContainsAny(command, " \t") {
		if path := inDir(dir, command); isFile(path) {
			return program{path: path, argv: []string{path}, raw: `"` + path + `"`, word: path}, checkFile(path)
		}
	}
	p := shellProgram(shell, command)
	p.word = firstWord(command, func(name string) string { return variable(env, name) })
	if hasSeparator(p.word) {
		return p, checkFile(inDir(dir, p.word))
	}
	return p, nil
}

func inDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// hasSeparator tells a path from a name that is looked up in PATH.
func hasSeparator(word string) bool {
	return strings.ContainsRune(word, '/') || strings.ContainsRune(word, filepath.Separator)
}

// checkFile says why a program file cannot be run, or nil when nothing speaks against it.
func checkFile(path string) error {
	link, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && link.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(path)
		return fmt.Errorf("%s is a dangling link to %s", path, target)
	case err != nil:
		return fmt.Errorf("%s: %w", path, reason(err))
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	}
	return checkExecutable(path, info)
}

// reason strips the operation and path that the message names itself.
func reason(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("does not exist")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// firstWord is the program a shell command names, as far as it can be told without running it: quotes, backslashes, ~/
// and variables of the environment are understood, leading assignments and exec are skipped. "" when it depends on
// anything else.
func firstWord(command string, variable func(name string) string) string {
	for {
		word, rest, bare, ok := shellWord(command, variable)
		switch {
		case !ok:
			return ""
		case bare && (word == "exec" || isAssignment(word)):
			command = rest
		default:
			return word
		}
	}
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !isVariableRune(r) }) < 0
}

// shellWord reads one word; ok is false when there is none or the shell would have to expand it, bare when nothing up to
// a "=" in it was quoted.
func shellWord(s string, variable func(name string) string) (word, rest string, bare, ok bool) {
	s = strings.TrimLeft(s, " \t\n")
	var b strings.Builder
	if after, found := strings.CutPrefix(s, "~/"); found {
		b.WriteString(variable("HOME") + "/")
		s = after
	}
	inDouble, started := false, b.Len() > 0
	bare = true
	quote := func() { bare = bare && strings.ContainsRune(b.String(), '=') }
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '$':
			name, length := variableIn(s[i:])
			value := variable(name)
			if value == "" || !inDouble && strings.ContainsAny(value, " \t\n*?[") { // it would be no word, or several
				return "", "", false, false
			}
			b.WriteString(value)
			i += length - 1
		case c == '`':
			return "", "", false, false
		case c == '\\' && i+1 < len(s):
			quote()
			if i++; inDouble && !strings.ContainsRune("$`\"\\", rune(s[i])) {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		case c == '"':
			quote()
			inDouble = !inDouble
		case inDouble:
			b.WriteByte(c)
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", "", false, false
			}
			quote()
			b.WriteString(s[i+1 : i+1+end])
			i += end + 1
		case strings.IndexByte(" \t\n;&|<>()", c) >= 0:
			return b.String(), s[i:], bare, started
		case strings.IndexByte("*?[{#~", c) >= 0 && (c != '#' && c != '~' || !started):
			return "", "", false, false
		default:
			b.WriteByte(c)
		}
		started = true
	}
	return b.String(), "", bare, started && !inDouble
}

// variableIn is the variable that s begins with, as $NAME or ${NAME}, and the length of what names it; "" when it is
// no plain one.
func variableIn(s string) (name string, length int) {
	rest, braced := strings.CutPrefix(s[1:], "{")
	end := strings.IndexFunc(rest, func(r rune) bool { return !isVariableRune(r) })
	if end < 0 {
		end = len(rest)
	}
	name = rest[:end]
	if length = len(s) - len(rest) + end; braced {
		if !strings.HasPrefix(rest[end:], "}") {
			return "", 0
		}
		length++
	}
	return name, length
}

func isVariableRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// Files are the files that a hook's command names, absolute: its program, whether it is there or not, scripts given to an
// interpreter, and so on, as far as words show without running it. They are what must not be written by those whom the
// hook judges. The environment is the hook's own, but for what is known only in a call.
func (h Hook) Files(project string, getenv func(name string) string) []string {
	variable := func(name string) string {
		switch name {
		case "HANZO_PROJECT_DIR":
			return project
		case "PWD":
			return h.Dir
		}
		return getenv(name)
	}
	bases := []string{h.Dir} // where the command may stand when it comes to a word
	var files []string
	add := func(word string, there bool) {
		for _, base := range bases {
			path := inDir(base, word)
			if info, err := os.Stat(path); (there && err == nil && info.Mode().IsRegular() || !there && errors.Is(err, fs.ErrNotExist)) && !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	command := strings.TrimSpace(h.Command)
	add(command, true)
	if word := firstWord(command, variable); hasSeparator(word) {
		add(word, false)
	}
	for entering := false; ; {
		if command = strings.TrimLeft(command, " \t\n;&|<>()"); command == "" {
			return files
		}
		word, rest, _, ok := shellWord(command, variable)
		switch i := strings.IndexAny(command, " \t\n"); {
		case ok && entering:
			for _, base := range bases {
				bases = append(bases, inDir(base, word))
			}
		case ok:
			add(word, true)
		case i >= 0:
			rest = command[i:]
		}
		entering = ok && word == "cd" && len(bases) < maxBases
		command = rest
	}
}

// maxBases bounds the folders that a command with many cd is looked at from.
const maxBases = 16

// missing explains exit codes 126 and 127, by which a shell says that a program did not start.
func missing(code int, p program, dir string, env []string) string {
	switch {
	case code == 126:
		return "a program that it calls is not executable (exit code 126)"
	case p.word == "" || hasSeparator(p.word) || lookPath(p.word, variable(env, "PATH")):
		return "a program that it calls was not found (exit code 127)"
	case isFile(inDir(dir, p.word)):
		return fmt.Sprintf("%q is not in PATH (exit code 127); write ./%s for the file in %s", p.word, p.word, dir)
	}
	return fmt.Sprintf("the program %q is not in PATH (exit code 127)", p.word)
}

func lookPath(name, path string) bool {
	for _, dir := range filepath.SplitList(path) {
		if isFile(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

// variable reads one variable of an environment list; the last setting counts.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(env[i], "="); ok && sameVariable(key, name) {
			return value
		}
	}
	return ""
}

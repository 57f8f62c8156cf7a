package exec

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxLine is the longest command line that can be handed to a shell as one argument: Linux takes 128 KiB.
const maxLine = 128<<10 - 1

// parse gives the command of a call: a line for the shell, or an argv. A client may send the array as text.
func parse(raw json.RawMessage) (line string, argv []string, err error) {
	invalid := func(format string, a ...any) error {
		return tools.Errorf(tools.InvalidParams, format, a...).With(tools.Details{Param: "command", Expected: "a command line, or an array of strings"})
	}
	switch {
	case len(raw) == 0:
		return "", nil, invalid("command is missing: give a command line such as \"ls -l\", or an array such as [\"ls\",\"-l\"]")
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &line); err != nil {
			return "", nil, invalid("command cannot be read: %v", err)
		}
		if strings.HasPrefix(strings.TrimSpace(line), `["`) {
			argv, _ = argvOf(raw)
		}
	case raw[0] == '[':
		var ok bool
		if argv, ok = argvOf(raw); !ok {
			return "", nil, invalid("command as an array must hold strings only")
		}
	default:
		return "", nil, invalid("command must be a string or an array of strings")
	}
	switch {
	case argv == nil && strings.TrimSpace(line) == "", argv != nil && (len(argv) == 0 || argv[0] == ""):
		return "", nil, invalid("command is empty; nothing was run")
	case strings.IndexByte(line, 0) >= 0 || strings.IndexByte(strings.Join(argv, ""), 0) >= 0:
		return "", nil, invalid("command holds a NUL character, which no program can be given")
	case argv == nil && len(line) > maxLine:
		return "", nil, tools.Errorf(tools.TooLarge, "the command has %d bytes, and the system takes %d: write it to a file and run that, or pass data as stdin", len(line), maxLine).
			With(tools.Details{Param: "command"})
	}
	return line, argv, nil
}

// title is the command as people read it.
func title(line string, argv []string) string {
	if argv == nil {
		return line
	}
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'`$\\|&;<>()*?[]{}~#!") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// shell gives the argv that runs line in the shell name, or in the default one when that is "".
func (t *tool) shell(name, line string) (path string, args []string, err error) {
	if strings.Contains(name, " -") {
		return "", nil, tools.Errorf(tools.InvalidParams, "shell %q: give the program alone; options go into the command, as \"set -e\" does. Nothing was run", name).
			With(tools.Details{Param: "shell", Actual: name})
	}
	choices := []string{name}
	if name == "" {
		if choices = []string{t.Shell}; t.Shell == "" {
			choices = defaultShells
		}
	}
	for _, choice := range choices {
		if path, err = t.look(choice); err == nil {
			return path, append([]string{path}, shellArgs(path, line)...), nil
		}
	}
	return "", nil, tools.Errorf(tools.NotFound, "the shell %s cannot be run: %v; leave shell out, or give the command as an array", choices[len(choices)-1], err).
		With(tools.Details{Param: "shell", Actual: choices[len(choices)-1]})
}

// shellArgs are what makes a shell run one line: no login shell, no profile.
func shellArgs(path, line string) []string {
	line = unixBreaks(path, line)
	switch shellName(path) {
	case "powershell", "pwsh":
		return []string{"-NoProfile", "-NonInteractive", "-Command", line}
	case "cmd":
		if runtime.GOOS == "windows" {
			return []string{"/d", "/s", "/c", line}
		}
	case "bash":
		return []string{"--noprofile", "--norc", "-c", line}
	}
	return []string{"-c", line}
}

func shellName(path string) string {
	return strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
}

// unixBreaks takes the CR off the ends of lines for a Unix shell, to which it is a character like others, when all of them
// have one: then it is the client's way of writing.
func unixBreaks(path, line string) string {
	if name := shellName(path); name == "powershell" || name == "pwsh" || name == "cmd" || strings.Count(line, "\n") != strings.Count(line, "\r\n") {
		return line
	}
	return strings.ReplaceAll(line, "\r\n", "\n")
}

func (t *tool) look(name string) (string, error) {
	if t.Look == nil {
		return "", fmt.Errorf("%s: %w", name, launch.ErrNotFound)
	}
	return t.Look(name)
}

// environ is the environment of one child: that of all children, the call's variables, and the folder it runs in.
func (t *tool) environ(in execArgs, dir string) ([]string, error) {
	var base []string
	if t.Env != nil {
		base = t.Env()
	}
	extra := make([]string, 0, len(in.Env)+3)
	if runtime.GOOS != "windows" {
		extra = append(extra, "PWD="+dir)
	}
	if term := launch.Getenv(base, "TERM"); in.PTY && (term == "" || term == "dumb") {
		extra = append(extra, "TERM=xterm-256color")
	}
	if in.Background && launch.Getenv(base, "PYTHONUNBUFFERED") == "" {
		extra = append(extra, "PYTHONUNBUFFERED=1") // into a pipe Python writes by the block, and its output is read while it runs
	}
	for name, value := range in.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.IndexByte(value, 0) >= 0 {
			return nil, tools.Errorf(tools.InvalidParams, "env: %q cannot be a variable; names have no '=' and neither names nor values a NUL", name).
				With(tools.Details{Param: "env"})
		}
		extra = append(extra, name+"="+value)
	}
	return launch.MergeEnv(base, extra), nil
}

// folder gives the absolute folder that a call runs in.
func folder(c *tools.Call, cwd string) (string, error) {
	if cwd == "" {
		if base := c.Roots.Base(); base != "" {
			return base, nil
		}
		if why := c.Roots.NoBase(); why != "" {
			return "", tools.Errorf(tools.PermissionDenied, "the folder to run commands in cannot be used: %s; give cwd as an absolute path, or ask the user", why).
				With(tools.Details{Param: "cwd"})
		}
		dirs := c.Roots.Dirs()
		if len(dirs) == 0 {
			return "", tools.Errorf(tools.PermissionDenied, "no folder is set to run commands in: start the server with --project-dir FOLDER")
		}
		c.Warn(noFolder(c) + "; the command ran in " + dirs[0])
		return dirs[0], nil
	}
	p, err := c.Roots.Resolve(cwd)
	if err != nil {
		return "", err
	}
	if p, err = c.Roots.Follow(p); err != nil {
		return "", err
	}
	info, p, err := c.Roots.Stat(p)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", tools.Errorf(tools.InvalidParams, "cwd %s is a file; give the folder to run in", cwd).
			With(tools.Details{Param: "cwd", Expected: "folder", Actual: "file"})
	}
	return p.Abs(), nil
}

// noFolder says why there is no project folder to run in.
func noFolder(c *tools.Call) string {
	var pe *sandbox.PathError
	if _, err := c.Roots.Resolve("."); errors.As(err, &pe) && len(pe.Left) > 0 {
		return strings.Join(pe.Left, "; ")
	}
	return "no project folder is set (--project-dir FOLDER)"
}

// isOperator reports whether a word of an array was meant for a shell.
func isOperator(word string) bool {
	return slices.Contains([]string{"&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"}, word)
}

// startError is what a call answers whose command could not be started. One that was not found or is no program
// answers as a shell would, with its exit code.
func startError(err error, argv []string) (*tools.Result, error) {
	var se *launch.StartError
	switch {
	case !errors.As(err, &se):
		return nil, err
	case errors.Is(err, launch.ErrNoDir):
		return nil, tools.Errorf(tools.NotFound, "cwd %v; give an existing folder", err).With(tools.Details{Param: "cwd", Actual: se.Path})
	case se.Exit == 0:
		return nil, err
	}
	text := err.Error()
	switch {
	case len(argv) > 0 && errors.Is(err, launch.ErrNotFound) && (strings.ContainsAny(argv[0], " \t\n") || slices.ContainsFunc(argv, isOperator)):
		text = fmt.Sprintf("there is no program %q: an array is [program, arguments…] and runs without a shell; give the command line as one string", argv[0])
	case errors.Is(err, syscall.ENOEXEC):
		text += "; it has no first line (#!) that names its program: give the command as a string, or put the program in front"
	}
	return &tools.Result{Data: data{Status: "failed", ExitCode: &se.Exit}},
		tools.Errorf(tools.ExitNonzero, "not started, exit code %d: %s", se.Exit, text).With(tools.Details{Param: "command", Actual: se.Path})
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
)

// command is one verb of the command line.
type command struct {
	name, args, summary string
	flags               func(*options) *pflag.FlagSet
	run                 func(ctx context.Context, p *program, o options, args []string) error
}

// program is what a run works with: the streams and the environment it was given.
type program struct {
	ui     *console
	in     io.Reader
	out    *printer
	raw    io.Writer // what out prints to; serve frames messages on it
	getenv func(string) string
}

// commands lists the verbs, in the order of --help.
func commands() []command {
	plain := func(name string) func(*options) *pflag.FlagSet {
		return func(o *options) *pflag.FlagSet { return serveFlags(name, o) }
	}
	return []command{
		{"serve", "", "serve a client over stdio, or with --http over HTTP (the default)", func(o *options) *pflag.FlagSet {
			fs := serveFlags("serve", o)
			httpFlags(fs, o)
			return fs
		}, runServe},
		{"list-tools", "", "list the tools that a client would see", func(o *options) *pflag.FlagSet {
			fs := serveFlags("list-tools", o)
			fs.BoolVar(&o.json, "json", false, "the whole tools/list result as JSON")
			fs.BoolVar(&o.local, "local", false, "local tools only")
			return fs
		}, runListTools},
		{"call", "TOOL [JSON|-]", "call one tool as a client would and print its result", func(o *options) *pflag.FlagSet {
			fs := serveFlags("call", o)
			fs.BoolVar(&o.json, "json", false, "the whole result as JSON")
			return fs
		}, runCall},
		{"install", "CLIENT...", "put an entry for this program into a client's settings", func(o *options) *pflag.FlagSet { return installFlags("install", o) }, runInstall},
		{"uninstall", "CLIENT...", "take the entry out again", func(o *options) *pflag.FlagSet { return installFlags("uninstall", o) }, runUninstall},
		{"doctor", "", "check this machine, the door and the clients, and say what mends what is wrong", func(o *options) *pflag.FlagSet {
			fs := serveFlags("doctor", o)
			fs.BoolVar(&o.json, "json", false, "the findings as JSON")
			return fs
		}, runDoctor},
		{"settings", "", "print each setting and where it came from", plain("settings"), runSettings},
		{"version", "", "print the version and how it was built", plain("version"), runVersion},
	}
}

// run is the program: it parses args, does what they say and gives the exit code (0 done, 1 failed, 2 wrong usage).
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer, getenv func(string) string) int {
	u := &console{w: errw, level: warnLevel}
	defer u.out.flush()
	printed := newPrinter(out)
	code := (&program{ui: u, in: in, raw: out, out: printed, getenv: trimmed(getenv)}).run(ctx, args)
	if err := printed.fault(); err != nil {
		if !isHangup(err) {
			u.fail(err)
		}
		return max(code, 1)
	}
	return code
}

// trimmed takes the blanks off our own variables: a client's settings and scripts leave them there.
func trimmed(getenv func(string) string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		if strings.HasPrefix(name, "HANZO_MCP_") {
			value = strings.TrimSpace(value)
		}
		return value
	}
}

func (p *program) run(ctx context.Context, args []string) int {
	u := p.ui
	cmds := commands()
	cmd, rest, err := pick(cmds, args)
	if err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(p.out, usage(cmds))
			return 0
		}
		u.fail(err)
		return 2
	}
	var o options
	fs := cmd.flags(&o)
	positional, err := parse(fs, rest, &o)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(p.out, "hanzo-mcp %s %s\n\n%s.\n\n%s", cmd.name, cmd.args, cmd.summary, fs.FlagUsages())
		return 0
	}
	if err == nil {
		err = errors.Join(u.setLevel(o.logLevel), o.checkNames())
	}
	if err == nil && len(positional) > 0 && cmd.args == "" {
		err = fmt.Errorf("%s takes no argument %q", cmd.name, positional[0])
		switch {
		case positional[0] == "true" || positional[0] == "false":
			err = withHint(err, "a switch takes its value behind =, as in --read-only=%s", positional[0])
		case o.http == defaultHTTP:
			err = withHint(err, "an address is given as --http=%s", positional[0])
		case isFolder(positional[0]):
			err = withHint(err, folderHint)
		default:
			err = withHint(err, "see hanzo-mcp %s --help", cmd.name)
		}
	}
	if err != nil {
		u.fail(err)
		return 2
	}
	if len(o.swallowed) > 0 {
		u.warnf("flags of other Hanzo servers without a meaning here were ignored: %s", strings.Join(o.swallowed, ", "))
	}
	defer u.tell(u.told()) // a command may silence its own warnings
	if err := cmd.run(ctx, p, o, positional); err != nil {
		var failed *resultError
		var wrong *usageError
		if !errors.As(err, &failed) && p.out.err == nil {
			u.fail(err)
		}
		if errors.As(err, &wrong) {
			return 2
		}
		return 1
	}
	return 0
}

// pick finds the command of a command line: the first argument that is one, wherever flags of serve stand before
// it; serve when there is none.
func pick(cmds []command, args []string) (command, []string, error) {
	if len(args) > 0 {
		switch args[0] {
		case "--help", "-h", "help":
			if len(args) == 1 || args[0] != "help" {
				return command{}, nil, pflag.ErrHelp
			}
			args = []string{args[1], "--help"}
		case "--version", "-V", "-v":
			args = append([]string{"version"}, args[1:]...)
		}
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		for i, arg := range args { // --project-dir DIR serve
			if strings.HasPrefix(arg, "-") || i > 0 && takesValue(args[i-1]) {
				continue
			}
			if at := slices.IndexFunc(cmds, func(c command) bool { return c.name == arg }); at >= 0 {
				return cmds[at], slices.Concat(args[:i], args[i+1:]), nil
			}
			break
		}
		return cmds[0], args, nil
	}
	names := make([]string, len(cmds))
	for i, c := range cmds {
		if c.name == args[0] {
			return c, args[1:], nil
		}
		names[i] = c.name
	}
	err := fmt.Errorf("unknown command %q", args[0])
	if isFolder(args[0]) {
		return command{}, nil, withHint(err, folderHint)
	}
	if strings.Contains(args[0], " ") {
		return command{}, nil, withHint(err, "it is a whole line: each word is an argument of its own")
	}
	if slices.Contains([]string{"stdio", "start", "run", "mcp", "hanzo-mcp"}, args[0]) {
		return command{}, nil, withHint(err, "did you mean hanzo-mcp serve?")
	}
	if near := nearestFlag(args[0], names); near != "" {
		return command{}, nil, withHint(err, "did you mean hanzo-mcp %s?", near)
	}
	return command{}, nil, withHint(err, "see hanzo-mcp --help")
}

// isFolder reports whether an argument names a folder, there or not: other servers take theirs so.
func isFolder(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.IsDir() || strings.ContainsAny(arg, "/"+string(os.PathSeparator))
}

// takesValue reports whether the argument is a flag whose value is the next one.
func takesValue(arg string) bool {
	name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if inline || !strings.HasPrefix(arg, "-") {
		return false
	}
	var o options
	if f := serveFlags("", &o).Lookup(name); f != nil {
		return f.NoOptDefVal == ""
	}
	return foreignFlags[name] || name == "t" || name == "transport" || name == "p" || name == "port" || name == "host" || name == "project"
}

func usage(cmds []command) string {
	var b strings.Builder
	b.WriteString("hanzo-mcp: a local MCP server that forwards the rest to Hanzo Cloud\n\nUsage:\n  hanzo-mcp [COMMAND] [FLAGS]\n\nCommands:\n")
	for _, c := range cmds {
		fmt.Fprintf(&b, "  %-24s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
	b.WriteString("\nIn a client's settings:\n  {\"mcpServers\":{\"hanzo\":{\"command\":\"hanzo-mcp\",\"args\":[\"serve\"]}}}\n\nhanzo-mcp COMMAND --help tells the flags.\n")
	return b.String()
}

func (u *console) setLevel(name string) error {
	if name == "" {
		return nil
	}
	l, ok := levelNames[strings.ToLower(name)]
	if !ok {
		return withHint(fmt.Errorf("unknown log level %q", name), "use off, error, warn, info or debug")
	}
	u.tell(l)
	return nil
}

func asHint(err error, h **hintError) bool { return errors.As(err, h) }

func runVersion(_ context.Context, p *program, _ options, _ []string) error {
	_, err := fmt.Fprintln(p.out, serverName, version(), buildNote())
	return err
}

// release is set by the release build.
var release string

// version is the released version, else what the build recorded.
var version = sync.OnceValue(func() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "dev"
})

func runServe(ctx context.Context, p *program, o options, _ []string) error {
	if o.http == "" && isTerminal(p.in) {
		p.ui.infoAlways("waiting for an MCP client on standard input. A client starts this program itself: `hanzo-mcp install CLIENT` puts it there, `hanzo-mcp --help` tells the rest")
	}
	s := newServer(p.ui, o, p.getenv)
	defer s.close()
	if o.http != "" {
		return s.serveHTTP(ctx)
	}
	return s.serveStdio(ctx, p.in, p.raw)
}

// runID names this run of the program in hooks and logs.
func runID() string { return rand.Text()[:8] }

// doorTimeout and doorSize read the limits of the door from the environment, 0 for the default.
func doorTimeout(getenv func(string) string) time.Duration {
	text := getenv("HANZO_MCP_DOOR_TIMEOUT")
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d
	}
	if ms, err := strconv.Atoi(text); err == nil && ms > 0 {
		return time.Duration(ms) * time.Millisecond
	}
	return 0
}

func doorSize(getenv func(string) string) int {
	n, _ := strconv.Atoi(getenv("HANZO_MCP_MAX_DOOR_BYTES"))
	return max(n, 0)
}

// limitFaults tells of limits in the environment that are not as they should be, since the default is used then, and of one
// that is hardly meant.
func limitFaults(getenv func(string) string) []string {
	var faults []string
	for _, l := range []struct {
		name, want string
		taken      bool
	}{
		{"HANZO_MCP_DOOR_TIMEOUT", "duration such as 90s, or milliseconds", doorTimeout(getenv) > 0},
		{"HANZO_MCP_MAX_DOOR_BYTES", "number of bytes", doorSize(getenv) > 0},
		{"HANZO_MCP_MAX_MESSAGE_BYTES", fmt.Sprintf("number of bytes of at least %d", minMessage), messageLimit(getenv) > 0},
	} {
		if text := getenv(l.name); text != "" && !l.taken {
			faults = append(faults, fmt.Sprintf("%s=%q is no %s; the default is used", l.name, text, l.want))
		}
	}
	if d := doorTimeout(getenv); d > 0 && d < time.Second {
		text := getenv("HANZO_MCP_DOOR_TIMEOUT")
		fault := fmt.Sprintf("HANZO_MCP_DOOR_TIMEOUT=%q is %v: hardly a call of the door ends in that", text, d)
		if _, err := strconv.Atoi(text); err == nil {
			fault += fmt.Sprintf("; a number alone is milliseconds, %ss are seconds", text)
		}
		faults = append(faults, fault)
	}
	return faults
}

// resultError says that a tool answered with isError; its result is already printed.
type resultError struct{ tool string }

func (e *resultError) Error() string { return e.tool + " failed" }

// usageError is a command line that cannot be meant.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func misused(err error) error { return &usageError{err} }

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// options are the flags of serve, list-tools and call. The zero value is the default of each.
type options struct {
	http        string // address of --http, "" without the flag
	httpHosts   []string
	httpNoToken bool
	projectDirs []string
	allowPaths  []string
	sandbox     string
	readOnly    bool
	tools       []string // nil: all local tools; empty: none
	toolsSet    bool
	disable     []string
	doorTools   []string
	maxTools    int
	noDoor      bool
	logLevel    string
	debug       bool

	json, local   bool // list-tools, doctor
	dryRun, print bool // install

	noWrites  bool     // --disable-write-tools of the other Hanzo servers
	withheld  []string // --disable-NAME of theirs
	swallowed []string // flags of the other Hanzo servers that mean nothing here
}

const defaultHTTP = "127.0.0.1:8300"

// serveFlags declares the flags that serve, list-tools and call share.
func serveFlags(name string, o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.SetOutput(io.Discard)
	fs.StringArrayVar(&o.projectDirs, "project-dir", nil, "project folder, the root of all file tools (repeatable)")
	fs.StringArrayVar(&o.allowPaths, "allow-path", nil, "one more folder that tools may use (repeatable)")
	fs.StringVar(&o.sandbox, "sandbox", "", "workspace (default), allowlist, or off")
	fs.BoolVar(&o.readOnly, "read-only", false, "refuse everything that changes anything")
	fs.StringSliceVar(&o.tools, "tools", nil, "local tools to offer, comma-separated (empty: the door's only)")
	fs.StringSliceVar(&o.disable, "disable-tools", nil, "tools to leave out: local names, globs of the door's names")
	fs.StringSliceVar(&o.doorTools, "door-tools", nil, "local names to give to the door instead")
	fs.IntVar(&o.maxTools, "max-tools", 0, "list at most this many tools (some clients take 40)")
	fs.BoolVar(&o.noDoor, "no-door", false, "never talk to the cloud")
	fs.StringVar(&o.logLevel, "log-level", "", "off, error, warn (default), info, debug")
	fs.BoolVar(&o.debug, "debug", false, "the same as --log-level debug")
	return fs
}

func httpFlags(fs *pflag.FlagSet, o *options) {
	fs.StringVar(&o.http, "http", "", "serve streamable HTTP at this address instead of stdio")
	fs.Lookup("http").NoOptDefVal = defaultHTTP
	fs.StringArrayVar(&o.httpHosts, "http-host", nil, "one more host name that requests may be addressed to (repeatable)")
	fs.BoolVar(&o.httpNoToken, "http-no-token", false, "ask for no token (loopback only: every local user could run exec)")
}

// foreignFlags are the flags of the other Hanzo servers that are accepted without effect, and whether they take
// a value. Those that mean something here are translated in translate.
var foreignFlags = map[string]bool{
	"full-surface": false, "core-only": false, "force-shell": false, "all-shells": false, "dev": false, "daemon": false, "verbose": false,
	"name": true, "agent-model": true, "agent-max-tokens": true, "agent-api-key": true, "agent-base-url": true,
	"agent-max-iterations": true, "agent-max-tool-uses": true, "command-timeout": true, "timeout": true,
	"search-timeout": true, "find-timeout": true, "ast-timeout": true, "shell": true, "socket-path": true,
	"max-connections": true, "enable-categories": true, "category": true, "config": true, "vector-store-path": true,
}

// meantBy tells what to write for a flag of other programs.
var meantBy = map[string]string{
	"root": folderHint, "cwd": folderHint, "dir": folderHint, "directory": folderHint, "workspace": folderHint, "project-path": folderHint,
	"allowed-directories": "a folder besides the project is given as --allow-path FOLDER", "no-sandbox": "the sandbox is put off by --sandbox off",
	"allowed-dirs": "a folder besides the project is given as --allow-path FOLDER", "readonly": "write it as --read-only", "offline": "--no-door never talks to the cloud",
	"api-key": keyHint, "token": keyHint, "quiet": "write it as --log-level off", "env": "variables stand in the env of the client's entry",
	"install": "hanzo-mcp install CLIENT puts an entry into a client's settings",
}

const keyHint = "the key is the variable HANZO_API_KEY, in the env of the client's entry"

const folderHint = "the project's folder is given as --project-dir FOLDER"

// translate turns a command line of the other Hanzo servers into ours: it honours what means something here,
// takes out what does not (and names it in swallowed), and leaves the rest alone.
func translate(args []string, o *options) ([]string, error) {
	var out []string
	var host, port, transport string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			out = append(out, args[i:]...)
			break
		}
		name, value, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			out = append(out, arg)
			continue
		}
		take := func() (string, error) {
			if inline {
				return value, nil
			}
			if i+1 >= len(args) {
				return "", withHint(fmt.Errorf("flag %s needs a value", arg), "give it as %s VALUE", arg)
			}
			i++
			return args[i], nil
		}
		var err error
		switch {
		case name == "stdio" && !inline:
			transport = name
		case name == "t" || name == "transport":
			transport, err = take()
		case name == "p" || name == "port":
			port, err = take()
		case name == "host":
			host, err = take()
		case name == "project":
			value, err = take()
			out = append(out, "--project-dir", value)
		case foreignFlags[name] && strings.HasPrefix(arg, "--"):
			o.swallowed = append(o.swallowed, "--"+name)
			_, err = take()
		case strings.HasPrefix(arg, "--enable-") || strings.HasPrefix(arg, "--disable-") && name != "disable-tools":
			if !inline && i+1 < len(args) && (args[i+1] == "true" || args[i+1] == "false") {
				i++
				value = args[i]
			}
			verb, of, _ := strings.Cut(name, "-")
			if !o.enable(of, (verb == "enable") != isNo(value)) {
				o.swallowed = append(o.swallowed, "--"+name)
			}
		default:
			if _, foreign := foreignFlags[name]; !foreign || !strings.HasPrefix(arg, "--") {
				out = append(out, arg)
				continue
			}
			o.swallowed = append(o.swallowed, "--"+name)
		}
		if err != nil {
			return nil, err
		}
	}
	switch strings.ToLower(transport) {
	case "", "stdio":
		if host != "" || port != "" {
			o.swallowed = append(o.swallowed, "--host/--port (without -t http)")
		}
	case "http", "streamable-http", "sse":
		if host == "" {
			host = "127.0.0.1"
		}
		if port == "" {
			port = "8300"
		}
		out = append([]string{"--http=" + joinHostPort(host, port)}, out...)
	default:
		return nil, withHint(fmt.Errorf("unknown transport %q", transport), "use stdio or http")
	}
	return out, nil
}

func joinHostPort(host, port string) string {
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// enable does what a flag --enable-OF or --disable-OF of the other Hanzo servers means here, and reports whether it means
// anything.
func (o *options) enable(of string, on bool) bool {
	tool := strings.TrimSuffix(strings.TrimSuffix(of, "-tools"), "-tool")
	if other := otherNames[tool]; other != "fs" && other != "" { // fs is more than the read, write or edit of others
		tool = other
	}
	switch {
	case of == "door":
		o.noDoor = !on
	case of == "write-tools" && !on:
		o.noWrites = true
	case isLocal(tool) && !on:
		o.withheld = append(o.withheld, tool)
	default:
		return false
	}
	return true
}

// isNo reports whether the value of a switch puts it off.
func isNo(value string) bool {
	return slices.Contains([]string{"false", "f", "0", "no", "n", "off"}, strings.ToLower(strings.TrimSpace(value)))
}

// parse reads args into o and gives what is left: names and positional arguments. A flag that nobody knows is an
// error that names the nearest.
func parse(fs *pflag.FlagSet, args []string, o *options) ([]string, error) {
	args, err := translate(args, o)
	if err != nil {
		return nil, err
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil, err
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			var names []string
			fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			given := unknown.GetSpecifiedName()
			if given == "http" { // translate may have written it
				return nil, withHint(fmt.Errorf("%s serves no clients", fs.Name()), "-t, --transport and --http belong to hanzo-mcp serve")
			}
			if other := meantBy[given]; other != "" {
				return nil, withHint(err, "%s", other)
			}
			if near := nearestFlag(given, names); near != "" {
				return nil, withHint(err, "did you mean --%s? See hanzo-mcp %s --help", near, fs.Name())
			}
		}
		return nil, withHint(err, "see hanzo-mcp %s --help", fs.Name())
	}
	if fs.Changed("http") && strings.TrimSpace(o.http) == "" {
		return nil, withHint(errors.New("--http is empty"), "give an address, as in --http=%s; a variable in the client's entry may not be set", defaultHTTP)
	}
	if o.http == "" && (len(o.httpHosts) > 0 || o.httpNoToken) {
		o.swallowed = append(o.swallowed, "--http-host, --http-no-token (without --http)")
	}
	o.toolsSet = fs.Changed("tools")
	if o.toolsSet && len(o.tools) == 0 {
		o.tools = []string{}
	}
	if o.debug {
		o.logLevel = "debug"
	}
	o.readOnly = o.readOnly || o.noWrites
	o.disable = append(o.disable, o.withheld...)
	return fs.Args(), nil
}

func nearestFlag(name string, names []string) string {
	for i, n := range names {
		names[i] = strings.ReplaceAll(n, "-", "_")
	}
	return strings.ReplaceAll(tools.Nearest(name, names), "_", "-")
}

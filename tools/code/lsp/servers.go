package lsp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// Spec describes a language server.
type Spec struct {
	Name      string
	Programs  []string // names to look for, the first found is started
	Args      []string
	Languages []string       // of package syntax
	Exts      []string       // of a server of the settings, instead of Languages
	Env       []string       // NAME=value over the environment of children
	Init      any            // initializationOptions
	Settings  map[string]any // what it is told when it asks for its configuration
	// RunsProject marks a server that cannot be kept from running the project's own code.
	RunsProject bool
	// KnowsOpen marks a server that keeps no index of the project: it finds places in open files only, keeps what it
	// knows of files that are gone, and is sure of what it says of a file that it has read.
	KnowsOpen bool
	// ReadsLate marks a server that reads the project some time after its start and does not say when it has.
	ReadsLate bool
	// Versions marks a server that says of which version of a document its diagnostics are.
	Versions bool
	// ByProject marks a server that sees an open file with those that its project or its imports name, no others.
	ByProject bool
	// TSServer marks a server that passes requests on to tsserver.
	TSServer bool
	// Sure marks a server that names all the places of a symbol in what it sees, and no others.
	Sure bool
	// LF marks a server for which nothing but \n ends a line.
	LF bool
	// ByConfig marks a server that reads the configuration of the folder that it is started for and of none below it.
	ByConfig bool
	// Commands marks a server that can be told how a single file is compiled.
	Commands bool
	// NoChecks marks a server that finds faults only by another program, which it is not given here.
	NoChecks bool
	Install  string // how a person gets it

	prepare func(s *Spec, program string, look func(string) (string, error)) error
	initFor func(root string) any       // gives Init for a root
	envFor  func(env []string) []string // gives more of Env for the environment of children
	most    int                         // servers of it alive at once; 0: as many as of all
	dataArg string                      // an option that takes a folder for its own data, below TMPDIR
}

// specs are the servers that are known. In each, what would run code of the checkout is switched off.
func specs() []*Spec {
	return []*Spec{
		{Name: "gopls", Programs: []string{"gopls"}, Languages: []string{"go"}, Install: "go install golang.org/x/tools/gopls@latest", Versions: true, Sure: true, LF: true,
			// The toolchain and the package driver are not the checkout's to choose.
			Env: []string{"GOTOOLCHAIN=local", "GOPACKAGESDRIVER=off"}, envFor: goFlags},
		{Name: "pyright", Programs: []string{"pyright-langserver", "basedpyright-langserver"}, Args: []string{"--stdio"}, Languages: []string{"python"}, Install: "npm install -g pyright",
			Settings: map[string]any{"python": map[string]any{"analysis": map[string]any{"autoSearchPaths": true, "useLibraryCodeForTypes": true, "diagnosticMode": "openFilesOnly"}}},
			prepare:  pinPython, ReadsLate: true, ByConfig: true, most: 4},
		{Name: "typescript-language-server", Programs: []string{"typescript-language-server"}, Args: []string{"--stdio"},
			Languages: []string{"typescript", "typescriptreact", "javascript"}, Install: "npm install -g typescript typescript-language-server", prepare: pinTypeScript, ByProject: true, TSServer: true},
		{Name: "rust-analyzer", Programs: []string{"rust-analyzer"}, LF: true, Languages: []string{"rust"}, Install: "rustup component add rust-analyzer", prepare: pinRust,
			Init: rustOptions, Settings: map[string]any{"rust-analyzer": rustOptions},
			Env: []string{"CARGO_BUILD_RUSTC_WRAPPER=", "RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER=", "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER=", "CARGO_NET_OFFLINE=true"}},
		// Its index would be written into the checkout.
		{Name: "clangd", Programs: []string{"clangd"}, LF: true, Args: []string{"--background-index=false", "--log=error"}, Languages: []string{"c", "cpp"}, Install: "the package clangd", KnowsOpen: true, Versions: true, Commands: true, initFor: plainC},
		{Name: "jdtls", Programs: []string{"jdtls"}, Languages: []string{"java"}, Install: "Eclipse JDT Language Server (jdtls)", dataArg: "-data",
			Init: map[string]any{"settings": javaSettings}, Settings: javaSettings},
		{Name: "bash-language-server", Programs: []string{"bash-language-server"}, Args: []string{"start"}, Languages: []string{"shellscript"}, Install: "npm install -g bash-language-server", ByProject: true, NoChecks: true,
			Settings: map[string]any{"bashIde": map[string]any{"shellcheckPath": "", "explainshellEndpoint": ""}}},
		{Name: "lua-language-server", Programs: []string{"lua-language-server"}, Languages: []string{"lua"}, Install: "lua-language-server",
			Settings: map[string]any{"Lua": map[string]any{"runtime": map[string]any{"plugin": ""}, "telemetry": map[string]any{"enable": false}, "workspace": map[string]any{"checkThirdParty": false}}}},
		{Name: "ruby-lsp", Programs: []string{"ruby-lsp"}, Languages: []string{"ruby"}, RunsProject: true, Install: "gem install ruby-lsp"},
		{Name: "solargraph", Programs: []string{"solargraph"}, Args: []string{"stdio"}, Languages: []string{"ruby"}, RunsProject: true, Install: "gem install solargraph"},
		{Name: "intelephense", Programs: []string{"intelephense"}, Args: []string{"--stdio"}, Languages: []string{"php"}, Install: "npm install -g intelephense"},
		{Name: "phpactor", Programs: []string{"phpactor"}, Args: []string{"language-server"}, Languages: []string{"php"}, RunsProject: true, Install: "phpactor"},
		{Name: "kotlin-language-server", Programs: []string{"kotlin-language-server"}, Languages: []string{"kotlin"}, RunsProject: true, Install: "kotlin-language-server"},
		{Name: "csharp-ls", Programs: []string{"csharp-ls"}, Languages: []string{"csharp"}, RunsProject: true, Install: "dotnet tool install -g csharp-ls"},
	}
}

var rustOptions = map[string]any{
	"cargo":       map[string]any{"buildScripts": map[string]any{"enable": false}},
	"procMacro":   map[string]any{"enable": false},
	"checkOnSave": false,
}

var javaSettings = map[string]any{"java": map[string]any{
	"import":    map[string]any{"gradle": map[string]any{"enabled": false, "wrapper": map[string]any{"enabled": false}}, "maven": map[string]any{"enabled": false}},
	"autobuild": map[string]any{"enabled": false},
	"configuration": map[string]any{
		"updateBuildConfiguration": "disabled",
	},
}}

// pinTypeScript has the server run the compiler that is installed beside it, or the user's own: without it, it would
// run the tsserver.js of the checkout's node_modules. Plugins of a checkout are not loaded (that needs an option of
// tsserver that is not given), types are not fetched.
func pinTypeScript(s *Spec, program string, look func(string) (string, error)) error {
	var tried []string
	try := func(dir string) string {
		file := filepath.Join(dir, "typescript", "lib", "tsserver.js")
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			return file
		}
		tried = append(tried, file)
		return ""
	}
	found := ""
	for _, name := range []string{program, "tsserver", "tsc"} {
		file, err := name, error(nil)
		if name != program {
			file, err = look(name)
		}
		if err != nil {
			continue
		}
		real, err := filepath.EvalSymlinks(file)
		if err != nil {
			continue
		}
		for dir := filepath.Dir(real); found == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if filepath.Base(dir) == "node_modules" {
				found = try(dir)
			}
		}
	}
	if found == "" {
		return fmt.Errorf("no typescript was found beside it or on the PATH (npm install -g typescript); that of the project is never run. Looked at %s", strings.Join(tried, ", "))
	}
	s.Init = map[string]any{
		"hostInfo": "hanzo-mcp", "disableAutomaticTypingAcquisition": true,
		// The syntax server answers before the project is read, with the import in place of the definition.
		"tsserver": map[string]any{"path": found, "fallbackPath": found, "logVerbosity": "off", "useSyntaxServer": "never"},
	}
	return nil
}

// pinRust keeps rustup, which stands behind the programs of a toolchain, from the toolchain that a checkout names:
// rust-toolchain.toml can name a folder of the checkout. Build scripts, macros and wrappers are switched off besides.
func pinRust(s *Spec, program string, _ func(string) (string, error)) error {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return err
	}
	if base := strings.TrimSuffix(filepath.Base(real), ".exe"); base != "rustup" && !strings.Contains(filepath.ToSlash(real), "/.cargo/bin/") {
		return nil
	}
	if os.Getenv("RUSTUP_TOOLCHAIN") != "" {
		return nil
	}
	dir := os.Getenv("RUSTUP_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		dir = filepath.Join(home, ".rustup")
	}
	settings, err := os.ReadFile(filepath.Join(dir, "settings.toml"))
	if err != nil {
		return fmt.Errorf("the default toolchain of rustup is not known (%w); set RUSTUP_TOOLCHAIN", err)
	}
	for line := range strings.Lines(string(settings)) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "default_toolchain" {
			s.Env = append(slices.Clone(s.Env), "RUSTUP_TOOLCHAIN="+strings.Trim(strings.TrimSpace(value), `"`))
			return nil
		}
	}
	return errors.New("rustup has no default toolchain; set RUSTUP_TOOLCHAIN")
}

// pinPython names the interpreter that pyright asks for its search paths: the user's, never one of the checkout.
func pinPython(s *Spec, _ string, look func(string) (string, error)) error {
	for _, name := range []string{"python3", "python"} {
		if file, err := look(name); err == nil {
			s.Settings["python"].(map[string]any)["pythonPath"] = file
			break
		}
	}
	return nil
}

// ErrMissing is wrapped by the error for a language whose server is not installed.
var ErrMissing = errors.New("no language server")

// Find chooses the server for a language or an extension: first those of the settings, then the known ones. trusted
// reports whether the project's own code may run.
func Find(custom []*Spec, language, ext string, trusted bool, look func(string) (string, error)) (*Spec, string, error) {
	var hints, refused []string
	for _, s := range append(slices.Clone(custom), specs()...) {
		if !slices.Contains(s.Languages, language) && !slices.Contains(s.Exts, ext) {
			continue
		}
		program := ""
		for _, name := range s.Programs {
			if p, err := look(name); err == nil {
				program = p
				break
			}
		}
		if program == "" {
			hints = append(hints, strings.Join(s.Programs, " or ")+installHint(s))
			continue
		}
		if s.RunsProject && !trusted {
			refused = append(refused, s.Name+" would run the project's own code: the user must trust the project first (trusted_projects of the user settings)")
			continue
		}
		if s.prepare != nil {
			if err := s.prepare(s, program, look); err != nil {
				refused = append(refused, s.Name+": "+err.Error())
				continue
			}
		}
		return s, program, nil
	}
	switch {
	case len(refused) > 0:
		return nil, "", fmt.Errorf("%w may be used for %s: %s", ErrMissing, orExt(language, ext), strings.Join(refused, "; "))
	case len(hints) > 0:
		return nil, "", fmt.Errorf("%w for %s is installed: looked for %s", ErrMissing, orExt(language, ext), strings.Join(hints, ", "))
	}
	return nil, "", fmt.Errorf("%w is known for %s: name one under lsp in the user settings", ErrMissing, orExt(language, ext))
}

func installHint(s *Spec) string {
	if s.Install == "" {
		return ""
	}
	return " (" + s.Install + ")"
}

func orExt(language, ext string) string {
	if language != "" {
		return language
	}
	return ext
}

// args are the arguments for a root.
func (s *Spec) args(env []string, root string) []string {
	args := slices.Clone(s.Args)
	if s.dataArg != "" {
		temp := launch.Getenv(env, "TMPDIR")
		if temp == "" {
			temp = os.TempDir()
		}
		args = append(args, s.dataArg, filepath.Join(temp, s.Name+"-"+strings.Map(func(r rune) rune {
			if r == '/' || r == '\\' || r == ':' {
				return '_'
			}
			return r
		}, root)))
	}
	return args
}

// plainC has clangd take headers for C where there is no source of C++: else it takes them for C++, in which a function
// is another than the one of the same name in a source of C.
func plainC(root string) any {
	c, cpp, seen := false, false, 0
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if seen++; seen > 50_000 || cpp {
			return fs.SkipAll
		}
		switch strings.ToLower(filepath.Ext(d.Name())) {
		case ".c":
			c = true
		case ".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".mm", ".cu":
			cpp = true
		}
		return nil
	})
	if c && !cpp {
		return map[string]any{"fallbackFlags": []string{"-xc"}}
	}
	return nil
}

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/hooks"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools/workspace"
)

// userSettings are the settings of no project: the user's file, the environment, the flags. Read at first need.
type userSettings struct {
	once sync.Once
	set  *settings.Settings
}

// settingsOptions say where the settings come from.
func (s *server) settingsOptions() settings.Options {
	o := settings.Options{UserFile: settings.UserFile(s.env.getenv, s.env.home), Home: s.env.home}
	flag := func(set bool, key, value, label string) {
		if set {
			o.Overrides = append(o.Overrides, settings.Override{Tier: settings.Flags, Key: key, Value: value, Label: label})
		}
	}
	flag(s.opts.sandbox != "", "sandbox.mode", s.opts.sandbox, "--sandbox")
	flag(s.opts.readOnly, "read_only", "true", "--read-only")
	return o
}

func (s *server) userSet() *settings.Settings {
	s.user.once.Do(func() {
		s.user.set = settings.Load(s.settingsOptions())
		s.say(s.user.set, map[string]bool{})
	})
	return s.user.set
}

// settingsOf are the settings that hold for a client: its project's once that is settled.
func (s *server) settingsOf(p *peer) *settings.Settings {
	if st := p.place.Load(); st != nil {
		return st.settings
	}
	return s.userSet()
}

// say tells on stderr what is wrong with settings, but for what was said of others before.
func (s *server) say(set *settings.Settings, said map[string]bool) {
	for _, b := range set.Broken() {
		if !said[b.Error()] {
			s.ui.errorf("%v; calls are refused until it is mended", b)
		}
	}
	for _, w := range set.Warnings() {
		if !said[w] {
			s.ui.warnf("%s", w)
		}
	}
}

func (s *server) warnAll(lines []string) {
	for _, line := range lines {
		s.ui.warnf("%s", line)
	}
}

func saidBy(set *settings.Settings) map[string]bool {
	said := map[string]bool{}
	for _, b := range set.Broken() {
		said[b.Error()] = true
	}
	for _, w := range set.Warnings() {
		said[w] = true
	}
	return said
}

// newPlace opens the roots and reads what is in force there. It never fails: what cannot be opened is left out and
// said, what cannot be read locks the place down. odd says why roots of the client are none of dirs.
func (s *server) newPlace(dirs []string, odd ...string) *place {
	user := s.userSet()
	set := user.WithProject(s.baseOf(dirs, user))
	s.say(set, saidBy(user))
	pl := &place{settings: set, outer: s.wasOpen()}
	pl.guard.Lockdown = set.Lockdown()
	pl.guard.ReadOnly = set.ReadOnly().V
	mode, sure := s.sandboxMode(set)
	if !sure {
		s.ui.warnf("only KUBERNETES_SERVICE_HOST says that this is a container; the sandbox is off (--sandbox workspace puts it on)")
	}
	roots := s.openRoots(dirs, odd, mode, set)
	pl.guard.Roots, pl.guard.Project = roots, roots.Base()
	s.warnAll(hiddenInRoots(set.Hidden(), roots))
	pl.guard.Audit = s.audit.open(s)
	lock := func(err error) {
		if err != nil && pl.guard.Lockdown == nil {
			pl.guard.Lockdown = err
			s.ui.errorf("%v; calls are refused until it is mended", err)
		}
	}
	var err error
	if pl.guard.Rules, err = hooks.NewPolicy(s.names(), set.Rules()...); err != nil {
		lock(err)
	} else {
		s.warnAll(pl.guard.Rules.Warnings())
		s.warnAll(s.mistypedRules(set.Rules()))
	}
	pl.path = launch.NewPath(launch.PathConfig{Env: s.environ, Roots: roots.Dirs(), WorkDir: s.env.wd})
	pl.cache = s.cacheEnv(roots)
	if list := set.Hooks(); len(list) > 0 {
		env, _ := launch.Environ(launch.EnvConfig{Base: s.environ, Secrets: s.secrets(), Path: pl.path.String()})
		pl.guard.Hooks, err = hooks.NewRunner(hooks.Config{
			Hooks: list, Names: s.names(), Env: env, Temp: s.tempDir(),
			Log: func(line string) { s.ui.warnf("%s", line) },
		})
		if lock(err); err == nil {
			s.warnAll(pl.guard.Hooks.Warnings())
		}
	}
	pl.confine = s.confinement(roots, mode, set)
	pl.off, err = newToolNames(set.ToolsDeny())
	lock(err)
	if allow := set.ToolsAllow(); allow.IsSet() {
		pl.on, err = newToolNames(allow.V)
		lock(err)
	}
	return pl
}

// openRoots opens the folders of a place. One that is missing is left out, which is said; nothing takes its place.
func (s *server) openRoots(dirs, odd []string, mode sandbox.Mode, set *settings.Settings) *sandbox.Roots {
	var cfg sandbox.Config
	switch narrow, narrowed := set.Narrow(); {
	case narrowed:
		cfg = s.wanted(narrow, mode, set)
		cfg.Writable = append(cfg.Writable, s.baseOf(dirs, set)) // narrower means inside the project, whatever was put there
	case mode == sandbox.Allowlist && len(s.opts.projectDirs) == 0:
		cfg = s.wanted(nil, mode, set) // only what is written down
	default:
		cfg = s.wanted(dirs, mode, set)
		if len(dirs) == 0 && len(odd) > 0 && mode != sandbox.Off { // in a container clients tell the folders of the machine around it
			cfg.NoBase = strings.Join(odd, "; ")
		}
	}
	cfg.Temp, cfg.State, cfg.Left, cfg.Partial = s.tempDir(cfg.Dirs...), s.env.stateDir(), odd, true
	cfg.Fallback = s.env.wd // all is open; relative names begin where the server does
	cfg.Protect = s.protected(set)
	if mode != sandbox.Off {
		cfg.Protect = append(cfg.Protect, s.hiddenPaths(set)...)
	}
	cfg.MoreProtect = func(base string) []string { return s.hookFiles(set, base) }
	roots, err := sandbox.Open(cfg)
	if err != nil && !s.ended() {
		s.ui.warnf("opening the roots: %v; commands have no temporary folder that file tools reach", err)
	}
	if err != nil {
		cfg.Temp = ""
		if roots, err = sandbox.Open(cfg); err != nil {
			return noRoots
		}
	}
	for _, why := range roots.Left()[len(odd):] {
		s.ui.warnf("%s; it is left out, and no other folder takes its place", why)
	}
	for _, dir := range roots.Projects() {
		if mode != sandbox.Off && (dir == filepath.Dir(dir) || dir == s.env.home) {
			s.ui.warnf("%s is a root: the tools can read all in it, keys and tokens too; name the project's folder with --project-dir", sandbox.Printable(dir))
		}
	}
	return roots
}

// wanted are the folders that are to be roots: these, and what settings and flags add.
func (s *server) wanted(dirs []string, mode sandbox.Mode, set *settings.Settings) sandbox.Config {
	allowed, _ := set.AllowedPaths()
	return sandbox.Config{
		Mode: mode, Home: s.env.home,
		Dirs:     slices.Concat(dirs, allowed, s.absolute(s.opts.allowPaths)),
		Writable: slices.Concat(set.Writable(), s.wasOpen()),
	}
}

// baseOf is the real folder that relative names start from when these are the roots, "" when there is none.
func (s *server) baseOf(dirs []string, set *settings.Settings) string {
	if len(dirs) == 0 {
		return ""
	}
	mode, _ := s.sandboxMode(set)
	return sandbox.RealBase(s.wanted(dirs, mode, set))
}

// protect lists what stays read-only to the tools: the defaults as the user amended them, the settings and the
// hooks' own scripts.
func (s *server) protect(set *settings.Settings, project string) []string {
	return append(s.protected(set), s.hookFiles(set, project)...)
}

// protected is protect but for the hooks.
func (s *server) protected(set *settings.Settings) []string {
	list := settings.Amend(sandbox.DefaultProtect(), set.Protect())
	if f := settings.UserFile(s.env.getenv, s.env.home); f != "" {
		list = append(list, f)
	}
	if log := s.auditPath(); log != "" {
		list = append(list, s.absolute([]string{log})...)
	}
	return list
}

func (s *server) hookFiles(set *settings.Settings, project string) []string {
	var list []string
	for _, h := range set.Hooks() {
		list = append(list, h.Files(project, s.env.getenv)...)
	}
	return list
}

// confinement says what the children of a place may do.
func (s *server) confinement(roots *sandbox.Roots, mode sandbox.Mode, set *settings.Settings) launch.Config {
	cfg := launch.Config{
		Writable: roots.Dirs(), Readable: append(roots.ReadDirs(), s.namedPaths()...), Hidden: append(s.hiddenPaths(set), s.env.stateDir()), Protect: s.protect(set, roots.Base()),
		NoNetwork: !set.Network(), CacheDir: s.cacheDirOf(roots), TempDir: s.tempDir(), TempCheck: s.temp.check, Home: s.env.home,
		Log:  func(line string) { s.ui.debugf("%s", line) },
		Warn: func(line string) { s.ui.warnf("%s", line) },
	}
	cfg.Writable = append(cfg.Writable, set.Writable()...)
	switch {
	case mode == sandbox.Off || set.Confine() == "off":
		cfg.Confine = launch.Off
	case set.Confine() == "required":
		cfg.Confine = launch.Required
	}
	return cfg
}

// sandboxMode is the mode that flags and settings say; inside a container, which is a sandbox itself, the default
// is off. sure is false when little says that there is one.
func (s *server) sandboxMode(set *settings.Settings) (mode sandbox.Mode, sure bool) {
	if v := set.SandboxMode(); v.IsSet() {
		if m, err := sandbox.ParseMode(v.V); err == nil {
			return m, true
		}
		return sandbox.Workspace, true
	}
	kind, sure := sandbox.DetectContainer(sandbox.Probe{})
	if kind == "" {
		return sandbox.Workspace, true
	}
	return sandbox.Off, sure
}

// names tell rules and hooks what is local.
func (s *server) names() hooks.Names {
	n := hooks.Names{}
	for _, name := range localNames {
		if s.ours[name] {
			n.Local = append(n.Local, name)
		}
	}
	n.Canonical = func(tool, action string) (string, bool) {
		t := s.tool(tool)
		if t == nil {
			return action, true
		}
		if a := t.Action(action); a != nil {
			return a.Name, true
		}
		return action, action == "help"
	}
	return n
}

// cacheDirOf is the same at every start with the same folders: the temporary one among them is not. "" when there is no
// place for it.
func (s *server) cacheDirOf(roots *sandbox.Roots) string {
	caches := s.env.cacheDir()
	if caches == "" {
		return ""
	}
	temp, _ := filepath.EvalSymlinks(s.tempDir())
	lasting := slices.DeleteFunc(roots.Dirs(), func(dir string) bool { return dir == temp })
	sum := sha256.Sum256([]byte(strings.Join(lasting, "\x00")))
	return filepath.Join(caches, hex.EncodeToString(sum[:8]))
}

// cacheEnv points toolchains at private caches: a shared one that a checkout poisons is run by the user later.
func (s *server) cacheEnv(roots *sandbox.Roots) []string {
	if roots.Base() == "" && len(roots.Projects()) == 0 {
		return nil
	}
	var env []string
	err := errors.New("no home folder is known")
	if dir := s.cacheDirOf(roots); dir != "" {
		env, err = launch.CacheEnv(s.environ, s.env.home, dir, roots.Dirs()...)
	}
	if temp := s.tempDir(); err != nil && temp != "" {
		s.ui.warnf("private caches: %v; until then they are in the server's own temporary folder and end with it", err)
		env, err = launch.CacheEnv(s.environ, s.env.home, filepath.Join(temp, "caches"))
	}
	if err != nil {
		s.ui.warnf("toolchains have no private caches: %v", err)
	}
	return env
}

// childEnv is the environment of a child of the place that was settled last. It is made again when what it is made
// from is another.
func (s *server) childEnv() []string {
	pl, secrets, temp := s.current.Load(), s.secrets(), s.tempDir()
	c := &s.childEnvs
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.env == nil || pl == nil || c.pl != pl || c.temp != temp || !slices.Equal(c.secrets, secrets) {
		cfg := launch.EnvConfig{Base: s.environ, Secrets: secrets, TempDir: temp, Path: s.path().String()}
		if pl != nil {
			cfg.Scrub, cfg.Pass, cfg.Cache = pl.settings.EnvScrub(), pl.settings.EnvPass(), pl.cache
		}
		c.pl, c.secrets, c.temp = pl, secrets, temp
		c.env, _ = launch.Environ(cfg)
	}
	return slices.Clone(c.env)
}

// childEnvs keeps the last environment of children and what it was made from.
type childEnvs struct {
	mu      sync.Mutex
	pl      *place
	secrets []string
	temp    string
	env     []string
}

// path is the cleaned PATH of the place that was settled last; before there is one, that of the roots to come.
func (s *server) path() *launch.Path {
	if pl := s.current.Load(); pl != nil {
		return pl.path
	}
	return launch.NewPath(launch.PathConfig{Env: s.environ, Roots: s.ownRoots(), WorkDir: s.env.wd})
}

// look finds a program on the cleaned PATH.
func (s *server) look(name string) (string, error) { return s.path().Look(name) }

func (s *server) newTokens() *auth.Chain {
	return &auth.Chain{
		Door: door.Address(s.env.getenv), Getenv: s.env.getenv, Home: s.env.home, LookPath: s.look,
		Settings: func() string { return settings.Load(s.settingsOptions()).APIKey().Reveal() },
		Origins:  func() []string { return s.userSet().DoorOrigins() },
		Environ:  s.childEnv,
	}
}

// readOnly reports whether this client's tools only read: by flag, or by the settings of its place.
func (s *server) readOnly(p *peer) bool { return s.settingsOf(p).ReadOnly().V }

// systemPrompt is what a model should know of the project before it begins.
func (s *server) systemPrompt(ctx context.Context) string {
	pl := s.current.Load()
	if pl == nil {
		pl = s.newPlace(s.ownRoots())
	}
	if text := workspace.Describe(ctx, pl.guard.Roots); text != "" {
		return text
	}
	return "There is no project folder here.\n"
}

// runSettings prints each setting and where it came from.
func runSettings(ctx context.Context, p *program, o options, _ []string) error {
	p.ui.tell(quiet) // what is wrong is part of what is printed
	s := newServer(p.ui, o, p.getenv)
	defer s.close()
	pl := s.settle(s.newPeer(ctx, "cli", func([]byte) {}), nil)
	if err := pl.settings.Print(p.out); err != nil {
		return err
	}
	p.ui.tell(errorLevel)
	return pl.settings.Err()
}

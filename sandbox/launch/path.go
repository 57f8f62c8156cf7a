package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// PathConfig is what the search path is made from. The zero value searches the system's folders.
type PathConfig struct {
	Env     []string // the server's environment: PATH, SHELL and what the login shell gets
	Roots   []string // folders whose programs are not to be found
	WorkDir string   // one more, with the node_modules/.bin of its parents
	// NoLoginShell keeps a bare PATH as it is; else the login shell is asked once.
	NoLoginShell bool
}

// Dropped is a part of PATH that is not searched.
type Dropped struct{ Dir, Why string }

// Path is the cleaned search path. It is made at first need, since a bare PATH
// costs a run of the login shell.
type Path struct {
	cfg     PathConfig
	once    sync.Once
	dirs    []string
	dropped []Dropped
	note    string
}

// NewPath reads nothing yet.
func NewPath(cfg PathConfig) *Path { return &Path{cfg: cfg} }

const loginShellLimit = 3 * time.Second

// system are the folders of a PATH that nobody has set up.
var system = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/games", "/usr/local/games", "/snap/bin"}

func (p *Path) make() {
	p.once.Do(func() {
		list := Getenv(p.cfg.Env, "PATH")
		if !p.cfg.NoLoginShell && bare(list) {
			more, err := loginPath(p.cfg)
			if err != nil {
				p.note = "the login shell did not complete PATH: " + err.Error()
			} else if more != "" {
				list = more + string(filepath.ListSeparator) + list
			}
		}
		if strings.Trim(list, ":") == "" && runtime.GOOS != "windows" { // nobody means that there is not even a shell
			list = strings.Join(system[:6], ":")
		}
		p.dirs, p.dropped = cleanPath(list, p.cfg.Roots, p.cfg.WorkDir)
	})
}

// Dirs are the folders searched, in order.
func (p *Path) Dirs() []string {
	p.make()
	return slices.Clone(p.dirs)
}

// String is the PATH for a child.
func (p *Path) String() string {
	p.make()
	return strings.Join(p.dirs, string(filepath.ListSeparator))
}

// Dropped are the parts of PATH that were left out, for doctor. note says why a
// bare PATH could not be completed, or is "".
func (p *Path) Dropped() (dropped []Dropped, note string) {
	p.make()
	return slices.Clone(p.dropped), p.note
}

// Look finds a program by name. A name with a slash is taken as it is. The error
// wraps ErrNotFound or ErrNotExecutable in a *StartError and names the path searched.
func (p *Path) Look(name string) (string, error) {
	if name == "" {
		return "", &StartError{Exit: 127, Path: `""`, Err: ErrNotFound}
	}
	if strings.ContainsAny(filepath.ToSlash(name), "/") {
		return name, nil
	}
	p.make()
	seen := ""
	for _, dir := range p.dirs {
		for _, file := range candidates(filepath.Join(dir, name), p.cfg.Env) {
			st, err := os.Stat(file)
			if err != nil || st.IsDir() {
				continue
			}
			if executable(file, st) {
				return file, nil
			}
			if seen == "" {
				seen = file
			}
		}
	}
	if seen != "" {
		return "", &StartError{Exit: 126, Path: seen, Err: ErrNotExecutable}
	}
	return "", &StartError{Exit: 127, Path: name, Err: fmt.Errorf("%w on the path %s", ErrNotFound, p.String())}
}

func bare(list string) bool {
	for _, dir := range filepath.SplitList(list) {
		if dir != "" && !slices.Contains(system, filepath.Clean(dir)) {
			return false
		}
	}
	return true
}

// cleanPath drops what a checkout could have put there. Both the name and what
// it leads to are judged.
func cleanPath(list string, roots []string, workDir string) (dirs []string, dropped []Dropped) {
	var own []string // roots as given and as resolved
	for _, r := range append(slices.Clone(roots), workDir) {
		if r == "" || filepath.Dir(r) == r {
			continue
		}
		own = append(own, filepath.Clean(r))
		if real, err := filepath.EvalSymlinks(r); err == nil {
			own = append(own, real)
		}
	}
	var bins []string
	for _, o := range own {
		for dir := o; ; dir = filepath.Dir(dir) {
			bins = append(bins, filepath.Join(dir, "node_modules", ".bin"))
			if filepath.Dir(dir) == dir {
				break
			}
		}
	}
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(list) {
		why := ""
		clean := filepath.Clean(dir)
		real := clean
		if dir != "" && filepath.IsAbs(dir) {
			if r, err := filepath.EvalSymlinks(dir); err == nil {
				real = r
			}
		}
		inside := func(list []string) bool {
			return slices.ContainsFunc(list, func(o string) bool { return within(clean, o) || within(real, o) })
		}
		switch {
		case dir == "":
			why = "empty: the working folder"
		case !filepath.IsAbs(dir):
			why = "relative"
		case inside(bins):
			why = "programs of the checkout's packages"
		case inside(own):
			why = "inside a root or the working folder"
		case seen[clean]:
			continue
		}
		if why != "" {
			dropped = append(dropped, Dropped{dir, why})
			continue
		}
		seen[clean] = true
		dirs = append(dirs, clean)
	}
	return dirs, dropped
}

// loginPath asks the user's login shell for its PATH.
func loginPath(cfg PathConfig) (string, error) {
	shell := Getenv(cfg.Env, "SHELL")
	if shell == "" {
		return "", nil
	}
	if _, dropped := cleanPath(filepath.Dir(shell), cfg.Roots, cfg.WorkDir); len(dropped) > 0 {
		return "", fmt.Errorf("%s is %s", shell, dropped[0].Why)
	}
	env, _ := Environ(EnvConfig{Base: cfg.Env})
	ctx, cancel := context.WithTimeout(context.Background(), loginShellLimit)
	defer cancel()
	// The marks keep what start-up files print apart.
	const mark = "__hanzo_mcp_path__"
	out, err := runShell(ctx, shell, "printf '%s%s%s' "+mark+` "$PATH" `+mark, env)
	if parts := strings.Split(out, mark); len(parts) >= 3 {
		return parts[len(parts)-2], nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s -lc took more than %s", shell, loginShellLimit)
	}
	return "", fmt.Errorf("%s -lc: %w", shell, err)
}

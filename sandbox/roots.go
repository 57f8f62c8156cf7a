package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Mode is the isolation mode of HIP-0301 §10.
type Mode int

const (
	Workspace Mode = iota // the project's folders
	Allowlist             // the folders named by the user; enforced exactly as Workspace
	Off                   // everything; the folders only give relative paths their base
)

// ParseMode reads "workspace", "allowlist" or "off"; "" is Workspace.
func ParseMode(s string) (Mode, error) {
	switch strings.ToLower(s) {
	case "", "workspace":
		return Workspace, nil
	case "allowlist", "allow_list", "allow-list":
		return Allowlist, nil
	case "off":
		return Off, nil
	}
	return Workspace, fmt.Errorf("sandbox mode %q: use workspace, allowlist or off", s)
}

func (m Mode) String() string { return [...]string{"workspace", "allowlist", "off"}[m] }

// Config is what a set of roots is made from. The zero value has no roots:
// every name is refused.
type Config struct {
	Dirs     []string // folders to read and write, as paths or file:// URIs; the first is the base of relative names
	ReadDirs []string // folders to read only
	Temp     string   // the server's private TMPDIR, one more folder to write; "" for none
	Mode     Mode     //
	Home     string   // what "~" stands for, never removed or renamed; "" leaves "~" refused
	Protect  []string // read-only to the tools, see [Roots.Protected]; nil means DefaultProtect()
	Left     []string // why folders that were wanted are not among the roots, for messages
	State    string   // private folder for lock files, shared by all servers of the user; "" means one below Home or the system's temp folder
	Fold     bool     // names differing in case are one; always so on Windows and macOS
}

// Tree is one root, held open by descriptor: it stays the same folder when
// that is renamed, and its descriptor is closed when nothing refers to it.
type Tree struct {
	Dir      string // real absolute path, in the system's spelling
	ReadOnly bool

	root   *os.Root
	held   os.FileInfo // of root
	volume bool        // all of a drive, in mode Off
	temp   bool        // the server's own
	slash  string      // Dir with slashes
	names  []string    // slash spellings by which a name may reach it; slash is the first
}

// replaced reports whether another folder, or none, stands in the place of t by now.
func (t *Tree) replaced() bool {
	there, err := os.Stat(t.Dir)
	return err != nil || !os.SameFile(t.held, there)
}

// deleted reports whether t is in no place any more: it reads as an empty folder then.
func (t *Tree) deleted() bool {
	if !t.replaced() {
		return false
	}
	d, err := t.root.Open(".")
	if err != nil {
		return true
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return errors.Is(err, fs.ErrNotExist)
}

// Roots is an ordered, immutable set of trees, safe for concurrent use.
type Roots struct {
	trees   []*Tree
	base    *Tree // of relative names; nil when there is none
	nested  bool  // a tree lies inside another one
	fold    bool
	mode    Mode
	home    string   // slash path as given, "" when unknown
	keep    []string // slash paths that are never removed or renamed: roots and home
	protect protectList
	escapes error // what os.Root says of a way out
	left    []string
	locks   locks
}

// Open opens the trees of cfg. A folder that is missing or is no folder is an
// error that names it; no other folder takes its place.
func Open(cfg Config) (*Roots, error) {
	r := &Roots{
		fold: cfg.Fold || runtime.GOOS == "windows" || runtime.GOOS == "darwin",
		mode: cfg.Mode,
		home: slashed(cfg.Home),
		left: cfg.Left,
	}
	aliases := topLinks(cfg.Home)
	add := func(dir string, readOnly bool) error {
		t, err := openTree(dir, r.home, aliases)
		if err != nil {
			return err
		}
		t.ReadOnly = readOnly
		for _, have := range r.trees {
			if have.slash == t.slash {
				have.names = union(have.names, t.names)
				have.ReadOnly = have.ReadOnly && readOnly
				return t.root.Close()
			}
		}
		r.trees = append(r.trees, t)
		return nil
	}
	for i, dir := range cfg.Dirs {
		if err := add(dir, false); err != nil {
			return nil, err
		}
		if i == 0 {
			r.base = r.trees[0]
		}
	}
	if cfg.Temp != "" {
		have := len(r.trees)
		if err := add(cfg.Temp, false); err != nil {
			return nil, err
		}
		for _, t := range r.trees[have:] {
			t.temp = true
		}
	}
	for _, dir := range cfg.ReadDirs {
		if err := add(dir, true); err != nil {
			return nil, err
		}
	}
	for _, t := range r.trees {
		r.keep = union(r.keep, t.names)
	}
	if r.home != "" {
		r.keep = union(r.keep, []string{r.home, slashed(real(cfg.Home))})
	}
	if cfg.Mode == Off {
		for _, v := range volumes() {
			if err := add(v, false); err != nil {
				continue // an Android top cannot be read; place finds another way
			}
			for _, t := range r.trees {
				t.volume = t.volume || t.slash == slashed(v)
			}
		}
		if r.base == nil && len(r.trees) > 0 {
			r.base = r.trees[len(r.trees)-1]
		}
	}
	for _, t := range r.trees {
		for _, u := range r.trees {
			r.nested = r.nested || t != u && below(u.slash, t.slash, r.fold)
		}
	}
	if len(r.trees) > 0 {
		_, err := r.trees[0].root.Lstat("..")
		r.escapes = cause(err)
	}
	names := cfg.Protect
	if names == nil {
		names = DefaultProtect()
	}
	r.protect = newProtectList(names, cfg.Mode == Off)
	r.protect.led = r.newLed()
	r.locks.init(cfg.State, cfg.Home)
	return r, nil
}

// Close gives up r. Calls in flight and the Paths they hold keep working: each
// descriptor is closed when nothing refers to its tree any more.
func (r *Roots) Close() error { return nil }

// Mode returns the isolation mode.
func (r *Roots) Mode() Mode { return r.mode }

// Dirs returns the real folders that may be written, the base of relative
// names first; volumes of mode Off included.
func (r *Roots) Dirs() []string {
	var dirs []string
	for _, t := range r.trees {
		if !t.ReadOnly {
			dirs = append(dirs, t.Dir)
		}
	}
	return dirs
}

// ReadDirs returns the real folders that may only be read.
func (r *Roots) ReadDirs() []string {
	var dirs []string
	for _, t := range r.trees {
		if t.ReadOnly {
			dirs = append(dirs, t.Dir)
		}
	}
	return dirs
}

// Base returns the real folder that relative names start from, "" when there is none.
func (r *Roots) Base() string {
	if r.base == nil {
		return ""
	}
	return r.base.Dir
}

// denied is the error for a name that leads nowhere inside. It does not send anyone to the server's private folder.
func (r *Roots) denied(op, given string) *PathError {
	e := &PathError{Op: op, Path: given, Kind: Denied, Left: r.left}
	for _, writable := range []bool{true, false} {
		for _, t := range r.trees {
			if !t.temp && t.ReadOnly != writable {
				e.Roots = append(e.Roots, t.Dir)
			}
		}
	}
	return e
}

// Replaced reports whether another folder, or none, stands in the place of one of the roots by now: what is opened
// through them is not what the user sees there.
func (r *Roots) Replaced() bool {
	return slices.ContainsFunc(r.trees, func(t *Tree) bool { return !t.volume && !t.temp && t.replaced() })
}

// RealRoot gives the real absolute path of a folder that Open would take as a root, or why it would not. home is what
// "~" stands for.
func RealRoot(dir, home string) (string, error) {
	t, err := openTree(dir, slashed(home), nil)
	if err != nil {
		return "", err
	}
	return t.Dir, t.root.Close()
}

func openTree(given, home string, aliases []alias) (*Tree, error) {
	name, _, err := parseName(given, home, runtime.GOOS == "windows")
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", Printable(given), err)
	}
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", Printable(given), err)
	}
	dir, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", Printable(given), cause(err))
	}
	// os.OpenRoot would wait for the writer of a pipe.
	if fi, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("root %s: %w", Printable(given), cause(err))
	} else if !fi.IsDir() {
		return nil, fmt.Errorf("root %s: not a folder", Printable(given))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", Printable(given), cause(err))
	}
	held, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("root %s: %w", Printable(given), cause(err))
	}
	t := &Tree{Dir: dir, root: root, held: held, slash: filepath.ToSlash(dir)}
	t.names = union([]string{t.slash}, []string{filepath.ToSlash(abs)})
	for _, a := range aliases {
		if rest, ok := cutDir(t.slash, a.target, false); ok {
			t.names = union(t.names, []string{path.Join(a.name, rest)})
		}
	}
	return t, nil
}

// alias is a link by which the system itself spells folders: /tmp for
// /private/tmp on macOS, /home for /var/home, a home folder that is a link.
type alias struct{ name, target string }

func topLinks(home string) []alias {
	var found []alias
	note := func(name string) {
		if target := real(name); target != "" && target != name {
			found = append(found, alias{slashed(name), slashed(target)})
		}
	}
	if runtime.GOOS != "windows" {
		entries, _ := os.ReadDir("/")
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				note("/" + e.Name())
			}
		}
	}
	if home != "" {
		note(filepath.Clean(home))
	}
	return found
}

// real is name with its links resolved, or "".
func real(name string) string {
	if name == "" {
		return ""
	}
	p, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	return p
}

func slashed(p string) string {
	if p == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(p))
}

func union(a, b []string) []string {
	for _, s := range b {
		if s != "" && !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// cutDir returns what is left of the slash path p below dir ("." for dir
// itself), comparing whole names.
func cutDir(p, dir string, fold bool) (rest string, ok bool) {
	if p == dir {
		return ".", true
	}
	if dir = strings.TrimSuffix(dir, "/"); !fold {
		if len(p) <= len(dir) || p[len(dir)] != '/' || p[:len(dir)] != dir {
			return "", false
		}
		return p[len(dir)+1:], true
	}
	rest = p
	for name := range strings.SplitSeq(dir, "/") {
		var have string
		have, rest, _ = strings.Cut(rest, "/")
		if !strings.EqualFold(have, name) {
			return "", false
		}
	}
	if rest == "" {
		rest = "."
	}
	return rest, true
}

// below reports whether p is dir or lies under it.
func below(p, dir string, fold bool) bool {
	_, ok := cutDir(p, dir, fold)
	return ok
}

// errNoTree marks a Path that did not come from Resolve.
var errNoTree = errors.New("the path was not resolved")

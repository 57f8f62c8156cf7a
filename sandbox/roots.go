package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

	Writable    []string                   // folders that commands may write though they are no roots: a link in one makes no root of what it leads to
	Partial     bool                       // what cannot be opened of Dirs and ReadDirs is left out, see [Roots.Left], instead of an error
	Fallback    string                     // the base in mode Off when none of Dirs is there
	NoBase      string                     // why relative names have no base, whatever is in Dirs; "" when the first of them is it
	MoreProtect func(base string) []string // more to protect once the base is known
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
	wants   []*want
	base    *Tree  // of relative names; nil when there is none
	noBase  string // why, when one was wanted
	nested  bool   // a tree lies inside another one
	fold    bool
	mode    Mode
	home    string   // slash path as given, "" when unknown
	keep    []string // slash paths that are never removed or renamed: roots and home
	protect protectList
	escapes error // what os.Root says of a way out
	left    []string
	locks   locks
}

// Open opens the trees of cfg. A folder that is missing or is no folder, or that a link in a place where tools write
// leads out of there, is an error that names it; no other folder takes its place.
func Open(cfg Config) (*Roots, error) {
	r := &Roots{
		fold: folds(cfg),
		mode: cfg.Mode,
		home: slashed(cfg.Home),
		left: slices.Clone(cfg.Left),
	}
	aliases := topLinks(cfg.Home)
	if err := r.take(cfg, aliases); err != nil {
		return nil, err
	}
	for _, t := range r.trees {
		r.keep = union(r.keep, t.names)
	}
	if r.home != "" {
		r.keep = union(r.keep, []string{r.home, slashed(real(cfg.Home))})
	}
	if cfg.Mode == Off {
		for _, v := range volumes() {
			t, err := openTree(v, r.home, aliases)
			if err != nil {
				continue // an Android top cannot be read; place finds another way
			}
			w := want{tree: t}
			r.join(&w)
			w.tree.volume = true
		}
		if r.base == nil && r.noBase == "" && len(r.trees) > 0 {
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
	if cfg.MoreProtect != nil {
		names = slices.Concat(names, cfg.MoreProtect(r.Base()))
	}
	r.protect = newProtectList(names, cfg.Mode == Off)
	r.protect.led = r.newLed()
	r.locks.init(cfg.State, cfg.Home)
	return r, nil
}

// take opens the folders of cfg as trees of r.
func (r *Roots) take(cfg Config, aliases []alias) error {
	r.wants = wanted(cfg)
	r.settle(r.wants, aliases)
	open := func(w *want) bool { return w.tree != nil && !w.temp && !w.area }
	first := len(cfg.Dirs) > 0
	if cfg.Mode == Off && cfg.Fallback != "" && !slices.ContainsFunc(r.wants, open) {
		w := &want{given: cfg.Fallback}
		r.settle([]*want{w}, aliases)
		r.wants, first = slices.Insert(r.wants, 0, w), w.err == nil
	}
	for i, w := range r.wants {
		switch {
		case w.area:
			if w.tree != nil {
				w.tree.root.Close()
			}
		case w.err == nil:
			r.join(w)
		case !cfg.Partial || w.temp:
			return w.err
		default:
			r.left = append(r.left, w.err.Error())
		}
		if first && i == 0 && w.err == nil {
			r.base = w.tree
		} else if first && i == 0 {
			r.noBase = w.err.Error()
		}
	}
	if cfg.NoBase != "" {
		r.base, r.noBase = nil, cfg.NoBase
	}
	return nil
}

func folds(cfg Config) bool {
	return cfg.Fold || runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}

// baseless is the error for a relative name when there is no base.
func (r *Roots) baseless(given string) *PathError {
	e := r.denied("resolve", given)
	if r.noBase == "" {
		return e
	}
	e.Reason = "relative names begin in the first folder, which cannot be used: " + r.noBase
	if len(e.Roots) > 0 {
		e.Reason += "; give an absolute path below " + list(e.Roots)
	}
	return e
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

// Further returns the real folders beside the base that may be written and hold work of the user: no volume of mode Off, not
// the server's own, and none that lies inside another or around the base.
func (r *Roots) Further() []string {
	var dirs []string
	for _, t := range r.trees {
		if t.ReadOnly || t.volume || t.temp || t == r.base {
			continue
		}
		if !slices.ContainsFunc(r.trees, func(u *Tree) bool {
			return u != t && !u.volume && (below(t.slash, u.slash, r.fold) || u == r.base && below(u.slash, t.slash, r.fold))
		}) {
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

// NoBase says why there is no base of relative names although one was wanted; "" when there is one, or none was wanted.
func (r *Roots) NoBase() string { return r.noBase }

// Left says why folders that were wanted are not among the roots.
func (r *Roots) Left() []string { return r.left }

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

// openTree opens a folder for itself, wherever it leads.
func openTree(given, home string, aliases []alias) (*Tree, error) {
	w := want{given: given}
	if w.look(home); w.err != nil {
		return nil, w.err
	}
	return w.open(nil, false, aliases)
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

package sandbox

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// maxName is the longest name looked at, in bytes; systems take less.
const maxName = 32 << 10

// Path is a place below a tree. It says where a file would be, not that there is one.
type Path struct {
	Root    *Tree
	Rel     string // clean slash path below Root, "." for the root itself
	Given   string // as the caller spelled it
	Warning string // set by operations that opened a near name instead

	roots *Roots
}

// Abs returns the absolute path in the system's spelling.
func (p Path) Abs() string {
	if p.Root == nil {
		return ""
	}
	return filepath.FromSlash(p.slash())
}

func (p Path) slash() string { return join(p.Root.slash, p.Rel) }

// String returns the slash path below the first root, or the absolute path
// when it lies elsewhere. Resolve takes either back.
func (p Path) String() string {
	if p.Root == nil {
		return p.Given
	}
	base, rel := p.roots.base, p.Rel
	if base != p.Root {
		if base == nil {
			return p.Abs()
		}
		var ok bool
		if rel, ok = cutDir(p.slash(), base.slash, p.roots.fold); !ok {
			return p.Abs()
		}
	}
	if rel == "~" || strings.HasPrefix(rel, "~/") || hasFilePrefix(rel) {
		rel = "./" + rel
	}
	return rel
}

// Join returns the path of a slash-separated name below p. The name is one
// that a listing of p gave; it may not lead upwards.
func (p Path) Join(name string) Path {
	p.Given = join(p.Given, name)
	p.Rel = join(p.Rel, path.Clean("/" + name)[1:])
	return p
}

// Dir returns the folder that p is in; a root is its own.
func (p Path) Dir() Path {
	p.Rel = path.Dir(p.Rel)
	p.Given = p.String()
	return p
}

// Projects returns the real folders of the trees that the user named, the base of relative names first: not the server's
// own, nor the volumes of mode Off.
func (r *Roots) Projects() []string {
	var dirs []string
	for _, t := range r.trees {
		if !t.temp && !t.volume {
			dirs = append(dirs, t.Dir)
		}
	}
	return dirs
}

// Base returns the last name of p; for a root, that of its folder.
func (p Path) Base() string { return path.Base(p.slash()) }

// Resolve finds the place that a name stands for, by its text alone (in mode Off
// it may look for a folder that it can start from). A name is a slash path relative to the first root, an absolute path
// in any spelling of a root, "~" or "~/…", or a file: URI of this machine. On
// Windows, backslashes separate too. Elsewhere nothing else is special: "%2e",
// "\" and "-" are characters of a name. The error is a *PathError of Kind Invalid or Denied.
func (r *Roots) Resolve(given string) (Path, error) {
	name, abs, err := parseName(given, r.home, runtime.GOOS == "windows")
	if err != nil {
		return Path{}, &PathError{Op: "resolve", Path: given, Kind: Invalid, Reason: err.Error()}
	}
	if !abs {
		if r.base == nil {
			return Path{}, r.baseless(given)
		}
		if name != ".." && !strings.HasPrefix(name, "../") && !r.nested {
			return Path{Root: r.base, Rel: name, Given: given, roots: r}, nil
		}
		name = join(r.base.slash, name)
	}
	if p, ok := r.place(name); ok {
		p.Given = given
		return p, nil
	}
	return Path{}, r.denied("resolve", given)
}

// place is find, helped where mode Off lets anything be reached but the volume's
// tree cannot: os.Root must read every folder on the way, and some may only be
// passed through (mode 0711, the top of Android). Then the nearest folder that
// opens becomes a tree of its own.
func (r *Roots) place(name string) (Path, bool) {
	p, ok := r.find(name)
	if r.mode != Off {
		return p, ok
	}
	if ok {
		if !p.Root.volume {
			return p, true
		}
		if _, err := p.Root.root.Lstat(p.Rel); kindOfErrno(err) != Permission {
			return p, true
		}
	}
	for dir := name; dir != path.Dir(dir); {
		dir = path.Dir(dir)
		t, err := openTree(filepath.FromSlash(dir), "", nil)
		if err != nil {
			continue
		}
		if rel, below := cutDir(name, dir, false); below {
			return Path{Root: t, Rel: rel, roots: r}, true
		}
	}
	return p, ok
}

// find returns the innermost tree that the clean absolute slash path lies in.
func (r *Roots) find(name string) (Path, bool) {
	var best Path
	depth := -1
	for _, t := range r.trees {
		for _, n := range t.names {
			if rel, ok := cutDir(name, n, r.fold); ok && len(t.slash) > depth {
				best, depth = Path{Root: t, Rel: rel, roots: r}, len(t.slash)
				break
			}
		}
	}
	return best, depth >= 0
}

// parseName cleans a name: the result is a slash path, absolute or not. It may
// still begin with "..".
func parseName(given, home string, windows bool) (name string, abs bool, err error) {
	name = given
	if !windows && plain(name) {
		return name, false, nil
	}
	if hasFilePrefix(name) {
		if name, err = fileURI(name, windows); err != nil {
			return "", false, err
		}
	} else if name == "~" || strings.HasPrefix(name, "~/") || windows && strings.HasPrefix(name, `~\`) {
		if home == "" {
			return "", false, nameError("no home folder is known: give the whole path")
		}
		name = home + "/" + name[1:]
	}
	switch {
	case name == "":
		return "", false, nameError("the path is empty: give a file or folder, \".\" for the first root")
	case len(name) > maxName:
		return "", false, nameError("the path is too long")
	case strings.IndexByte(name, 0) >= 0:
		return "", false, nameError("the path holds a NUL character")
	}
	if windows {
		return windowsName(name)
	}
	name = path.Clean(name)
	return name, name[0] == '/', nil
}

type nameError string

func (e nameError) Error() string { return string(e) }

// plain reports whether name is a clean relative path without anything special:
// the usual case, decided without allocating.
func plain(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '~' {
		return false
	}
	start := true
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == 0, c == ':', c == '/' && start, c == '.' && start:
			return false
		default:
			start = c == '/'
		}
	}
	return !start
}

func hasFilePrefix(name string) bool {
	return len(name) >= 6 && strings.EqualFold(name[:6], "file:/")
}

// fileURI returns the path of a file: URI of this machine.
func fileURI(uri string, windows bool) (string, error) {
	rest := uri[len("file:"):]
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, tail, ok := strings.Cut(after, "/")
		if !ok || host != "" && !strings.EqualFold(host, "localhost") {
			return "", nameError("only file:///… URIs of this machine can be used")
		}
		rest = "/" + tail
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		return "", nameError("the file: URI has a bad % escape")
	}
	if windows && len(name) >= 3 && name[0] == '/' && isDrive(name[1:]) {
		name = name[1:]
	}
	return name, nil
}

// join is path.Join for clean parts: nothing is interpreted but ".".
func join(dir, name string) string {
	switch {
	case name == "." || name == "":
		return dir
	case dir == "." || dir == "":
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

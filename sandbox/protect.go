package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// DefaultProtect returns what is read-only to the tools unless the user says
// otherwise: what programs run or obey without asking. Beyond .git/config and
// .git/hooks that is whatever else makes git take its configuration from
// another place (a new .git file, commondir, the folders of submodules and of
// other work trees).
func DefaultProtect() []string {
	return []string{
		".git/config", ".git/config.worktree", ".git/hooks", ".git/commondir", ".git/modules", ".git/worktrees",
		".hanzo", ".mcp.json", ".cursor", ".claude", ".vscode", ".gemini", ".codex", ".opencode", "opencode.json", "opencode.jsonc", ".zed", ".windsurf",
	}
}

// protectList holds the entries of Config.Protect. A relative entry is a run of
// names that is protected wherever it stands below a root, with all beneath it:
// a nested repository or workspace is as live as the root's own. It must touch
// at least one name below the root, so a root inside ~/.hanzo can be used.
// Names are compared as the least exact file system would. An absolute entry is
// one file or folder.
type protectList struct {
	runs []run
	abs  []string // slash paths, given and real spelling
	git  bool     // a run begins with .git
	led  *led     // where protected names lead that are links
}

type run struct {
	text  string   // as configured
	names []string // plainName of each
}

func newProtectList(entries []string, absOnly bool) protectList {
	var l protectList
	folders := map[string]string{} // real ones by name: many entries share one
	for _, e := range entries {
		if filepath.IsAbs(e) {
			e = filepath.Clean(e)
			dir, known := folders[filepath.Dir(e)]
			if !known {
				dir = real(filepath.Dir(e))
				folders[filepath.Dir(e)] = dir
			}
			l.abs = union(l.abs, spellings(e, dir))
			continue
		}
		if e = path.Clean(filepath.ToSlash(e)); absOnly || !filepath.IsLocal(e) || e == "." {
			continue
		}
		r := run{text: e, names: strings.Split(e, "/")}
		for i := range r.names {
			r.names[i] = plainName(r.names[i])
		}
		l.runs = append(l.runs, r)
		l.git = l.git || r.names[0] == ".git"
	}
	return l
}

// spellings are the slash paths of an absolute entry, whose real folder is dir, "" when there is none: as given, in the
// real folder, and what it is a link to.
func spellings(entry, dir string) []string {
	list := []string{filepath.ToSlash(entry)}
	if dir == "" {
		return list
	}
	there := filepath.Join(dir, filepath.Base(entry))
	list = append(list, slashed(there))
	// Windows has links that are not told as such, and more than one spelling of a name.
	if info, err := os.Lstat(there); err == nil && (info.Mode()&os.ModeSymlink != 0 || runtime.GOOS == "windows") {
		list = append(list, slashed(real(there)))
	}
	return list
}

// Protected tells whether tools may not write p, and why: p, or the place its
// links lead to, is protected.
//
// Protected are the entries of Config.Protect, relative ones at any depth below
// a root, with all beneath them, in any letter case: to change, to make, to
// remove, to rename, and to rename something onto. A folder that such a name
// hangs on (.git for .git/config) is not removed or renamed, nor replaced by
// another one that brings its own; and .git itself is never written as a file,
// since that would send git elsewhere. In mode Off only the absolute entries hold
// (settings files and hook scripts). Hard links are not recognised: WriteAtomic
// replaces a name, never shared content. Where a protected name directly below a
// root is a link, so is what it leads to.
func (r *Roots) Protected(p Path) (reason string, ok bool) {
	if p.Root == nil {
		return "", false
	}
	if reason, ok = r.protect.covers(p); ok {
		return reason, true
	}
	q, err := r.Follow(p)
	if err != nil {
		return "", false
	}
	if reason, ok = r.protect.covers(q); ok {
		return reason, true
	}
	return r.bareRepository(q)
}

// covers is Protected for a place reached through no link.
func (l *protectList) covers(p Path) (string, bool) {
	for _, a := range l.abs {
		if below(p.slash(), a, true) {
			return Printable(path.Base(a)) + " steers this server and is read-only to the tools; ask the user to change it", true
		}
	}
	for _, t := range l.led.list() {
		if below(p.slash(), t.place, true) {
			return t.from + " leads here and is read-only to the tools; ask the user to change it, or to change sandbox.protect", true
		}
	}
	names, first := l.split(p)
	for _, r := range l.runs {
		for at := max(0, first-len(r.names)+1); at+len(r.names) <= len(names); at++ {
			if slices.Equal(names[at:at+len(r.names)], r.names) {
				return l.why(r), true
			}
		}
	}
	return "", false
}

func (l *protectList) why(r run) string {
	return r.text + " is read-only to the tools; ask the user to change it, or to change sandbox.protect"
}

// tails returns what is left of the runs that p ends inside of: "config" for a
// p that ends in .git and the run .git/config.
func (l *protectList) tails(p Path) (tails []string, reason string) {
	names, first := l.split(p)
	for _, r := range l.runs {
		for n := min(len(r.names)-1, len(names)); n > 0 && len(names) > first; n-- {
			if slices.Equal(names[len(names)-n:], r.names[:n]) {
				parts := strings.Split(r.text, "/")
				tails, reason = append(tails, strings.Join(parts[n:], "/")), l.why(r)
			}
		}
	}
	return tails, reason
}

// split returns the names of p's absolute path and the index of the first one below its root.
func (l *protectList) split(p Path) (names []string, first int) {
	if len(l.runs) == 0 || p.Rel == "." {
		return nil, 0
	}
	names = strings.Split(strings.TrimPrefix(p.slash(), "/"), "/")
	for i := range names {
		names[i] = plainName(names[i])
	}
	return names, len(names) - 1 - strings.Count(p.Rel, "/")
}

// carries tells whether an absolute entry, or where a protected link leads, lies somewhere below p, where p could
// be renamed away from it. Relative entries need no such look: what they name
// stays protected when a folder above it is renamed.
func (l *protectList) carries(p Path) (string, bool) {
	for _, a := range l.abs {
		if below(a, p.slash(), true) {
			return "it holds " + Printable(a) + ", which steers this server; ask the user", true
		}
	}
	for _, t := range l.led.list() {
		if below(t.place, p.slash(), true) {
			return "it holds " + Printable(path.Base(t.place)) + ", where " + t.from + " leads; ask the user", true
		}
	}
	return "", false
}

// plainName folds a name as the least exact file systems do when they look one
// up: letter case, characters that HFS+ ignores, final dots and spaces, streams
// and the short name of .git on Windows.
func plainName(n string) string {
	if strings.IndexFunc(n, func(c rune) bool { return c >= utf8.RuneSelf }) >= 0 {
		n = strings.Map(func(c rune) rune {
			switch {
			case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
				return -1
			}
			return c
		}, n)
		n = cases.Fold().String(norm.NFC.String(n))
	} else {
		n = strings.ToLower(n)
	}
	n, _, _ = strings.Cut(n, ":")
	n = strings.TrimRight(n, ". ")
	if n == "git~1" {
		return ".git"
	}
	return n
}

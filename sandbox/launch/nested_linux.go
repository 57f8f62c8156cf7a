package launch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of the search for repositories inside a writable folder; it is made
// when a launcher starts. What is not ours gets a part of them, and last.
const (
	nestedDepth   = 8
	nestedEntries = 40000
	nestedTime    = 150 * time.Millisecond
	nestedMost    = 256
)

const tooMuch = "there are too many, or too much to look through"

// notOurs are folders that package managers and builds fill and empty, like those
// whose name begins with a dot: what lies in them must stay movable.
var notOurs = []string{"node_modules", "vendor", "deps", "target", "build", "dist", "venv", "Pods", "Carthage"}

// place is a folder to look through.
type place struct {
	path  string
	depth int
}

// nested is what a search found: .git folders, files and links, and repositories
// that are not called so.
type nested struct {
	git, bare []string
	aside     []place // folders that are not ours
	all       bool    // false when a bound ended the search
}

// search looks through the places and what lies below, the .git of dir left out;
// in folders that are not ours only when one of the places is.
func search(dir string, todo []place, foreign bool, share int) nested {
	until := time.Now().Add(nestedTime / time.Duration(share))
	n, seen := nested{}, 0
	for ; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if seen > nestedEntries/share || len(n.git)+len(n.bare) >= nestedMost || time.Now().After(until) {
			return n
		}
		entries := readSome(at.path)
		seen += len(entries)
		if at.path != dir && isBare(entries) {
			n.bare = append(n.bare, at.path)
			continue
		}
		for _, e := range entries {
			name := e.Name()
			path := filepath.Join(at.path, name)
			switch {
			case name == ".git":
				if at.path != dir && e.Type()&^(fs.ModeDir|fs.ModeSymlink) == 0 {
					n.git = append(n.git, path)
				}
			case !e.IsDir() || at.depth >= nestedDepth:
			case !foreign && (strings.HasPrefix(name, ".") || slices.Contains(notOurs, name)):
				n.aside = append(n.aside, place{path, at.depth + 1})
			default:
				todo = append(todo, place{path, at.depth + 1})
			}
		}
	}
	n.all = true
	return n
}

// isBare reports what isGitDir would of the folder with these entries.
func isBare(entries []fs.DirEntry) bool {
	parts := 0
	for _, e := range entries {
		if name := e.Name(); name == "HEAD" || name == "objects" || name == "refs" {
			parts++
		}
	}
	return parts == 3
}

// readSome lists a folder as far as the bound of a search goes, in no order.
func readSome(dir string) []fs.DirEntry {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(nestedEntries)
	return entries
}

// nestedGuards are the protected paths of the repositories inside the writable
// folders. Bare ones, and those in folders that are not ours, are watched.
func (p *plan) nestedGuards(cfg Config) []string {
	names := gitNames(cfg.Protect)
	if len(names) == 0 {
		return nil
	}
	p.scout = &scout{known: map[string]bool{}}
	temp, _ := filepath.EvalSymlinks(cfg.TempDir)
	var out []string
	for _, w := range outermost(realPaths(expand(cfg.Home, cfg.Writable))) {
		if isGitDir(w) || !p.inWritable(w) {
			continue
		}
		if git := filepath.Join(w, ".git"); isFile(git) {
			out = append(out, p.repoGuards(git, names)...)
		}
		ours := search(w, []place{{w, 0}}, false, 1)
		others := search(w, ours.aside, true, 3)
		if !ours.all {
			p.weak = append(p.weak, "of the repositories inside "+w+" some may be writable as a whole: "+tooMuch)
		} else if !others.all {
			p.notes = append(p.notes, "repositories in folders of package managers inside "+w+" may be changed without a word: "+tooMuch)
		}
		for _, git := range ours.git {
			out = append(out, p.repoGuards(git, names)...)
		}
		if w != temp {
			p.scout.add(w, ours.bare)
		}
		// A bare one would lose its objects to a removal that a guard in it stops half-way.
		for _, dir := range slices.Concat(ours.bare, others.git, others.bare) {
			p.watched = append(p.watched, newWatched(dir))
		}
	}
	return out
}

// repoGuards are the protected paths of a repository by its .git.
func (p *plan) repoGuards(git string, names []string) []string {
	guards, all := gitGuards(git, names)
	if dir, ok := follow(git, "gitdir: "); ok {
		// Where the file leads and from there the common folder, if they are in reach.
		dirs := []string{dir}
		if common, ok := follow(filepath.Join(dir, "commondir"), ""); ok {
			dirs = append(dirs, common)
		}
		for _, dir := range dirs {
			if p.inWritable(dir) && isGitDir(dir) {
				more, whole := gitGuards(dir, names)
				guards, all = append(guards, more...), all && whole
			}
		}
	}
	if !all {
		p.weak = append(p.weak, git+" has more submodules or work trees than are guarded: the config and hooks of the others are writable for commands")
	}
	// What is missing there is no reason for a new launcher.
	st, err := os.Lstat(git)
	whole := err == nil && !st.IsDir()
	return slices.DeleteFunc(guards, func(path string) bool {
		return !exists(path) && !held(path) && !(whole && filepath.Dir(path) == git)
	})
}

// held reports that the place of a missing path in a repository is kept: git
// takes hooks and a configuration from there without asking.
func held(path string) bool {
	name := filepath.Base(path)
	return (name == "hooks" || name == "commondir") && isGitDir(filepath.Dir(path))
}

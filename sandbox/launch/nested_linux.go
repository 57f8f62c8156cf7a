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
// when a launcher starts.
const (
	nestedDepth   = 5
	nestedEntries = 40000
	nestedTime    = 150 * time.Millisecond
	nestedMost    = 64
)

// notOurs are folders that package managers and builds fill and empty: what
// lies in them must stay movable, and nobody runs git there.
var notOurs = []string{"node_modules", "vendor", "deps", "target", "build", "dist", "venv", "Pods", "Carthage"}

// nestedRepos finds the .git folders and files below dir, its own left out.
// all is false when a bound ended the search.
func nestedRepos(dir string) (found []string, all bool) {
	until := time.Now().Add(nestedTime)
	seen := 0
	type place struct {
		path  string
		depth int
	}
	for todo := []place{{dir, 0}}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if seen > nestedEntries || len(found) >= nestedMost || time.Now().After(until) {
			return found, false
		}
		for _, e := range readSome(at.path) {
			seen++
			name := e.Name()
			path := filepath.Join(at.path, name)
			switch {
			case name == ".git" && at.depth > 0 && (e.IsDir() || e.Type().IsRegular()):
				found = append(found, path)
			case e.IsDir() && at.depth < nestedDepth && !strings.HasPrefix(name, ".") && !slices.Contains(notOurs, name):
				todo = append(todo, place{path, at.depth + 1})
			}
		}
	}
	return found, true
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

// nestedGuards are the protected paths of the repositories inside the writable folders.
func (p *plan) nestedGuards(cfg Config) []string {
	names := gitNames(cfg.Protect)
	if len(names) == 0 {
		return nil
	}
	var out []string
	for _, w := range outermost(realPaths(expand(cfg.Home, cfg.Writable))) {
		if isGitDir(w) {
			continue
		}
		repos, all := nestedRepos(w)
		if !all {
			p.notes = append(p.notes, "repositories deep inside "+w+" may be writable as a whole: there is too much to look through")
		}
		for _, r := range repos {
			for _, path := range gitGuards(r, names, 0) {
				// What is missing there is no reason for a new launcher.
				if exists(path) || held(path) || isFile(r) {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// held reports that the place of a missing path in a repository is kept: git
// takes hooks and a configuration from there without asking.
func held(path string) bool {
	name := filepath.Base(path)
	return (name == "hooks" || name == "commondir") && isGitDir(filepath.Dir(path))
}

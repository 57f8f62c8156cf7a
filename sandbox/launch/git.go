package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// gitName is what an entry of Config.Protect names below a git folder.
func gitName(entry string) (string, bool) {
	return strings.CutPrefix(filepath.ToSlash(filepath.Clean(entry)), ".git/")
}

func gitNames(protect []string) []string {
	var out []string
	for _, p := range protect {
		if name, ok := gitName(p); ok {
			out = append(out, filepath.FromSlash(name))
		}
	}
	return out
}

const (
	maxTrees         = 256 // linked work trees of a repository that are looked at
	maxModules       = 256 // git folders of submodules
	maxModuleEntries = 20000
)

// gitGuards are the paths to protect in one git folder. Of the folders of linked
// work trees and of submodules only what steers git is among them, since a
// commit there writes the rest. all is false when there are too many of those.
func gitGuards(dir string, names []string) (out []string, all bool) {
	all = true
	for _, name := range names {
		switch name {
		case "worktrees":
			trees, _ := os.ReadDir(filepath.Join(dir, name))
			all = all && len(trees) <= maxTrees
			for _, t := range trees[:min(len(trees), maxTrees)] {
				for _, f := range []string{"commondir", "gitdir", "config.worktree"} {
					// What a new work tree brings is made by git itself.
					if path := filepath.Join(dir, name, t.Name(), f); exists(path) {
						out = append(out, path)
					}
				}
			}
		case "modules":
			found, whole := modules(filepath.Join(dir, name))
			all = all && whole
			own := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "modules" })
			for _, m := range found {
				guards, whole := gitGuards(m, own)
				out, all = append(out, guards...), all && whole
			}
		default:
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out, all
}

// modules finds the git folders of submodules, whose names may have slashes, and
// of those inside them. all is false when a bound ended the search.
func modules(dir string) (found []string, all bool) {
	seen := 0
	for todo := []string{dir}; len(todo) > 0; todo = todo[1:] {
		entries, _ := os.ReadDir(todo[0])
		for _, e := range entries {
			path := filepath.Join(todo[0], e.Name())
			if seen++; seen > maxModuleEntries || len(found) > maxModules {
				return found[:min(len(found), maxModules)], false
			}
			switch {
			case isGitDir(path):
				if found = append(found, path); e.IsDir() {
					todo = append(todo, filepath.Join(path, "modules"))
				}
			case e.IsDir():
				todo = append(todo, path)
			}
		}
	}
	return found, true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isGitDir reports what git takes for a repository, a config or not.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !exists(filepath.Join(dir, name)) {
			return false
		}
	}
	return true
}

// inGitDir reports whether a path is part of a repository's own data.
func inGitDir(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part == ".git" {
			return true
		}
	}
	return isGitDir(filepath.Dir(path))
}

// outsideGit drops the patterns that name what lies in a git folder.
func outsideGit(protect []string) []string {
	return slices.DeleteFunc(slices.Clone(protect), inGitDir)
}

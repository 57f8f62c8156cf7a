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
	maxTrees   = 256 // linked work trees of a repository that are looked at
	maxModules = 128 // folders below its modules
)

// gitGuards are the paths to protect in one git folder. Of the folders of linked
// work trees and of submodules only what steers git is among them, since a
// commit there writes the rest.
func gitGuards(dir string, names []string, depth int) []string {
	var out []string
	for _, name := range names {
		switch name {
		case "worktrees":
			trees, _ := os.ReadDir(filepath.Join(dir, name))
			for _, t := range trees[:min(len(trees), maxTrees)] {
				for _, f := range []string{"commondir", "gitdir", "config.worktree"} {
					// What a new work tree brings is made by git itself.
					if path := filepath.Join(dir, name, t.Name(), f); exists(path) {
						out = append(out, path)
					}
				}
			}
		case "modules":
			if depth > 3 {
				continue
			}
			for _, m := range modules(filepath.Join(dir, name), 4) {
				out = append(out, gitGuards(m, names, depth+1)...)
			}
		default:
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// modules finds the git folders of submodules, whose names may have slashes.
func modules(dir string, depth int) []string {
	entries, _ := os.ReadDir(dir)
	var out []string
	for _, e := range entries[:min(len(entries), maxModules)] {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir():
		case isGitDir(path):
			out = append(out, path)
		case depth > 0:
			out = append(out, modules(path, depth-1)...)
		}
	}
	return out[:min(len(out), maxModules)]
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs", "config"} {
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

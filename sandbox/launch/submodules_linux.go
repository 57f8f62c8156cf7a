package launch

import (
	"os"
	"path/filepath"
)

const (
	maxSubmodules  = 512 // of a writable folder, those inside others included
	submoduleDepth = 8
)

// submoduleGuards are the protected paths of the repositories that an index
// names, wherever they are: the user's git status in the folder above runs what
// their config says. A .git file among them names the folder that holds it.
func (p *plan) submoduleGuards(cfg Config) []string {
	names := gitNames(cfg.Protect)
	if len(names) == 0 {
		return nil
	}
	var out []string
	for _, r := range p.repos {
		left := maxSubmodules
		links := make([]string, 0, len(r.links))
		for path := range r.links {
			links = append(links, path)
		}
		out = append(out, p.linkGuards(r.tree, links, names, &left, submoduleDepth)...)
		if left < 0 || len(links) >= maxLinks {
			p.weak = append(p.weak, r.tree+" has more submodules than are guarded: commands can redirect the others, and git status there would run what they say")
		}
	}
	return out
}

// linkGuards are those of the submodules of one work tree, and of theirs.
func (p *plan) linkGuards(tree string, links, names []string, left *int, depth int) []string {
	var out []string
	for _, path := range links {
		if !filepath.IsLocal(path) {
			continue
		}
		if *left--; *left < 0 {
			return out
		}
		sub := filepath.Join(tree, path)
		git := filepath.Join(sub, ".git")
		st, err := os.Lstat(git)
		if err != nil {
			p.missing = append(p.missing, git) // not checked out: what comes there is told
			continue
		}
		out = append(out, p.repoGuards(git, names)...)
		dir := git
		if st.Mode().IsRegular() {
			dir, _ = follow(git, "gitdir: ")
		}
		if depth > 0 && isGitDir(dir) {
			out = append(out, p.linkGuards(sub, gitlinks(filepath.Join(dir, "index")), names, left, depth-1)...)
		}
	}
	return out
}

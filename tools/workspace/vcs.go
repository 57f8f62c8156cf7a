package workspace

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// vcs is what the files of a version control system say.
type vcs struct {
	Kind     string `json:"kind"` // git, hg, jj, svn
	Root     string `json:"root"`
	Branch   string `json:"branch,omitempty"`
	Head     string `json:"head,omitempty"` // commit, when it is known without running git
	Detached bool   `json:"detached,omitempty"`
	Worktree bool   `json:"worktree,omitempty"` // its git folder is elsewhere
	Dirty    any    `json:"dirty"`              // true, false, or "unknown"
}

// dirtyWait is how long the state of the work tree is waited for.
const dirtyWait = 2 * time.Second

// vcs looks for version control in a folder and those above it, as far as the roots reach.
func (t *tool) vcs(ctx context.Context, roots *sandbox.Roots, at sandbox.Path) *vcs {
	for {
		for _, kind := range []string{"git", "jj", "hg", "svn"} {
			info, err := roots.Lstat(at.Join("." + kind))
			if err != nil {
				continue
			}
			v := &vcs{Kind: kind, Root: at.String(), Dirty: "unknown"}
			if kind == "git" {
				v.git(roots, at, info.Mode().IsRegular())
				if t.cfg.Dirty != nil {
					ctx, cancel := context.WithTimeout(ctx, dirtyWait)
					defer cancel()
					if dirty, err := t.cfg.Dirty(ctx, roots, at.String()); err == nil {
						v.Dirty = dirty
					}
				}
			}
			if kind == "hg" {
				v.Branch = "default"
				if b, ok := readFile(roots, at.Join(".hg/branch"), 4096); ok {
					v.Branch = name(string(b))
				}
			}
			return v
		}
		if at.Rel == "." || at.Rel == "" {
			return nil
		}
		at = at.Dir()
	}
}

// git reads the branch from the git folder, which a file names in a linked work tree.
func (v *vcs) git(roots *sandbox.Roots, at sandbox.Path, linked bool) {
	dir := at.Join(".git")
	if linked {
		v.Worktree = true
		b, ok := readFile(roots, dir, 4096)
		text, is := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
		if !ok || !is {
			return
		}
		there := strings.TrimSpace(text)
		if !path.IsAbs(there) && !filepath.IsAbs(there) {
			there = path.Join(path.Dir(dir.Abs()), there)
		}
		p, err := roots.Resolve(there)
		if err != nil {
			return // outside the roots
		}
		dir = p
	}
	head, ok := readFile(roots, dir.Join("HEAD"), 4096)
	if !ok {
		return
	}
	text := strings.TrimSpace(string(head))
	ref, symbolic := strings.CutPrefix(text, "ref:")
	if !symbolic {
		v.Detached, v.Head = true, hash(text)
		return
	}
	ref = strings.TrimSpace(ref)
	v.Branch = name(strings.TrimPrefix(ref, "refs/heads/"))
	if path.Clean(ref) == ref && strings.HasPrefix(ref, "refs/") {
		if b, ok := readFile(roots, dir.Join(ref), 4096); ok {
			v.Head = hash(strings.TrimSpace(string(b)))
		}
	}
}

// hash is s when it is a commit's name.
func hash(s string) string {
	if (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == "" {
		return s
	}
	return ""
}

// name is a name from a checkout as it may stand in an answer.
func name(s string) string { return sandbox.Printable(tools.Cut(strings.TrimSpace(s), 120)) }

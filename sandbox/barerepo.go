package sandbox

import (
	"path"
	"slices"
	"strings"
)

// A folder that holds HEAD, objects and refs is a repository to git, whatever it is called and whoever made it: git run
// in it or below obeys its config, which names programs. What git obeys in .git is protected by name; here it is
// protected by what stands beside it.

var (
	bareParts  = []string{"HEAD", "objects", "refs"}
	bareObeyed = []string{"config", "config.worktree", "commondir", "hooks"}
)

// bareRepository tells why q may not be written: it is what git obeys in a folder that is a repository, or it would make
// a repository of a folder that holds such things.
func (r *Roots) bareRepository(q Path) (string, bool) {
	if !r.protect.git {
		return "", false
	}
	names := strings.Split(q.Rel, "/")
	for i, name := range names {
		plain := plainName(name)
		if plain == ".git" {
			return "", false // protected by name
		}
		is := func(n string) bool { return plainName(n) == plain }
		part, obeyed := slices.ContainsFunc(bareParts, is), slices.ContainsFunc(bareObeyed, is)
		if !part && !obeyed || i < len(names)-1 && plain != "objects" && plain != "refs" && plain != "hooks" {
			continue
		}
		dir := path.Join(append([]string{"."}, names[:i]...)...)
		have := func(n string) bool {
			_, err := q.Root.root.Lstat(join(dir, n))
			return err == nil
		}
		missing := slices.DeleteFunc(slices.Clone(bareParts), have)
		switch {
		case obeyed && len(missing) == 0,
			part && len(missing) == 1 && is(missing[0]) && slices.ContainsFunc(bareObeyed, have):
			return "git takes a folder with HEAD, objects and refs for a repository and obeys its config and hooks; ask the user to make it", true
		}
	}
	return "", false
}

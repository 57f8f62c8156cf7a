package git

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// stops tells whether the sandbox keeps git from writing a file, and why: a protected one at the top of a root. Deeper
// down, in a package of a large repository, git may bring what its commits hold, as a command may.
func (r *repo) stops(name string) (why string, no bool) {
	p := r.top.Join(name)
	if why, no = r.roots.Protected(p); !no {
		return "", false
	}
	root := p
	for root.Rel != "." {
		root = root.Dir()
	}
	names := strings.Split(p.Rel, "/")
	for n := 1; n <= len(names); n++ {
		if _, no := r.roots.Protected(root.Join(strings.Join(names[:n], "/"))); no {
			if n == 1 {
				return why, true
			}
			_, deeper := r.roots.Protected(root.Join(strings.Join(names[1:n], "/")))
			return why, !deeper
		}
	}
	return why, true
}

// guardProtected refuses an act before it begins when it would write or remove a protected file, at which the sandbox
// stops git half-way.
func (r *repo) guardProtected(act string, list []touch) error {
	var names []string
	why := ""
	for _, one := range list {
		if reason, no := r.stops(one.name); no && !slices.Contains(names, one.name) {
			names, why = append(names, one.name), reason
		}
	}
	if len(names) == 0 {
		return nil
	}
	return tools.Errorf(tools.PermissionDenied, "%s would change %s; nothing was changed: %s", act, fewNames(names), why)
}

// guardMove is guardProtected for an act that leaves one commit for another; with force it takes changes too. git takes
// the name of a remote's branch for one of that name.
func (r *repo) guardMove(ctx context.Context, act, ref string, force bool) error {
	to, err := r.resolve(ctx, ref+"^{commit}")
	if err != nil {
		out, err := r.mustRead(ctx, "for-each-ref", "--count=1", "--format=%(objectname)", "refs/remotes/*/"+ref)
		if to = strings.TrimSpace(string(out)); err != nil || to == "" {
			return nil // git says it better
		}
	}
	revisions := []string{"HEAD", to}
	if force {
		revisions = []string{to} // against the work tree
	}
	list, err := r.touches(ctx, []string{"diff"}, revisions...)
	if err != nil {
		return timedOut(err)
	}
	return r.guardProtected(act, list)
}

// guardRestored is guardProtected for files that come back from ref, or from the index. With overlay what ref does not
// have stays.
func (r *repo) guardRestored(ctx context.Context, act, ref string, overlay bool, files []string) error {
	args := slices.Concat([]string{"diff"}, touchArgs, []string{"--end-of-options"})
	if ref != "" {
		args = append(args, ref)
	}
	list, err := r.touched(ctx, slices.Concat(args, []string{"--"}, files))
	if err != nil {
		return timedOut(err)
	}
	if overlay {
		list = slices.DeleteFunc(list, func(one touch) bool { return one.letter == 'A' })
	}
	return r.guardProtected(act, list)
}

// leaving finds what an act has to leave among the files and folders that it would take away, and says so: protected files,
// at which the sandbox would stop git half-way, and bare repositories, which git takes for files. (Others it leaves itself.)
func (r *repo) leaving(act string, names []string) (left []string) {
	bare := map[string]bool{} // by folder
	leave := func(name string) {
		if !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	for _, name := range names {
		name, folder := strings.CutSuffix(named(name), "/")
		if folder {
			for _, one := range r.bareBelow(name) {
				leave(one)
			}
		}
		_, no := r.stops(name)
		whole := name
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, above := r.stops(dir); no && above {
				whole = dir
			}
			is, known := bare[dir]
			if !known {
				is = r.isGitDir(r.top.Join(dir))
				bare[dir] = is
			}
			if is {
				leave(dir)
			}
		}
		if no {
			leave(whole)
		}
	}
	if len(left) > 0 {
		r.c.Warn(act + " left " + fewNames(left) + ": protected, read-only to the tools, or a repository")
	}
	return left
}

// except adds to pathspecs those that leave names out.
func except(files, names []string) []string {
	if len(names) > 0 && len(files) == 0 {
		files = []string{wholeTree}
	}
	files = slices.Clone(files)
	for _, name := range names {
		files = append(files, ":(top,exclude,literal)"+name)
	}
	return files
}

// ignoring makes patterns of gitignore(5) for names, which git clean heeds inside untracked folders too.
func ignoring(names []string) (args []string) {
	for _, name := range names {
		args = append(args, "--exclude=/"+literalPattern.Replace(name))
	}
	return args
}

var literalPattern = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `)

// maxSearched bounds the entries of a folder that are searched for bare repositories.
const maxSearched = 50_000

// bareBelow finds the bare repositories in a folder, itself among them.
func (r *repo) bareBelow(name string) (found []string) {
	root, rel, err := r.roots.Sub(r.top.Join(name))
	if err != nil {
		return nil
	}
	n := 0
	_ = fs.WalkDir(root.FS(), rel, func(at string, e fs.DirEntry, err error) error {
		switch n++; {
		case n > maxSearched:
			return fs.SkipAll
		case err != nil || !e.IsDir():
			return nil
		case e.Name() == ".git":
			return fs.SkipDir
		}
		if sub := path.Join(name, strings.TrimPrefix(strings.TrimPrefix(at, rel), "/")); r.isGitDir(r.top.Join(sub)) {
			found = append(found, sub)
			return fs.SkipDir
		}
		return nil
	})
	return found
}

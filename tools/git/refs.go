package git

import (
	"io/fs"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// What stands plainly in git's own files is read from them, without a git: where HEAD is and has been, and the stashes.
// Whatever is out of the ordinary is left to git, whose words are the ones to give: a repository of another user, refs
// kept in another format, a line of unknown form.

// maxPlain bounds the files that are read in git's place; with larger ones git is quicker.
const maxPlain = 1 << 20

// plain reports whether refs and their logs lie in files that may be read in git's place.
func (r *repo) plain() bool {
	return !mentions(r.config, "refstorage") && r.owned() == nil
}

// plainText reads such a file. known is false when there is one and it cannot be judged.
func (r *repo) plainText(p sandbox.Path) (text string, known bool) {
	text, err := r.text(p, maxPlain+1)
	if err != nil {
		return "", sandbox.KindOf(err) == sandbox.NotFound
	}
	return text, len(text) <= maxPlain
}

// plainRef is the hash of a ref of the common folder, "" when there is none.
func (r *repo) plainRef(name string) (hash string, known bool) {
	text, known := r.plainText(r.common.Join(name))
	if text = strings.TrimRight(text, "\r\n"); !known || text != "" {
		return text, isHash(text)
	}
	if _, err := r.roots.Lstat(r.common.Join(name)); err == nil {
		return "", false // an empty file
	}
	packed, known := r.plainText(r.common.Join("packed-refs"))
	for line := range strings.Lines(packed) {
		if hash, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && ref == name {
			return hash, isHash(hash)
		}
	}
	return "", known
}

// plainHead is the hash of HEAD.
func (r *repo) plainHead() (hash string, known bool) {
	branch, detached := r.head()
	if !r.plain() {
		return "", false
	}
	if detached {
		text, known := r.plainText(r.gitDir.Join("HEAD"))
		text = strings.TrimSpace(text)
		return text, known && isHash(text)
	}
	if branch == "" || strings.HasPrefix(branch, "refs/") {
		return "", false
	}
	hash, known = r.plainRef("refs/heads/" + branch)
	return hash, known && hash != ""
}

// plainBranch is the full name of the branch that ref can only mean; of "" it is HEAD.
func (r *repo) plainBranch(ref string) (full string, ok bool) {
	switch {
	case ref == "" || ref == "HEAD":
		return "HEAD", true
	case strings.HasPrefix(ref, "refs/heads/"):
		return ref, true
	case strings.Contains(ref, "@{"):
		return "", false
	}
	for _, p := range []sandbox.Path{r.gitDir.Join(ref), r.common.Join(ref), r.common.Join("refs/" + ref)} {
		if _, err := r.roots.Lstat(p); sandbox.KindOf(err) != sandbox.NotFound {
			return "", false
		}
	}
	if hash, known := r.plainRef("refs/tags/" + ref); hash != "" || !known {
		return "", false
	}
	return "refs/heads/" + ref, true
}

// plainLog is the reflog of HEAD, a branch or the stash, newest first. Entries that point to nothing keep their number and are
// left out, as git does.
func (r *repo) plainLog(ref, short string) (list []reflogOne, known bool) {
	if !r.plain() {
		return nil, false
	}
	dir := r.gitDir
	if ref != "HEAD" {
		dir = r.common
		if hash, known := r.plainRef(ref); !known || hash == "" {
			return nil, known
		}
	}
	text, known := r.plainText(dir.Join("logs/" + ref))
	if !known || text == "" {
		return nil, false
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		head, message, _ := strings.Cut(lines[len(lines)-1-i], "\t")
		_, at, ok := strings.Cut(head, "> ")
		f := strings.Fields(head)
		if !ok || len(f) < 4 || !isHash(f[0]) || !isHash(f[1]) {
			return nil, false
		}
		date, ok := dated(at)
		if !ok {
			return nil, false
		}
		if strings.Trim(f[1], "0") == "" {
			continue
		}
		message, _ = valid(strings.TrimSpace(message))
		list = append(list, reflogOne{indexed(short, i), f[1], date, message})
	}
	return list, true
}

// linkedHead is the branch of a HEAD that is a symbolic link, as old gits made it.
func (r *repo) linkedHead() (branch string, ok bool) {
	p := r.gitDir.Join("HEAD")
	if fi, err := r.roots.Lstat(p); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		return "", false
	}
	to, err := r.roots.Readlink(p)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(to, "refs/heads/")
}

package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/diff"
)

func (r *repo) goDiff(ctx context.Context, in diffIn, files []string) (*tools.Result, error) {
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	if in.Context != nil && *in.Context != 3 {
		return nil, unsupported("diff with other than 3 context_lines")
	}
	var list []delta
	switch {
	case in.Ref == "":
		idx, err := e.fitForFiles()
		if err != nil {
			return nil, err
		}
		if in.Staged {
			list, err = e.staged(ctx, idx)
		} else {
			list, err = e.unstaged(ctx, idx)
		}
		if err != nil {
			return nil, timedOut(err)
		}
	default:
		if list, err = e.between(ctx, in.Ref, in.Staged); err != nil {
			return nil, timedOut(err)
		}
	}
	return e.deltaResult(list, files, in.page, "")
}

// between gives the changes from A to B of "A..B" or "A B".
func (e *embed) between(ctx context.Context, ref string, staged bool) ([]delta, error) {
	a, b, ok := strings.Cut(ref, "..")
	if f := strings.Fields(ref); !ok && len(f) == 2 {
		a, b, ok = f[0], f[1], true
	}
	if !ok || staged || strings.HasPrefix(b, ".") {
		return nil, unsupported("diff of " + ref)
	}
	if err := e.fitForHistory(); err != nil {
		return nil, err
	}
	ca, err := e.commitOf(a)
	if err != nil {
		return nil, err
	}
	cb, err := e.commitOf(b)
	if err != nil {
		return nil, err
	}
	return e.trees(ctx, ca, cb)
}

// commitOf resolves a revision to a commit; "" is HEAD.
func (e *embed) commitOf(ref string) (*object.Commit, error) {
	if ref == "" {
		ref = "HEAD"
	}
	if err := e.fitRevision(ref); err != nil {
		return nil, err
	}
	hash, err := e.git.ResolveRevision(plumbing.Revision(ref))
	if err != nil {
		return nil, tools.Errorf(tools.NotFound, "there is no commit %s: %v; see git.branch or git.log", ref, err).With(tools.Details{Param: "ref"})
	}
	c, err := e.git.CommitObject(*hash)
	if err != nil {
		return nil, e.refuse("reading commit " + ref + ": " + err.Error())
	}
	return c, nil
}

var (
	plainRevision = tools.Pattern(`^(@|[^-@^~:{}\s*?\[\\][^@^~:{}\s*?\[\\]*)([~^][0-9]*)*$`)
	abbreviated   = tools.Pattern(`^([0-9a-f]{4,39})(?:[~^].*)?$`)
)

// fitRevision refuses what go-git takes for something else than git does: a name with its reflog or upstream (@{…}), a
// type (^{…}), a search (:/…), and a short hash that is also a ref, or short for several objects.
func (e *embed) fitRevision(ref string) error {
	if !plainRevision().MatchString(ref) {
		return unsupported("the revision " + ref)
	}
	m := abbreviated().FindStringSubmatch(ref)
	if m == nil {
		return nil
	}
	for _, full := range plumbing.RefRevParseRules {
		if _, err := e.git.Reference(plumbing.ReferenceName(fmt.Sprintf(full, m[1])), false); err == nil {
			return e.refuse(m[1] + " is a ref, and may be a hash too")
		}
	}
	store, ok := e.git.Storer.(*filesystem.Storage)
	if !ok {
		return e.refuse(m[1] + " may be short for several objects")
	}
	prefix, err := hex.DecodeString(m[1][:len(m[1])/2*2])
	if err != nil {
		return e.refuse(m[1] + ": " + err.Error())
	}
	hashes, err := store.HashesWithPrefix(prefix)
	if err != nil {
		return e.refuse("looking for " + m[1] + ": " + err.Error())
	}
	found := map[plumbing.Hash]bool{}
	for _, h := range hashes {
		if strings.HasPrefix(h.String(), m[1]) {
			found[h] = true
		}
	}
	if len(found) > 1 {
		return e.refuse(m[1] + " is short for several objects")
	}
	return nil
}

// noCommits reports whether HEAD is a branch without a commit. A ref that cannot be read is an error.
func (e *embed) noCommits() (bool, error) {
	_, err := e.git.Head()
	switch {
	case err == nil:
		return false, nil
	case !errors.Is(err, plumbing.ErrReferenceNotFound):
		return false, e.refuse("reading HEAD: " + err.Error())
	}
	if _, err := e.roots.Lstat(e.common.Join("refs/heads/" + e.branchName())); err == nil {
		return false, e.refuse("refs/heads/" + e.branchName() + " cannot be read")
	}
	return true, nil
}

// trees gives the changes between two commits; from nil is the empty tree.
func (e *embed) trees(ctx context.Context, from, to *object.Commit) ([]delta, error) {
	var a *object.Tree
	var err error
	if from != nil {
		if a, err = from.Tree(); err != nil {
			return nil, e.refuse("reading a tree: " + err.Error())
		}
	}
	b, err := to.Tree()
	if err != nil {
		return nil, e.refuse("reading a tree: " + err.Error())
	}
	changes, err := object.DiffTreeWithOptions(ctx, a, b, &object.DiffTreeOptions{DetectRenames: true, RenameScore: 50, RenameLimit: 1000})
	if err != nil {
		return nil, e.refuse("comparing trees: " + err.Error())
	}
	var list []delta
	for _, c := range changes {
		var d delta
		if c.From.Name != "" {
			d.old = &side{name: c.From.Name, mode: c.From.TreeEntry.Mode, hash: c.From.TreeEntry.Hash.String()}
		}
		if c.To.Name != "" {
			d.new = &side{name: c.To.Name, mode: c.To.TreeEntry.Mode, hash: c.To.TreeEntry.Hash.String()}
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b delta) int { return strings.Compare(a.name(), b.name()) })
	return list, nil
}

// deltaResult writes the changes as git would and answers with a page of them.
func (e *embed) deltaResult(list []delta, files []string, in page, preamble string) (*tools.Result, error) {
	if err := e.fitForPatch(list, files); err != nil {
		return nil, err
	}
	p := &patchReader{first: in.Offset, limit: tools.Limit(in.MaxChars)}
	pr, pw := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- p.read(pr) }()
	var err error
	for _, d := range list {
		if !under(d.name(), files) {
			continue
		}
		var text string
		if text, err = e.patch(d); err != nil {
			break
		}
		if _, err = io.WriteString(pw, text); err != nil {
			break
		}
	}
	pw.Close()
	if rerr := <-done; err != nil || rerr != nil {
		return nil, errors.Join(err, rerr)
	}
	res := e.diffResult(p, in, preamble)
	d := res.Data.(diffData)
	d.Backend = backendName
	res.Data = d
	return res, nil
}

// fitForPatch refuses attributes that change how a file is shown, and tells of renames.
func (e *embed) fitForPatch(list []delta, files []string) error {
	if _, err := e.roots.Lstat(e.common.Join("info/attributes")); err == nil {
		return e.refuse("the repository has info/attributes")
	}
	looked, gone, come := map[string]bool{}, false, false
	for _, d := range list {
		if !under(d.name(), files) {
			continue
		}
		gone, come = gone || d.status() == deleted, come || d.status() == added
		for dir := d.name(); dir != "."; {
			if dir = path.Dir(dir); looked[dir] {
				break
			}
			looked[dir] = true
			if err := e.fitAttributes(path.Join(dir, ".gitattributes")); err != nil {
				return err
			}
		}
	}
	if gone && come {
		e.c.Warn("the embedded git shows renames as a deletion and an addition")
	}
	return nil
}

// patch is the text of one change. A change of type is a deletion and an addition, as git has it.
func (e *embed) patch(d delta) (string, error) {
	if d.status() == typeChanged {
		gone, err := e.patch(delta{old: d.old})
		if err != nil {
			return "", err
		}
		come, err := e.patch(delta{new: d.new})
		return gone + come, err
	}
	var b strings.Builder
	quoted := func(prefix, name string) string {
		if strings.ContainsFunc(name, func(c rune) bool { return c < 0x20 || c == 0x7f || c == '"' || c == '\\' }) {
			return quote(prefix+name, false)
		}
		return prefix + name
	}
	a, z := quoted("a/", d.name()), quoted("b/", d.name())
	if d.old != nil {
		a = quoted("a/", d.old.name)
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", a, z)
	before, err := e.bytes(d.old)
	if err != nil {
		return "", err
	}
	after, err := e.bytes(d.new)
	if err != nil {
		return "", err
	}
	old, now := "0000000", "0000000"
	switch {
	case d.old == nil:
		fmt.Fprintf(&b, "new file mode %o\n", d.new.mode)
		a = "/dev/null"
	case d.new == nil:
		fmt.Fprintf(&b, "deleted file mode %o\n", d.old.mode)
		z = "/dev/null"
	case d.old.mode != d.new.mode:
		fmt.Fprintf(&b, "old mode %o\nnew mode %o\n", d.old.mode, d.new.mode)
	}
	if d.status() == renamed {
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", quoted("", d.old.name), quoted("", d.new.name))
	}
	if bytes.Equal(before, after) && d.old != nil && d.new != nil {
		return b.String(), nil
	}
	if d.old != nil {
		old = d.old.hash[:7]
	}
	if d.new != nil {
		now = d.new.hash[:7]
	}
	fmt.Fprintf(&b, "index %s..%s", old, now)
	if d.old != nil && d.new != nil && d.old.mode == d.new.mode {
		fmt.Fprintf(&b, " %o", d.new.mode)
	}
	b.WriteByte('\n')
	if isBinary(before) || isBinary(after) {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", a, z)
		return b.String(), nil
	}
	b.WriteString(diff.Unified(a, z, string(before), string(after)))
	return b.String(), nil
}

// isBinary judges content as git does: a NUL in its first 8,000 bytes.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }

func (e *embed) bytes(s *side) ([]byte, error) {
	switch {
	case s == nil:
		return nil, nil
	case s.mode == filemode.Submodule:
		return []byte("Subproject commit " + s.hash + "\n"), nil
	case s.data != nil || s.hash == "":
		return s.data, nil
	}
	return e.content(s.hash)
}

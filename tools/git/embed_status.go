package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

func hashOf(s string) plumbing.Hash { return plumbing.NewHash(s) }

// side is one side of a change: a file in a tree, in the index or in the work tree. A nil side is not there.
type side struct {
	name string
	mode filemode.FileMode
	hash string // "" for a file of the work tree that was not hashed
	data []byte // content, when it is at hand
}

// delta is a changed file.
type delta struct{ old, new *side }

func (d delta) name() string {
	if d.new != nil {
		return d.new.name
	}
	return d.old.name
}

func (d delta) status() string {
	switch {
	case d.old == nil:
		return added
	case d.new == nil:
		return deleted
	case d.old.name != d.new.name:
		return renamed
	case kind(d.old.mode) != kind(d.new.mode):
		return typeChanged
	}
	return modified
}

// kind is what a mode is apart from its permission.
func kind(m filemode.FileMode) filemode.FileMode {
	if m == filemode.Executable || m == filemode.Deprecated {
		return filemode.Regular
	}
	return m
}

// headTree is the tree of HEAD's commit as a flat list; nil before the first commit.
func (e *embed) headTree(ctx context.Context) (map[string]*side, error) {
	if unborn, err := e.noCommits(); unborn || err != nil {
		return nil, err
	}
	head, err := e.git.Head()
	if err != nil {
		return nil, e.refuse("reading HEAD: " + err.Error())
	}
	commit, err := e.git.CommitObject(head.Hash())
	if err != nil {
		return nil, e.refuse("reading HEAD: " + err.Error())
	}
	root, err := commit.Tree()
	if err != nil {
		return nil, e.refuse("reading the tree of HEAD: " + err.Error())
	}
	files := map[string]*side{}
	walker := object.NewTreeWalker(root, true, nil)
	defer walker.Close()
	for {
		name, entry, err := walker.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, e.refuse("reading the tree of HEAD: " + err.Error())
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if entry.Mode != filemode.Dir {
			files[name] = &side{name: name, mode: entry.Mode, hash: entry.Hash.String()}
		}
	}
}

// staged compares HEAD with the index. Renames stand as a deletion and an addition.
func (e *embed) staged(ctx context.Context, idx *index.Index) ([]delta, error) {
	head, err := e.headTree(ctx)
	if err != nil {
		return nil, err
	}
	var list []delta
	for _, en := range idx.Entries {
		now := &side{name: en.Name, mode: en.Mode, hash: en.Hash.String()}
		was := head[en.Name]
		if was == nil || was.hash != now.hash || was.mode != now.mode {
			list = append(list, delta{was, now})
		}
		delete(head, en.Name)
	}
	for _, was := range head {
		list = append(list, delta{old: was})
	}
	slices.SortFunc(list, func(a, b delta) int { return strings.Compare(a.name(), b.name()) })
	return list, nil
}

// unstaged compares the index with the work tree. Only files whose stat differs, or that changed about when the
// index was written, are read.
func (e *embed) unstaged(ctx context.Context, idx *index.Index) ([]delta, error) {
	written := idx.ModTime
	if fi, err := e.roots.Lstat(e.gitDir.Join("index")); err == nil {
		written = fi.ModTime()
	}
	var list []delta
	for _, en := range idx.Entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if en.Mode == filemode.Submodule {
			continue
		}
		was := &side{name: en.Name, mode: en.Mode, hash: en.Hash.String()}
		p := e.top.Join(en.Name)
		fi, err := e.roots.Lstat(p)
		if err != nil || fi.IsDir() || e.throughLink(en.Name) {
			list = append(list, delta{old: was})
			continue
		}
		mode := filemode.Regular
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			mode = filemode.Symlink
		case !fi.Mode().IsRegular():
			list = append(list, delta{old: was})
			continue
		case fi.Mode()&0o100 != 0:
			mode = filemode.Executable
		}
		same := mode == en.Mode || en.Mode == filemode.Deprecated && mode == filemode.Regular
		quick := en.ModifiedAt.Equal(fi.ModTime()) && uint32(fi.Size()) == en.Size && fi.ModTime().Before(written)
		if same && quick {
			continue
		}
		data, err := e.workFile(en.Name, mode)
		if err != nil {
			return nil, err
		}
		now := &side{name: en.Name, mode: mode, data: data, hash: plumbing.ComputeHash(plumbing.BlobObject, data).String()}
		if !same || now.hash != was.hash {
			list = append(list, delta{was, now})
		}
	}
	return list, nil
}

// throughLink reports whether a folder of name is a link now, so that what lies behind is not the tracked file.
func (e *embed) throughLink(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if fi, err := e.roots.Lstat(e.top.Join(dir)); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// workFile reads a file, or the text of a link.
func (e *embed) workFile(name string, mode filemode.FileMode) ([]byte, error) {
	p := e.top.Join(name)
	if mode == filemode.Symlink {
		to, err := e.roots.Readlink(p)
		return []byte(to), err
	}
	f, err := e.roots.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if n, err := io.Copy(&b, io.LimitReader(f, maxOut+1)); err != nil {
		return nil, err
	} else if n > maxOut {
		return nil, errTooMuch
	}
	return b.Bytes(), nil
}

// untracked lists the files that are neither tracked nor ignored; a repository inside is one entry, "dir/".
func (e *embed) untracked(ctx context.Context, idx *index.Index) ([]string, error) {
	tracked := map[string]bool{}
	for _, en := range idx.Entries {
		tracked[en.Name] = true
	}
	root, base, err := e.roots.Sub(e.top)
	if err != nil {
		return nil, err
	}
	var (
		mu     sync.Mutex
		names  []string
		nested = map[string]bool{}
	)
	stats, err := tree.Walk(ctx, root, base, tree.Options{Git: true, Excludes: e.excludes()}, func(en *tree.Entry) error {
		name := en.Path()
		if base != "." && base != "" {
			name = strings.TrimPrefix(name, base+"/")
		}
		mu.Lock()
		defer mu.Unlock()
		if path.Base(name) == ".git" {
			if dir := path.Dir(name); dir != "." && (en.Type != tree.Dir || e.isGitDir(e.top.Join(name))) {
				nested[dir] = true
			}
			return fs.SkipDir
		}
		if en.Type != tree.Dir && en.Type != tree.Other && !tracked[name] {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if stats.Truncated || stats.SkippedTotal > 0 {
		e.c.Warn(fmt.Sprintf("some folders could not be read; the list of untracked files may be incomplete (%d skipped)", stats.SkippedTotal))
	}
	found := map[string]bool{}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if nested[dir] {
				name = dir + "/"
			}
		}
		if !tracked[strings.TrimSuffix(name, "/")] { // a submodule that is not checked out
			found[name] = true
		}
		if path.Base(name) == ".gitattributes" {
			if err := e.fitAttributes(name); err != nil {
				return nil, err
			}
		}
	}
	for dir := range nested {
		if !tracked[dir] && !slices.ContainsFunc(mapKeys(nested), func(up string) bool { return strings.HasPrefix(dir, up+"/") }) {
			found[dir+"/"] = true
		}
	}
	list := mapKeys(found)
	slices.Sort(list)
	return list, nil
}

func mapKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// under reports whether a name is one of files or lies below one; no files means all.
func under(name string, files []string) bool {
	if len(files) == 0 {
		return true
	}
	for _, f := range files {
		if f == wholeTree {
			return true
		}
		f = strings.TrimSuffix(strings.TrimPrefix(f, ":(top,literal)"), "/")
		if name == f || strings.TrimSuffix(name, "/") == f || strings.HasPrefix(name, f+"/") {
			return true
		}
	}
	return false
}

func (r *repo) goStatus(ctx context.Context, in statusIn, files []string) (*tools.Result, error) {
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	if in.All {
		return nil, unsupported("status with ignored files")
	}
	s, err := e.status(ctx, files)
	if err != nil {
		return nil, timedOut(err)
	}
	res := s.result(r, in.page)
	d := res.Data.(statusData)
	d.Backend = backendName
	res.Data = d
	return res, nil
}

func (e *embed) status(ctx context.Context, files []string) (*statusList, error) {
	idx, err := e.fitForFiles()
	if err != nil {
		return nil, err
	}
	staged, err := e.staged(ctx, idx)
	if err != nil {
		return nil, err
	}
	unstaged, err := e.unstaged(ctx, idx)
	if err != nil {
		return nil, err
	}
	untracked, err := e.untracked(ctx, idx)
	if err != nil {
		return nil, err
	}
	s := &statusList{}
	branch, detached := e.head()
	s.Branch, s.Detached, s.State = shown(branch), detached, e.state()
	if head, err := e.git.Head(); err == nil {
		s.Head = head.Hash().String()
	} else {
		s.Unborn = true
	}
	if err := e.tracking(s, branch); err != nil {
		return nil, err
	}
	xy := map[string]*[2]byte{}
	var order []string
	mark := func(name string, at int, c byte) {
		if xy[name] == nil {
			xy[name] = &[2]byte{' ', ' '}
			order = append(order, name)
		}
		xy[name][at] = c
	}
	gone, come := false, false
	for _, d := range staged {
		if under(d.name(), files) {
			s.Staged = append(s.Staged, entry{Path: shown(d.name()), Status: d.status()})
			mark(d.name(), 0, letter(d.status()))
			gone, come = gone || d.status() == deleted, come || d.status() == added
		}
	}
	if gone && come {
		e.c.Warn("the embedded git shows renames as a deletion and an addition")
	}
	for _, d := range unstaged {
		if under(d.name(), files) {
			s.Unstaged = append(s.Unstaged, entry{Path: shown(d.name()), Status: d.status()})
			mark(d.name(), 1, letter(d.status()))
		}
	}
	slices.Sort(order)
	for _, name := range order {
		s.note(string(xy[name][:]), name, "")
	}
	for _, name := range untracked {
		if under(name, files) {
			s.Untracked = append(s.Untracked, shown(name))
			s.note("??", name, "")
		}
	}
	s.Clean = len(s.Staged)+len(s.Unstaged)+len(s.Untracked) == 0
	return s, nil
}

func letter(status string) byte {
	switch status {
	case added:
		return 'A'
	case deleted:
		return 'D'
	case typeChanged:
		return 'T'
	case renamed:
		return 'R'
	}
	return 'M'
}

package launch

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Planted lists what children may have made, where nothing was when the launcher
// started, that programs of the user obey or run: protected paths, a commondir
// that leads git elsewhere, repositories that a git index newly names as
// submodules (git status runs what their config says) and those that are not
// called .git, as far as it is still there; and what they have changed that git
// obeys in the folders of package managers. It looks at the launchers in force
// and at those before them.
func (l *Launcher) Planted() []string {
	l.mu.Lock()
	out := slices.Collect(maps.Keys(l.planted))
	old := slices.Collect(maps.Keys(l.old))
	l.mu.Unlock()
	for _, in := range old {
		out = append(out, in.look()...)
	}
	for _, policy := range []Policy{Confined, Repository} {
		s := &l.slots[policy]
		if s.acquire(context.Background()) != nil {
			continue
		}
		if s.in != nil {
			out = append(out, s.in.look()...)
		}
		s.free()
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(path string) bool { return !exists(path) })
}

// keep remembers what a launcher has seen planted, since the next one begins with what is there.
func (l *Launcher) keep(in *instance) {
	found := in.look()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.planted == nil {
		l.planted = map[string]bool{}
	}
	for path := range l.planted {
		if !exists(path) {
			delete(l.planted, path)
		}
	}
	for _, path := range found {
		if len(l.planted) < maxPlanted {
			l.planted[path] = true
		}
	}
}

const maxPlanted = 1000

// look is planted for one caller at a time.
func (in *instance) look() []string {
	in.looking.Lock()
	defer in.looking.Unlock()
	return in.planted()
}

func (p *plan) planted() []string {
	if p.vacant == nil {
		p.vacant = &vacant{}
		for _, path := range p.missing {
			if p.inWritable(filepath.Dir(path)) {
				p.vacant.paths = append(p.vacant.paths, path)
			}
		}
	}
	out := slices.Clone(p.vacant.appeared())
	for _, w := range p.noGit {
		// A file leads git elsewhere; of a folder the parts are looked at.
		if git := filepath.Join(w, ".git"); isFile(git) {
			out = append(out, git)
		}
	}
	for i := range p.watched {
		out = append(out, p.watched[i].changed()...)
	}
	out = append(out, p.scout.look()...)
	for _, r := range p.repos {
		// A linked work tree made since the start is not covered; git itself
		// writes this one text.
		trees, _ := filepath.Glob(filepath.Join(r.dir, "worktrees", "*", "commondir"))
		for _, path := range trees[:min(len(trees), maxTrees)] {
			if data, err := os.ReadFile(path); err == nil && !slices.Contains(p.protect, path) && strings.TrimSpace(string(data)) != "../.." {
				out = append(out, path)
			}
		}
		out = append(out, r.newLinks()...)
	}
	return out
}

// repoState is what a repository of a writable folder was when the launcher started.
type repoState struct {
	tree  string // its work tree
	dir   string // the git folder
	index fileVersion
	links map[string]bool // paths that the index names as submodules
	fresh []string        // of those since, what has a repository
}

// fileVersion changes with what is in a file, or with the names in a folder. The time is the one that no program can set.
type fileVersion struct {
	size, sec, nsec int64
	ino             uint64
}

func versionOf(path string) (fileVersion, bool) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return fileVersion{}, false
	}
	return fileVersion{st.Size, int64(st.Ctim.Sec), int64(st.Ctim.Nsec), st.Ino}, true
}

func newRepoState(tree, dir string) *repoState {
	r := &repoState{tree: tree, dir: dir}
	r.index, _ = versionOf(filepath.Join(dir, "index"))
	r.links = map[string]bool{}
	for _, path := range gitlinks(filepath.Join(dir, "index")) {
		r.links[path] = true
	}
	return r
}

// newLinks reads the index only when it is another than before.
func (r *repoState) newLinks() []string {
	file := filepath.Join(r.dir, "index")
	v, ok := versionOf(file)
	if !ok || v == r.index {
		return r.fresh
	}
	r.index, r.fresh = v, nil
	for _, path := range gitlinks(file) {
		if git := filepath.Join(r.tree, path, ".git"); !r.links[path] && filepath.IsLocal(path) && exists(git) {
			r.fresh = append(r.fresh, git)
		}
	}
	return r.fresh
}

const (
	maxIndex = 64 << 20
	maxLinks = 1000
)

// gitlinks lists the submodules that an index of version 2, 3 or 4 names, as far
// as it can be read; of a SHA-256 repository it cannot.
func gitlinks(file string) []string {
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxIndex {
		return nil
	}
	b, err := os.ReadFile(file)
	if err != nil || len(b) < 12 || string(b[:4]) != "DIRC" {
		return nil
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	const gitlink, fixed, hash = 0o160000, 62, 20
	var out []string
	var name []byte
	for b = b[12:]; count > 0 && len(b) > fixed && len(out) < maxLinks; count-- {
		mode, head := binary.BigEndian.Uint32(b[24:]), fixed
		if flags := binary.BigEndian.Uint16(b[40+hash:]); version >= 3 && flags&0x4000 != 0 {
			head += 2
		}
		rest := b[min(head, len(b)):]
		if version == 4 {
			strip, n := uint64(0), 0
			for ; n < len(rest); n++ {
				strip = strip<<7 | uint64(rest[n]&0x7f)
				if rest[n]&0x80 == 0 {
					n++
					break
				}
				strip++
			}
			end := bytes.IndexByte(rest[n:], 0)
			if end < 0 || strip > uint64(len(name)) {
				return out
			}
			name = append(name[:uint64(len(name))-strip], rest[n:n+end]...)
			b = rest[n+end+1:]
		} else {
			end := bytes.IndexByte(rest, 0)
			if end < 0 {
				return out
			}
			name = append(name[:0], rest[:end]...)
			b = b[min((head+end+8)&^7, len(b)):]
		}
		if mode == gitlink {
			out = append(out, string(name))
		}
	}
	return out
}

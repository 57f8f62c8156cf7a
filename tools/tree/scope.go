package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// scoper reads the ignore files that come into force at a folder.
type scoper struct {
	root     *os.Root
	excludes *rules // the user's own, parsed once
	exN      int
	skip     func(path string, err error)
}

func newScoper(root *os.Root, o *Options, skip func(string, error)) *scoper {
	s := &scoper{root: root, skip: skip}
	if len(o.Excludes) > 0 && !o.NoIgnore {
		s.excludes, s.exN, _ = parseRules(o.Excludes[:min(len(o.Excludes), maxIgnoreBytes)], maxIgnoreRules)
	}
	return s
}

// top is the scope outside every repository: the user's own rules.
func (s *scoper) top(base int) *level { return push(nil, s.excludes, s.exN, base) }

func push(up *level, r *rules, n, base int) *level {
	if n == 0 {
		return up
	}
	if up != nil {
		n += up.n
	}
	return &level{rules: r, base: base, up: up, n: n}
}

// at gives the scope inside folder d, called rel, when up is in force around it.
// Only the files that the folder is known to hold are looked for.
func (s *scoper) at(d folder, rel string, up *level, hasIgnore, hasGit bool) *level {
	base := 0
	if rel != "" {
		base = len(rel) + 1
	}
	if hasGit {
		if text, isRepo := s.repository(d, rel); isRepo {
			up = s.add(s.top(base), text, path.Join(rel, ".git", "info", "exclude"), base)
		}
	}
	if hasIgnore {
		name := join(rel, ".gitignore")
		text, err := readSmall(d, ".gitignore")
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				s.skip(name, err)
			}
			return up
		}
		up = s.add(up, text, name, base)
	}
	return up
}

func (s *scoper) add(up *level, text []byte, name string, base int) *level {
	limit := maxIgnoreRules
	if up != nil {
		limit -= up.n
	}
	r, n, cut := parseRules(text, limit)
	if cut {
		s.skip(name, fmt.Errorf("more than %d ignore rules in force, the rest is not applied", maxIgnoreRules))
	}
	return push(up, r, n, base)
}

func readSmall(d folder, name string) ([]byte, error) {
	f, err := d.openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, nil, maxIgnoreBytes)
}

// repository tells whether .git in d makes d the top of a repository, and gives
// the text of its info/exclude.
func (s *scoper) repository(d folder, rel string) (exclude []byte, isRepo bool) {
	git, err := d.openDir(".git")
	if err != nil {
		text, err := readSmall(d, ".git")
		if err != nil || !bytes.HasPrefix(text, []byte("gitdir: ")) {
			return nil, false
		}
		return s.linked(rel, strings.TrimSpace(string(text[8:]))), true
	}
	defer git.close()
	if _, err := git.lstat("HEAD"); err != nil {
		return nil, false
	}
	info, err := git.openDir("info")
	if err != nil {
		return nil, true
	}
	defer info.close()
	exclude, err = readSmall(info, "exclude")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.skip(join(rel, ".git/info/exclude"), err)
	}
	return exclude, true
}

// linked reads info/exclude for a worktree or submodule whose .git file names
// gitdir, as long as all of it lies under the root.
func (s *scoper) linked(rel, gitdir string) []byte {
	dir, ok := s.inside(rel, gitdir)
	if !ok {
		return nil
	}
	if text, err := s.readUnder(dir + "/commondir"); err == nil {
		if dir, ok = s.inside(dir, strings.TrimSpace(string(text))); !ok {
			return nil
		}
	}
	text, err := s.readUnder(dir + "/info/exclude")
	if err != nil {
		return nil
	}
	return text
}

// inside turns a path found in folder rel into one relative to the root.
func (s *scoper) inside(rel, p string) (string, bool) {
	if filepath.IsAbs(p) {
		top, err := filepath.Abs(s.root.Name())
		if err != nil {
			return "", false
		}
		if p, err = filepath.Rel(top, p); err != nil {
			return "", false
		}
		rel = ""
	}
	p = path.Join(rel, filepath.ToSlash(p))
	return p, filepath.IsLocal(filepath.FromSlash(p))
}

func (s *scoper) readUnder(name string) ([]byte, error) {
	f, err := s.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		f.Close()
		return nil, ErrNotRegular
	}
	defer f.Close()
	return readAll(osFile{f, fi.Size()}, nil, maxIgnoreBytes)
}

var (
	errLinkOut = errors.New("a link on the way leads out of the root or to itself")
	errOutside = errors.New("is not a path inside the root")
)

// place is the start of a walk: an opened folder and the rules around it.
type place struct {
	dir     folder
	rel     string // real path: links on the way are resolved
	scope   *level // in force around the folder, without its own ignore files
	ignored bool   // the folder is excluded: scope has no rule from above it
}

// descend opens the folder name below the root one component at a time, taking up
// the ignore rules on the way. Relative links that stay inside are followed.
func (s *scoper) descend(open opener, name string, noIgnore bool) (place, error) {
	if name == "" {
		name = "."
	}
	if !filepath.IsLocal(name) {
		return place{}, &fs.PathError{Op: "open", Path: name, Err: errOutside}
	}
	at, err := open(s.root)
	if err != nil {
		return place{}, err
	}
	type step struct {
		dir  folder
		name string
	}
	steps := []step{{at, ""}}
	closeAll := func(keep int) {
		for _, st := range steps[:len(steps)-keep] {
			st.dir.close()
		}
	}
	todo := strings.Split(path.Clean(filepath.ToSlash(name)), "/")
	for links := 0; len(todo) > 0; {
		c := todo[0]
		todo = todo[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			if len(steps) == 1 {
				closeAll(0)
				return place{}, &fs.PathError{Op: "open", Path: name, Err: errLinkOut}
			}
			steps[len(steps)-1].dir.close()
			steps = steps[:len(steps)-1]
			continue
		}
		top := steps[len(steps)-1].dir
		child, err := top.openDir(c)
		if err != nil {
			target, linkErr := top.readlink(c)
			if linkErr != nil {
				closeAll(0)
				return place{}, &fs.PathError{Op: "open", Path: name, Err: err}
			}
			target = filepath.ToSlash(target)
			if links++; links > maxLinks || path.IsAbs(target) || filepath.IsAbs(target) {
				closeAll(0)
				return place{}, &fs.PathError{Op: "open", Path: name, Err: errLinkOut}
			}
			todo = append(strings.Split(target, "/"), todo...)
			continue
		}
		steps = append(steps, step{child, c})
		if len(steps) > maxDepth {
			closeAll(0)
			return place{}, &fs.PathError{Op: "open", Path: name, Err: errors.New("too deep")}
		}
	}
	defer closeAll(1)
	p := place{dir: steps[len(steps)-1].dir}
	if !noIgnore {
		p.scope = s.top(0)
	}
	var stop atomic.Bool
	for i := 1; i < len(steps); i++ {
		if !noIgnore {
			p.scope = s.at(steps[i-1].dir, p.rel, p.scope, true, true)
		}
		nameAt := 0
		if p.rel != "" {
			nameAt = len(p.rel) + 1
		}
		p.rel = join(p.rel, steps[i].name)
		if p.scope.excludes([]byte(p.rel), nameAt, true, &stop) {
			p.scope, p.ignored = nil, true
		}
	}
	return p, nil
}

// skips collects what was left out, from all workers.
type skips struct {
	mu    sync.Mutex
	list  []Skip
	total int
}

func (s *skips) add(path, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	s.list = append(s.list, Skip{path, reason})
	if len(s.list) >= 2*maxSkips {
		s.trim()
	}
}

func (s *skips) addError(path string, err error) { s.add(path, reason(err)) }

// reason is the cause alone, without the path that a Skip has anyway.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

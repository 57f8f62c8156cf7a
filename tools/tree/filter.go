package tree

import "io/fs"

// chosen applies ignore rules and names, in place, and brings n's own ignore files into force first. The start folder of a
// walk may ignore itself (the .gitignore of every venv is "*"): then, as with one that is ignored from above, its own
// content is visited. At the top of a repository the rules hold as they do for git.
func (w *worker) chosen(n *node, list []dirent) []dirent {
	up := n.scope
	hasIgnore, hasGit := false, false
	for i := range list {
		switch list[i].name {
		case ".gitignore":
			hasIgnore = true
		case ".git":
			hasGit = true
		}
	}
	if w.o.NoIgnore || !hasIgnore && !hasGit {
		return w.filter(n, list)
	}
	n.scope = w.scoper.at(n.dir, n.rel, up, hasIgnore, hasGit)
	if n.depth == 0 && !hasGit && len(list) > 1 && w.allIgnored(n, list) {
		n.scope, w.start.ignored = up, true
	}
	return w.filter(n, list)
}

// allIgnored reports whether the rules leave nothing of a folder but its ignore file.
func (w *worker) allIgnored(n *node, list []dirent) bool {
	prefix := ""
	if n.rel != "" {
		prefix = n.rel + "/"
	}
	for _, e := range list {
		if e.name != ".gitignore" && !n.scope.excludes([]byte(prefix+e.name), len(prefix), e.typ == Dir, &w.stop) {
			return false
		}
	}
	return true
}

// filter applies the ignore rules in force and names, in place.
func (w *worker) filter(n *node, list []dirent) []dirent {
	w.path = append(w.path[:0], n.rel...)
	if n.rel != "" {
		w.path = append(w.path, '/')
	}
	nameAt := len(w.path)
	keep := list[:0]
	for _, e := range list {
		if w.stop.Load() {
			return nil
		}
		if e.name == ".git" && !w.o.Git || w.o.SkipHidden && e.name[0] == '.' {
			continue
		}
		w.path = append(w.path[:nameAt], e.name...)
		if e.typ == 0 {
			info, err := n.dir.lstat(e.name)
			if err != nil {
				w.skips.addError(string(w.path), err)
				continue
			}
			e.typ = typeOf(info.Mode)
		}
		if w.o.OwnOnly && e.typ == Dir && foreign[e.name] {
			continue
		}
		if n.scope.excludes(w.path, nameAt, e.typ == Dir, &w.stop) {
			w.ignored.Add(1)
			continue
		}
		if e.typ == Dir && (w.globs.excludes(w.path[w.cut:], true) || !w.globs.enters(w.path[w.cut:])) {
			continue
		}
		if w.entries.Add(1) > int64(w.o.MaxEntries) {
			w.entries.Add(-1)
			w.full.Store(true)
			w.fail(fs.SkipAll)
			break
		}
		keep = append(keep, e)
	}
	return keep
}

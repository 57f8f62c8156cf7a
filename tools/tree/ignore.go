package tree

import (
	"bytes"
	"strings"
	"sync/atomic"
)

// Ignore rules as git applies them, byte for byte, with core.ignorecase false.
// Strongest first: the .gitignore of the entry's folder, those above it up to the
// repository's top, its info/exclude, the user's core.excludesFile; in a file the
// last matching line. What is below an excluded folder cannot be re-included.
//
// Differences from git: there is no index, so a tracked file that a rule matches
// is left out; a nested repository is walked (git shows one line for it) under its
// own rules alone, and so is a submodule; .gitignore files count outside a
// repository too; patterns above 4,096 bytes are dropped.

// rules is one ignore file, indexed so that most names cost a map look-up.
type rules struct {
	names map[string]found // a literal name, at any depth
	exts  map[string]found // "*.ext"
	paths map[string]found // a literal path
	globs []rule           // the others, the last line first
	neg   []bool           // by line
	slow  bool             // some rule looks at the path, not only the name
}

// found holds the last line that applies, plus 1: to files, and to folders.
type found struct{ file, dir int32 }

func (f found) line(isDir bool) int32 {
	if isDir {
		return f.dir
	}
	return f.file
}

type rule struct {
	glob
	prefix  string // literal beginning, already taken off the glob
	suffix  string // "*suffix" alone; no glob
	line    int32  // plus 1
	dirOnly bool
	name    bool // compared with the name alone
}

// level is an ignore file in force at a folder and below.
type level struct {
	*rules
	base int    // where paths relative to its folder begin
	up   *level // weaker
	n    int    // rules in force, this and up
}

type verdict int8

const (
	undecided verdict = iota
	excluded
	included
)

// parseRules reads an ignore file; at most limit rules, and cut tells of more.
func parseRules(text []byte, limit int) (r *rules, n int, cut bool) {
	r = &rules{}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if i := bytes.IndexByte(line, 0); i >= 0 {
			line = line[:i]
		}
		if len(line) == 0 || line[0] == '#' || len(line) > maxPatternBytes {
			continue
		}
		p := trimSpaces(string(line))
		if p == "" {
			continue
		}
		if len(r.neg) == limit {
			return r, len(r.neg), true
		}
		r.add(p)
	}
	for i, j := 0, len(r.globs)-1; i < j; i, j = i+1, j-1 {
		r.globs[i], r.globs[j] = r.globs[j], r.globs[i]
	}
	return r, len(r.neg), false
}

// trimSpaces takes off final spaces that no backslash protects; not tabs.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}

func (r *rules) add(p string) {
	p, neg := strings.CutPrefix(p, "!")
	p, dirOnly := strings.CutSuffix(p, "/")
	r.neg = append(r.neg, neg)
	ru := rule{line: int32(len(r.neg)), dirOnly: dirOnly, name: !strings.Contains(p, "/")}
	if !ru.name {
		p = strings.TrimPrefix(p, "/")
	}
	if p == "" {
		return
	}
	// git compares the part in front of the first special character by itself, and
	// what is left is a pattern of its own: "a**" in front of a slash or the end
	// then counts as a whole segment. The same here.
	ru.prefix = literalPrefix(p)
	p = p[len(ru.prefix):]
	g, ok := compileGlob(p, false)
	if !ok {
		return
	}
	if lit, ok := literalOf(g.toks); ok {
		lit = ru.prefix + lit
		if ru.name {
			put(&r.names, lit, ru)
		} else {
			put(&r.paths, lit, ru)
			r.slow = true
		}
		return
	}
	if ru.name && ru.prefix == "" && g.toks[0].kind == star {
		if lit, ok := literalOf(g.toks[1:]); ok && lit != "" {
			if lit[0] == '.' && strings.LastIndexByte(lit, '.') == 0 {
				put(&r.exts, lit, ru)
				return
			}
			ru.suffix = lit
			r.globs = append(r.globs, ru)
			return
		}
	}
	ru.glob = g
	r.slow = r.slow || !ru.name
	r.globs = append(r.globs, ru)
}

func literalOf(toks []token) (string, bool) {
	b := make([]byte, len(toks))
	for i, t := range toks {
		if t.kind != literal {
			return "", false
		}
		b[i] = t.c
	}
	return string(b), true
}

func put(m *map[string]found, key string, ru rule) {
	if *m == nil {
		*m = map[string]found{}
	}
	f := (*m)[key]
	f.dir = ru.line
	if !ru.dirOnly {
		f.file = ru.line
	}
	(*m)[key] = f
}

// match judges an entry by this file alone. path is relative to the file's folder.
func (r *rules) match(path, name []byte, isDir bool, stop *atomic.Bool) verdict {
	var best int32
	if r.names != nil {
		best = r.names[string(name)].line(isDir)
	}
	if r.exts != nil {
		if i := bytes.LastIndexByte(name, '.'); i >= 0 {
			best = max(best, r.exts[string(name[i:])].line(isDir))
		}
	}
	if r.paths != nil {
		best = max(best, r.paths[string(path)].line(isDir))
	}
	for i := range r.globs {
		ru := &r.globs[i]
		if ru.line < best || i&63 == 63 && stop.Load() {
			break
		}
		if ru.dirOnly && !isDir {
			continue
		}
		subject := path
		if ru.name {
			subject = name
		}
		if ru.matches(subject) {
			best = ru.line
			break
		}
	}
	switch {
	case best == 0:
		return undecided
	case r.neg[best-1]:
		return included
	}
	return excluded
}

func (ru *rule) matches(s []byte) bool {
	if ru.suffix != "" {
		return len(s) >= len(ru.suffix) && string(s[len(s)-len(ru.suffix):]) == ru.suffix
	}
	n := len(ru.prefix)
	return len(s) >= n && string(s[:n]) == ru.prefix && ru.glob.match(s[n:])
}

// excludes judges a path (relative to the root) whose name begins at nameAt.
func (l *level) excludes(path []byte, nameAt int, isDir bool, stop *atomic.Bool) bool {
	for ; l != nil; l = l.up {
		switch l.match(path[l.base:], path[nameAt:], isDir, stop) {
		case excluded:
			return true
		case included:
			return false
		}
	}
	return false
}

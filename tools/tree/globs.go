package tree

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	maxGlobs      = 100
	maxBraceForms = 256
)

// Globs chooses entries by name. A glob without a slash is compared with the name
// at any depth, one with a slash with the path below the start folder; * and ?
// stop at a slash, ** as a segment does not, {a,b} gives alternatives, [a-z] a
// class, \ takes the next character as it is. "dir/" means everything below dir.
// A glob that begins with "!" excludes, folders with all they hold, whatever else
// matches. Without a glob that includes, everything else is included.
type Globs struct {
	include, exclude []userGlob
}

type userGlob struct {
	glob
	name    bool   // compared with the name alone
	dirOnly bool   // exclude: folders only
	prefix  string // literal folders in front, with a final slash
}

// CompileGlobs reads globs; a bad one gives an error that wraps ErrGlob.
func CompileGlobs(patterns []string) (*Globs, error) {
	if len(patterns) > maxGlobs {
		return nil, fmt.Errorf("%w: more than %d globs", ErrGlob, maxGlobs)
	}
	g := &Globs{}
	for _, p := range patterns {
		body, exclude := strings.CutPrefix(p, "!")
		if len(body) > maxPatternBytes {
			return nil, fmt.Errorf("%w: longer than %d bytes", ErrGlob, maxPatternBytes)
		}
		forms, err := expandBraces(body)
		if err != nil {
			return nil, globError(p, err.Error())
		}
		for _, form := range forms {
			u, err := compileUserGlob(form, exclude)
			if err != nil {
				return nil, globError(p, err.Error())
			}
			if exclude {
				g.exclude = append(g.exclude, u)
			} else {
				g.include = append(g.include, u)
			}
		}
	}
	return g, nil
}

func compileUserGlob(form string, exclude bool) (u userGlob, err error) {
	form = strings.TrimPrefix(form, "./")
	if strings.HasSuffix(form, "/") {
		form += "**"
	}
	if form == "" {
		return u, fmt.Errorf("it is empty")
	}
	if exclude {
		// All of a folder: leave out the folder, so that it is not opened.
		if f, ok := strings.CutSuffix(form, "/**"); ok && strings.Trim(f, "*/") != "" {
			form, u.dirOnly = f, true
		}
	}
	u.name = !strings.Contains(form, "/") && !u.dirOnly
	form = strings.TrimPrefix(form, "/")
	if i := strings.LastIndexByte(literalPrefix(form), '/'); i >= 0 && !u.name {
		u.prefix = form[:i+1]
	}
	g, ok := compileGlob(form, true)
	if !ok {
		return u, fmt.Errorf("a class is not closed or a backslash ends it")
	}
	u.glob = g
	return u, nil
}

func literalPrefix(p string) string {
	if i := strings.IndexAny(p, `*?[\`); i >= 0 {
		return p[:i]
	}
	return p
}

// Match tells whether a file of this path below the start folder is chosen.
func (g *Globs) Match(path string) bool { return g.match([]byte(path), false) }

func (g *Globs) match(path []byte, isDir bool) bool {
	return !g.excludes(path, isDir) && (len(g.include) == 0 || anyMatches(g.include, path, isDir))
}

func (g *Globs) excludes(path []byte, isDir bool) bool {
	return len(g.exclude) > 0 && anyMatches(g.exclude, path, isDir)
}

func anyMatches(list []userGlob, path []byte, isDir bool) bool {
	name := path[bytes.LastIndexByte(path, '/')+1:]
	for i := range list {
		u := &list[i]
		if u.dirOnly && !isDir {
			continue
		}
		if u.name && u.match(name) || !u.name && u.match(path) {
			return true
		}
	}
	return false
}

// enters tells whether something below the folder could be included.
func (g *Globs) enters(path []byte) bool {
	if len(g.include) == 0 {
		return true
	}
	for i := range g.include {
		p := g.include[i].prefix
		n := min(len(p), len(path))
		if p[:n] == string(path[:n]) && (n == len(path) && (n == len(p) || p[n] == '/') || n == len(p)) {
			return true
		}
	}
	return false
}

// expandBraces turns {a,b} into alternatives, nested ones too.
func expandBraces(p string) ([]string, error) {
	open, comma, end, err := findBraces(p)
	if err != nil || open < 0 {
		return []string{p}, err
	}
	var out []string
	tails, err := expandBraces(p[end+1:])
	if err != nil {
		return nil, err
	}
	from := open + 1
	for _, to := range append(comma, end) {
		heads, err := expandBraces(p[from:to])
		if err != nil {
			return nil, err
		}
		for _, h := range heads {
			for _, t := range tails {
				if out = append(out, p[:open]+h+t); len(out) > maxBraceForms {
					return nil, fmt.Errorf("its braces give more than %d alternatives", maxBraceForms)
				}
			}
		}
		from = to + 1
	}
	return out, nil
}

// findBraces finds the first brace group: its ends and its own commas.
func findBraces(p string) (open int, commas []int, end int, err error) {
	open, depth := -1, 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if _, next, ok := parseClass(p, i+1); ok {
				i = next - 1
			}
		case '{':
			if depth == 0 {
				open = i
			}
			depth++
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 {
				return open, commas, i, nil
			}
		}
	}
	if depth > 0 {
		return 0, nil, 0, fmt.Errorf("a brace is not closed")
	}
	return -1, nil, 0, nil
}

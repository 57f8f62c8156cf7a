package patch

import (
	"io/fs"
	"strconv"
	"strings"
)

const devNull = "/dev/null"

// parseUnified reads a unified diff of one or more files. Text between them (mail headers, "Index:" lines) is passed.
func parseUnified(lines []string, path string) ([]File, error) {
	p := &unified{lines: lines}
	var files []File
	for p.at < len(lines) {
		l := lines[p.at]
		switch {
		case strings.HasPrefix(l, "diff --git "):
			f, err := p.git()
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		case p.header(p.at):
			f, err := p.plain(gitHead{})
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		case strings.HasPrefix(l, "@@"):
			if path == "" || len(files) > 0 {
				return nil, syntax(p.at+1, "a hunk without a file: put \"--- NAME\" and \"+++ NAME\" lines before it, or give path")
			}
			f := File{Op: Update, Path: path, Line: p.at + 1}
			if err := p.hunks(&f); err != nil {
				return nil, err
			}
			files = append(files, f)
		case strings.HasPrefix(l, "+") && len(files) > 0 && !strings.HasPrefix(l, "+++ "):
			return nil, syntax(p.at+1, "a line that belongs to no hunk: %q; a line of a hunk begins with a space, + or -", clip(l))
		default:
			p.at++
		}
	}
	if len(files) == 0 {
		return nil, syntax(1, "no file and no hunk found: begin with %q, or give a unified diff with ---, +++ and @@ lines", beginMark)
	}
	return files, nil
}

type unified struct {
	lines []string
	at    int
}

// header reports whether lines i and i+1 are the names of a file.
func (p *unified) header(i int) bool {
	return i+1 < len(p.lines) && strings.HasPrefix(p.lines[i], "--- ") && strings.HasPrefix(p.lines[i+1], "+++ ")
}

// gitHead is what the lines between "diff --git" and "---" say.
type gitHead struct {
	given          bool
	old, new       string // as in the first line, with their prefixes; "" when that cannot be told
	from, to       string // of a rename or copy
	added, deleted bool
	copied         bool
	mode           fs.FileMode
}

func (p *unified) git() (File, error) {
	line := p.at + 1
	g := gitHead{given: true}
	g.old, g.new = gitNames(strings.TrimPrefix(p.lines[p.at], "diff --git "))
	for p.at++; p.at < len(p.lines); p.at++ {
		l := p.lines[p.at]
		word := func(head string) (rest string, ok bool) { return strings.CutPrefix(l, head) }
		if p.header(p.at) {
			return p.plain(g)
		}
		if rest, ok := word("new file mode "); ok {
			g.added = true
			if err := g.setMode(rest, p.at+1); err != nil {
				return File{}, err
			}
		} else if rest, ok := word("deleted file mode "); ok {
			g.deleted = true
			if err := g.setMode(rest, p.at+1); err != nil {
				return File{}, err
			}
			g.mode = 0
		} else if rest, ok := word("new mode "); ok {
			if err := g.setMode(rest, p.at+1); err != nil {
				return File{}, err
			}
		} else if rest, ok := word("rename from "); ok {
			g.from = name(rest)
		} else if rest, ok := word("rename to "); ok {
			g.to = name(rest)
		} else if rest, ok := word("copy from "); ok {
			g.from, g.copied = name(rest), true
		} else if rest, ok := word("copy to "); ok {
			g.to = name(rest)
		} else if strings.HasPrefix(l, "GIT binary patch") || strings.HasPrefix(l, "Binary files ") {
			return File{}, syntax(p.at+1, "binary patches cannot be applied: write the file with encoding base64")
		} else if strings.HasPrefix(l, "diff ") || strings.HasPrefix(l, "@@") {
			break
		}
	}
	return p.bare(g, line)
}

func (g *gitHead) setMode(text string, line int) error {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 8, 32)
	if err != nil || n>>12 != 0o10 {
		return syntax(line, "only regular files can be patched, got mode %s", clip(text))
	}
	g.mode = fs.FileMode(n & 0o777)
	return nil
}

// bare makes the File of a git header without names and hunks: a rename, a copy, an empty file, a mode.
func (p *unified) bare(g gitHead, line int) (File, error) {
	f := File{Line: line, Mode: g.mode}
	old, fresh := stripPair(g.old, g.new)
	switch {
	case g.from != "" && g.to != "":
		f.Op, f.Path, f.To = Update, g.from, g.to
		if g.copied {
			f.Op = Copy
		}
	case g.added:
		f.Op, f.Path = Add, fresh
	case g.deleted:
		f.Op, f.Path = Delete, old
	default:
		f.Op, f.Path = Update, fresh
		if f.Mode == 0 {
			return f, syntax(line, "the file has no hunks and no other change")
		}
	}
	if f.Path == "" {
		return f, syntax(line, "the name of the file cannot be told from the \"diff --git\" line")
	}
	return f, nil
}

// plain reads the two name lines and the hunks behind them.
func (p *unified) plain(g gitHead) (File, error) {
	f := File{Line: p.at + 1, Mode: g.mode}
	old, fresh := name(p.lines[p.at][4:]), name(p.lines[p.at+1][4:])
	p.at += 2
	switch {
	case g.from != "" && g.to != "":
		f.Op, f.Path, f.To = Update, g.from, g.to
		if g.copied {
			f.Op = Copy
		}
	case old == devNull && fresh == devNull:
		return f, syntax(f.Line, "both names are %s", devNull)
	case old == devNull:
		f.Op, f.Path = Add, strip(fresh, "b/", g.given && g.old != "" && !strings.HasPrefix(g.old, "a/"))
	case fresh == devNull:
		f.Op, f.Path = Delete, strip(old, "a/", g.given && g.new != "" && !strings.HasPrefix(g.new, "b/"))
	default:
		a, b := stripPair(old, fresh)
		if a != b {
			if !strings.HasSuffix(a, ".orig") {
				return f, syntax(f.Line, "the names %q and %q differ: give one name, or \"rename from\" and \"rename to\" lines", clip(a), clip(b))
			}
		}
		f.Op, f.Path = Update, b
	}
	if f.Path == "" {
		return f, syntax(f.Line, "the name of the file is missing")
	}
	if err := p.hunks(&f); err != nil {
		return f, err
	}
	switch {
	case len(f.Hunks) == 0 && f.Op == Update && f.To == "" && f.Mode == 0:
		return f, syntax(f.Line, "no hunk follows: hunks begin with an @@ line")
	case f.Op == Add:
		return f, f.fold()
	}
	return f, nil
}

// fold makes the content of a new file out of its hunks.
func (f *File) fold() error {
	var b strings.Builder
	for i, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != '+' {
				if l.Text == "" && l.Op == ' ' {
					l.Op = '+' // a blank line whose + was lost
				} else {
					return syntax(h.Line, "a new file has only + lines, got %q", clip(string(l.Op)+l.Text))
				}
			}
			b.WriteString(l.Text)
			b.WriteByte('\n')
		}
		if i == len(f.Hunks)-1 && h.newNoEnd {
			f.Content = strings.TrimSuffix(b.String(), "\n")
			f.Hunks = nil
			return nil
		}
	}
	f.Content, f.Hunks = b.String(), nil
	return nil
}

func (p *unified) hunks(f *File) error {
	for p.at < len(p.lines) {
		l := p.lines[p.at]
		if !strings.HasPrefix(l, "@@") {
			if strings.TrimSpace(l) == "" {
				p.at++
				continue
			}
			return nil
		}
		h := Hunk{Line: p.at + 1}
		at, olds, news, _, counted := hunkHeader(l)
		if counted {
			h.At = at
			if olds == 0 {
				h.Number, h.AtStart = at, at == 0
			}
		} else if rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(l, "@@"), "@@")); rest != "" && rest != "..." {
			h.Anchors = []string{rest}
		}
		p.at++
		if !counted || !p.counted(&h, olds, news) {
			p.guessed(&h)
			h.Short = counted && p.at == len(p.lines) && h.without('+') < olds && h.without('-') < news
		}
		if len(h.Lines) == 0 {
			return syntax(h.Line, "the hunk has no lines")
		}
		if !h.changes() {
			return syntax(h.Line, "the hunk changes nothing: lines to remove begin with -, lines to add with +")
		}
		f.Hunks = append(f.Hunks, h)
	}
	return nil
}

// counted reads a hunk by the numbers of its header, and reports whether they are true.
func (p *unified) counted(h *Hunk, olds, news int) bool {
	start, lines := p.at, h.Lines
	for p.at < len(p.lines) && (olds > 0 || news > 0) {
		l := p.lines[p.at]
		op := byte(' ')
		if l != "" {
			op, l = l[0], l[1:]
		}
		switch op {
		case ' ':
			olds--
			news--
		case '-':
			olds--
		case '+':
			news--
		case '\\':
			if len(h.Lines) > 0 {
				h.noEnd()
			}
			p.at++
			continue
		default:
			olds = -1
		}
		if olds < 0 || news < 0 {
			break
		}
		h.Lines = append(h.Lines, Line{op, l})
		p.at++
	}
	if olds == 0 && news == 0 && len(h.Lines) > 0 {
		if p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], `\`) {
			h.noEnd()
			p.at++
		}
		if p.at == len(p.lines) || !isBody(p.lines[p.at]) || p.header(p.at) || p.lines[p.at] == "-- " {
			return true
		}
	}
	p.at = start
	*h = Hunk{At: h.At, Number: h.Number, AtStart: h.AtStart, Anchors: h.Anchors, Line: h.Line, Lines: lines}
	return false
}

func isBody(l string) bool { return l != "" && (l[0] == ' ' || l[0] == '+' || l[0] == '-') }

// guessed reads a hunk whose numbers are missing or wrong: up to what cannot be a line of it.
func (p *unified) guessed(h *Hunk) {
	h.Number, h.AtStart = 0, false
	for ; p.at < len(p.lines); p.at++ {
		l := p.lines[p.at]
		switch {
		case l == "":
			h.Lines = append(h.Lines, Line{' ', ""})
			continue
		case strings.HasPrefix(l, `\`) && len(h.Lines) > 0:
			h.noEnd()
			continue
		case isBody(l) && !p.header(p.at):
			h.Lines = append(h.Lines, Line{l[0], l[1:]})
			continue
		}
		break
	}
	for n := len(h.Lines); n > 0 && h.Lines[n-1] == (Line{' ', ""}); n-- {
		h.Lines = h.Lines[:n-1]
	}
}

// hunkHeader reads "@@ -at,olds +_,news @@ rest".
func hunkHeader(l string) (at, olds, news int, rest string, ok bool) {
	l, ok = strings.CutPrefix(l, "@@ -")
	if !ok {
		return
	}
	if at, olds, l, ok = span(l, " +"); !ok {
		return
	}
	if _, news, rest, ok = span(l, " @@"); !ok {
		return
	}
	return at, olds, news, rest, true
}

func span(s, end string) (at, n int, rest string, ok bool) {
	s, rest, ok = strings.Cut(s, end)
	if !ok {
		return
	}
	first, count, two := strings.Cut(s, ",")
	n = 1
	var err error
	if at, err = strconv.Atoi(first); err != nil || at < 0 {
		return at, n, rest, false
	}
	if two {
		if n, err = strconv.Atoi(count); err != nil || n < 0 {
			return at, n, rest, false
		}
	}
	return at, n, rest, true
}

package patch

import "strings"

// parseEnvelope reads the grammar
//
//	*** Begin Patch
//	*** Add File: NAME        then lines with +
//	*** Update File: NAME     then perhaps *** Move to: NAME, then hunks
//	*** Delete File: NAME
//	*** End Patch
//
// where a hunk is any number of @@ lines, then lines with ' ', + or -, then perhaps *** End of File.
func parseEnvelope(lines []string, begin int) ([]File, error) {
	for i, l := range lines[:begin] {
		if l = strings.TrimSpace(l); l != "" && !strings.Contains(l, "<<") && !strings.HasPrefix(l, "```") {
			return nil, syntax(i+1, "found text before %q: begin with it", beginMark)
		}
	}
	p := &envelope{lines: lines, at: begin + 1}
	var files []File
	for {
		if p.at == len(lines) {
			return nil, syntax(len(lines), "the patch ends without %q: it may have been cut off, so nothing was done", endMark)
		}
		l, line := lines[p.at], p.at+1
		p.at++
		if strings.TrimSpace(l) == endMark {
			more, err := p.after()
			if err != nil {
				return nil, err
			}
			if more {
				continue
			}
			break
		}
		if strings.TrimSpace(l) == "" {
			continue
		}
		f := File{Line: line}
		var err error
		name := func(head string) bool {
			rest, ok := strings.CutPrefix(strings.TrimSpace(l), head)
			f.Path = strings.TrimSpace(rest)
			return ok
		}
		switch {
		case name("*** Add File:"):
			f.Op = Add
			f.Content, err = p.added()
		case name("*** Delete File:"):
			f.Op = Delete
		case name("*** Update File:"):
			f.Op = Update
			err = p.updated(&f)
		default:
			err = syntax(line, "expected \"*** Add File: NAME\", \"*** Update File: NAME\", \"*** Delete File: NAME\" or %q, got %q", endMark, clip(l))
		}
		if err == nil && f.Path == "" {
			err = syntax(line, "the name of the file is missing")
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, syntax(begin+1, "the patch names no file")
	}
	return files, nil
}

type envelope struct {
	lines []string
	at    int
}

// after reads what stands behind the end: another patch, which more reports, or the end of what the patch was quoted in.
func (p *envelope) after() (more bool, err error) {
	for ; p.at < len(p.lines); p.at++ {
		l := strings.TrimSpace(p.lines[p.at])
		switch {
		case l == beginMark:
			p.at++
			return true, nil
		case l == "", strings.HasPrefix(l, "```"), strings.Trim(l, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_'\")") == "": // a fence, the end of a heredoc
		default:
			return false, syntax(p.at+1, "text behind %q: put all files into one patch, so nothing was done", endMark)
		}
	}
	return false, nil
}

// header reports whether the next line begins another section.
func (p *envelope) header() bool {
	if p.at == len(p.lines) {
		return true
	}
	l := strings.TrimSpace(p.lines[p.at])
	return l == endMark || strings.HasPrefix(l, "*** Add File:") || strings.HasPrefix(l, "*** Update File:") || strings.HasPrefix(l, "*** Delete File:")
}

// blanks passes blank lines that a header follows.
func (p *envelope) blanks() {
	at := p.at
	for p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == "" {
		p.at++
	}
	if !p.header() {
		p.at = at
	}
}

func (p *envelope) added() (string, error) {
	var b strings.Builder
	for {
		if p.blanks(); p.header() {
			return b.String(), nil
		}
		l := p.lines[p.at]
		p.at++
		switch {
		case strings.HasPrefix(l, "+"):
			b.WriteString(l[1:])
			b.WriteByte('\n')
		case l == "":
			b.WriteByte('\n')
		case strings.HasPrefix(l, `\ No newline`):
			text := strings.TrimSuffix(b.String(), "\n")
			b.Reset()
			b.WriteString(text)
		default:
			return "", syntax(p.at, "every line of a new file begins with +, got %q", clip(l))
		}
	}
}

func (p *envelope) updated(f *File) error {
	if p.at < len(p.lines) {
		if to, ok := strings.CutPrefix(strings.TrimSpace(p.lines[p.at]), "*** Move to:"); ok {
			if f.To = strings.TrimSpace(to); f.To == "" {
				return syntax(p.at+1, "the new name is missing")
			}
			p.at++
		}
	}
	if p.at+1 < len(p.lines) && strings.HasPrefix(p.lines[p.at], "--- ") && strings.HasPrefix(p.lines[p.at+1], "+++ ") {
		p.at += 2 // the header of a diff, which says nothing new
	}
	var h *Hunk
	closed := true
	for {
		if p.blanks(); p.header() {
			break
		}
		l := p.lines[p.at]
		p.at++
		switch {
		case strings.HasPrefix(l, "@@"):
			if h == nil || len(h.Lines) > 0 {
				f.Hunks = append(f.Hunks, Hunk{Line: p.at})
				h = &f.Hunks[len(f.Hunks)-1]
			}
			if at, olds, _, rest, ok := hunkHeader(l); ok {
				h.At = at
				if olds == 0 {
					h.Number, h.AtStart = at, at == 0
				}
				l = rest
			} else {
				l = strings.TrimSuffix(strings.TrimPrefix(l, "@@"), "@@")
			}
			if l = strings.TrimSpace(l); l != "" && h.At == 0 {
				h.Anchors = append(h.Anchors, l)
			}
			closed = false
			continue
		case strings.TrimSpace(l) == "*** End of File":
			if h == nil {
				return syntax(p.at, "\"*** End of File\" belongs behind the lines of a hunk")
			}
			h.AtEnd, closed = true, true
			continue
		case strings.HasPrefix(l, `\ No newline`) && h != nil && len(h.Lines) > 0:
			h.noEnd()
			continue
		}
		if h == nil || closed {
			f.Hunks = append(f.Hunks, Hunk{Line: p.at})
			h, closed = &f.Hunks[len(f.Hunks)-1], false
		}
		switch {
		case l == "":
			h.Lines = append(h.Lines, Line{' ', ""})
		case l[0] == ' ' || l[0] == '-' || l[0] == '+':
			h.Lines = append(h.Lines, Line{l[0], l[1:]})
		default:
			return syntax(p.at, "a line of a hunk begins with a space, + or -, or it is an @@ line; got %q", clip(l))
		}
	}
	for i := range f.Hunks {
		if !f.Hunks[i].changes() {
			return syntax(f.Hunks[i].Line, "the hunk changes nothing: lines to remove begin with -, lines to add with +")
		}
	}
	if len(f.Hunks) == 0 && f.To == "" {
		return syntax(f.Line, "\"*** Update File\" without a hunk or \"*** Move to: NAME\" changes nothing")
	}
	return nil
}

// noEnd notes that the text of the last line has no newline behind it.
func (h *Hunk) noEnd() {
	op := h.Lines[len(h.Lines)-1].Op
	h.oldNoEnd = h.oldNoEnd || op != '+'
	h.newNoEnd = h.newNoEnd || op != '-'
	h.AtEnd = h.AtEnd || h.oldNoEnd
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

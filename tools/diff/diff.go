// Package diff writes unified diffs of texts of any size.
//
// Its room: Unified and Changes, which trim the lines that both texts start and end with before they look at
// the rest, so that a small edit of a large file costs little more than reading it. The answer is always a diff
// that patch and git apply take; for texts that have little in common it need not be the shortest.
package diff

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

const context = 3

// Change is a run of lines that differs: lines [OldAt, OldAt+len(Old)) became [NewAt, NewAt+len(New)), counted
// from 0. Lines keep their endings.
type Change struct {
	OldAt, NewAt int
	Old, New     []string
}

// trim gives how many bytes of whole lines the texts start and end with in common.
func trim(a, b string) (head, tail int) {
	n := min(len(a), len(b))
	head = common(a[:n], b[:n])
	if head < n || len(a) != len(b) {
		head = strings.LastIndexByte(a[:head], '\n') + 1
	}
	n -= head
	tail = commonEnd(a[len(a)-n:], b[len(b)-n:])
	if tail == 0 {
		return head, 0
	}
	// A tail must begin at the start of a line in both texts.
	starts := func(s string, at int) bool { return at == head || s[at-1] == '\n' }
	for tail > 0 && !(starts(a, len(a)-tail) && starts(b, len(b)-tail)) {
		i := strings.IndexByte(a[len(a)-tail:], '\n')
		if i < 0 {
			return head, 0
		}
		tail -= i + 1
	}
	return head, tail
}

func common(a, b string) int {
	i := 0
	for step := 4096; i+step <= len(a); i += step {
		if a[i:i+step] != b[i:i+step] {
			break
		}
	}
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}

func commonEnd(a, b string) int {
	i := len(a)
	for step := 4096; i >= step; i -= step {
		if a[i-step:i] != b[i-step:i] {
			break
		}
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return len(a) - i
}

// Changes gives the differences of two texts by lines, in order.
func Changes(a, b string) []Change {
	head, tail := trim(a, b)
	at := strings.Count(a[:head], "\n")
	return changes(a[head:len(a)-tail], b[head:len(b)-tail], at)
}

func changes(a, b string, at int) []Change {
	if a == b {
		return nil
	}
	old, new := split(a), split(b)
	if len(old) == 0 || len(new) == 0 {
		return []Change{{at, at, old, new}}
	}
	var list []Change
	for _, d := range lcs.DiffLines(old, new) {
		list = append(list, Change{at + d.Start, at + d.ReplStart, old[d.Start:d.End], new[d.ReplStart:d.ReplEnd]})
	}
	return list
}

func split(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Unified gives the difference of two texts as a unified diff with 3 lines of context, "" when they are equal.
// The names stand in its header as they are; "/dev/null" for a text that is not there.
func Unified(oldName, newName, a, b string) string {
	if a == b {
		return ""
	}
	head, tail := trim(a, b)
	at := strings.Count(a[:head], "\n")
	list := changes(a[head:len(a)-tail], b[head:len(b)-tail], at)

	// The lines around the middle that hunks may show as context.
	from := head
	before := 0
	for ; before < context && from > 0; before++ {
		from = strings.LastIndexByte(a[:from-1], '\n') + 1
	}
	to := len(a) - tail
	for n := 0; n < context && to < len(a); n++ {
		if i := strings.IndexByte(a[to:], '\n'); i >= 0 {
			to += i + 1
		} else {
			to = len(a)
		}
	}
	w := writer{lines: split(a[from:to]), first: at - before}
	w.b.WriteString("--- " + quote(oldName) + "\n+++ " + quote(newName) + "\n")
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].OldAt-(list[n-1].OldAt+len(list[n-1].Old)) <= 2*context {
			n++
		}
		w.hunk(list[:n])
		list = list[n:]
	}
	return w.b.String()
}

type writer struct {
	b     strings.Builder
	lines []string // of the old text, from line first on
	first int
}

func (w *writer) hunk(list []Change) {
	start := max(list[0].OldAt-context, w.first)
	end := list[len(list)-1].OldAt + len(list[len(list)-1].Old)
	stop := min(end+context, w.first+len(w.lines))
	shift := list[0].NewAt - list[0].OldAt
	grown := 0
	for _, c := range list {
		grown += len(c.New) - len(c.Old)
	}
	w.b.WriteString("@@ -")
	w.span(start, stop-start)
	w.b.WriteString(" +")
	w.span(start+shift, stop-start+grown)
	w.b.WriteString(" @@\n")
	at := start
	for _, c := range list {
		w.put(' ', w.old(at, c.OldAt))
		w.put('-', c.Old)
		w.put('+', c.New)
		at = c.OldAt + len(c.Old)
	}
	w.put(' ', w.old(at, stop))
}

func (w *writer) old(from, to int) []string { return w.lines[from-w.first : to-w.first] }

// span writes a range of lines as unified diffs count them: an empty one stands behind the line before it.
func (w *writer) span(at, n int) {
	if n > 0 {
		at++
	}
	w.b.WriteString(strconv.Itoa(at))
	if n != 1 {
		w.b.WriteString("," + strconv.Itoa(n))
	}
}

func (w *writer) put(op byte, lines []string) {
	for _, l := range lines {
		w.b.WriteByte(op)
		w.b.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			w.b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// quote puts a name with control characters, quotes or backslashes in quotes, as git does.
func quote(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < 0x20 || c == '"' || c == '\\' || c == 0x7f {
			return quoteAll(name)
		}
	}
	if strings.IndexByte(name, ' ') >= 0 {
		name += "\t" // else programs take what stands behind the blank for a date
	}
	return name
}

func quoteAll(name string) string {
	b := []byte{'"'}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20 || c == 0x7f:
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

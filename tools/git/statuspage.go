package git

import (
	"iter"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// entries are all entries in the order of their pages.
func (s *statusList) entries() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, list := range [][]entry{s.Conflicts, s.Staged, s.Unstaged} {
			for _, e := range list {
				if !yield(e.Path, e) {
					return
				}
			}
		}
		for _, list := range [][]string{s.Untracked, s.Ignored} {
			for _, name := range list {
				if !yield(name, name) {
					return
				}
			}
		}
	}
}

// fitting is how many entries the page has: most at most, and no more than fit into payload and lists together.
func (s *statusList) fitting(in page, most int) int {
	room := tools.NewRoom(in.MaxChars)
	i, n := 0, 0
	for name, e := range s.entries() {
		if i++; i <= in.Offset {
			continue
		}
		if n == most || !room.Takes("XY "+name+"\n", e) {
			break
		}
		n++
	}
	return n
}

// cut leaves the entries of a page.
func (s *statusList) cut(skip, room int) {
	s.Conflicts = slicePage(s.Conflicts, &skip, &room)
	s.Staged = slicePage(s.Staged, &skip, &room)
	s.Unstaged = slicePage(s.Unstaged, &skip, &room)
	s.Untracked = slicePage(s.Untracked, &skip, &room)
	s.Ignored = slicePage(s.Ignored, &skip, &room)
}

// lines are those of all entries, or of the entries of a page.
func (s *statusList) lines(page bool) string {
	var b strings.Builder
	on := map[string]bool{}
	if page {
		for name := range s.entries() {
			on[name] = true
		}
	}
	for _, line := range s.short {
		if !page || on[shown(line.name)] {
			b.WriteString(line.text)
		}
	}
	return b.String()
}

// slicePage takes the part of a list that lies on the page, counting over several lists.
func slicePage[E any](list []E, skip, room *int) []E {
	n := min(*skip, len(list))
	*skip -= n
	list = list[n:]
	n = min(*room, len(list))
	*room -= n
	return list[:n]
}

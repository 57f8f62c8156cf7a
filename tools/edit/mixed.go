package edit

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// mixed gives new text for a place whose line endings are of both kinds: lines that stay keep theirs, others take
// that of the line whose place they take.
func mixed(place, fresh string) string {
	raw := strings.SplitAfter(place, "\n")
	old := make([]string, len(raw))
	for i, l := range raw {
		old[i] = unix(l)
	}
	lines := strings.SplitAfter(fresh, "\n")
	var b strings.Builder
	at := 0
	put := func(to int) {
		for ; at < to; at++ {
			b.WriteString(raw[at])
		}
	}
	for _, d := range lcs.DiffLines(old, lines) {
		put(d.Start)
		for i := d.ReplStart; i < d.ReplEnd; i++ {
			model := min(d.Start+i-d.ReplStart, d.End-1)
			if d.Start == d.End {
				model = max(d.Start-1, 0) // inserted: as the line before
			}
			if !strings.HasSuffix(raw[model], "\n") && model > 0 {
				model--
			}
			ending := "\n"
			if strings.HasSuffix(raw[model], "\r\n") {
				ending = "\r\n"
			}
			b.WriteString(end(lines[i], ending))
		}
		at = d.End
	}
	put(len(raw))
	return b.String()
}

package exec

import "strings"

// fold leaves out of each line what carriage returns overwrote, as progress bars do, and says whether there was any.
// Line breaks of CR and LF stay as they are.
func fold(s string) (folded string, some bool) {
	if strings.IndexByte(s, '\r') < 0 {
		return s, false
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\r\n")
		if at := strings.LastIndexByte(text, '\r'); at >= 0 {
			line = line[at+1:]
			some = true
		}
		b.WriteString(line)
	}
	if !some {
		return s, false
	}
	return b.String(), true
}

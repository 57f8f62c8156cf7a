package exec

import (
	"slices"
	"strings"
)

// rewrites is how often a line is overwritten before it counts as the progress of something.
const rewrites = 5

// fold leaves out of each line what carriage returns overwrote, as progress bars do, and says whether there was any. A few
// of them are line ends, as old files have them. Line breaks of CR and LF stay as they are.
func fold(s string) (folded string, some bool) {
	if strings.IndexByte(s, '\r') < 0 {
		return s, false
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\r\n")
		ending := line[len(text):]
		if parts := strings.Split(text, "\r"); len(parts) > rewrites {
			b.WriteString(parts[len(parts)-1])
			some = true
		} else {
			parts = slices.DeleteFunc(parts, func(part string) bool { return strings.TrimSpace(part) == "" })
			b.WriteString(strings.Join(parts, "\n"))
		}
		b.WriteString(ending)
	}
	return b.String(), some
}

package git

const (
	maxSubject = 300 // characters of a subject or a reflog's message in a list
	maxRefs    = 20  // of one commit
	maxBeside  = 100 // entries of a list that no limit and offset page
)

// shortened is a text that is one entry of a list: whole, unless it is very long.
func shortened(s string) string {
	if len(s) <= maxSubject {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > maxSubject {
			return s[:i] + "…"
		}
	}
	return s
}

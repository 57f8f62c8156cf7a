package tools

import (
	"regexp"
	"sync"
)

// Pattern gives a regular expression that is compiled at its first use: as a package variable each would be compiled
// at every start of the program. It panics then, as regexp.MustCompile does, when expr cannot be parsed.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// slip is what may be wrong with the spelling of a root that is missing, as the end of a message: shells are not asked
// what it means.
func slip(given string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	last := given[len(given)-1]
	switch {
	case (last == '"' || last == '\'') && strings.IndexByte(given, last) < len(given)-1:
		return " (the quotes are part of the name: leave them out)"
	case variable().MatchString(given):
		return " (variables are not replaced here: write the whole path)"
	case given[0] == '~' && !strings.HasPrefix(given, "~/"):
		return " (only ~ and ~/… are known: write the whole path)"
	case isList(given):
		return " (is it more than one folder? Name each by itself)"
	}
	return ""
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?\w|%\w+%`) })

// isList reports whether a name looks like several absolute ones in a row: the first of them is there.
func isList(given string) bool {
	for _, sep := range []string{":", ";", ",", " "} {
		first, rest, ok := strings.Cut(given, sep)
		if sep == ":" && runtime.GOOS == "windows" || !ok || !filepath.IsAbs(strings.TrimLeft(rest, " ")) {
			continue
		}
		if _, err := os.Stat(first); err == nil && filepath.IsAbs(first) {
			return true
		}
	}
	return false
}

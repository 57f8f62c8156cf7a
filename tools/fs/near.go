package fs

import (
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// nearest gives the name that one of a missing file most likely means, "" when none is near.
func nearest(c *tools.Call, given string) string {
	if near := respelled(c, given); near != "" {
		return near
	}
	return sibling(c, given)
}

var lineBehind = tools.Pattern(`:\d+([:-]\d+)?:?$`)

// respelled gives the existing file that a name means which is quoted, padded, marked with @, followed by a line as hits
// are, separated by backslashes, or absolute from the root.
func respelled(c *tools.Call, given string) string {
	name := strings.Trim(strings.TrimSpace(given), "\"'`<>")
	name = strings.TrimPrefix(name, "@")
	name = lineBehind().ReplaceAllString(name, "")
	for _, n := range []string{name, strings.ReplaceAll(name, `\`, "/"), strings.TrimLeft(name, "/")} {
		if n == given || n == "" {
			continue
		}
		p, err := c.Roots.Resolve(n)
		if err != nil {
			continue
		}
		if _, err := c.Roots.Lstat(p); err == nil && p.Rel != "." {
			return p.String()
		}
	}
	return ""
}

const (
	maxSiblings = 1000 // names of a folder that are looked at
	maxCompared = 10   // of them are compared in full
)

// sibling gives the name in the folder of a missing file that is most like it.
func sibling(c *tools.Call, given string) string {
	p, err := c.Roots.Resolve(given)
	if err != nil || p.Rel == "." {
		return ""
	}
	dir, err := c.Roots.OpenDir(p.Dir())
	if err != nil {
		return ""
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxSiblings)
	names = alike(p.Base(), names)
	if near := tools.Nearest(p.Base(), names); near != "" {
		return p.Dir().Join(near).String()
	}
	return ""
}

// alike gives the names that may be near, those with the most bytes in common first: a full comparison takes its time.
func alike(name string, names []string) []string {
	type likely struct {
		name string
		less int // a lower bound of what has to be changed
	}
	lower := strings.ToLower(name)
	var list []likely
	for _, n := range names {
		if less := apart(lower, strings.ToLower(n)); less <= max(1, len(n)/3)+2 || strings.HasPrefix(n, lower) {
			list = append(list, likely{n, less})
		}
	}
	slices.SortStableFunc(list, func(a, b likely) int { return a.less - b.less })
	var out []string
	for _, l := range list[:min(len(list), maxCompared)] {
		out = append(out, l.name)
	}
	return out
}

// apart counts the bytes that one of two names has more than the other.
func apart(a, b string) int {
	var n [256]int
	for i := range len(a) {
		n[a[i]]++
	}
	for i := range len(b) {
		n[b[i]]--
	}
	more, less := 0, 0
	for _, d := range n {
		more, less = more+max(d, 0), less+max(-d, 0)
	}
	return max(more, less)
}

// linkToNothing gives where a link leads that leads to no file, "" when the name is none.
func linkToNothing(c *tools.Call, given string) string {
	p, err := c.Roots.Resolve(given)
	if err != nil {
		return ""
	}
	fi, err := c.Roots.Lstat(p)
	if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		return ""
	}
	target, _ := c.Roots.Readlink(p)
	return target
}

var (
	homeOf   = tools.Pattern(`^~[A-Za-z_][\w.-]*$`)
	variable = tools.Pattern(`^(\$\w+|\$\{[^}]*\}|\$env:\w+|%\w+%)$`)
	drive    = tools.Pattern(`^[A-Za-z]:([\\/]|$)`)
)

// meant refuses to make a name that was hardly meant as one: a variable or a home folder that nobody has put in, a path of
// another system, blanks at the end, a slash behind a file. Where its first part exists, it is taken as it is.
func meant(c *tools.Call, param, given string, file bool) error {
	bad := func(why, suggestion string) error {
		return tools.Errorf(tools.InvalidParams, "%s %q %s; nothing was done", param, given, why).
			With(tools.Details{Param: param, Actual: given, Suggestion: suggestion})
	}
	if trimmed := strings.TrimRight(given, " \t\r\n"); trimmed != given {
		return bad("ends in a blank or a line break: leave that out", trimmed)
	}
	if file && strings.HasSuffix(given, "/") {
		return bad("ends in a slash, as a folder does: leave that out, or make the folder with action \"mkdir\"", strings.TrimRight(given, "/"))
	}
	if runtime.GOOS == "windows" || !strings.ContainsAny(given, `~$%\:`) {
		return nil
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(given, "./"), "/")
	if p, err := c.Roots.Resolve("./" + first); err == nil {
		if _, err := c.Roots.Lstat(p); err == nil {
			return nil
		}
	}
	switch head, _, _ := strings.Cut(first, `\`); {
	case homeOf().MatchString(first):
		return bad("begins with the home folder of a user, which is not put in here: give the whole path", "")
	case variable().MatchString(head):
		return bad("begins with a variable, which is not put in here: give a path relative to the first root, or a whole one", rest)
	case drive().MatchString(given):
		return bad("is a path of another system: give a path relative to the first root", "")
	case strings.Contains(given, `\`):
		return bad("has backslashes, which are no separators on this system", strings.ReplaceAll(given, `\`, "/"))
	}
	return nil
}

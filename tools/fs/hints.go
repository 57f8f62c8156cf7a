package fs

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// When nothing was found, a question that could hardly find anything is told.

var (
	otherRegexp  = tools.Pattern(`\\[|<>]`) // operators of grep and vi
	slashedQuery = tools.Pattern(`^/(.+)/[gimsu]*$`)
)

// hintQuery warns of a pattern in the grammar of another program.
func hintQuery(c *tools.Call, query string) {
	if m := slashedQuery().FindStringSubmatch(query); m != nil {
		c.Warn("the slashes are part of query: leave them out, and give ignore_case:true for /i")
	}
	if op := otherRegexp().FindString(query); op != "" {
		c.Warn(op + " in query is no operator: in RE2 alternatives are a|b, and the edge of a word is \\b")
	}
}

// hintGlobs warns of globs that can match nothing below the folder at p.
func hintGlobs(c *tools.Call, p sandbox.Path, globs []string) {
	for _, g := range globs {
		g = strings.TrimPrefix(strings.TrimPrefix(g, "!"), "./")
		first, _, deeper := strings.Cut(g, "/")
		why := ""
		switch {
		case strings.Contains(g, ",") && !strings.Contains(g, "{"):
			why = "a comma is a character of the name: give a list of globs, or {a,b}"
		case filepath.IsAbs(g) || first == ".." || strings.HasPrefix(g, "~"):
			why = "globs are compared with names below the folder that is looked at: give the folder as path"
		case strings.Contains(g, `\`):
			why = `\ takes the next character as it is: folders are separated by /`
		case deeper && first == path.Base(p.String()) && p.Rel != ".":
			why = "it is compared with names below " + sandbox.Printable(p.String()) + ": leave " + sandbox.Printable(first) + "/ out"
		}
		if why != "" {
			c.Warn("the glob " + sandbox.Printable(g) + " matches nothing: " + why)
		}
	}
}

// warnOthers tells that a search that names no folder looked at one of several only.
func warnOthers(c *tools.Call, given string) {
	if all := c.Roots.Projects(); given == "" && len(all) > 1 {
		for i := range all {
			all[i] = sandbox.Printable(all[i])
		}
		c.Warn("only " + all[0] + " was looked at; give path to look at " + strings.Join(all[1:], ", "))
	}
}

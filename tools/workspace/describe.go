package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxDescription is how long Describe's text is at most, in bytes.
const maxDescription = 2 << 10

// Describe says in a few lines what the first root holds: languages, build and test commands, version control. It is
// at most 2 KiB; names from the checkout are escaped. It is "" when there is no root to look at.
func Describe(ctx context.Context, roots *sandbox.Roots) string {
	at, err := roots.Resolve(".")
	if err != nil {
		return ""
	}
	f, err := (&tool{}).look(ctx, roots, at)
	if err != nil {
		return ""
	}
	return f.describe()
}

// describe is the answer for a reader.
func (f *found) describe() string {
	var b strings.Builder
	line := func(key string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", key, tools.Cut(strings.Join(list, ", "), 400))
		}
	}
	lines := func(key string, list []string) {
		if len(list) == 1 {
			fmt.Fprintf(&b, "%s: %s\n", key, tools.Cut(list[0], 300))
			return
		}
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s:\n", key)
		}
		for i, one := range list {
			if i == 6 {
				fmt.Fprintf(&b, "  … and %d more\n", len(list)-i)
				break
			}
			fmt.Fprintf(&b, "  %s\n", tools.Cut(one, 200))
		}
	}
	var languages, members, containers []string
	for _, l := range f.Languages {
		languages = append(languages, fmt.Sprintf("%s (%d)", l.Name, l.Files))
	}
	for _, m := range f.Members {
		members = append(members, fmt.Sprintf("%s (%s)", name(m.Dir), m.Kind))
	}
	for _, c := range f.Containers {
		containers = append(containers, name(c.File))
	}
	if len(languages) == 0 {
		languages = []string{"none found"}
	}
	line("Languages (files)", languages)
	line("Package managers", f.Managers)
	lines("Build", f.Build)
	lines("Test", f.Test)
	line("Members", members)
	if v := f.VCS; v != nil {
		state := v.Kind
		switch {
		case v.Detached:
			state += ", no branch"
		case v.Branch != "":
			state += ", branch " + v.Branch
		}
		if dirty, ok := v.Dirty.(bool); ok {
			state += map[bool]string{true: ", with changes", false: ", clean"}[dirty]
		}
		line("Version control", []string{state})
	} else {
		line("Version control", []string{"none"})
	}
	line("Containers", containers)
	return tools.Cut(b.String(), maxDescription-8)
}

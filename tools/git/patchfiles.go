package git

import (
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// patchPaths lists every name that the headers of a patch hold, for rules and prompts.
func patchPaths(patch string) []string {
	var list []string
	seen := map[string]bool{}
	add := func(name string) {
		if name, _, _ = strings.Cut(name, "\t"); name == "/dev/null" || name == "" {
			return
		}
		name = maybeUnquote(name)
		if !seen[name] {
			seen[name] = true
			list = append(list, shown(name))
		}
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for _, head := range []string{"rename from ", "rename to ", "copy from ", "copy to "} {
			if name, ok := strings.CutPrefix(line, head); ok {
				add(name)
			}
		}
		for _, head := range []string{"--- ", "+++ "} {
			if name, ok := strings.CutPrefix(line, head); ok {
				name = maybeUnquote(strings.TrimSuffix(name, "\t"))
				if len(name) > 2 && name[1] == '/' && (name[0] == 'a' || name[0] == 'b') {
					name = name[2:]
				}
				add(name)
			}
		}
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			old, name := bothNames(rest)
			add(old)
			add(name)
		}
	}
	return list
}

// numstat reads apply --numstat -z and refuses files that tools may not write.
func (r *repo) numstat(out []byte) ([]fileDiff, error) {
	var files []fileDiff
	fields := strings.Split(string(out), "\x00")
	for i := 0; i < len(fields); i++ {
		f := strings.SplitN(fields[i], "\t", 3)
		if len(f) < 3 {
			continue
		}
		one := fileDiff{Path: f[2], Status: modified}
		one.Additions, _ = strconv.Atoi(f[0])
		one.Deletions, _ = strconv.Atoi(f[1])
		one.Binary = f[0] == "-"
		if one.Path == "" && i+2 < len(fields) { // renamed: old and new follow
			one.OldPath, one.Path, one.Status = fields[i+1], fields[i+2], renamed
			i += 2
		}
		for _, name := range []string{one.Path, one.OldPath} {
			if name == "" {
				continue
			}
			if reason, no := r.roots.Protected(r.top.Join(name)); no {
				return nil, tools.Errorf(tools.PermissionDenied, "%s: %s; nothing was changed", shown(name), reason)
			}
		}
		files = append(files, one)
	}
	return shownFiles(files), nil
}

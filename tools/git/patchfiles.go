package git

import (
	"cmp"
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

// patchRenames are the files that a patch makes of others, new name first: as renamed, or copied.
func patchRenames(patch string, reverse bool) map[string]fileDiff {
	list := map[string]fileDiff{}
	header, from := false, ""
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			header, from = true, ""
		case strings.HasPrefix(line, "@@ "):
			header = false
		}
		for head, status := range map[string]string{"rename": renamed, "copy": copied} {
			if name, ok := strings.CutPrefix(line, head+" from "); ok && header {
				from = maybeUnquote(name)
			}
			if name, ok := strings.CutPrefix(line, head+" to "); ok && header && from != "" {
				to := maybeUnquote(name)
				if reverse {
					from, to = to, from
				}
				list[to] = fileDiff{OldPath: from, Status: status}
			}
		}
	}
	return list
}

// madeOrDeleted reads a line of apply --summary. A patch that is not git's own says no mode.
var madeOrDeleted = tools.Pattern(`^ (create|delete) (?:mode [0-7]{6} )?(.*)$`)

// numstat reads apply --numstat --summary -z, which tells of the files in git's own reading of the patch, and refuses those
// that tools may not write.
func (r *repo) numstat(out []byte, renames map[string]fileDiff) ([]fileDiff, error) {
	var files []fileDiff
	fields := strings.Split(string(out), "\x00")
	status := map[string]string{}
	for line := range strings.Lines(fields[len(fields)-1]) {
		if m := madeOrDeleted().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			status[m[2]] = map[string]string{"create": added, "delete": deleted}[m[1]]
		}
	}
	for _, field := range fields {
		f := strings.SplitN(field, "\t", 3)
		if len(f) < 3 {
			continue
		}
		one := fileDiff{Path: f[2], Status: cmp.Or(status[f[2]], renames[f[2]].Status, modified)}
		one.Additions, _ = strconv.Atoi(f[0])
		one.Deletions, _ = strconv.Atoi(f[1])
		one.Binary = f[0] == "-"
		if one.Status == renamed || one.Status == copied {
			one.OldPath = renames[f[2]].OldPath
		}
		for _, name := range []string{one.Path, one.OldPath} {
			if name == "" || name == one.OldPath && one.Status == copied {
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

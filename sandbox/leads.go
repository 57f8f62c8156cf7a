package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A checkout carries links, so a protected name may be one: .claude that leads to agents, .mcp.json to conf/m.json. What
// is obeyed then lies at the link's end, and who puts something else in the link's place has changed it too.

// Leads is where the names on the way to a protected path lead.
type Leads struct {
	Links []string // each link on the way, at its own real place
	Ends  []string // real places to protect; they may be missing
	Part  bool     // an end is more than settings: of it only the names that programs obey are among Ends
}

// Leading follows a protected path. roots are the real folders that may be written: a link to one of them, to a folder
// above one or to one full of other work must not make that read-only.
func Leading(path string, roots []string) Leads {
	var l Leads
	l.follow(path, roots, 0)
	slices.Sort(l.Links)
	l.Links = slices.Compact(l.Links)
	slices.Sort(l.Ends)
	l.Ends = slices.Compact(l.Ends)
	return l
}

// Way follows the links of an absolute path: where it ends, and each link on the way at its own real place.
func Way(path string) (end string, links []string, err error) { return endOf(path, nil) }

func (l *Leads) follow(path string, roots []string, depth int) {
	end, links, err := endOf(path, roots)
	l.Links = append(l.Links, links...)
	if err != nil {
		return // a loop: there is nothing at its end
	}
	entry, whole := filepath.Base(path), true
	var inside []string // names in end that go on as links
	if len(links) > 0 {
		whole, inside = ledTo(entry, end, roots, depth > 0)
	}
	if whole {
		l.Ends = append(l.Ends, end)
		inside = obeyedLinks(entry, end) // they lead out of a folder that is protected itself
	} else {
		l.Part = true
	}
	for _, name := range inside {
		if depth < maxNestedLeads {
			l.follow(filepath.Join(end, name), roots, depth+1)
		}
	}
}

const maxNestedLeads = 3

// endOf resolves the links of path, which has none above the root that it lies in. What is missing is as it is named.
func endOf(path string, roots []string) (end string, links []string, err error) {
	at := filepath.VolumeName(path) + string(filepath.Separator)
	for _, r := range roots {
		if within(path, r) && len(r) > len(at) {
			at = r
		}
	}
	end, err = trace(at, path[len(at):], func(place string, fi fs.FileInfo, _ error) error {
		if fi != nil && isLink(fi) {
			links = append(links, place)
		}
		return nil
	})
	if err != nil {
		links = slices.Compact(links)
	}
	return end, links, err
}

// trace resolves the names of todo from the folder at, which has no links above it. seen is told the real place of each
// and what is there, a link as a link, or why that is not known; unless it gives an error, what is missing is as it is named.
func trace(at, todo string, seen func(place string, fi fs.FileInfo, err error) error) (end string, err error) {
	hops, missing := 0, false
	for todo != "" {
		var name string
		name, todo, _ = strings.Cut(todo, string(filepath.Separator))
		next := filepath.Join(at, name) // also up: at has no links
		if name == "" || name == "." || name == ".." || missing {
			at = next
			continue
		}
		fi, err := os.Lstat(next)
		target := ""
		if err == nil && isLink(fi) {
			target, err = os.Readlink(next) // an error: taken away meanwhile
			hops++
		}
		if told := seen(next, fi, err); told != nil {
			return "", told
		}
		if hops > maxLinks {
			return "", syscall.ELOOP
		}
		if err != nil || !isLink(fi) {
			missing, at = err != nil, next
			continue
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(filepath.VolumeName(target)):]
		}
		todo = target + string(filepath.Separator) + todo
	}
	return at, nil
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// What programs obey without asking, by the protected name it hangs on.
var (
	settingsFolders = []string{".hanzo", ".cursor", ".claude", ".vscode", ".gemini", ".codex", ".opencode", ".zed", ".windsurf"}
	settingsFiles   = []string{
		"settings.json", "settings.local.json", "config.toml", "config.json", "mcp.json", "mcp_config.json", "hooks.json",
		"tasks.json", "launch.json", "debug.json", "opencode.json", "opencode.jsonc",
	}
	hookFiles = []string{
		"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
		"pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
		"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change",
	}
	plainFiles = []string{"config", "config.worktree", "commondir", "gitdir", ".mcp.json", "opencode.json", "opencode.jsonc"}
)

// obeyed are the names that programs read in the folder that a protected name is; nil where any may be.
func obeyed(entry string) []string {
	switch {
	case slices.Contains(settingsFolders, entry):
		return settingsFiles
	case entry == "hooks":
		return hookFiles
	}
	return nil
}

// ledTo tells whether end, where a link of the protected name entry leads, is protected as a whole. Of a folder that is
// more than what the name stands for only the names are that programs obey in it. file says that entry is no folder.
func ledTo(entry, end string, roots []string, file bool) (whole bool, names []string) {
	inside := func(r string) bool { return within(end, r) }
	holds := func(r string) bool { return within(r, end) }
	fi, err := os.Lstat(end)
	if err != nil || !fi.IsDir() || !slices.ContainsFunc(roots, inside) && !slices.ContainsFunc(roots, holds) {
		return true, nil
	}
	if file || slices.Contains(plainFiles, entry) {
		return false, nil // a folder is not read as a file
	}
	names = obeyed(entry)
	switch {
	case slices.ContainsFunc(roots, holds):
	case names == nil, small(end) && (entry == "hooks" || holdsAny(end, names)):
		return true, nil
	}
	if !slices.ContainsFunc(roots, inside) {
		names = nil
	}
	return false, names
}

func holdsAny(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return exists(dir, name) })
}

// maxSettings is how many entries a folder of settings has at most, skills and scripts included.
const maxSettings = 500

// small reports a folder that holds no repository, nor more than a folder of settings would.
func small(dir string) bool {
	left := maxSettings
	var walk func(dir string) bool
	walk = func(dir string) bool {
		entries := readSome(dir, left+1)
		if left -= len(entries); left < 0 {
			return false
		}
		for _, e := range entries {
			if e.Name() == ".git" || e.Name() == "HEAD" && holdsAny(dir, []string{"objects"}) || e.IsDir() && !walk(filepath.Join(dir, e.Name())) {
				return false
			}
		}
		return true
	}
	return walk(dir)
}

// readSome lists up to n entries of a folder, in no order; of anything else none.
func readSome(dir string, n int) []fs.DirEntry {
	d, err := os.OpenFile(dir, os.O_RDONLY|nonblock|directory, 0)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(n)
	return entries
}

// obeyedLinks are the names in a folder of settings or hooks that programs obey and that are links.
func obeyedLinks(entry, dir string) []string {
	names := obeyed(entry)
	if fi, err := os.Lstat(dir); names == nil || err != nil || !fi.IsDir() {
		return nil
	}
	var out []string
	if entry == "hooks" { // those that run lead to scripts of any name
		for _, e := range readSome(dir, maxSettings) {
			if e.Type()&fs.ModeSymlink != 0 {
				out = append(out, e.Name())
			}
		}
		return out
	}
	for _, name := range names {
		if fi, err := os.Lstat(filepath.Join(dir, name)); err == nil && isLink(fi) {
			out = append(out, name)
		}
	}
	return out
}

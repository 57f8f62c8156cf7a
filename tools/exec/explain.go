package exec

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// explain adds to a failure what its output alone would not tell: the sandbox, the search path.
func (t *tool) explain(v view, code int) {
	c := v.call
	tail := v.tail4K()
	hidden := t.tellHidden(v, tail)
	confined := t.Confined != nil && t.Confined()
	if code != 126 && code != 127 && confined && !hidden && refused(tail) {
		hint := "the sandbox allows writes only under " + strings.Join(c.Roots.Dirs(), ", ") +
			", and there not to settings, hooks and git configuration"
		if mentionsGit(v.job.Title) {
			hint += "; use the git tool for version control, it may write the repository"
		}
		c.Warn(hint)
	}
	if confined && !hidden && bytes.Contains(tail, []byte("No such file or directory")) && bytes.Contains(tail, []byte("/tmp/")) {
		c.Warn("commands see nothing of /tmp but the roots, and may write in $TMPDIR only: copy what they need into the project, or let the user give its folder by --allow-path")
	}
	if code == 127 && t.Env != nil {
		c.Warn(missing(v.path, tail))
	}
}

// tail4K is the end of the output.
func (v view) tail4K() []byte {
	end := v.job.Log().Len()
	tail, _ := v.job.Log().Slice(end-4096, end)
	return tail
}

// notStarted is how shells say that there is no such program.
var notStarted = tools.Pattern(`(?m)(?:^|: )([^:\n]+): (?:command not found|not found|cannot execute: required file not found|No such file or directory)\r?$`)

// missing says why a program was not found, of which the search path of the command is one reason.
func missing(path string, tail []byte) string {
	found := notStarted().FindAllSubmatch(tail, -1)
	if len(found) > 0 {
		if name := string(found[len(found)-1][1]); strings.Contains(name, "/") {
			return name + " could not be started: it is not there, or the program is not that its first line (#!) names, or that line ends in a CR"
		}
	}
	if path == "" {
		return "PATH is empty, so that no program is found by its name"
	}
	return "programs are searched in PATH=" + path
}

// tellHidden warns when a command, or the output of one that failed, names what commands do not see: it looks to them as
// if it were not there.
func (t *tool) tellHidden(v view, tail []byte) bool {
	if t.Hidden == nil || t.Confined == nil || !t.Confined() {
		return false
	}
	home := ""
	if t.Env != nil {
		home = launch.Getenv(t.Env(), "HOME")
	}
	var named []string
	for _, path := range t.Hidden() {
		shown, spellings := path, []string{path}
		if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "" {
			shown = "~/" + rest
			spellings = append(spellings, shown, "$HOME/"+rest, "${HOME}/"+rest)
		}
		for _, spelling := range spellings {
			if mentions(v.job.Title, spelling) || mentions(string(tail), spelling) || shown == "~/.ssh" && bytes.Contains(tail, []byte("publickey")) {
				named = append(named, shown)
				break
			}
		}
	}
	if len(named) == 0 {
		return false
	}
	if named = t.untold(named); len(named) == 0 { // most that name it only speak of it
		return true
	}
	v.call.Warn(fmt.Sprintf("commands do not see %s: it looks empty or missing to them whatever is there. Do not make it anew; use the git tool for version control, or ask the user", strings.Join(named[:min(len(named), 5)], ", ")))
	return true
}

// mentions reports whether a path stands in a text, alone or with names below it.
func mentions(text, path string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], path)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(path)
		if (from == 0 || !inName(text[from-1])) && (to == len(text) || !inName(text[to]) || text[to] == '/') {
			return true
		}
		at = to
	}
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-/", c) >= 0
}

// told is an action that tells afterwards what commands have planted.
func told[In any](t *tool, run func(context.Context, *tools.Call, In) (*tools.Result, error)) func(context.Context, *tools.Call, In) (*tools.Result, error) {
	return func(ctx context.Context, c *tools.Call, in In) (*tools.Result, error) {
		res, err := run(ctx, c, in)
		t.tellPlanted(c)
		t.tellWeakened(c)
		return res, err
	}
}

// tellWeakened warns, once, of each way in which commands are less confined than they could be.
func (t *tool) tellWeakened(c *tools.Call) {
	if t.Weakened == nil {
		return
	}
	for _, note := range t.untold(t.Weakened()) {
		c.Warn("the sandbox is weaker than it could be: " + note)
	}
}

// untold are those of some texts that it has not been given before.
func (t *tool) untold(texts []string) (fresh []string) {
	t.planted.Lock()
	defer t.planted.Unlock()
	for _, text := range texts {
		if t.once[text] {
			continue
		}
		if t.once == nil {
			t.once = map[string]bool{}
		}
		t.once[text] = true
		fresh = append(fresh, text)
	}
	return fresh
}

// tellPlanted warns, once, of protected paths that have come into being where there were none. One that goes away and
// comes again is told again.
func (t *tool) tellPlanted(c *tools.Call) {
	if t.Planted == nil {
		return
	}
	t.planted.Lock()
	defer t.planted.Unlock()
	now := map[string]bool{}
	for _, path := range t.Planted() {
		if now[path] = true; !t.told[path] {
			c.Warn(fmt.Sprintf("%s was made or changed since the server started, by a command or by the user: programs may run what stands in it; look at it before you start them", path))
		}
	}
	t.told = now
}

// refused reports whether output ends with what the sandbox makes the system say.
func refused(tail []byte) bool {
	for _, text := range refusals {
		if bytes.Contains(tail, []byte(text)) {
			return true
		}
	}
	return false
}

// refusals are the system's words for EROFS, EACCES and EPERM.
var refusals = []string{"Read-only file system", "read-only file system", "EROFS", "Permission denied", "permission denied", "EACCES", "Operation not permitted", "operation not permitted", "Access is denied"}

func mentionsGit(line string) bool {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()", r) }) {
		if word == "git" || strings.HasSuffix(word, "/git") {
			return true
		}
	}
	return false
}

package exec

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// explain adds to a failure what its output alone would not tell: the sandbox, the search path.
func (t *tool) explain(v view, code int) {
	c := v.call
	end := v.job.Log().Len()
	tail, _ := v.job.Log().Slice(end-4096, end)
	if code != 126 && code != 127 && t.Confined != nil && t.Confined() && refused(tail) {
		hint := "the sandbox allows writes only under " + strings.Join(c.Roots.Dirs(), ", ") +
			", and there not to settings, hooks and git configuration"
		if mentionsGit(v.job.Title) {
			hint += "; use the git tool for version control, it may write the repository"
		}
		c.Warn(hint)
	}
	if t.Confined != nil && t.Confined() && bytes.Contains(tail, []byte("No such file or directory")) && bytes.Contains(tail, []byte("/tmp/")) {
		c.Warn("commands see nothing of /tmp but the roots, and may write in $TMPDIR only: copy what they need into the project, or let the user give its folder by --allow-path")
	}
	if code == 127 && t.Env != nil {
		c.Warn(fmt.Sprintf("programs are searched in PATH=%s", launch.Getenv(t.Env(), "PATH")))
	}
}

// tellPlanted warns of protected paths that a command has made where there were none.
func (t *tool) tellPlanted(c *tools.Call) {
	if t.Planted == nil {
		return
	}
	for _, path := range t.Planted() {
		if _, again := t.told.LoadOrStore(path, true); !again {
			c.Warn(fmt.Sprintf("%s was made by a command since the server started: programs may run what stands in it; look at it before you start them", path))
		}
	}
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

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

// told is an action that tells afterwards what commands have planted.
func told[In any](t *tool, run func(context.Context, *tools.Call, In) (*tools.Result, error)) func(context.Context, *tools.Call, In) (*tools.Result, error) {
	return func(ctx context.Context, c *tools.Call, in In) (*tools.Result, error) {
		res, err := run(ctx, c, in)
		t.tellPlanted(c)
		return res, err
	}
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
			c.Warn(fmt.Sprintf("%s was made since the server started, by a command or by the user: programs may run what stands in it; look at it before you start them", path))
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

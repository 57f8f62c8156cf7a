package git

import "github.com/hanzoai/hanzo-mcp/tools"

// unsupported is the answer of the embedded backend to what it cannot do, or would do wrongly.
func unsupported(what string) error {
	return tools.Errorf(tools.Unsupported, "%s needs the git program, which is not installed; the embedded one does status, diff, show, branch, log, init, add, commit and clone", what)
}

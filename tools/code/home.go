package code

import (
	"context"
	"io"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
)

// Where the servers start that read the configuration of one folder only. A project of Python in a folder of a repository
// has its own, with search paths and a venv that are relative to it; what it says holds for the files below it. It names
// folders to read and checks to make: the interpreter that is asked for search paths is the user's, wherever it is started.

const (
	maxConfig = 256 << 10 // bytes of a pyproject.toml that are looked at
	maxHomes  = 4         // folders whose servers are started ahead for one question
)

// pyrightSection matches the section of pyproject.toml that configures pyright.
var pyrightSection = tools.Pattern(`(?m)^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*(based)?pyright[ \t]*[\].]`)

// homeOf is the folder that the server for a file is started for: top, or the nearest folder above the file that configures
// a server which reads that.
func homeOf(ctx context.Context, c *tools.Call, spec *lsp.Spec, p, top sandbox.Path) sandbox.Path {
	if !spec.ByConfig {
		return top
	}
	for dir := p.Dir(); dir.Rel != top.Rel && dir.Rel != "."; dir = dir.Dir() {
		if configures(ctx, c, dir) {
			return dir
		}
	}
	return top
}

// configures reports whether a folder holds the configuration of pyright.
func configures(ctx context.Context, c *tools.Call, dir sandbox.Path) bool {
	if fi, err := c.Roots.Lstat(dir.Join("pyrightconfig.json")); err == nil && fi.Mode().IsRegular() {
		return true
	}
	f, err := c.Roots.Open(dir.Join("pyproject.toml"))
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(ctxReader{ctx, f}, maxConfig))
	return err == nil && pyrightSection().Match(text)
}

// isOutside reports whether a file is not below the folder that the server was started for: then it does not come to know it by
// itself.
func (k *talk) isOutside(file string) bool {
	return k.home.Rel != k.root.Rel && !strings.HasPrefix(file, k.home.String()+"/")
}

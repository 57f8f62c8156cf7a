//go:build unix

package git

import (
	"os"
	"slices"
	"strconv"
	"syscall"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// owned refuses a repository of another user, as git does unless the user's own config names it in safe.directory.
func (r *repo) owned() error {
	for _, p := range []sandbox.Path{r.top, r.gitDir} {
		fi, err := r.roots.Lstat(p)
		if err != nil {
			return err
		}
		st, ok := fi.Sys().(*syscall.Stat_t)
		if !ok || int(st.Uid) == os.Geteuid() || os.Geteuid() == 0 && os.Getenv("SUDO_UID") == strconv.Itoa(int(st.Uid)) {
			continue
		}
		s, err := r.plainSettings()
		if err != nil {
			return err
		}
		var safe []string
		for _, one := range s.list {
			if one.key == "safe.directory" && !one.local {
				if safe = append(safe, one.value); one.value == "" {
					safe = nil
				}
			}
		}
		if !slices.Contains(safe, "*") && !slices.Contains(safe, r.top.Abs()) {
			return tools.Errorf(tools.PermissionDenied, "detected dubious ownership: %s belongs to another user; only the user can decide to trust it (git config --global safe.directory)", p.Abs())
		}
	}
	return nil
}

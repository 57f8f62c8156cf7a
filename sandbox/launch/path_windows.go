package launch

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
)

// candidates tries the extensions of PATHEXT, as the shell does.
func candidates(file string, env []string) []string {
	exts := Getenv(env, "PATHEXT")
	if exts == "" {
		exts = ".com;.exe;.bat;.cmd"
	}
	var out []string
	if filepath.Ext(file) != "" {
		out = append(out, file)
	}
	for e := range strings.SplitSeq(strings.ToLower(exts), ";") {
		if strings.HasPrefix(e, ".") {
			out = append(out, file+e)
		}
	}
	return out
}

func executable(_ string, st fs.FileInfo) bool { return st.Mode().IsRegular() }

// runShell: a desktop start on Windows has the user's whole PATH.
func runShell(context.Context, string, string, []string) (string, error) { return "", nil }

package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// expand gives absolute, clean paths for "~/…" and absolute ones, and drops others.
func expand(home string, paths []string) []string {
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	var out []string
	for _, p := range paths {
		if p == "~" || strings.HasPrefix(p, "~/") {
			if home == "" {
				continue
			}
			p = filepath.Join(home, p[1:])
		}
		if filepath.IsAbs(p) {
			out = append(out, filepath.Clean(p))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// within reports whether path is dir or lies below it; both are clean.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// own are the folders of the server's that children may write. Caches that another
// user can fill are not among them.
func (c Config) own() []string {
	if c.CacheDir == "" || ownFolder(c.CacheDir) != nil {
		return []string{c.TempDir}
	}
	return []string{c.TempDir, c.CacheDir}
}

// realPaths resolves links; what does not exist is dropped.
func realPaths(paths []string) []string {
	var out []string
	for _, p := range paths {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			out = append(out, real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// protectedPaths are the absolute paths that stay read-only inside the writable
// ones, whether they exist or not. all is false when there are more.
func protectedPaths(cfg Config) (out []string, all bool) {
	all = true
	if len(cfg.Protect) == 0 {
		return nil, all
	}
	writable, _ := writablePaths(cfg)
	for _, p := range cfg.Protect {
		if filepath.IsAbs(p) || strings.HasPrefix(p, "~") {
			out = append(out, expand(cfg.Home, []string{p})...)
			continue
		}
		if _, ok := gitName(p); ok {
			continue
		}
		for _, w := range writable {
			if q := filepath.Join(w, p); within(q, w) && q != w {
				out = append(out, q)
			}
		}
	}
	if names := gitNames(cfg.Protect); len(names) > 0 {
		for _, w := range writable {
			for _, dir := range []string{filepath.Join(w, ".git"), w} {
				if dir == w && !isGitDir(w) {
					continue
				}
				guards, whole := gitGuards(dir, names)
				out, all = append(out, guards...), all && whole
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), all
}

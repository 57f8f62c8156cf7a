package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// watched is a repository that is not guarded, by what git obeys in it: a change
// is told.
type watched struct {
	paths    []string
	versions []fileVersion
}

// maxHooks is how many hooks of a repository are watched one by one.
const maxHooks = 32

func newWatched(dir string) watched {
	w := watched{paths: []string{filepath.Join(dir, "config"), filepath.Join(dir, "hooks"), filepath.Join(dir, "commondir")}}
	if st, err := os.Lstat(dir); err == nil && st.Mode().IsRegular() {
		w.paths = []string{dir} // it names the folder
	}
	hooks, _ := os.ReadDir(filepath.Join(dir, "hooks"))
	hooks = slices.DeleteFunc(hooks, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".sample") })
	for _, e := range hooks[:min(len(hooks), maxHooks)] {
		w.paths = append(w.paths, filepath.Join(dir, "hooks", e.Name()))
	}
	for _, path := range w.paths {
		version, _ := versionOf(path)
		w.versions = append(w.versions, version)
	}
	return w
}

// changed lists what is another than it was. What is gone is nothing to obey.
func (w *watched) changed() []string {
	var out []string
	for i, path := range w.paths {
		if version, ok := versionOf(path); ok && version != w.versions[i] {
			out = append(out, path)
		}
	}
	return out
}

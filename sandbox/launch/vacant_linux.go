package launch

import (
	"path/filepath"
	"time"
)

// vacant watches paths where nothing was. They are looked for only when a folder has changed in which one of them, or
// the folders that lead to it, would be: that is a few calls instead of one for each path.
type vacant struct {
	paths []string
	dirs  map[string]fileVersion
	found []string
}

// sameTick is how long after a change another one may leave the folder's time as it is.
const sameTick = 50 * time.Millisecond

// appeared lists the paths that are there now.
func (v *vacant) appeared() []string {
	if v.dirs != nil && v.unchanged() {
		return v.found
	}
	now := time.Now()
	v.found, v.dirs = nil, map[string]fileVersion{}
	for _, path := range v.paths {
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			if _, seen := v.dirs[dir]; seen {
				break
			}
			version, ok := versionOf(dir) // before the look: what comes after it changes the folder again
			if ok {
				if changed := time.Unix(version.sec, version.nsec); now.Sub(changed) < sameTick {
					version = fileVersion{}
				}
				v.dirs[dir] = version
				break
			}
			if filepath.Dir(dir) == dir {
				break
			}
		}
		if exists(path) {
			v.found = append(v.found, path)
		}
	}
	return v.found
}

func (v *vacant) unchanged() bool {
	for dir, version := range v.dirs {
		if now, ok := versionOf(dir); !ok || now != version {
			return false
		}
	}
	return true
}

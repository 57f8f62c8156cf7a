package launch

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// vacant watches paths where nothing was. They are looked for only when a folder has changed in which one of them, or
// the folders that lead to it, would be: that is a few calls instead of one for each path.
type vacant struct {
	paths []string
	dirs  map[string]dirVersion
	found []string
}

// dirVersion changes with the names in a folder. The time is the one that no program can set.
type dirVersion struct{ ino, sec, nsec uint64 }

// sameTick is how long after a change another one may leave the folder's time as it is.
const sameTick = 50 * time.Millisecond

func dirVersionOf(dir string) (v dirVersion, ok bool) {
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return dirVersion{}, false
	}
	return dirVersion{st.Ino, uint64(st.Ctim.Sec), uint64(st.Ctim.Nsec)}, true
}

// appeared lists the paths that are there now.
func (v *vacant) appeared() []string {
	if v.dirs != nil && v.unchanged() {
		return v.found
	}
	now := time.Now()
	v.found, v.dirs = nil, map[string]dirVersion{}
	for _, path := range v.paths {
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			if _, seen := v.dirs[dir]; seen {
				break
			}
			version, ok := dirVersionOf(dir) // before the look: what comes after it changes the folder again
			if ok {
				if changed := time.Unix(int64(version.sec), int64(version.nsec)); now.Sub(changed) < sameTick {
					version = dirVersion{}
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
		if now, ok := dirVersionOf(dir); !ok || now != version {
			return false
		}
	}
	return true
}

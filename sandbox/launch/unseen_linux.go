package launch

import (
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// unseen are the names of what is hidden from children, and of what would be if it
// came. The kernel drops a cover when another file takes the place of the covered
// one, as most programs save; so they are looked at before each start, and while
// children run.
type unseen struct {
	mu     sync.Mutex
	ids    map[string]fileID // where each name leads
	absent *vacant           // names where nothing is
}

func newUnseen(names []string) *unseen {
	u := &unseen{ids: map[string]fileID{}}
	for _, name := range names {
		if exists(name) {
			u.ids[name] = identify(name)
		}
	}
	u.leaveOut(names)
	return u
}

// leaveOut makes those of names absent that lead nowhere.
func (u *unseen) leaveOut(names []string) {
	u.absent = &vacant{}
	for _, name := range names {
		if _, there := u.ids[name]; !there {
			u.absent.paths = append(u.absent.paths, name)
		}
	}
}

// changed gives the names that lead elsewhere than they did.
func (u *unseen) changed() map[string]fileID {
	out := map[string]fileID{}
	for name, id := range u.ids {
		if now := identify(name); now != id {
			out[name] = now
		}
	}
	for _, name := range u.absent.appeared() {
		out[name] = identify(name)
	}
	return out
}

// take remembers what changed gave.
func (u *unseen) take(changed map[string]fileID) {
	names := slices.Clone(u.absent.paths)
	for name, id := range changed {
		if u.ids[name] = id; !exists(name) {
			delete(u.ids, name)
			names = append(names, name)
		}
	}
	u.leaveOut(names)
}

// lookAgain makes the next look one at all names, whatever the times of folders say.
func (u *unseen) lookAgain() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.absent.dirs = nil
}

// coverAgain covers what is hidden and another file than before, also for the
// children that run. It reports whether nothing is left for a new launcher to do.
func (in *instance) coverAgain() bool {
	in.unseen.mu.Lock()
	defer in.unseen.mu.Unlock()
	changed := in.unseen.changed()
	if len(changed) == 0 {
		return true
	}
	if in.mechanism != Namespaces {
		return false
	}
	var paths []string
	for name := range changed {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue // gone: looked for again
		}
		if slices.ContainsFunc(in.writable, func(w string) bool { return within(w, real) }) {
			return false // it cannot be hidden, which is told
		}
		paths = append(paths, real)
	}
	err := in.ask(killLimit, func(token uint64) *packer { return pack(frameCover).num(token).strs(outermost(paths)) })
	if err != nil {
		return false
	}
	in.unseen.take(changed)
	return true
}

// watch looks every second at what is hidden, for as long as children run.
func (in *instance) watch() {
	in.mu.Lock()
	in.watching = len(in.procs) > 0 && !in.dead
	on := in.watching
	in.mu.Unlock()
	if on {
		in.coverAgain()
		time.AfterFunc(lookEvery, in.watch)
	}
}

// coverAgain is that of the launchers before the ones in force, whose children run on.
func (l *Launcher) coverAgain() {
	l.mu.Lock()
	var old []*instance
	for in := range l.old {
		old = append(old, in)
	}
	l.mu.Unlock()
	for _, in := range old {
		in.coverAgain()
	}
}

package launch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// plan is what a launcher of one policy is to be made of, and what to watch:
// paths that were missing and would have been covered, files that may be replaced.
type plan struct {
	setup
	missing   []string
	vacant    *vacant         // those of missing that children can make, nil before the first look
	listening map[string]bool // sockets of others that were looked at
	repos     []*repoState
	noGit     []string          // writable folders without a .git
	ids       map[string]fileID // the writable folders that the launcher's mounts or rules are tied to
	places    map[string]fileID // the same of what is protected: a link is itself
	unseen    *unseen
	watched   []watched // repositories that are not guarded
	scout     *scout    // for those that come; nil without repositories to protect
	notes     []string
	weak      []string // notes that the user has to be told
	left      []string // of what was to be writable and is not, and why
}

// attempts are the ways to try, best first.
func attempts(cfg Config, policy Policy) []setup {
	var out []setup
	add := func(m Mechanism, s setup) {
		if cfg.Mechanism == Best || cfg.Mechanism == m {
			s.mechanism = m
			out = append(out, s)
		}
	}
	switch policy {
	case Unconfined:
		return []setup{{mechanism: None}}
	case Credentialed:
		if cfg.Mechanism != None {
			out = []setup{{mechanism: Landlock, perStart: true}}
		}
	default:
		add(Namespaces, setup{proc: true})
		// A container may refuse a new /proc.
		add(Namespaces, setup{})
		add(Landlock, setup{})
	}
	if cfg.Confine != Required {
		out = append(out, setup{mechanism: None})
	}
	return out
}

func makePlan(cfg Config, policy Policy, s setup) plan {
	p := plan{setup: s, unseen: newUnseen(nil)}
	p.cookie, p.marks = rand.Text(), newMarks()
	p.noNetwork = cfg.NoNetwork && policy != Credentialed && s.mechanism != None
	if cfg.NoNetwork && !p.noNetwork && policy != Credentialed {
		p.notes = append(p.notes, "the network cannot be taken away without confinement")
	}
	if s.mechanism == None {
		return p
	}
	if os.Geteuid() == 0 {
		p.notes = append(p.notes, "children of root have no capabilities: files of other owners are theirs as far as the modes say")
	}
	if s.perStart {
		p.readable, _ = readablePaths(nil)
		p.writable = cfg.tempPaths()
		return p
	}
	// A folder in a writable one is writable already. It is not opened up by its
	// name: a child of an older launcher could swap it meanwhile.
	p.ids = identities(slices.Concat(expand(cfg.Home, cfg.Writable), expand(cfg.Home, cfg.own())), identify)
	p.writable, p.left = writablePaths(cfg)
	p.writable = outermost(p.writable)
	p.unseen = newUnseen(expand(cfg.Home, cfg.Hidden))
	hidden, missing := hiddenPaths(cfg)
	if s.mechanism == Namespaces {
		p.empty(cfg)
		hidden = outermost(append(hidden, realPaths(p.sockets(cfg))...))
	}
	for _, h := range hidden {
		if slices.ContainsFunc(p.writable, func(w string) bool { return within(w, h) }) {
			p.notes = append(p.notes, h+" is not hidden: a writable folder lies in it")
			continue
		}
		p.hidden = append(p.hidden, h)
	}
	p.missing = slices.DeleteFunc(missing, func(path string) bool { return !p.inWritable(path) }) // made by children: told
	protect, all := protectedPaths(cfg)
	if !all {
		p.weak = append(p.weak, "the repository has more submodules or work trees than are guarded: the config and hooks of the others are writable for commands")
	}
	if policy == Repository {
		protect = outsideGit(protect)
	}
	if s.mechanism == Landlock {
		var err error
		if len(p.hidden) > 0 {
			p.notes = append(p.notes, "names of hidden files can be listed, sockets of other programs (docker.sock, agents) connected to: Landlock of this kernel covers neither")
		}
		if p.readable, err = readablePaths(p.hidden); err != nil {
			p.notes = append(p.notes, "nothing is hidden: "+err.Error())
			p.readable, _ = readablePaths(nil)
		}
		if len(protect) > 0 {
			p.notes = append(p.notes, "protected paths are writable for children: Landlock cannot except a part of a writable folder")
		}
		if p.noNetwork {
			p.notes = append(p.notes, "without network means without TCP: Landlock of this kernel leaves UDP")
		}
		p.notes = append(p.notes, "modes, owners and times of files outside can be changed: Landlock does not cover them")
		return p
	}
	if policy != Repository {
		for _, w := range p.writable {
			dir := filepath.Join(w, ".git")
			if isGitDir(dir) {
				p.repos = append(p.repos, newRepoState(w, dir))
			} else if real, ok := follow(dir, "gitdir: "); ok {
				p.repos = append(p.repos, newRepoState(w, real))
			} else if !exists(dir) {
				p.noGit = append(p.noGit, w)
			}
		}
		protect = slices.Concat(protect, p.nestedGuards(cfg), p.submoduleGuards(cfg))
	}
	p.holdPlaces(cfg)
	p.guards(protect, cfg.HoldMissing)
	p.watched = slices.DeleteFunc(p.watched, func(w watched) bool { // where .git leads by a link
		return slices.ContainsFunc(p.protect, func(path string) bool { return within(w.paths[0], path) })
	})
	p.places = identities(slices.Concat(p.protect, p.kept), identifyPlace)
	return p
}

// holdPlaces keeps in their places, where a writable folder holds them, the
// server's own folders and the links that hidden names are.
func (p *plan) holdPlaces(cfg Config) {
	for _, dir := range realPaths(expand(cfg.Home, cfg.own())) {
		if p.inWritable(dir) && !slices.Contains(p.writable, dir) {
			p.kept = append(p.kept, dir)
		}
	}
	for _, name := range expand(cfg.Home, cfg.Hidden) {
		_, links, _ := sandbox.Way(name)
		p.kept = append(p.kept, slices.DeleteFunc(links, func(link string) bool { return !p.inWritable(link) })...)
	}
}

// guards sorts out what can be bound read-only now, where the links of the
// protected names lead. A link is kept in its place.
func (p *plan) guards(protect []string, hold bool) {
	for _, path := range protect {
		lead := sandbox.Leading(path, p.writable)
		for _, link := range lead.Links {
			if p.inWritable(link) {
				p.kept = append(p.kept, link)
			}
		}
		if lead.Part {
			p.notes = append(p.notes, path+" leads to a folder that is more than it stands for: that stays writable, but for files in it that programs obey")
		}
		for _, end := range lead.Ends {
			p.guardEnd(end, hold)
		}
	}
	p.protect = outermost(p.protect) // what lies in a protected folder is protected already
	slices.Sort(p.kept)
	p.kept = slices.DeleteFunc(slices.Compact(p.kept), func(link string) bool {
		return slices.ContainsFunc(p.protect, func(dir string) bool { return within(link, dir) })
	})
	p.bound()
	p.missing = slices.DeleteFunc(p.missing, func(path string) bool { return slices.Contains(p.protect, path) })
}

// guardEnd guards a path without links. What is missing is watched, but for what
// git takes hooks and configuration from, whose place is held.
func (p *plan) guardEnd(path string, hold bool) {
	_, err := os.Lstat(path)
	switch {
	case err == nil || held(path):
		if p.inWritable(path) {
			p.protect = append(p.protect, path)
		}
	case errors.Is(err, fs.ErrPermission):
		// Its owner may open up the folder that nobody can look into.
		if dir := filepath.Dir(path); p.inWritable(dir) && !slices.Contains(p.writable, dir) {
			p.guardEnd(dir, hold)
		}
	case isFile(filepath.Dir(path)):
		// A linked work tree: its .git is a file that names the real folder.
		if dir := filepath.Dir(path); p.inWritable(dir) {
			p.protect = append(p.protect, dir)
		}
	case errors.Is(err, fs.ErrNotExist):
		if hold && p.inWritable(path) {
			p.protect = append(p.protect, path)
			return
		}
		p.missing = append(p.missing, path)
	}
}

// maxGuarded and maxGuardedText bound what a launcher guards: each is a mount,
// and all of them are one message to it.
const (
	maxGuarded     = 4000
	maxGuardedText = 2 << 20
)

// bound drops, and tells, what is too much to guard.
func (p *plan) bound() {
	for _, list := range []*[]string{&p.protect, &p.kept} {
		size := 0
		for i, path := range *list {
			if size += len(path); i >= maxGuarded || size > maxGuardedText {
				p.weak = append(p.weak, fmt.Sprintf("%d protected paths from %s on are writable for commands: there are too many", len(*list)-i, path))
				*list = (*list)[:i]
				break
			}
		}
	}
}

func (p *plan) inWritable(path string) bool {
	return slices.ContainsFunc(p.writable, func(w string) bool { return within(path, w) })
}

func isFile(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}

// fileID tells a file from another one of the same path, also of the same number,
// which goes to the next file when one is removed.
type fileID struct {
	major, minor uint32
	ino          uint64
	kind         uint16
	born         unix.StatxTimestamp // zero where the disk does not know
}

func identify(path string) fileID { return identity(path, 0) }

// identifyPlace is identify of a link itself.
func identifyPlace(path string) fileID { return identity(path, unix.AT_SYMLINK_NOFOLLOW) }

func identity(path string, flags int) fileID {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, flags, unix.STATX_TYPE|unix.STATX_INO|unix.STATX_BTIME, &st) != nil {
		return fileID{}
	}
	return fileID{st.Dev_major, st.Dev_minor, st.Ino, st.Mode & unix.S_IFMT, st.Btime}
}

func identities(paths []string, identify func(string) fileID) map[string]fileID {
	out := make(map[string]fileID, len(paths))
	for _, path := range paths {
		out[path] = identify(path)
	}
	return out
}

func differ(ids map[string]fileID, identify func(string) fileID) bool {
	for path, id := range ids {
		if identify(path) != id {
			return true
		}
	}
	return false
}

// replaced reports that a writable folder or a protected file is another one than
// the launcher's: mounts and rules stay with the old one, and what replaces a
// protected file is not covered.
func (p *plan) replaced() bool {
	return differ(p.ids, identify) || len(p.places) <= maxPlacesEach && p.moved()
}

// maxPlacesEach is how many protected places are looked at before each start;
// more are when paths that were missing are.
const maxPlacesEach = 400

// moved is replaced for protected places.
func (p *plan) moved() bool { return differ(p.places, identifyPlace) }

// appeared reports that a path came into being that the launcher would have
// covered: a new launcher must.
func (p *plan) appeared() bool {
	return slices.ContainsFunc(p.missing, func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil
	})
}

// hiddenPaths are the real paths to cover, and those that do not exist yet.
func hiddenPaths(cfg Config) (hidden, missing []string) {
	for _, h := range expand(cfg.Home, cfg.Hidden) {
		real, err := filepath.EvalSymlinks(h)
		if err != nil {
			missing = append(missing, h)
			continue
		}
		hidden = append(hidden, real)
	}
	// A cover inside a cover has nothing to cover.
	return outermost(hidden), missing
}

// outermost drops paths that lie in another.
func outermost(paths []string) []string {
	all := slices.Clone(paths)
	slices.SortFunc(all, func(a, b string) int { return len(a) - len(b) })
	var out []string
	for _, p := range all {
		if !slices.ContainsFunc(out, func(o string) bool { return within(p, o) }) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

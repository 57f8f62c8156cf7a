package launch

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
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
	ids       map[string]fileID // what the launcher's mounts or rules are tied to
	notes     []string
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
	p := plan{setup: s}
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
		p.writable = realPaths(expand(cfg.Home, []string{cfg.TempDir}))
		return p
	}
	// A folder in a writable one is writable already. It is not opened up by its
	// name: a child of an older launcher could swap it meanwhile.
	p.ids = map[string]fileID{}
	for _, path := range slices.Concat(expand(cfg.Home, cfg.Writable), expand(cfg.Home, []string{cfg.TempDir, cfg.CacheDir})) {
		p.ids[path] = identify(path)
	}
	p.writable = outermost(writablePaths(cfg))
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
	p.missing = missing
	protect := protectedPaths(cfg)
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
		protect = append(protect, p.nestedGuards(cfg)...)
		for _, w := range p.writable {
			dir := filepath.Join(w, ".git")
			if isGitDir(dir) {
				p.repos = append(p.repos, newRepoState(dir))
			} else if !exists(dir) {
				p.noGit = append(p.noGit, w)
			}
		}
	}
	p.guards(protect, cfg.HoldMissing)
	for _, path := range p.protect {
		p.ids[path] = identify(path)
	}
	return p
}

// guards sorts out what can be bound read-only now. What is missing is watched,
// but for what git takes hooks and configuration from, whose place is held.
func (p *plan) guards(protect []string, hold bool) {
	for _, path := range protect {
		_, err := os.Lstat(path)
		switch {
		case err == nil:
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				continue
			}
			if real != path {
				p.notes = append(p.notes, path+" is a link: what it leads to is read-only, the link can be replaced")
			}
			if p.inWritable(real) {
				p.protect = append(p.protect, real)
			}
		case held(path):
			p.protect = append(p.protect, path)
		case isFile(filepath.Dir(path)) && filepath.Base(filepath.Dir(path)) == ".git":
			// A linked work tree: its .git is a file that names the real folder.
			p.protect = append(p.protect, filepath.Dir(path))
		case errors.Is(err, fs.ErrNotExist):
			if hold && p.inWritable(path) {
				p.protect = append(p.protect, path)
				continue
			}
			p.missing = append(p.missing, path)
		}
	}
	p.protect = outermost(p.protect) // what lies in a protected folder is protected already
}

func (p *plan) inWritable(path string) bool {
	return slices.ContainsFunc(p.writable, func(w string) bool { return within(path, w) })
}

func isFile(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}

// fileID tells a file from another one of the same path.
type fileID struct{ dev, ino uint64 }

func identify(path string) fileID {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return fileID{}
	}
	return fileID{uint64(st.Dev), st.Ino}
}

// replaced reports that a writable folder or a protected file is another one than
// the launcher's: mounts and rules stay with the old one, and what replaces a
// protected file is not covered.
func (p *plan) replaced() bool {
	for path, id := range p.ids {
		if identify(path) != id {
			return true
		}
	}
	return false
}

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

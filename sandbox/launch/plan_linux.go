package launch

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// plan is what a launcher of one policy is to be made of, and what to watch:
// paths that were missing and would have been covered.
type plan struct {
	setup
	missing []string
	notes   []string
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
	p.cookie = rand.Text()
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
	p.writable = outermost(writablePaths(cfg))
	hidden, missing := hiddenPaths(cfg, s.mechanism == Namespaces)
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
	p.guards(protect, cfg.HoldMissing)
	return p
}

// guards sorts out what can be bound read-only now. What is missing is watched,
// but for the hooks of a repository, whose place is held.
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
		case filepath.Base(path) == "hooks" && isGitDir(filepath.Dir(path)):
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

// appeared reports that a path came into being that the launcher would have
// covered: a new launcher must.
func (p *plan) appeared() bool {
	return slices.ContainsFunc(p.missing, func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil
	})
}

// hiddenPaths are the real paths to cover, and those that do not exist yet. With
// covers, the sockets of agents, buses, containers and terminals are among them: a
// child could have others do what it may not.
func hiddenPaths(cfg Config, covers bool) (hidden, missing []string) {
	all := expand(cfg.Home, cfg.Hidden)
	if covers {
		all = append(all, sockets(cfg)...)
	}
	for _, h := range all {
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

// wellKnown sockets give a way out to who can connect.
var wellKnown = []string{
	"/run/docker.sock", "/run/containerd", "/run/podman", "/run/crio", "/run/buildkit", "/run/lxd.socket", "/run/incus", "/run/libvirt",
	"/run/snapd.socket", "/run/snapd-snap.socket", "/run/systemd/private", "/run/dbus", "/run/screen", "/run/tmux",
	"/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket",
}

// sockets finds the sockets that are there; wellKnown ones that are not are no
// reason for a new launcher.
func sockets(cfg Config) []string {
	var out []string
	add := func(path string) {
		if _, err := os.Stat(path); err == nil && filepath.IsAbs(path) {
			out = append(out, path)
		}
	}
	for _, path := range wellKnown {
		add(path)
	}
	add("/run/user/" + strconv.Itoa(os.Getuid()))
	for _, name := range []string{"XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"} {
		add(os.Getenv(name))
	}
	for _, name := range []string{"DOCKER_HOST", "CONTAINER_HOST"} {
		if path, ok := strings.CutPrefix(os.Getenv(name), "unix://"); ok {
			add(path)
		}
	}
	// tmux, X11, ssh-agent, editors and terminals keep theirs in /tmp; databases too.
	writable := writablePaths(cfg)
	var scan func(dir string, depth int)
	scan = func(dir string, depth int) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries[:min(len(entries), 2000)] {
			path := filepath.Join(dir, e.Name())
			if slices.ContainsFunc(writable, func(w string) bool { return within(path, w) }) {
				continue
			}
			switch {
			case e.Type()&os.ModeSocket != 0 && !strings.HasPrefix(e.Name(), ".s.PGSQL.") && !strings.HasPrefix(e.Name(), "mysql"):
				out = append(out, path)
			case e.IsDir() && depth > 0:
				scan(path, depth-1)
			}
		}
	}
	scan("/tmp", 1)
	return out
}

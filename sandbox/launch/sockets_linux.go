package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wellKnown sockets outside the private places give a way out to who can connect.
var wellKnown = []string{"/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket"}

// answering are sockets that only tell, or build in a sandbox of their own:
// names of users, Nix.
var answering = []string{"/var/lib/sss/pipes/nss", "/nix/var/nix/daemon-socket/socket"}

// maxSockets bounds the covers.
const maxSockets = 512

// sockets finds what children could connect to and have others do what they may
// not: wherever a program of this machine listens, and where one may listen that
// is in another network namespace. Those in a writable folder are the project's own.
func (p *plan) sockets(cfg Config) []string {
	p.listening = map[string]bool{}
	var out []string
	add := func(path string) {
		if filepath.IsAbs(path) && p.reachable(path) && !p.inWritable(path) && !slices.Contains(out, path) && exists(path) {
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
	for _, path := range listening() {
		p.listening[path] = true
		if !p.harmless(path) {
			add(path)
		}
	}
	var scan func(dir string, depth int)
	scan = func(dir string, depth int) {
		if !p.reachable(dir) {
			return
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries[:min(len(entries), 2000)] {
			path := filepath.Join(dir, e.Name())
			switch {
			case p.inWritable(path):
			case e.Type()&os.ModeSocket != 0 && !p.harmless(path):
				add(path)
			case e.IsDir() && depth > 0:
				scan(path, depth-1)
			}
		}
	}
	for _, dir := range append(realPaths(expand(cfg.Home, []string{"~", os.TempDir()})), p.shown...) {
		scan(dir, 1)
	}
	if len(out) > maxSockets {
		p.notes = append(p.notes, "sockets of other programs can be connected to: there are too many to cover each")
		out = out[:maxSockets]
	}
	return out
}

// harmless reports that children may connect: databases and answers to names are
// theirs as much as over TCP, so without the network they have none.
func (p *plan) harmless(path string) bool {
	name := filepath.Base(path)
	return !p.noNetwork && (strings.HasPrefix(name, ".s.PGSQL.") || strings.HasPrefix(name, "mysql") ||
		slices.ContainsFunc(inRunNetwork, func(dir string) bool { return within(path, dir) })) ||
		slices.Contains(answering, path)
}

// listening lists the paths that sockets of this network namespace are bound to,
// as /proc/net/unix has them. A path of another mount namespace is among them.
func listening() []string {
	data, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 8 {
			continue
		}
		flags, _ := strconv.ParseUint(f[3], 16, 64)
		const accepts, datagram = 0x10000, "0002"
		if flags&accepts == 0 && f[4] != datagram {
			continue
		}
		_, path, _ := strings.Cut(strings.TrimRight(line, "\n"), " "+f[6]+" ")
		if filepath.IsAbs(path) {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}

// called reports that a program listens where children could reach it since the
// covers were made.
func (p *plan) called() bool {
	if p.listening == nil {
		return false
	}
	for _, path := range listening() {
		if !p.listening[path] {
			p.listening[path] = true
			if p.reachable(path) && !p.inWritable(path) && !p.harmless(path) && exists(path) {
				return true
			}
		}
	}
	return false
}

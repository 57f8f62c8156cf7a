package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// places are where programs of the user meet: sockets of terminals, agents,
// buses and containers come and go there at any time and depth, and who connects
// to one has its owner act outside the sandbox. So children get them empty and
// read-only, with only the writable folders in them and what show adds.
var places = []string{"/tmp", "/var/tmp", "/run", "/var/run"}

// inRun of /run is there to be read. Its programs and disks first; then, where
// children have the network, what answers for names of hosts and users, and
// databases, which are no more than what TCP gives.
var (
	inRun        = []string{"/run/wrappers", "/run/media", "/run/shm"}
	inRunNetwork = []string{"/run/systemd/resolve", "/run/systemd/userdb", "/run/nscd", "/run/postgresql", "/run/mysqld", "/run/mariadb"}
)

// empty decides which places are emptied, and what is shown in them.
func (p *plan) empty(cfg Config) {
	for _, place := range outermost(realPaths(places)) {
		if p.inWritable(place) {
			p.notes = append(p.notes, place+" is shared with all programs, their sockets included: it is among the writable folders")
			continue
		}
		p.private = append(p.private, place)
	}
	// Writable ones for the links that lead to them.
	own := expand(cfg.Home, slices.Concat(cfg.Writable, cfg.Readable, cfg.own(), []string{"~"}))
	show := slices.Concat(own, inRun, filepath.SplitList(os.Getenv("PATH")), p.gitPlaces())
	if !p.noNetwork {
		show = append(show, inRunNetwork...)
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
			// Its folder: the file is replaced when the network changes.
			show = append(show, filepath.Dir(real), real)
		}
		dbs, _ := filepath.Glob("/tmp/.s.PGSQL.*")
		show = append(show, dbs...)
		show = append(show, "/tmp/mysql.sock")
	}
	// NixOS and Guix have their programs behind links in /run.
	entries, _ := os.ReadDir("/run")
	for _, e := range entries {
		link := filepath.Join("/run", e.Name())
		if real, err := filepath.EvalSymlinks(link); e.Type()&os.ModeSymlink != 0 && err == nil && !p.isPrivate(real) {
			show = append(show, link)
		}
	}
	for _, path := range show {
		p.show(path)
	}
	p.shown = outermost(p.shown)
}

// show lets children see a path in a place that is emptied, read-only.
func (p *plan) show(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return
	}
	if path = filepath.Clean(path); real != path && p.isPrivate(path) && !p.inWritable(path) {
		p.links = append(p.links, path, real)
	}
	if p.isPrivate(real) && !p.inWritable(real) && !slices.Contains(p.shown, real) {
		p.shown = append(p.shown, real)
	}
}

// isPrivate reports that path lies below a place that is emptied.
func (p *plan) isPrivate(path string) bool {
	return slices.ContainsFunc(p.private, func(place string) bool { return path != place && within(path, place) })
}

// reachable reports that children find there what is there on the host.
func (p *plan) reachable(path string) bool {
	in := func(dir string) bool { return within(path, dir) }
	return !slices.ContainsFunc(p.private, in) || slices.ContainsFunc(p.shown, in) || slices.ContainsFunc(p.writable, in)
}

// gitPlaces are the folders elsewhere that the .git of writable folders names, as a file or a link.
func (p *plan) gitPlaces() []string {
	var out []string
	for _, w := range p.writable {
		git := filepath.Join(w, ".git")
		dir, ok := follow(git, "gitdir: ")
		if !ok {
			if st, err := os.Lstat(git); err == nil && !st.IsDir() && isGitDir(git) {
				out = append(out, git)
			}
			continue
		}
		out = append(out, dir)
		if common, ok := follow(filepath.Join(dir, "commondir"), ""); ok {
			out = append(out, common)
		}
	}
	return out
}

// follow reads a path from a file of git, relative to the file's folder.
func follow(file, prefix string) (string, bool) {
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 8<<10 {
		return "", false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(file), to)
	}
	return filepath.Clean(to), ok
}

// kept are descriptors of what was in a place before it was emptied, by path.
type kept map[string]int

func (k kept) close() {
	for _, fd := range k {
		unix.Close(fd)
	}
}

// emptyPlaces puts an empty folder over each private place and what is shown into
// it. It returns the writable folders that are to be put into them too.
func (s *server) emptyPlaces() (kept, error) {
	k := kept{}
	for _, path := range slices.Concat(s.shown, s.writable) {
		if !slices.ContainsFunc(s.private, func(place string) bool { return within(path, place) }) {
			continue
		}
		fd, err := openReal(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) {
			continue // gone or swapped since the plan: then it is not there
		}
		if err != nil {
			return k, step("opening "+path, err)
		}
		k[path] = fd
	}
	for _, place := range s.private {
		err := byFd(place, func(name string) error {
			return unix.Mount("tmpfs", name, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0755,size=2m,nr_inodes=8k")
		})
		if err != nil {
			return k, step("emptying "+place, err)
		}
	}
	for _, path := range s.shown {
		if fd, ok := k[path]; ok {
			if err := attach(fd, path); err != nil {
				return k, step("showing "+path, err)
			}
		}
	}
	for i := 0; i+1 < len(s.links); i += 2 {
		os.MkdirAll(filepath.Dir(s.links[i]), 0o755)
		os.Symlink(s.links[i+1], s.links[i]) // no harm without it
	}
	return k, nil
}

// attach puts what fd is open on at path, whose mount point is made.
func attach(fd int, path string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	} else {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o444); err == nil {
			f.Close()
		}
	}
	return byFd(path, func(name string) error { return unix.Mount(fdName(fd), name, "", unix.MS_BIND|unix.MS_REC, "") })
}

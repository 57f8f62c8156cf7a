package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// tempFolder is the private folder of one run: children get its `tmp` as TMPDIR. A lock tells other runs that it is
// in use; one whose server was killed is removed by the next. Its parts are held open: what was put in their place is
// another folder, or a link.
type tempFolder struct {
	mu       sync.Mutex
	base     *os.Root // the folder that it is in; nil when there is none
	at       string   // the real path of base
	name     string
	run, tmp *os.File
	lock     *os.File
	fault    string // why there is none, said once
}

const (
	tempPrefix = "hanzo-mcp-run-"
	sweepAfter = time.Second // when the start is over
)

// tempDir is TMPDIR of children, made at first need; "" when none can be made. roots are folders that commands may
// write, more than the server knows by itself.
func (s *server) tempDir(roots ...string) string {
	t := &s.temp
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base != nil {
		return t.path("tmp")
	}
	if s.ended() {
		return "" // nobody would remove it
	}
	wanted, fault := os.TempDir(), ""
	for _, dir := range tempPlaces(wanted, s.env.getenv("XDG_RUNTIME_DIR"), s.commandsWrite(roots)) {
		err := t.create(dir)
		if err == nil {
			break
		}
		fault = strings.TrimPrefix(fault+"; "+err.Error(), "; ")
	}
	switch {
	case t.base == nil && t.fault == "":
		t.fault = "there is no private temporary folder, so commands may find none: " + fault + " (TMPDIR names another place)"
		s.ui.warnf("%s", t.fault)
	case t.base == nil:
	case fault != "":
		s.ui.warnf("temporary files of commands are in %s: %s", t.at, fault)
	case t.at != realPath(wanted):
		s.ui.infof("temporary files of commands are in %s: they could put a link in the place of a folder in %s", t.at, wanted)
	}
	if t.base == nil {
		return ""
	}
	ours := t.path()
	time.AfterFunc(sweepAfter, func() { sweepTemp(ours) })
	return t.path("tmp")
}

// tempPlaces lists where the folder may be, best first. What lies where commands write, or by a link there, comes last:
// they can put a link in the place of a folder.
func tempPlaces(wanted, runtimeDir string, theirs []string) []string {
	places := []string{wanted}
	if runtime.GOOS != "windows" {
		places = append(places, "/tmp", "/var/tmp", runtimeDir)
	}
	var good, last []string
	for _, dir := range places {
		real := realPath(dir)
		switch {
		case dir == "" || slices.Contains(good, real) || slices.Contains(last, real):
		case inTheirHands(dir, theirs):
			last = append(last, real)
		default:
			good = append(good, real)
		}
	}
	return append(good, last...)
}

// inTheirHands reports whether dir, or a link on the way to it, lies in one of some folders.
func inTheirHands(dir string, theirs []string) bool {
	end, links, _ := sandbox.Way(absPath(dir))
	return slices.ContainsFunc(append(links, end), func(place string) bool {
		return slices.ContainsFunc(theirs, func(w string) bool { return within(place, w) })
	})
}

// commandsWrite are the folders that commands may write, as far as they are known before a client tells its own.
func (s *server) commandsWrite(more []string) []string {
	set := s.userSet()
	allowed, _ := set.AllowedPaths()
	var list []string
	for _, dir := range slices.Concat(more, s.ownRoots(), s.absolute(s.opts.allowPaths), allowed, set.Writable()) {
		if u, err := url.Parse(dir); err == nil && u.Scheme == "file" {
			dir = filepath.FromSlash(u.Path)
		}
		if rest, ok := strings.CutPrefix(dir, "~"); ok {
			dir = s.env.home + rest
		}
		list = append(list, realPath(dir))
	}
	return list
}

func realPath(dir string) string {
	if real, err := filepath.EvalSymlinks(absPath(dir)); err == nil {
		return real
	}
	return absPath(dir)
}

func absPath(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return filepath.Clean(dir)
}

// within reports whether an absolute path is a folder or lies in it, by their spelling.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// path is that of a part of the folder, or of all.
func (t *tempFolder) path(part ...string) string {
	return filepath.Join(append([]string{t.at, t.name}, part...)...)
}

// create makes the folder in dir.
func (t *tempFolder) create(dir string) error {
	run, err := os.MkdirTemp(dir, tempPrefix)
	if err != nil {
		return err
	}
	t.at, t.name = dir, filepath.Base(run)
	if t.base, err = os.OpenRoot(dir); err != nil {
		_ = os.Remove(run)
		return err
	}
	if t.run, err = t.base.Open(t.name); err == nil {
		err = t.fill()
	}
	if err != nil {
		_ = t.remove()
	}
	return err
}

// fill makes what is missing in the folder, and holds it.
func (t *tempFolder) fill() (err error) {
	if t.lock == nil {
		if t.lock, err = t.base.OpenFile(filepath.Join(t.name, "lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return err
		}
		_, _ = sandbox.TryLock(t.lock) // where nothing can be locked nothing is swept either
	}
	return t.hold(filepath.Join(t.name, "tmp"), &t.tmp)
}

// hold makes a part anew unless it is the one that is held. What stands in its place is removed, but for a folder that
// is not empty.
func (t *tempFolder) hold(part string, held **os.File) error {
	now, err := t.base.Lstat(part)
	if err == nil && same(now, *held) {
		return nil
	}
	if err == nil {
		if err := t.base.Remove(part); err != nil {
			return err
		}
	}
	if err := t.base.Mkdir(part, 0o700); err != nil {
		return err
	}
	f, err := t.base.Open(part)
	if err != nil {
		return err
	}
	if *held != nil {
		(*held).Close()
	}
	*held = f
	return nil
}

// same reports whether what stands somewhere is the folder that is held.
func same(now os.FileInfo, held *os.File) bool {
	if held == nil || !now.IsDir() {
		return false
	}
	info, err := held.Stat()
	return err == nil && os.SameFile(now, info)
}

// check is asked before each start of a child: TMPDIR is still the folder that was made, or is made anew where it was.
// That there is none is no error; that something else stands there is.
func (t *tempFolder) check() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base == nil || t.stands() {
		return nil
	}
	err := t.again()
	if t.stands() {
		return nil
	}
	if _, there := os.Lstat(t.path("tmp")); errors.Is(there, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = errors.New("something else stands there")
	}
	return fmt.Errorf("the temporary folder of commands, %s, was replaced, so none is started: %w; remove what stands there, or restart the server", t.path("tmp"), err)
}

// stands reports whether the path of TMPDIR leads to the folder that is held.
func (t *tempFolder) stands() bool {
	now, err := os.Lstat(t.path("tmp"))
	return err == nil && same(now, t.tmp)
}

// again makes in base what is gone or was replaced.
func (t *tempFolder) again() error {
	before, err := t.run.Stat()
	if err != nil {
		return err
	}
	if err := t.hold(t.name, &t.run); err != nil {
		return err
	}
	if now, err := t.run.Stat(); err == nil && !os.SameFile(before, now) {
		t.lock.Close()
		t.lock = nil
	}
	return t.fill()
}

// remove removes the folder.
func (t *tempFolder) remove() error {
	for _, f := range []*os.File{t.tmp, t.lock, t.run} { // Windows keeps what is open
		if f != nil {
			f.Close()
		}
	}
	err := t.base.RemoveAll(t.name)
	t.base.Close()
	t.base, t.run, t.tmp, t.lock = nil, nil, nil, nil
	return err
}

// missing says why there is no folder, in a list that is empty when there is one.
func (t *tempFolder) missing() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base != nil || t.fault == "" {
		return nil
	}
	return []string{t.fault}
}

// sweepTemp removes the folders of runs that were killed.
func sweepTemp(ours string) {
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(ours), tempPrefix+"*"))
	for _, run := range old {
		info, err := os.Lstat(run)
		if run == ours || err != nil || !info.IsDir() || ownAlone(run, info) != nil {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(run, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue // being made, or not ours
		}
		free, _ := sandbox.TryLock(lock)
		if free {
			_ = os.RemoveAll(run)
		}
		lock.Close()
		if free {
			_ = os.RemoveAll(run) // Windows keeps an open file
		}
	}
}

func (s *server) removeTemp() {
	t := &s.temp
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base == nil {
		return
	}
	if err := t.remove(); err != nil {
		s.ui.debugf("removing %s: %v", t.path(), err)
	}
}

package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What cannot be guarded is told and takes the confinement of the rest from nobody.
func TestAFailedGuardLeavesTheMechanism(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	write(t, filepath.Join(w, "real/config"), "x")
	write(t, filepath.Join(w, "settings"), "x")
	os.Symlink("real", filepath.Join(w, "swapped"))
	cfg := Config{Writable: []string{w}, Protect: []string{"settings"}, Mechanism: Namespaces, Confine: Required}
	p := makePlan(cfg, Confined, setup{mechanism: Namespaces})
	p.protect = append(p.protect, filepath.Join(w, "swapped/config")) // as when a child puts a link there after the look
	p.kept = append(p.kept, filepath.Join(w, "swapped/none"), filepath.Join(w, "real/config/x"))
	in, err := launch(t.Context(), cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	l := newLauncher(t, cfg)
	l.slots[Confined].in = in
	in.lastLook = time.Now()
	if len(in.weak) != 1 || !strings.Contains(in.weak[0], "swapped/config is not protected") {
		t.Errorf("told: %q", in.weak)
	}
	if _, s := run(t, l, w, "echo x >>settings"); s.Success() {
		t.Error("nothing else is protected")
	}
}

// A weaker mechanism than the first is told, once.
func TestAWeakerMechanismIsTold(t *testing.T) {
	t.Parallel()
	told := make(chan string, 10)
	l := newLauncher(t, Config{Writable: []string{"/dev/shm"}, Warn: func(s string) { told <- s }})
	for range 2 {
		if _, s := run(t, l, "/", "true"); !s.Success() {
			t.Error(s)
		}
		l.Reconfigure(l.cfg)
	}
	if got := l.Weakened(); len(got) != 1 || !strings.Contains(got[0], "confined by landlock only") || !strings.Contains(got[0], "/dev/shm cannot be made writable") {
		t.Errorf("%q", got)
	}
	if len(told) != 1 {
		t.Errorf("told %d times", len(told))
	}
	fine := newLauncher(t, Config{Writable: []string{t.TempDir()}, Mechanism: Namespaces})
	run(t, fine, "/", "true")
	if got := fine.Weakened(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// More submodules than are guarded are told, and do not end the confinement.
func TestMoreModulesThanAreGuarded(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	for i := range maxModules + 3 {
		for _, f := range []string{"HEAD", "config", "objects/x", "refs/x"} {
			write(t, filepath.Join(w, fmt.Sprintf(".git/modules/%d", i), f), "")
		}
	}
	l := newLauncher(t, Config{Writable: []string{w}, Protect: []string{".git/config", ".git/modules"}, Mechanism: Namespaces})
	if _, s := run(t, l, w, "echo x >>.git/modules/7/config"); s.Success() {
		t.Error("none is guarded")
	}
	if got := l.Weakened(); !strings.Contains(strings.Join(got, "\n"), "more submodules") {
		t.Errorf("%q", got)
	}
}

// So are more repositories than are looked for.
func TestMoreRepositoriesThanAreGuarded(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	for i := range nestedMost + 3 {
		write(t, filepath.Join(w, fmt.Sprintf("a/%d/.git/HEAD", i)), "")
		write(t, filepath.Join(w, fmt.Sprintf("b/c/%d/.git/HEAD", i)), "")
	}
	l := newLauncher(t, Config{Writable: []string{w}, Protect: []string{".git/config"}, Mechanism: Namespaces})
	mustRun(t, l, w, "true")
	if got := l.Weakened(); !strings.Contains(strings.Join(got, "\n"), "of the repositories inside") {
		t.Errorf("%q", got)
	}
}

// A protected folder that its owner cannot look into is not opened up and filled.
func TestAFolderThatNobodyCanLookInto(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Log("root looks into all folders: only that nothing breaks is tried")
	}
	w := t.TempDir()
	gitRepo(t, w)
	sealed := filepath.Join(w, ".git")
	os.Chmod(sealed, 0)
	t.Cleanup(func() { os.Chmod(sealed, 0o755) })
	l := newLauncher(t, Config{Writable: []string{w}, Protect: []string{".git/config", ".git/hooks"}, Mechanism: Namespaces})
	if _, s := run(t, l, w, "chmod 755 .git; echo x >>.git/config"); s.Success() {
		t.Error("opened up and written")
	}
}

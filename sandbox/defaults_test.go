package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestDefaultRoots(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home", "me")
	for _, d := range []string{
		"home/me/src/plain", "home/me/.config/app", "home/me/.dots/.git", "home/me/Library/app", "home/you", "repo/.git", "repo/sub", "go", "plain", "odd/.hanzo",
	} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"go/go.mod", "gitfile/.git"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(base, "to-home")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(base, "repo", "to-top")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wd   string
		home string
		ok   bool
	}{
		{"home/me/src/plain", home, true}, {"home/me/src", home, true}, {"repo", home, true}, {"go", home, true}, {"gitfile", home, true}, {"odd", home, true}, {"home/me/.dots", home, true},
		{"to-home/src", home, true}, {"home/me/src", filepath.Join(base, "to-home"), true},
		{"home/me", home, false}, {"home", home, false}, {".", home, false}, {"to-home", home, false}, {"home/me", filepath.Join(base, "to-home"), false},
		{"home/me/.config/app", home, false}, {"home/me/.config", home, false}, {"home/me/Library/app", home, false}, {"repo/sub", home, false}, {"plain", home, false},
		{"gone", home, false}, {"go/go.mod", home, false}, {"repo/to-top", home, false}, {"home/you", home, false},
		{"plain", "", false}, {"repo", "", true}, {"plain", "/", false}, {"repo", "/", true},
	} {
		dirs, reason := DefaultRoots(filepath.Join(base, c.wd), c.home)
		if (len(dirs) == 1) != c.ok || (reason == "") != c.ok {
			t.Errorf("%s with home %s: %v, %q", c.wd, c.home, dirs, reason)
		}
		if c.ok && len(dirs) == 1 && dirs[0] != real(filepath.Join(base, c.wd)) {
			t.Errorf("%s: %v", c.wd, dirs)
		}
	}
	if runtime.GOOS == "linux" {
		for _, wd := range []string{"/", "/usr", "/usr/bin", "/etc", "/tmp", "/home", "/var", "/opt", "/proc/self", "/dev", "", "relative"} {
			if dirs, reason := DefaultRoots(wd, "/home/me"); len(dirs) != 0 || reason == "" {
				t.Errorf("%q: %v", wd, dirs)
			}
		}
	}
}

// TestSystemFolders: a manifest or repository there changes nothing.
func TestSystemFolders(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("other names on Windows")
	}
	for _, c := range []struct {
		dir string
		git bool
		in  bool
	}{
		{"/usr/share/app", true, true}, {"/etc/app", true, true}, {"/Applications/X.app", true, true}, {"/opt/app", false, true}, {"/opt/app", true, false}, {"/var/www/site", false, false},
		{"/var/lib/app", false, true}, {"/srv/x", false, false}, {"/srv", true, true}, {"/usrlocal", false, false}, {"/tmp/x", false, false}, {"/tmp", true, true},
	} {
		if _, in := systemFolder(c.dir, c.git, false); in != c.in {
			t.Errorf("%s, repository %v: %v", c.dir, c.git, in)
		}
	}
}

func TestDetectContainer(t *testing.T) {
	t.Parallel()
	const id = "4f1c7e9a"
	for _, c := range []struct {
		name, cgroup string
		files, env   string
		kind         string
		sure         bool
	}{
		{name: "nothing", kind: "", sure: true},
		{name: "bare cgroup 2", cgroup: "0::/\n", kind: "", sure: true},
		{name: "host with systemd", cgroup: "0::/init.scope\n", kind: "", sure: true},
		{name: "host service named docker", cgroup: "0::/system.slice/docker.service\n", kind: "", sure: true},
		{name: "user folder named docker-x", cgroup: "0::/user.slice/docker-desktop\n", kind: "", sure: true},
		{name: "docker, cgroup 1", cgroup: "12:cpu:/docker/" + id + "\n1:name=systemd:/docker/" + id + "\n", kind: "docker", sure: true},
		{name: "docker, systemd driver", cgroup: "0::/system.slice/docker-" + id + ".scope\n", kind: "docker", sure: true},
		{name: "podman", cgroup: "0::/machine.slice/libpod-" + id + ".scope/container\n", kind: "podman", sure: true},
		{name: "pod on docker", cgroup: "5:cpu:/kubepods/besteffort/pod1/docker-" + id + ".scope\n", kind: "k8s", sure: true},
		{name: "pod, systemd driver", cgroup: "0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-" + id + ".scope\n", kind: "k8s", sure: true},
		{name: "file says docker", cgroup: "0::/\n", files: "/.dockerenv", kind: "docker", sure: true},
		{name: "file says podman", cgroup: "0::/\n", files: "/run/.containerenv", kind: "podman", sure: true},
		{name: "docker file in a pod", cgroup: "0::/\n", files: "/.dockerenv", env: "10.0.0.1", kind: "docker", sure: true},
		{name: "cgroup before file", cgroup: "0::/libpod-1", files: "/.dockerenv", kind: "podman", sure: true},
		{name: "variable alone", cgroup: "0::/\n", env: "10.0.0.1", kind: "k8s", sure: false},
		{name: "odd text", cgroup: ":::\n\ndocker\n0:docker\n", kind: "", sure: true},
	} {
		kind, sure := DetectContainer(Probe{
			ReadFile: func(name string) ([]byte, error) {
				if name != "/proc/1/cgroup" || c.cgroup == "" {
					return nil, errors.New("none")
				}
				return []byte(c.cgroup), nil
			},
			Exists: func(name string) bool { return name == c.files },
			Getenv: func(key string) string {
				if key == "KUBERNETES_SERVICE_HOST" {
					return c.env
				}
				return ""
			},
		})
		if kind != c.kind || sure != c.sure {
			t.Errorf("%s: %q, %v", c.name, kind, sure)
		}
	}
	DetectContainer(Probe{}) // the real machine, whatever it is
}

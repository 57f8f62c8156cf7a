package sandbox

import (
	"os"
	"strings"
)

// Probe is how DetectContainer looks at the machine. Nil members mean the real one.
type Probe struct {
	ReadFile func(name string) ([]byte, error)
	Exists   func(name string) bool
	Getenv   func(key string) string
}

// DetectContainer names the container runtime that the server runs in: "docker",
// "podman", "k8s" or "" for none. It looks in HIP-0301's order: /proc/1/cgroup,
// /.dockerenv, /run/.containerenv, KUBERNETES_SERVICE_HOST. A bare "0::/" in the
// first says nothing (every cgroup namespace shows it). sure is false when only
// the variable says so, which anybody can set: worth a line on stderr, since a
// container's default mode is Off.
func DetectContainer(p Probe) (kind string, sure bool) {
	if p.ReadFile == nil {
		p.ReadFile = os.ReadFile
	}
	if p.Exists == nil {
		p.Exists = func(name string) bool { _, err := os.Lstat(name); return err == nil }
	}
	if p.Getenv == nil {
		p.Getenv = os.Getenv
	}
	if b, err := p.ReadFile("/proc/1/cgroup"); err == nil {
		if kind := cgroupKind(string(b)); kind != "" {
			return kind, true
		}
	}
	switch {
	case p.Exists("/.dockerenv"):
		return "docker", true
	case p.Exists("/run/.containerenv"):
		return "podman", true
	case p.Getenv("KUBERNETES_SERVICE_HOST") != "":
		return "k8s", false
	}
	return "", true
}

// cgroupKind reads lines of the form "id:controllers:path" and judges whole
// names of the path. Kubernetes comes first: its pods may run on docker.
func cgroupKind(text string) string {
	kind := ""
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		_, group, _ := strings.Cut(rest, ":")
		for name := range strings.SplitSeq(group, "/") {
			switch {
			case name == "kubepods" || strings.HasPrefix(name, "kubepods-") || strings.HasPrefix(name, "kubepods."):
				return "k8s"
			case strings.HasPrefix(name, "libpod-") || name == "libpod_parent":
				kind = "podman"
			case kind == "" && (name == "docker" || strings.HasPrefix(name, "docker-") && strings.HasSuffix(name, ".scope")):
				kind = "docker"
			}
		}
	}
	return kind
}

package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

const sandboxExec = "/usr/bin/sandbox-exec"

// wrapper runs children under sandbox-exec when a trial write under it was refused.
type wrapper struct {
	works bool
	why   string
}

func newWrapper() wrapper {
	dir, err := os.MkdirTemp("", "hanzo-mcp-trial-")
	if err != nil {
		return wrapper{why: err.Error()}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "written")
	trial := func(profile string) bool {
		cmd := exec.Command(sandboxExec, "-p", profile, "/usr/bin/touch", file)
		cmd.Env = []string{}
		cmd.Run()
		_, err := os.Lstat(file)
		os.Remove(file)
		return err == nil
	}
	// Refused under the profile and allowed without one, else the trial says nothing.
	if !trial("(version 1)(allow default)") {
		return wrapper{why: sandboxExec + " runs nothing here"}
	}
	if trial(profile(Config{}, nil, true)) {
		return wrapper{why: sandboxExec + " did not refuse a write"}
	}
	return wrapper{works: true}
}

func (w wrapper) command(l *Launcher, cfg Config, c Cmd) (string, []string, error) {
	if c.Policy == Unconfined || cfg.Confine == Off || cfg.Mechanism == None && cfg.Confine != Required {
		return c.Path, c.Args, nil
	}
	if !w.works {
		if cfg.Confine == Required {
			return "", nil, errRequired
		}
		return c.Path, c.Args, nil
	}
	// sandbox-exec takes no argv[0] of its own: a program that looks at it sees its path.
	path := c.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	if _, err := os.Stat(path); err != nil {
		return path, c.Args, nil // the start fails in plain words
	}
	var writable []string
	hide := true
	switch c.Policy {
	case Credentialed:
		writable, hide = append(realPaths(expand(cfg.Home, c.Writable)), cfg.tempPaths()...), false
		cfg.Protect = nil
	case Repository:
		cfg.Protect = outsideGit(cfg.Protect)
		fallthrough
	default:
		var left []string
		writable, left = writablePaths(cfg)
		l.warn(cfg, &l.left, left)
	}
	args := append([]string{sandboxExec, "-p", profile(cfg, writable, hide), path}, c.Args[1:]...)
	return sandboxExec, args, nil
}

func (w wrapper) mechanism() (Mechanism, string) {
	if w.works {
		return Seatbelt, ""
	}
	return None, "macOS: " + w.why
}

// profile is the policy in the language of sandbox-exec: the last rule that
// matches decides.
func profile(cfg Config, writable []string, hide bool) string {
	var b strings.Builder
	b.WriteString("(version 1)(allow default)(deny file-write*)")
	b.WriteString(`(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$") (regex #"^/dev/fd/"))`)
	for _, w := range writable {
		fmt.Fprintf(&b, "(allow file-write* (subpath %s))", quote(w))
	}
	protect, _ := protectedPaths(cfg)
	for _, p := range protect {
		// Links on the way stay where they are; what they lead to is not written.
		lead := sandbox.Leading(p, writable)
		for _, path := range lead.Links {
			fmt.Fprintf(&b, "(deny file-write* (literal %s))", quote(path))
		}
		for _, path := range lead.Ends {
			fmt.Fprintf(&b, "(deny file-write* (subpath %s))", quote(path))
		}
		// Their parents inside a writable folder may not be moved away.
		for _, path := range slices.Concat(lead.Links, lead.Ends) {
			for _, w := range writable {
				for dir := filepath.Dir(path); within(dir, w) && dir != w; dir = filepath.Dir(dir) {
					fmt.Fprintf(&b, "(deny file-write-unlink (literal %s))", quote(dir))
				}
			}
		}
	}
	if hide {
		for _, h := range expand(cfg.Home, cfg.Hidden) {
			end, links, err := sandbox.Way(h) // what is missing is hidden when it comes
			if err == nil {
				fmt.Fprintf(&b, "(deny file-read* file-write* (subpath %s))", quote(end))
			}
			for _, link := range links {
				fmt.Fprintf(&b, "(deny file-write* (literal %s))", quote(link))
			}
		}
		b.WriteString(`(deny network-outbound (path-regex #"docker.*\.sock$"))(deny signal (target others))(allow signal (target same-sandbox))`)
	}
	b.WriteString("(deny process-info* (target others))(allow process-info* (target same-sandbox))")
	if cfg.NoNetwork {
		b.WriteString("(deny network*)")
	}
	return b.String()
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

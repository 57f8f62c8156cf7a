package git

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestLoginsAreNotShown: whatever form they have, in answers and in errors.
func TestLoginsAreNotShown(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for _, address := range []string{"user:hunter2@host.invalid:x", "git://user:hunter2@host.invalid/x", "https://u:p/hunter2@host.invalid/x", "ssh://u:hun/hunter2@host.invalid/x", "foo://u:hunter2@h/x", "u:hun/hunter2@h:x"} {
		for _, c := range []struct {
			action string
			args   args
		}{{"clone", args{"url": address, "destination": "c", "dry_run": true}}, {"clone", args{"url": address, "destination": "c", "timeout": 2000}}, {"remote", args{"sub_action": "add", "name": "o", "url": address}}, {"fetch", args{"name": address}}} {
			out := w.try(c.action, c.args)
			if text := out.Text + jsonOf(t, out); strings.Contains(text, "hunter2") {
				t.Errorf("%s %v: %s", c.action, c.args, text)
			}
			if out.Envelope.OK {
				t.Errorf("%s %v succeeded", c.action, c.args)
			}
		}
	}
	w.git("config", "remote.o.url", "git@host:x")
	w.git("config", "remote.o.pushurl", "u:hunter2@host:x")
	for key, value := range map[string]string{"core.sshCommand": "sshpass -p hunter2 ssh", "alias.x": "!prog --key hunter2", "alias.y": "!prog -token hunter2", "alias.z": "!prog --api-key=hunter2"} {
		w.git("config", key, value)
	}
	w.git("config", "alias.k", "log --keyword x")
	for _, action := range []string{"config", "remote"} {
		if out := w.call(action, nil); strings.Contains(out.Text+jsonOf(t, out), "hunter2") {
			t.Errorf("%s: %s", action, out.Text)
		}
	}
	if out := w.call("config", nil); !strings.Contains(out.Text, "--keyword x") || !strings.Contains(out.Text, "git@host:x") {
		t.Error(out.Text)
	}
	for text, want := range map[string]string{"git@host:a": "git@host:a", "host:a@b": "host:a@b", "at 10:30, a@b.c": "at 10:30, a@b.c", "x u:p@h:y": "x u:***@h:y", "https://u:p@h:443/x": "https://***@h:443/x"} {
		if got := redact(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	w.fails(tools.InvalidParams, "clone", args{"url": "git://user@host/x", "destination": "c"})
}

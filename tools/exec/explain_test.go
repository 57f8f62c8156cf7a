package exec

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestHiddenIsTold: what commands do not see must not be taken for missing.
func TestHiddenIsTold(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	r := newRig(t, rigConfig{mode: launch.Off, env: []string{"HOME=" + home}})
	env := launch.MergeEnv(r.env, []string{"HOME=" + home})
	fresh := func() *tools.Tool {
		return New(Config{Jobs: r.jobs, Env: func() []string { return env }, Look: func(name string) (string, error) { return "/bin/" + name, nil },
			Confined: func() bool { return true }, Hidden: func() []string { return []string{filepath.Join(home, ".ssh"), filepath.Join(home, ".npmrc")} }})
	}
	for line, want := range map[string]string{
		"ls ~/.ssh; true":                                      "do not see ~/.ssh:",
		"test -f $HOME/.ssh/k || echo no key":                  "do not see ~/.ssh:",
		"cat ${HOME}/.npmrc || true":                           "do not see ~/.npmrc:",
		"cat " + home + "/.ssh/k":                              "do not see ~/.ssh:",
		"echo 'u@h: Permission denied (publickey).'; exit 128": "do not see ~/.ssh:",
		"echo " + home + "/.ssh/k: no; exit 1":                 "do not see ~/.ssh:",
		"ls ~/.sshx; true":                                     "",
		"echo x/~/.ssh":                                        "",
		"echo ssh":                                             "",
	} {
		r.tool = fresh()
		rep := r.run(line)
		if got := r.run(line).warnings(); strings.Contains(got, "do not see") {
			t.Errorf("%s: told again: %s", line, got)
		}
		if got := rep.warnings(); want == "" && strings.Contains(got, "do not see") || !strings.Contains(got, want) || want != "" && (strings.Contains(got, "allows writes") || strings.Contains(got, "/tmp but")) {
			t.Errorf("%s: %q %q", line, got, rep.Text)
		}
	}
}

// TestWhyAProgramIsMissing: the path that was searched is the command's own, and it is no reason for one with a slash.
func TestWhyAProgramIsMissing(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{mode: launch.Off})
	for name, text := range map[string]string{"cr.sh": "#!/bin/sh\r\ntrue\n", "gone.sh": "#!/nosuch/program\n"} {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range []struct {
		args m
		want string
	}{
		{m{"command": "nosuchcmd", "env": m{"PATH": "/own/path"}}, "PATH=/own/path"},
		{m{"command": "nosuchcmd; exit 127", "env": m{"PATH": ""}}, "PATH is empty"},
		{m{"command": "./cr.sh; exit 127"}, "./cr.sh could not be started"},
		{m{"command": "./gone.sh; exit 127", "shell": "sh"}, "./gone.sh could not be started"},
		{m{"command": "exit 127"}, "PATH="},
	} {
		rep := r.call(one.args)
		if got := rep.warnings(); rep.exit() != 127 || !strings.Contains(got, one.want) || strings.Contains(one.want, "started") && strings.Contains(got, "PATH") {
			t.Errorf("%v: %d %q %q", one.args, rep.exit(), got, rep.Text)
		}
	}
}

// TestWhyThereIsNoFolder: what was left out of the roots is told where a command runs elsewhere for it.
func TestWhyThereIsNoFolder(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{mode: launch.Off})
	for _, left := range [][]string{nil, {"src is missing"}} {
		roots, err := sandbox.Open(sandbox.Config{Temp: t.TempDir(), State: t.TempDir(), Left: left})
		if err != nil {
			t.Fatal(err)
		}
		out := tools.Invoke(context.Background(), r.tool, roots, nil, `{"command":"pwd"}`)
		got := strings.Join(out.Envelope.Meta.Warnings, "")
		if want := append(left, "no project folder is set")[0]; !out.Envelope.OK || !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q", left, got)
		}
	}
}

// TestSecretWithCodesInIt is not shown by raw.
func TestSecretWithCodesInIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, args := range []string{`{"command":"printf 'a hk-01234\\033[0m56789abcdef b\n'","raw":true}`, `{"action":"logs","proc_id":"p1","raw":true}`, `{"action":"logs","proc_id":"p1","raw":true,"offset":0}`} {
		c, err := tools.Prepare(r.tool, json.RawMessage(args), &tools.Session{ID: "test"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := tools.NewGate().Local(context.Background(), c, &tools.Guard{Roots: r.roots}, tools.Caller{Secrets: []string{secret}})
		if err != nil || out.Text != "a "+tools.Redact(secret, []string{secret})+" b\n" && out.Text != "a "+secret+" b\n" || len(out.Envelope.Meta.Warnings) != 1 {
			t.Errorf("%s: %q %v %v", args, out.Text, out.Envelope.Meta.Warnings, err)
		}
	}
}

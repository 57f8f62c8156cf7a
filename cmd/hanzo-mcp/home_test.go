package main

import (
	"bytes"
	"context"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// homeless are the ways to have no HOME.
var homeless = map[string][]string{"unset": nil, "empty": {"HOME="}, "relative": {"HOME=."}, "a name": {"HOME=sub"}}

// accountHome is the home folder of the account that the test runs under.
func accountHome(t *testing.T) string {
	t.Helper()
	account, err := user.Current()
	if err != nil || !filepath.IsAbs(account.HomeDir) {
		t.Skipf("this account has no home folder: %v", err)
	}
	return account.HomeDir
}

// Without a HOME that is absolute the home folder is that of the account.
func TestHomeOfTheAccount(t *testing.T) {
	t.Parallel()
	home := accountHome(t)
	for name, env := range homeless {
		value := strings.TrimPrefix(strings.Join(env, ""), "HOME=")
		u := &console{w: &bytes.Buffer{}}
		s := newServer(u, options{noDoor: true}, func(name string) string { return map[string]string{"HOME": value}[name] })
		defer s.close()
		ssh := filepath.Join(home, ".ssh")
		if !slices.Contains(s.hiddenPaths(settings.Load(settings.Options{Home: s.env.home})), ssh) {
			t.Errorf("%s: %s is not hidden", name, ssh)
		}
		for _, dir := range []string{s.env.stateDir(), s.env.cacheDir(), s.statePath(memoryFile), s.settingsOptions().UserFile} {
			if !within(dir, home) {
				t.Errorf("%s: %q is not in %s", name, dir, home)
			}
		}
	}
}

// A checkout's files are never the user's, neither to the server nor to git and other commands.
func TestCheckoutIsNoHome(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("commands get no other HOME there")
	}
	accountHome(t)
	for name, env := range homeless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, state := t.TempDir(), t.TempDir()
			for file, text := range map[string]string{
				".gitconfig": "[alias]\n\tplanted = status\n", "sub/.gitconfig": "[alias]\n\tplanted = status\n",
				".hanzo/memory.json": `{"entries":[{"id":"1","key":"of the checkout","value":"x"}]}`, "sub/.hanzo/memory.json": `{"entries":[{"id":"1","key":"of the checkout","value":"x"}]}`,
			} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			env := append([]string{"XDG_STATE_HOME=" + state, "XDG_CACHE_HOME=" + state, "XDG_CONFIG_HOME=" + state}, env...)
			c := startSaying(t, newErrorLog(t).File, dir, env, "--no-door", "--sandbox", "workspace")
			c.initialize("2025-06-18", "{}")
			got := parseResult(t, c.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"git config --get-all alias.planted; echo \"HOME is $HOME\""}}`))
			if home := strings.TrimSpace(strings.TrimPrefix(got.Payload, "HOME is ")); !got.OK || !filepath.IsAbs(home) || within(home, dir) {
				t.Errorf("%q %v", got.Payload, got.Error)
			}
			if got := c.ask("2", "tools/call", `{"name":"memory","arguments":{"action":"list"}}`); strings.Contains(got, "of the checkout") {
				t.Errorf("the checkout's memory is the user's: %s", got)
			}
		})
	}
}

// Where no home folder is known nothing is kept in the project in its place, and what is missing is said.
func TestNoHomeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var said bytes.Buffer
	s := newServer(&console{w: &said, level: warnLevel}, options{noDoor: true, sandbox: "workspace", projectDirs: []string{dir}}, func(name string) string {
		return map[string]string{"TMPDIR": t.TempDir()}[name]
	})
	defer s.close()
	s.env.home = ""
	for name, path := range map[string]string{"state": s.env.stateDir(), "memory": s.statePath(memoryFile), "settings": s.settingsOptions().UserFile, "ignored": s.env.inHome(".gitconfig")} {
		if path != "" {
			t.Errorf("%s: %q", name, path)
		}
	}
	pl := s.settle(s.newPeer(context.Background(), "test", func([]byte) {}), nil)
	if len(pl.cache) == 0 || slices.ContainsFunc(pl.cache, func(v string) bool {
		_, path, _ := strings.Cut(v, "=")
		return !within(path, s.tempDir()) && !strings.HasPrefix(v, "GOPROXY=") || within(path, dir)
	}) {
		t.Errorf("caches: %v", pl.cache)
	}
	in, err := s.sandboxInForce(context.Background())
	if err != nil || pl.guard.Roots.Mode() != sandbox.Workspace || !slices.Contains(in.Notes, noHome) {
		t.Errorf("%v %v", in.Notes, err)
	}
	if f := s.examineHome(); f.OK || f.Mend == "" {
		t.Errorf("doctor: %+v", f)
	}
	if token, err := s.httpToken(); err != nil || len(token) < 32 || !strings.Contains(said.String(), "after a restart") {
		t.Errorf("token %q %v; %s", token, err, &said)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the project: %v %v", left, err)
	}
}

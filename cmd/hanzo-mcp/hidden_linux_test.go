package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where the environment moves a store of secrets, commands do not see it there either, and capabilities tell whether a
// file with a bearer can be read.
func TestMovedStoresAreHidden(t *testing.T) {
	t.Parallel()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stores := map[string]string{"XDG_CONFIG_HOME": "gh/hosts.yml", "GH_CONFIG_DIR": "hosts.yml", "CLAUDE_CONFIG_DIR": ".claude.json", "DOCKER_CONFIG": "config.json", "NETRC": ""}
	base, tell := t.TempDir(), `"children_read_bearer":`
	env, files := []string{}, []string{}
	for variable, file := range stores {
		place := filepath.Join(base, strings.ToLower(variable))
		env, files = append(env, variable+"="+place), append(files, filepath.Join(place, file))
		write(filepath.Join(place, file), "M0VED")
	}
	settings := filepath.Join(base, "xdg_config_home", "hanzo", "settings.json")
	files = append(files, settings)
	for _, c := range []struct{ settings, want string }{
		{`{"api_key":"tok_M0VED0123456789"}`, tell + "false"},
		{`{"api_key":"tok_M0VED0123456789","sandbox":{"hidden":["!` + filepath.Dir(settings) + `","!~/.config/hanzo"]}}`, tell + "true"},
	} {
		write(settings, c.settings)
		s := start(t, env, "--no-door", "--sandbox", "workspace", "--allow-path", base)
		script, err := json.Marshal(fmt.Sprintf("for f in %s; do base64 $f; done; echo end", strings.Join(files, " ")))
		if err != nil {
			t.Fatal(err)
		}
		got := s.ask("1", "tools/call", `{"name":"exec","arguments":{"action":"exec","command":`+string(script)+`}}`)
		seen := strings.Contains(got, "TTBWRUQ") || strings.Contains(got, "eyJhcGlf") // M0VED, {"api_
		if !strings.Contains(got, "end") || seen != strings.HasSuffix(c.want, "true") {
			t.Errorf("%s: %s", c.settings, got)
		}
		for range 60 { // the trial takes its time on a busy machine
			if got = s.ask("2", "tools/call", `{"name":"workspace","arguments":{"action":"capabilities"}}`); !strings.Contains(got, "ask again") {
				break
			}
		}
		if !strings.Contains(strings.ReplaceAll(got, `\`, ""), c.want) {
			t.Errorf("want %s: %s", c.want, got)
		}
	}
}

// A variable that names the home folder, or one above it, hides nothing.
func TestMovedToTheHomeFolder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := map[string]string{"HOME": home, "DOCKER_CONFIG": home, "GNUPGHOME": "/", "KUBECONFIG": "/k/a:/k/b", "CODEX_HOME": "relative"}
	s := newServer(&console{w: os.Stderr}, options{noDoor: true}, func(name string) string { return env[name] })
	defer s.close()
	list := s.hiddenPaths(s.userSet())
	for path, want := range map[string]bool{home: false, "/": false, "relative": false, "/k/a": true, "/k/b": true, filepath.Join(home, ".docker"): true} {
		if slices.Contains(list, path) != want {
			t.Errorf("%s is hidden: %v", path, !want)
		}
	}
}

// What the user hides inside a root is hidden from commands alone, which is said.
func TestHiddenInARoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("K=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, dir, []string{writeSettings(t, fmt.Sprintf(`{"sandbox":{"hidden":[%q,"/elsewhere"]}}`, filepath.Join(dir, ".env")))}, "--no-door", "--sandbox", "workspace")
	s.ask("1", "tools/call", `{"name":"mode","arguments":{"action":"current"}}`)
	if got := s.stderr.String(); !strings.Contains(got, ".env, which lies in the root") || strings.Contains(got, "/elsewhere") {
		t.Errorf("stderr: %s", got)
	}
}

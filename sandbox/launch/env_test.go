package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEnviron(t *testing.T) {
	t.Parallel()
	base := []string{
		"PATH=/bin", "HOME=/h", "LANG=C", "TERM=xterm", "SSH_AUTH_SOCK=/s", "OPENAI_API_KEY=sk-x", "GH_TOKEN=gh", "MY_SECRET=1",
		"HANZO_API_KEY=k", "HANZO_KEY=k", "HANZO_TOKEN=k", "HANZO_MCP_HTTP_TOKEN=k", "COPY=Bearer 12345678-token", "SHORT=abc",
		"GIT_DIR=/x", "GIT_INDEX_FILE=/x", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=evil", "GIT_AUTHOR_NAME=me",
		"npm_lifecycle_event=x", "PAGER=less", "EDITOR=vi", "DUP=1", "DUP=2", "TMPDIR=/tmp", "GIT_PAGER=sh -c 'sleep 600'", marker + "=old", "broken",
	}
	env, removed := Environ(EnvConfig{
		Base: base, Secrets: []string{"12345678-token", "abc"}, Scrub: []string{"*_SECRET", "*_TOKEN"}, Pass: []string{"GH_*", "HANZO_*"},
		Path: "/usr/bin", TempDir: "/private", Cache: []string{"GOCACHE=/c"}, Extra: []string{"MINE=1", "LANG=de"},
	})
	want := map[string]string{
		"PATH": "/usr/bin", "HOME": "/h", "LANG": "de", "TERM": "xterm", "SSH_AUTH_SOCK": "/s", "OPENAI_API_KEY": "sk-x", "GH_TOKEN": "gh", "SHORT": "abc",
		"GIT_AUTHOR_NAME": "me", "PAGER": "cat", "EDITOR": "false", "DUP": "2", "TMPDIR": "/private", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
		"GOCACHE": "/c", "MINE": "1", "GIT_EDITOR": "true", "DEBIAN_FRONTEND": "noninteractive",
	}
	for name, value := range want {
		if got := Getenv(env, name); got != value {
			t.Errorf("%s=%q, want %q", name, got, value)
		}
	}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(bearers, name) || matches(foreign, name) || strings.Contains(kv, "12345678-token") || name == "MY_SECRET" {
			t.Errorf("%s was passed on", kv)
		}
	}
	if got := strings.Join(removed, " "); got != "COPY HANZO_API_KEY HANZO_KEY HANZO_MCP_HTTP_TOKEN HANZO_TOKEN MY_SECRET" {
		t.Errorf("removed: %s", got)
	}
	if n := len(env); n != len(MergeEnv(env)) {
		t.Error("a name twice")
	}
}

func TestCacheEnv(t *testing.T) {
	t.Parallel()
	home, cache := t.TempDir(), filepath.Join(t.TempDir(), "c")
	get := func(base ...string) []string {
		t.Helper()
		env, err := CacheEnv(base, home, cache)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"GOCACHE", "GOMODCACHE", "npm_config_cache", "PIP_CACHE_DIR", "UV_CACHE_DIR", "CARGO_HOME"} {
			if v := Getenv(env, name); !within(v, cache) {
				t.Errorf("%s=%s", name, v)
			}
		}
		return env
	}
	if v := Getenv(get(), "GOPROXY"); v != "" {
		t.Errorf("without a module cache: %q", v)
	}
	st, err := os.Stat(cache)
	if err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	mod := filepath.Join(home, "go", "pkg", "mod")
	os.MkdirAll(filepath.Join(mod, "cache", "download"), 0o755)
	proxy := "file://" + filepath.ToSlash(filepath.Join(mod, "cache", "download")) + ","
	if v := Getenv(get(), "GOPROXY"); v != proxy+"https://proxy.golang.org,direct" {
		t.Errorf("default: %q", v)
	}
	if v := Getenv(get("GOPROXY=https://x|direct"), "GOPROXY"); v != proxy+"https://x|direct" {
		t.Errorf("from the environment: %q", v)
	}
	os.MkdirAll(filepath.Join(home, ".config", "go"), 0o755)
	os.WriteFile(filepath.Join(home, ".config", "go", "env"), []byte("# c\nGOPROXY=https://corp,direct\n"), 0o644)
	if v := Getenv(get(), "GOPROXY"); v != proxy+"https://corp,direct" {
		t.Errorf("from go env -w: %q", v)
	}
	if v := Getenv(get("GOPROXY=off"), "GOPROXY"); v != proxy+"off" {
		t.Errorf("off: %q", v)
	}
	os.MkdirAll(filepath.Join(home, ".cargo"), 0o755)
	os.WriteFile(filepath.Join(home, ".cargo", "config.toml"), []byte("[net]\n"), 0o644)
	get()
	get()
	if data, err := os.ReadFile(filepath.Join(cache, "cargo", "config.toml")); string(data) != "[net]\n" {
		t.Errorf("cargo's config: %v", err)
	}
}

//go:build unix

package auth

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// script makes a program of a shell script and the chain that finds it. runs
// counts how often it was run.
func script(t *testing.T, body string) (c *Chain, folder string, runs func() int) {
	t.Helper()
	folder = t.TempDir()
	path := filepath.Join(folder, "hanzo")
	text := "#!/bin/sh\necho run >>" + folder + "/runs\n" + body + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	c = &Chain{Door: hanzo, Home: folder, Environ: environ("PATH=/usr/bin:/bin"), LookPath: func(name string) (string, error) {
		if name != "hanzo" {
			t.Errorf("looked for %q", name)
		}
		return path, nil
	}}
	t.Cleanup(c.Close)
	return c, folder, func() int {
		data, _ := os.ReadFile(filepath.Join(folder, "runs"))
		return strings.Count(string(data), "run")
	}
}

func TestCommandOutput(t *testing.T) {
	t.Parallel()
	now := time.Now().Unix()
	good, old := jwt(now+3600), jwt(now-1)
	tests := []struct{ name, body, want string }{
		{"a token", `test "$1 $2" = "auth token" && echo tok_S3CRET`, "tok_S3CRET"},
		{"a JWT", "echo " + good, good},
		{"an expired JWT", "echo " + old, ""},
		{"no line end", "printf tok_S3CRET", "tok_S3CRET"},
		{"blanks around", "printf ' tok_S3CRET \\r\\n\\n'", "tok_S3CRET"},
		{"exit 1", "echo tok_S3CRET; exit 1", ""},
		{"killed", "echo tok_S3CRET; kill -9 $$", ""},
		{"prose", "echo Please run hanzo auth login", ""},
		{"null", "echo null", ""},
		{"undefined", "echo undefined", ""},
		{"a word", "echo Hello!", ""},
		{"got", "printf got", ""},
		{"not signed in", "echo not-logged-in", ""},
		{"a dash", "echo -", ""},
		{"a short bearer", "echo tok-cli", "tok-cli"},
		{"a bearer of letters", "echo secrettoken", "secrettoken"},
		{"a bearer of digits", "echo 1234567890", "1234567890"},
		{"several lines", "echo warning; echo tok_S3CRET", ""},
		{"control characters", `printf 'tok\033[0m'`, ""},
		{"no ASCII", `printf 'tok\303\251'`, ""},
		{"nothing", "true", ""},
		{"errors on stderr only", "echo oops >&2", ""},
		{"too much", "head -c 100000 /dev/zero | tr '\\0' x", ""},
		{"endless", "yes", ""},
		{"reads its input", "cat; echo tok_S3CRET", "tok_S3CRET"},
		{"a child keeps the output open", "sleep 300 & echo tok_S3CRET", "tok_S3CRET"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, _, _ := script(t, test.body)
			c.command.limit = 20 * time.Second
			got := c.Token(t.Context(), Ask{})
			if got.Value != test.want {
				t.Errorf("got %+v", got)
			}
			if test.want != "" && (got.Source != "hanzo auth token" || got.Doubtful != (len(test.want) < 20)) {
				t.Errorf("%+v", got)
			}
			if len(c.Bearers()) > 0 != (len(test.want) >= minAlone) {
				t.Errorf("before the door has taken it: %q", c.Bearers())
			}
			c.Taken(got.Value)
			if len(c.Bearers()) > 0 != (len(test.want) >= minSecret) {
				t.Errorf("%q", c.Bearers())
			}
		})
	}
	missing := &Chain{Door: hanzo, LookPath: func(string) (string, error) { return "", os.ErrNotExist }}
	if got := missing.Token(t.Context(), Ask{}); got != (Token{}) || missing.CommandFound() {
		t.Errorf("got %+v", got)
	}
	gone := &Chain{Door: hanzo, LookPath: func(string) (string, error) { return "/nonexistent/hanzo", nil }}
	if got := gone.Token(t.Context(), Ask{}); got != (Token{}) || !gone.CommandFound() {
		t.Errorf("got %+v", got)
	}
}

// A command that hangs ends with its children, and is no credential.
func TestCommandHangs(t *testing.T) {
	t.Parallel()
	c, folder, runs := script(t, `sleep 300 & echo $! >$HOME_OF_TEST/child; wait`)
	c.Environ = environ("PATH=/usr/bin:/bin", "HOME_OF_TEST="+folder)
	c.command.limit = time.Second
	start := time.Now()
	if got := c.Token(t.Context(), Ask{}); got.Value != "" {
		t.Errorf("got %+v", got)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	data, err := os.ReadFile(filepath.Join(folder, "child"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(data), &pid); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); alive(pid); {
		if time.Now().After(deadline) {
			t.Fatal("the child is alive")
		}
	}
	// The next call does not wait for it again, unless the door answers 401.
	c.Token(t.Context(), Ask{})
	if n := runs(); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// alive is false for a zombie, too: who waits for it is not ours to say.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err) && syscall.Kill(pid, 0) == nil
	}
	return !strings.Contains(string(stat), ") Z ")
}

func TestCommandIsNotWaitedForByACanceledCall(t *testing.T) {
	t.Parallel()
	c, _, _ := script(t, "sleep 300")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if got := c.Token(ctx, Ask{}); got.Value != "" || time.Since(start) > 20*time.Second {
		t.Errorf("got %+v in %v", got, time.Since(start))
	}
	c.Close()
	if got := c.Token(t.Context(), Ask{Retry: true}); got.Value != "" || time.Since(start) > 20*time.Second {
		t.Errorf("got %+v in %v", got, time.Since(start))
	}
}

// One run at a time, and all who wait have its bearer.
func TestCommandSingleFlight(t *testing.T) {
	t.Parallel()
	c, folder, runs := script(t, `while test ! -e "$HOME_OF_TEST/go"; do sleep 0.01; done; echo tok_S3CRET`)
	c.Environ = environ("PATH=/usr/bin:/bin", "HOME_OF_TEST="+folder)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if got := c.Token(t.Context(), Ask{}); got.Value != "tok_S3CRET" {
				t.Errorf("got %+v", got)
			}
		})
	}
	if err := os.WriteFile(filepath.Join(folder, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if n := runs(); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// W82: a bearer is kept until its exp less 60 s, or 5 minutes, and asked for
// again when the door refuses it.
func TestCommandMemory(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	first, second := jwt(now.Unix()+600), jwt(now.Unix()+7200)
	c, folder, runs := script(t, `cat "$HOME_OF_TEST/token"`)
	c.Environ = environ("PATH=/usr/bin:/bin", "HOME_OF_TEST="+folder)
	c.Now = func() time.Time { return now }
	serve := func(token string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "token"), []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(ask Ask, want string, wantRuns int) {
		t.Helper()
		if got := c.Token(t.Context(), ask); got.Value != want {
			t.Errorf("got %+v, want %q", got, want)
		}
		if n := runs(); n != wantRuns {
			t.Errorf("%d runs, want %d", n, wantRuns)
		}
	}
	expect(Ask{Passive: true}, "", 0)
	serve(first)
	expect(Ask{}, first, 1)
	now = now.Add(539 * time.Second)
	expect(Ask{}, first, 1)
	serve(second)
	now = now.Add(time.Second)
	expect(Ask{}, second, 2)
	serve("tok_without_exp")
	expect(Ask{Retry: true, Refused: first}, second, 2) // another call has renewed it
	expect(Ask{Retry: true, Refused: second}, "tok_without_exp", 3)
	now = now.Add(5*time.Minute - time.Second)
	expect(Ask{}, "tok_without_exp", 3)
	now = now.Add(time.Second)
	serve("")
	expect(Ask{}, "", 4)
	expect(Ask{Retry: true}, "", 4) // that was just now
	now = now.Add(2 * time.Second)
	serve("tok_after_sign_in")
	expect(Ask{}, "", 4) // a failure is remembered
	expect(Ask{Retry: true}, "tok_after_sign_in", 5)
	if got := strings.Join(c.Bearers(), " "); !strings.Contains(got, first) || !strings.Contains(got, second) {
		t.Errorf("%q", got)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for token, want := range map[string]int64{
		jwt(1_800_000_000):                         1_800_000_000,
		"a." + part(`{"exp":1800000000.9}`) + ".b": 1_800_000_000,
		"a." + base64.URLEncoding.EncodeToString([]byte(`{"exp":1800000000,"x":1}`)) + ".b": 1_800_000_000,
		"a." + part(`{"exp":"1800000000"}`) + ".b":                                          0,
		"a." + part(`{}`) + ".b":                                                            0,
		"a." + part(`{"exp":1e300}`) + ".b":                                                 0,
		"a." + part(`{"exp":-1}`) + ".b":                                                    0,
		"a.!!.b":                                                                            0, "a.b": 0, "plain": 0, "": 0, "a.b.c.d": 0,
	} {
		got := expiry(token)
		if got.IsZero() && want != 0 || !got.IsZero() && got.Unix() != want {
			t.Errorf("%s: got %v", token, got)
		}
	}
}

func environ(list ...string) func() []string { return func() []string { return list } }

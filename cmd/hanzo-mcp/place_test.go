package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// answerAsk answers the server's question for roots with the rest of a reply.
func (c *client) answerAsk(rest string) {
	c.t.Helper()
	select {
	case line := <-c.asks:
		var ask struct{ ID, Method string }
		if err := json.Unmarshal([]byte(line), &ask); err != nil || ask.Method != "roots/list" {
			c.t.Fatalf("asked %s", line)
		}
		c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,%s}`+"\n", ask.ID, rest))
	case <-time.After(10 * time.Second):
		c.t.Fatal("the client was not asked for its roots")
	}
}

func toldRoots(dirs ...string) string {
	list, _ := json.Marshal(dirs)
	return `"result":{"roots":` + string(list) + `}`
}

func read(path string) string { return fmt.Sprintf(`{"action":"read","path":%q}`, path) }

// do makes a call and gives its result.
func (c *client) do(tool, arguments string) toolResult {
	c.t.Helper()
	c.calls++
	return parseResult(c.t, c.ask(strconv.Itoa(c.calls), "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)))
}

func texts(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// A root in another one that a command, or a file tool, replaces by a link gives nothing that lies outside, however it was
// named and also at the next start.
func TestRootReplacedByALink(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	swap := `{"command":"rm -rf sub && ln -s \"$OUT\" sub","env":{"OUT":%q}}`
	for name, c := range map[string]struct {
		sub, tool, arguments string
		args                 func(w string) []string
		settings             string
		told                 bool
	}{
		"project folder": {"sub", "exec", swap, func(w string) []string { return []string{"--project-dir", w, "--project-dir", w + "/sub"} }, "", false},
		"allowed path":   {"sub", "exec", swap, func(w string) []string { return []string{"--project-dir", w, "--allow-path", w + "/sub"} }, "", false},
		"missing, moved": {"", "fs", `{"action":"mv","path":"lnk","destination":"sub"}`, func(w string) []string { return []string{"--project-dir", w, "--allow-path", w + "/sub"} }, "", false},
		"of the client":  {"sub", "exec", swap, func(string) []string { return nil }, "", true},
		"of settings":    {"sub", "exec", swap, func(w string) []string { return []string{"--project-dir", w} }, `{"sandbox":{"allowed_paths":[%q]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			w, o := filepath.Join(base, "w"), filepath.Join(base, "o")
			texts(t, map[string]string{o + "/secret": "SECRET", filepath.Join(w, c.sub, "f"): "IN"})
			if err := os.Symlink(o, w+"/lnk"); err != nil {
				t.Fatal(err)
			}
			var env []string
			if c.settings != "" {
				env = append(env, writeSettings(t, fmt.Sprintf(c.settings, w+"/sub")))
			}
			if strings.Contains(c.arguments, "%q") {
				c.arguments = fmt.Sprintf(c.arguments, o)
			}
			for again := range 2 {
				s := startIn(t, w, env, append([]string{"--no-door", "--sandbox", "workspace"}, c.args(w)...)...)
				if c.told {
					s.initialize("2025-11-25", `{"roots":{}}`)
					s.answerAsk(toldRoots(w, w+"/sub"))
				}
				if again == 0 {
					if r := s.do(c.tool, c.arguments); !r.OK {
						t.Fatalf("the link: %+v", r)
					}
					if c.told { // the folders have moved
						s.raw(call("99", "fs", read(o+"/secret")))
						s.answerAsk(toldRoots(w, w+"/sub"))
						s.wait("99")
					}
				}
				r := s.do("fs", read(o+"/secret"))
				if r.OK || r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, "can put links") {
					t.Errorf("start %d: %+v", again, r)
				}
				if r := s.do("fs", `{"action":"write","path":"`+o+`/new","content":"x"}`); r.OK {
					t.Errorf("start %d: written: %+v", again, r)
				}
				s.do("exec", `{"command":"echo x > \"$OUT/new\"","env":{"OUT":"`+o+`"}}`)
				if _, err := os.Stat(o + "/new"); err == nil && runtime.GOOS == "linux" {
					t.Errorf("start %d: a command wrote outside", again)
				}
				if r := s.do("fs", read("lnk")); r.OK {
					t.Errorf("%+v", r)
				}
				if !strings.Contains(s.stderr.String(), "can put links") {
					t.Errorf("start %d: stderr: %s", again, s.stderr)
				}
			}
		})
	}
}

// A link that the user named as the root and turned to another folder is that folder from then on.
func TestTurnedRoot(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	base := t.TempDir()
	current := filepath.Join(base, "current")
	texts(t, map[string]string{base + "/1/f": "one", base + "/2/f": "two"})
	c := start(t, nil, "--no-door", "--sandbox", "workspace", "--project-dir", current)
	for _, to := range []string{"1", "2"} {
		os.Remove(current)
		if err := os.Symlink(to, current); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"1": "one", "2": "two"}[to]
		for _, path := range []string{"f", current + "/f"} {
			if r := c.do("fs", read(path)); r.Payload != want {
				t.Errorf("%s: %+v", path, r)
			}
		}
		if r := c.do("exec", `{"command":"cat f"}`); r.Payload != want {
			t.Errorf("exec: %+v", r)
		}
	}
}

// While the first root is missing nothing goes to the second one for it.
func TestFirstRootIsMissing(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	a, b := filepath.Join(base, "a"), filepath.Join(base, "b")
	texts(t, map[string]string{b + "/f": "B"})
	c := start(t, nil, "--no-door", "--sandbox", "workspace", "--project-dir", a, "--project-dir", b)
	for tool, arguments := range map[string]string{"fs": `{"action":"write","path":"n","content":"x"}`, "exec": `{"command":"echo x > n"}`} {
		if r := c.do(tool, arguments); r.OK || r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, a) {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := c.do("fs", read(filepath.Join(b, "f"))); r.Payload != "B" {
		t.Errorf("the other root: %+v", r)
	}
	if r := c.do("exec", fmt.Sprintf(`{"command":"cat f","cwd":%q}`, b)); r.Payload != "B" {
		t.Errorf("the other root: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(b, "n")); err == nil {
		t.Error("it was written into the other root")
	}
	texts(t, map[string]string{a + "/f": "A"})
	if r := c.do("fs", read("f")); r.Payload != "A" {
		t.Errorf("once it is there: %+v", r)
	}
}

// Roots that a client fails to tell are those it told before; a list without a folder is no reason to take another one.
func TestRootsThatAreNotTold(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	a := filepath.Join(base, "a")
	texts(t, map[string]string{a + "/f": "A"})
	odd := `"result":{"roots":[{"uri":"vscode-vfs://x/y"}]}`
	wd := "CWD"
	for name, one := range map[string]struct{ rest, before, after string }{
		"error":       {`"error":{"code":-32601,"message":"no"}`, wd, "A"},
		"malformed":   {`"result":{"roots":"x"}`, wd, "A"},
		"one object":  {`"result":{"roots":{"uri":"file:///x"}}`, wd, "A"},
		"none usable": {odd, "", ""},
		"missing":     {toldRoots(filepath.Join(base, "gone")), "", ""},
		"empty":       {toldRoots(), wd, wd},
		"no list":     {`"result":{}`, wd, "A"},
		"odd and one": {`"result":{"roots":[{"uri":"vscode-vfs://x/y"},{"uri":"file://LOCALHOST` + filepath.ToSlash(a) + `"}]}`, "A", "A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, changed := range []bool{false, true} {
				c := start(t, nil, "--no-door", "--sandbox", "workspace")
				texts(t, map[string]string{filepath.Join(c.dir, "f"): wd})
				c.initialize("2025-11-25", `{"roots":{"listChanged":true}}`)
				want := one.before
				if changed {
					want = one.after
					c.answerAsk(toldRoots(a))
					if r := c.do("fs", read("f")); r.Payload != "A" {
						t.Fatalf("%+v", r)
					}
					c.raw(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
				}
				c.answerAsk(one.rest)
				r := c.do("fs", read("f"))
				if r.Payload != want {
					t.Errorf("changed %v: %+v, want %q", changed, r, want)
				}
				if want == "" && (r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, "root")) {
					t.Errorf("changed %v: %+v", changed, r)
				}
			}
		})
	}
}

// What the flags name is taken from the working folder, but for what is absolute in another form.
func TestAbsolute(t *testing.T) {
	t.Parallel()
	s := &server{env: environment{wd: t.TempDir()}}
	in := filepath.Join(s.env.wd, "x")
	for given, want := range map[string]string{"x": in, in: in, "~/x": "~/x", "file:///x": "file:///x", "file:/x": "file:/x", "FILE://localhost/x": "FILE://localhost/x"} {
		if got := s.absolute([]string{given})[0]; got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// answerRoots answers the next roots/list with one folder.
func (c *client) answerRoots(dir string) {
	c.t.Helper()
	c.answerAsk(fmt.Sprintf(`"result":{"roots":[{"uri":%q}]}`, "file://"+dir))
}

// A client may send initialize and what follows it in one write.
func TestInitializeTakesEffectInOrder(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	dir := t.TempDir()
	c.raw(request("0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"x","version":"1"}}`) +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + call("1", "exec", `{"command":"pwd"}`))
	c.answerRoots(dir)
	if r := parseResult(t, c.wait("1")); r.Payload != dir+"\n" {
		t.Errorf("%+v", r)
	}
}

// Calls that hang at the door keep neither local calls nor lists waiting, and full local slots keep exec kill not.
func TestLanes(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{Hang: true}, nil)
	var b strings.Builder
	const hung = inputBudget/requestCost + 500
	for i := range hung {
		b.WriteString(request(fmt.Sprintf("%q", fmt.Sprint("h", i)), "tools/call", `{"name":"billing","arguments":{}}`))
	}
	for i := range 40 { // more than there are slots
		b.WriteString(call(fmt.Sprintf("%q", fmt.Sprint("s", i)), "exec", fmt.Sprintf(`{"command":"sleep 60","proc_id":"s%d"}`, i)))
	}
	c.raw(b.String())
	c.list("1")
	running := regexp.MustCompile(`\\"proc_id\\":\\"(s\d+)\\"`)
	var first []string // which of the 40 has a slot is chance
	waitFor(t, 20*time.Second, "the first process", func() bool {
		first = running.FindStringSubmatch(c.ask("2", "tools/call", `{"name":"exec","arguments":{"action":"ps"}}`))
		return first != nil
	})
	if r := parseResult(t, c.ask("3", "tools/call", `{"name":"exec","arguments":{"action":"kill","proc_id":"`+first[1]+`"}}`)); r.Error.Code != "" {
		t.Errorf("%+v", r)
	}
	b.Reset()
	for _, kind := range []string{"h", "s"} {
		for i := range hung {
			fmt.Fprintf(&b, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%s%d"}}`+"\n", kind, i)
		}
	}
	c.raw(b.String())
	c.alive()
}

func TestSandboxFollowsTheRootsBackAndForth(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	a, b := t.TempDir(), t.TempDir()
	c.initialize("2025-11-25", `{"roots":{"listChanged":true}}`)
	c.answerRoots(a)
	for i, dir := range []string{b, a, b} {
		c.raw(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
		c.answerRoots(dir)
		other := map[string]string{a: b, b: a}[dir]
		r := parseResult(t, c.ask(fmt.Sprint(i), "tools/call", fmt.Sprintf(
			`{"name":"exec","arguments":{"command":"pwd; touch %s/in%d && echo IN; touch %s/out%d && echo OUT; true"}}`, dir, i, other, i)))
		if !strings.Contains(r.Payload, dir+"\n") || !strings.Contains(r.Payload, "IN\n") || strings.Contains(r.Payload, "OUT\n") {
			t.Errorf("round %d: %+v", i, r)
		}
	}
}

func TestRootsChangedReadsTheSettingsAgain(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	dir := t.TempDir()
	c.initialize("2025-11-25", `{"roots":{"listChanged":true}}`)
	c.answerRoots(dir)
	c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)
	if err := os.Mkdir(filepath.Join(dir, ".hanzo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".hanzo", "settings.json"), []byte(`{"permissions":{"fs":"deny"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	c.raw(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
	c.answerRoots(dir)
	if r := parseResult(t, c.ask("2", "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)); r.Error.Code != "PERMISSION_DENIED" {
		t.Errorf("%+v", r)
	}
}

func TestRootsChangedWhileTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	a, b := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{a: "A", b: "B"} {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.initialize("2025-11-25", `{"roots":{"listChanged":true}}`)
	first := <-c.asks
	c.raw(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
	c.alive()
	c.asks <- first
	c.answerRoots(a)
	c.answerRoots(b)
	if r := parseResult(t, c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"read","path":"f"}}`)); r.Payload != "B" {
		t.Errorf("%+v", r)
	}
}

func TestCancelledCallDoesNotDecideTheRoots(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("ROOT"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.ask(`"i"`, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"x","version":"1"}}`)
	c.raw(request("1", "tools/call", `{"name":"fs","arguments":{"action":"read","path":"f"}}`))
	ask := <-c.asks
	c.raw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	c.alive()
	c.asks <- ask
	c.answerRoots(dir)
	if r := parseResult(t, c.ask("2", "tools/call", `{"name":"fs","arguments":{"action":"read","path":"f"}}`)); r.Payload != "ROOT" {
		t.Errorf("%+v", r)
	}
}

func TestPromptShowsWhatDecides(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"permissions":{"*":"prompt"}}`)}, "--no-door")
	c.initialize("2025-11-25", `{"elicitation":{}}`)
	c.raw(call("1", "exec", `{"command":"echo `+strings.Repeat("x", 3000)+`","shell":"/tmp/evil","env":{"BASH_ENV":"/tmp/evil.sh"},"stdin":"y"}`))
	line := <-c.asks
	var ask struct {
		ID     string
		Params struct{ Message string }
	}
	if err := json.Unmarshal([]byte(line), &ask); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"exec.exec", "/tmp/evil", "BASH_ENV", "stdin", "echo xxx"} {
		if !strings.Contains(ask.Params.Message, want) {
			t.Errorf("no %q in %s", want, ask.Params.Message)
		}
	}
	if n := len([]rune(ask.Params.Message)); n > 1000 {
		t.Errorf("%d characters", n)
	}
	c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"action":"decline"}}`+"\n", ask.ID))
	c.wait("1")
}

func TestNamesLikeLocalOnesAreNotSent(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{}, []string{writeSettings(t, `{"permissions":{"billing.list":"allow","billing.*":"deny"},"tools":{"deny":["secret*"]}}`)})
	for _, params := range []string{
		`{"name":"EXEC","arguments":{"command":"x"}}`, `{"name":"f_s","arguments":{"content":"x"}}`, `{"name":"fs ","arguments":{}}`,
		`{"name":"fs.write","arguments":{"content":"x"}}`, `{"name":"fs_write"}`, `{"name":"mcp__hanzo__fs"}`, `{"name":"hanzo.exec"}`, `{"name":"exec/run"}`, `{"name":"git_status"}`, `{"name":"functions.fs.read"}`,
		`{"name":"hanzo_fs"}`, `{"name":"hanzo-fs"}`, `{"name":"mcp_hanzo_fs"}`, `{"name":"fs-write"}`, `{"name":"fs write"}`, `{"name":"fswrite"}`, `{"name":"gitCommit"}`,
		`{"name":"functions.exec:0"}`, `{"name":"$fs"}`, `{"name":"fs()"}`, `{"name":"ｆｓ"}`, `{"name":"f\u200bs"}`, `{"name":"\ufefffs"}`, `{"name":"default_api.fs.read"}`,
		`{"name":"billing","arguments":{"OP":"list"}}`, `{"name":"SECRETX"}`, `{"name":"secret/x"}`,
	} {
		if got := c.ask("1", "tools/call", params); !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: %.300s", params, got)
		}
	}
	if n := len(d.Requests("tools/call")); n != 0 {
		t.Errorf("the door got %d calls", n)
	}
}

// Arguments under another name are not taken for none.
func TestMisplacedArguments(t *testing.T) {
	t.Parallel()
	c := startIn(t, t.TempDir(), nil)
	for _, word := range []string{"args", "input", "parameters"} {
		if got := c.ask("1", "tools/call", `{"name":"fs","`+word+`":{"action":"list"}}`); !strings.Contains(got, `-32602`) || !strings.Contains(got, `not \"`+word) {
			t.Errorf("%s: %s", word, got)
		}
	}
	if got := c.ask("1", "tools/call", `{"name":"fs","args":{}}`); !strings.Contains(got, `"result"`) {
		t.Error(got)
	}
}

func TestReaderNeverWaits(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}}, nil)
	const n = 6000
	var all strings.Builder
	for i := range n {
		all.WriteString(request(fmt.Sprint(i), "tools/call", `{"name":"billing"}`))
	}
	c.raw(all.String())
	c.alive()
	for i := range n {
		c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i))
	}
	begun := time.Now()
	c.alive()
	if r := parseResult(t, c.ask(`"after"`, "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)); !r.OK {
		t.Errorf("%+v", r)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestPromptAndTheDoorsOwnQuestion(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Results: map[string]string{"pay": `{"resultType":"input_required","inputRequests":{},"requestState":"door-state"}`}},
		[]string{writeSettings(t, `{"permissions":{"pay":"prompt","*":"allow"}}`)})
	meta := strings.Replace(modernMeta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	ask := func(more string) string { return c.ask("1", "tools/call", `{"name":"pay",`+meta+more+`}`) }
	var m struct{ Result struct{ RequestState string } }
	if err := json.Unmarshal([]byte(ask("")), &m); err != nil || !strings.HasPrefix(m.Result.RequestState, statePrefix) {
		t.Fatalf("no prompt: %+v %v", m, err)
	}
	got := ask(`,"inputResponses":{"approval":{"action":"accept"}},"requestState":"` + m.Result.RequestState + `"`)
	if !strings.Contains(got, "door-state") {
		t.Fatalf("the door's question: %s", got)
	}
	d.Set(func(s *fakedoor.Script) { s.Results["pay"] = `{"content":[]}` })
	if got := ask(`,"inputResponses":{"q":{"action":"accept"}},"requestState":"door-state"`); !strings.Contains(got, `"content":[]`) {
		t.Errorf("the answer to the door: %s", got)
	}
	last := d.Requests("tools/call")
	if sent := last[len(last)-1].Params; !strings.Contains(sent, "door-state") {
		t.Errorf("the door's state was lost: %s", sent)
	}
	if got := ask(`,"inputResponses":{},"requestState":"door-state"`); !strings.Contains(got, statePrefix) {
		t.Errorf("an approval was used twice: %s", got)
	}
}

func TestListMetaIsOurs(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{ListMeta: `{"hanzo-mcp/omitted":[],"hanzo.ai/refused":{"n":1}}`}, nil, "--max-tools", "5")
	got := c.ask("1", "tools/list", "")
	if strings.Count(got, "hanzo-mcp/omitted") != 1 || strings.Contains(got, `"hanzo-mcp/omitted":[]`) || !strings.Contains(got, `"hanzo.ai/refused":{"n":1}`) {
		t.Errorf("%s", got[strings.LastIndex(got, `"_meta"`):])
	}
}

func TestModernListKnowsTheProjectsSwitches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".hanzo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".hanzo", "settings.json"), []byte(`{"read_only":true,"tools":{"deny":["git"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startIn(t, dir, nil, "--no-door")
	got := c.ask("1", "tools/list", `{`+modernMeta+`}`)
	if strings.Contains(got, `"name":"git"`) || strings.Contains(got, `"write"`) {
		t.Errorf("%.2000s", got)
	}
}

func TestFlagsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--project-dir", ""}, {"--tools", "fs,nosuch"}, {"--door-tools", "nosuch"}, {"--max-tools", "-5"}, {"--disable-tools", "fs,,git"},
		{"--sandbox", "bogus"}, {"--disable-tools", "exce"}, {"--disable-tools", "billing echo"}, {"--disable-tools", "{billing,echo}"}, {"--disable-tools", "^billing$"}, {"--disable-tools", "bash"}, {"--disable-tools", "fs.rm"}, {"--http-host", "*.lan"}, {"--http="}, {"--http-host", "a b"},
	} {
		var o options
		fs := serveFlags("serve", &o)
		httpFlags(fs, &o)
		_, err := parse(fs, args, &o)
		if err == nil {
			err = o.checkNames()
		}
		if err == nil {
			t.Errorf("%v passed", args)
		}
	}
	c := start(t, nil, "--no-door", "--disable-tools", "FS", "--tools", " fs , Exec ,", "--sandbox", "OFF")
	if _, names := c.list("1"); fmt.Sprint(names) != "[exec]" {
		t.Errorf("listed %v", names)
	}
}

// Switches of the other Hanzo servers narrow what they narrow there, whatever stands beside them.
func TestSwitchesOfOtherServers(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--disable-write-tools":                    "read-only []",
		"--disable-write-tools=false":              "[] ignored [--disable-write-tools]",
		"--disable-write-tools=0":                  "[] ignored [--disable-write-tools]",
		"--disable-write-tools --read-only=false":  "read-only []",
		"--disable-fs":                             "[fs]",
		"--disable-fs=no":                          "[] ignored [--disable-fs]",
		"--disable-fs false":                       "[] ignored [--disable-fs]",
		"--disable-fs --disable-tools exec":        "[exec fs]",
		"--disable-bash --disable-git-tools":       "[exec git]",
		"--enable-exec=false":                      "[exec]",
		"--enable-exec":                            "[] ignored [--enable-exec]",
		"--disable-write":                          "[] ignored [--disable-write]",
		"--disable-door":                           "no door []",
		"--enable-door=false":                      "no door []",
		"--disable-door --enable-door":             "[]",
		"--enable-agent true --disable-agent-tool": "[] ignored [--enable-agent --disable-agent-tool]",
	} {
		var o options
		if _, err := parse(serveFlags("serve", &o), strings.Fields(args), &o); err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		got := fmt.Sprint(o.disable)
		if o.noDoor {
			got = "no door " + got
		}
		if o.readOnly {
			got = "read-only " + got
		}
		if len(o.swallowed) > 0 {
			got += fmt.Sprint(" ignored ", o.swallowed)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestFailedInitializeLeavesNoSession(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door", "--http-no-token")
	resp := h.do("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`)
	if resp.Header.Get("Mcp-Session-Id") != "" {
		t.Error("a failed initialize got a session")
	}
	for i := range maxSessions + 10 {
		resp, err := http.Post(h.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 || resp.Header.Get("Mcp-Session-Id") == "" {
			t.Fatalf("session %d: %s", i, resp.Status)
		}
	}
}

func TestPromptOverHTTPWithoutAStreamDenies(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), []string{writeSettings(t, promptExec)}, "--no-door")
	session := h.session("2025-11-25", `{"elicitation":{}}`)
	begun := time.Now()
	got := text(t, h.do("POST", strings.TrimSpace(call("1", "exec", `{"command":"echo ran"}`)), session, "Accept: application/json"))
	if !strings.Contains(got, "PERMISSION_DENIED") || time.Since(begun) > 10*time.Second {
		t.Errorf("after %v: %s", time.Since(begun), got)
	}
}

func TestAuditLogIsProtected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "audit.jsonl")
	c := startIn(t, dir, []string{"HANZO_MCP_AUDIT_LOG=" + log}, "--no-door", "--sandbox", "workspace")
	c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)
	for i, params := range []string{
		`{"name":"fs","arguments":{"action":"write","path":"audit.jsonl","content":"","overwrite":true}}`,
		`{"name":"exec","arguments":{"command":": > audit.jsonl"}}`,
	} {
		if r := parseResult(t, c.ask(fmt.Sprint(i+2), "tools/call", params)); r.OK {
			t.Errorf("%s: %+v", params, r)
		}
	}
	if raw, err := os.ReadFile(log); err != nil || !strings.Contains(string(raw), `"fs"`) {
		t.Errorf("%v %s", err, raw)
	}
}

// TestSignInCommandRunsNothingOfTheCheckout: `hanzo` may be a script whose interpreter is found on the PATH, and npx
// puts the checkout's programs first there.
func TestSignInCommandRunsNothingOfTheCheckout(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	trap := filepath.Join(dir, "node_modules", ".bin")
	if err := os.MkdirAll(trap, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sprung := filepath.Join(t.TempDir(), "sprung")
	for _, name := range []string{"node", "hanzo", "git", "sh", "bash"} {
		write(filepath.Join(trap, name), "#!/bin/sh\ntouch "+sprung+"\necho stolen-token-value\n")
	}
	write(filepath.Join(bin, "hanzo"), "#!/usr/bin/env node\n")
	write(filepath.Join(bin, "node"), "#!/bin/sh\necho true-token-value\n")
	d := fakedoor.Start(t, fakedoor.Script{Token: "true-token-value", Results: map[string]string{"t": `{"content":[]}`}})
	c := startIn(t, dir, []string{"HANZO_MCP_DOOR=" + d.URL(), "PATH=" + trap + ":" + bin + ":/usr/bin:/bin"})
	c.initialize("2025-11-25", "{}")
	if got := c.ask("1", "tools/call", `{"name":"t"}`); !strings.Contains(got, `"content":[]`) {
		t.Errorf("%s", got)
	}
	c.ask("2", "tools/call", `{"name":"git","arguments":{"action":"status"}}`)
	c.ask("3", "tools/call", `{"name":"exec","arguments":{"command":"git --version; node; true"}}`)
	if _, err := os.Stat(sprung); err == nil {
		t.Error("a program of the checkout ran")
	}
}

func TestKilledServerLeavesNoTempFolder(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	runs := func() []string { list, _ := filepath.Glob(filepath.Join(tmp, tempPrefix+"*")); return list }
	first := start(t, []string{"TMPDIR=" + tmp}, "--no-door")
	first.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"echo x > $TMPDIR/left"}}`)
	left := runs()
	if len(left) != 1 {
		t.Fatalf("folders %v", left)
	}
	_ = first.cmd.Process.Kill()
	<-first.ended
	second := start(t, []string{"TMPDIR=" + tmp}, "--no-door")
	second.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)
	waitFor(t, 10*time.Second, "the old folder to go", func() bool { list := runs(); return len(list) == 1 && list[0] != left[0] })
	if err := second.end(); err != nil {
		t.Error(err)
	}
	if list := runs(); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

func TestBackgroundJobEndsWithItsHTTPSession(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	session, other := h.session("2025-11-25", "{}"), h.session("2025-11-25", "{}")
	mark := fmt.Sprintf("42%d", os.Getpid())
	text(t, h.do("POST", strings.TrimSpace(call("1", "exec", `{"command":"sleep `+mark+`","background":true,"proc_id":"mine"}`)), session))
	if got := text(t, h.do("POST", strings.TrimSpace(call("2", "exec", `{"action":"ps"}`)), other)); strings.Contains(got, mark) {
		t.Errorf("another session sees it: %s", got)
	}
	if got := text(t, h.do("POST", strings.TrimSpace(call("3", "exec", `{"action":"kill","proc_id":"mine"}`)), other)); !strings.Contains(got, "NOT_FOUND") {
		t.Errorf("another session ends it: %s", got)
	}
	h.do("DELETE", "", session)
	waitFor(t, 10*time.Second, "the job to end", func() bool {
		out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output()
		return len(out) == 0
	})
}

// TestSchemaActionListsWhatIsOffered: workspace.schema knows the tools of tools/list and no others.
func TestSchemaActionListsWhatIsOffered(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--tools", "fs,workspace,mode", "--disable-tools", "mode")
	r := parseResult(t, c.ask("1", "tools/call", `{"name":"workspace","arguments":{"action":"schema"}}`))
	if !r.OK || !strings.Contains(r.Payload, `"fs"`) || strings.Contains(r.Payload, `"exec"`) || strings.Contains(r.Payload, `"mode"`) {
		t.Errorf("%.1500s", r.Payload)
	}
}

func TestLimitFaults(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HANZO_MCP_DOOR_TIMEOUT": "zz", "HANZO_MCP_MAX_MESSAGE_BYTES": "10", "HANZO_MCP_MAX_DOOR_BYTES": "-1"}
	if got := limitFaults(func(name string) string { return env[name] }); len(got) != 3 {
		t.Errorf("%q", got)
	}
	env = map[string]string{"HANZO_MCP_DOOR_TIMEOUT": "90s", "HANZO_MCP_MAX_MESSAGE_BYTES": "2000000"}
	if got := limitFaults(func(name string) string { return env[name] }); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// Without a sandbox and a project, relative names begin where the server does.
func TestRelativeNamesWithoutAProject(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "off")
	if r := parseResult(t, c.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"pwd"}}`)); r.Payload != c.dir+"\n" {
		t.Errorf("%+v, not %s", r, c.dir)
	}
}

// What a client gives as its roots: paths and URIs, odd ones among them, each is judged for itself.
func TestRootDirs(t *testing.T) {
	t.Parallel()
	got, err := rootDirs([]byte(`{"roots":[{"uri":"file:///a%20b"},{"uri":"/plain/path"},{"uri":5},{"uri":"file:///raw%zz"},{"uri":"file:///a#b"},{"uri":"vscode-remote://x/y"},{"uri":"file://host/x"},"x",` +
		`"file:///text","/text",{"uri":"file://LOCALHOST/l"},{"uri":"file:/one"}]}`))
	if want := []string{"file:///a%20b", "/plain/path", "/raw%zz", "/a#b", "file:///text", "/text", "file://LOCALHOST/l", "file:/one"}; !slices.Equal(got.dirs, want) || len(got.odd) != 4 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{``, `[]`, `{}`, `"x"`, `{"roots":"x"}`, `{"roots":{"uri":"file:///x"}}`} {
		if got, err := rootDirs([]byte(text)); err == nil {
			t.Errorf("%s: %q", text, got)
		}
	}
	for _, text := range []string{`{"roots":[]}`, `{"roots":null}`} {
		if got, err := rootDirs([]byte(text)); err != nil || !got.empty() {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// Roots that come after calls have stopped waiting for them hold from then on.
func TestLateRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("found it"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startIn(t, t.TempDir(), nil, "--no-door", "--sandbox", "workspace")
	c.initialize("2025-11-25", `{"roots":{}}`)
	read := `{"name":"fs","arguments":{"action":"read","path":"mine"}}`
	if got := c.ask("1", "tools/call", read); strings.Contains(got, "found it") {
		t.Fatal(got)
	}
	c.answerRoots(dir)
	for i := 2; !strings.Contains(c.ask(fmt.Sprint(i), "tools/call", read), "found it"); i++ {
		if i > 200 {
			t.Fatal("the late roots were never used")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A rule that names no tool, as another program calls it, is told of.
func TestMistypedRules(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{"exce": "exec", "bash": "exec", "Bash": "exec", "exec(rm:*)": "exec", "Write.x": "fs", "exec": "", "exec.kill": "", "fs.*": "", "*": "", "billing.pay": "", "ex*": "", "hanzo.exec": "exec", "mcp__hanzo__exec": "", "mcp__hanzo__exec.kill": "", "hanzo.pay": ""} {
		if got := mistyped(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	c := start(t, []string{writeSettings(t, `{"permissions":{"exce":"deny"}}`)}, "--no-door")
	c.ask("1", "tools/call", `{"name":"mode","arguments":{"action":"current"}}`)
	if got := c.stderr.String(); !strings.Contains(got, `"exce"`) || !strings.Contains(got, "exec is meant") {
		t.Errorf("stderr: %s", got)
	}
}

// The verb may stand behind flags, whose values are no verbs.
func TestVerbBehindFlags(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"": "serve", "--no-door": "serve", "--no-door call fs {}": "call", "--project-dir call serve": "serve", "--project-dir=x list-tools --json": "list-tools", "help call": "call",
		"--project-dir serve": "serve", "-t stdio serve": "serve",
	} {
		cmd, _, err := pick(commands(), strings.Fields(line))
		if err != nil || cmd.name != want {
			t.Errorf("%q: %s %v, want %s", line, cmd.name, err, want)
		}
	}
}

// The files of memory, plan and tasks are the user's: they never come to lie in the project.
func TestStatePaths(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "/h/.hanzo/memory.json", "/x/m.json": "/x/m.json", "~/m.json": "/h/m.json", "m.json": "/h/.hanzo/m.json", "../m.json": "/h/m.json"} {
		s := &server{env: environment{home: "/h", getenv: func(string) string { return given }}}
		if got := filepath.ToSlash(s.statePath(memoryFile)); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
}

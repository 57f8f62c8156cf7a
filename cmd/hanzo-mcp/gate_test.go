package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// userSettings writes a user's settings file and gives the environment that finds it.
func writeSettings(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "hanzo"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hanzo", "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "XDG_CONFIG_HOME=" + dir
}

// TestDenyAllHookCoversEverything calls every action of every local tool and a tool of the door under a hook that
// denies all: nothing runs, nothing is sent.
func TestDenyAllHookCoversEverything(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{})
	c := start(t, []string{"HANZO_MCP_DOOR=" + d.URL(), writeSettings(t, `{"hooks":[{"event":"pre_tool_use","command":"echo no way >&2; exit 2","tool_pattern":"*"}]}`)},
		"--sandbox", "workspace")
	c.initialize("2025-11-25", "{}")
	before, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, tool := range allTools(t) {
		for _, a := range tool.Actions {
			n++
			arguments := fmt.Sprintf(`{"action":%q`, a.Name)
			for _, p := range [][2]string{{"path", `"x"`}, {"command", `"touch x"`}, {"content", `"x"`}, {"message", `"x"`}, {"confirm", "true"}} {
				if slices.Contains(a.Params(), p[0]) {
					arguments += fmt.Sprintf(`,%q:%s`, p[0], p[1])
				}
			}
			r := parseResult(t, c.ask(fmt.Sprint(n), "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}}`, tool.Name, arguments)))
			if r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, "no way") {
				t.Errorf("%s.%s: %+v", tool.Name, a.Name, r.Error)
			}
		}
	}
	r := parseResult(t, c.ask("0", "tools/call", `{"name":"billing","arguments":{"op":"pay"}}`))
	if r.Error.Code != "PERMISSION_DENIED" {
		t.Errorf("forwarded: %+v", r.Error)
	}
	if got := d.Requests("tools/call"); len(got) != 0 {
		t.Errorf("the door got %d calls", len(got))
	}
	if after, err := os.ReadDir(c.dir); err != nil || len(after) != len(before) {
		t.Errorf("the folder changed: %v %v", after, err)
	}
}

// TestHookSeesWhatRuns: aliases, odd spellings and duplicates cannot show the hook one path and use another.
func TestHookSeesWhatRuns(t *testing.T) {
	t.Parallel()
	hook := filepath.Join(t.TempDir(), "only-ok")
	script := "#!/bin/sh\n" + `in=$(cat); case "$in" in *'"path":"ok.txt"'*) exit 0;; esac; echo "saw $in" >&2; exit 2` + "\n"
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := start(t, []string{writeSettings(t, fmt.Sprintf(`{"hooks":[{"event":"pre_tool_use","command":%q,"tool_pattern":"fs.*"}]}`, hook))}, "--no-door")
	for name, content := range map[string]string{"ok.txt": "fine", "secret": "SECRET"} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, arguments := range map[string]string{
		"plain":              `{"action":"read","path":"ok.txt"}`,
		"alias":              `{"method":"read","file_path":"ok.txt"}`,
		"other file":         `{"action":"read","path":"secret"}`,
		"case variant":       `{"action":"read","path":"ok.txt","PATH":"secret"}`,
		"twice":              `{"action":"read","path":"ok.txt","path":"secret"}`,
		"escaped spelling":   `{"action":"read","path":"ok.txt","p\u0061th":"secret"}`,
		"two aliases":        `{"action":"read","path":"ok.txt","uri":"secret"}`,
		"camel and snake":    `{"action":"read","filePath":"ok.txt","file_path":"secret"}`,
		"action twice":       `{"action":"read","method":"write","path":"ok.txt","content":"x"}`,
		"action in two ways": `{"action":"read","Action":"rm","path":"ok.txt"}`,
	} {
		got := c.ask("1", "tools/call", `{"name":"fs","arguments":`+arguments+`}`)
		if strings.Contains(got, "SECRET") {
			t.Errorf("%s: the secret came out: %s", name, got)
		}
		if ok := name == "plain" || name == "alias"; ok != strings.Contains(got, "fine") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestRulesOnOpsOfTheDoor(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Results: map[string]string{"billing": `{"content":[]}`}},
		[]string{writeSettings(t, `{"permissions":{"billing.create_invoice":"deny","fs.rm":"deny","*":"allow"}}`)})
	for arguments, allowed := range map[string]bool{
		`{"op":"list_invoices"}`:           true,
		`{"op":"create_invoice"}`:          false,
		`{"op":"\u0063reate_invoice"}`:     false,
		`{"op":"Create_Invoice"}`:          false,
		`{"op":["create_invoice"]}`:        false,
		`{"op":null}`:                      false,
		`{}`:                               false,
		`{"op":"list_invoices","input":1}`: true,
	} {
		got := c.ask("1", "tools/call", `{"name":"billing","arguments":`+arguments+`}`)
		if denied := strings.Contains(got, "PERMISSION_DENIED"); denied == allowed {
			t.Errorf("%s: %s", arguments, got)
		}
	}
	if got := c.ask("2", "tools/call", `{"name":"billing","arguments":{"op":"x","Op":"create_invoice"}}`); !strings.Contains(got, "INVALID_PARAMS") {
		t.Errorf("op given twice: %s", got)
	}
	if n := len(d.Requests("tools/call")); n != 2 {
		t.Errorf("the door got %d calls", n)
	}
}

func TestReadOnlyForAll(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Results: map[string]string{"describe": `{"content":[]}`, "agents": `{"content":[]}`}}, nil, "--read-only")
	_, names := c.list("1")
	for _, n := range names {
		if n == "agents" {
			t.Error("a tool of the door that may write is listed")
		}
	}
	for name, params := range map[string]string{
		"fs.write": `{"name":"fs","arguments":{"action":"write","path":"x","content":"y"}}`,
		"exec":     `{"name":"exec","arguments":{"command":"touch x"}}`,
		"git":      `{"name":"git","arguments":{"action":"init"}}`,
		"agents":   `{"name":"agents","arguments":{}}`,
		"unknown":  `{"name":"no_such_tool"}`,
	} {
		if r := parseResult(t, c.ask("2", "tools/call", params)); r.Error.Code != "READ_ONLY" {
			t.Errorf("%s: %+v", name, r.Error)
		}
	}
	if got := c.ask("3", "tools/call", `{"name":"describe","arguments":{"op":"x"}}`); !strings.Contains(got, `"content":[]`) {
		t.Errorf("describe: %s", got)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "x")); err == nil {
		t.Error("something was written")
	}
	if n := len(d.Requests("tools/call")); n != 1 {
		t.Errorf("the door got %d calls", n)
	}
}

const promptExec = `{"permissions":{"exec":{"mode":"prompt","reason":"commands are asked about"},"*":"allow"}}`

func TestPromptByElicitation(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, promptExec)}, "--no-door")
	c.initialize("2025-11-25", `{"elicitation":{}}`)
	for answer, runs := range map[string]bool{"accept": true, "decline": false, "cancel": false} {
		c.raw(call("1", "exec", `{"command":"echo ran\u202e"}`))
		var ask struct {
			ID     string
			Method string
			Params struct{ Message string }
		}
		select {
		case line := <-c.asks:
			if err := json.Unmarshal([]byte(line), &ask); err != nil {
				t.Fatal(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("nobody was asked: %s", c.wait("1"))
		}
		if ask.Method != "elicitation/create" || !strings.Contains(ask.Params.Message, "exec.exec") || strings.Contains(ask.Params.Message, "\u202e") {
			t.Errorf("asked %+v", ask)
		}
		c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"action":%q}}`+"\n", ask.ID, answer))
		r := parseResult(t, c.wait("1"))
		if runs != strings.HasPrefix(r.Payload, "ran") || !runs && r.Error.Code != "PERMISSION_DENIED" {
			t.Errorf("%s: %+v", answer, r)
		}
	}
}

func TestPromptWithoutAWayToAskDenies(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, promptExec)}, "--no-door")
	c.initialize("2025-11-25", `{}`)
	c.raw(call("1", "exec", `{"command":"echo ran"}`))
	if r := parseResult(t, c.wait("1")); r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, "commands are asked about") {
		t.Errorf("%+v", r.Error)
	}
}

func TestPromptByRoundTrip(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, promptExec)}, "--no-door", "--project-dir", ".")
	meta := strings.Replace(modernMeta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	ask := func(command, more string) string {
		return c.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"`+command+`"},`+meta+more+`}`)
	}
	state := func(line string) string {
		var m struct {
			Result struct {
				ResultType, RequestState string
				InputRequests            map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Result.ResultType != "input_required" || m.Result.InputRequests["approval"] == nil {
			t.Fatalf("no round: %s", line)
		}
		return m.Result.RequestState
	}
	with := func(state, action string) string {
		return `,"inputResponses":{"approval":{"action":"` + action + `"}},"requestState":"` + state + `"`
	}
	first := state(ask("echo one", ""))
	if got := ask("echo two", with(first, "accept")); !strings.Contains(got, "PERMISSION_DENIED") {
		t.Errorf("an approval for other arguments: %s", got)
	}
	if got := ask("echo one", with(first, "accept")); !strings.Contains(got, `one\n`) {
		t.Errorf("approved: %s", got)
	}
	if got := ask("echo one", with(first, "accept")); !strings.Contains(got, "PERMISSION_DENIED") {
		t.Errorf("an approval used twice: %s", got)
	}
	if got := ask("echo one", with("hanzo-mcp.AAAA", "accept")); !strings.Contains(got, "PERMISSION_DENIED") {
		t.Errorf("a made-up approval: %s", got)
	}
	if got := ask("echo one", with(state(ask("echo one", "")), "decline")); !strings.Contains(got, "PERMISSION_DENIED") {
		t.Errorf("declined: %s", got)
	}
}

func TestApprovalEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	a := newApprovals()
	now := time.Now()
	a.now = func() time.Time { return now }
	sealed := a.seal(approvalState{Nonce: []byte("n"), Call: []byte("c"), Expiry: now.Add(promptLimit).Unix()})
	now = now.Add(promptLimit + 2*time.Second)
	if a.spend(sealed, []byte("c")) {
		t.Error("an approval was good after its time")
	}
}

func TestRootsOfTheClient(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	one, two := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{one: "ONE", two: "TWO", c.dir: "CWD"} {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(dir string) {
		t.Helper()
		select {
		case line := <-c.asks:
			var ask struct{ ID, Method string }
			if err := json.Unmarshal([]byte(line), &ask); err != nil || ask.Method != "roots/list" {
				t.Fatalf("asked %s", line)
			}
			c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"roots":[{"uri":%q}]}}`+"\n", ask.ID, "file://"+dir))
		case <-time.After(10 * time.Second):
			t.Fatal("the client was not asked for its roots")
		}
	}
	read := func(id, path string) toolResult {
		return parseResult(t, c.ask(id, "tools/call", `{"name":"fs","arguments":{"action":"read","path":"`+path+`"}}`))
	}
	c.initialize("2025-11-25", `{"roots":{"listChanged":true}}`)
	answer(one)
	if r := read("1", "f"); r.Payload != "ONE" {
		t.Errorf("first root: %+v", r)
	}
	if r := read("2", filepath.Join(c.dir, "f")); r.Error.Code != "PERMISSION_DENIED" {
		t.Errorf("the working folder although the client has roots: %+v", r)
	}
	c.raw(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
	answer(two)
	if r := read("3", "f"); r.Payload != "TWO" {
		t.Errorf("changed root: %+v", r)
	}
}

func TestRootsOfAModernClient(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("MODERN"), 0o644); err != nil {
		t.Fatal(err)
	}
	meta := strings.Replace(modernMeta, `clientCapabilities":{}`, `clientCapabilities":{"roots":{}}`, 1)
	params := `{"name":"fs","arguments":{"action":"read","path":"f"},` + meta
	first := c.ask("1", "tools/call", params+"}")
	if !strings.Contains(first, `"resultType":"input_required"`) || !strings.Contains(first, "roots/list") {
		t.Fatalf("no round: %s", first)
	}
	second := c.ask("2", "tools/call", params+`,"inputResponses":{"roots":{"roots":[{"uri":"file://`+dir+`"}]}},"requestState":"hanzo-mcp.roots"}`)
	if r := parseResult(t, second); r.Payload != "MODERN" {
		t.Errorf("%+v", r)
	}
	if r := parseResult(t, c.ask("3", "tools/call", params+"}")); r.Payload != "MODERN" {
		t.Errorf("asked again: %+v", r)
	}
}

func TestMissingRootIsNotReplaced(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace", "--project-dir", filepath.Join(t.TempDir(), "gone"))
	if err := os.WriteFile(filepath.Join(c.dir, "f"), []byte("CWD"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"f", filepath.Join(c.dir, "f")} {
		if r := parseResult(t, c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"read","path":"`+path+`"}}`)); r.OK {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if !strings.Contains(c.stderr.String(), "gone") {
		t.Errorf("stderr: %s", c.stderr)
	}
}

// A root that is made later is taken then, however it was written.
func TestMissingRootThatComes(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for i, root := range []string{"~/late", filepath.Join(home, "later")} {
		c := start(t, []string{"HOME=" + home}, "--no-door", "--sandbox", "workspace", "--project-dir", root)
		read := `{"name":"fs","arguments":{"action":"read","path":"f"}}`
		if r := parseResult(t, c.ask("1", "tools/call", read)); r.OK {
			t.Errorf("%s: %+v", root, r)
		}
		dir := filepath.Join(home, []string{"late", "later"}[i])
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "f"), []byte("HERE"), 0o644)); err != nil {
			t.Fatal(err)
		}
		if r := parseResult(t, c.ask("2", "tools/call", read)); r.Payload != "HERE" {
			t.Errorf("%s: %+v", root, r)
		}
	}
}

// The caches of a project are there again at the next start.
func TestCachesLast(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	var caches []string
	for range 2 {
		c := startIn(t, dir, []string{"HOME=" + home}, "--no-door", "--sandbox", "workspace")
		caches = append(caches, parseResult(t, c.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"echo $GOCACHE $npm_config_cache"}}`)).Payload)
	}
	if !strings.Contains(caches[0], home) || caches[0] != caches[1] {
		t.Errorf("%q", caches)
	}
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	c := start(t, []string{"HANZO_MCP_AUDIT_LOG=" + log, writeSettings(t, `{"permissions":{"fs.rm":"deny"}}`)}, "--no-door")
	c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"rm","path":"x"}}`)
	c.ask("2", "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %s", len(lines), raw)
	}
	var e struct {
		Timestamp, Mode, Reason string
		ToolName                string `json:"tool_name"`
		Rule                    string `json:"rule_matched"`
		Session                 string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil || e.ToolName != "fs" || e.Mode != "deny" || e.Rule != "fs.rm" || e.Session == "" || e.Timestamp == "" {
		t.Errorf("%v: %s", err, lines[0])
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestPostHookWarnsAndNeverBlocks(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"hooks":[
		{"event":"post_tool_use","command":"sleep 600","tool_pattern":"exec","timeout_ms":300},
		{"event":"post_tool_use","command":"yes | head -c 10000000; echo careful >&2; exit 2","tool_pattern":"exec"}]}`)}, "--no-door")
	c.raw(call("1", "exec", `{"command":"echo real"}`))
	r := parseResult(t, c.wait("1"))
	warnings := fmt.Sprint(r.Meta["warnings"])
	if r.Payload != "real\n" || !strings.Contains(warnings, "sleep 600") || !strings.Contains(warnings, "careful") {
		t.Errorf("%+v", r)
	}
}

func TestHangingHookDelaysOnlyItsCall(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"hooks":[{"event":"pre_tool_use","command":"sleep 600","tool_pattern":"exec","timeout_ms":6000}]}`)}, "--no-door")
	begun := time.Now()
	c.raw(call("1", "exec", `{"command":"touch ran"}`))
	c.ask("2", "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("another call took %v", took)
	}
	r := parseResult(t, c.wait("1"))
	if took := time.Since(begun); r.Error.Code != "PERMISSION_DENIED" || took > 30*time.Second {
		t.Errorf("%+v after %v", r.Error, took)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}

// A hook's script in the project is read-only to those whom it judges, however its command names it. Where it is missing
// the file tools do not make it.
func TestHookScriptsAreHeld(t *testing.T) {
	t.Parallel()
	for command, script := range map[string]string{
		`"$HANZO_PROJECT_DIR"/scripts/check.sh`: "scripts/check.sh", `${HANZO_PROJECT_DIR}/scripts/check.sh`: "scripts/check.sh",
		`cd "$HANZO_PROJECT_DIR" && sh scripts/check.sh`: "scripts/check.sh", `$HANZO_PROJECT_DIR/late.sh`: "late.sh",
	} {
		dir := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "scripts"), 0o755), os.WriteFile(filepath.Join(dir, "scripts/check.sh"), []byte("#!/bin/sh\nexit 0\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
		settings, _ := json.Marshal(map[string]any{"hooks": []any{map[string]any{"event": "post_tool_use", "command": command, "tool_pattern": "fs.stat"}}})
		c := startIn(t, dir, []string{writeSettings(t, string(settings))}, "--no-door", "--sandbox", "workspace")
		if script != "late.sh" {
			c.ask("0", "tools/call", `{"name":"exec","arguments":{"command":"mkdir -p scripts; echo 'touch planted' >`+script+`; chmod +x `+script+`"}}`)
		}
		if r := parseResult(t, c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"write","path":"`+script+`","content":"touch planted","overwrite":true}}`)); r.OK {
			t.Errorf("%s: fs wrote it: %+v", command, r)
		}
		if raw, err := os.ReadFile(filepath.Join(dir, script)); err == nil && strings.Contains(string(raw), "planted") {
			t.Errorf("%s: exec wrote it", command)
		}
	}
}

// Where a project narrows itself, its folder is another one to the hooks, and their scripts there are held too.
func TestHookScriptsOfANarrowedProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{".hanzo/settings.json": `{"sandbox":{"allowed_paths":["src"]}}`, "src/check.sh": "exit 0\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := startIn(t, dir, []string{writeSettings(t, `{"hooks":[{"event":"post_tool_use","command":"sh \"$HANZO_PROJECT_DIR\"/check.sh","tool_pattern":"fs.stat"}]}`)}, "--no-door", "--sandbox", "workspace", "--project-dir", dir)
	for name, want := range map[string]bool{"check.sh": false, "other.sh": true} {
		r := parseResult(t, c.ask("1", "tools/call", `{"name":"fs","arguments":{"action":"write","path":"`+name+`","content":"true","overwrite":true}}`))
		if r.OK != want {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Text that is typed into a process is judged as the commands that it may be.
func TestTypedTextIsJudgedAsACommand(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"hooks":[{"event":"pre_tool_use","command":"grep -q forbidden && echo not that >&2 && exit 2; exit 0","tool_pattern":"exec.exec"}]}`)}, "--no-door")
	c.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"sh","background":true,"proc_id":"s"}}`)
	if r := parseResult(t, c.ask("2", "tools/call", `{"name":"exec","arguments":{"action":"write","proc_id":"s","text":"echo forbidden"}}`)); r.OK || !strings.Contains(r.Error.Message, "not that") {
		t.Errorf("%+v", r)
	}
	if r := parseResult(t, c.ask("3", "tools/call", `{"name":"exec","arguments":{"action":"write","proc_id":"s","text":"echo fine"}}`)); !r.OK {
		t.Errorf("%+v", r)
	}
}

// TestGateUnderLoad turns everything at once: rules, hooks, roots that change, 64 calls in flight.
func TestGateUnderLoad(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, `{"permissions":{"fs.write":"deny","*":"allow"},"hooks":[{"event":"pre_tool_use","command":"exit 0","tool_pattern":"fs.stat"}]}`)}, "--no-door")
	if err := os.WriteFile(filepath.Join(c.dir, "f"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.initialize("2025-11-25", `{"roots":{}}`)
	stop := make(chan struct{})
	var asked sync.WaitGroup
	asked.Go(func() {
		for {
			select {
			case line := <-c.asks:
				var ask struct{ ID string }
				_ = json.Unmarshal([]byte(line), &ask)
				c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"roots":[{"uri":%q}]}}`+"\n", ask.ID, "file://"+c.dir))
			case <-stop:
				return
			}
		}
	})
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for round := range 4 {
				id := fmt.Sprintf(`"%d-%d"`, i, round)
				action := []string{"read", "stat", "write", "list"}[(i+round)%4]
				r := parseResult(t, c.ask(id, "tools/call", `{"name":"fs","arguments":{"action":"`+action+`","path":"`+map[bool]string{true: ".", false: "f"}[action == "list"]+`","content":"y"}}`))
				if (action == "write") == r.OK {
					t.Errorf("%s: %+v", action, r.Error)
				}
			}
			if i%8 == 0 {
				c.raw(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n")
			}
		})
	}
	all.Wait()
	close(stop)
	asked.Wait()
}

// TestSlotsAreBounded holds all slots with calls that wait and shows that calls without a slot still run.
func TestSlotsAreBounded(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	for i := range tools.MaxAtWork {
		c.raw(call(fmt.Sprintf(`"s%d"`, i), "exec", `{"command":"sleep 2"}`))
	}
	c.raw(call(`"late"`, "exec", `{"command":"echo late"}`))
	if r := parseResult(t, c.ask(`"ps"`, "tools/call", `{"name":"exec","arguments":{"action":"ps"}}`)); !r.OK {
		t.Errorf("ps: %+v", r)
	}
	c.alive()
	for i := range tools.MaxAtWork {
		c.wait(fmt.Sprintf(`"s%d"`, i))
	}
	if r := parseResult(t, c.wait(`"late"`)); r.Payload != "late\n" {
		t.Errorf("%+v", r)
	}
}

// TestPlantedFileIsTold: a command can make a .mcp.json where there was none; the result says so, once.
func TestPlantedFileIsTold(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door", "--sandbox", "workspace")
	c.raw(call("1", "exec", `{"command":["true"]}`))
	c.wait("1")
	c.raw(call("2", "exec", `{"command":"echo {} > .mcp.json"}`))
	if r := parseResult(t, c.wait("2")); !strings.Contains(fmt.Sprint(r.Meta["warnings"]), ".mcp.json") {
		t.Errorf("no warning: %+v", r)
	}
	c.raw(call("3", "exec", `{"command":["true"]}`))
	if r := parseResult(t, c.wait("3")); strings.Contains(fmt.Sprint(r.Meta["warnings"]), ".mcp.json") {
		t.Errorf("told twice: %+v", r)
	}
	// What a job plants is told with its end.
	c.raw(call("4", "exec", `{"command":"sleep 0.3; mkdir .vscode","background":true,"proc_id":"b"}`))
	c.wait("4")
	c.raw(call("5", "exec", `{"action":"wait","proc_id":"b"}`))
	if r := parseResult(t, c.wait("5")); !strings.Contains(fmt.Sprint(r.Meta["warnings"]), ".vscode") {
		t.Errorf("no warning: %+v", r)
	}
}

// A project folder that is replaced, as by a new clone, is the new one for every tool; one that was missing is used once
// it is there, and until then the refusal says what is missing.
func TestProjectFolderComesAndGoes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be renamed on Windows")
	}
	dir := filepath.Join(t.TempDir(), "w")
	c := startIn(t, t.TempDir(), []string{"HOME=" + t.TempDir()}, "--no-door", "--project-dir", dir, "--sandbox", "workspace")
	read := `{"name":"fs","arguments":{"action":"read","path":"a"}}`
	if got := c.ask("1", "tools/call", read); !strings.Contains(got, dir+": no such file") || strings.Contains(got, tempPrefix) {
		t.Errorf("a missing project: %s", got)
	}
	for i, text := range []string{"first", "second", "third"} {
		if i > 0 {
			if err := os.Rename(dir, dir+"."+text); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := c.ask(strconv.Itoa(10+i), "tools/call", read); !strings.Contains(got, text) {
			t.Errorf("want %s: %s", text, got)
		}
		if got := c.ask(strconv.Itoa(20+i), "tools/call", `{"name":"exec","arguments":{"command":"cat a"}}`); !strings.Contains(got, text) {
			t.Errorf("exec, want %s: %s", text, got)
		}
		c.ask(strconv.Itoa(30+i), "tools/call", `{"name":"fs","arguments":{"action":"write","path":"made","content":"x"}}`)
		if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
			t.Error(err)
		}
	}
}

// A credential of the server is shown in no form and in no part.
func TestSecretsInOtherForms(t *testing.T) {
	t.Parallel()
	const secret = "hk-0123456789abcdefghijklmnop"
	dir := t.TempDir()
	text := "# keys\nTOKEN=" + secret + "\n"
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := startIn(t, dir, []string{"HOME=" + t.TempDir(), "HANZO_TOKEN=" + secret}, "--no-door", "--sandbox", "workspace")
	for i, more := range []string{``, `,"line":2,"column":12`, `,"line":2,"column":7,"max_chars":14`, `,"encoding":"base64"`, `,"encoding":"base64","offset":20`, `,"encoding":"base64","offset":17,"max_chars":8`} {
		got := c.ask(strconv.Itoa(i), "tools/call", `{"name":"fs","arguments":{"action":"read","path":".env"`+more+`}}`)
		if strings.Contains(more, "base64") != strings.Contains(got, "PERMISSION_DENIED") {
			t.Errorf("%s: %s", more, got)
		}
		for part := range len(secret) - 8 {
			if strings.Contains(got, secret[part:part+8]) {
				t.Errorf("%s: %s", more, got)
				break
			}
		}
	}
}

// A client that has closed its end cannot answer: the call is denied at once, not when the time for an answer is over.
func TestPromptAtTheEndOfInput(t *testing.T) {
	t.Parallel()
	c := start(t, []string{writeSettings(t, promptExec)}, "--no-door")
	c.initialize("2025-11-25", `{"elicitation":{}}`)
	c.raw(call("1", "exec", `{"command":"echo ran"}`))
	select {
	case <-c.asks:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was asked")
	}
	begun := time.Now()
	c.in.Close()
	if r := parseResult(t, c.wait("1")); r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, "cannot answer") {
		t.Errorf("%+v", r)
	}
	if took := time.Since(begun); took > drainLimit*4/5 {
		t.Errorf("it took %v", took)
	}
}

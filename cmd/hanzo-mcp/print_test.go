package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// runCommand runs hanzo-mcp with a door and standard input, in a fresh folder, to its end.
func runCommand(t *testing.T, env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "HANZO_MCP_DOOR=http://127.0.0.1:9/v1/mcp"}, env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		code = exit.ExitCode()
	}
	return code, out.String(), errs.String()
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "x", Err: errors.New("no space left")}
}

// TestOutputThatCannotBeWritten: a script that keeps the output on a full disk must not take it for whole.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	getenv := func(name string) string {
		switch name {
		case "HOME":
			return home
		case "PATH":
			return os.Getenv("PATH")
		}
		return ""
	}
	for _, line := range []string{"call fs {} --no-door", "call fs {} --no-door --json", "list-tools --local", "list-tools --local --json", "doctor --no-door", "doctor --no-door --json", "settings --no-door", "version", "--help", "call --help", "install zed --print", "install cursor --dry-run"} {
		var stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(line), strings.NewReader(""), fullDisk{}, &stderr, getenv)
		if code != 1 || strings.Count(stderr.String(), "writing the output: no space left") != 1 {
			t.Errorf("%s: exit %d, stderr %s", line, code, &stderr)
		}
	}
}

// TestCallPrintsAllContent: nothing that a tool says is left out without a word.
func TestCallPrintsAllContent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ result, want string }{
		"embedded text":   {`{"content":[{"type":"resource","resource":{"uri":"a://b","text":"the embedded text"}}]}`, "the embedded text\n"},
		"embedded bytes":  {`{"content":[{"type":"resource","resource":{"uri":"a://b","mimeType":"x/y","blob":"AAAA"}}]}`, "[resource a://b x/y, 3 bytes]\n"},
		"link":            {`{"content":[{"type":"resource_link","uri":"https://x/y","name":"n"}]}`, "[resource_link https://x/y n]\n"},
		"image":           {`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[image image/png, 3 bytes]\n"},
		"no base64":       {`{"content":[{"type":"text","text":"A"},{"type":"image","data":"%%","mimeType":"image/png"}]}`, "A\n[image image/png, data that is no base64]\n"},
		"unknown":         {`{"content":[{"type":"x","k":1.0}]}`, "{\"type\":\"x\",\"k\":1.0}\n"},
		"structured":      {`{"content":[{"type":"text","text":"short"}],"structuredContent":{"a":12345678901234567890}}`, "short\n{\"a\":12345678901234567890}\n"},
		"structured same": {`{"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}}`, "{\"a\": 1}\n"},
		"structured only": {`{"content":[],"structuredContent":{"a":1}}`, "{\"content\":[],\"structuredContent\":{\"a\":1}}\n"},
		"like a block":    {`{"type":"text","text":"x"}`, "{\"type\":\"text\",\"text\":\"x\"}\n"},
		"no content":      {`{"foo":1}`, "{\"foo\":1}\n"},
	} {
		var out bytes.Buffer
		p := &program{out: &printer{w: &out}}
		if err := p.printResult("t", door.Reply{Result: []byte(c.result)}, false); err != nil || out.String() != c.want {
			t.Errorf("%s: %v %q, want %q", name, err, &out, c.want)
		}
		out.Reset()
		if err := p.printResult("t", door.Reply{Result: []byte(c.result)}, true); err != nil || out.String() != c.result+"\n" {
			t.Errorf("%s raw: %v %q", name, err, &out)
		}
	}
	d := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"t": `{"content":[{"type":"image","data":5}],"isError":true}`}})
	code, out, stderr := runCommand(t, []string{"HANZO_MCP_DOOR=" + d.URL()}, "", "call", "t", "--json")
	if code != 1 || out != `{"content":[{"type":"image","data":5}],"isError":true}`+"\n" || stderr != "" {
		t.Errorf("exit %d: %s %s", code, out, stderr)
	}
}

// A protocol error is JSON too where JSON is asked for.
func TestErrorAsJSON(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Errors: map[string]string{"t": `{"code":-32099,"message":"boom","data":{"k":1}}`}})
	code, out, stderr := runCommand(t, []string{"HANZO_MCP_DOOR=" + d.URL()}, "", "call", "t", "--json")
	if code != 1 || out != `{"error":{"code":-32099,"message":"boom","data":{"k":1}}}`+"\n" || stderr != "" {
		t.Errorf("exit %d: %s %s", code, out, stderr)
	}
}

// A list that the door was too slow for is not taken for the whole one.
func TestListWithoutTheDoor(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Hang: true})
	code, out, stderr := runCommand(t, []string{"HANZO_MCP_DOOR=" + d.URL()}, "", "list-tools")
	if code != 0 || !strings.Contains(out, "fs ") || !strings.Contains(stderr, d.URL()+" has not answered within 2s: its tools are not in this list") {
		t.Errorf("exit %d: %s %s", code, out, stderr)
	}
}

// TestTerminalIsNotSteered: a tool's words could rename the window, hide what is read, or turn a line around.
func TestTerminalIsNotSteered(t *testing.T) {
	t.Parallel()
	const said = "\x1b]0;pwn\x07 \x1b[31mred \u202eevil \u0085 a\rb \x9b \xff\tü 漢 👩‍💻\r\n"
	var out bytes.Buffer
	p := &program{out: &printer{w: &out, terminal: true}}
	if printLine(p.out, said); out.String() != `\x1b]0;pwn\x07 \x1b[31mred \u202eevil \u0085 a\x0db \x9b \xff`+"\tü 漢 👩‍💻\r\n" {
		t.Errorf("%q", &out)
	}
	out.Reset()
	p.out.terminal = false // a file or a pipe gets the bytes
	if printLine(p.out, said); out.String() != said {
		t.Errorf("%q", &out)
	}
}

// TestArgumentsOfCall: what a shell or an editor does to them is told; wrong usage ends with 2.
func TestArgumentsOfCall(t *testing.T) {
	t.Parallel()
	const ok = `{"action":"current"}`
	for name, c := range map[string]struct {
		stdin, args, want string
		code              int
	}{
		"byte order mark": {"\xef\xbb\xbf" + ok, "-", "", 0},
		"line end":        {ok + "\r\n", "-", "", 0},
		"empty":           {"", "-", "the arguments are empty", 2},
		"single quotes":   {"", "'{}'", "single quote", 2},
		"cut":             {"", `{"a":`, "unexpected end of JSON input at byte 5", 2},
		"two values":      {ok + ok, "-", "at byte 21", 2},
		"words":           {"", "action=read path=a.txt", "one JSON object", 2},
		"list":            {"", "[]", "no object", 2},
	} {
		code, _, stderr := runCommand(t, nil, c.stdin, append([]string{"call", "mode", "--no-door"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || code == 2 && !strings.Contains(stderr, "call fs -") {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
	for _, line := range []string{"call", "install", "install nosuch", "install claude-desktop", "uninstall", "uninstall zed"} {
		if code, _, stderr := runCommand(t, nil, "", strings.Fields(line)...); code != 2 || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%s: exit %d: %s", line, code, stderr)
		}
	}
}

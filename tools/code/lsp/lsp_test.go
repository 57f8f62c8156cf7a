package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// The test binary is its own launcher, and a language server of any temper.
func TestMain(m *testing.M) {
	if launch.Main(os.Args) {
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "__lsp" {
		serve(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// message is JSON-RPC as the server sees it.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

func send(m any) {
	b, _ := json.Marshal(m)
	fmt.Printf("Content-Length: %d\r\n\r\n%s", len(b), b)
}

func receive(r *bufio.Reader) (m message, err error) {
	length := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		fmt.Sscanf(line, "Content-Length: %d", &length)
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(r, b); err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

// serve is a language server that behaves as mode says.
func serve(mode string) {
	in := bufio.NewReader(os.Stdin)
	asked, tells := 0, 0
	told := map[string]json.RawMessage{}
	var replies []message
	for {
		m, err := receive(in)
		if err != nil {
			return
		}
		reply := func(result string) {
			send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": json.RawMessage(result)})
		}
		switch {
		case m.Method == "initialize":
			reply(`{"capabilities":{"definitionProvider":true,"hoverProvider":false,"positionEncoding":"utf-8"}}`)
		case m.Method == "shutdown":
			reply("null")
		case m.Method == "exit":
			return
		case m.Method == "initialized":
			switch mode {
			case "asks":
				for i, method := range []string{"workspace/configuration", "workspace/applyEdit", "client/registerCapability", "window/showMessageRequest", "workspace/workspaceFolders", "workspace/codeLens/refresh", "no/such"} {
					send(map[string]any{"jsonrpc": "2.0", "id": i, "method": method, "params": map[string]any{"items": []any{map[string]any{"section": "a.b"}, map[string]any{"section": "none"}}}})
				}
			case "deaf":
				time.Sleep(time.Hour)
			case "flood":
				go func() {
					for {
						send(map[string]any{"jsonrpc": "2.0", "method": "window/logMessage", "params": map[string]any{"message": strings.Repeat("x", 1000)}})
					}
				}()
			case "floods of questions":
				for i := 0; ; i++ {
					send(map[string]any{"jsonrpc": "2.0", "id": i, "method": "workspace/configuration", "params": map[string]any{"items": []any{}}})
				}
			case "stuck":
				send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": 1, "value": map[string]any{"kind": "begin", "title": "Error loading workspace"}}})
			case "works":
				send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": 1, "value": map[string]any{"kind": "begin"}}})
				time.AfterFunc(700*time.Millisecond, func() {
					send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": 1, "value": map[string]any{"kind": "end"}}})
				})
			}
		case m.Method == "textDocument/didOpen" && mode == "reads late":
			publish := func(list ...any) {
				send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": uriOf(m), "diagnostics": append([]any{}, list...)}})
			}
			publish()
			send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": 1, "value": map[string]any{"kind": "begin"}}})
			time.AfterFunc(settleDiags+300*time.Millisecond, func() {
				send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": 1, "value": map[string]any{"kind": "end"}}})
				time.Sleep(50 * time.Millisecond)
				publish(map[string]any{"range": map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 0, "character": 1}}, "message": "undefined"})
			})
		case mode == "tells" && (m.Method == "textDocument/didOpen" || m.Method == "textDocument/didChange" && !bytes.Equal(told[uriOf(m)], m.Params)):
			told[uriOf(m)] = m.Params
			tells++
			send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": map[string]any{
				"uri":         escaped(uriOf(m)),
				"diagnostics": []any{map[string]any{"range": map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 0, "character": 1}}, "message": fmt.Sprint(tells)}},
			}})
		case m.Method == "":
			replies = append(replies, m)
		case m.Method == "test/replies":
			b, _ := json.Marshal(replies)
			reply(string(b))
		case m.Method == "$/cancelRequest":
			fmt.Fprintln(os.Stderr, "told to cancel")
			os.Exit(3)
		case m.Method == "textDocument/definition":
			asked++
			switch {
			case mode == "hang":
			case mode == "refuses":
				send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32603, "message": "no package\n\tfor it"}})
			case mode == "nowhere":
				reply(`[{"a":1},{"uri":"file:///b","range":{"start":{"line":-5,"character":0},"end":{"line":1,"character":3}}}]`)
			case mode == "crash":
				fmt.Fprintln(os.Stderr, "it went wrong")
				os.Exit(1)
			case mode == "late" && asked < 3:
				reply("null")
			default:
				reply(fmt.Sprintf(`[{"uri":"file:///a%d","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}}}]`, asked))
			}
		}
	}
}

func uriOf(m message) string {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	_ = json.Unmarshal(m.Params, &p)
	return p.TextDocument.URI
}

// pool makes a pool and the spec of a server that behaves as mode says.
func pool(t *testing.T, mode string) (*Pool, *Spec, string) {
	t.Helper()
	dir := t.TempDir()
	l := launch.New(launch.Config{Writable: []string{dir}, TempDir: t.TempDir(), Readable: []string{filepath.Dir(os.Args[0])}})
	t.Cleanup(func() { l.Close() })
	p := NewPool(Config{Launcher: l, Environ: func() []string { return os.Environ() }})
	t.Cleanup(p.Close)
	return p, &Spec{Name: mode, Args: []string{"__lsp", mode}, Settings: map[string]any{"a": map[string]any{"b": 7}}}, dir
}

func get(t *testing.T, p *Pool, spec *Spec, dir string) *Client {
	t.Helper()
	self, _ := os.Executable()
	c, err := p.Get(t.Context(), spec, self, dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func full(raw json.RawMessage) bool { l, err := Locations(raw); return err == nil && len(l) > 0 }

// A null in the first moments is no answer, and neither is what is said while the server works.
func TestEarlyAnswers(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "late")
	raw, err := get(t, p, spec, dir).Ask(t.Context(), false, "textDocument/definition", struct{}{}, full)
	if err != nil || !strings.Contains(string(raw), "file:///a3") {
		t.Errorf("%s %v", raw, err)
	}
	p, spec, dir = pool(t, "works")
	c := get(t, p, spec, dir)
	if c.Lines.Encoding != UTF8 || !c.Can("definitionProvider") || c.Can("hoverProvider") {
		t.Error("capabilities")
	}
	start := time.Now()
	if _, err := c.Ask(t.Context(), false, "textDocument/definition", struct{}{}, full); err != nil || time.Since(start) < 300*time.Millisecond {
		t.Errorf("asked while the server worked: %v after %s", err, time.Since(start))
	}
}

// What a server says of a document before it has read the project is no answer either.
func TestEarlyDiagnostics(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "reads late")
	c := get(t, p, spec, dir)
	file := filepath.Join(dir, "a.x")
	if _, err := c.Open(t.Context(), file, "x", "1", "u\n"); err != nil {
		t.Fatal(err)
	}
	list, complete, err := c.Diagnostics(t.Context(), file)
	if err != nil || !complete || len(list) != 1 || list[0].Message != "undefined" {
		t.Errorf("%+v %v %v", list, complete, err)
	}
}

// Whatever a server asks is answered, and an edit of its own is refused.
func TestAnswersQuestions(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "asks")
	c := get(t, p, spec, dir)
	var replies []message
	for len(replies) < 7 {
		if err := c.Call(t.Context(), "test/replies", nil, &replies); err != nil {
			t.Fatal(err)
		}
	}
	by := map[string]message{}
	for _, r := range replies {
		by[string(r.ID)] = r
	}
	for id, want := range map[string]string{"0": "[7,null]", "1": `"applied":false`, "2": "null", "3": "null", "4": "file://", "5": "null"} {
		if r := by[id]; !strings.Contains(string(r.Result), want) && !(want == "null" && (len(r.Result) == 0 && len(r.Error) == 0)) {
			t.Errorf("%s: %+v, want %s", id, r, want)
		}
	}
	if len(by["6"].Error) == 0 {
		t.Errorf("an unknown method: %+v", by["6"])
	}
}

// What a server answers as an error comes through as one line; places that are nowhere are left out.
func TestRefusal(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "refuses")
	_, err := get(t, p, spec, dir).Ask(t.Context(), true, "textDocument/definition", struct{}{}, full)
	var no *Refusal
	if !errors.As(err, &no) || no.Code != -32603 || no.Message != "no package for it" {
		t.Errorf("%v", err)
	}
	p, spec, dir = pool(t, "nowhere")
	raw, err := get(t, p, spec, dir).Ask(t.Context(), true, "textDocument/definition", struct{}{}, func(json.RawMessage) bool { return true })
	if list, lerr := Locations(raw); err != nil || lerr != nil || len(list) != 0 {
		t.Errorf("%v %v %v", list, err, lerr)
	}
}

// A fault that a server shows as work without an end is not waited for; work that was waited for once is not again.
func TestWorkWithoutEnd(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "stuck")
	c := get(t, p, spec, dir)
	start := time.Now()
	if _, err := c.Ask(t.Context(), true, "textDocument/definition", struct{}{}, full); err != nil || time.Since(start) > workWait/2 {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	old := &Client{progress: map[string]bool{"1": false}, started: time.Now().Add(-time.Hour)}
	if err := old.Settle(t.Context()); err != nil || old.busy() || !old.working() {
		t.Errorf("%v, busy %v, working %v", err, old.busy(), old.working())
	}
}

// A server that hangs ends a call with its context, and is told.
func TestHang(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "hang")
	c := get(t, p, spec, dir)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	_, err := c.Ask(ctx, true, "textDocument/definition", struct{}{}, full)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	<-c.ended // the server ends when it is told
	if last := c.errTail.String(); !strings.Contains(last, "told to cancel") {
		t.Errorf("%q", last)
	}
}

// A server that dies is started again, at once the first time, later with pauses; the error has its last words.
func TestCrash(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "crash")
	self, _ := os.Executable()
	ended := 0
	for range 6 {
		c, err := p.Get(t.Context(), spec, self, dir)
		if err != nil {
			if !strings.Contains(err.Error(), "keeps ending") || !strings.Contains(err.Error(), "it went wrong") {
				t.Errorf("%v", err)
			}
			break
		}
		_, err = c.Ask(t.Context(), true, "textDocument/definition", struct{}{}, full)
		if !errors.Is(err, ErrEnded) {
			t.Fatalf("%v", err)
		}
		<-c.ended
		ended++
	}
	if ended != 2 {
		t.Errorf("%d starts before the first pause, want 2", ended)
	}
}

// Floods neither block nor fill the memory, and a server that takes nothing is given up.
func TestFloods(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"flood", "floods of questions", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p, spec, dir := pool(t, mode)
			self, _ := os.Executable()
			c, err := p.Get(t.Context(), spec, self, dir)
			if mode == "floods of questions" && err != nil && strings.Contains(err.Error(), "asked more than could be answered") {
				return // it was given up before it had started, on a machine that is slow to read
			}
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			text := strings.Repeat("x", 1<<20)
			for i := 0; i < 3 && err == nil; i++ {
				_, err = c.Open(ctx, fmt.Sprintf("/f%d", i), "x", "1", text)
			}
			if mode == "flood" {
				if _, aerr := c.Ask(ctx, true, "textDocument/definition", struct{}{}, full); err != nil || aerr != nil {
					t.Errorf("%v, %v", err, aerr)
				}
				return
			}
			if err == nil {
				_, err = c.Ask(ctx, true, "textDocument/definition", struct{}{}, full)
			}
			if err == nil || ctx.Err() != nil {
				t.Errorf("%v, %v", err, ctx.Err())
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	line := []byte("aä😀b")
	for n, want := range map[int][2]int{0: {0, 0}, 1: {1, 1}, 3: {3, 2}, 7: {7, 4}, 8: {8, 5}} {
		if got := UTF8.Units(line, n); got != want[0] {
			t.Errorf("utf-8 %d: %d", n, got)
		}
		if got := UTF16.Units(line, n); got != want[1] {
			t.Errorf("utf-16 %d: %d", n, got)
		}
		if got := UTF16.Bytes(line, want[1]); got != n {
			t.Errorf("utf-16 back %d: %d, want %d", want[1], got, n)
		}
	}
	if got := UTF16.Bytes(line, 99); got != len(line) {
		t.Error(got)
	}
	for _, p := range []string{"/a b/c#d%20.go", "/ü/?.go"} {
		if got := Path(URI(p)); got != p {
			t.Errorf("%s → %s → %s", p, URI(p), got)
		}
	}
}

// Closing the pool ends what it started, and nothing is started afterwards.
func TestClose(t *testing.T) {
	t.Parallel()
	p, spec, dir := pool(t, "late")
	c := get(t, p, spec, dir)
	again := get(t, p, spec, dir)
	if again != c {
		t.Error("a second server for the same root")
	}
	p.Close()
	<-c.ended
	<-c.proc.Done()
	self, _ := os.Executable()
	if _, err := p.Get(t.Context(), spec, self, dir); !errors.Is(err, launch.ErrClosed) {
		t.Errorf("%v", err)
	}
}

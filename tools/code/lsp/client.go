package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

const (
	startLimit  = 25 * time.Second // for a server to answer initialize
	maxDocs     = 100              // documents open at once
	maxReplies  = 256              // answers to the server that wait to be sent
	maxDiagDocs = 2000             // files with diagnostics kept
	maxDiags    = 500              // diagnostics of a file kept
	stderrTail  = 2 << 10
	maxRefusal  = 500         // bytes of the error that a server answers with
	lastWords   = time.Second // for what an ended server still had to say
)

// Client is a running language server.
type Client struct {
	Name  string
	Lines Lines

	spec    *Spec
	root    string
	conn    *jsonrpc2.Conn
	proc    *launch.Process
	started time.Time
	caps    map[string]json.RawMessage
	errTail *tail

	ids     atomic.Uint64
	replies chan func()   // sent by one goroutine, so that no reader waits for a writer
	ended   chan struct{} // closed when the conversation is over

	mu       sync.Mutex
	docs     map[string]*document // by key
	plain    map[string]bool      // headers that it takes for C, by path
	clock    int64
	progress map[string]bool // tokens at work; true: its end is worth waiting for
	retired  atomic.Bool
	mute     atomic.Bool          // it did not say in time what is wrong in a document
	doubted  atomic.Bool          // an empty answer of it stayed empty as long as one is doubted
	settled  time.Time            // when the last of them ended
	changed  chan struct{}        // closed and made anew when progress or diagnostics change
	diags    map[string]published // by key
	touched  time.Time            // when the server was last told of a change
	moved    bool                 // a file that is not open changed on disk, and the server has not been made to look
}

// document is a file as the server knows it.
type document struct {
	path     string
	text     [sha256.Size]byte // of what it holds
	version  int
	stamp    string
	used     int64
	outdated bool // what the server has read for it may be old: it is opened anew with the next question
}

type published struct {
	list    []Diagnostic
	version *int
	at      time.Time
}

// start starts the server of a spec for a root and makes its acquaintance.
func start(ctx context.Context, cfg Config, spec *Spec, program, root string) (*Client, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		for _, f := range []*os.File{inR, inW, outR, outW} {
			f.Close()
		}
		return nil, err
	}
	var env []string
	if cfg.Environ != nil {
		env = cfg.Environ()
	}
	own := spec.Env
	if spec.envFor != nil {
		own = slices.Concat(own, spec.envFor(env))
	}
	proc, err := cfg.Launcher.Start(ctx, launch.Cmd{
		Path: program, Args: append([]string{program}, spec.args(env, root)...), Dir: root, Env: launch.MergeEnv(env, own),
		Stdin: inR, Stdout: outW, Stderr: errW, Policy: launch.Confined,
	})
	inR.Close()
	outW.Close()
	errW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		errR.Close()
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	c := &Client{
		Name: spec.Name, Lines: Lines{UTF16, !spec.LF, spec.TSServer}, spec: spec, root: root, proc: proc, started: time.Now(), errTail: &tail{},
		replies: make(chan func(), maxReplies), ended: make(chan struct{}),
		docs: map[string]*document{}, plain: map[string]bool{}, progress: map[string]bool{}, changed: make(chan struct{}), diags: map[string]published{},
	}
	said := make(chan struct{}) // closed when it can say nothing more
	go func() {
		_, _ = io.Copy(c.errTail, errR)
		errR.Close()
		close(said)
	}()
	stream := jsonrpc2.NewBufferedStream(pipes{inW, outR}, &codec{})
	c.conn = jsonrpc2.NewConn(context.Background(), stream, handler{c}, jsonrpc2.SetLogger(quiet{}))
	go func() {
		select {
		case <-c.conn.DisconnectNotify():
		case <-proc.Done():
			_ = c.conn.Close()
		}
		proc.Kill(0)
		select {
		case <-said:
		case <-time.After(lastWords):
		}
		close(c.ended)
	}()
	go func() {
		for {
			select {
			case send := <-c.replies:
				send()
			case <-c.ended:
				return
			}
		}
	}()
	if err := c.initialize(ctx); err != nil {
		c.kill()
		return nil, fmt.Errorf("%s did not start: %w", spec.Name, c.explain(err))
	}
	return c, nil
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (c *Client) initialize(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	root := URI(c.root)
	folder := map[string]any{"uri": root, "name": filepath.Base(c.root)}
	// No processId: the server lives in a pid namespace of its own and would miss us there.
	params := map[string]any{
		"processId": nil, "rootUri": root, "rootPath": c.root, "workspaceFolders": []any{folder},
		"clientInfo":   map[string]any{"name": "hanzo-mcp"},
		"capabilities": json.RawMessage(capabilities),
	}
	init := c.spec.Init
	if c.spec.initFor != nil {
		init = c.spec.initFor(c.root)
	}
	if init != nil {
		params["initializationOptions"] = init
	}
	var result struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if err := c.Call(ctx, "initialize", params, &result); err != nil {
		return err
	}
	c.caps = result.Capabilities
	var encoding string
	if json.Unmarshal(c.caps["positionEncoding"], &encoding) == nil && encoding == string(UTF8) {
		c.Lines.Encoding = UTF8
	}
	if err := c.conn.Notify(ctx, "initialized", struct{}{}); err != nil {
		return err
	}
	if c.spec.Settings != nil {
		return c.conn.Notify(ctx, "workspace/didChangeConfiguration", map[string]any{"settings": c.spec.Settings})
	}
	return nil
}

// capabilities are what we understand.
const capabilities = `{
"general":{"positionEncodings":["utf-8","utf-16"]},
"window":{"workDoneProgress":true},
"workspace":{"configuration":true,"workspaceFolders":true,"didChangeWatchedFiles":{"dynamicRegistration":true},"didChangeConfiguration":{"dynamicRegistration":true},
 "workspaceEdit":{"documentChanges":true},"symbol":{}},
"textDocument":{"synchronization":{"didSave":true},"definition":{"linkSupport":true},"implementation":{"linkSupport":true},"typeDefinition":{"linkSupport":true},
 "references":{},"hover":{"contentFormat":["plaintext","markdown"]},"rename":{"prepareSupport":true},"callHierarchy":{},
 "documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"publishDiagnostics":{"versionSupport":true},"diagnostic":{}}}`

// Can reports whether the server offers something, by the name of its capability.
func (c *Client) Can(capability string) bool {
	raw := c.caps[capability]
	return len(raw) > 0 && string(raw) != "false" && string(raw) != "null"
}

// Call asks the server. A server that has died is an error with what it said last; one that is asked no more, since the
// context ended, is told.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	id := jsonrpc2.ID{Num: c.ids.Add(1)}
	call, err := c.conn.DispatchCall(ctx, method, params, jsonrpc2.PickID(id))
	if err == nil {
		err = call.Wait(ctx, result)
	}
	if ctx.Err() != nil {
		select {
		case c.replies <- func() { _ = c.conn.Notify(context.Background(), "$/cancelRequest", map[string]any{"id": id}) }:
		default:
		}
		return ctx.Err()
	}
	return c.explain(err)
}

// ErrEnded is wrapped by errors of a server that is gone.
var ErrEnded = errors.New("the language server gives no answer")

// Refusal is the error that a server answers a question with.
type Refusal struct {
	Code    int64
	Message string // one line
}

func (r *Refusal) Error() string { return r.Message }

// explain adds to an error what the server said on its way out.
func (c *Client) explain(err error) error {
	if err == nil {
		return nil
	}
	var answer *jsonrpc2.Error
	if errors.As(err, &answer) {
		text := strings.Join(strings.Fields(strings.ToValidUTF8(answer.Message, "\ufffd")), " ")
		if len(text) > maxRefusal {
			text = strings.ToValidUTF8(text[:maxRefusal], "") + "…"
		}
		return &Refusal{answer.Code, text}
	}
	if err == ErrEnded || errors.Is(err, jsonrpc2.ErrClosed) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.EOF) {
		err = ErrEnded
		select {
		case <-c.ended:
		case <-time.After(2 * lastWords):
		}
		if last := c.errTail.String(); last != "" {
			err = fmt.Errorf("%w: %s", err, last)
		}
	}
	return err
}

// Alive reports whether the server is still there.
func (c *Client) Alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// close ends the server politely, within a moment.
func (c *Client) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.Call(ctx, "shutdown", nil, nil) == nil {
		_ = c.conn.Notify(ctx, "exit", nil)
		select {
		case <-c.proc.Done():
		case <-ctx.Done():
		}
	}
	c.kill()
}

// Retire ends the server at once; the next question starts another, without a pause.
func (c *Client) Retire() {
	c.retired.Store(true)
	c.kill()
}

func (c *Client) kill() {
	_ = c.conn.Close()
	c.proc.Kill(0)
}

// tail keeps the end of what was written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if len(t.b) > 2*stderrTail {
		t.b = append(t.b[:0], t.b[len(t.b)-stderrTail:]...)
	}
	return len(b), nil
}

// String gives the last lines, as one.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.b), "\ufffd")), "\n")
	s := strings.Join(lines[max(0, len(lines)-3):], " / ")
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[len(s)-500:], "")
	}
	return s
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/semaphore"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// server is one running hanzo-mcp: its parts, wired. Peers come and go; the server answers for all of them.
type server struct {
	ui         *console
	opts       options
	env        environment
	maxMessage int

	ours   map[string]bool        // the names that are this machine's
	local  map[string]*tools.Tool // made at first need, since some want the settings; see tool
	made   sync.Once
	gate   *tools.Gate
	door   *door.Client // nil with --no-door
	tokens *auth.Chain
	mcp    *mcpserver.MCPServer

	serverInfo                 string    // raw JSON, for the _meta of results
	disabled                   toolNames // --disable-tools
	approvals                  *approvals
	httpSecret                 atomic.Pointer[string] // token of the HTTP side, nil without one
	forwards                   *semaphore.Weighted    // forwarded calls under way
	listed                     atomic.Int64           // bytes of the last merged list
	done                       <-chan struct{}        // closed when the server ends
	stop                       context.CancelFunc     // closes done
	omittedOnce, unmatchedOnce sync.Once
	schemas                    sync.Map // schemaKey → json.RawMessage

	shared   sharedPlace
	current  atomic.Pointer[place] // settled last: where children start
	launcher *launch.Launcher      // starts every child
	jobs     *job.Manager          // keeps those that outlast a call
	user     userSettings
	environ  []string // of this process
	audit    auditLog

	childEnvs childEnvs

	temp  tempFolder
	mu    sync.Mutex
	peers map[*peer]bool
}

// environment is what the server knows of the process it runs in.
type environment struct {
	getenv func(string) string
	home   string // "" when none is known
	wd     string
}

func newEnvironment(getenv func(string) string) environment {
	e := environment{getenv: getenv, home: homeFolder(getenv)}
	e.wd, _ = os.Getwd()
	return e
}

// newServer wires a server. It touches no network and no file, so that it can answer at once; warm does that.
func newServer(u *console, o options, getenv func(string) string) *server {
	s := &server{
		ui: u, opts: o, env: newEnvironment(getenv), maxMessage: cmp.Or(messageLimit(getenv), maxMessage),
		gate: tools.NewGate(), approvals: newApprovals(), forwards: semaphore.NewWeighted(maxForwards), peers: map[*peer]bool{}, environ: os.Environ(),
	}
	for _, fault := range limitFaults(getenv) {
		u.warnf("%s", fault)
	}
	if s.env.home == "" {
		u.warnf("%s; set HOME", noHome)
	}
	ending, stop := context.WithCancel(context.Background())
	s.done, s.stop = ending.Done(), stop
	var err error
	if s.disabled, err = newToolNames(o.disable); err != nil {
		u.errorf("--disable-tools: %v; it is left out", err)
	}
	s.tokens = s.newTokens()
	u.secrets = s.secrets
	s.ours = map[string]bool{}
	for _, name := range localNames {
		if !slices.Contains(o.doorTools, name) {
			s.ours[name] = true
		}
	}
	s.launcher = launch.New(launch.Config{})
	s.jobs = job.New(job.Config{Launcher: s.launcher, Secrets: s.secrets})
	if !o.noDoor {
		s.door = s.newDoor()
		if fault := s.door.State().Failure; fault != "" {
			u.warnf("%s The tools of the cloud are not listed; HANZO_MCP_DOOR names another address", fault)
		}
	}
	info, _ := json.Marshal(struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}{serverName, version()})
	s.serverInfo = string(info)
	s.mcp = mcpserver.NewMCPServer(serverName, version(),
		mcpserver.WithToolCapabilities(true),
		mcpserver.WithResourceCapabilities(false, false),
		mcpserver.WithPromptCapabilities(false), // an empty list: some clients take an error for a broken server
		mcpserver.WithInstructions(s.instructions()),
	)
	s.mcp.AddResource(mcp.NewResource(systemPromptURI, "System prompt",
		mcp.WithResourceDescription("What this project is: languages, build and test commands, version control."),
		mcp.WithMIMEType("text/plain")), s.readSystemPrompt)
	return s
}

const serverName = "hanzo-mcp"

// warm gets what the first calls need: the door's list and the local tools, both in the background. It is called
// when the first reply is out, which it would hold up.
func (s *server) warm() {
	if s.door != nil {
		s.door.Start()
		go s.sayDoubts()
	}
	go s.tool("fs")
	time.AfterFunc(startTime, func() {
		debug.SetGCPercent(usualGC)
		trim()
	})
}

// sayDoubts tells of keys that are none, or that are too plain to be redacted.
func (s *server) sayDoubts() {
	for _, line := range s.tokens.Doubts() {
		s.ui.warnf("%s", line)
	}
}

const (
	// startTime is how long a client takes from the first reply to what follows: its initialized, the list of tools.
	startTime = 200 * time.Millisecond

	// startGC lets the heap grow to 16 MiB before a first collection, which would come in the midst of the start: in a
	// process that does nothing but start it never comes.
	startGC = 400
)

// usualGC is what the environment asks for (GOGC).
var usualGC = 100

// tool is a local tool by its name, nil when there is none.
func (s *server) tool(name string) *tools.Tool {
	s.made.Do(func() {
		s.local = map[string]*tools.Tool{}
		for _, t := range s.newTools() {
			s.local[t.Name] = t
		}
	})
	if !s.ours[name] {
		return nil
	}
	return s.local[name]
}

// close ends everything that the server started.
func (s *server) close() {
	s.stop()
	if s.door != nil {
		s.door.Close()
	}
	s.tokens.Close()
	s.jobs.Close()
	_ = s.launcher.Close()
	s.removeTemp()
}

// ended reports whether close was called: what still works in the background has lost its ground.
func (s *server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func (s *server) addPeer(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peers[p] = true
}

func (s *server) dropPeer(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, p)
}

func (s *server) allPeers() []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*peer, 0, len(s.peers))
	for p := range s.peers {
		list = append(list, p)
	}
	return list
}

// secrets are the values that must not appear in any output.
func (s *server) secrets() []string {
	list := s.tokens.Bearers()
	if t := s.httpSecret.Load(); t != nil {
		list = append(list, *t)
	}
	return list
}

func redact(text string, secrets []string) string { return tools.Redact(text, secrets) }

func (s *server) newDoor() *door.Client {
	var hides []string
	for name := range s.ours {
		hides = append(hides, name)
	}
	return door.New(door.Config{
		URL: door.Address(s.env.getenv), Auth: s.tokens, Name: serverName, Version: version(),
		Timeout: doorTimeout(s.env.getenv), MaxSize: doorSize(s.env.getenv), Local: hides,
		Log: func(line string) { s.ui.warnf("%s", line) }, Changed: s.doorChanged,
	})
}

// schema is the cached schema of a tool.
func (s *server) schema(t *tools.Tool, readOnly bool) []byte {
	type key struct {
		name     string
		readOnly bool
	}
	k := key{t.Name, readOnly}
	if raw, ok := s.schemas.Load(k); ok {
		return raw.(json.RawMessage)
	}
	raw := t.Schema(readOnly)
	s.schemas.Store(k, raw)
	return raw
}

// instructions tell a model, once, how the tools go together and where it may write.
func (s *server) instructions() string {
	var b strings.Builder
	b.WriteString("Tools for this machine; each takes `action`, and action \"help\" explains itself. ")
	b.WriteString("Read with fs.read, code.outline and fs.search_text before changing; change files with fs.apply_patch (unique old_text) or code.replace_symbol; ")
	b.WriteString("run builds and tests with exec; use git instead of running git. ")
	b.WriteString("Results are a payload and a last JSON line: ok, data, error, meta. ")
	switch {
	case s.opts.readOnly:
		b.WriteString("The server is read-only. ")
	case len(s.opts.projectDirs) > 0:
		fmt.Fprintf(&b, "Files may be written below %s. ", strings.Join(s.opts.projectDirs, ", "))
	default:
		b.WriteString("Files may be written below the project's roots (workspace.roots lists them). ")
	}
	b.WriteString("workspace.capabilities says what confines commands. ")
	if s.door != nil {
		b.WriteString("Tools that are not local are the cloud's: call `describe` with an op first.")
	}
	if text := b.String(); len(text) > 1024 {
		return text[:1024]
	}
	return b.String()
}

const systemPromptURI = "hanzo://system-prompt"

func (s *server) readSystemPrompt(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{mcp.TextResourceContents{
		URI: systemPromptURI, MIMEType: "text/plain", Text: s.systemPrompt(ctx),
	}}, nil
}

// noRoots is a set of roots that refuses every path.
var noRoots = new(sandbox.Roots)

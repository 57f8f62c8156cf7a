// Package workspace is the tool workspace: what the project is, and what works on this machine.
//
// Its room: reading manifests into languages, commands and members (detect.go and one file for each family of build
// systems), version control from its files (vcs.go), and a report of what the server can do (capabilities.go), whose
// parts come from functions that the wiring gives.
//
// It starts no program, opens no connection, writes nothing, and knows neither the door nor a bearer. What a checkout
// says is data: names from it are escaped and cut, and a command is given only when its manifest shows that it exists.
//
// Governing text: HIP-0300 §2 (local tools).
package workspace

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

//go:embed workspace.md
var description string

// Config is what the tool needs. Whatever is nil is reported as unknown, or left out. The functions must honour their
// context; capabilities waits a second for them.
type Config struct {
	Look    func(name string) (string, error)                                          // finds a program on the cleaned PATH
	Dirty   func(ctx context.Context, roots *sandbox.Roots, path string) (bool, error) // whether the work tree at path has changes
	Git     func(ctx context.Context) (Git, error)                                     // what does the work of the git tool
	Search  func(ctx context.Context) (string, error)                                  // what searches text; nil: the built-in engine
	Sandbox func(ctx context.Context) (Sandbox, error)                                 // what confines tools and children
	Door    func(ctx context.Context) (*Door, error)                                   // nil: switched off
	SignIn  func(ctx context.Context) (SignIn, error)                                  // never the bearer itself
	Schemas func(c *tools.Call) []Schema                                               // the tools of the session, in their order
}

// Git is the backend of the git tool.
type Git struct {
	Backend string `json:"backend"` // "git" or "embedded"
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
}

// Sandbox is what is in force.
type Sandbox struct {
	Mode      string   `json:"mode"`                // workspace, allowlist, off
	Mechanism string   `json:"mechanism,omitempty"` // what confines children
	Confined  bool     `json:"confined"`            // a child could not write outside
	Network   bool     `json:"network"`             // children reach the network
	Secrets   bool     `json:"children_read_bearer"`
	ReadOnly  bool     `json:"read_only"`
	Container string   `json:"container,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// Door is the cloud side.
type Door struct {
	URL         string   `json:"url"`
	State       string   `json:"state"` // "ready", "down", "not asked yet" …
	Tools       int      `json:"tools"`
	Refused     []string `json:"refused,omitempty"`     // names of its tools that are not passed on
	Unavailable string   `json:"unavailable,omitempty"` // why it cannot be reached
}

// SignIn says whether there is a bearer, and from where.
type SignIn struct {
	SignedIn bool   `json:"signed_in"`
	Source   string `json:"source,omitempty"` // "environment", "settings", "file", "command"
	Hint     string `json:"hint,omitempty"`   // how to sign in
}

// Schema is one tool as it stands in tools/list.
type Schema struct {
	Name string
	JSON json.RawMessage
}

type tool struct{ cfg Config }

// New makes the tool.
func New(cfg Config) *tools.Tool {
	t := &tool{cfg: cfg}
	return &tools.Tool{
		Name:        "workspace",
		Title:       "Workspace",
		Description: description,
		Hints:       tools.Hints{ReadOnly: true, Idempotent: true},
		Default:     "detect",
		Params: []tools.Param{
			{Name: "path", Type: "string", Path: tools.ReadPath, Doc: "detect: folder; first root", Aliases: []string{"uri", "file_path", "file", "dir", "directory", "root", "cwd"}},
			{Name: "tool", Type: "string", Doc: "schema: only this tool", Aliases: []string{"name", "tool_name"}},
			{Name: "max_chars", Type: "integer", Doc: "schema: characters given (30000)"},
		},
		Actions: []tools.Action{t.detect(), t.capabilities(), t.schema(), roots()},
	}
}

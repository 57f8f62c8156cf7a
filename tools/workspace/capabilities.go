package workspace

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// answerWait is how long capabilities waits for those it asks: a trial of the sandbox on a busy machine, a PATH on a
// slow disk.
const answerWait = time.Second

// server is a language server that is installed.
type server struct {
	Language string `json:"language"`
	Program  string `json:"program"`
}

// servers are the language servers that are looked for, the better one of a language first.
var servers = []struct{ language, programs string }{
	{"Go", "gopls"}, {"Python", "basedpyright-langserver pyright-langserver pylsp ty"}, {"TypeScript", "typescript-language-server vtsls"},
	{"Rust", "rust-analyzer"}, {"C, C++", "clangd"}, {"Java", "jdtls"}, {"Kotlin", "kotlin-language-server kotlin-lsp"}, {"C#", "csharp-ls OmniSharp"},
	{"Ruby", "ruby-lsp solargraph"}, {"PHP", "intelephense phpactor"}, {"Lua", "lua-language-server"}, {"Bash", "bash-language-server"}, {"Zig", "zls"},
	{"Swift", "sourcekit-lsp"}, {"Elixir", "elixir-ls"},
}

type capabilities struct {
	System   string   `json:"system"`
	Search   any      `json:"search"`
	Git      any      `json:"git"`
	Servers  []server `json:"language_servers"`
	Sandbox  any      `json:"sandbox"`
	Door     any      `json:"door"`
	SignIn   any      `json:"sign_in"`
	Roots    []string `json:"roots"`
	ReadOnly []string `json:"read_only_roots,omitempty"`
}

func (t *tool) capabilities() tools.Action {
	return tools.Act(tools.Action{Name: "capabilities", Aliases: []string{"status"}, Doc: "what works here: git, language servers, sandbox, door, sign-in"},
		func(ctx context.Context, c *tools.Call, _ struct{}) (*tools.Result, error) {
			d := capabilities{System: runtime.GOOS + "/" + runtime.GOARCH, Search: "built-in", Git: unknown, Servers: []server{}, Sandbox: unknown, Door: "off", SignIn: unknown,
				Roots: names(c.Roots.Dirs()), ReadOnly: names(c.Roots.ReadDirs())}
			ctx, cancel := context.WithTimeout(ctx, answerWait)
			defer cancel()
			q := asking{ctx: ctx, warn: c.Warn}
			ask(&q, "git", &d.Git, t.cfg.Git)
			ask(&q, "search", &d.Search, t.cfg.Search)
			ask(&q, "sandbox", &d.Sandbox, t.cfg.Sandbox)
			ask(&q, "sign-in", &d.SignIn, t.cfg.SignIn)
			if t.cfg.Door != nil {
				d.Door = unknown
				ask(&q, "door", &d.Door, t.cfg.Door)
			}
			if t.cfg.Look != nil {
				var found any
				ask(&q, "language servers", &found, func(context.Context) ([]server, error) { return t.servers(), nil })
				q.wait()
				if list, ok := found.([]server); ok && list != nil {
					d.Servers = list
				}
			}
			q.wait()
			return &tools.Result{Text: d.describe(), Data: d}, nil
		})
}

// unknown stands for what nobody could tell in time.
const unknown = "unknown"

// servers looks for language servers.
func (t *tool) servers() []server {
	list := []server{}
	for _, s := range servers {
		for program := range strings.FieldsSeq(s.programs) {
			if _, err := t.cfg.Look(program); err == nil {
				list = append(list, server{s.language, program})
				break
			}
		}
	}
	return list
}

// asking collects answers of several functions that run at once.
type asking struct {
	ctx  context.Context
	warn func(string)
	mu   sync.Mutex
	list []pending
}

type pending struct {
	what string
	done chan struct{}
}

// ask runs f, and puts its answer into at when it comes in time. A late answer goes nowhere.
func ask[T any](q *asking, what string, at *any, f func(context.Context) (T, error)) {
	if f == nil {
		return
	}
	answer := make(chan T, 1)
	done := make(chan struct{})
	go func() {
		if v, err := f(q.ctx); err == nil {
			answer <- v
		}
		close(answer)
	}()
	go func() {
		defer close(done)
		select {
		case v, ok := <-answer:
			if ok {
				*at = v
			} else {
				q.mu.Lock()
				q.warn(what + ": it could not be found out")
				q.mu.Unlock()
			}
		case <-q.ctx.Done():
			q.mu.Lock()
			q.warn(what + ": no answer in time; ask again")
			q.mu.Unlock()
		}
	}()
	q.list = append(q.list, pending{what, done})
}

// wait waits for all that was asked.
func (q *asking) wait() {
	for _, p := range q.list {
		<-p.done
	}
	q.list = nil
}

func (d *capabilities) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "System: %s\n", d.System)
	if g, ok := d.Git.(Git); ok {
		fmt.Fprintf(&b, "Git: %s %s\n", g.Backend, g.Version)
	}
	if len(d.Servers) == 0 {
		b.WriteString("Language servers: none found\n")
	} else {
		var list []string
		for _, s := range d.Servers {
			list = append(list, s.Language+" ("+s.Program+")")
		}
		fmt.Fprintf(&b, "Language servers: %s\n", strings.Join(list, ", "))
	}
	if s, ok := d.Sandbox.(Sandbox); ok {
		confined := "children are not confined"
		if s.Confined {
			confined = "children write only inside the roots (" + s.Mechanism + ")"
		}
		fmt.Fprintf(&b, "Sandbox: %s, %s%s\n", s.Mode, confined, map[bool]string{true: ", read-only", false: ""}[s.ReadOnly])
	}
	switch door := d.Door.(type) {
	case *Door:
		if door != nil {
			fmt.Fprintf(&b, "Door: %s, %s, %d tools\n", door.URL, door.State, door.Tools)
		}
	case string:
		fmt.Fprintf(&b, "Door: %s\n", door)
	}
	if s, ok := d.SignIn.(SignIn); ok {
		switch {
		case s.SignedIn:
			fmt.Fprintf(&b, "Signed in (%s)\n", s.Source)
		case s.Hint != "":
			fmt.Fprintf(&b, "Not signed in: %s\n", s.Hint)
		default:
			b.WriteString("Not signed in\n")
		}
	}
	return b.String()
}

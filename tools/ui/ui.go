// Package ui is the tool that finds and installs UI components.
//
// Its room: a client of registries in the shadcn format, by URL (web.go) or in a local checkout (local.go), what
// looks into them (look.go), and writing a component's files into the project (install.go, target.go).
//
// Where components come from is the user's configuration alone; a project's components.json gives folders and
// aliases, and can name no address and no header. What a registry sends is data: names and targets are checked,
// files are written through the roots only, nothing is run, and dependencies are told, not followed.
//
// Governing text: HIP-0300 §2 (the local tool ui), HIP-0301 §10 (sandbox).
package ui

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// Config is what the tool needs. All of it is the user's: settings or environment, never a project's file.
type Config struct {
	// Registries are the registries by name; none by default. Without set_framework the one called "default" is
	// used, else the local checkout, else the first by name. HANZO_UI_REGISTRY is the URL of "default".
	Registries map[string]Registry
	// LocalPath is a checkout with components (HANZO_UI_PATH), "" for none; it is the registry called "local".
	LocalPath string
	// HTTP sends the requests; nil is a plain client. Its redirects are not followed to another origin.
	HTTP *http.Client
}

// Registry is a registry on the web.
type Registry struct {
	URL     string            // of an item, with {name} in it; without, {name}.json below it
	Headers map[string]string // sent to the URL's origin, as they are
}

// Item is a component or a block, in the format of registry-item.json.
type Item struct {
	Name                 string   `json:"name"`
	Type                 string   `json:"type"`
	Title                string   `json:"title,omitempty"`
	Description          string   `json:"description,omitempty"`
	Categories           []string `json:"categories,omitempty"`
	Category             string   `json:"category,omitempty"`
	Dependencies         []string `json:"dependencies,omitempty"`
	DevDependencies      []string `json:"devDependencies,omitempty"`
	RegistryDependencies []string `json:"registryDependencies,omitempty"`
	Docs                 string   `json:"docs,omitempty"`
	Files                []File   `json:"files,omitempty"`

	// What it brings beside files, which install leaves to the person.
	CSSVars  json.RawMessage `json:"cssVars,omitempty"`
	CSS      json.RawMessage `json:"css,omitempty"`
	Tailwind json.RawMessage `json:"tailwind,omitempty"`
	EnvVars  json.RawMessage `json:"envVars,omitempty"`
}

// beside names what the item brings beside files.
func (it *Item) beside() (list []string) {
	for _, part := range []struct {
		name string
		raw  json.RawMessage
	}{{"cssVars", it.CSSVars}, {"css", it.CSS}, {"tailwind", it.Tailwind}, {"envVars", it.EnvVars}} {
		if text := string(part.raw); text != "" && text != "null" && text != "{}" {
			list = append(list, part.name)
		}
	}
	return list
}

// File is a file of an item.
type File struct {
	Path    string `json:"path"`
	Content string `json:"content,omitempty"`
	Type    string `json:"type,omitempty"`
	Target  string `json:"target,omitempty"`
}

// source is where items come from.
type source interface {
	// index gives all items, without the content of their files.
	index(ctx context.Context) ([]Item, error)
	// item gives one with its files.
	item(ctx context.Context, name string) (*Item, error)
}

//go:embed ui.md
var description string

type tool struct {
	sources  map[string]source
	standard string // name of the source to use when none is named
}

const localName = "local"

// New makes the tool. It opens and asks nothing before the first call.
func New(cfg Config) *tools.Tool {
	t := &tool{sources: map[string]source{}}
	for name, r := range cfg.Registries {
		t.sources[name] = newWeb(name, r, cfg.HTTP)
	}
	names := slices.Sorted(maps.Keys(t.sources))
	if len(names) > 0 {
		t.standard = names[0]
	}
	if cfg.LocalPath != "" {
		t.sources[localName], t.standard = &local{dir: cfg.LocalPath}, localName
	}
	if _, ok := t.sources["default"]; ok {
		t.standard = "default"
	}
	look := func(a tools.Action, run func(context.Context, *tools.Call, nameIn) (*tools.Result, error)) tools.Action {
		return tools.Act(a, run)
	}
	return &tools.Tool{
		Name: "ui", Title: "UI components", Description: description,
		Hints: tools.Hints{Destructive: true, OpenWorld: true},
		Params: []tools.Param{
			{Name: "component", Type: "string", Doc: "name of the component or block", Aliases: []string{"name", "block", "item"}},
			{Name: "framework", Type: "string", Doc: "name of the registry", Aliases: []string{"registry"}},
			{Name: "query", Type: "string", Doc: "search: words", Aliases: []string{"search", "q"}},
			{Name: "category", Type: "string", Doc: "lists: only this category"},
			{Name: "path", Type: "string", Path: tools.WritePath, Doc: "install: folder of the app, default the first root", Aliases: []string{"uri", "file_path", "file", "cwd", "project"}},
			{Name: "overwrite", Type: "boolean", Doc: "install: replace files that differ"},
			tools.DryRun("install: show the diff, write nothing"),
			{Name: "limit", Type: "integer", Doc: "how many at most"},
			{Name: "max_chars", Type: "integer", Doc: "of text, default 30000"},
		},
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "list_components", Aliases: []string{"list"}, Doc: "all components"}, t.listComponents),
			look(tools.Action{Name: "get_component", Aliases: []string{"get"}, Doc: "the files of a component"}, t.getItem),
			look(tools.Action{Name: "get_demo", Doc: "an example of a component"}, t.getDemo),
			look(tools.Action{Name: "get_metadata", Doc: "what a component is and needs"}, t.getMetadata),
			tools.Act(tools.Action{Name: "search", Doc: "components and blocks by words"}, t.search),
			tools.Act(tools.Action{Name: "install", Aliases: []string{"add"}, Effect: tools.Writes, Doc: "write a component's files into the project"}, t.install),
			tools.Act(tools.Action{Name: "list_blocks", Doc: "all blocks"}, t.listBlocks),
			look(tools.Action{Name: "get_block", Doc: "the files of a block"}, t.getItem),
			tools.Act(tools.Action{Name: "set_framework", Doc: "use this registry in this session"}, t.setFramework),
			tools.Act(tools.Action{Name: "get_framework", Aliases: []string{"list_frameworks"}, Doc: "the registries, and the one in use"}, t.getFramework),
		},
	}
}

var itemName = tools.Pattern(`^[a-z0-9][a-z0-9._/-]*$`)

// checkName refuses what is no name of an item.
func checkName(name string) error {
	if name == "" {
		return store.Missing("component", "give the name, as search or list_components shows it")
	}
	if len(name) > 128 || !itemName().MatchString(name) || strings.Contains(name, "..") || strings.Contains(name, "//") || strings.HasSuffix(name, "/") {
		return tools.Errorf(tools.InvalidParams, "%s is no name of a component: small letters, digits, . _ / and - only; nothing was done", store.Quote(name)).
			With(tools.Details{Param: "component", Expected: itemName().String(), Actual: store.Cut(name, 60)})
	}
	return nil
}

// choice is the registry that a session uses, "" for the standard one.
type choice struct {
	mu   sync.Mutex
	name string
}

// pick finds the source of a call: that of the name ("@acme/button"), the one given, the session's, the standard
// one. It gives its name and the item's name without it.
func (t *tool) pick(c *tools.Call, framework, name string) (source, string, string, error) {
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		framework, name, _ = strings.Cut(rest, "/")
	}
	if len(t.sources) == 0 {
		return nil, "", "", tools.Errorf(tools.Unsupported, "no registry of components is configured; the user can set HANZO_UI_REGISTRY (a URL with {name}), HANZO_UI_PATH (a checkout), or ui.registries in the user settings")
	}
	framework = cmp.Or(strings.TrimPrefix(framework, "@"), chosen(c.Session), t.standard)
	s, ok := t.sources[framework]
	if !ok {
		names := slices.Sorted(maps.Keys(t.sources))
		return nil, "", "", tools.Errorf(tools.NotFound, "no registry is called %s; use one of %s", store.Quote(framework), strings.Join(names, ", ")).
			With(tools.Details{Param: "framework", Available: names})
	}
	return s, framework, name, nil
}

func choiceOf(s *tools.Session) *choice {
	return s.Value("ui", func() any { return new(choice) }).(*choice)
}

func chosen(s *tools.Session) string {
	c := choiceOf(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

type frameworkIn struct {
	Framework string `json:"framework"`
	Component string `json:"component"`
}

func (t *tool) setFramework(ctx context.Context, c *tools.Call, in frameworkIn) (*tools.Result, error) {
	name := cmp.Or(in.Framework, in.Component)
	if name == "" {
		return nil, store.Missing("framework", "give the name of a registry, as get_framework shows them")
	}
	if c.Session.Stateless {
		return nil, tools.Errorf(tools.Unsupported, "this connection keeps no session; give framework with each call")
	}
	_, name, _, err := t.pick(c, name, "")
	if err != nil {
		return nil, err
	}
	now := choiceOf(c.Session)
	now.mu.Lock()
	now.name = name
	now.mu.Unlock()
	return t.getFramework(ctx, c, struct{}{})
}

func (t *tool) getFramework(_ context.Context, c *tools.Call, _ struct{}) (*tools.Result, error) {
	data := struct {
		Text      string   `json:"text"`
		Current   string   `json:"current"`
		Available []string `json:"available"`
	}{Current: cmp.Or(chosen(c.Session), t.standard), Available: slices.Sorted(maps.Keys(t.sources))}
	data.Available = data.Available[:min(len(data.Available), 20)]
	data.Text = "components come from " + store.Quote(data.Current)
	if len(t.sources) == 0 {
		data.Text = "no registry is configured (HANZO_UI_REGISTRY, HANZO_UI_PATH, or ui.registries in the user settings)"
	}
	return &tools.Result{Data: data}, nil
}

package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// world is a project folder with the tool, and a registry.
type world struct {
	testing.TB
	project string
	tool    *tools.Tool
	roots   *sandbox.Roots
	session *tools.Session
	url     string
	mu      sync.Mutex
	seen    []*http.Request
	answers map[string]string // path of the registry → body
}

func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, project: filepath.Join(base, "project"), session: &tools.Session{ID: "a"}, answers: map[string]string{}}
	if err := os.Mkdir(w.project, 0o755); err != nil {
		t.Fatal(err)
	}
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.project}, State: filepath.Join(base, "state")}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.seen = append(w.seen, r)
		body, ok := w.answers[r.URL.Path]
		w.mu.Unlock()
		switch target, redirect := strings.CutPrefix(body, "→"); {
		case redirect:
			http.Redirect(rw, r, target, http.StatusFound)
		case !ok:
			http.NotFound(rw, r)
		default:
			fmt.Fprint(rw, body)
		}
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	cfg := Config{Registries: map[string]Registry{"default": {URL: server.URL + "/r/{name}.json", Headers: map[string]string{"X-Api-Key": "very-secret"}}}, HTTP: server.Client()}
	for _, f := range change {
		f(&cfg)
	}
	w.tool = New(cfg)
	w.answers["/r/registry.json"] = `{"name":"test","items":[
		{"name":"button","type":"registry:ui","description":"A button to press","dependencies":["@radix-ui/react-slot"],"categories":["inputs"]},
		{"name":"login-01","type":"registry:block","title":"Login"},
		{"name":"../evil","type":"registry:ui"},
		{"name":"card","type":"registry:ui","description":"Holds things; press none"}]}`
	w.serve("button", `"dependencies":["@radix-ui/react-slot"],"registryDependencies":["utils"]`, File{Path: "registry/new-york/ui/button.tsx", Type: "registry:ui",
		Content: "import { cn } from \"@/registry/new-york/lib/utils\"\nexport const Button = 1\n"})
	return w
}

// serve puts an item into the registry.
func (w *world) serve(name, more string, files ...File) {
	b, err := json.Marshal(files)
	if err != nil {
		w.Fatal(err)
	}
	w.answers["/r/"+name+".json"] = fmt.Sprintf(`{"name":%q,"type":"registry:ui",%s,"files":%s}`, name, more, b)
}

const plainItem = `"title":""`

func (w *world) call(args string) (*tools.Output, string) {
	w.Helper()
	out := tools.Invoke(context.Background(), w.tool, w.roots, w.session, args)
	b, err := json.Marshal(out.Envelope)
	if err != nil {
		w.Fatal(err)
	}
	text := out.Text + string(b)
	if strings.Contains(text, "very-secret") {
		w.Errorf("%s: a header is in the answer: %s", args, text)
	}
	return out, text
}

// do is a call that must work and answer with these parts, in its payload or envelope.
func (w *world) do(args string, parts ...string) string {
	w.Helper()
	out, text := w.call(args)
	if !out.Envelope.OK {
		w.Fatalf("%s: %s", args, text)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			w.Errorf("%s: no %q in\n%s", args, p, text)
		}
	}
	return out.Text
}

// fail is a call that must be refused with code and these parts in its message.
func (w *world) fail(code tools.Code, args string, parts ...string) *tools.Output {
	w.Helper()
	out, text := w.call(args)
	if out.Envelope.OK || out.Envelope.Error.Code != code {
		w.Fatalf("%s: %s, not %s", args, text, code)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			w.Errorf("%s: no %q in %s", args, p, text)
		}
	}
	return out
}

func (w *world) put(name, content string) {
	w.Helper()
	name = filepath.Join(w.project, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

// files are those of the project, with what they hold.
func (w *world) files() string {
	w.Helper()
	var b strings.Builder
	err := filepath.WalkDir(w.project, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == w.project {
			return err
		}
		rel, _ := filepath.Rel(w.project, p)
		if d.IsDir() {
			fmt.Fprintf(&b, "%s/\n", filepath.ToSlash(rel))
			return nil
		}
		text, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%s: %q\n", filepath.ToSlash(rel), text)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return b.String()
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
}

func TestLooking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.do(`{"action":"list_components"}`, "2 components"); got != "button: A button to press\ncard: Holds things; press none\n" {
		t.Errorf("list %q", got)
	}
	w.do(`{"action":"list_components","category":"inputs"}`, "1 component")
	w.do(`{"action":"list_blocks"}`, "login-01: Login\n")
	if got := w.do(`{"action":"search","query":"Press BUTTON"}`); got != "button: A button to press\n" {
		t.Errorf("search %q", got)
	}
	w.do(`{"method":"get_component","name":"button"}`, "=== registry/new-york/ui/button.tsx\nimport", `"npm_dependencies":["@radix-ui/react-slot"]`, `"registry_dependencies":["utils"]`)
	w.do(`{"action":"get_metadata","component":"@default/button"}`, `"registryDependencies": [`)
	w.fail(tools.NotFound, `{"action":"get_component","component":"buttom"}`, "search or list_components")
	w.fail(tools.NotFound, `{"action":"get_demo","component":"button"}`, "button-demo")
	w.serve("button-demo", plainItem, File{Path: "demo.tsx", Content: "demo"})
	w.do(`{"action":"get_demo","component":"button"}`, "=== demo.tsx\ndemo\n")
	if got := w.seen[len(w.seen)-1].Header.Get("X-Api-Key"); got != "very-secret" {
		t.Errorf("header %q", got)
	}
	delete(w.answers, "/r/registry.json")
	w.fail(tools.NotFound, `{"action":"list_components"}`, "cannot be listed")
	w.answers["/r/index.json"] = `[{"name":"old","type":"registry:ui"}]`
	w.do(`{"action":"list_components"}`, "old\n")
}

func TestRegistriesOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(cfg *Config) { cfg.Registries["acme"] = Registry{URL: cfg.Registries["default"].URL} })
	w.do(`{"action":"get_framework"}`, `"current":"default"`, `"available":["acme","default"]`)
	w.do(`{"action":"set_framework","framework":"acme"}`, `"current":"acme"`)
	w.do(`{"action":"get_component","component":"button"}`, `"framework":"acme"`)
	w.do(`{"action":"get_component","component":"@default/button"}`, `"framework":"default"`)
	w.fail(tools.NotFound, `{"action":"set_framework","framework":"react"}`, "acme, default")
	w.session = &tools.Session{ID: "b", Stateless: true}
	w.do(`{"action":"get_framework"}`, `"current":"default"`)
	w.fail(tools.Unsupported, `{"action":"set_framework","framework":"acme"}`, "with each call")
	none := newWorld(t, func(cfg *Config) { cfg.Registries = nil })
	none.fail(tools.Unsupported, `{"action":"list_components"}`, "HANZO_UI_REGISTRY")
	none.do(`{"action":"get_framework"}`, "no registry is configured")
}

func TestInstall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.do(`{"action":"install","component":"button","dry_run":true}`, "1 file of", "dry run"); !strings.Contains(got, "--- /dev/null\n+++ b/components/ui/button.tsx\n") {
		t.Errorf("diff\n%s", got)
	}
	if got := w.files(); got != "" {
		t.Errorf("a dry run wrote\n%s", got)
	}
	w.do(`{"action":"install","component":"button"}`, "new components/ui/button.tsx\n", `installed \"button\": 1 file written`, "which was not installed", `"registry_dependencies":["utils"]`)
	want := "components/\ncomponents/ui/\n" + `components/ui/button.tsx: "import { cn } from \"@/lib/utils\"\nexport const Button = 1\n"` + "\n"
	if got := w.files(); got != want {
		t.Errorf("wrote\n%s", got)
	}
	w.do(`{"action":"install","component":"button"}`, "unchanged components/ui/button.tsx", "0 files written")
}

// TestInstallGoesWhereTheProjectSays: src, aliases, a folder of a monorepo; and components.json names no registry.
func TestInstallGoesWhereTheProjectSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("web/src/index.ts", "")
	w.put("web/components.json", `{"aliases":{"components":"@/parts","lib":"@/helpers","hooks":"../../up"},"registries":{"default":{"url":"http://127.0.0.1:1/{name}","headers":{"A":"${HOME}"}}}}`)
	w.serve("thing", plainItem,
		File{Path: "ui/thing.tsx", Type: "registry:ui", Content: "import \"@/registry/default/lib/x\"\n"},
		File{Path: "x/lib/deep/x.ts", Type: "registry:lib", Content: "x"},
		File{Path: "hooks/use-x.ts", Type: "registry:hook", Content: "h"},
		File{Path: "page.tsx", Type: "registry:page", Target: "app/(auth)/[slug]/page.tsx", Content: "p"},
		File{Path: "b.tsx", Type: "registry:component", Target: "components/b.tsx", Content: "b"},
		File{Path: "c.json", Type: "registry:file", Target: "~/c.json", Content: "c"})
	w.do(`{"action":"install","component":"thing","path":"web"}`, "registries of components.json are not used", `alias \"../../up\"`)
	for _, want := range []string{`web/src/parts/ui/thing.tsx: "import \"@/helpers/x\"\n"`, "web/src/helpers/deep/x.ts:", "web/src/hooks/use-x.ts:", "web/app/(auth)/[slug]/page.tsx:", "web/src/parts/b.tsx:", "web/c.json:"} {
		if got := w.files(); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestInstallOverwritesOnlyWhenTold, and then all or nothing.
func TestInstallOverwritesOnlyWhenTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("components/ui/b.tsx", "mine\n")
	w.serve("pair", plainItem, File{Path: "a.tsx", Type: "registry:ui", Content: "a\n"}, File{Path: "b.tsx", Type: "registry:ui", Content: "theirs\n"})
	before := w.files()
	out := w.fail(tools.Conflict, `{"action":"install","component":"pair"}`, "overwrite:true", "components/ui/b.tsx")
	if !strings.Contains(out.Text, "-mine\n+theirs\n") {
		t.Errorf("no diff: %s", out.Text)
	}
	w.do(`{"action":"install","component":"pair","dry_run":true}`, "would need overwrite:true", "-mine\n+theirs\n")
	if got := w.files(); got != before {
		t.Errorf("changed\n%s", got)
	}
	w.do(`{"action":"install","component":"pair","overwrite":true}`, "-mine\n+theirs\n", `"files":["new components/ui/a.tsx","replaced components/ui/b.tsx"]`)
	if got := w.files(); !strings.Contains(got, `b.tsx: "theirs\n"`) || !strings.Contains(got, `a.tsx: "a\n"`) {
		t.Errorf("wrote\n%s", got)
	}
}

// TestInstallIsAllOrNothing: the last file cannot be replaced, since it is read-only, or made, since a file stands
// where its folder should be.
func TestInstallIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *world){
		"read-only file": func(w *world) {
			w.put("lib/b.ts", "mine\n")
			if err := os.Chmod(filepath.Join(w.project, "lib", "b.ts"), 0o444); err != nil {
				w.Fatal(err)
			}
		},
		"file for a folder": func(w *world) { w.put("lib", "a file") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			prepare(w)
			w.put("components/ui/c.tsx", "mine\n")
			before := w.files()
			w.serve("three", plainItem, File{Path: "a.tsx", Type: "registry:ui", Target: "components/deep/er/a.tsx", Content: "a\n"}, File{Path: "c.tsx", Type: "registry:ui", Content: "theirs\n"},
				File{Path: "b.ts", Type: "registry:lib", Content: "b\n"})
			out, text := w.call(`{"action":"install","component":"three","overwrite":true}`)
			if out.Envelope.OK {
				t.Fatal(text)
			}
			if got := w.files(); got != before {
				t.Errorf("%s\nleft\n%s", text, got)
			}
		})
	}
}

// TestInstallStaysInsideTheProject: names and targets of a hostile registry.
func TestInstallStaysInsideTheProject(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"button; touch P #", "../button", "a/../../b", "/etc/passwd", "Button", "a//b", "-x", "$(id)", "a\nb", "%2e%2e/x", "a?b", "button.json#", `a\b`} {
		w := newWorld(t)
		args, _ := json.Marshal(map[string]string{"action": "install", "component": name})
		w.fail(tools.InvalidParams, string(args), "no name of a component")
		if len(w.seen) > 0 {
			t.Errorf("%q was asked for: %s", name, w.seen[0].URL)
		}
	}
	for _, target := range []string{"../x.ts", "a/../../x.ts", "/etc/x.ts", "~/../x.ts", "~/~/x", ".git/config", ".git/hooks/pre-commit", "a/.git/config", ".env", ".vscode/tasks.json", ".mcp.json", ".claude/settings.json",
		"node_modules/react/index.js", "NODE_MODULES/x.js", `..\x.ts`, `C:\x.ts`, "C:/x.ts", "a//b.ts", "a/", "-rf.ts", "a b.ts", "a\nb.ts", "$HOME/x.ts", "file:///x", "a\x00b"} {
		w := newWorld(t)
		w.serve("evil", plainItem, File{Path: "good.tsx", Type: "registry:ui", Content: "x"}, File{Path: "x", Type: "registry:file", Target: target, Content: "x"})
		w.fail(tools.PermissionDenied, `{"action":"install","component":"evil","overwrite":true}`, "nothing was written")
		if got := w.files(); got != "" {
			t.Errorf("%q wrote\n%s", target, got)
		}
	}
	w := newWorld(t)
	w.serve("evil", plainItem, File{Path: "ui/../../../x.tsx", Type: "registry:ui", Content: "x"})
	w.fail(tools.PermissionDenied, `{"action":"install","component":"evil"}`)
	w.fail(tools.PermissionDenied, `{"action":"install","component":"button","path":".."}`)
	w.serve("twice", plainItem, File{Path: "a.tsx", Type: "registry:ui", Content: "x"}, File{Path: "b", Type: "registry:ui", Target: "components/ui/A.tsx", Content: "y"})
	w.fail(tools.InvalidParams, `{"action":"install","component":"twice"}`, "two files")
	var err error
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.project}, State: t.TempDir(), Protect: []string{"components/ui/button.tsx"}}); err != nil {
		t.Fatal(err)
	}
	w.fail(tools.PermissionDenied, `{"action":"install","component":"button","dry_run":true}`, "nothing was written")
	if err := os.Symlink(t.TempDir(), filepath.Join(w.project, "components")); err != nil {
		t.Skip("no links here:", err)
	}
	w.fail(tools.PermissionDenied, `{"action":"install","component":"button"}`)
}

// TestRegistryThatMisbehaves gives one error, without the header that it was sent.
func TestRegistryThatMisbehaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stolen := 0
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen++ }))
	defer thief.Close()
	w.answers["/r/moved.json"] = "→" + thief.URL + "/x?very-secret"
	w.fail(tools.HTTPError, `{"action":"get_component","component":"moved"}`, "another origin")
	if stolen > 0 {
		t.Error("the redirect was followed")
	}
	w.answers["/r/moved-here.json"] = "→/r/button.json"
	w.do(`{"action":"get_component","component":"moved-here"}`)
	w.answers["/r/bad.json"] = `<html>`
	w.fail(tools.HTTPError, `{"action":"get_component","component":"bad"}`, "not in the format")
	w.answers["/r/odd.json"] = `{"files":{"a":1}}`
	w.fail(tools.HTTPError, `{"action":"get_component","component":"odd"}`)
	w.answers["/r/empty.json"] = `{}`
	w.fail(tools.HTTPError, `{"action":"install","component":"empty"}`, "no component")
	w.answers["/r/bare.json"] = `{"type":"registry:style"}`
	w.fail(tools.InvalidParams, `{"action":"install","component":"bare"}`, "no files")
	w.answers["/r/huge.json"] = `{"name":"` + strings.Repeat("x", maxAnswer) + `"}`
	w.fail(tools.TooLarge, `{"action":"get_component","component":"huge"}`)
	plain := newWorld(t, func(cfg *Config) {
		cfg.Registries["default"] = Registry{URL: "http://registry.example/{name}.json", Headers: map[string]string{"X-Api-Key": "very-secret"}}
	})
	plain.fail(tools.PermissionDenied, `{"action":"get_component","component":"button"}`, "plain http")
}

// TestSlowRegistryEndsWithTheCall: cancelling does not wait for the answer.
func TestSlowRegistryEndsWithTheCall(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	w := newWorld(t, func(cfg *Config) { cfg.Registries["default"] = Registry{URL: server.URL} })
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-asked; cancel() }()
	out := tools.Invoke(ctx, w.tool, w.roots, w.session, `{"action":"get_component","component":"button"}`)
	if out.Envelope.OK || out.Envelope.Error.Code != tools.Cancelled {
		t.Errorf("%+v", out.Envelope)
	}
}

func TestLocalCheckout(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.tsx")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files map[string]string
		list  string
	}{
		"registry.json": {map[string]string{"registry.json": `{"items":[{"name":"button","type":"registry:ui","files":[{"path":"registry/ui/button.tsx","type":"registry:ui"}]},{"name":"evil","type":"registry:ui","files":[{"path":"../../` + filepath.Base(outside) + `","type":"registry:ui"}]}]}`,
			"registry/ui/button.tsx": "code\n"}, "button\nevil\n"},
		"built":  {map[string]string{"public/r/registry.json": `{"items":[{"name":"button","type":"registry:ui"}]}`, "public/r/button.json": `{"files":[{"path":"ui/button.tsx","type":"registry:ui","content":"code\n"}]}`}, "button\n"},
		"folder": {map[string]string{"pkg/ui/primitives/button.tsx": "code\n", "pkg/ui/primitives/card/card.tsx": "c", "pkg/ui/primitives/index.ts": "", "pkg/ui/primitives/README.md": ""}, "button\ncard\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range c.files {
				name = filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w := newWorld(t, func(cfg *Config) { cfg.Registries, cfg.LocalPath = nil, dir })
			if got := w.do(`{"action":"list_components"}`); got != c.list {
				t.Errorf("list %q", got)
			}
			w.do(`{"action":"get_component","component":"button"}`, "code\n", `"framework":"local"`)
			w.do(`{"action":"install","component":"button"}`)
			if got := w.files(); !strings.Contains(got, `components/ui/button.tsx: "code\n"`) {
				t.Errorf("wrote\n%s", got)
			}
			w.fail(tools.NotFound, `{"action":"get_component","component":"none"}`)
			if name == "registry.json" {
				w.fail(tools.NotFound, `{"action":"get_component","component":"evil"}`)
			}
			if name == "folder" {
				if err := os.Symlink(outside, filepath.Join(dir, "pkg/ui/primitives/link.tsx")); err != nil {
					t.Skip("no links here:", err)
				}
				w.fail(tools.NotFound, `{"action":"get_component","component":"link"}`)
			}
		})
	}
	gone := newWorld(t, func(cfg *Config) { cfg.Registries, cfg.LocalPath = nil, filepath.Join(t.TempDir(), "gone") })
	gone.fail(tools.NotFound, `{"action":"list_components"}`, "HANZO_UI_PATH")
}

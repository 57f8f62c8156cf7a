package code

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// unavailable says why no language server answers; then names are compared instead, where that makes sense.
type unavailable struct{ reason string }

func (u *unavailable) Error() string { return u.reason }

// noServer reports whether err only says that there is no server.
func noServer(err error) (string, bool) {
	var u *unavailable
	if errors.As(err, &u) {
		return u.reason, true
	}
	return "", false
}

// servers is what the tool keeps of language servers.
type servers struct {
	pool   *lsp.Pool
	custom []*lsp.Spec

	mu    sync.Mutex
	disks map[*lsp.Client]*disk
}

// disk is what a server has been told about the files of its root.
type disk struct {
	mu    sync.Mutex
	files map[string]string // path below the root → stamp
}

func newServers(cfg Config) *servers {
	s := &servers{disks: map[*lsp.Client]*disk{}}
	s.pool = lsp.NewPool(lsp.Config{Launcher: cfg.Launcher, Look: cfg.Look, Environ: cfg.Environ, Done: cfg.Done})
	for _, d := range cfg.Servers {
		if len(d.Command) == 0 {
			continue
		}
		spec := &lsp.Spec{Name: d.Name, Programs: d.Command[:1], Args: d.Command[1:], Exts: d.Extensions}
		if l := syntax.ByID(d.Name); l != nil && len(d.Extensions) == 0 {
			spec.Languages = []string{l.ID}
		}
		s.custom = append(s.custom, spec)
	}
	return s
}

// talk is a server with one document open in it.
type talk struct {
	*lsp.Client
	src    *source
	known  bool                   // the server had the document already
	words  []hit                  // where the name that is asked about stands in code
	texts  []hit                  // where the word stands in files that are no sources
	texted []hit                  // where it is the whole of a string in code
	abroad []hit                  // where it stands in code of other roots
	unseen []hit                  // where it stands in code that the server does not see
	sees   func(file string) bool // nil: all
	root   sandbox.Path
	home   sandbox.Path // the folder that the server was started for: root, or one below it

	language string // as the server names it
}

// backend is how answers name the server.
func (k *talk) backend() string { return "lsp:" + k.Name }

// server gives the language server for a file, with the file open in it. The error is *unavailable when there is none
// that may be used.
func (t *tool) server(ctx context.Context, c *tools.Call, s *source) (*talk, error) {
	switch {
	case t.cfg.Launcher == nil || t.cfg.Look == nil:
		return nil, &unavailable{"language servers are switched off"}
	case t.cfg.Allowed == nil:
		return nil, &unavailable{"language servers may not be started here"}
	}
	if ok, why := t.cfg.Allowed(); !ok {
		return nil, &unavailable{"language servers may not be started: " + why}
	}
	language := ""
	ext := strings.ToLower(path.Ext(s.path.Base()))
	if s.lang != nil {
		language = s.lang.ID
	}
	trusted := t.cfg.Trusted != nil && t.cfg.Trusted()
	spec, program, err := lsp.Find(t.servers.custom, language, ext, trusted, t.cfg.Look)
	if err != nil {
		return nil, &unavailable{err.Error()}
	}
	root := workspaceOf(c, s.path)
	home := homeOf(ctx, c, spec, s.path, root)
	var client *lsp.Client
	for stale := true; stale; {
		client, err = t.servers.pool.Get(ctx, spec, program, home.Abs())
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &unavailable{err.Error()}
		}
		if stale, err = t.servers.sync(ctx, c, client, root); err != nil {
			return nil, err
		}
		if stale {
			client.Retire()
		}
	}
	language = languageOf(s)
	known, err := client.Open(ctx, s.path.Abs(), language, stampOf(s.info), string(withoutBOM(s.text)))
	if err != nil {
		return nil, down(ctx, err)
	}
	return &talk{Client: client, src: s, known: known, root: root, home: home, language: language}, nil
}

// down turns the error of a server that is gone, or that answers with an error, into one that callers take for "no server".
func down(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var no *lsp.Refusal
	switch {
	case errors.Is(err, lsp.ErrEnded):
		return &unavailable{err.Error()}
	case errors.As(err, &no):
		return &unavailable{"the language server answers: " + said(no.Message)}
	}
	return err
}

// said is a text of a server without what would command a terminal.
func said(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, commands().ReplaceAllString(s, ""))
}

// commands matches what terminals take for commands: colors, titles, links.
var commands = tools.Pattern("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?)")

// workspaceOf is the folder that a server works on: the root of the file; where that is a whole drive, the nearest
// folder above the file that looks like a project.
func workspaceOf(c *tools.Call, p sandbox.Path) sandbox.Path {
	top := p
	top.Rel = "."
	if dir := top.Abs(); filepath.Dir(dir) != dir {
		return top
	}
	for dir := p.Dir(); dir.Rel != "."; dir = dir.Dir() {
		for _, mark := range []string{".git", "go.mod", "package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "compile_commands.json"} {
			if _, err := c.Roots.Lstat(dir.Join(mark)); err == nil {
				return dir
			}
		}
	}
	return p.Dir()
}

// manifests are files beside the sources that servers read.
var manifests = map[string]bool{
	"go.mod": true, "go.sum": true, "go.work": true, "package.json": true, "tsconfig.json": true, "jsconfig.json": true, "pyproject.toml": true, "pyrightconfig.json": true,
	"Cargo.toml": true, "Cargo.lock": true, "compile_commands.json": true, "compile_flags.txt": true, "pom.xml": true, "build.gradle": true,
}

// sync tells a server what has changed on disk since it was last told: servers watch no files, clients do. stale
// reports a server that would go on telling of files that are gone.
func (s *servers) sync(ctx context.Context, c *tools.Call, client *lsp.Client, top sandbox.Path) (stale bool, err error) {
	s.mu.Lock()
	d := s.disks[client]
	first := d == nil
	if first {
		for old := range s.disks {
			if !old.Alive() {
				delete(s.disks, old)
			}
		}
		d = &disk{}
		s.disks[client] = d
	}
	s.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	root, rel, err := c.Roots.Sub(top)
	if err != nil {
		return false, about(err)
	}
	var mu sync.Mutex
	now := map[string]string{}
	stats, err := tree.Walk(ctx, root, rel, tree.Options{Types: tree.File, MaxEntries: 100_000}, func(e *tree.Entry) error {
		if !manifests[e.Name] && syntax.Detect(e.Name, nil) == nil {
			return nil
		}
		if info, err := e.Info(); err == nil {
			mu.Lock()
			now[e.Path()] = stamp(info.ModTime, info.Size, info.Changed)
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	var events []lsp.Event
	var sly []sandbox.Path // changed, of which a server that compares times takes no notice
	event := func(name string, kind int) {
		if len(events) < 5000 {
			q := top
			q.Rel = name
			events = append(events, lsp.Event{URI: lsp.URI(q.Abs()), Type: kind})
		}
	}
	if d.files != nil {
		opened := client.Opened()
		for name, stamp := range now {
			if old, ok := d.files[name]; !ok {
				event(name, 1)
			} else if old != stamp && !holds(ctx, c, client, top, name, opened) {
				event(name, 2)
				if keptTime(old, stamp) {
					q := top
					q.Rel = name
					sly = append(sly, q)
				}
			}
		}
		if !stats.Truncated {
			for name := range d.files {
				if _, ok := now[name]; !ok {
					event(name, 3)
					if l := syntax.Detect(name, nil); (client.KnowsOpen() || client.ByProject()) && l != nil && client.Speaks(l.ID) {
						stale = true
					}
				}
			}
		}
	}
	d.files = now
	if stale || len(sly) > maxHolders || slices.ContainsFunc(sly, func(p sandbox.Path) bool { return manifests[p.Base()] }) {
		return true, nil
	}
	if err := client.Watched(ctx, events); err != nil {
		return false, down(ctx, err)
	}
	if client.ByProject() {
		for _, e := range events[:min(len(events), maxHolders)] { // it watches files itself, and is late
			if p, err := c.Roots.Resolve(lsp.Path(e.URI)); err == nil && e.Type != 3 {
				if _, err := show(ctx, c, client, p); err != nil {
					return false, down(ctx, err)
				}
			}
		}
	}
	for _, p := range sly {
		if _, err := show(ctx, c, client, p); err != nil {
			return false, down(ctx, err)
		}
	}
	// Open documents are the client's to keep up to date.
	for file, stamp := range client.Opened() {
		p, err := c.Roots.Resolve(file)
		if err != nil {
			client.Forget(ctx, file)
			continue
		}
		fi, _, err := c.Roots.Stat(p)
		if err != nil {
			client.Forget(ctx, file)
			continue
		}
		if stampOf(fi) == stamp {
			continue
		}
		src, err := load(ctx, c, p)
		if err != nil {
			client.Forget(ctx, file)
			continue
		}
		if _, err := client.Open(ctx, file, languageOf(src), stampOf(src.info), string(withoutBOM(src.text))); err != nil {
			return false, down(ctx, err)
		}
	}
	return false, nil
}

// holds reports whether a file is one of the opened documents of a server and holds what it held: it was touched, or an edit
// was taken back.
func holds(ctx context.Context, c *tools.Call, client *lsp.Client, top sandbox.Path, name string, opened map[string]string) bool {
	top.Rel = name
	if _, open := opened[top.Abs()]; !open {
		return false
	}
	src, err := load(ctx, c, top)
	return err == nil && client.Holds(top.Abs(), stampOf(src.info), string(withoutBOM(src.text)))
}

// show opens a source file in a server that speaks its language; shown is false when it is none.
func show(ctx context.Context, c *tools.Call, client *lsp.Client, p sandbox.Path) (shown bool, err error) {
	src, err := load(ctx, c, p)
	if err != nil || src.lang == nil || !client.Speaks(src.lang.ID) {
		return false, ctx.Err()
	}
	_, err = client.Open(ctx, p.Abs(), languageOf(src), stampOf(src.info), string(withoutBOM(src.text)))
	return err == nil, err
}

// languageOf is how servers name the language of a file.
func languageOf(s *source) string {
	ext := strings.ToLower(path.Ext(s.path.Base()))
	switch {
	case s.lang == nil:
		return strings.TrimPrefix(ext, ".")
	case s.lang.ID == "javascript" && ext == ".jsx":
		return "javascriptreact"
	}
	return s.lang.ID
}

const bom = "\xef\xbb\xbf"

func withoutBOM(b []byte) []byte {
	if len(b) >= 3 && string(b[:3]) == bom {
		return b[3:]
	}
	return b
}

// position gives the place of a byte offset as the server counts.
func (k *talk) position(at int) lsp.Position {
	text := withoutBOM(k.src.text)
	return k.Lines.Position(text, at-(len(k.src.text)-len(text)))
}

// offset gives the byte offset in a text of a place as the server counts.
func offset(lines lsp.Lines, src []byte, p lsp.Position) int {
	text := withoutBOM(src)
	at, _ := lines.Offset(text, p)
	return len(src) - len(text) + at
}

// document is the parameter that names the open document and a place in it.
func (k *talk) document(at int) map[string]any {
	return map[string]any{
		"textDocument": map[string]any{"uri": lsp.URI(k.src.path.Abs())},
		"position":     k.position(at),
	}
}

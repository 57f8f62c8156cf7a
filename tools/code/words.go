package code

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// look says what words looks for besides a name in code.
type look struct {
	lang    string                 // narrows to its family; "" for all
	calls   bool                   // which places are calls
	aliases bool                   // the names that imports give it, where they stand in the same file
	spelled bool                   // the name as the whole of a string
	others  func(name string) bool // of which other files the words are looked at; nil: of none
}

// stands is where a name stands.
type stands struct {
	hits   []hit // in code, outside strings and comments
	texts  []hit // in files of no language that is compared, whatever they are in
	texted []hit // as the whole of a string: x["name"]
	more   bool  // than these
}

// wording is one run of words.
type wording struct {
	look
	name string

	mu sync.Mutex
	stands
}

// words finds a name in the source files below p.
func (t *tool) words(ctx context.Context, c *tools.Call, p sandbox.Path, name string, l look) (*stands, error) {
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return nil, about(err)
	}
	fi, _, err := c.Roots.Stat(p)
	if err != nil {
		return nil, about(err)
	}
	w := &wording{look: l, name: name}
	if !fi.IsDir() {
		s, err := load(ctx, c, p)
		if err != nil {
			return nil, err
		}
		if s.lang == nil {
			return nil, t.unknown(s)
		}
		err = w.code(ctx, s.name(), s.lang, s.text)
		slices.SortFunc(w.hits, byPlace)
		return &w.stands, err
	}
	var left []string
	buffers := make([][]byte, 64)
	stats, err := tree.Walk(ctx, root, rel, tree.Options{Excludes: t.excludes, Types: tree.File}, func(e *tree.Entry) error {
		is, ok := w.wants(e)
		if !ok {
			return nil
		}
		q := p
		q.Rel = e.Path()
		buf, err := e.Read(buffers[e.Worker][:0], index.MaxFile)
		if err != nil {
			if is == nil {
				return nil
			}
			w.mu.Lock()
			left = append(left, q.String())
			w.mu.Unlock()
			return nil
		}
		buffers[e.Worker] = buf
		if !bytes.Contains(buf, []byte(name)) || index.Minified(buf) {
			return nil
		}
		if is == nil || is.ID == "c" {
			is = syntax.Detect(e.Name, buf)
		}
		if is == nil || is.Data {
			w.text(e.Name, q.String(), buf)
			return nil
		}
		if !w.speaks(is) {
			return nil
		}
		return w.code(ctx, q.String(), is, buf)
	})
	if err != nil {
		return nil, treeError(err)
	}
	if len(left) > 0 {
		slices.Sort(left)
		c.Warn(fmt.Sprintf("%d files were left out (larger than 1 MiB, or not readable): %s", len(left), strings.Join(left[:min(5, len(left))], ", ")))
	}
	slices.SortFunc(w.hits, byPlace)
	slices.SortFunc(w.texts, byPlace)
	w.more = w.more || stats.Truncated
	return &w.stands, nil
}

// wants reports whether a file is worth reading, and its language, nil when its name does not tell one.
func (w *wording) wants(e *tree.Entry) (*syntax.Language, bool) {
	l := syntax.Detect(e.Name, nil)
	switch {
	case l != nil && !l.Data:
		return l, w.speaks(l)
	case w.others != nil && w.others(e.Name):
		return nil, true
	case l != nil || strings.Contains(e.Name, "."):
		return nil, false
	}
	info, err := e.Info() // a script says in its first line what it is
	return nil, err == nil && info.Mode.IsRegular() && info.Mode&0o111 != 0 && info.Size <= index.MaxFile
}

func (w *wording) speaks(l *syntax.Language) bool {
	return w.lang == "" || family(l.ID) == family(w.lang)
}

// code adds the places of the name in a source.
func (w *wording) code(ctx context.Context, show string, l *syntax.Language, src []byte) error {
	list, err := w.named(ctx, l, src, w.name)
	if err != nil {
		return err
	}
	if w.aliases {
		seen := map[string]bool{}
		for _, h := range list {
			if h.alias == 0 {
				continue
			}
			from, to := wordAt(src, h.alias)
			alias := string(src[from:to])
			if seen[alias] || alias == w.name {
				continue
			}
			seen[alias] = true
			more, err := w.named(ctx, l, src, alias)
			if err != nil {
				return err
			}
			list = append(list, slices.DeleteFunc(more, func(m hit) bool { return m.at == h.alias })...)
		}
		slices.SortFunc(list, func(a, b hit) int { return a.at - b.at })
	}
	var texted []hit
	if w.spelled {
		at, err := syntax.Spelled(ctx, l, src, w.name)
		if err != nil {
			return err
		}
		for _, a := range at {
			texted = append(texted, hit{at: a})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hits = w.placed(w.hits, show, src, list)
	w.texted = w.placed(w.texted, show, src, texted)
	return nil
}

// named gives the places of one name in a source, as far as they are known without its lines.
func (w *wording) named(ctx context.Context, l *syntax.Language, src []byte, name string) ([]hit, error) {
	at, err := syntax.Uses(ctx, l, src, name)
	if err != nil {
		return nil, err
	}
	calls := make([]bool, len(at))
	if w.calls {
		if calls, err = syntax.Calls(ctx, l, src, at, name); err != nil {
			return nil, err
		}
	}
	list := make([]hit, len(at))
	for i, a := range at {
		list[i] = hit{at: a, call: calls[i], alias: aliasAt(src, a, a+len(name))}
	}
	return list, nil
}

// text adds the places of the word in a file that is no source.
func (w *wording) text(base, show string, src []byte) {
	if w.others == nil || !w.others(base) || bytes.IndexByte(src[:min(len(src), 8<<10)], 0) >= 0 {
		return
	}
	var list []hit
	for _, a := range syntax.Words(nil, src, w.name) {
		list = append(list, hit{at: a, call: syntax.CalledAt(src, a+len(w.name)) || a > 0 && src[a-1] == '<'})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = w.placed(w.texts, show, src, list)
}

// placed adds places of a file, in rising order, with their lines.
func (w *wording) placed(to []hit, show string, src []byte, list []hit) []hit {
	line, counted := 1, 0
	for _, h := range list {
		if len(to) >= maxHits {
			w.more = true
			break
		}
		line += bytes.Count(src[counted:h.at], []byte{'\n'})
		counted = h.at
		start := bytes.LastIndexByte(src[:h.at], '\n') + 1
		h.file, h.line, h.col = show, line, utf8.RuneCount(src[start:h.at])+1
		to = append(to, h)
	}
	return to
}

package code

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type referencesIn struct {
	aim
	MaxResults int    `json:"max_results"`
	Cursor     string `json:"cursor"`
	MaxChars   int    `json:"max_chars"`
}

type referencesData struct {
	Name    string  `json:"name"`
	Results []place `json:"results"`
	Count   int     `json:"count"`
	Total   int     `json:"total"`
	Others  []place `json:"others,omitempty"`       // places of the name beyond the answer, a few
	Beyond  int     `json:"others_total,omitempty"` // how many there are
	Backend string  `json:"backend"`
}

// answer is what is answered to a question for places.
type answer struct {
	hits    []hit
	backend string
	others  *others
}

// answerHits makes the answer of all actions that give places.
func (t *tool) answerHits(ctx context.Context, c *tools.Call, g *target, a *answer, in referencesIn) (*tools.Result, error) {
	page, paging, err := paginate(a.hits, in.Cursor, in.MaxResults, usualHit)
	if err != nil {
		return nil, err
	}
	text, places := t.showHits(ctx, c, page, in.MaxChars)
	if len(places) < len(page) {
		paging = after(in.Cursor, len(places), len(a.hits))
	}
	d := &referencesData{Name: g.name, Results: places, Count: len(places), Total: len(a.hits), Backend: a.backend}
	if len(a.hits) == 0 {
		text = "none\n"
	}
	if a.others.total() > 0 {
		a.others.warn(c, g.name)
		d.Beyond = a.others.total()
		if left := tools.Limit(in.MaxChars) - len(text); in.Cursor == "" && left > 0 {
			if len(a.hits) == 0 {
				text = "none that " + a.others.by + " names\n"
			}
			more, places := t.showHits(ctx, c, a.others.first(), left)
			d.Others = places
			text += fmt.Sprintf("places of the name beyond this answer (%d of %d), of this symbol or another one:\n%s", len(places), d.Beyond, more)
		}
	}
	return &tools.Result{Text: text, Data: d, Truncated: paging != nil, Paging: paging}, nil
}

// asked asks a server for places, or says why there is none.
func (t *tool) asked(ctx context.Context, c *tools.Call, k *talk, at int, capability, method string, more map[string]any) ([]hit, error) {
	if !k.Can(capability) {
		return nil, &unavailable{k.Name + " does not answer " + strings.TrimPrefix(method, "textDocument/")}
	}
	params := k.document(at)
	for key, v := range more {
		params[key] = v
	}
	return t.located(ctx, c, k, k.known, method, params, func(raw json.RawMessage) bool {
		list, err := lsp.Locations(raw)
		return err == nil && len(list) > 0
	})
}

// located asks a server that can give places for them; which of its answers are doubted is as for Ask.
func (t *tool) located(ctx context.Context, c *tools.Call, k *talk, known bool, method string, params map[string]any, sure func(json.RawMessage) bool) ([]hit, error) {
	raw, err := k.Ask(ctx, known, method, params, sure)
	if err != nil {
		return nil, down(ctx, err)
	}
	list, err := lsp.Locations(raw)
	if err != nil {
		return nil, err
	}
	return t.fromLocations(ctx, c, k.Lines, list), nil
}

// uses asks a server where a target is used.
func (t *tool) uses(ctx context.Context, c *tools.Call, k *talk, at int) ([]hit, error) {
	return t.asked(ctx, c, k, at, "referencesProvider", "textDocument/references", map[string]any{"context": map[string]any{"includeDeclaration": true}})
}

// referring is uses for a place in another file.
func (t *tool) referring(ctx context.Context, c *tools.Call, k *talk, file string, at int) ([]hit, error) {
	p, _, err := resolve(c, file)
	if err != nil {
		return nil, err
	}
	src, err := load(ctx, c, p)
	if err != nil {
		return nil, err
	}
	if shown, err := show(ctx, c, k.Client, p); err != nil || !shown {
		return nil, down(ctx, err)
	}
	o := *k
	o.src, o.known = src, true
	return t.uses(ctx, c, &o, at)
}

// whole asks a server where a target is used, from wherever it may be known there as another symbol: the other file of a
// function of C, the field that a type of Go is where it is embedded, and the name that an import gives it.
func (t *tool) whole(ctx context.Context, c *tools.Call, k *talk, g *target) ([]hit, error) {
	hits, err := t.uses(ctx, c, k, g.at)
	if err != nil {
		return nil, err
	}
	more, err := t.twins(ctx, c, k, g, hits)
	if err == nil {
		more, err = t.embeddings(ctx, c, k, g, more)
	}
	if err == nil {
		more, err = t.follow(ctx, c, k, more)
	}
	if _, gone := noServer(err); gone {
		return hits, nil
	}
	return more, err
}

// maxTwins is how many declarations of a function a server is asked about besides its definition.
const maxTwins = 3

// twins adds the places that a server of C knows under the declaration of a symbol, or under its definition. Where several
// files define it, each has its own.
func (t *tool) twins(ctx context.Context, c *tools.Call, k *talk, g *target, hits []hit) ([]hit, error) {
	if family(g.lang()) != "c" || g.sym == nil {
		return hits, nil
	}
	gave := amongHits(hits)
	left := slices.DeleteFunc(slices.Clone(k.words), func(h hit) bool { return gave(h) || h.file == g.src.name() })
	defined, err := t.definitions(ctx, c, k.root, g.name, left)
	if err != nil {
		return nil, err
	}
	sources := map[string]bool{}
	for file, at := range defined {
		for _, name := range at {
			if name == g.sym.Path && !strings.HasPrefix(path.Ext(file), ".h") {
				sources[file] = true
			}
		}
	}
	if len(sources) > 1 {
		return hits, nil
	}
	asked := 0
	for _, h := range left {
		if defined[h.file][h.at] != g.sym.Path || asked == maxTwins {
			continue
		}
		asked++
		more, err := t.referring(ctx, c, k, h.file, h.at)
		if err != nil {
			return nil, err
		}
		hits = append(hits, more...)
	}
	return inOrder(hits), nil
}

// inOrder sorts hits and gives each once.
func inOrder(hits []hit) []hit {
	slices.SortStableFunc(hits, byPlace)
	return slices.CompactFunc(hits, func(a, b hit) bool { return a.file == b.file && a.line == b.line && a.col == b.col })
}

func (t *tool) references(ctx context.Context, c *tools.Call, in referencesIn) (*tools.Result, error) {
	g, err := t.locateOrWord(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	if g.src != nil {
		a, err := t.served(ctx, c, g)
		why, none := noServer(err)
		if err == nil {
			return t.answerHits(ctx, c, g, a, in)
		}
		if !none {
			return nil, err
		}
		if g.src.lang == nil {
			return nil, wordless(g, why)
		}
		c.Warn(why + "; places with this name were looked up, which may belong to other symbols of the same name")
	}
	found, err := t.words(ctx, c, g.scope, g.name, look{lang: g.lang(), aliases: true, others: mayHoldCode(g.lang())})
	if err != nil {
		return nil, err
	}
	if found.hits, err = t.withAbroad(ctx, c, g, found.hits, look{lang: g.lang(), aliases: true}); err != nil {
		return nil, err
	}
	if found.more {
		c.Warn(fmt.Sprintf("more than %d places; narrow it by path", maxHits))
	}
	if g.src == nil && len(found.hits) == 0 {
		return nil, t.unfound(ctx, c, g, in.aim)
	}
	t.warnGivenOn(ctx, c, found.hits)
	return t.answerHits(ctx, c, g, byNames(found.hits, found, false), in)
}

// byNames is the answer of names that were compared.
func byNames(hits []hit, found *stands, calls bool) *answer {
	nothing := func(hit) bool { return false }
	return &answer{hits, syntaxBackend, &others{by: "a comparison of names in sources", texts: inTexts(found.texts, nothing, calls)}}
}

// served is the answer of a server to where a target is used.
func (t *tool) served(ctx context.Context, c *tools.Call, g *target) (*answer, error) {
	k, _, err := t.serverFor(ctx, c, g, look{aliases: true, others: mayHoldCode(g.lang())})
	if err != nil {
		return nil, err
	}
	hits, err := t.whole(ctx, c, k, g)
	if err != nil {
		return nil, err
	}
	o, err := t.elsewhere(ctx, c, k, g, hits, false)
	return &answer{hits, k.backend(), o}, err
}

// unfound is the error for a name that nothing defines, as a word of which nothing was found either.
func (t *tool) unfound(ctx context.Context, c *tools.Call, g *target, in aim) error {
	q, err := parseQuery(in.Query, in.NamePath)
	if err != nil {
		return err
	}
	return t.notFound(ctx, c, g.scope, q)
}

// wordless is the error for a language of which not even names are compared, when its server does not answer.
func wordless(g *target, why string) error {
	return tools.Errorf(tools.Unsupported, "%s; names in files such as %s are not compared here: use fs.search_text with word:true", why, sandbox.Printable(g.src.name()))
}

func (g *target) lang() string {
	if g.src == nil || g.src.lang == nil {
		return ""
	}
	return g.src.lang.ID
}

// locateOrWord is locate, but a name that nothing defines is taken as a word: names of libraries are used, not defined.
func (t *tool) locateOrWord(ctx context.Context, c *tools.Call, in aim) (*target, error) {
	g, err := t.locateWritten(ctx, c, in)
	if err == nil {
		g.warnOthers(c)
	}
	if err == nil || in.Line > 0 || tools.AsError(err).Code != tools.NotFound {
		return g, err
	}
	q, ok := syntax.ParseQuery(in.Query + in.NamePath)
	p, _, perr := resolve(c, in.Path)
	if !ok || perr != nil || q.Index >= 0 || !syntax.IsName(q.Last()) {
		return nil, err
	}
	c.Warn(fmt.Sprintf("nothing below %s defines %s; places of the word %s are given", sandbox.Printable(p.Given), q.String(), q.Last()))
	return &target{name: q.Last(), scope: p}, nil
}

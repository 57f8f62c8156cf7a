package code

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type parseIn struct {
	Path     string `json:"path"`
	Text     string `json:"text"`
	Language string `json:"language"`
	Depth    int    `json:"depth"`
	MaxChars int    `json:"max_chars"`
}

type parseData struct {
	Path     string         `json:"path,omitempty"`
	Language string         `json:"language"`
	Lines    int            `json:"lines"`
	Symbols  int            `json:"symbols"`
	Errors   []syntax.Fault `json:"errors"`
	Broken   bool           `json:"parse_error"`
	Backend  string         `json:"backend"`
}

// subject gives what an action about a file, a folder or a text with its language is about. src is nil for a folder.
func (t *tool) subject(ctx context.Context, c *tools.Call, path, text, language string) (p sandbox.Path, src *source, err error) {
	if text != "" {
		src, err = textSource(path, text, language)
		if err == nil && src.lang.ID == "php" && !strings.Contains(text, "<?") {
			c.Warn("text has no <?php, so all of it is text and none of it is code")
		}
		return p, src, err
	}
	if path == "" && language != "" {
		return p, nil, tools.Errorf(tools.InvalidParams, "language is given, but neither text nor path").With(tools.Details{Param: "text"})
	}
	p, fi, err := resolve(c, path)
	if err != nil {
		return p, nil, err
	}
	if fi.IsDir() {
		warnFurther(c, path)
		return p, nil, nil
	}
	src, err = load(ctx, c, p)
	if err == nil && language != "" {
		if l := syntax.ByID(language); l != nil {
			src.lang = l
		}
	}
	return p, src, err
}

// textSource is a text that a caller gave, of the language named or of a file of that name.
func textSource(path, text, language string) (*source, error) {
	s := &source{bytes: []byte(text), text: []byte(text), plain: true, lang: syntax.ByID(language)}
	s.path.Given = "text"
	if s.lang == nil && language == "" {
		s.lang = syntax.Detect(path, s.text)
	}
	if s.lang == nil {
		var known []string
		for _, l := range syntax.Languages() {
			known = append(known, l.ID)
		}
		if language == "" {
			return nil, tools.Errorf(tools.InvalidParams, "language of text is missing: give language, or path with the name of a file of it").With(tools.Details{Param: "language", Available: known})
		}
		return nil, tools.Errorf(tools.Unsupported, "language %q is not known", language).With(tools.Details{Param: "language", Available: known, Nearest: tools.Nearest(language, known)})
	}
	return s, nil
}

func (t *tool) parse(ctx context.Context, c *tools.Call, in parseIn) (*tools.Result, error) {
	if c.Given == "serialize" {
		return nil, tools.Errorf(tools.Unsupported, "trees are not serialized; parse shows one, symbols gives structure as data")
	}
	if in.Text == "" && in.Path == "" {
		return nil, tools.Errorf(tools.InvalidParams, "give path, or text with language").With(tools.Details{Param: "path"})
	}
	_, s, err := t.subject(ctx, c, in.Path, in.Text, in.Language)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, tools.Errorf(tools.InvalidParams, "%s is a folder; give a file", sandbox.Printable(in.Path)).With(tools.Details{Param: "path"})
	}
	f, err := t.analyze(ctx, c, s)
	if err != nil {
		return nil, err
	}
	f.speak()
	depth := in.Depth
	if depth <= 0 {
		depth = 6
	}
	room := tools.Limit(in.MaxChars)
	text, cut, err := syntax.Dump(ctx, s.lang, s.text, depth, room)
	if err != nil && !errors.Is(err, syntax.ErrUnsupported) {
		return nil, err
	}
	if err != nil {
		c.Warn(fmt.Sprintf("the symbols are those of %s; there is no tree, and faults are not known: %v", f.Backend, err))
	}
	d := &parseData{Language: f.Language, Lines: f.Lines, Symbols: len(f.Symbols), Errors: f.Faults, Broken: f.Broken, Backend: f.Backend}
	if d.Errors == nil {
		d.Errors = []syntax.Fault{}
	}
	if in.Text == "" {
		d.Path = s.name()
	}
	text, short := tools.Head(valid(text), room)
	if cut || short {
		c.Warn(fmt.Sprintf("the tree is shown to depth %d and %d characters; give depth or max_chars", depth, room))
	}
	return &tools.Result{Text: text, Data: d, Truncated: cut || short}, nil
}

func (t *tool) exports(ctx context.Context, c *tools.Call, in outlineIn) (*tools.Result, error) {
	res, err := t.structure(ctx, c, in, false, isExport)
	if err == nil && in.Text == "" {
		err = t.warnPassedOn(ctx, c, in.Path)
	}
	return res, err
}

// isExport reports whether others see a symbol. A module is one where it says so itself: a namespace is open to all.
func isExport(s *syntax.Symbol) bool {
	return s.Exported && s.Kind != syntax.Impl && (s.Kind != syntax.Module || exportsModule().MatchString(s.Signature))
}

var exportsModule = tools.Pattern(`^(?:pub (?:unsafe )?mod|export|declare)\b`)

// passedOn matches, by the family of the language, the lines that export all of what other files do.
var passedOn = map[string]func() *regexp.Regexp{
	"script": tools.Pattern(`(?m)^[ \t]*export\s+(?:type\s+)?\*\s*from\s*['"][^'"\n]+['"]|^[ \t]*(?:exports\s*=\s*)?module\.exports\s*=\s*(?:exports\s*=\s*)?require\(['"][^'"\n]+['"]\)|^[ \t]*module\.exports\s*=\s*[\w$]+(?:\.[\w$]+)+[^\n({]*|^[ \t]*\.\.\.require\(['"][^'"\n]+['"]\)|^[ \t]*(?:\w+\.)?__exportStar\(require\(['"][^'"\n]+['"]\)`),
	"python": tools.Pattern(`(?m)^from[ \t]+[\w.]+[ \t]+import[ \t]+\*`),
	"rust":   tools.Pattern(`(?m)^pub[ \t]+use[ \t]+[^;\n]*\*[^;\n]*;`),
}

// warnPassedOn says from which files a file exports all there is.
func (t *tool) warnPassedOn(ctx context.Context, c *tools.Call, path string) error {
	p, fi, err := resolve(c, path)
	if err != nil || fi.IsDir() {
		return err
	}
	src, err := load(ctx, c, p)
	if err != nil || src.lang == nil || passedOn[family(src.lang.ID)] == nil {
		return err
	}
	found := passedOn[family(src.lang.ID)]().FindAll(src.text, 100)
	var lines []string
	for _, m := range found[:min(len(found), 10)] {
		lines = append(lines, clipLine(strings.Join(strings.Fields(string(m)), " ")))
	}
	if src.lang.ID == "python" {
		if list := syntax.ComputedAll(src.text); len(list) > 0 {
			c.Warn("__all__ is computed; names that it gets that way are not known: " + valid(strings.Join(list[:min(len(list), 3)], "; ")))
		}
	}
	if len(found) > 0 {
		c.Warn(fmt.Sprintf("names that the file takes from others are exported too and not listed (%d): %s", len(found), valid(strings.Join(lines, "; "))))
	}
	return nil
}

func (t *tool) types(ctx context.Context, c *tools.Call, in outlineIn) (*tools.Result, error) {
	return t.structure(ctx, c, in, false, func(s *syntax.Symbol) bool {
		switch s.Kind {
		case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
			return true
		}
		return false
	})
}

package code

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

const maxLoad = 16 << 20 // of a file that is read

// where is how every result names its file: as given, and below the root.
type where struct {
	Path     string `json:"path"`
	Resolved string `json:"resolved"`
}

// source is a file in memory.
type source struct {
	path  sandbox.Path
	info  fs.FileInfo
	bytes []byte // as they are on disk
	text  []byte // as UTF-8: bytes itself, but for UTF-16
	plain bool   // text is bytes, and valid UTF-8
	lang  *syntax.Language
}

func (s *source) name() string { return s.path.String() }

// resolve finds what path names; a folder is told by dir. Without a path it is the first root.
func resolve(c *tools.Call, given string) (p sandbox.Path, fi fs.FileInfo, err error) {
	if given == "" {
		given = "."
	}
	if p, err = c.Roots.Resolve(given); err != nil {
		return p, nil, about(err)
	}
	fi, q, err := c.Roots.Stat(p)
	if err != nil {
		return p, nil, withPlace(c, given, about(err))
	}
	if q.Warning != "" {
		c.Warn(q.Warning)
	}
	if p, err = c.Roots.Follow(q); err != nil {
		return p, nil, about(err)
	}
	p.Given = given
	return p, fi, nil
}

// about adds the parameter to an error of the sandbox.
func about(err error) error {
	var e *sandbox.PathError
	if !errors.As(err, &e) {
		return err
	}
	out := tools.AsError(err)
	if out.Details == nil {
		out.With(tools.Details{})
	}
	out.Details.Param = "path"
	return out
}

// load reads the file p.
func load(ctx context.Context, c *tools.Call, p sandbox.Path) (*source, error) {
	f, err := c.Roots.Open(p)
	if err != nil {
		return nil, about(err)
	}
	defer f.Close()
	if f.Info.Size() > maxLoad {
		return nil, tools.Errorf(tools.TooLarge, "%s has %d bytes; files above %d are not read by this tool: use fs.read with line and limit",
			sandbox.Printable(p.Given), f.Info.Size(), maxLoad).With(tools.Details{Param: "path"})
	}
	b, err := io.ReadAll(io.LimitReader(ctxReader{ctx, f}, maxLoad+1))
	if err != nil {
		return nil, err
	}
	s := &source{path: f.Path, info: f.Info, bytes: b, text: b}
	s.path.Given = p.Given
	if err := s.decode(c); err != nil {
		return nil, err
	}
	s.lang = syntax.Detect(f.Path.Base(), s.text[:min(len(s.text), 64<<10)])
	return s, nil
}

// ctxReader ends a read when its call is cancelled.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// parsed is a source with its symbols.
type parsed struct {
	*source
	*syntax.File
}

// speak gives a file of a language that is known only to a server of the settings one without marks of its own.
func (f *parsed) speak() {
	if f.lang == nil {
		f.lang = &syntax.Language{}
	}
}

// analyze finds the symbols of a file.
func (t *tool) analyze(ctx context.Context, c *tools.Call, s *source) (*parsed, error) {
	if s.lang == nil {
		return t.otherwise(ctx, c, s, t.unknown(s))
	}
	if len(s.text) > syntax.MaxSource || len(s.text) > index.MaxFile && index.Minified(s.text) {
		return nil, tools.Errorf(tools.TooLarge, "%s has %d bytes and is not parsed (minified above %d, any above %d); search it with fs.search_text",
			sandbox.Printable(s.path.Given), len(s.text), index.MaxFile, syntax.MaxSource).With(tools.Details{Param: "path"})
	}
	f, err := syntax.Analyze(ctx, s.lang, s.text)
	if errors.Is(err, syntax.ErrUnsupported) {
		return t.otherwise(ctx, c, s, tools.Errorf(tools.Unsupported, "%s: %v", sandbox.Printable(s.path.Given), err).With(tools.Details{Param: "path"}))
	}
	if err != nil {
		return nil, err
	}
	if f.Left != "" {
		c.Warn(fmt.Sprintf("%s: %s; fs.search_text finds what is missing here", sandbox.Printable(s.path.Given), f.Left))
	}
	return &parsed{s, f}, nil
}

// unknown is the error for a file of no language that can be parsed.
func (t *tool) unknown(s *source) error {
	var known []string
	for _, l := range syntax.Languages() {
		known = append(known, l.ID)
	}
	ext := path.Ext(s.path.Base())
	if ext == "" {
		ext = "a file without extension"
	}
	return tools.Errorf(tools.Unsupported, "%s: the symbols of %s are not supported, which does not mean that it has none; read it with fs.read, or search it with fs.search_text",
		sandbox.Printable(s.path.Given), ext).With(tools.Details{Param: "path", Available: known})
}

// parseKinds checks the kinds parameter. A nil map lets all pass.
func parseKinds(list []string) (map[syntax.Kind]bool, error) {
	if len(list) == 0 {
		return nil, nil
	}
	kinds := map[syntax.Kind]bool{}
	for _, given := range list {
		for _, k := range strings.FieldsFunc(strings.ToLower(given), func(r rune) bool { return r == ',' || r == ' ' }) {
			k = singular(k)
			if k == "all" {
				return nil, nil
			}
			match, ok := kindNames[k]
			if n, err := strconv.Atoi(k); err == nil {
				match = numberedKinds(n)
				ok = match != nil
			}
			if !ok {
				var known []string
				for n := range kindNames {
					known = append(known, n)
				}
				return nil, tools.Errorf(tools.InvalidParams, "kinds: %q is no kind of symbol; use function, method, class, struct, interface, trait, enum, member, type, constant, variable, field, module, macro", given).
					With(tools.Details{Param: "kinds", Actual: given, Nearest: tools.Nearest(k, known)})
			}
			for _, m := range match {
				kinds[m] = true
			}
		}
	}
	return kinds, nil
}

func singular(k string) string {
	switch {
	case strings.HasSuffix(k, "sses"):
		return k[:len(k)-2]
	case strings.HasSuffix(k, "ies"):
		return k[:len(k)-3] + "y"
	case strings.HasSuffix(k, "s") && !strings.HasSuffix(k, "ss") && k != "alias":
		return k[:len(k)-1]
	}
	return k
}

var kindNames = map[string][]syntax.Kind{
	"function": {syntax.Function}, "func": {syntax.Function, syntax.Method}, "method": {syntax.Method}, "class": {syntax.Class}, "struct": {syntax.Struct},
	"interface": {syntax.Interface}, "trait": {syntax.Trait}, "protocol": {syntax.Interface, syntax.Trait}, "impl": {syntax.Impl}, "enum": {syntax.Enum},
	"member": {syntax.Member}, "type": {syntax.Type, syntax.Struct, syntax.Interface, syntax.Class, syntax.Enum, syntax.Trait}, "alias": {syntax.Type},
	"constant": {syntax.Constant}, "const": {syntax.Constant}, "variable": {syntax.Variable}, "var": {syntax.Variable}, "field": {syntax.Field}, "property": {syntax.Field},
	"module": {syntax.Module}, "namespace": {syntax.Module}, "macro": {syntax.Macro}, "element": {syntax.Element}, "key": {syntax.Key}, "rule": {syntax.Rule}, "export": {syntax.Passed},
	"constructor": {syntax.Method},
}

// faultWarning says that a file does not parse in full.
func faultWarning(name string, f *syntax.File) string {
	w := sandbox.Printable(name) + " does not parse in full; what could be seen is given"
	if len(f.Faults) > 0 {
		w += fmt.Sprintf(" (first fault at line %d: %s)", f.Faults[0].Line, f.Faults[0].Message)
	}
	return w
}

package code

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Where a name stands that an answer does not tell of. A server knows the projects and files that it has read, and the types
// that it can infer: "none" of it may mean that it has not seen the place. So what the words say beyond its answer is
// told, behind it: a few places, and how many there are.

// maxOthers is how many of these places an answer names.
const maxOthers = 5

// others are the places beyond an answer.
type others struct {
	by    string // who gave the answer
	code  []hit  // of the name in code
	texts []hit  // of the word in files that no server of the language reads
}

func (o *others) total() int { return len(o.code) + len(o.texts) }

// first gives those that are named: of both kinds, where there are both.
func (o *others) first() []hit {
	n := min(len(o.code), max(maxOthers-len(o.texts), maxOthers-2))
	return slices.Concat(o.code[:n], o.texts[:min(len(o.texts), maxOthers-n)])
}

// warn tells of them.
func (o *others) warn(c *tools.Call, name string) {
	if len(o.code) > 0 {
		c.Warn(fmt.Sprintf("the name %s also stands in %d places that %s does not name (another symbol of the name, or out of its sight: another project or module, files of other systems and build tags, a value whose type it cannot tell); look at them: %s",
			sandbox.Printable(name), len(o.code), o.by, firstHits(o.code)))
	}
	if len(o.texts) > 0 {
		c.Warn(fmt.Sprintf("the word %s stands in %d places of files that %s does not read; look at them: %s", sandbox.Printable(name), len(o.texts), o.by, firstHits(o.texts)))
	}
}

// elsewhere gives the places of a name that the hits of a server do not have, calls only if those are asked for. Of a
// server that is sure of what it sees they are those that it does not see, but all when it has found none.
func (t *tool) elsewhere(ctx context.Context, c *tools.Call, k *talk, g *target, hits []hit, calls bool) (*others, error) {
	gave := amongHits(hits)
	from := k.words
	some := slices.ContainsFunc(hits, func(h hit) bool { return h.file != g.src.name() || h.at != g.at })
	if k.Sure() && some {
		from = k.unseen
	}
	left := slices.DeleteFunc(slices.Clone(from), func(h hit) bool {
		return gave(h) || calls && !h.call || h.file == g.src.name() && h.at == g.at || g.tagged(hits, h)
	})
	defined, err := t.definitions(ctx, c, k.root, g.name, left)
	if err != nil {
		return nil, err
	}
	unseen := amongHits(k.unseen)
	left = slices.DeleteFunc(left, func(h hit) bool { return defined.isOther(h, g) && (calls || !unseen(h)) })
	for _, h := range k.abroad {
		if !gave(h) && (h.call || !calls) {
			left = append(left, h)
		}
	}
	files := map[string]bool{}
	for _, h := range hits {
		files[h.file] = true
	}
	slices.SortStableFunc(left, func(a, b hit) int { // the files of which the server says something are in its sight
		return cmp.Or(order(files[a.file])-order(files[b.file]), order(!a.call)-order(!b.call))
	})
	return &others{by: k.Name, code: left, texts: inTexts(k.texts, gave, calls)}, nil
}

// tagged reports whether a place of a name of C stands for what an answer has: in typedef struct s {…} s both names are
// one to a reader, in its declaration and on the lines that the answer names.
func (g *target) tagged(hits []hit, h hit) bool {
	if family(g.lang()) != "c" {
		return false
	}
	if g.sym != nil && isType(g.sym) && h.file == g.src.name() && g.sym.Start <= h.at && h.at < g.sym.End {
		return true
	}
	return slices.ContainsFunc(hits, func(o hit) bool { return o.file == h.file && o.line == h.line })
}

// inTexts leaves of the places in texts what may be a use.
func inTexts(texts []hit, gave func(hit) bool, calls bool) []hit {
	return slices.DeleteFunc(slices.Clone(texts), func(h hit) bool { return gave(h) || (calls || isPage(h.file)) && !h.call })
}

func isPage(file string) bool {
	switch path.Ext(file) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// definedAt tells by file and offset the name path of what is defined there.
type definedAt map[string]map[int]string

// isOther reports whether another symbol of the name is defined at a place. In C a symbol is declared in one file and
// defined in another.
func (d definedAt) isOther(h hit, g *target) bool {
	path, ok := d[h.file][h.at]
	return ok && !(family(g.lang()) == "c" && g.sym != nil && path == g.sym.Path)
}

// definitions finds where a name is defined, for the places that there is a question about.
func (t *tool) definitions(ctx context.Context, c *tools.Call, top sandbox.Path, name string, asked []hit) (definedAt, error) {
	at := definedAt{}
	q, ok := syntax.ParseQuery(name)
	if !ok || len(asked) == 0 {
		return at, nil
	}
	if fi, _, err := c.Roots.Stat(top); err == nil && !fi.IsDir() {
		top = top.Dir()
	}
	quiet := &tools.Call{Roots: c.Roots} // what was left out was told of by words
	_, err := t.walk(ctx, quiet, top, index.Options{Needs: name, Worth: q.MayHold}, func(file string, f *syntax.File) {
		for i := range f.Symbols {
			if s := &f.Symbols[i]; s.Name == name {
				if at[file] == nil {
					at[file] = map[int]string{}
				}
				at[file][s.NameStart] = s.Path
			}
		}
	})
	return at, err
}

// undefined leaves of the places of a name those where no symbol of the name is defined.
func (t *tool) undefined(ctx context.Context, c *tools.Call, top sandbox.Path, name string, hits []hit) ([]hit, error) {
	defined, err := t.definitions(ctx, c, top, name, hits)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return defined[h.file][h.at] != "" }), nil
}

// holdCode are the files that hold code of a language besides its own.
var holdCode = map[string]string{
	"script": ".vue .svelte .astro .html .htm .xhtml .mdx .ipynb .marko .ejs .hbs .handlebars .njk .pug .twig .erb .phtml .cshtml .razor .jsp .coffee",
	"python": ".ipynb .pyx .pxd .pxi .j2 .jinja .jinja2 .mako",
	"go":     ".tmpl .gotmpl .gohtml .tpl .templ",
	"c":      ".l .ll .y .yy .inc .def .s .m .mm .pyx .pxd .ino",
	"jvm":    ".jsp .jspx .groovy .gradle .scala .ipynb",
	"php":    ".phtml .twig .tpl .latte",
	"ruby":   ".erb .haml .slim",
	"csharp": ".cshtml .razor .xaml",
	"rust":   ".ipynb",
}

// mayHoldCode gives a function that reports whether a file may hold code of a language though it is none of its sources.
func mayHoldCode(lang string) func(name string) bool {
	list := " " + holdCode[family(lang)] + " "
	if lang == "" {
		for _, more := range holdCode {
			list += more + " "
		}
	}
	return func(name string) bool {
		ext := strings.ToLower(path.Ext(name))
		return ext != "" && strings.Contains(list, " "+ext+" ")
	}
}

// neverText are the endings of files that hold no text.
const neverText = " .png .jpg .jpeg .gif .webp .avif .ico .bmp .tif .tiff .pdf .zip .gz .tgz .xz .bz2 .zst .7z .rar .jar .war .class .o .a .so .dll .exe .dylib .wasm .woff .woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .webm .wav .ogg .flac .bin .dat .db .sqlite .pyc .pack .parquet .npy .onnx .safetensors .map .lock "

// anyText reports whether a file may be a text.
func anyText(name string) bool {
	return !strings.Contains(neverText, " "+strings.ToLower(path.Ext(name))+" ")
}

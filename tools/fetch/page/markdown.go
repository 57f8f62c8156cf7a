package page

import (
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Characters that mean nothing to Markdown where they stand go through the writer in disguise, as code points that are
// no characters: it would escape them all, and looks for the end of each bracket through the rest of its line.
const (
	plainUnderscore = '\ufdd0'
	plainBracket    = '\ufdd1'
	manyBrackets    = 2000
)

var undisguise = strings.NewReplacer(string(plainUnderscore), "_", string(plainBracket), "[")

// disguise hides the underscores inside of words, and the brackets of a page that has very many.
func disguise(region *html.Node) {
	brackets := strings.Count(textContent(region), "[") > manyBrackets
	walk(region, func(n *html.Node) bool {
		if n.DataAtom == atom.Code || n.DataAtom == atom.Pre {
			return false
		}
		if n.Type != html.TextNode || !strings.ContainsAny(n.Data, "_[") {
			return true
		}
		rs := []rune(n.Data)
		letter := func(i int) bool {
			return i >= 0 && i < len(rs) && (rs[i] == plainUnderscore || unicode.IsLetter(rs[i]) || unicode.IsDigit(rs[i]))
		}
		for i, r := range rs {
			switch {
			case r == '_' && letter(i-1) && (letter(i+1) || i+1 < len(rs) && rs[i+1] == '_'):
				rs[i] = plainUnderscore
			case r == '[' && brackets:
				rs[i] = plainBracket
			}
		}
		n.Data = string(rs)
		return true
	})
}

// markdown writes a shaped tree.
func markdown(region *html.Node) (string, error) {
	disguise(region)
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithSpanCellBehavior(table.SpanBehaviorEmpty),
			table.WithHeaderPromotion(true),
			table.WithSkipEmptyRows(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
	out, err := c.ConvertNode(region)
	return undisguise.Replace(string(out)), err
}

package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type visualizeIn struct {
	which
	Format   string `json:"format"`
	MaxChars int    `json:"max_chars"`
}

func (t *tool) visualize(ctx context.Context, c *tools.Call, in visualizeIn) (*tools.Result, error) {
	format := strings.ToLower(in.Format)
	switch format {
	case "", "tree", "ascii":
		format = "text"
	}
	if err := store.OneOf("format", format, "text", "mermaid"); err != nil {
		return nil, err
	}
	p, err := t.look(ctx, c, in.which)
	if err != nil {
		return nil, err
	}
	picture := p.tree()
	if format == "mermaid" {
		picture = p.mermaid()
	}
	return answer(picture, in.MaxChars, p.changed(p.headline()), nil)
}

// tree draws the steps below the last of those that they wait for. Each step stands there once; what has no
// place, as steps in a circle and behind one, stands at the end.
func (p *Plan) tree() string {
	level, full := p.levels(), p.ids()
	below, drawn := map[string][]*Step{}, map[string]bool{}
	var rest []*Step
	for _, it := range p.Steps.All() {
		s, parent := &it.V, ""
		for _, d := range s.Dependencies {
			d = full(d)
			if n, known := level[d]; known && (parent == "" || n > level[parent]) {
				parent = d
			}
		}
		if _, placed := level[s.ID]; !placed || drawn[s.ID] || s.ID == "" { // "" is the root of the picture
			rest = append(rest, s)
			continue
		}
		drawn[s.ID] = true
		below[parent] = append(below[parent], s)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Plan #%s: %s\n", store.Line(p.ID), store.Line(p.Name))
	var draw func(of, indent string)
	draw = func(of, indent string) {
		for i, s := range below[of] {
			branch, more := "├─ ", "│  "
			if i == len(below[of])-1 {
				branch, more = "└─ ", "   "
			}
			fmt.Fprintf(&b, "%s%s%s\n", indent, branch, s.line())
			draw(s.ID, indent+more)
		}
	}
	draw("", "")
	if len(rest) > 0 {
		b.WriteString("Not in order, since they wait for one another in a circle, share an id or have none:\n")
	}
	for _, s := range rest {
		fmt.Fprintf(&b, "   %s\n", s.line())
	}
	return b.String()
}

// levels gives the length of the longest chain in front of each step. Steps in circles have none; dependencies on
// steps that do not exist do not count.
func (p *Plan) levels() map[string]int {
	exists, full := map[string]bool{}, p.ids()
	for _, it := range p.Steps.All() {
		exists[it.V.ID] = true
	}
	level := map[string]int{}
	for {
		before := len(level)
	steps:
		for _, it := range p.Steps.All() {
			if _, placed := level[it.V.ID]; placed {
				continue
			}
			n := 0
			for _, d := range it.V.Dependencies {
				if d = full(d); !exists[d] {
					continue
				}
				l, placed := level[d]
				if !placed {
					continue steps
				}
				n = max(n, l+1)
			}
			level[it.V.ID] = n
		}
		if len(level) == before {
			return level
		}
	}
}

// mermaid gives the steps as a flow chart.
func (p *Plan) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	number, full := map[string]int{}, p.ids()
	for i, it := range p.Steps.All() {
		number[it.V.ID] = i + 1
		class := it.V.Status
		if store.OneOf("", class, stepStates...) != nil {
			class = "pending"
		}
		fmt.Fprintf(&b, "  s%d[\"%s\"]:::%s\n", i+1, label(it.V.ID+" "+it.V.Description), class)
	}
	for i, it := range p.Steps.All() {
		for _, d := range it.V.Dependencies {
			if n := number[full(d)]; n > 0 {
				fmt.Fprintf(&b, "  s%d --> s%d\n", n, i+1)
			}
		}
	}
	b.WriteString("  classDef completed fill:#cfc\n  classDef in_progress fill:#ffc\n  classDef blocked fill:#fcc\n  classDef skipped fill:#eee\n  classDef pending fill:#fff\n")
	return b.String()
}

// label makes text safe inside the quotes of a mermaid node. Mermaid looks for %%{…}%% there too.
func label(s string) string {
	return strings.NewReplacer("&", "#amp;", "#", "#35;", `"`, "#quot;", "%", "#37;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace(store.Cut(store.Line(s), 80))
}

package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

type schemaIn struct {
	Tool     string `json:"tool"`
	MaxChars int    `json:"max_chars"`
}

type schemaData struct {
	Tools []string `json:"tools"`
	Count int      `json:"count"`
}

// schema gives the tools of the session as they stand in tools/list: what is listed is what is there.
func (t *tool) schema() tools.Action {
	return tools.Act(tools.Action{Name: "schema", Aliases: []string{"schemas", "tools"}, Doc: "the tools' own schemas"},
		func(_ context.Context, c *tools.Call, in schemaIn) (*tools.Result, error) {
			if t.cfg.Schemas == nil {
				return nil, tools.Errorf(tools.Unsupported, "the schemas are not at hand here; tools/list gives them")
			}
			var all, given []string
			for _, s := range t.cfg.Schemas(c) {
				all = append(all, s.Name)
				if in.Tool == "" || strings.EqualFold(in.Tool, s.Name) {
					given = append(given, string(s.JSON))
				}
			}
			if len(given) == 0 && in.Tool != "" {
				return nil, tools.Errorf(tools.NotFound, "no local tool is called %s; there are %s", sandbox.Printable(tools.Cut(in.Tool, 100)), strings.Join(all, ", ")).
					With(tools.Details{Param: "tool", Available: all, Nearest: tools.Nearest(in.Tool, all)})
			}
			text, cut := tools.Head("["+strings.Join(given, ",\n")+"]", tools.Limit(in.MaxChars))
			if cut {
				c.Warn("the schemas are longer; name one tool, or give a larger max_chars")
			}
			return &tools.Result{Text: text, Data: schemaData{all, len(all)}, Truncated: cut}, nil
		})
}

type rootsData struct {
	Base     string   `json:"base"`
	Mode     string   `json:"mode"`
	Roots    []string `json:"roots"`
	ReadOnly []string `json:"read_only_roots,omitempty"`
}

// roots tells where files may be.
func roots() tools.Action {
	return tools.Act(tools.Action{Name: "roots", Aliases: []string{"list_roots"}, Doc: "the folders that may be read and written"},
		func(_ context.Context, c *tools.Call, _ struct{}) (*tools.Result, error) {
			d := rootsData{Base: name(c.Roots.Base()), Mode: c.Roots.Mode().String(), Roots: names(c.Roots.Dirs()), ReadOnly: names(c.Roots.ReadDirs())}
			if c.Roots.Base() == "" {
				d.Base = ""
				why := c.Roots.NoBase()
				if why != "" {
					why = " (" + why + ")"
				}
				c.Warn("there is no project folder" + why + "; the user can name one with --project-dir, or the client by its roots")
			}
			if err := c.Roots.LockState(); err != nil {
				c.Warn(fmt.Sprintf("servers of the same user cannot keep out of each other's way: %v", err))
			}
			return &tools.Result{Data: d}, nil
		})
}

// names are paths as they may stand in an answer.
func names(list []string) []string {
	out := make([]string, 0, len(list))
	for i, one := range list {
		if i == 50 {
			break
		}
		out = append(out, sandbox.Printable(one))
	}
	return out
}

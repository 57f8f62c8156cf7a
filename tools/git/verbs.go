package git

import (
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// verbs are the values of sub_action that an action takes, with what each may do. "" is the usual one.
type verbs map[string]tools.Effect

// pick gives the verb that a caller means.
func (v verbs) pick(given string, aliases map[string]string) (string, error) {
	sub := normal(given, aliases)
	if _, ok := v[sub]; ok {
		return sub, nil
	}
	names := make([]string, 0, len(v))
	for name := range v {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "", tools.Errorf(tools.InvalidParams, "sub_action %q is not known here; use %s", given, strings.Join(names, ", ")).
		With(tools.Details{Param: "sub_action", Available: names, Nearest: tools.Nearest(sub, names)})
}

// effect is EffectOf of an action with verbs (its Effect is the least of them); destroys says when a verb that writes does worse. A verb that is not
// known counts as the worst, since it is refused anyway.
func (v verbs) effect(aliases map[string]string, destroys func(c *tools.Call, sub string) bool) func(*tools.Call) tools.Effect {
	return func(c *tools.Call) tools.Effect {
		sub := subOf(c, aliases)
		e, ok := v[sub]
		if !ok || destroys != nil && destroys(c, sub) {
			return tools.Destroys
		}
		return e
	}
}

func subOf(c *tools.Call, aliases map[string]string) string {
	return normal(c.Args.String("sub_action"), aliases)
}

// normal is a verb in snake_case, without the dashes of a switch, aliases resolved.
func normal(sub string, aliases map[string]string) string {
	sub = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimLeft(strings.TrimSpace(sub), "-")))
	if full, ok := aliases[sub]; ok {
		return full
	}
	return sub
}

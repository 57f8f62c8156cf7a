package store

import (
	"context"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestGiven: what callers give in other forms than the one that is wanted.
func TestGiven(t *testing.T) {
	t.Parallel()
	type in struct {
		ID    string   `json:"id"`
		Value string   `json:"value"`
		IDs   []string `json:"ids"`
	}
	tool := &tools.Tool{Name: "t", Params: []tools.Param{{Name: "id"}, {Name: "value"}, {Name: "ids", Type: "array"}}, Default: "a",
		Rewrite: func(_ *tools.Action, args *tools.Args) {
			args.Texts("id")
			Value(args, "value")
			Lists(args, "ids")
		},
		Actions: []tools.Action{tools.Act(tools.Action{Name: "a"}, func(_ context.Context, _ *tools.Call, in in) (*tools.Result, error) {
			return &tools.Result{Text: in.ID + "|" + in.Value + "|" + strings.Join(in.IDs, "+")}, nil
		})},
	}
	for args, want := range map[string]string{
		`{"id":1}`: "1||", `{"id":1.10}`: "1.10||", `{"id":true}`: "true||", `{"id":"[1]"}`: "[1]||", `{"id":{"a":1}}`: "error", `{"id":["a"]}`: "error",
		`{"value":5}`: "|5|", `{"value":{"a":[1, 2]}}`: `|{"a":[1, 2]}|`, `{"value":"{}"}`: "|{}|", `{"value":false}`: "|false|",
		`{"ids":7}`: "||7", `{"ids":[1,"b",2.5]}`: "||1+b+2.5", `{"ids":"a, b,,c"}`: "||a+b+c", `{"ids":"[1,\"b, c\"]"}`: "||1+b, c", `{"ids":["b, c"]}`: "||b, c",
		`{"ids":""}`: "||", `{"ids":"[x"}`: "||[x", `{"ids":[{}]}`: "error", `{"ids":{}}`: "error", `{"id":null,"value":"x","ids":null}`: "|x|",
	} {
		got := "error"
		if out := tools.Invoke(context.Background(), tool, nil, nil, args); out.Envelope.OK {
			got = out.Text
		}
		if got != want {
			t.Errorf("%s: %q, not %q", args, got, want)
		}
	}
}

// TestSmallWords: what nearly every text has does not decide, and one letter is found as a word only.
func TestSmallWords(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{"how to build": "build", "the": "the", "how to": "how to", "build-it now": "build now"} {
		if got := strings.Join(Loose(Terms(query)), " "); got != want {
			t.Errorf("%s: %q", query, got)
		}
	}
	for text, want := range map[string]float64{"default": 0, "plan a": 2, "a": 3} {
		if got := fit("a", text); got != want {
			t.Errorf("a in %s: %v", text, got)
		}
	}
}

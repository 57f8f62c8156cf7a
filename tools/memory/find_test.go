package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// keys are the keys of a search's payload, in its order.
func keys(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			list = append(list, strings.Fields(line)[1])
		}
	}
	return strings.Join(list, " ")
}

func TestSearchRanks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, e := range [][3]string{
		{"deploy", "push to main", "ops"}, {"build", "make all, then deploy", "ci"}, {"notes", "redeployment is slow", ""},
		{"release", "x", "deploy"}, {"数据库", "用连接池连接数据库", ""}, {"café", "coffee", ""},
	} {
		w.Do(fmt.Sprintf(`{"action":"store","key":%q,"value":%q,"tags":[%q]}`, e[0], e[1], e[2]))
	}
	for query, want := range map[string]string{
		"deploy":       "deploy release build notes",
		"DEPLOY make":  "build",
		"数据库":          "数据库",
		"连接":           "数据库",
		"连接数据":         "数据库",
		"连接一下数据库":      "数据库",
		"cafe\u0301":   "café",
		"ploy":         "deploy release notes build",
		"slow penguin": "notes",
		"penguin":      "",
	} {
		if text, _ := w.Do(fmt.Sprintf(`{"action":"search","query":%q}`, query)); keys(text) != want {
			t.Errorf("%s: %s, not %s", query, keys(text), want)
		}
	}
	if text, env := w.Do(`{"action":"search","query":"deploy","tag":"ci","limit":1}`); keys(text) != "build" || !strings.Contains(env, `"total":1`) {
		t.Errorf("%s %s", text, env)
	}
	w.Fail(tools.InvalidParams, `{"action":"search","query":" "}`)
}

func TestNamespacesTagsMergeHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":"k","value":"one","tags":["a"]}`)
	w.Do(`{"action":"store","key":"k","value":"two","tags":["b"],"namespace":"p"}`)
	w.Do(`{"action":"store","key":"other","value":"x","scope":"p"}`)
	text, env := w.Do(`{"action":"recall","key":"k"}`)
	contains(t, "recall", text+env, "[default] k [a]", "[p] k [b]", "recalled 2 entries")
	if text, _ := w.Do(`{"action":"recall","key":"k","namespace":"p"}`); text != "two" {
		t.Errorf("recalled %q", text)
	}
	if text, _ := w.Do(`{"action":"namespaces"}`); text != "default: 1 entry\np: 2 entries\n" {
		t.Errorf("namespaces %q", text)
	}
	e := w.Fail(tools.NotFound, `{"action":"update","key":"other","value":"y"}`)
	contains(t, "update", e.Message+fmt.Sprint(e.Details.Available), "p")
	w.Fail(tools.NotFound, `{"action":"delete","key":"other"}`)
	_, env = w.Do(`{"action":"tag","key":"k","tags":["c","a"]}`)
	contains(t, "tag", env, "now \\\"a, c\\\"")
	_, env = w.Do(`{"action":"untag","key":"k","tag":"a"}`)
	contains(t, "untag", env, "now \\\"c\\\"")
	if text, _ := w.Do(`{"action":"list","tag":"c"}`); keys(text) != "k" {
		t.Errorf("list %q", text)
	}
	_, env = w.Do(`{"action":"merge","key":"k"}`)
	contains(t, "merge", env, "merged 2 entries", `"id":"1"`)
	if text, _ := w.Do(`{"action":"recall","key":"k"}`); text != "one\n---\ntwo" {
		t.Errorf("merged %q", text)
	}
	for i := range 7 {
		w.Do(fmt.Sprintf(`{"action":"update","key":"k","value":"v%d"}`, i))
	}
	text, env = w.Do(`{"action":"history","key":"k"}`)
	contains(t, "history", env, "6 values")
	if strings.Contains(text, "v0") || strings.Index(text, "v1") > strings.Index(text, "v6") {
		t.Errorf("history\n%s", text)
	}
	if text, _ := w.Do(`{"action":"list","sort":"namespace"}`); keys(text) != "k other" {
		t.Errorf("list %q", text)
	}
	_, env = w.Do(`{"action":"stats"}`)
	contains(t, "stats", env, "2 entries in 2 namespaces, 0 facts")
	w.Fail(tools.InvalidParams, `{"action":"list","sort":"size"}`)
}

func TestRemoving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 4 {
		w.Do(fmt.Sprintf(`{"action":"store","key":"k%d","value":"secret %d","tags":["t%d"],"namespace":"n%d"}`, i, i, i%2, i%2))
	}
	w.Do(`{"action":"store","key":"k0","value":"v"}`)
	w.Do(`{"action":"facts","fact_action":"store","value":"a secret fact","tags":["t0"]}`)
	w.Do(`{"action":"facts","fact_action":"store","value":"a secret fact"}`) // known already
	before := w.Read()
	w.Fail(tools.ConfirmRequired, `{"action":"clear"}`)
	e := w.Fail(tools.ConfirmRequired, `{"action":"forget","query":"secret"}`)
	contains(t, "forget", e.Message, "5 for good", "[n0] k0", "fact #1 a secret fact")
	w.Do(`{"action":"clear","dry_run":true}`)
	w.Do(`{"action":"delete","key":"k0","dry_run":true}`)
	w.Do(`{"action":"forget","tag":"t0","dry_run":true}`)
	if w.Read() != before {
		t.Error("a refused call or a dry run changed the file")
	}
	_, env := w.Do(`{"action":"delete","key":"k1","namespace":"n1"}`)
	contains(t, "delete", env, `deleted \"k1\"`)
	_, env = w.Do(`{"action":"forget","key":"k0"}`)
	contains(t, "forget", env, "forgot 2 things")
	_, env = w.Do(`{"action":"delete","tag":"t1"}`)
	contains(t, "delete", env, "deleted 1 entry tagged")
	_, env = w.Do(`{"action":"forget","tag":"t0","confirm":true}`)
	contains(t, "forget", env, "forgot 2 things")
	w.Fail(tools.NotFound, `{"action":"forget","query":"secret","confirm":true}`)
	w.Do(`{"action":"store","key":"x","value":"y"}`)
	_, env = w.Do(`{"action":"clear","namespace":"other"}`) // nothing to lose
	contains(t, "clear", env, "cleared 0 entries")
	w.Do(`{"action":"clear","confirm":true}`)
	if d := w.document(); len(d.Entries)+len(d.Facts) != 0 || d.LastID != 6 {
		t.Errorf("%+v", d)
	}
	_, env = w.Do(`{"action":"store","key":"x","value":"y"}`)
	contains(t, "store", env, `"id":"7"`) // ids do not come back
}

func TestFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, env := w.Do(`{"action":"facts","fact_action":"store_fact","content":"water boils at 100 °C","kb":"physics","tags":["t"]}`)
	contains(t, "store", env, `stored fact #1 in \"physics\"`)
	w.Do(`{"action":"facts","content":"the sky is blue"}`) // a text alone is kept
	if text, _ := w.Do(`{"action":"facts"}`); text != "#2 [default] the sky is blue\n#1 [physics] [t] water boils at 100 °C\n" {
		t.Errorf("facts %q", text)
	}
	if text, _ := w.Do(`{"action":"facts","fact_action":"recall","query":"boils water"}`); text != "#1 [physics] [t] water boils at 100 °C\n" {
		t.Errorf("facts %q", text)
	}
	if _, env := w.Do(`{"action":"search","query":"sky"}`); !strings.Contains(env, "also 1 fact") {
		t.Errorf("search %s", env)
	}
	w.Fail(tools.NotFound, `{"action":"facts","fact_action":"delete","id":"1","kb":"default"}`)
	w.Do(`{"action":"facts","fact_action":"delete_fact","id":"#1"}`)
	w.Fail(tools.InvalidParams, `{"action":"facts","fact_action":"explode"}`)
	_, env = w.Do(`{"action":"facts","fact_action":"store","value":"new"}`)
	contains(t, "store", env, "fact #3")
}

func TestEffects(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for args, want := range map[string]struct {
		effect  tools.Effect
		confirm bool
	}{
		`{"action":"recall"}`:                            {tools.Reads, false},
		`{"action":"facts"}`:                             {tools.Reads, false},
		`{"action":"facts","fact_action":"list_facts"}`:  {tools.Reads, false},
		`{"action":"facts","content":"x"}`:               {tools.Writes, false},
		`{"action":"facts","query":"x"}`:                 {tools.Reads, false},
		`{"action":"facts","fact_action":"Store-Fact"}`:  {tools.Writes, false},
		`{"action":"facts","fact_action":"delete"}`:      {tools.Destroys, false},
		`{"action":"facts","fact_action":"odd"}`:         {tools.Destroys, false},
		`{"action":"export"}`:                            {tools.Reads, false},
		`{"action":"export","file":"x"}`:                 {tools.Writes, false},
		`{"action":"clear"}`:                             {tools.Destroys, true},
		`{"action":"clear","dry_run":true}`:              {tools.Destroys, false},
		`{"action":"import","data":{},"overwrite":true}`: {tools.Writes, true},
		`{"action":"import","data":{}}`:                  {tools.Writes, false},
		`{"action":"forget","key":"x"}`:                  {tools.Destroys, false},
		`{"action":"forget","query":"x"}`:                {tools.Destroys, true},
		`{"action":"delete","key":"x"}`:                  {tools.Destroys, false},
		`{"action":"store","key":"x","value":"y"}`:       {tools.Writes, false},
	} {
		c, err := tools.Prepare(tool, []byte(args), &tools.Session{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Effect() != want.effect || c.NeedsConfirm() != want.confirm {
			t.Errorf("%s: effect %v, confirm %v", args, c.Effect(), c.NeedsConfirm())
		}
	}
}

// TestWithoutAHomeFolder everything works for as long as the server runs, and a store says so.
func TestWithoutAHomeFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Tool = New(Config{})
	_, env := w.Do(`{"action":"store","key":"x","value":"y"}`)
	contains(t, "store", env, "until the server ends")
	if text, _ := w.Do(`{"action":"recall","key":"x"}`); text != "y" {
		t.Errorf("recalled %q", text)
	}
}

// filled has n entries of the size that memories have.
func filled(b *testing.B, n int) *world {
	w := newWorld(b)
	file := store.New[Document](w.File)
	if err := file.Update(b.Context(), func(string) {}, func(d *Document) (bool, error) {
		for i := range n {
			d.Entries.Add(store.NewItem(Entry{ID: fmt.Sprint(i + 1), Key: fmt.Sprint("key ", i), Value: fmt.Sprintf("what is remembered under %d, a sentence or so", i), Tags: []string{"t"},
				Namespace: "default", Created: "2026-11-30T02:19:08.592Z", Updated: "2026-11-30T02:19:08.592Z"}))
		}
		d.LastID = int64(n)
		return true, nil
	}); err != nil {
		b.Fatal(err)
	}
	return w
}

func benchmark(b *testing.B, args func(i int) string) {
	w := filled(b, 10_000)
	w.Do(args(0))
	i := 1
	for b.Loop() {
		if out := tools.Invoke(context.Background(), w.Tool, nil, nil, args(i)); !out.Envelope.OK {
			b.Fatal(out.Envelope.Error)
		}
		i++
	}
}

func BenchmarkStore10000(b *testing.B) {
	benchmark(b, func(i int) string { return fmt.Sprintf(`{"action":"store","key":"new %d","value":"a value"}`, i) })
}

func BenchmarkRecall10000(b *testing.B) {
	benchmark(b, func(i int) string { return fmt.Sprintf(`{"action":"recall","key":"key %d"}`, i%10_000) })
}

func BenchmarkSearch10000(b *testing.B) {
	benchmark(b, func(i int) string { return fmt.Sprintf(`{"action":"search","query":"remembered %d"}`, i%10_000) })
}

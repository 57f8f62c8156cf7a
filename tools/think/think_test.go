package think

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type world struct {
	testing.TB
	tool    *tools.Tool
	session *tools.Session
}

func newWorld(t testing.TB) *world {
	return &world{t, New(), &tools.Session{ID: "a"}}
}

// do is a call that must work and answer with these parts, in its payload or envelope.
func (w *world) do(args string, parts ...string) (text string) {
	w.Helper()
	out := tools.Invoke(context.Background(), w.tool, nil, w.session, args)
	b, err := json.Marshal(out.Envelope)
	if err != nil {
		w.Fatal(err)
	}
	if !out.Envelope.OK {
		w.Fatalf("%s: %s", args, b)
	}
	if out.Text == "" && len(b) > 1024 {
		w.Errorf("%s: an envelope of %d bytes", args, len(b))
	}
	for _, p := range parts {
		if !strings.Contains(out.Text+string(b), p) {
			w.Errorf("%s: no %q in\n%s\n%s", args, p, out.Text, b)
		}
	}
	return out.Text
}

func (w *world) fail(code tools.Code, args string, parts ...string) {
	w.Helper()
	out := tools.Invoke(context.Background(), w.tool, nil, w.session, args)
	if out.Envelope.OK || out.Envelope.Error.Code != code {
		w.Fatalf("%s: %+v, not %s", args, out.Envelope, code)
	}
	for _, p := range parts {
		if !strings.Contains(out.Envelope.Error.Message, p) {
			w.Errorf("%s: no %q in %s", args, p, out.Envelope.Error.Message)
		}
	}
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New()
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	for _, a := range tool.Actions {
		if a.Effect != tools.Reads {
			t.Errorf("%s has an effect", a.Name)
		}
	}
}

func TestThoughtsRevisionsBranches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(`{"thought":"first","thoughtNumber":1,"totalThoughts":3,"nextThoughtNeeded":true}`, "kept thought 1/3", `"next_thought_needed":true`)
	w.do(`{"thought":"second"}`, "kept thought 2/2", `"next_thought_needed":false`)
	w.do(`{"thought":"not so","isRevision":true,"revisesThought":1,"totalThoughts":"4"}`, "thought 3/4, revises 1", `"next_thought_needed":true`)
	w.do(`{"thought":"or so","branchId":"b","branchFromThought":2}`, `thought 3/3 of \"b\" from 2`, `"branches":["b"]`)
	w.do(`{"thought":"and so on","branch_id":"b"}`, `thought 4/4 of \"b\"`)
	w.fail(tools.InvalidParams, `{"thought":"x","revises_thought":9}`, "revises_thought is 9")
	w.fail(tools.InvalidParams, `{"thought":"x","is_revision":true}`, "revises_thought")
	w.fail(tools.InvalidParams, `{"thought":"x","thought_number":-1}`, "from 1")
	w.fail(tools.InvalidParams, `{"thought":" "}`, "thought is missing")
	w.fail(tools.InvalidParams, fmt.Sprintf(`{"thought":%q}`, strings.Repeat("x", maxThought+1)), "in parts")
	text := w.do(`{"action":"journal"}`, "5 of 5 thoughts")
	if !strings.HasPrefix(text, "thought 1/3 (5 characters): first\n") || strings.Count(text, "\n") != 5 {
		t.Errorf("journal\n%s", text)
	}
	w.do(`{"action":"journal","branch_id":"b","limit":1}`, "and so on", "1 of 2 thoughts")
	w.session = &tools.Session{ID: "b"}
	w.do(`{"action":"journal"}`, `"total":0`) // another session's thoughts are its own
}

func TestCriticAndReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(`{"action":"critic","thought":"ship it"}`, "Which assumption", "critic: answer")
	w.do(`{"action":"critique","code":"x := 1"}`, "off by one")
	w.do(`{"action":"review","code":"x := 1","thought":"a change"}`, "Does it do what was asked")
	w.do(`{"action":"review","thought":"a change"}`, "Weigh it")
	w.fail(tools.InvalidParams, `{"action":"critic"}`)
	w.do(`{"action":"journal"}`, "critic (7 characters): ship it", "4 of 4")
}

func TestModelsAreAskedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, verb := range []string{"consensus", "agent", "summarize", "classify", "embed", "explain", "translate", "compare", "chain"} {
		w.fail(tools.Unsupported, `{"action":"`+verb+`","text":"x"}`, verb, "tools of the door")
	}
}

// TestJournalIsBounded: in number and in size, with a word about what went.
func TestJournalIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range maxThoughts / 2 {
				tools.Invoke(context.Background(), w.tool, nil, w.session, `{"thought":"x"}`)
			}
		})
	}
	wg.Wait()
	w.do(`{"thought":"last"}`, "501 thoughts were dropped", fmt.Sprintf(`"kept":%d`, maxThoughts))
	long := strings.Repeat("y", maxThought)
	for range 2 * maxBytes / maxThought {
		w.do(`{"thought":"` + long + `"}`)
	}
	if j := journalOf(w.session); j.bytes > maxBytes || len(j.list) > maxThoughts {
		t.Errorf("%d thoughts, %d bytes", len(j.list), j.bytes)
	}
}

func TestStateless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.Stateless = true
	w.do(`{"thought":"x","is_revision":true,"revises_thought":3}`, "keeps no session")
}

// TestHugeNumbersAreRefused: the next thought's number stays one more than the last.
func TestHugeNumbersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{"thought_number", "total_thoughts", "revises_thought", "branch_from_thought"} {
		w.fail(tools.InvalidParams, `{"thought":"a","`+p+`":9223372036854775807}`, "1 to 1000000")
	}
	w.do(`{"thought":"a","thought_number":1000000}`, `"thought_number":1000000`)
	w.do(`{"thought":"b"}`, `"thought_number":1000001`)
}

package think

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tooltest"
)

func newWorld(t testing.TB) *tooltest.World {
	return &tooltest.World{TB: t, Tool: New(), Session: &tools.Session{ID: "a"}}
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
	w.Do(`{"thought":"first","thoughtNumber":1,"totalThoughts":3,"nextThoughtNeeded":true}`, "kept thought 1/3", `"next_thought_needed":true`)
	w.Do(`{"thought":"second"}`, "kept thought 2/2", `"next_thought_needed":false`)
	w.Do(`{"thought":"not so","isRevision":true,"revisesThought":1,"totalThoughts":"4"}`, "thought 3/4, revises 1", `"next_thought_needed":true`)
	w.Do(`{"thought":"or so","branchId":"b","branchFromThought":2}`, `thought 3/3 of \"b\" from 2`, `"branches":["b"]`)
	w.Do(`{"thought":"and so on","branch_id":"b"}`, `thought 4/4 of \"b\"`)
	w.Fail(tools.InvalidParams, `{"thought":"x","revises_thought":9}`, "revises_thought is 9")
	w.Fail(tools.InvalidParams, `{"thought":"x","is_revision":true}`, "revises_thought")
	w.Fail(tools.InvalidParams, `{"thought":"x","thought_number":-1}`, "from 1")
	w.Fail(tools.InvalidParams, `{"thought":" "}`, "thought is missing")
	w.Fail(tools.InvalidParams, fmt.Sprintf(`{"thought":%q}`, strings.Repeat("x", maxThought+1)), "in parts")
	text, _ := w.Do(`{"action":"journal"}`, "5 of 5 thoughts")
	if !strings.HasPrefix(text, "thought 1/3 (5 characters): first\n") || strings.Count(text, "\n") != 5 {
		t.Errorf("journal\n%s", text)
	}
	w.Do(`{"action":"journal","branch_id":"b","limit":1}`, "and so on", "1 of 2 thoughts")
	w.Session = &tools.Session{ID: "b"}
	w.Do(`{"action":"journal"}`, `"total":0`) // another session's thoughts are its own
}

func TestCriticAndReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"critic","thought":"ship it"}`, "Which assumption", "critic: answer")
	w.Do(`{"action":"critique","code":"x := 1"}`, "off by one")
	w.Do(`{"action":"review","code":"x := 1","thought":"a change"}`, "Does it do what was asked")
	w.Do(`{"action":"review","thought":"a change"}`, "Weigh it")
	w.Fail(tools.InvalidParams, `{"action":"critic"}`)
	w.Do(`{"action":"journal"}`, "critic (7 characters): ship it", "4 of 4")
}

func TestModelsAreAskedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, verb := range []string{"consensus", "agent", "summarize", "classify", "embed", "explain", "translate", "compare", "chain"} {
		w.Fail(tools.Unsupported, `{"action":"`+verb+`","text":"x"}`, verb, "tools of the door")
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
				tools.Invoke(context.Background(), w.Tool, nil, w.Session, `{"thought":"x"}`)
			}
		})
	}
	wg.Wait()
	w.Do(`{"thought":"last"}`, "501 thoughts were dropped", fmt.Sprintf(`"kept":%d`, maxThoughts))
	long := strings.Repeat("y", maxThought)
	for range 2 * maxBytes / maxThought {
		w.Do(`{"thought":"` + long + `"}`)
	}
	if j := journalOf(w.Session); j.bytes > maxBytes || len(j.list) > maxThoughts {
		t.Errorf("%d thoughts, %d bytes", len(j.list), j.bytes)
	}
}

func TestStateless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Session.Stateless = true
	w.Do(`{"thought":"x","is_revision":true,"revises_thought":3}`, "keeps no session")
}

// TestHugeNumbersAreRefused: the next thought's number stays one more than the last.
func TestHugeNumbersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{"thought_number", "total_thoughts", "revises_thought", "branch_from_thought"} {
		w.Fail(tools.InvalidParams, `{"thought":"a","`+p+`":9223372036854775807}`, "1 to 1000000")
	}
	w.Do(`{"thought":"a","thought_number":1000000}`, `"thought_number":1000000`)
	w.Do(`{"thought":"b"}`, `"thought_number":1000001`)
}

package fakedoor

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestConformanceTools: every tool is listed once and answers; those that ask for input finish when they get it, and a
// state that was changed is refused.
func TestConformanceTools(t *testing.T) {
	t.Parallel()
	door := Start(t, Conformance())
	call := func(name, more string) string {
		t.Helper()
		_, body := post(t, door, "tools/call", `{"name":"`+name+`","arguments":{}`+more+`}`)
		return body
	}
	_, body := post(t, door, "tools/list", `{}`)
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Result.Tools) != len(conformanceResults) {
		t.Fatalf("%v: %s", err, body)
	}
	for _, tool := range list.Result.Tools {
		got := call(tool.Name, "")
		if !json.Valid([]byte(got)) || !strings.Contains(got, `"resultType"`) && !strings.Contains(got, `"code":-32021`) {
			t.Errorf("%s: %s", tool.Name, got)
		}
	}
	accept := `{"action":"accept","content":{"name":"A","ok":true,"color":"red"}}`
	state := func(body string) string {
		var m struct{ Result struct{ RequestState string } }
		if err := json.Unmarshal([]byte(body), &m); err != nil || m.Result.RequestState == "" {
			t.Fatalf("no state in %s", body)
		}
		return m.Result.RequestState
	}
	first := state(call(inputTool("multi_round"), ""))
	second := state(call(inputTool("multi_round"), `,"inputResponses":{"step1":`+accept+`},"requestState":"`+first+`"`))
	if got := call(inputTool("multi_round"), `,"inputResponses":{"step2":`+accept+`},"requestState":"`+second+`"`); !strings.Contains(got, "complete") {
		t.Errorf("rounds: %s", got)
	}
	tampered := state(call(inputTool("tampered_state"), "")) + "0"
	if got := call(inputTool("tampered_state"), `,"inputResponses":{"confirm":`+accept+`},"requestState":"`+tampered+`"`); !strings.Contains(got, "-32602") {
		t.Errorf("tampered: %s", got)
	}
	if got := call("test_tool_with_progress", `,"_meta":{"progressToken":"p"}`); strings.Count(got, "notifications/progress") != 3 {
		t.Errorf("progress: %s", got)
	}
}

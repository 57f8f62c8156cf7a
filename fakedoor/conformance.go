package fakedoor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Answer is what Script.Answer gives for one call: a result or an error, raw, and the messages before it.
type Answer struct {
	Before        []string
	Result, Error string
}

// Conformance is a door with the tools that the official MCP conformance suite calls, so that a proxy in front of it
// can be put through the suite.
func Conformance() Script {
	state := newSignedState()
	return Script{
		Tools:   conformanceTools(),
		TTL:     "600000",
		Results: conformanceResults,
		Between: 50 * time.Millisecond,
		Answer:  state.answer,
	}
}

const (
	// png and wav are the smallest of their kinds.
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

	// schema2020 has the keywords of JSON Schema 2020-12 that must come through tools/list.
	schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object",` +
		`"properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},` +
		`"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
		`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
		`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
	headerSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`
)

// conformanceResults are the tools that always answer the same.
var conformanceResults = map[string]string{
	"test_simple_text":       `{"content":[{"type":"text","text":"This is a simple text response for testing."}],"resultType":"complete"}`,
	"test_image_content":     `{"content":[{"type":"image","data":"` + png + `","mimeType":"image/png"}],"resultType":"complete"}`,
	"test_audio_content":     `{"content":[{"type":"audio","data":"` + wav + `","mimeType":"audio/wav"}],"resultType":"complete"}`,
	"test_embedded_resource": `{"content":[{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}],"resultType":"complete"}`,
	"test_multiple_content_types": `{"content":[{"type":"text","text":"Multiple content types test:"},{"type":"image","data":"` + png + `","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}],"resultType":"complete"}`,
	"test_error_handling":        `{"content":[{"type":"text","text":"This tool intentionally returns an error for testing"}],"isError":true,"resultType":"complete"}`,
	"test_x_mcp_header":          `{"content":[{"type":"text","text":"the header was right"}],"resultType":"complete"}`,
	"test_streaming_elicitation": `{"content":[{"type":"text","text":"Streaming complete"}],"resultType":"complete"}`,
	"test_logging_tool":          `{"content":[{"type":"text","text":"Logging evaluated"}],"resultType":"complete"}`,
	"test_trigger_tool_change":   `{"content":[{"type":"text","text":"Mutation triggered"}],"resultType":"complete"}`,
	"test_trigger_prompt_change": `{"content":[{"type":"text","text":"Mutation triggered"}],"resultType":"complete"}`,
	"test_reconnection":          `{"content":[{"type":"text","text":"Reconnection test completed successfully."}],"resultType":"complete"}`,
	"json_schema_2020_12_tool":   `{"content":[{"type":"text","text":"called"}],"resultType":"complete"}`,
	"test_tool_with_progress":    `{"content":[{"type":"text","text":"done"}],"resultType":"complete"}`,
	"test_missing_capability":    `{"content":[{"type":"text","text":"Success"}],"resultType":"complete"}`,
	inputTool("elicitation"):     "",
	inputTool("sampling"):        "",
	inputTool("list_roots"):      "",
	inputTool("request_state"):   "",
	inputTool("multiple_inputs"): "",
	inputTool("multi_round"):     "",
	inputTool("tampered_state"):  "",
	inputTool("capabilities"):    "",
}

func inputTool(kind string) string { return "test_input_required_result_" + kind }

func conformanceTools() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(conformanceResults)) {
		schema := `{"type":"object","properties":{}}`
		switch name {
		case "test_x_mcp_header":
			schema = headerSchema
		case "json_schema_2020_12_tool":
			schema = schema2020
		}
		list = append(list, fmt.Sprintf(`{"name":%q,"description":"A tool of the conformance suite.","inputSchema":%s}`, name, schema))
	}
	return list
}

// callParams is what the tools with an answer of their own look at.
type callParams struct {
	Meta struct {
		ProgressToken json.RawMessage            `json:"progressToken"`
		Caps          map[string]json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	} `json:"_meta"`
	Responses map[string]json.RawMessage `json:"inputResponses"`
	State     string                     `json:"requestState"`
}

// has reports whether there is an answer, an object, to each of the requests.
func (p *callParams) has(names ...string) bool {
	for _, name := range names {
		var object map[string]json.RawMessage
		if raw := p.Responses[name]; raw == nil || json.Unmarshal(raw, &object) != nil {
			return false
		}
	}
	return true
}

const (
	askName   = `{"method":"elicitation/create","params":{"mode":"form","message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`
	askColor  = `{"method":"elicitation/create","params":{"mode":"form","message":"What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}}}`
	askOK     = `{"method":"elicitation/create","params":{"mode":"form","message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}`
	askSample = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}}`
	askRoots  = `{"method":"roots/list","params":{}}`
)

// signedState makes and checks the requestState of the tools that ask for input.
type signedState struct{ key []byte }

func newSignedState() *signedState {
	s := &signedState{key: make([]byte, 32)}
	_, _ = rand.Read(s.key) // never fails
	return s
}

func (s *signedState) sign(what string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(what))
	return what + "." + hex.EncodeToString(mac.Sum(nil))
}

// what is what the state says, "" when it was not signed by us.
func (s *signedState) what(state string) string {
	what, _, _ := strings.Cut(state, ".")
	if !hmac.Equal([]byte(s.sign(what)), []byte(state)) {
		return ""
	}
	return what
}

// answer answers the calls whose answer depends on what is in them, nil for the others.
func (s *signedState) answer(r *Request) *Answer {
	var p callParams
	if json.Unmarshal([]byte(r.Params), &p) != nil {
		return &Answer{Error: `{"code":-32602,"message":"params that cannot be read"}`}
	}
	required := func(state string, requests ...string) *Answer {
		result := `{"resultType":"input_required","inputRequests":{` + strings.Join(requests, ",") + `}`
		if state != "" {
			result += `,"requestState":"` + s.sign(state) + `"`
		}
		return &Answer{Result: result + "}"}
	}
	done := &Answer{Result: `{"content":[{"type":"text","text":"done"}],"resultType":"complete"}`}
	switch kind := strings.TrimPrefix(r.Tool, inputTool("")); kind {
	case "test_tool_with_progress":
		if p.Meta.ProgressToken == nil {
			return nil
		}
		a := &Answer{Result: conformanceResults[r.Tool]}
		for _, n := range []int{0, 50, 100} {
			a.Before = append(a.Before, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":100}}`, p.Meta.ProgressToken, n))
		}
		return a
	case "test_missing_capability":
		if p.Meta.Caps["sampling"] == nil {
			return &Answer{Error: `{"code":-32021,"message":"Missing required client capability","data":{"requiredCapabilities":{"sampling":{}}}}`}
		}
	case "elicitation":
		if p.has("user_name") {
			return done
		}
		return required("", `"user_name":`+askName)
	case "sampling":
		if p.has("sample_request") {
			return done
		}
		return required("", `"sample_request":`+askSample)
	case "list_roots":
		if p.has("roots_request") {
			return done
		}
		return required("", `"roots_request":`+askRoots)
	case "request_state", "tampered_state":
		switch what := s.what(p.State); {
		case p.State != "" && what == "":
			return &Answer{Error: `{"code":-32602,"message":"requestState integrity check failed"}`}
		case what == kind && p.has("confirm"):
			return done
		}
		return required(kind, `"confirm":`+askOK)
	case "multiple_inputs":
		if s.what(p.State) == kind && p.has("user_name", "greeting", "client_roots") {
			return done
		}
		return required(kind, `"user_name":`+askName, `"greeting":`+askSample, `"client_roots":`+askRoots)
	case "multi_round":
		switch what := s.what(p.State); {
		case what == "round1" && p.has("step1"):
			return required("round2", `"step2":`+askColor)
		case what == "round2" && p.has("step2"):
			return done
		}
		return required("round1", `"step1":`+askName)
	case "capabilities":
		var requests []string
		if p.Meta.Caps["elicitation"] != nil {
			requests = append(requests, `"elicit_input":`+askName)
		}
		if p.Meta.Caps["sampling"] != nil {
			requests = append(requests, `"sample_input":`+askSample)
		}
		if len(p.Responses) > 0 || len(requests) == 0 {
			return done
		}
		return required(kind, requests...)
	}
	return nil
}

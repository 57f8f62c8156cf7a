package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		kind       Kind   // 0: no error
		id         string // of the message or the error
		check      func(t *testing.T, m Message)
	}{
		{name: "a call", line: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fs","arguments":{"a":1.0},"_meta":{"progressToken":"p1","x":1},"X-Foo":[1]}}`, id: "7",
			check: func(t *testing.T, m Message) {
				equal(t, m.Method, "tools/call")
				equal(t, m.Name, "fs")
				equal(t, string(m.NameRaw), `"fs"`)
				equal(t, string(m.Arguments), `{"a":1.0}`)
				equal(t, string(m.Meta), `{"progressToken":"p1","x":1}`)
				equal(t, string(m.ProgressToken), `"p1"`)
				equal(t, string(m.Params[m.metaAt:m.metaAt+len(m.Meta)]), string(m.Meta))
				equal(t, m.IsNotification() || m.IsResponse() || m.Modern(), false)
			}},
		{name: "2026-07-28 meta", line: `{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}}`, id: `"a"`,
			check: func(t *testing.T, m Message) {
				equal(t, string(m.Version), `"2026-07-28"`)
				equal(t, string(m.ClientInfo), `{"name":"c"}`)
				equal(t, string(m.Capabilities), `{"roots":{}}`)
				equal(t, m.Modern(), true)
			}},
		{name: "ids beyond 2^53 (go-sdk#1253)", line: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, id: "9007199254740993"},
		{name: "string id stays one (python-sdk#961)", line: `{"jsonrpc":"2.0","id":"1","method":"ping"}`, id: `"1"`},
		{name: "negative id", line: `{"id":-0,"jsonrpc":"2.0","method":"ping"}`, id: "-0"},
		{name: "escaped member names", line: `{"jsonrpc":"2.0","\u0069d":7,"method":"tools/call","params":{"n\u0061me":"a\"b"}}`, id: "7",
			check: func(t *testing.T, m Message) { equal(t, m.Name, `a"b`) }},
		{name: "byte order mark, CRLF (rust-sdk#825)", line: "\xef\xbb\xbf {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n", id: "1",
			check: func(t *testing.T, m Message) {
				equal(t, string(m.Raw), `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			}},
		{name: "notification", line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`,
			check: func(t *testing.T, m Message) {
				equal(t, m.IsNotification(), true)
				equal(t, string(m.RequestID), "9007199254740993")
			}},
		{name: "response", line: `{"jsonrpc":"2.0","id":3,"result":{"roots":[]}}`, id: "3",
			check: func(t *testing.T, m Message) {
				equal(t, m.IsResponse(), true)
				equal(t, string(m.Result), `{"roots":[]}`)
			}},
		{name: "error response without id", line: `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`,
			check: func(t *testing.T, m Message) { equal(t, m.IsResponse(), true) }},
		{name: "request with all members of a message", line: `{"jsonrpc":"2.0","id":5,"method":"ping","params":null,"result":null,"error":null}`, id: "5",
			check: func(t *testing.T, m Message) { equal(t, m.Method+string(m.Result), "ping") }},
		{name: "response with all members of a message", line: `{"jsonrpc":"2.0","id":5,"method":null,"params":null,"result":{},"error":null}`, id: "5",
			check: func(t *testing.T, m Message) { equal(t, m.IsResponse() && m.Error == nil, true) }},
		{name: "error response with all members of a message", line: `{"jsonrpc":"2.0","id":5,"method":null,"params":null,"result":null,"error":{"code":1,"message":""}}`, id: "5",
			check: func(t *testing.T, m Message) { equal(t, m.IsResponse() && m.Error != nil, true) }},
		{name: "notification with a null id", line: `{"jsonrpc":"2.0","id":null,"method":"notifications/cancelled","params":{"requestId":5}}`,
			check: func(t *testing.T, m Message) { equal(t, m.IsNotification(), true) }},
		{name: "no params", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, id: "1",
			check: func(t *testing.T, m Message) { equal(t, m.Params == nil, true) }},
		{name: "null arguments", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null,"_meta":null}}`, id: "1",
			check: func(t *testing.T, m Message) {
				equal(t, string(m.Arguments), "null")
				equal(t, string(m.Meta), "null")
			}},
		{name: "token of another type", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":null}}}`, id: "1",
			check: func(t *testing.T, m Message) { equal(t, m.ProgressToken == nil, true) }},

		// C009, C010, C013: what is no JSON or no request.
		{name: "truncated line (servers#4206)", line: `{"jsonrpc":"2.0","method":"test","params":`, kind: ParseError},
		{name: "a brace", line: `{`, kind: ParseError},
		{name: "empty", line: ``, kind: ParseError},
		{name: "two values", line: `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, kind: ParseError},
		{name: "trailing comma", line: `{"jsonrpc":"2.0","id":1,"method":"ping",}`, kind: ParseError},
		{name: "no JSON bytes", line: "\xff\xfe", kind: ParseError},
		{name: "no UTF-8 in an argument", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"arguments\":{\"a\":\"\xff\"}}}", kind: ParseError},
		{name: "raw control character", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\ting\"}", kind: ParseError},
		{name: "too deep", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}}`, kind: ParseError, id: "1"},
		{name: "a number", line: `42`, kind: InvalidRequest},
		{name: "a string", line: `"x"`, kind: InvalidRequest},
		{name: "null", line: `null`, kind: InvalidRequest},
		{name: "empty batch", line: `[ ]`, kind: InvalidRequest, check: func(t *testing.T, m Message) { equal(t, m.Batch, false) }},
		{name: "batch", line: `[{"jsonrpc":"2.0","id":1,"method":"ping"}, 2]`, kind: InvalidRequest,
			check: func(t *testing.T, m Message) {
				var all []string
				for e := range m.Elements() {
					all = append(all, string(e))
				}
				equal(t, fmt.Sprint(m.Batch, all), `true [{"jsonrpc":"2.0","id":1,"method":"ping"} 2]`)
			}},
		{name: "no method", line: `{"jsonrpc":"2.0","id":7}`, kind: InvalidRequest, id: "7"},
		{name: "null method", line: `{"jsonrpc":"2.0","id":7,"method":null}`, kind: InvalidRequest, id: "7"},
		{name: "other version", line: `{"jsonrpc":"1.0","id":8,"method":"ping"}`, kind: InvalidRequest, id: "8"},
		{name: "no version", line: `{"id":8,"method":"ping"}`, kind: InvalidRequest, id: "8"},
		{name: "null id", line: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, kind: InvalidRequest},
		{name: "object id", line: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, kind: InvalidRequest},
		{name: "method of another type", line: `{"jsonrpc":"2.0","id":1,"method":5}`, kind: InvalidRequest, id: "1"},
		{name: "request and response", line: `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, kind: InvalidRequest, id: "1"},
		{name: "array params", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, kind: InvalidParams, id: "1"},
		{name: "no name", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, kind: InvalidParams, id: "1"},
		{name: "number as name", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, kind: InvalidParams, id: "1"},
		{name: "array arguments", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}`, kind: InvalidParams, id: "1"},
		{name: "meta of another type", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}`, kind: InvalidParams, id: "1"},

		// C029: two readers must not see two different calls.
		{name: "envelope twice", line: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, kind: InvalidRequest, id: "1"},
		{name: "envelope in another case", line: `{"jsonrpc":"2.0","id":1,"method":"ping","Params":{},"params":{}}`, kind: InvalidRequest, id: "1"},
		{name: "two ids", line: `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, kind: InvalidRequest},
		{name: "one id twice", line: `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, kind: InvalidRequest, id: "1"},
		{name: "id in another case", line: `{"jsonrpc":"2.0","id":5,"ID":6,"method":"ping"}`, kind: InvalidRequest, id: "5"},
		{name: "name and Name", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"a","name":"b"}}`, kind: InvalidParams, id: "1"},
		{name: "name escaped", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b","\u006eame":"a"}}`, kind: InvalidParams, id: "1"},
		{name: "meta version twice", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1,"progress\u0054oken":2}}}`, kind: InvalidParams, id: "1"},
		{name: "path and PATH", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs","arguments":{"path":"ok","PATH":"../secret"}}}`, kind: AmbiguousArgument, id: "1",
			check: func(t *testing.T, m Message) { equal(t, m.Name, "fs") }},
		{name: "Kelvin sign for k", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs","arguments":{"k":1,"` + "\u212a" + `":2}}}`, kind: AmbiguousArgument, id: "1"},
		{name: "nested members may repeat", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"headers":{"a":1,"A":2}}}}`, id: "1"},
		{name: "ambiguous arguments of a prompt", line: `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"fs","arguments":{"a":1,"A":1}}}`, kind: InvalidParams, id: "1"},
		{name: "other spelling is no member", line: `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, kind: InvalidRequest, id: "1"},
		{name: "envelope before params", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1,"A":1},"NAME":1},"METHOD":1}`, kind: InvalidRequest, id: "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := Split([]byte(test.line))
			var e *Error
			if errors.As(err, &e) != (test.kind != 0) || e != nil && e.Kind != test.kind {
				t.Fatalf("got error %v, want kind %d", err, test.kind)
			}
			id := m.ID
			if e != nil {
				id = e.ID
				checkReply(t, e)
			}
			equal(t, string(id), test.id)
			if test.check != nil {
				test.check(t, m)
			}
		})
	}
}

func checkReply(t *testing.T, e *Error) {
	t.Helper()
	var reply struct {
		JSONRPC string
		ID      json.RawMessage
		Error   struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(e.Reply(), &reply); err != nil {
		t.Fatal(err)
	}
	id := string(e.ID)
	if id == "" {
		id = "null"
	}
	if string(reply.ID) != id || reply.Error.Code != e.Code() || reply.Error.Message == "" || reply.JSONRPC != "2.0" {
		t.Errorf("reply %s", e.Reply())
	}
}

func TestSplitSilence(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"notification with bad params": `{"jsonrpc":"2.0","method":"notifications/x","params":[]}`,
		"response, ambiguous":          `{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}`,
		"response, other version":      `{"jsonrpc":"1.0","id":1,"error":{}}`,
	} {
		_, err := Split([]byte(line))
		var e *Error
		if !errors.As(err, &e) || !e.Silent || e.Reply() != nil {
			t.Errorf("%s: got %v, want a silent error", name, err)
		}
	}
}

// A large object with equal names far apart stays linear, and is still refused.
func TestSplitManyMembers(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"first":0`)
	for n := range 100_000 {
		fmt.Fprintf(&b, `,"k%d":0`, n)
	}
	unique := b.String() + `}}}`
	if _, err := Split([]byte(unique)); err != nil {
		t.Fatal(err)
	}
	_, err := Split([]byte(b.String() + `,"FIRST":1}}}`))
	var e *Error
	if !errors.As(err, &e) || e.Kind != AmbiguousArgument || e.Member != "FIRST" {
		t.Fatalf("got %v", err)
	}
}

func TestSplitDoesNotAllocate(t *testing.T) {
	line := call300()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Split(line); err != nil {
			t.Fatal(err)
		}
	}); n > 1 { // the name
		t.Errorf("%v allocations", n)
	}
}

func TestSameName(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]bool{
		{"fs", "FS"}: true, {"fs", "f-s"}: true, {"fs", "f_ s"}: true, {"fs", "fſ"}: true,
		{"fs", "fsx"}: false, {"git", "gist"}: false, {"fs", ""}: false,
	} {
		if got := SameName(pair[0], pair[1]); got != want {
			t.Errorf("SameName(%q, %q) = %v", pair[0], pair[1], got)
		}
	}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	id := []byte(`9007199254740993`)
	equal(t, string(AppendResult(nil, id, []byte(`{"a":1.0}`))), `{"jsonrpc":"2.0","id":9007199254740993,"result":{"a":1.0}}`)
	equal(t, string(AppendError(nil, nil, -32700, `a"<b`, []byte("{}"))), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a\"\u003cb","data":{}}}`)
	for _, size := range []int{10, whole + 1} {
		result := append(append([]byte(`{"a":"`), bytes.Repeat([]byte("x"), size)...), `"}`...)
		r := Reply{Result: result}
		var b bytes.Buffer
		if err := r.WriteLine(&b, id); err != nil {
			t.Fatal(err)
		}
		equal(t, b.String(), string(r.Append(nil, id))+"\n")
	}
	r := Reply{Error: []byte(`{"code":1}`)}
	equal(t, string(r.Append([]byte("x"), []byte(`"1"`))), `x{"jsonrpc":"2.0","id":"1","error":{"code":1}}`)
	equal(t, string(OneLine([]byte("{\r\n\t\"a\": 1\n}"))), "{  \t\"a\": 1 }")
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// FuzzSplit: accepted is what encoding/json accepts in valid UTF-8, and the raw
// members say what encoding/json says.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,-0.5e+3,"\ud83d\ude00\\"]},"_meta":{"progressToken":2}}}`,
		`[1,{"a":null},true,false,""]`, `{"a":"` + strings.Repeat("é", 20) + `"}`, `"\u00e9\/"`, `01`, `-`, `1.`, `1e`, `{"a":1,}`, `[,]`, "\"\x7f\"", `tru`, ` `, `{"":0,"\u0000":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
			return
		}
		m, err := Split(line)
		var e *Error
		accepted := !errors.As(err, &e) || e.Kind != ParseError
		want := json.Valid(line) && utf8.Valid(line) && depth(line) <= maxDepth
		if accepted != want {
			t.Fatalf("accepted %v, want %v: %q", accepted, want, line)
		}
		if err != nil {
			return
		}
		var q map[string]json.RawMessage
		var method string
		if json.Unmarshal(line, &q) != nil || q["method"] != nil && json.Unmarshal(q["method"], &method) != nil {
			t.Fatalf("encoding/json refuses %q", line)
		}
		if m.ID != nil && string(q["id"]) != string(m.ID) || method != m.Method || m.Params != nil && string(q["params"]) != string(m.Params) {
			t.Fatalf("split %q to %+v", line, m)
		}
		for _, part := range [][]byte{m.ID, m.Params, m.Arguments, m.Meta, m.NameRaw, m.ProgressToken} {
			if part != nil && !json.Valid(part) {
				t.Fatalf("%q is no value of %q", part, line)
			}
		}
	})
}

func depth(text []byte) (deepest int) {
	d := json.NewDecoder(bytes.NewReader(text))
	for now := 0; ; {
		token, err := d.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			now++
			deepest = max(deepest, now)
		case json.Delim('}'), json.Delim(']'):
			now--
		}
	}
}

func call300() []byte {
	return []byte(`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"fs","arguments":{"action":"edit","path":"src/main.go","old_text":"func main() {\n\tfmt.Println(\"hello\")\n}","new_text":"func main() {\n\tos.Exit(run())\n}","dry_run":false,"expected_count":1},"_meta":{"progressToken":12345}}}`)
}

func callOf(size int, unit string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs","arguments":{"content":"` + strings.Repeat(unit, size/len(unit)) + `"}}}`)
}

func BenchmarkSplit(b *testing.B) {
	for _, bench := range []struct {
		name string
		line []byte
	}{
		{"300B", call300()},
		{"1MiB", callOf(1<<20, "0123456789abcde\\n")},
		{"8MiB", callOf(8<<20, "0123456789abcde\\n")},
		{"8MiB-plain", callOf(8<<20, "0123456789abcdef")},
		{"8MiB-utf8", callOf(8<<20, "日本語テキスト")},
		{"1MiB-structure", []byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[` + strings.Repeat(`{"k":1,"v":[true,null]},`, 1<<20/24) + `0]}}`)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Split(bench.line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

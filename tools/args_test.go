package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type probeArgs struct {
	Path     string            `json:"path"`
	Limit    int               `json:"limit"`
	Ratio    float64           `json:"ratio"`
	DryRun   bool              `json:"dry_run"`
	Maybe    *bool             `json:"maybe"`
	Files    []string          `json:"files"`
	Timeout  time.Duration     `json:"timeout"`
	Env      map[string]string `json:"env"`
	Raw      json.RawMessage   `json:"raw"`
	Edits    []probeEdit       `json:"edits"`
	BaseHash string            `json:"base_hash"`
}

type probeEdit struct {
	OldText string `json:"old_text" alias:"old_string"`
	All     bool   `json:"replace_all"`
}

// probe is a tool that answers with what it decoded.
func probe() *Tool {
	return &Tool{
		Name: "probe", Title: "Probe", Description: "for tests", Default: "",
		Params: []Param{
			{Name: "path", Type: "string", Doc: "p", Aliases: []string{"uri", "file_path"}, Path: ReadPath},
			{Name: "limit", Type: "integer", Doc: "l"}, {Name: "ratio", Type: "number", Doc: "r"},
			{Name: "dry_run", Type: "boolean", Doc: "d", Strict: true}, {Name: "maybe", Type: "boolean", Doc: "m"},
			{Name: "files", Type: "array", Doc: "f"}, {Name: "timeout", Doc: "t"}, {Name: "env", Type: "object", Doc: "e"},
			{Name: "raw", Doc: "x"}, {Name: "edits", Type: "array", Items: "object", Doc: "e"},
			{Name: "base_hash", Type: "string", Doc: "b", Strict: true},
		},
		Actions: []Action{
			Act(Action{Name: "read_it", Aliases: []string{"get"}, Doc: "reads"}, func(_ context.Context, c *Call, in probeArgs) (*Result, error) {
				return &Result{Data: in}, nil
			}),
			Act(Action{Name: "fail", Effect: Writes, Doc: "fails"}, func(context.Context, *Call, struct{}) (*Result, error) {
				return &Result{Text: "so far"}, Errorf(Conflict, "no")
			}),
			Act(Action{Name: "panic", Doc: "panics"}, func(context.Context, *Call, struct{}) (*Result, error) { panic("at the disco") }),
		},
	}
}

func TestLenientArguments(t *testing.T) {
	t.Parallel()
	if err := probe().Check(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ args, want, warning string }{
		"plain":               {`{"action":"read_it","path":"a","limit":3}`, `"path":"a","limit":3`, ""},
		"action spelled":      {`{"action":"Read-It","path":"a"}`, `"path":"a"`, ""},
		"action camel":        {`{"action":"readIt"}`, `"limit":0`, ""},
		"action by method":    {`{"method":"get","path":"a"}`, `"path":"a"`, ""},
		"alias":               {`{"action":"get","uri":"a"}`, `"path":"a"`, ""},
		"camel alias":         {`{"action":"get","filePath":"a"}`, `"path":"a"`, ""},
		"kebab":               {`{"action":"get","dry-run":true}`, `"dry_run":true`, ""},
		"numbers as text":     {`{"action":"get","limit":"7","ratio":"0.5"}`, `"limit":7,"ratio":0.5`, ""},
		"whole float":         {`{"action":"get","limit":1e2}`, `"limit":100`, ""},
		"booleans as text":    {`{"action":"get","dry_run":"TRUE"}`, `"dry_run":true`, ""},
		"null is absent":      {`{"action":"get","limit":null,"maybe":null}`, `"maybe":null`, ""},
		"absent or false":     {`{"action":"get","maybe":false}`, `"maybe":false`, ""},
		"one for a list":      {`{"action":"get","files":"a"}`, `"files":["a"]`, ""},
		"list as text":        {`{"action":"get","files":"[\"a\",\"b\"]"}`, `"files":["a","b"]`, ""},
		"a name with bracket": {`{"action":"get","files":"[a"}`, `"files":["[a"]`, ""},
		"milliseconds":        {`{"action":"get","timeout":1500}`, `"timeout":1500000000`, ""},
		"duration":            {`{"action":"get","timeout":"30s"}`, `"timeout":30000000000`, ""},
		"env of numbers":      {`{"action":"get","env":{"A":8080,"B":"x","C":null}}`, `"env":{"A":"8080","B":"x"}`, ""},
		"raw stays":           {`{"action":"get","raw":{"n":9007199254740993}}`, `"raw":{"n":9007199254740993}`, ""},
		"nested":              {`{"action":"get","edits":[{"oldString":"a","replaceAll":"true"}]}`, `"edits":[{"old_text":"a","replace_all":true}]`, ""},
		"unknown is told":     {`{"action":"get","lmit":3}`, `"limit":0`, `"lmit" was ignored; the nearest is "limit"`},
		"equal twice":         {`{"action":"get","path":"a","uri":"a"}`, `"path":"a"`, ""},
	} {
		out := Invoke(context.Background(), probe(), nil, nil, c.args)
		data, err := marshal(out.Envelope.Data)
		if err != nil || !out.Envelope.OK || !strings.Contains(data, c.want) {
			t.Errorf("%s: %v %+v %s", name, err, out.Envelope.Error, data)
		}
		if got := fmt.Sprint(out.Envelope.Meta.Warnings); c.warning == "" && got != "[]" || !strings.Contains(got, c.warning) {
			t.Errorf("%s: warnings %s", name, got)
		}
	}
}

func TestArgumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  string
		code  Code
		param string
	}{
		"no object":            {`[]`, InvalidParams, "arguments"},
		"unknown action":       {`{"action":"raed_it"}`, UnknownAction, "action"},
		"action of a number":   {`{"action":7}`, InvalidParams, "action"},
		"number for text":      {`{"action":"get","path":7}`, InvalidParams, "path"},
		"text for a number":    {`{"action":"get","limit":"many"}`, InvalidParams, "limit"},
		"fraction":             {`{"action":"get","limit":1.5}`, InvalidParams, "limit"},
		"bad duration":         {`{"action":"get","timeout":"soon"}`, InvalidParams, "timeout"},
		"negative duration":    {`{"action":"get","timeout":-1}`, InvalidParams, "timeout"},
		"object in a list":     {`{"action":"get","files":[{}]}`, InvalidParams, "files[0]"},
		"near dry_run":         {`{"action":"get","dryrun":true}`, InvalidParams, "dryrun"},
		"near base_hash":       {`{"action":"get","base_hsh":"x"}`, InvalidParams, "base_hsh"},
		"not taken dry_run":    {`{"action":"fail","dry_run":true}`, InvalidParams, "dry_run"},
		"two values":           {`{"action":"get","path":"a","uri":"b"}`, InvalidParams, "path"},
		"two actions":          {`{"action":"get","method":"fail"}`, InvalidParams, "action"},
		"unknown in an edit":   {`{"action":"get","edits":[{"old_txt":"a"}]}`, InvalidParams, "edits[0].old_txt"},
		"twice in an edit":     {`{"action":"get","edits":[{"old_text":"a","old_string":"a"}]}`, InvalidParams, "edits[0].old_string"},
		"object for an object": {`{"action":"get","env":[]}`, InvalidParams, "env"},
	} {
		out := Invoke(context.Background(), probe(), nil, nil, c.args)
		e := out.Envelope.Error
		if out.Envelope.OK || e == nil || e.Code != c.code || e.Details == nil || e.Details.Param != c.param {
			t.Errorf("%s: %+v %+v", name, e, out.Envelope.Data)
		}
	}
}

// TestCommandLineAsAction: the error says which action it is, and that switches are parameters.
func TestCommandLineAsAction(t *testing.T) {
	t.Parallel()
	tool := probe()
	for _, given := range []string{"get -1", tool.Name + " get --short", "get  a b"} {
		e := Invoke(context.Background(), tool, nil, nil, string(AppendString([]byte(`{"action":`), given))+"}").Envelope.Error
		if e == nil || e.Code != UnknownAction || e.Details.Nearest != "read_it" || !strings.Contains(e.Message, `give action "read_it"`) {
			t.Errorf("%s: %+v", given, e)
		}
	}
}

func TestParameterOfAnotherActionIsTold(t *testing.T) {
	t.Parallel()
	out := Invoke(context.Background(), probe(), nil, nil, `{"action":"fail","limit":3}`)
	if got := fmt.Sprint(out.Envelope.Meta.Warnings); !strings.Contains(got, "does not take limit") {
		t.Errorf("warnings %s", got)
	}
}

func TestHelpWithoutAnAction(t *testing.T) {
	t.Parallel()
	for _, args := range []string{``, `null`, `{}`, `{"action":"help"}`, `{"action":"help","path":"x"}`, `{"verbose":true}`} {
		if out := Invoke(context.Background(), probe(), nil, nil, args); !out.Envelope.OK || !strings.Contains(out.Text, "read_it") {
			t.Errorf("%s: %+v", args, out)
		}
	}
}

func TestFailureKeepsItsOutput(t *testing.T) {
	t.Parallel()
	out := Invoke(context.Background(), probe(), nil, nil, `{"action":"fail"}`)
	got := string(out.AppendResult(nil, nil))
	if out.Envelope.OK || !strings.Contains(got, `"text":"so far"`) || !strings.Contains(got, `"isError":true`) || strings.Count(got, `"type":"text"`) != 2 {
		t.Error(got)
	}
}

func TestPanicOfAToolIsAnAnswer(t *testing.T) {
	t.Parallel()
	out := Invoke(context.Background(), probe(), nil, nil, `{"action":"panic"}`)
	if e := out.Envelope.Error; e == nil || e.Code != InternalError || strings.Contains(e.Message, "goroutine") {
		t.Errorf("%+v", out.Envelope)
	}
}

func TestResultsAreValidAndUnescaped(t *testing.T) {
	t.Parallel()
	const text = "<a href=\"x\">&\u2028\u0000\x1b[0m\xff\xfe é 日本 \\ end\r\n"
	out := &Output{Text: text, Envelope: Envelope{OK: true, Data: map[string]string{"html": "<b>&</b>"}}}
	got := out.AppendResult(nil, nil)
	if !json.Valid(got) || !utf8.Valid(got) || strings.Contains(string(got), `\u003c`) {
		t.Fatalf("%s", got)
	}
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(got, &r); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(text, "\ufffd"); r.Content[0].Text != strings.ReplaceAll(text, "\xff\xfe", "\ufffd\ufffd") && r.Content[0].Text != want {
		t.Errorf("payload %q", r.Content[0].Text)
	}
	if !strings.Contains(r.Content[1].Text, `"html":"<b>&</b>"`) {
		t.Errorf("envelope %s", r.Content[1].Text)
	}
}

func TestSecretsAreReplacedEverywhere(t *testing.T) {
	t.Parallel()
	const secret = "tok_S3CRET"
	out := &Output{Text: "x " + secret + " y", Envelope: Envelope{OK: false, Data: map[string]string{"v": secret}, Error: Errorf(NotFound, "no %s", secret),
		Meta: Meta{Warnings: []string{secret}}}}
	if got := string(out.AppendResult(nil, []string{"short", secret})); strings.Contains(got, "S3CRET") || strings.Count(got, redactedMark) != 4 {
		t.Error(got)
	}
}

func TestTextIsCutWhereLinesEnd(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("日本語の行\n", 1000)
	for _, n := range []int{1, 7, 100, 5999, 6000, 7000} {
		head, cut := Head(lines, n)
		if utf8.RuneCountInString(head) > n || !strings.HasPrefix(lines, head) || cut != (n < 6000) || n > 6 && !strings.HasSuffix(head, "\n") {
			t.Errorf("Head %d: %d characters, cut %v", n, utf8.RuneCountInString(head), cut)
		}
		both, cut := HeadTail(lines, n)
		if !utf8.ValidString(both) || cut != (n < 6000) {
			t.Errorf("HeadTail %d: cut %v", n, cut)
		}
		if cut && n > 100 && (!strings.HasPrefix(both, "日本語の行\n") || !strings.HasSuffix(both, "\n日本語の行\n") || !strings.Contains(both, "bytes left out")) {
			t.Errorf("HeadTail %d: %q", n, both)
		}
	}
}

// FuzzArguments: whatever stands for the arguments, the answer is a valid result.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"action":"get","path":"a"}`, `[]`, `null`, `{"action":"get","edits":[{"old_text":1}]}`, `{"a":{"b":[1,2,{"c":null}]}}`,
		`{"action":"get","files":"[\"a\"","env":{"":1e999},"timeout":"1h1h"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		if !json.Valid([]byte(args)) {
			t.Skip()
		}
		out := Invoke(context.Background(), probe(), nil, nil, args)
		if got := out.AppendResult(nil, nil); !json.Valid(got) || out.Envelope.OK == (out.Envelope.Error != nil) {
			t.Errorf("%s", got)
		}
	})
}

func BenchmarkInvoke(b *testing.B) {
	t := probe()
	for b.Loop() {
		Invoke(context.Background(), t, nil, nil, `{"action":"get","path":"a/b/c.go","limit":"20","dry_run":true}`).AppendResult(nil, nil)
	}
}

// What says where a thing is to be done, or holds a change back, is not passed over; the rest is, with a warning.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	type in struct {
		Path string `json:"path"`
	}
	done := 0
	act := func(a Action) Action {
		return Act(a, func(context.Context, *Call, in) (*Result, error) { done++; return &Result{}, nil })
	}
	tool := &Tool{Name: "t", Params: []Param{{Name: "path", Type: "string", Path: ReadPath}, {Name: "destination", Type: "string", Path: WritePath}, {Name: "limit", Type: "integer"}, DryRun("show")},
		Actions: []Action{act(Action{Name: "look"}), act(Action{Name: "change", Effect: Writes}), act(Action{Name: "run", Effect: Destroys}), act(Action{Name: "lose", Effect: Destroys, Confirms: func(*Call) bool { return true }})}}
	for args, ok := range map[string]bool{
		`{"action":"look","color":"red"}`: true, `{"action":"t.look"}`: true, `{"action":"t_look","path":"a"}`: true, `{"action":"change","color":"red"}`: true,
		`{"action":"look","repo_path":"x"}`: false, `{"action":"look","workingDirectory":"x"}`: false, `{"action":"look","destination":"x"}`: false, `{"action":"look","regex":true}`: true,
		`{"action":"change","regex":true}`: false, `{"action":"change","preview":true}`: false, `{"action":"change","exclude":["x"]}`: false, `{"action":"lose","color":"red"}`: false, `{"action":"lose","limit":3}`: false, `{"action":"run","description":"what it does"}`: true, `{"action":"lose","index":3}`: false,
	} {
		before := done
		out := Invoke(t.Context(), tool, nil, nil, args)
		if out.Envelope.OK != ok || (done > before) != ok {
			t.Errorf("%s: %+v, done %v", args, out.Envelope.Error, done > before)
		}
	}
}

func TestHalfPairs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"a\ud83d b"`: `\ud83d`, `"\udc00"`: `\udc00`, `"\ud83d\ud83d"`: `\ud83d`, `"x\uD800`: `\uD800`, `"\ud83d\ude00"`: "", `"\\ud83d"`: "", `"\u00e9\n\\"`: "", `"😀"`: "", `"\u0041\ud83d\ude00\udead"`: `\udead`,
	} {
		if got := halfPair([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// What a person is asked to allow shows the end of a command as well as its beginning.
func TestQuestionShowsTheEnd(t *testing.T) {
	t.Parallel()
	type in struct {
		Command string `json:"command"`
	}
	tool := &Tool{Name: "exec", Params: []Param{{Name: "command", Type: "string"}}, Actions: []Action{Act(Action{Name: "exec"}, func(context.Context, *Call, in) (*Result, error) { return &Result{}, nil })}}
	for _, filler := range []string{strings.Repeat(" ", 3000), strings.Repeat("x", 3000), strings.Repeat("é\t", 3000)} {
		raw, _ := json.Marshal(map[string]string{"action": "exec", "command": "echo a" + filler + "; rm -rf /"})
		c, err := Prepare(tool, raw, &Session{})
		if err != nil {
			t.Fatal(err)
		}
		if q := question(c); len(q) > maxQuestion+1 || !strings.Contains(q, "echo a") || !strings.Contains(q, `; rm -rf /"`) {
			t.Errorf("%d bytes: %s", len(q), q)
		}
	}
}

// A call that asks for something and names no action is not answered by help, as if it had been done.
func TestNoActionIsNoSuccess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{`{"path":"x"}`, "it may be read_it"},
		{`{"input":{"action":"read","path":"x"}}`, `What stands in "input" belongs beside it`},
		{`{"arguments":{"path":"x"},"verbose":true}`, `"arguments"`},
	} {
		out := Invoke(t.Context(), probe(), nil, nil, c.args)
		if e := out.Envelope.Error; e == nil || e.Code != InvalidParams || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Message, "nothing was done") {
			t.Errorf("%s: %+v", c.args, out)
		}
	}
}

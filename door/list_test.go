package door

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func tool(name string, more ...string) string {
	return fmt.Sprintf(`{"name":%s,"inputSchema":{"type":"object"}%s}`, jsonString(name), strings.Join(more, ""))
}

func toolNames(l Listing) string {
	var names []string
	for _, t := range l.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func TestListDefault(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{})
	var logged log
	c := open(t, Config{URL: door.URL(), Log: logged.add, Local: []string{"fs", "git"}})
	l := c.List(deadline(t), 10*time.Second)
	if len(l.Tools) != 111 || l.Tools[0].Name != "describe" || string(l.Meta) != fakedoor.DefaultMeta || l.Dropped != nil {
		t.Errorf("%d tools, meta %s, dropped %v", len(l.Tools), l.Meta, l.Dropped)
	}
	for n, want := range fakedoor.DefaultTools() {
		equal(t, string(l.Tools[n].Raw), want)
	}
	if l.TTL <= 4*time.Minute || l.TTL > 5*time.Minute {
		t.Errorf("ttl %v", l.TTL)
	}
	equal(t, fmt.Sprint(c.Known("describe"), c.Known("nope"), c.ReadOnly("describe"), c.ReadOnly("service_001"), c.ReadOnly("service_000"), c.ReadOnly("nope")), "true false true false true false")
	c.List(deadline(t), 10*time.Second)
	equal(t, len(door.Requests("tools/list")), 1)
	equal(t, len(logged.all()), 0)
}

// C272: all pages, and no end to a door that has no last one.
func TestListPages(t *testing.T) {
	t.Parallel()
	var many []string
	for n := range 1200 {
		many = append(many, tool(fmt.Sprintf("t%d", n)))
	}
	tests := []struct {
		name     string
		script   fakedoor.Script
		tools    int
		requests int
		dropped  string
	}{
		{"3 pages of 50", fakedoor.Script{Tools: many[:150], Pages: 3}, 150, 3, ""},
		{"a cursor that comes again", fakedoor.Script{Tools: many[:10], Pages: 2, CursorLoop: true}, 10, 2, dropPages},
		{"60 pages", fakedoor.Script{Tools: many[:60], Pages: 60}, 50, 50, dropPages},
		{"1,200 tools", fakedoor.Script{Tools: many}, 1000, 1, dropCount},
		{"pages beyond the size", fakedoor.Script{Tools: []string{tool("a", `,"x":"`+strings.Repeat("x", 40<<10)+`"`), tool("b", `,"x":"`+strings.Repeat("x", 40<<10)+`"`)}, Pages: 2}, 1, 2, dropBytes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, test.script)
			size := 0
			if test.dropped == dropBytes {
				size = 64 << 10
			}
			c := open(t, Config{URL: door.URL(), MaxSize: size})
			l := c.List(deadline(t), 10*time.Second)
			equal(t, len(l.Tools), test.tools)
			equal(t, len(door.Requests("tools/list")), test.requests)
			if test.dropped != "" && l.Dropped[test.dropped] == 0 || test.dropped == "" && l.Dropped != nil {
				t.Errorf("dropped %v", l.Dropped)
			}
		})
	}
}

// One bad tool drops that tool only, with its reason.
func TestListBadTools(t *testing.T) {
	t.Parallel()
	bad := map[string][]string{
		dropObject:    {`5`, `null`, `"x"`, `[]`},
		dropMembers:   {`{"name":"ok","name":"fs","inputSchema":{}}`, `{"name":"ok","Name":"fs","inputSchema":{}}`, tool("x1", `,"annotations":{"readOnlyHint":true,"readOnlyHint":false}`)},
		dropName:      {`{"inputSchema":{}}`, tool(""), tool(strings.Repeat("n", 129)), `{"name":5,"inputSchema":{}}`, tool("a\x01b"), tool("a\u202eb"), "{\"name\":\"a\\ud800b\",\"inputSchema\":{}}"},
		dropDuplicate: {tool("good")},
		dropLocal:     {tool("fs"), tool("FS"), tool("f_s"), tool("F-s"), tool("f s"), `{"name":"\u0066s","inputSchema":{}}`},
		dropSchema: {`{"name":"s1"}`, `{"name":"s2","inputSchema":[]}`, `{"name":"s3","inputSchema":null}`, `{"name":"s4","inputSchema":{}}`, `{"name":"s5","inputSchema":{"type":"string"}}`,
			`{"name":"s6","inputSchema":{"type":"object","properties":[]}}`, `{"name":"s7","inputSchema":{"type":"object","required":"a"}}`, `{"name":"s8","inputSchema":{"type":["object"]}}`, `{"name":"s9","inputSchema":{"type":5}}`,
			`{"name":"s10","inputSchema":{"type":"object","properties":{"a":true}}}`},
		dropShape: {tool("t1", `,"description":5`), tool("t3", `,"title":5`), tool("t4", `,"annotations":"x"`), tool("t5", `,"annotations":{"readOnlyHint":"yes"}`),
			tool("t6", `,"outputSchema":5`), tool("t7", `,"_meta":[]`), tool("t8", `,"icons":{}`)},
		dropSize: {tool("big", `,"x":"`+strings.Repeat("x", 64<<10)+`"`)},
		dropHeader: {`{"name":"h1","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}`,
			`{"name":"h2","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}}`,
			`{"name":"h3","inputSchema":{"type":"object","properties":{"a":{"type":"string","x\u002dmcp-header":""}}}}`},
	}
	script := fakedoor.Script{Tools: []string{tool("good", `,"odd":{"b":1.0}`)}}
	for _, reason := range dropReasons {
		script.Tools = append(script.Tools, bad[reason]...)
	}
	script.Tools = append(script.Tools, tool("exec"), tool("läst"))
	door := fakedoor.Start(t, script)
	var logged log
	c := open(t, Config{URL: door.URL(), Local: []string{"fs"}, Log: logged.add}) // exec is given to the door
	l := c.List(deadline(t), 10*time.Second)
	equal(t, toolNames(l), "good exec läst")
	for reason, tools := range bad {
		equal(t, l.Dropped[reason], len(tools))
	}
	logged.wait(t, 1)
	if lines := logged.all(); len(lines) != 1 || !strings.Contains(lines[0], `6 (named like a local tool: "fs", "FS", "f_s", …)`) ||
		!strings.Contains(lines[0], `1 (listed twice: "good")`) || !strings.Contains(lines[0], `1 (over 64 KiB: "big")`) || len(lines[0]) > 1200 {
		t.Errorf("%q", lines)
	}
}

// C270: a dead door costs one line for each attempt and no waiting.
func TestListDoorDown(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("a")}})
	door.Stop()
	now := newClock()
	var logged log
	changed := make(chan struct{}, 10)
	c := open(t, Config{URL: door.URL(), Log: logged.add, Now: now.Now, Changed: func() { changed <- struct{}{} }})
	for range 3 {
		l := c.List(deadline(t), 10*time.Second)
		equal(t, len(l.Tools), 0)
		equal(t, l.TTL, 0)
	}
	logged.wait(t, 1)
	equal(t, len(logged.all()), 1)
	if !strings.Contains(logged.all()[0], "connection refused") {
		t.Error(logged.all())
	}
	now.add(failedFor)
	c.List(deadline(t), 10*time.Second)
	if s := c.State(); s.Answered || !strings.Contains(s.Failure, "refused") {
		t.Errorf("%+v", s)
	}

	// A call that the door answers ends the failure, and the list comes.
	if err := door.Start(); err != nil {
		t.Fatal(err)
	}
	c.Call(deadline(t), Caller{}, call(t, "1", "a", ""))
	select {
	case <-changed:
	case <-deadline(t).Done():
		t.Fatal("not told of the list")
	}
	equal(t, toolNames(c.List(deadline(t), 0)), "a")
	if s := c.State(); !s.Answered || s.Failure != "" || s.Tools != 1 {
		t.Errorf("%+v", s)
	}

	// The same failure was said once; a new one is said again.
	equal(t, len(logged.all()), 1)
	door.Stop()
	now.add(time.Hour)
	c.List(deadline(t), 10*time.Second)
	logged.wait(t, 2)
}

// A door that hangs is waited for once; its late answer is told.
func TestListDoorHangs(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("a")}, Delay: 9 * time.Second})
	changed := make(chan struct{}, 1)
	c := open(t, Config{URL: door.URL(), Changed: func() { changed <- struct{}{} }})
	c.Start()
	start := time.Now()
	equal(t, len(c.List(deadline(t), 3*time.Second).Tools), 0)
	if took := time.Since(start); took < time.Second || took > 8*time.Second {
		t.Errorf("first took %v", took)
	}
	start = time.Now()
	c.List(deadline(t), 3*time.Second)
	if took := time.Since(start); took > 2500*time.Millisecond {
		t.Errorf("second took %v", took)
	}
	select {
	case <-changed:
	case <-deadline(t).Done():
		t.Fatal("not told of the list")
	}
	equal(t, toolNames(c.List(deadline(t), 0)), "a")
	equal(t, len(door.Requests("")), 1)
}

// C292: the list follows the door, and what is gone from it is called all the same.
func TestListFreshness(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ttl   string
		fresh time.Duration
	}{{"", 5 * time.Minute}, {"60000", time.Minute}, {"0", 30 * time.Second}, {"86400000", 10 * time.Minute}, {"-1", 30 * time.Second}, {`"x"`, 5 * time.Minute}, {"1e999", 5 * time.Minute}} {
		t.Run("ttlMs "+test.ttl, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("a"), tool("b")}, TTL: test.ttl})
			now := newClock()
			c := open(t, Config{URL: door.URL(), Now: now.Now})
			l := c.List(deadline(t), 10*time.Second)
			equal(t, toolNames(l), "a b")
			equal(t, l.TTL, test.fresh)
			door.Set(func(s *fakedoor.Script) { s.Tools = []string{tool("c")} })
			now.add(test.fresh - time.Second)
			l = c.List(deadline(t), 10*time.Second)
			equal(t, toolNames(l), "a b")
			equal(t, l.TTL, time.Second)
			equal(t, c.Known("c"), false)
			if r := c.Call(deadline(t), Caller{}, call(t, "1", "c", "")); r.Made {
				t.Errorf("%s", r.Result)
			}
			now.add(time.Second)
			equal(t, toolNames(c.List(deadline(t), 10*time.Second)), "c")

			// Old for 10 minutes while the door is down, then local only.
			door.Stop()
			now.add(test.fresh + staleFor - time.Second)
			l = c.List(deadline(t), 10*time.Second)
			equal(t, toolNames(l), "c")
			equal(t, l.TTL, 0)
			equal(t, c.Known("c"), true)
			now.add(time.Second)
			equal(t, toolNames(c.List(deadline(t), 10*time.Second)), "")
			equal(t, c.Known("c") || c.ReadOnly("c"), false)
		})
	}
}

func TestListFaults(t *testing.T) {
	t.Parallel()
	body := "<html>\nsorry" + strings.Repeat(" x", 500) + "</html>"
	for name, test := range map[string]struct {
		script fakedoor.Script
		want   string
	}{
		"HTML":        {fakedoor.Script{Body: &body}, "sorry"},
		"no tools":    {fakedoor.Script{ListResult: `{"x":1}`}, "cannot be read"},
		"other tools": {fakedoor.Script{ListResult: `{"tools":{}}`}, "cannot be read"},
		"401":         {fakedoor.Script{ListToken: "x"}, "wants a sign-in"},
		"too large":   {fakedoor.Script{ContentLength: 17 << 20}, "more than"},
		"redirect":    {fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "https://evil.example/"}}, "evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, test.script)
			var logged log
			c := open(t, Config{URL: door.URL(), Log: logged.add})
			equal(t, len(c.List(deadline(t), 5*time.Second).Tools), 0)
			logged.wait(t, 1)
			if lines := logged.all(); len(lines) != 1 || !strings.Contains(lines[0], test.want) || strings.Contains(lines[0], "\n") || len(lines[0]) > 500 {
				t.Errorf("%q", lines)
			}
		})
	}
}

// A door that wants a bearer for its list gets the one from environment or
// file, never the command's; another bearer has another list.
func TestListBearer(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("a")}, ListToken: "tok_first"})
	variables := map[string]string{"HANZO_API_KEY": "tok_first"}
	var mu sync.Mutex
	chain := &auth.Chain{Door: door.URL(),
		Getenv: func(name string) string {
			mu.Lock()
			defer mu.Unlock()
			return variables[name]
		},
		LookPath: func(string) (string, error) { t.Error("looked for the command"); return "", context.Canceled }}
	c := open(t, Config{URL: door.URL(), Auth: chain})
	equal(t, toolNames(c.List(deadline(t), 10*time.Second)), "a")
	requests := door.Requests("tools/list")
	equal(t, requests[0].Header.Get("Authorization"), "")
	equal(t, requests[1].Header.Get("Authorization"), "Bearer tok_first")
	mu.Lock()
	variables["HANZO_API_KEY"] = "tok_second"
	mu.Unlock()
	door.Set(func(s *fakedoor.Script) { s.ListToken, s.Tools = "tok_second", []string{tool("b")} })
	equal(t, toolNames(c.List(deadline(t), 10*time.Second)), "b")
	mu.Lock()
	variables["HANZO_API_KEY"] = ""
	mu.Unlock()
	equal(t, toolNames(c.List(deadline(t), 10*time.Second)), "")
}

// The bytes are the same from list to list, on one line each, without the bearer.
func TestListBytes(t *testing.T) {
	t.Parallel()
	raw := tool("a", `,"description":"tok_S3CRET \u00e9 <b>","x":[1.0,1e21]`)
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{raw}, Pretty: true, ListMeta: `{"b":1.0,"a":2}`})
	c := open(t, Config{URL: door.URL(), Auth: env(door.URL(), map[string]string{"HANZO_TOKEN": "tok_S3CRET"})})
	l := c.List(deadline(t), 10*time.Second)
	if len(l.Tools) != 1 || strings.ContainsAny(string(l.Tools[0].Raw)+string(l.Meta), "\r\n") {
		t.Fatalf("%v", l.Tools)
	}
	var compact strings.Builder
	for _, part := range strings.Fields(string(l.Tools[0].Raw)) {
		compact.WriteString(part)
	}
	want := strings.NewReplacer("tok_S3CRET", auth.Marker, " ", "").Replace(raw)
	equal(t, compact.String(), want)
	if !json.Valid(l.Meta) {
		t.Errorf("%s", l.Meta)
	}
}

func TestListConcurrently(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{})
	c := open(t, Config{URL: door.URL()})
	c.Start()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			equal(t, len(c.List(deadline(t), 10*time.Second).Tools), 111)
			c.Call(deadline(t), Caller{}, call(t, "1", "describe", ""))
		})
	}
	group.Wait()
	equal(t, len(door.Requests("tools/list")), 1)
}

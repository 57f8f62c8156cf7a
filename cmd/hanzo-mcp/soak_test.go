package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak runs; 0: a few seconds")

// soak is one run: what was sent and what came.
type soak struct {
	t                         *testing.T
	sent, answered, cancelled atomic.Int64

	mu    sync.Mutex
	times map[string][]time.Duration
}

// soakClient sends one request and gives its reply; cancel sends one and takes it back at once.
type soakClient struct {
	ask    func(id, method, params string) string
	cancel func(id, method, params string)
}

// TestSoak puts 16 clients, 8 over stdio and 8 over HTTP, half of those stateless, to local and forwarded calls while the
// door misbehaves in all the ways it can. Each request is answered once; goroutines, descriptors and memory stay flat.
//
//	go test ./cmd/hanzo-mcp -run Soak -soak 10m -timeout 20m -v
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test")
	}
	t.Parallel()
	length := *soakFor
	if length == 0 {
		length = 3 * time.Second
	}
	s := &soak{t: t, times: map[string][]time.Duration{}}
	sound := fakedoor.Script{Results: map[string]string{"t": good}}
	d := fakedoor.Start(t, sound)
	env := []string{"HANZO_MCP_DOOR=" + d.URL(), "HANZO_MCP_DOOR_TIMEOUT=1s", "HANZO_MCP_MAX_DOOR_BYTES=2000000"}

	type process struct {
		*os.Process
		counts string
		warm   held
	}
	var processes []*process
	var clients []soakClient
	for range 8 {
		p := openPipes(t, env)
		processes = append(processes, &process{Process: p.cmd.Process, counts: p.counts})
		clients = append(clients, s.overStdio(p))
	}
	counts := filepath.Join(t.TempDir(), "goroutines")
	h := serveHTTP(t, t.TempDir(), append(env, countGoroutines+"="+counts), "--sandbox", "workspace")
	processes = append(processes, &process{Process: h.cmd.Process, counts: counts})
	for i := range 8 {
		clients = append(clients, s.overHTTP(h, i%2 == 0))
	}

	begun := time.Now()
	stop := make(chan struct{})
	var working, faults sync.WaitGroup
	for i, c := range clients {
		for j := range 2 {
			working.Go(func() { s.work(c, fmt.Sprintf("%d.%d", i, j), stop) })
		}
	}
	faults.Go(func() { s.misbehave(d, sound, stop) })

	time.Sleep(length / 4)
	for _, p := range processes {
		p.warm = use(t, p.Process, p.counts)
	}
	time.Sleep(length - length/4)
	close(stop)
	faults.Wait()
	working.Wait()
	took := time.Since(begun)

	if s.sent.Load() != s.answered.Load() {
		t.Errorf("%d requests were sent, %d answered", s.sent.Load(), s.answered.Load())
	}
	t.Logf("%d requests in %v (%.0f/s), all answered once; %d more were cancelled", s.sent.Load(), took.Round(time.Millisecond), float64(s.sent.Load())/took.Seconds(), s.cancelled.Load())
	for _, kind := range []string{"local", "exec", "list", "forwarded"} {
		all := s.times[kind]
		slices.Sort(all)
		if n := len(all); n > 0 {
			t.Logf("%-9s %7d  p50 %8v  p99 %8v  max %8v", kind, n, all[n/2], all[n*99/100], all[n-1])
		}
	}
	for i, p := range processes {
		atRest(t, p.Process, p.counts, p.warm, 30) // connections that are kept
		now := use(t, p.Process, p.counts)
		if now.rss > p.warm.rss*3/2+(24<<10) {
			t.Errorf("process %d: %d MiB resident after the first quarter, %d at the end", i, p.warm.rss>>10, now.rss>>10)
		}
		if i == 0 || i == len(processes)-1 {
			t.Logf("process %d: after a quarter %+v, at the end %+v (rss in KiB)", i, p.warm, now)
		}
	}
}

// misbehave gives the door one fault after another, with sound times between, until stop; then it is sound.
func (s *soak) misbehave(d *fakedoor.Server, sound fakedoor.Script, stop <-chan struct{}) {
	all := doorFaults()
	for i := 0; ; i++ {
		select {
		case <-stop:
			_ = d.Start()
			d.Set(func(now *fakedoor.Script) { *now = sound })
			return
		case <-time.After(100 * time.Millisecond):
		}
		switch f := all[rand.IntN(len(all))]; {
		case i%2 == 0:
			d.Set(func(now *fakedoor.Script) { *now = sound })
		case i%31 == 0:
			d.Stop()
			time.Sleep(50 * time.Millisecond)
			if err := d.Start(); err != nil {
				s.t.Error(err)
			}
		default:
			d.Set(func(now *fakedoor.Script) { *now = f.script; now.Results = sound.Results })
		}
	}
}

// work makes requests of every kind, one after the other.
func (s *soak) work(c soakClient, name string, stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		id := fmt.Sprintf(`"%s.%d"`, name, n)
		kind, method, params := "local", "tools/call", `{"name":"fs","arguments":{"action":"stat","path":"."}}`
		switch rand.IntN(10) {
		case 0:
			kind, params = "exec", `{"name":"exec","arguments":{"command":"echo hello"},"_meta":{"progressToken":"p"}}`
		case 1:
			kind, method, params = "list", "tools/list", `{}`
		case 2, 3, 4, 5:
			kind, params = "forwarded", `{"name":"t","arguments":{"n":1},"_meta":{"progressToken":7}}`
		case 6:
			params = `{"name":"fs","arguments":{"action":"read","path":"not-there"}}`
		case 7:
			if rand.IntN(10) == 0 {
				s.cancelled.Add(1)
				c.cancel(id, method, `{"name":"exec","arguments":{"command":"sleep 20"}}`)
				continue
			}
			params = `{"name":"fs","arguments":{"action":"list","path":"."}}`
		}
		s.sent.Add(1)
		begun := time.Now()
		reply := c.ask(id, method, params)
		took := time.Since(begun)
		if !strings.HasPrefix(reply, `{"jsonrpc":"2.0","id":`+id+`,"result":`) {
			s.t.Errorf("%s %s: %.300q", kind, id, reply)
			return
		}
		s.answered.Add(1)
		s.mu.Lock()
		s.times[kind] = append(s.times[kind], took)
		s.mu.Unlock()
	}
}

func (s *soak) overStdio(p *pipes) soakClient {
	var mu sync.Mutex
	waiting := map[string]chan string{}
	ended := make(chan struct{})
	s.t.Cleanup(func() { _ = p.in.Close(); <-ended; _ = p.cmd.Wait() })
	go func() {
		defer close(ended)
		for line := range rawLines(p.out) {
			id, isReply := replyID(s.t, line)
			if !isReply {
				continue
			}
			mu.Lock()
			ch := waiting[id]
			delete(waiting, id)
			mu.Unlock()
			if ch == nil {
				s.t.Errorf("a reply that nobody waits for: %.200s", line)
				continue
			}
			ch <- line
		}
	}()
	send := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := io.WriteString(p.in, text); err != nil {
			s.t.Errorf("writing: %v", err)
		}
	}
	return soakClient{
		ask: func(id, method, params string) string {
			ch := make(chan string, 1)
			mu.Lock()
			waiting[id] = ch
			mu.Unlock()
			send(request(id, method, params))
			select {
			case line := <-ch:
				return line
			case <-ended:
				return "the server has ended"
			case <-time.After(60 * time.Second):
				return "no reply within a minute"
			}
		},
		cancel: func(id, method, params string) { send(request(id, method, params) + cancelOf(id)) },
	}
}

func (s *soak) overHTTP(h *httpServer, stateless bool) soakClient {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	s.t.Cleanup(client.CloseIdleConnections)
	session := ""
	if !stateless {
		session = strings.TrimPrefix(h.session("2025-11-25", "{}"), "Mcp-Session-Id: ")
	}
	post := func(id, method, params string, limit time.Duration) string {
		if stateless {
			more := ""
			if before, meta, ok := strings.Cut(params, `,"_meta":{`); ok {
				params, more = before+"}", strings.TrimSuffix(meta, "}}")
			}
			params = withMeta(params, more, "{}")
		}
		req, err := http.NewRequest(http.MethodPost, h.url, strings.NewReader(request(id, method, params)))
		if err != nil {
			return err.Error()
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + h.token} {
			req.Header.Set(name, value)
		}
		if stateless {
			req.Header.Set("MCP-Protocol-Version", modern)
			req.Header.Set("Mcp-Method", method)
			if name, _, ok := strings.Cut(strings.TrimPrefix(params, `{"name":"`), `"`); ok && method == "tools/call" {
				req.Header.Set("Mcp-Name", name)
			}
		} else {
			req.Header.Set("Mcp-Session-Id", session)
		}
		mine := *client
		mine.Timeout = limit
		resp, err := mine.Do(req)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return err.Error()
		}
		var replies []string
		for line := range strings.Lines(string(body)) {
			if line = strings.TrimPrefix(strings.TrimSpace(line), "data: "); strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`) {
				replies = append(replies, line)
			}
		}
		if len(replies) != 1 {
			return fmt.Sprintf("%s with %d replies: %s", resp.Status, len(replies), body)
		}
		return replies[0]
	}
	return soakClient{
		ask:    func(id, method, params string) string { return post(id, method, params, time.Minute) },
		cancel: func(id, method, params string) { post(id, method, params, 20*time.Millisecond) },
	}
}

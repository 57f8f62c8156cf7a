package fakedoor

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func post(t *testing.T, door *Server, method, params string, header ...string) (*http.Response, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, door.URL(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(header); n += 2 {
		req.Header.Set(header[n], header[n+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp, string(text)
}

func TestZeroValue(t *testing.T) {
	t.Parallel()
	door := Start(t, Script{})
	_, body := post(t, door, "tools/list", "{}")
	var list struct {
		ID     int
		Result struct {
			Tools []json.RawMessage
			Meta  map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	if list.ID != 7 || len(list.Result.Tools) != subsystems+1 || !bytes.Contains(list.Result.Tools[0], []byte(`"name":"describe"`)) || list.Result.Meta["hanzo.ai/refused"] == nil {
		t.Errorf("%.200s", body)
	}
	for _, tool := range list.Result.Tools[1:] {
		if len(tool) < toolBytes-1 || len(tool) > toolBytes+1 || !bytes.Contains(tool, []byte(`"enum"`)) {
			t.Fatalf("%d bytes: %s", len(tool), tool)
		}
	}
	_, body = post(t, door, "tools/call", `{"name":"echo","arguments":{"b":1.0, "a":9007199254740993}}`)
	if !strings.Contains(body, `"structuredContent":{"b":1.0, "a":9007199254740993}`) {
		t.Error(body)
	}
	for name, size := range map[string]int{"fixed_1k": 1 << 10, "fixed_1m": 1 << 20, "fixed_8m": 8 << 20} {
		_, body = post(t, door, "tools/call", `{"name":"`+name+`"}`)
		var call struct {
			Result struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal([]byte(body), &call) != nil || len(call.Result.Content[0].Text) != size {
			t.Errorf("%s: %.100s", name, body)
		}
	}
	if got := door.Requests("tools/call"); len(got) != 4 || got[0].Tool != "echo" || got[0].ID != "7" {
		t.Errorf("%+v", got)
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	garbage := "garbage"
	tests := []struct {
		name   string
		script Script
		status int
		body   string
		header [2]string
	}{
		{"status and body", Script{Status: 502, Body: &garbage}, 502, "garbage", [2]string{}},
		{"id as text", Script{ID: IDString}, 200, `"id":"7"`, [2]string{}},
		{"id as float", Script{ID: IDFloat}, 200, `"id":7.0`, [2]string{}},
		{"no id", Script{ID: IDMissing}, 200, `{"jsonrpc":"2.0","result"`, [2]string{}},
		{"null id", Script{ID: IDNull}, 200, `"id":null`, [2]string{}},
		{"error", Script{Errors: map[string]string{"x": `{"code":1}`}}, 200, `"error":{"code":1}`, [2]string{}},
		{"redirect", Script{Redirects: map[string]string{"/v1/mcp": "/y"}, Status: 307}, 307, "", [2]string{"Location", "/y"}},
		{"401", Script{Token: "t"}, 401, `"error"`, [2]string{"Www-Authenticate", `Bearer resource_metadata="http://`}},
		{"other challenge", Script{Token: "t", Challenge: []string{"Basic"}}, 401, "", [2]string{"Www-Authenticate", "Basic"}},
		{"event stream", Script{Stream: CRLF}, 200, "data: {", [2]string{"Content-Type", "text/event-stream"}},
		{"messages before", Script{Stream: Plain, Before: []string{"{}"}}, 200, "data: {}\n\ndata: {", [2]string{}},
		{"slow body", Script{SlowBody: time.Millisecond}, 200, `"result"`, [2]string{}},
		{"other methods are spared", Script{Methods: []string{"tools/list"}, Status: 500}, 200, `"result"`, [2]string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			door := Start(t, test.script)
			resp, body := post(t, door, "tools/call", `{"name":"x"}`)
			if resp.StatusCode != test.status || !strings.Contains(body, test.body) || test.header[0] != "" && !strings.HasPrefix(resp.Header.Get(test.header[0]), test.header[1]) {
				t.Errorf("got %d %s %v", resp.StatusCode, body, resp.Header)
			}
		})
	}
}

func TestRestartOnTheSamePort(t *testing.T) {
	t.Parallel()
	door := Start(t, Script{})
	url := door.URL()
	for range 3 {
		door.Stop()
		if _, err := http.Get(url); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("got %v", err)
		}
		if err := door.Start(); err != nil {
			t.Fatal(err)
		}
		if resp, _ := post(t, door, "ping", "{}"); resp.StatusCode != 200 || door.URL() != url {
			t.Errorf("got %d at %s", resp.StatusCode, door.URL())
		}
	}
}

func TestEndedRequests(t *testing.T) {
	t.Parallel()
	door := Start(t, Script{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, door.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err == nil {
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		}
	}()
	requests := door.Wait(t.Context(), "ping", 1)
	select {
	case <-requests[0].Ended():
		t.Error("ended before it was canceled")
	default:
	}
	cancel()
	<-requests[0].Ended()
}

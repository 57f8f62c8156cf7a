package door

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// BenchmarkForward is a call through the client beside the same POST made bare.
func BenchmarkForward(b *testing.B) {
	door := &fakedoor.Server{}
	if err := door.Start(); err != nil {
		b.Fatal(err)
	}
	defer door.Close()
	for _, tool := range []string{"fixed_1k", "fixed_1m", "fixed_8m"} {
		m := call(b, "1", tool, `,"arguments":{"a":1}`)
		b.Run(tool+"/client", func(b *testing.B) {
			c := New(Config{URL: door.URL(), Auth: env(door.URL(), map[string]string{"HANZO_API_KEY": "tok_S3CRET"})})
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				if r := c.Call(b.Context(), Caller{}, m); r.Made {
					b.Fatalf("%s", r.Result)
				}
			}
		})
		b.Run(tool+"/bare", func(b *testing.B) {
			client := &http.Client{Transport: NewTransport()}
			defer client.CloseIdleConnections()
			b.ReportAllocs()
			for b.Loop() {
				resp, err := client.Post(door.URL(), "application/json", bytes.NewReader(m.Raw))
				if err != nil {
					b.Fatal(err)
				}
				var answer bytes.Buffer
				answer.Grow(int(resp.ContentLength) + bytes.MinRead)
				if _, err := answer.ReadFrom(resp.Body); err != nil && err != io.EOF {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}

func BenchmarkParseAnswer(b *testing.B) {
	text := append([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`), bytes.Repeat([]byte(`0123456789abcde\n`), 8<<20/16)...)
	text = append(text, `"}]}}`...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, ok := parseAnswer(text); !ok {
			b.Fatal("no answer")
		}
	}
}

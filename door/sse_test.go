package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

type frameVector struct {
	Event *string `json:"event"`
	Data  string  `json:"data"`
	ID    *string `json:"id"`
	Retry *int64  `json:"retry"`
}

type streamVector struct {
	Name   string        `json:"name"`
	Chunks []string      `json:"chunks"`
	Frames []frameVector `json:"frames"`
}

func vectors[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func frames(t testing.TB, limit int, chunks ...[]byte) ([]frameVector, error) {
	t.Helper()
	all := []frameVector{}
	each := func(f Frame) bool {
		all = append(all, frameVector{f.Event, string(f.Data), f.ID, f.Retry})
		return true
	}
	parser := Frames{Max: limit}
	for _, chunk := range chunks {
		if err := parser.Feed(bytes.Clone(chunk), each); err != nil {
			return all, err
		}
	}
	parser.End(each)
	return all, nil
}

func shown(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// The vectors hold whatever the chunks are: as given, whole, and byte by byte.
func TestFrames(t *testing.T) {
	t.Parallel()
	all := vectors[streamVector](t, "sse-frames.json")
	if len(all) < 50 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			whole := []byte(strings.Join(v.Chunks, ""))
			given := [][]byte{}
			for _, chunk := range v.Chunks {
				given = append(given, []byte(chunk))
			}
			for name, chunks := range map[string][][]byte{"given": given, "whole": {whole}, "bytes": bytes.SplitAfter(whole, nil)} {
				got, err := frames(t, 0, chunks...)
				if err != nil || shown(got) != shown(v.Frames) {
					t.Errorf("%s: got %s (%v)\nwant %s", name, shown(got), err, shown(v.Frames))
				}
			}
		})
	}
}

func TestFramesAreBounded(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]string{
		"a line without end": "data: xxxxxxxxxxxxxxxxxxxxxxx", "a comment": ": xxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"many data lines": "data: x\n", "many names": "xxxxxxxxxxxxxxxxxxxxxx",
	} {
		parser := Frames{Max: 1000}
		var err error
		for n := 0; n < 10_000 && err == nil; n++ {
			err = parser.Feed([]byte(chunk), func(Frame) bool { return true })
		}
		if !errors.Is(err, errFrames) || parser.Feed(nil, nil) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Many small events are no large one.
	parser := Frames{Max: 100}
	for range 1000 {
		if err := parser.Feed([]byte("data: hello\n\n"), func(Frame) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFramesStop(t *testing.T) {
	t.Parallel()
	var got int
	var parser Frames
	_ = parser.Feed([]byte("data: a\n\ndata: b\n\n"), func(Frame) bool { got++; return false })
	equal(t, got, 1)
}

// Short lines that end in CR only must not cost a search to the end each.
func BenchmarkFramesCR(b *testing.B) {
	chunk := bytes.Repeat([]byte("\r"), 32<<10)
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		var parser Frames
		_ = parser.Feed(chunk, func(Frame) bool { return true })
	}
}

// FuzzSSE: where chunks are split never changes the events.
func FuzzSSE(f *testing.F) {
	for n, v := range vectors[streamVector](f, "sse-frames.json") {
		f.Add([]byte(strings.Join(v.Chunks, "")), uint16(n*7))
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint16) {
		whole, _ := frames(t, 0, stream)
		var chunks [][]byte
		rest, step := stream, int(seed)
		for len(rest) > 0 {
			step = (step*31 + 7) % 13
			n := min(step, len(rest))
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		got, _ := frames(t, 0, chunks...)
		if fmt.Sprint(shown(got)) != shown(whole) {
			t.Fatalf("got %s\nwant %s", shown(got), shown(whole))
		}
		if plain := reference(string(stream)); shown(plain) != shown(whole) {
			t.Fatalf("got %s\nwant %s", shown(whole), shown(plain))
		}
	})
}

// reference reads a whole stream in the plainest way.
func reference(stream string) []frameVector {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	all := []frameVector{}
	for _, block := range strings.Split(stream+"\n\n", "\n\n") {
		var frame frameVector
		var data []string
		for _, line := range strings.Split(block, "\n") {
			name, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch name {
			case "data":
				data = append(data, value)
			case "event":
				frame.Event = &value
			case "id":
				if !strings.Contains(value, "\x00") {
					frame.ID = &value
				}
			case "retry":
				ms, err := strconv.ParseInt(value, 10, 64)
				if err == nil && strings.Trim(value, "0123456789") == "" {
					frame.Retry = &ms
				}
			}
		}
		if data != nil {
			frame.Data = strings.Join(data, "\n")
			all = append(all, frame)
		}
	}
	return all
}

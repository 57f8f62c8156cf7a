package fs

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func benchCall(b *testing.B, w *world, args string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		out := tools.Invoke(b.Context(), w.tool, w.roots, w.session, args)
		if !out.Envelope.OK {
			b.Fatal(out.Envelope.Error)
		}
	}
}

var line64 = strings.Repeat("0123456789abcdef", 4)[:63] + "\n"

func BenchmarkRead1KiB(b *testing.B) {
	w := newWorld(b)
	w.put("f.txt", strings.Repeat(line64, 16))
	benchCall(b, w, `{"action":"read","path":"f.txt"}`)
}

func BenchmarkRead10MiB(b *testing.B) {
	w := newWorld(b)
	w.put("f.txt", strings.Repeat(line64, 10<<20/64))
	benchCall(b, w, `{"action":"read","path":"f.txt","limit":10000000,"max_chars":16777216}`)
}

func BenchmarkReadFirstLinesOf10MiB(b *testing.B) {
	w := newWorld(b)
	w.put("f.txt", strings.Repeat(line64, 10<<20/64))
	benchCall(b, w, `{"action":"read","path":"f.txt"}`)
}

func BenchmarkWrite1KiB(b *testing.B) {
	w := newWorld(b)
	text := strings.ReplaceAll(strings.Repeat(line64, 16), "\n", `\n`)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		out := tools.Invoke(b.Context(), w.tool, w.roots, w.session, fmt.Sprintf(`{"action":"write","path":"f.txt","overwrite":true,"content":"%d%s"}`, n, text))
		if !out.Envelope.OK {
			b.Fatal(out.Envelope.Error)
		}
	}
}

func BenchmarkList100(b *testing.B) {
	w := newWorld(b)
	for i := range 100 {
		w.put(fmt.Sprintf("dir/file-%03d.txt", i), "x\n")
	}
	benchCall(b, w, `{"action":"list","path":"dir"}`)
}

func BenchmarkEditOneLineOf10MB(b *testing.B) {
	w := newWorld(b)
	half := strings.Repeat(line64, 5_000_000/64)
	w.put("f.txt", half+"here: 0\n"+half)
	n := 0
	for b.Loop() {
		out := tools.Invoke(b.Context(), w.tool, w.roots, w.session, fmt.Sprintf(`{"action":"apply_patch","path":"f.txt","old_text":"here: %d\n","new_text":"here: %d\n"}`, n, n+1))
		if !out.Envelope.OK {
			b.Fatal(out.Envelope.Error)
		}
		n++
	}
}

func BenchmarkCp10MB(b *testing.B) {
	w := newWorld(b)
	w.put("f.txt", strings.Repeat(line64, 10_000_000/64))
	for b.Loop() {
		if err := exec.Command("cp", w.abs("f.txt"), w.abs("g.txt")).Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCp10MBSynced(b *testing.B) {
	w := newWorld(b)
	w.put("f.txt", strings.Repeat(line64, 10_000_000/64))
	for b.Loop() {
		if err := exec.Command("cp", w.abs("f.txt"), w.abs("g.txt")).Run(); err != nil {
			b.Fatal(err)
		}
		f, err := os.Open(w.abs("g.txt"))
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkOpenAndRead1KiB is the floor of BenchmarkRead1KiB.
func BenchmarkOpenAndRead1KiB(b *testing.B) {
	w := newWorld(b)
	w.put("f.txt", strings.Repeat(line64, 16))
	for b.Loop() {
		if _, err := os.ReadFile(w.abs("f.txt")); err != nil {
			b.Fatal(err)
		}
	}
}

package exec

import (
	"context"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// median is the p50 of what was timed, in milliseconds.
func median(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)/2].Microseconds()) / 1000
}

func (r *rig) must(b *testing.B, args string) string {
	out := tools.Invoke(context.Background(), r.tool, r.roots, nil, args)
	if !out.Envelope.OK {
		b.Fatal(out.Envelope.Error)
	}
	return out.Text
}

// turns does plain and own in turns, since other load moves both, and reports the ratio of the medians.
func turns(b *testing.B, plain, own func()) {
	own()
	var took [2][]time.Duration
	for b.Loop() {
		for i, do := range []func(){plain, own} {
			start := time.Now()
			do()
			took[i] = append(took[i], time.Since(start))
		}
	}
	base, mine := median(took[0]), median(took[1])
	b.ReportMetric(mine, "p50-ms")
	b.ReportMetric(mine/base, "times-plain")
}

// BenchmarkEcho compares a small command with a plain os/exec of sh -c: in turns, since other load moves both, one
// at a time and 16 in flight. The ratios are those of the medians, and of the rates.
func BenchmarkEcho(b *testing.B) {
	plain := func(b *testing.B) {
		if out, err := osexec.Command("sh", "-c", "echo hello").Output(); err != nil || string(out) != "hello\n" {
			b.Fatal(err)
		}
	}
	confined, open, sh := newRig(b, rigConfig{}), newRig(b, rigConfig{mode: launch.Off}), newRig(b, rigConfig{shell: "sh"})
	landlock := newRig(b, rigConfig{mechanism: launch.Landlock})
	for _, way := range []struct {
		name string
		do   func(*testing.B)
	}{
		{"confined", func(b *testing.B) { confined.must(b, `{"command":"echo hello"}`) }},
		{"through-bash", func(b *testing.B) { confined.must(b, `{"command":"echo hello;"}`) }},
		{"through-sh", func(b *testing.B) { sh.must(b, `{"command":"echo hello"}`) }},
		{"landlock", func(b *testing.B) { landlock.must(b, `{"command":"echo hello"}`) }},
		{"unconfined", func(b *testing.B) { open.must(b, `{"command":"echo hello"}`) }},
	} {
		b.Run(way.name+"/one", func(b *testing.B) {
			turns(b, func() { plain(b) }, func() { way.do(b) })
		})
		b.Run(way.name+"/16", func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for i, do := range []func(*testing.B){plain, way.do} {
					start := time.Now()
					var wg sync.WaitGroup
					for range 16 {
						wg.Go(func() {
							for range 8 {
								do(b)
							}
						})
					}
					wg.Wait()
					took[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(128*b.N)/took[1].Seconds(), "calls/s")
			b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "times-plain-rate")
		})
	}
}

// BenchmarkOutput10MiB compares 10 MiB of output, given whole, with a plain pipe and the same JSON encoding.
func BenchmarkOutput10MiB(b *testing.B) {
	r := newRig(b, rigConfig{})
	file := filepath.Join(r.dir, "big")
	line := []byte("0123456789 abcdefghij klmnopqrst uvwxyz \"quoted\" ABCDEFGHIJ\n")
	big := make([]byte, 0, 10<<20)
	for len(big)+len(line) <= 10<<20 {
		big = append(big, line...)
	}
	if err := os.WriteFile(file, big, 0o644); err != nil {
		b.Fatal(err)
	}
	turns(b, func() {
		out, err := osexec.Command("sh", "-c", "cat "+file).Output()
		if err != nil || len(tools.AppendString(nil, string(out))) < len(big) {
			b.Fatal(err)
		}
	}, func() {
		out := tools.Invoke(context.Background(), r.tool, r.roots, nil, `{"command":"cat big","max_chars":12000000}`)
		if len(out.Text) != len(big) || len(out.AppendResult(nil, []string{secret})) < len(big) {
			b.Fatal(len(out.Text))
		}
	})
}

// BenchmarkFlood compares 1 GiB of output with cat to /dev/null.
func BenchmarkFlood(b *testing.B) {
	r := newRig(b, rigConfig{})
	const line = "head -c 1073741824 /dev/zero"
	turns(b, func() {
		if err := osexec.Command("sh", "-c", line+" | cat >/dev/null").Run(); err != nil {
			b.Fatal(err)
		}
	}, func() { r.must(b, `{"command":"`+line+`"}`) })
}

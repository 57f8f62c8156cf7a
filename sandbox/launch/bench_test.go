package launch

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkStart compares a shell that ends at once: started by os/exec, and
// through the launcher by each mechanism; one at a time and 16 in flight.
func BenchmarkStart(b *testing.B) {
	env := []string{"PATH=/usr/bin:/bin"}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	plain := func(b *testing.B) {
		cmd := exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "true"}, Dir: "/", Env: env}
		if err := cmd.Run(); err != nil {
			b.Error(err)
		}
	}
	run := func(b *testing.B, once func(b *testing.B)) {
		b.Run("one", func(b *testing.B) {
			for b.Loop() {
				once(b)
			}
		})
		b.Run("16", func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					once(b)
				}
			})
		})
	}
	b.Run("plain", func(b *testing.B) { run(b, plain) })
	for _, m := range []Mechanism{Namespaces, Landlock, None} {
		b.Run(string(m), func(b *testing.B) {
			l := New(Config{Writable: []string{b.TempDir()}, Mechanism: m})
			defer l.Close()
			run(b, func(b *testing.B) {
				p, err := l.Start(context.Background(), Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "true"}, Dir: "/", Env: env})
				if err != nil {
					b.Error(err)
					return
				}
				if s := p.Wait(); !s.Success() {
					b.Error(s)
				}
			})
		})
	}
}

// BenchmarkStartRatio alternates the two, for a busy machine: it reports the
// medians and their ratio.
func BenchmarkStartRatio(b *testing.B) {
	for _, m := range []Mechanism{Namespaces, Landlock, None} {
		b.Run(string(m), func(b *testing.B) {
			l := New(Config{Writable: []string{b.TempDir()}, Mechanism: m})
			defer l.Close()
			var plain, through []time.Duration
			for b.Loop() {
				begin := time.Now()
				cmd := exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "true"}, Dir: "/", Env: []string{}}
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				p, err := l.Start(b.Context(), Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "true"}, Dir: "/"})
				if err != nil {
					b.Fatal(err)
				}
				p.Wait()
				plain, through = append(plain, middle.Sub(begin)), append(through, time.Since(middle))
			}
			slices.Sort(plain)
			slices.Sort(through)
			p, t := plain[len(plain)/2], through[len(through)/2]
			b.ReportMetric(float64(p.Microseconds()), "plain-p50-µs")
			b.ReportMetric(float64(t.Microseconds()), "launcher-p50-µs")
			b.ReportMetric(float64(t)/float64(p), "ratio")
		})
	}
}

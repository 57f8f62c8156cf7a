package door

import (
	"testing"
	"time"
)

// Jitter is drawn from 0 to the ceiling of the vectors (HIP-0301 §18).
func TestBackoff(t *testing.T) {
	t.Parallel()
	type vector struct {
		Name     string  `json:"name"`
		Base     int64   `json:"base_ms"`
		Max      int64   `json:"max_ms"`
		Ceilings []int64 `json:"ceilings_ms"`
	}
	all := vectors[vector](t, "backoff-timing.json")
	if len(all) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			const ms = time.Millisecond
			for _, jitter := range []float64{0, 0.25, 0.5, 0.9999} {
				b := Backoff{Base: time.Duration(v.Base) * ms, Max: time.Duration(v.Max) * ms, Rand: func() float64 { return jitter }}
				for round := range 2 {
					for n, ceiling := range v.Ceilings {
						want := time.Duration(jitter * float64(time.Duration(ceiling)*ms))
						if got := b.Next(); got != want {
							t.Fatalf("round %d, try %d, jitter %v: got %v, want %v", round, n, jitter, got, want)
						}
					}
					b.Reset()
				}
			}
			real := Backoff{Base: time.Duration(v.Base) * ms, Max: time.Duration(v.Max) * ms}
			for n, ceiling := range v.Ceilings {
				if got := real.Next(); got < 0 || got > time.Duration(ceiling)*ms {
					t.Errorf("try %d: %v", n, got)
				}
			}
		})
	}
}

func TestBackoffManyTries(t *testing.T) {
	t.Parallel()
	b := Backoff{Base: time.Second, Max: 1<<63 - 1, Rand: func() float64 { return 0.5 }}
	for range 100_000 {
		if b.Next() <= 0 {
			t.Fatal("overflow")
		}
	}
}

package door

import (
	"math/rand/v2"
	"time"
)

// Backoff gives delays between tries: full jitter, that is anything from 0 up
// to base·2ⁿ, at most max (HIP-0301 §16). The zero value gives no delay. It is not
// for use by several goroutines.
type Backoff struct {
	Base, Max time.Duration
	Rand      func() float64 // in [0, 1); nil: math/rand/v2

	tries int
}

// Next is the delay before the next try.
func (b *Backoff) Next() time.Duration {
	random := b.Rand
	if random == nil {
		random = rand.Float64
	}
	ceiling := b.ceiling()
	b.tries++
	return time.Duration(random() * float64(ceiling))
}

// Reset starts again at Base.
func (b *Backoff) Reset() { b.tries = 0 }

// ceiling saturates: it stops doubling before that could overflow.
func (b *Backoff) ceiling() time.Duration {
	d := max(0, min(b.Base, b.Max))
	for n := 0; n < b.tries && d > 0; n++ {
		if d > b.Max/2 {
			return b.Max
		}
		d *= 2
	}
	return d
}

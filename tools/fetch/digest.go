package fetch

import (
	"crypto/sha256"
	"hash"
	"sync"
)

// digest is a sha256 that is computed beside the one who writes to it, so that a download is not held up. It keeps a
// few blocks at most. The zero value is ready; after sum or reset nothing of it runs.
type digest struct {
	h      hash.Hash
	blocks chan *block
	done   chan struct{}
}

type block struct {
	n int
	b [64 << 10]byte
}

var blockPool = sync.Pool{New: func() any { return new(block) }}

// Write never fails.
func (d *digest) Write(p []byte) (int, error) {
	if d.h == nil {
		d.h = sha256.New()
	}
	if d.blocks == nil {
		d.blocks, d.done = make(chan *block, 8), make(chan struct{})
		go func() {
			defer close(d.done)
			for one := range d.blocks {
				d.h.Write(one.b[:one.n])
				blockPool.Put(one)
			}
		}()
	}
	for rest := p; len(rest) > 0; {
		one := blockPool.Get().(*block)
		one.n = copy(one.b[:], rest)
		rest = rest[one.n:]
		d.blocks <- one
	}
	return len(p), nil
}

// settle waits until all that was written is counted.
func (d *digest) settle() {
	if d.blocks != nil {
		close(d.blocks)
		<-d.done
		d.blocks = nil
	}
}

// sum is the digest of what was written so far; more can be written afterwards.
func (d *digest) sum() []byte {
	d.settle()
	if d.h == nil {
		d.h = sha256.New()
	}
	return d.h.Sum(nil)
}

// reset forgets what was written.
func (d *digest) reset() {
	d.settle()
	d.h = nil
}

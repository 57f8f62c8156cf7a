package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/sync/semaphore"
)

// bodies bounds the memory of the requests under way. The first bytes of each count against one budget, the rest of the
// large ones against another, as it comes and not as it is announced: a large request, or one that never comes, keeps
// no small one from being read.
type bodies struct{ first, rest *semaphore.Weighted }

func newBodies(first, rest int64) *bodies {
	return &bodies{semaphore.NewWeighted(first), semaphore.NewWeighted(rest)}
}

// Of a body firstBytes count against the first budget; more is taken in steps.
const (
	firstBytes = 64 << 10
	bodyStep   = 1 << 20
)

var errNoRoom = errors.New("too many requests are under way")

// read gives a body and what gives its room back, which is called in any case. It is errNoRoom when there was none
// within roomTime.
func (b *bodies) read(ctx context.Context, body io.Reader) (data []byte, free func(), err error) {
	var first, rest int64
	free = func() { b.first.Release(first); b.rest.Release(rest) }
	var buf bytes.Buffer
	step := func(of *semaphore.Weighted, held *int64, n, cost int64) error {
		if err := acquire(ctx, of, n+cost); err != nil {
			return err
		}
		*held += n + cost
		got, err := io.CopyN(&buf, body, n)
		*held -= n - got
		of.Release(n - got)
		return err
	}
	err = step(b.first, &first, firstBytes, requestCost)
	for err == nil {
		err = step(b.rest, &rest, bodyStep, 0)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf.Bytes(), free, err
}

func acquire(ctx context.Context, of *semaphore.Weighted, n int64) error {
	if of.TryAcquire(n) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, roomTime, errNoRoom)
	defer cancel()
	if of.Acquire(ctx, n) != nil {
		return context.Cause(ctx)
	}
	return nil
}

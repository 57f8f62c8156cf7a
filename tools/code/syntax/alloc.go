//go:build cgo

package syntax

// The Go binding has every allocation of the parser come back into Go, which then calls malloc: three crossings for
// each node, up to half the time of a parse. These are the parser's own functions, which end in the same malloc.

// #include <stddef.h>
// void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
import "C"

// The binding's own init, which sets its callbacks, has run by now: this package imports it.
func init() { C.ts_set_allocator(nil, nil, nil, nil) }

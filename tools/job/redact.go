package job

import (
	"bytes"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// minSecret is the shortest secret that is replaced; shorter ones would hit ordinary text.
const minSecret = 8

// redactor replaces secrets in a stream, also where a secret comes in pieces: what may be the start of one is
// held back until more arrives.
type redactor struct {
	secrets func() []string
	held    []byte // the end of the stream, when it may be the start of a secret
	out     int    // how many bytes of held were given out all the same (see release)
}

// pass hands the stream on, piece by piece, to emit. The pieces may be part of chunk. With last, nothing is held
// back any more.
func (r *redactor) pass(chunk []byte, last bool, emit func([]byte)) {
	var secrets []string
	if r.secrets != nil {
		secrets = r.secrets()
	}
	if len(secrets) == 0 && len(r.held) == 0 {
		if len(chunk) > 0 {
			emit(chunk)
		}
		return
	}
	buf, out := chunk, r.out
	if len(r.held) > 0 {
		buf = append(r.held, chunk...)
	}
	pos := 0
	for {
		at, size := firstOf(buf[pos:], secrets)
		if size == 0 {
			break
		}
		if at += pos; !last && startOf(buf[at:], secrets) == len(buf)-at {
			break // a longer one may be coming
		}
		if from := max(pos, out); from < at {
			emit(buf[from:at])
		}
		emit(mark(buf[at : at+size]))
		pos = at + size
	}
	keep := len(buf)
	if !last {
		keep -= startOf(buf[pos:], secrets)
	}
	if from := max(pos, out); from < keep {
		emit(buf[from:keep])
	}
	r.out = max(0, max(out, pos)-keep)
	r.held = append([]byte(nil), buf[keep:]...)
}

// release gives out what is held back, so that a prompt does not wait for its successor, unless it is most of a
// secret.
func (r *redactor) release(emit func([]byte)) {
	if r.out < len(r.held) && len(r.held) < minSecret {
		emit(r.held[r.out:])
		r.out = len(r.held)
	}
}

// firstOf finds the secret that starts first in b; its size is 0 when there is none.
func firstOf(b []byte, secrets []string) (at, size int) {
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		part := b
		if size > 0 {
			part = b[:min(len(b), at+len(s))]
		}
		if i := bytes.Index(part, []byte(s)); i >= 0 && (size == 0 || i < at || i == at && len(s) > size) {
			at, size = i, len(s)
		}
	}
	return at, size
}

// startOf is the length of the longest end of b that is the start, not the whole, of a secret.
func startOf(b []byte, secrets []string) int {
	longest := 0
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		for n := min(len(b), len(s)-1); n > longest; n-- {
			if b[len(b)-n] == s[0] && string(b[len(b)-n:]) == s[:n] {
				longest = n
			}
		}
	}
	return longest
}

// mark is what stands for a secret.
func mark(secret []byte) []byte {
	return []byte(tools.Redact(string(secret), []string{string(secret)}))
}

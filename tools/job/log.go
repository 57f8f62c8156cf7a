package job

import (
	"os"
	"slices"
	"strings"
	"sync"
)

// Log is what a job has put out: all of it while it is small, then its end in memory and its first part in a
// file. Offsets count the bytes as they are kept, secrets replaced. Its methods may be called from any goroutine.
type Log struct {
	create func() (*os.File, error) // makes the file when memory is not enough
	memory int                      // bytes kept in memory while that is all
	usual  int                      // the same, less what a call asked for itself
	limit  int64                    // bytes kept in the file

	mu      sync.Mutex
	redact  redactor
	mem     []byte // everything, while it fits; the first half of memory when there is no file
	ring    []byte // the last bytes, once it does not fit; nil before
	at      int    // where the next byte goes in ring
	total   int64  // bytes kept track of, whether still there or not
	raw     int64  // bytes that came
	file    *os.File
	path    string
	filed   int64 // bytes in the file
	fileErr error
	shown   int64 // what a reader has seen, see Shown
	sought  int64 // where the search for a pattern begins, see Sought
	closed  bool
	changed chan struct{} // closed at the next change; nil when nobody waits
}

// Write adds output. What cannot be kept is counted and dropped; the only error is os.ErrClosed, once the job
// has ended.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, os.ErrClosed
	}
	l.raw += int64(len(p))
	l.redact.pass(p, false, l.add)
	l.wake()
	return len(p), nil
}

// WriteString is Write of text.
func (l *Log) WriteString(s string) (int, error) { return l.Write([]byte(s)) }

func (l *Log) wake() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

func (l *Log) add(p []byte) {
	if l.ring == nil {
		if need := len(l.mem) + len(p); need <= l.memory {
			if need > cap(l.mem) && l.mem != nil {
				l.mem = slices.Grow(l.mem, min(max(need, 2*cap(l.mem)), l.memory)-len(l.mem))
			}
			l.mem = append(l.mem, p...)
			l.total += int64(len(p))
			return
		}
		l.spill()
	}
	l.append(p)
}

// spill moves from memory alone to a file and the ring.
func (l *Log) spill() {
	all := l.mem
	l.open()
	l.ring = make([]byte, min(l.memory, l.usual)/2)
	l.total, l.mem = 0, nil
	l.append(all) // more than the ring takes, or about to be
}

func (l *Log) open() {
	if l.file != nil || l.fileErr != nil {
		return
	}
	if l.file, l.fileErr = l.create(); l.file != nil {
		l.path = l.file.Name()
	}
}

// append adds p to the file, as far as it may grow, and to the ring.
func (l *Log) append(p []byte) {
	if l.file == nil && int64(len(l.mem)) == l.total { // no file could be made: keep the head here
		l.mem = append(l.mem, p[:min(len(p), len(l.ring)-len(l.mem))]...)
	}
	if room := l.limit - l.filed; l.file != nil && l.fileErr == nil && room > 0 {
		n, err := l.file.Write(p[:min(int64(len(p)), room)])
		l.filed += int64(n)
		l.fileErr = err
	}
	l.total += int64(len(p))
	if len(p) > len(l.ring) {
		p = p[len(p)-len(l.ring):]
	}
	n := copy(l.ring[l.at:], p)
	copy(l.ring, p[n:])
	l.at = (l.at + len(p)) % len(l.ring)
}

// Len is how much was put out so far, in kept bytes.
func (l *Log) Len() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.redact.release(l.add)
	return l.total
}

// Bytes is how many bytes the job has put out, before secrets were replaced.
func (l *Log) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.raw
}

// File is the path of the file that has the output, or its first part; "" while memory is enough.
func (l *Log) File() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// Shown gives what a reader had seen when it last called Show: the end of the output then.
func (l *Log) Shown() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown
}

// Show remembers that the output up to the offset to has been seen.
func (l *Log) Show(to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = max(l.shown, to)
	l.sought = l.shown
}

// Glimpse is Show for the reply to the start of a job: what stands in it is seen, but nobody could have waited for
// it yet.
func (l *Log) Glimpse(to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = max(l.shown, to)
}

// Sought gives where to look from when a pattern is waited for: the end of what was shown, less what Glimpse was
// told alone.
func (l *Log) Sought() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sought
}

// Gap gives the part of the output that is no longer there, from the end of the first part to the start of the last
// one; both are 0 when there is none.
func (l *Log) Gap() (from, to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ring == nil {
		return 0, 0
	}
	from, to = max(l.filed, int64(len(l.mem))), l.total-int64(len(l.ring))
	if from >= to {
		return 0, 0
	}
	return from, to
}

// Changed gives a channel that is closed when the log is longer than length, or finished.
func (l *Log) Changed(length int64) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total > length || l.closed {
		return alreadyClosed
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

var alreadyClosed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Slice gives the output from one offset up to another. Of what is no longer there nothing is given; dropped
// says how many bytes that were.
func (l *Log) Slice(from, to int64) (out []byte, dropped int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to = max(0, from), min(to, l.total)
	if from >= to {
		return nil, 0
	}
	out = make([]byte, 0, to-from)
	dropped = l.each(from, to, func(p []byte) { out = append(out, p...) })
	return out, dropped
}

// Text is Slice as a string, for long ones.
func (l *Log) Text(from, to int64) (out string, dropped int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to = max(0, from), min(to, l.total)
	if from >= to {
		return "", 0
	}
	var b strings.Builder
	b.Grow(int(to - from))
	dropped = l.each(from, to, func(p []byte) { b.Write(p) })
	return b.String(), dropped
}

// each gives the output in pieces, as it lies there.
func (l *Log) each(from, to int64, emit func([]byte)) (dropped int64) {
	var f *os.File
	var buf *[readSize]byte
	defer func() {
		if buf != nil {
			buffers.Put(buf)
		}
		if f != nil && f != l.file {
			f.Close()
		}
	}()
	ring := l.total - int64(len(l.ring)) // where the ring begins; it is full from the start on
	for pos := from; pos < to; {
		var part []byte
		switch {
		case pos < int64(len(l.mem)):
			part = l.mem[pos:]
		case l.ring != nil && pos >= ring:
			if part = l.ring[(l.at+int(pos-ring))%len(l.ring):]; pos-ring >= int64(len(l.ring)-l.at) {
				part = part[:l.at-(l.at+int(pos-ring))%len(l.ring)]
			}
		case pos < l.filed:
			if f = l.reader(f); f != nil {
				if buf == nil {
					buf = buffers.Get().(*[readSize]byte)
				}
				n, _ := f.ReadAt(buf[:min(readSize, l.filed-pos)], pos)
				part = buf[:n]
			}
		}
		if len(part) == 0 { // a gap: go on where the ring begins
			next := min(to, max(pos+1, ring))
			dropped += next - pos
			pos = next
			continue
		}
		part = part[:min(int64(len(part)), to-pos)]
		emit(part)
		pos += int64(len(part))
	}
	return dropped
}

// reader is what to read the file with: the descriptor that writes it or, later, a new one; nil when there is none.
func (l *Log) reader(open *os.File) *os.File {
	switch {
	case open != nil:
		return open
	case l.file != nil:
		return l.file
	}
	f, err := os.OpenFile(l.path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil
	}
	return f
}

// finish is called when no more output can come.
func (l *Log) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.redact.pass(nil, true, l.add)
	l.closed = true
	if l.ring == nil && cap(l.mem) > len(l.mem)+len(l.mem)/4 {
		l.mem = slices.Clone(l.mem)
	}
	l.shut()
	l.wake()
}

// shut closes the file and gives the ring's memory back when the file has everything.
func (l *Log) shut() {
	if l.file == nil {
		return
	}
	if err := l.file.Close(); l.fileErr == nil {
		l.fileErr = err
	}
	l.file = nil
	if l.filed == l.total {
		l.ring, l.mem = nil, nil
	}
}

// shrink gives up the memory that a call asked for: it waits no longer.
func (l *Log) shrink() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.memory = l.usual
}

// inMemory is how much memory the log takes.
func (l *Log) inMemory() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cap(l.mem) + len(l.ring)
}

// unload moves a finished log from memory to its file.
func (l *Log) unload() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed || l.ring != nil || len(l.mem) == 0 {
		return
	}
	if l.open(); l.file == nil {
		return
	}
	n, err := l.file.Write(l.mem)
	l.filed, l.fileErr = int64(n), err
	l.shut()
}

// remove deletes the file; none is made any more.
func (l *Log) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fileErr = os.ErrClosed
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	if l.path != "" {
		os.Remove(l.path)
	}
}

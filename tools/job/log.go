package job

import (
	"os"
	"sync"
)

// Log is what a job has put out: all of it while it is small, then its end in memory and its first part in a
// file. Offsets count the bytes as they are kept, secrets replaced. Its methods may be called from any goroutine.
type Log struct {
	create func() (*os.File, error) // makes the file when memory is not enough
	memory int                      // bytes kept in memory
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
		if len(l.mem)+len(p) <= l.memory {
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
	l.ring = make([]byte, l.memory/2)
	l.total, l.mem = 0, nil
	l.append(all)
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
		l.mem = append(l.mem, p[:min(len(p), l.memory/2-len(l.mem))]...)
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
	for pos := from; pos < to; {
		part := l.piece(pos, to, out[len(out):cap(out)])
		if len(part) == 0 { // a gap: go on where the ring begins
			next := min(to, max(pos+1, l.total-int64(len(l.ring))))
			dropped += next - pos
			pos = next
			continue
		}
		out = out[:len(out)+len(part)]
		pos += int64(len(part))
	}
	return out, dropped
}

// piece copies into room what one source has from pos on, and gives the filled part of room.
func (l *Log) piece(pos, to int64, room []byte) []byte {
	room = room[:min(int64(len(room)), to-pos)]
	if pos < int64(len(l.mem)) {
		return room[:copy(room, l.mem[pos:])]
	}
	if start := l.total - int64(len(l.ring)); l.ring != nil && pos >= start { // the ring is full from the start on
		n := copy(room, l.ring[(l.at+int(pos-start))%len(l.ring):])
		return room[:n+copy(room[n:], l.ring)]
	}
	if pos < l.filed {
		n := l.fromFile(room[:min(int64(len(room)), l.filed-pos)], pos)
		return room[:n]
	}
	return nil
}

// fromFile reads the file, through the descriptor that wrote it or, later, by a new one.
func (l *Log) fromFile(p []byte, pos int64) int {
	f := l.file
	if f == nil {
		var err error
		if f, err = os.OpenFile(l.path, os.O_RDONLY|noFollow, 0); err != nil {
			return 0
		}
		defer f.Close()
	}
	n, _ := f.ReadAt(p, pos)
	return n
}

// finish is called when no more output can come.
func (l *Log) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.redact.pass(nil, true, l.add)
	l.closed = true
	if l.ring == nil {
		l.mem = append(make([]byte, 0, len(l.mem)), l.mem...)
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

// inMemory is how much memory the log takes.
func (l *Log) inMemory() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.mem) + len(l.ring)
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

// remove deletes the file.
func (l *Log) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	if l.path != "" {
		os.Remove(l.path)
	}
}

package door

import (
	"bytes"
	"errors"
	"strconv"
)

// Frame is one server-sent event (HIP-0301 §3). A field that the event did not
// have is nil.
type Frame struct {
	Event *string
	Data  []byte
	ID    *string
	Retry *int64 // milliseconds
}

// errFrames ends a stream whose frames are larger than the limit.
var errFrames = errors.New("an event is too large")

// Frames takes an event stream in chunks, split anywhere, and gives its events
// (WHATWG HTML §9.2). An event without a data field is none. The zero value is
// ready and has no limit.
type Frames struct {
	Max int // bytes of one event; 0: no limit

	line    []byte // begun, without its end
	started bool   // the byte order mark is behind
	cr      bool   // a line feed that comes next belongs to the line end before it
	frame   Frame
	data    bool // frame has a data field
	err     error
}

// Feed takes the next chunk and calls each with every event that it completes,
// until that returns false: then the rest of the chunk is lost. The frame's Data
// belongs to the callee. An error (too large) is final.
func (f *Frames) Feed(chunk []byte, each func(Frame) bool) error {
	if f.err != nil {
		return f.err
	}
	// The next line feed and carriage return are looked for once, not for each line.
	lf, cr := -2, -2
	for at := 0; at < len(chunk); {
		if f.cr {
			f.cr = false
			if chunk[at] == '\n' {
				at++
				continue
			}
		}
		lf, cr = next(chunk, '\n', at, lf), next(chunk, '\r', at, cr)
		end := min(lf, cr)
		if f.Max > 0 && len(f.line)+end-at+len(f.frame.Data) > f.Max {
			f.err = errFrames
			return f.err
		}
		f.line = append(f.line, chunk[at:end]...)
		if end == len(chunk) {
			return nil
		}
		f.cr = chunk[end] == '\r'
		at = end + 1
		if !f.endLine(each) {
			return nil
		}
	}
	return nil
}

// next is the place of the first c at or after at, len(b) if there is none;
// known is what next gave before, -2 at first.
func next(b []byte, c byte, at, known int) int {
	if known >= at {
		return known
	}
	if i := bytes.IndexByte(b[at:], c); i >= 0 {
		return at + i
	}
	return len(b)
}

// End tells that the stream has ended: an event without its blank line counts.
func (f *Frames) End(each func(Frame) bool) {
	if f.err == nil && (len(f.line) == 0 || f.endLine(each)) {
		f.dispatch(each)
	}
}

func (f *Frames) endLine(each func(Frame) bool) bool {
	line := f.line
	if !f.started {
		f.started = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		f.line = f.line[:0]
		return f.dispatch(each)
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if !f.data && len(value) > 512 {
			// A large first line becomes the data as it is.
			f.frame.Data, f.data, f.line = value, true, nil
			return true
		}
		if f.data {
			f.frame.Data = append(f.frame.Data, '\n')
		}
		f.frame.Data, f.data = append(f.frame.Data, value...), true
	case "event":
		text := string(value)
		f.frame.Event = &text
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			text := string(value)
			f.frame.ID = &text
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 63); err == nil {
			n := int64(ms)
			f.frame.Retry = &n
		}
	}
	f.line = f.line[:0]
	return true
}

func (f *Frames) dispatch(each func(Frame) bool) bool {
	frame, complete := f.frame, f.data
	f.frame, f.data = Frame{}, false
	return !complete || each(frame)
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/door"
)

// maxMessage is the longest message taken from a client, in bytes (HANZO_MCP_MAX_MESSAGE_BYTES).
const maxMessage = 64 << 20

// minMessage is the least that the limit can be set to.
const minMessage = 1024

// messageLimit reads the environment's limit, 0 for the default.
func messageLimit(getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv("HANZO_MCP_MAX_MESSAGE_BYTES")); err == nil && n >= minMessage {
		return n
	}
	return 0
}

// headOfLong is how much is kept of a line over the limit, to find the id that the reply needs.
const headOfLong = 4 << 10

var errLongLine = errors.New("line over the limit")

// lineReader cuts a stream into lines of at most max bytes. It holds no more than one line in memory; what is
// longer is skipped as it comes.
type lineReader struct {
	r     *bufio.Reader
	max   int
	begun bool
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next gives the next line that is not blank, without its line end, a carriage return, or a byte order mark at
// the start of the stream. The slice is the caller's. errLongLine says that a line was skipped, whose beginning is given;
// the stream goes on.
// A last line without a line end counts.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if err == errLongLine {
			return line, err
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		if !l.begun {
			l.begun = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		line = bytes.Trim(line, " \t\r\n")
		if len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.max+2 {
			l.begun = true
			head := append(line[:min(len(line), headOfLong):min(len(line), headOfLong)], part[:min(len(part), max(headOfLong-len(line), 0))]...)
			for err == bufio.ErrBufferFull {
				_, err = l.r.ReadSlice('\n')
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			return head, errLongLine
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// lineWriter writes messages, each as one line in one write, never two at once. After the first failure every
// write fails and failed is closed: the other end is gone.
type lineWriter struct {
	mu     sync.Mutex
	w      io.Writer
	err    error
	failed chan struct{}
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: w, failed: make(chan struct{})}
}

// write sends one message; the slice belongs to the writer.
func (l *lineWriter) write(message []byte) error {
	message = append(message, '\n')
	return l.locked(func() error {
		_, err := l.w.Write(message)
		return err
	})
}

// reply sends the reply to the request with this raw id.
func (l *lineWriter) reply(id []byte, r *door.Reply) error {
	return l.locked(func() error { return r.WriteLine(l.w, id) })
}

func (l *lineWriter) locked(send func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if l.err = send(); l.err != nil {
		close(l.failed)
	}
	return l.err
}

// stuck reports whether a message is being written at this moment: asked when it has had its time, that nobody reads it.
func (l *lineWriter) stuck() bool {
	if !l.mu.TryLock() {
		return true
	}
	l.mu.Unlock()
	return false
}

func tooLong(max int) string {
	return fmt.Sprintf("the message is longer than %d bytes and was skipped; send less at once (HANZO_MCP_MAX_MESSAGE_BYTES)", max)
}

// misframed tells a client why a line of its is no message, when that can be seen: other servers take messages in other
// frames. "" for a line that is JSON.
func misframed(line []byte) string {
	switch head := bytes.ToLower(line[:min(len(line), 64)]); {
	case bytes.HasPrefix(head, []byte("content-length:")), bytes.HasPrefix(head, []byte("content-type:")):
		return "send each message as one line of JSON, without headers such as Content-Length"
	case bytes.IndexByte(line, 0) >= 0:
		return "it looks like UTF-16: send UTF-8"
	case !utf8.Valid(line):
		return "it is not UTF-8"
	case json.Valid(line):
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	var message json.RawMessage
	if err := dec.Decode(&message); err == nil && (message[0] == '{' || message[0] == '[') {
		return "more stands behind the first value: end each message with a line feed"
	} else if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too soon: send each message as one line, without line feeds inside"
	}
	return "send each message as one line of JSON"
}

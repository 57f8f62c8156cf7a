package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/door"
)

// printer is standard output of the commands that print for people and scripts. It remembers the first write that
// failed, and what goes to a terminal it makes visible: the words of a tool must not steer the screen of the reader.
type printer struct {
	w        io.Writer
	terminal bool
	err      error
}

func newPrinter(w io.Writer) *printer {
	f, _ := w.(io.Reader)
	return &printer{w: w, terminal: isTerminal(f)}
}

func (p *printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	text := b
	if p.terminal {
		text = []byte(visible(string(b)))
	}
	if _, p.err = p.w.Write(text); p.err != nil {
		return 0, p.err
	}
	return len(b), nil
}

// fault is why not all was written, nil when it was.
func (p *printer) fault() error {
	var path *fs.PathError
	if errors.As(p.err, &path) {
		return fmt.Errorf("writing the output: %w", path.Err)
	}
	if p.err != nil {
		return fmt.Errorf("writing the output: %w", p.err)
	}
	return nil
}

// isHangup reports whether the reader of a pipe went away, as head does when it has enough.
func isHangup(err error) bool { return errors.Is(err, syscall.EPIPE) }

// visible spells out what a terminal would obey instead of showing it: control characters but tabs and line ends, and
// those that turn the direction of a line.
func visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"), r == '\n', r == '\t':
			b.WriteRune(r)
		case r < ' ', r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r >= 0x80 && r < 0xa0, r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// printResult prints a result for people, all of its content that is text, or raw. A result with isError fails.
func (p *program) printResult(tool string, r door.Reply, raw bool) error {
	if r.Error != nil && raw {
		printLine(p.out, `{"error":`+string(r.Error)+"}")
		return &resultError{tool}
	}
	if r.Error != nil {
		return fmt.Errorf("%s: %s", tool, visible(string(r.Error)))
	}
	var content []json.RawMessage
	_ = json.Unmarshal(member(r.Result, "content"), &content)
	if raw || len(content) == 0 {
		printLine(p.out, string(r.Result))
	} else {
		p.printContent(content, member(r.Result, "structuredContent"))
	}
	if string(member(r.Result, "isError")) == "true" {
		return &resultError{tool}
	}
	return nil
}

// printContent prints the blocks, and behind them the structured content when none of them says the same.
func (p *program) printContent(content []json.RawMessage, structured []byte) {
	for _, c := range content {
		text := blockText(c)
		if sameJSON([]byte(text), structured) {
			structured = nil
		}
		printLine(p.out, text)
	}
	if len(structured) > 0 && string(structured) != "null" {
		printLine(p.out, string(structured))
	}
}

func printLine(w io.Writer, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fmt.Fprint(w, text)
}

// blockText is a block of content as text: its own, the address of a link, what kind of bytes the others are. What is
// no such block is given as it is.
func blockText(raw []byte) string {
	var c struct {
		Type, Text, MimeType, Data, URI, Name string

		Resource struct {
			URI, MimeType, Blob string
			Text                *string
		}
	}
	if json.Unmarshal(raw, &c) != nil {
		return string(raw)
	}
	switch r := c.Resource; c.Type {
	case "text":
		return c.Text
	case "image", "audio":
		return bytesNote(c.Type, c.MimeType, c.Data)
	case "resource_link":
		return "[" + joinWords(c.Type, c.URI, c.MimeType, c.Name) + "]"
	case "resource":
		if r.Text != nil {
			return *r.Text
		}
		return bytesNote(c.Type, joinWords(r.URI, r.MimeType), r.Blob)
	}
	return string(raw)
}

// bytesNote stands for bytes that are not printed.
func bytesNote(kind, what, data string) string {
	size := "data that is no base64"
	if b, err := base64.StdEncoding.DecodeString(data); err == nil {
		size = fmt.Sprintf("%d bytes", len(b))
	}
	return "[" + joinWords(kind, what) + ", " + size + "]"
}

func joinWords(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// sameJSON reports whether two JSON texts say the same, however they are written.
func sameJSON(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] && !bytes.ContainsAny(a[:1], " \n\t\r") {
		return false
	}
	x, errX := anyJSON(a)
	y, errY := anyJSON(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// anyJSON decodes JSON with the digits of its numbers kept.
func anyJSON(text []byte) (v any, err error) {
	if !json.Valid(text) {
		return nil, errors.New("no JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

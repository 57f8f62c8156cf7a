package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Envelope is the last block of every result: compact JSON that says what happened. OK is false exactly when
// the MCP result has isError.
type Envelope struct {
	OK    bool   `json:"ok"`
	Data  any    `json:"data"`
	Error *Error `json:"error"`
	Meta  Meta   `json:"meta"`
}

// Meta is what the envelope says about the call itself.
type Meta struct {
	Tool       string   `json:"tool"`
	Action     string   `json:"action"`
	DurationMS int64    `json:"duration_ms"`
	Truncated  bool     `json:"truncated,omitempty"`
	Paging     *Paging  `json:"paging,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
}

// Output is a finished local call: its payload and envelope, before it is written as an MCP result.
type Output struct {
	Text     string
	Image    *Image
	Envelope Envelope
}

// finish makes an Output of what a handler returned.
func finish(tool, action string, res *Result, err error, warnings []string, took time.Duration) *Output {
	if res == nil {
		res = &Result{}
	}
	out := &Output{Text: res.Text, Image: res.Image}
	out.Envelope = Envelope{OK: err == nil, Data: res.Data, Meta: Meta{
		Tool: tool, Action: action, DurationMS: took.Milliseconds(),
		Truncated: res.Truncated, Paging: res.Paging, Warnings: warnings,
	}}
	if err != nil {
		out.Envelope.Error = AsError(err)
	}
	if out.Envelope.Data == nil {
		out.Envelope.Data = struct{}{}
	}
	return out
}

// redactedMark stands where a bearer stood.
const redactedMark = "[redacted:hanzo]"

// minSecret is the length in bytes from which a secret is looked for: shorter ones stand everywhere.
const minSecret = 8

// Redact replaces every secret of 8 bytes or more in text by the mark.
func Redact(text string, secrets []string) string {
	for _, s := range secrets {
		if len(s) >= minSecret && strings.Contains(text, s) {
			text = strings.ReplaceAll(text, s, redactedMark)
		}
	}
	return text
}

// HasMark reports whether text holds the mark that stands for a bearer. A write that would put it into a file
// where the bearer stands is a conflict.
func HasMark(text string) bool { return strings.Contains(text, redactedMark) }

// AppendResult appends the output as an MCP CallToolResult, one line, with secrets replaced.
func (o *Output) AppendResult(b []byte, secrets []string) []byte {
	b = append(b, `{"content":[`...)
	switch {
	case o.Image != nil:
		b = append(b, `{"type":"image","mimeType":`...)
		b = AppendString(b, o.Image.MIME)
		b = append(b, `,"data":"`...)
		b = base64.StdEncoding.AppendEncode(b, o.Image.Data)
		b = append(b, `"},`...)
	case o.Text != "":
		b = append(b, `{"type":"text","text":`...)
		b = AppendString(b, Redact(o.Text, secrets))
		b = append(b, `},`...)
	}
	b = append(b, `{"type":"text","text":`...)
	b = AppendString(b, Redact(o.envelope(), secrets))
	b = append(b, `}]`...)
	if !o.Envelope.OK {
		b = append(b, `,"isError":true`...)
	}
	return append(b, '}')
}

func (o *Output) envelope() string {
	text, err := marshal(o.Envelope)
	if err != nil {
		// Data that cannot be marshalled is a fault of ours; the caller still gets a true envelope.
		o.Envelope.OK, o.Envelope.Data = false, struct{}{}
		o.Envelope.Error = Errorf(InternalError, "encoding the result: %v", err)
		text, _ = marshal(o.Envelope)
	}
	return text
}

// marshal is json.Marshal without HTML escaping.
func marshal(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// plainByte marks the bytes that stand for themselves inside a JSON string.
var plainByte = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string. Only what JSON demands is escaped (and U+2028, U+2029, DEL stay as
// they are); bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if need := len(b) + len(s) + len(s)/16 + 16; cap(b) < need {
		b = append(make([]byte, 0, need), b...)
	}
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainByte[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[start:i]...), "\ufffd"...)
				i++
				start = i
				continue
			}
			i += size
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

package door

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// AppendResult appends the response message with a raw id and a raw result,
// one line without its end.
func AppendResult(dst, id, result []byte) []byte { return appendResponse(dst, id, `"result":`, result) }

// AppendError appends an error response. A nil id becomes null; data is raw
// JSON or nil.
func AppendError(dst, id []byte, code int, message string, data []byte) []byte {
	text, _ := json.Marshal(message)
	object := append([]byte(`{"code":`), strconv.Itoa(code)...)
	object = append(append(object, `,"message":`...), text...)
	if data != nil {
		object = append(append(object, `,"data":`...), data...)
	}
	return appendResponse(dst, id, `"error":`, append(object, '}'))
}

func appendResponse(dst, id []byte, member string, value []byte) []byte {
	const frame = len(`{"jsonrpc":"2.0","id":null,}`) + len("\n")
	if need := len(dst) + frame + len(id) + len(member) + len(value); cap(dst) < need {
		dst = append(make([]byte, 0, need), dst...)
	}
	return append(append(appendHead(dst, id, member), value...), '}')
}

func appendHead(dst, id []byte, member string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		id = []byte("null")
	}
	dst = append(append(dst, id...), ',')
	return append(dst, member...)
}

// whole is the size up to which a line is copied together for one write;
// a larger one is written in three parts without a copy.
const whole = 64 << 10

// WriteLine writes the reply with a raw id as one line and its end. The caller
// holds the lock of w: a large reply is more than one Write.
func (r *Reply) WriteLine(w io.Writer, id []byte) error {
	member, value := `"result":`, r.Result
	if r.Error != nil {
		member, value = `"error":`, r.Error
	}
	if len(value) <= whole {
		_, err := w.Write(append(appendResponse(nil, id, member, value), '\n'))
		return err
	}
	for _, part := range [][]byte{appendHead(nil, id, member), value, []byte("}\n")} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Append appends the reply with a raw id, one line without its end.
func (r *Reply) Append(dst, id []byte) []byte {
	if r.Error != nil {
		return appendResponse(dst, id, `"error":`, r.Error)
	}
	return appendResponse(dst, id, `"result":`, r.Result)
}

// OneLine makes the line breaks between the tokens of a JSON text spaces, in
// place. Its strings cannot hold any.
func OneLine(text []byte) []byte {
	for _, end := range []byte("\n\r") {
		for rest := text; ; {
			at := bytes.IndexByte(rest, end)
			if at < 0 {
				break
			}
			rest[at] = ' '
			rest = rest[at+1:]
		}
	}
	return text
}

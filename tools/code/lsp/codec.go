package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Limits of a conversation.
const (
	maxMessage = 32 << 20  // bytes of one message from a server
	maxFlow    = 512 << 20 // bytes that a server may send in a minute
	maxHeader  = 4 << 10
	writeLimit = 10 * time.Second // for a server to take a message
)

// codec is the framing of language servers, with limits: VSCodeObjectCodec would read a header without end.
type codec struct {
	jsonrpc2.VSCodeObjectCodec

	flow  int64
	since time.Time
}

// ReadObject implements jsonrpc2.ObjectCodec.
func (c *codec) ReadObject(r *bufio.Reader, v any) error {
	length := int64(-1)
	for read := 0; ; {
		line, err := r.ReadSlice('\n')
		if err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				return errors.New("the language server sent no header")
			}
			return err
		}
		if read += len(line); read > maxHeader {
			return errors.New("the language server sent a header without end")
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length >= 0 {
				break
			}
			continue
		}
		name, value, _ := strings.Cut(text, ":")
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || length < 0 || length > maxMessage {
				return fmt.Errorf("the language server announced a message of %s bytes, at most %d are taken", strings.TrimSpace(value), maxMessage)
			}
		}
	}
	if now := time.Now(); now.Sub(c.since) > time.Minute {
		c.since, c.flow = now, 0
	}
	if c.flow += length; c.flow > maxFlow {
		return fmt.Errorf("the language server sent more than %d MiB in a minute", maxFlow>>20)
	}
	body := io.LimitReader(r, length)
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, body)
	return err
}

// pipes are the server's input and output as one stream. A server that takes nothing for a while is given up.
type pipes struct {
	in  *os.File // we write
	out *os.File // we read
}

func (p pipes) Read(b []byte) (int, error) { return p.out.Read(b) }

func (p pipes) Write(b []byte) (int, error) {
	if err := p.in.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return 0, err
	}
	return p.in.Write(b)
}

func (p pipes) Close() error {
	return errors.Join(p.in.Close(), p.out.Close())
}

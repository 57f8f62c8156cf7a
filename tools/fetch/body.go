package fetch

import (
	"bufio"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	// maxBody is how much of a decoded body is kept.
	maxBody = 10 << 20
	// maxLayers is how many encodings may lie over each other.
	maxLayers = 3
	// idleLimit is how long a body may stand still.
	idleLimit = 15 * time.Second
)

// content is the body of an answer as far as it was read.
type content struct {
	data []byte
	more bool  // there is more than maxBody
	err  error // why it ended early; data has what came
}

// read reads the decoded body of an answer into at most maxBody bytes. Its context must be the one that the request
// was made with, and stop must end it: a body that stands still is ended by it.
func (a *answer) read(ctx context.Context, stop context.CancelCauseFunc) content {
	defer a.Body.Close()
	if a.Request != nil && a.Request.Method == http.MethodHead || a.StatusCode == http.StatusNoContent || a.StatusCode == http.StatusNotModified {
		return content{}
	}
	wire := watch(a.Body, idleLimit, stop)
	defer wire.stop()
	wire.most = 2 * maxBody
	r, note, err := decoded(wire, a.Header.Values("Content-Encoding"))
	if note != "" {
		a.notes = append(a.notes, note)
	}
	if err != nil {
		return content{err: bodyError(ctx, err, a)}
	}
	if c, ok := r.(io.Closer); ok && r != io.Reader(wire) {
		defer c.Close()
	}
	buf := make([]byte, 0, min(max(int(min(a.ContentLength, maxBody)), 0)+512, maxBody+1))
	if a.ContentLength > 1<<20 {
		buf = make([]byte, 0, 1<<20) // what a header promises is not worth memory
	}
	for len(buf) <= maxBody {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), maxBody+1)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return content{data: buf}
		}
		if err != nil {
			return content{data: buf, err: bodyError(ctx, err, a)}
		}
	}
	return content{data: buf[:maxBody], more: true}
}

func bodyError(ctx context.Context, err error, a *answer) error {
	switch {
	case ctx.Err() != nil:
		return ended(ctx, a.url)
	case errors.Is(err, io.ErrUnexpectedEOF) && a.ContentLength > 0 && len(a.Header.Values("Content-Encoding")) == 0:
		return fmt.Errorf("the connection ended before the %d bytes that were announced", a.ContentLength)
	}
	return fmt.Errorf("the body broke off: %w", err)
}

// watched is a body whose silence ends its request.
type watched struct {
	r     io.ReadCloser
	timer *time.Timer
	limit time.Duration
	total int64
	most  int64 // bytes before decoding; 0 is no limit
}

// errWire ends a stream that decodes to next to nothing, for ever.
var errWire = errors.New("it is far larger than what it decodes to")

func watch(r io.ReadCloser, limit time.Duration, stop context.CancelCauseFunc) *watched {
	return &watched{r: r, limit: limit, timer: time.AfterFunc(limit, func() { stop(errIdle) })}
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if w.total += int64(n); n > 0 {
		w.timer.Reset(w.limit)
	}
	if w.most > 0 && w.total > w.most {
		return n, errWire
	}
	return n, err
}

func (w *watched) stop() { w.timer.Stop() }

// decoded takes off the content encodings that the headers name. A body that is not what its header says is given as
// it is, with a note.
func decoded(r io.Reader, headers []string) (io.Reader, string, error) {
	var layers []string
	for name := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			layers = append(layers, name)
		}
	}
	if len(layers) > maxLayers {
		return nil, "", fmt.Errorf("%d content encodings over each other", len(layers))
	}
	for i := len(layers) - 1; i >= 0; i-- {
		in := bufio.NewReaderSize(r, 4096)
		head, err := in.Peek(2)
		if len(head) == 0 {
			if err == nil || errors.Is(err, io.EOF) {
				return in, "", nil
			}
			return nil, "", err
		}
		plain := func() (io.Reader, string, error) {
			return in, "the server says " + layers[i] + ", but the body is not; it is given as it came", nil
		}
		switch layers[i] {
		case "gzip", "x-gzip":
			if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
				return plain()
			}
			z, err := gzip.NewReader(in)
			if err != nil {
				return nil, "", err
			}
			r = z
		case "deflate":
			if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
				z, err := zlib.NewReader(in)
				if err != nil {
					return nil, "", err
				}
				r = z
			} else {
				r = flate.NewReader(in)
			}
		case "br":
			r = brotli.NewReader(in)
		case "zstd":
			magic, _ := in.Peek(4)
			if len(magic) < 4 || magic[1] != 0xb5 && magic[1] != 0x2a {
				return plain()
			}
			z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, "", err
			}
			r = z.IOReadCloser()
		default:
			return in, "the content encoding " + tools.Cut(layers[i], 40) + " is not known; the body is given as it came", nil
		}
	}
	return r, "", nil
}

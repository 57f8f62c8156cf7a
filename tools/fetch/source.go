package fetch

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	// sayEvery is how often progress is said.
	sayEvery = 500 * time.Millisecond
	// maxRetries is how often in a row a broken stream is taken up again without any progress.
	maxRetries = 4
	// errorText is how much is shown of what a server says with a status of failure.
	errorText = 2000
)

// source is the bytes of a file on the network. It takes up a stream that breaks where it broke, as long as the
// server says that the file is still the same, and checks the whole: length, size limit, sha256.
type source struct {
	ctx   context.Context
	conns *client
	ask   ask
	most  int64
	want  string // sha256 in hex, "" is any
	out   io.Writer

	got       *answer
	body      io.Reader
	end       func() // of the exchange
	validator string // a strong ETag, or a date, "" when the file cannot be taken up
	offset    int64  // bytes given, or there before
	total     int64  // -1: not known
	resumed   bool
	spoiled   bool // what came is not a part of the file
	tries     int
	lastTry   int64
	said      time.Time
	hash      digest
	head      []byte // first bytes, for the kind
	notes     []string
	fault     error // what ended it
}

func (s *source) sum() string { return hex.EncodeToString(s.hash.sum()) }

// start asks for the file, from an offset on when the validator still holds. An answer of failure comes back as a
// result with what the server said.
func (s *source) start(from int64, validator string) (*tools.Result, error) {
	if validator == "" {
		from = 0
	}
	a := s.ask
	if from > 0 {
		a.header = a.header.Clone()
		a.header["Range"] = []string{fmt.Sprintf("bytes=%d-", from)}
		a.header["If-Range"] = []string{validator}
	}
	s.close()
	ctx, stop := context.WithCancelCause(s.ctx)
	s.end = func() { stop(nil) }
	got, err := s.conns.do(ctx, a)
	if err != nil {
		return nil, err
	}
	wire := watch(got.Body, idleLimit, stop)
	s.end = func() { wire.stop(); stop(nil); got.Body.Close() }
	s.body, s.got = wire, got
	if len(s.notes) == 0 {
		s.notes = got.notes
	}
	if got.StatusCode == http.StatusPartialContent && from > 0 {
		if !sameAs(got.Header, validator) {
			return s.start(0, "") // a part of another file: the server did not heed If-Range
		}
		first, whole, ok := contentRange(got.Header.Get("Content-Range"))
		if ok && first == from {
			s.offset, s.total, s.resumed, s.validator = from, whole, true, validator
			return nil, s.room()
		}
		return nil, tools.Errorf(tools.HTTPError, "the server gave another part of the file than was asked for (%s); download again without resume", quote(got.Header.Get("Content-Range")))
	}
	if got.StatusCode != http.StatusOK && got.StatusCode != http.StatusNonAuthoritativeInfo {
		if from > 0 && got.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			return s.start(0, "")
		}
		return s.refused(ctx, stop, got)
	}
	s.offset, s.head = 0, nil // from the start, whatever was begun with
	s.hash.reset()
	s.total = got.ContentLength
	s.validator = validatorOf(got.Header)
	if len(got.Header.Values("Content-Encoding")) > 0 {
		r, note, err := decoded(wire, got.Header.Values("Content-Encoding"))
		if err != nil {
			return nil, tools.Errorf(tools.HTTPError, "decoding the body: %v", err)
		}
		if note != "" {
			s.notes = append(s.notes, note)
		}
		s.body, s.total, s.validator = r, -1, ""
	}
	return nil, s.room()
}

// refused gives what a server said instead of the file.
func (s *source) refused(ctx context.Context, stop context.CancelCauseFunc, got *answer) (*tools.Result, error) {
	r, late := s.conns.render(ctx, got, got.read(ctx, stop), "auto")
	if late != nil {
		return nil, ended(ctx, got.url)
	}
	text, _ := tools.Head(r.text, errorText)
	err := r.err
	if err == nil || got.StatusCode < 400 {
		err = tools.Errorf(tools.HTTPError, "%s answered %d %s, which has no file; see request for what it says", tools.Cut(shown(got.url), 300), got.StatusCode, http.StatusText(got.StatusCode))
	}
	return &tools.Result{Text: text, Data: downloadData{URL: tools.Cut(shown(got.url), 300), HTTP: got.StatusCode, Status: "failed"}}, err
}

// room refuses a file that says itself that it is too large.
func (s *source) room() error {
	if s.total > s.most {
		return tools.Errorf(tools.TooLarge, "the file has %d bytes, more than the %d that a download may have; nothing was written", s.total, s.most)
	}
	return nil
}

func (s *source) close() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

// finish gives up the source.
func (s *source) finish() {
	s.close()
	s.hash.reset()
}

// Read gives the next bytes. Its last answer is io.EOF only when the file is whole and what it should be.
func (s *source) Read(b []byte) (int, error) {
	for {
		n, err := s.body.Read(b)
		if n > 0 {
			s.offset += int64(n)
			if s.offset > s.most {
				s.spoiled = true
				return 0, s.fail(tools.Errorf(tools.TooLarge, "the file is larger than the %d bytes that a download may have; nothing was kept", s.most))
			}
			s.hash.Write(b[:n])
			if len(s.head) < 512 {
				s.head = append(s.head, b[:min(n, 512-len(s.head))]...)
			}
			s.say()
			return n, nil
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF) && (s.total < 0 || s.offset >= s.total):
			return 0, s.whole()
		case s.ctx.Err() != nil:
			return 0, s.fail(s.ctx.Err())
		}
		if again := s.again(err); again != nil {
			return 0, s.fail(again)
		}
	}
}

// whole checks the file at its end.
func (s *source) whole() error {
	if s.want != "" && s.sum() != s.want {
		s.spoiled = true
		return s.fail(tools.Errorf(tools.Conflict, "the file has sha256 %s, not the %s that was asked for; nothing was written. Check the sha256, or where the file comes from", s.sum(), s.want).
			With(tools.Details{Param: "sha256", Expected: s.want, Actual: s.sum()}))
	}
	return io.EOF
}

// again takes up the stream after it broke with err.
func (s *source) again(err error) error {
	broken := tools.Errorf(tools.HTTPError, "the connection broke after %d of %s bytes (%v); try again, with resume:true to keep what comes", s.offset, known(s.total), plainCause(err))
	if s.validator == "" {
		return broken
	}
	for {
		if s.offset > s.lastTry {
			s.tries, s.lastTry = 0, s.offset
		}
		if s.tries++; s.tries > maxRetries {
			return broken
		}
		fmt.Fprintf(s.out, "the connection broke after %d bytes; going on from there\n", s.offset)
		wait := time.NewTimer(50 * time.Millisecond << (s.tries - 1))
		select {
		case <-wait.C:
		case <-s.ctx.Done():
			wait.Stop()
			return s.ctx.Err()
		}
		from, total, was := s.offset, s.total, s.validator
		_, err := s.start(from, was)
		switch {
		case err != nil && s.tries <= maxRetries && tools.AsError(err).Code != tools.PermissionDenied:
			continue
		case err != nil:
			return err
		case s.offset != from && s.validator != "" && s.validator == was:
			s.spoiled = true
			return tools.Errorf(tools.HTTPError, "the connection broke after %d of %s bytes, and the server gives the file only as a whole; download it again", from, known(total))
		case s.offset != from || total >= 0 && s.total != total:
			s.spoiled = true
			return tools.Errorf(tools.Conflict, "the file changed at the server while it was loaded; nothing was written. Download it again")
		}
		return nil
	}
}

func (s *source) fail(err error) error {
	s.fault = err
	return err
}

// cause is why a write of the source failed: the source's own reason before that of the file.
func (s *source) cause(err error) error { return cmp.Or(s.fault, err) }

func (s *source) say() {
	if now := time.Now(); now.Sub(s.said) >= sayEvery {
		s.said = now
		line := fmt.Sprintf("%.1f of %s MiB", float64(s.offset)/(1<<20), "?")
		if s.total > 0 {
			line = fmt.Sprintf("%.1f of %.1f MiB (%d %%)", float64(s.offset)/(1<<20), float64(s.total)/(1<<20), s.offset*100/s.total)
		}
		fmt.Fprintln(s.out, line)
	}
}

// kind is the media type of the file: what the server says, unless it says nothing of use.
func (s *source) kind() string {
	kind, _, _ := mime.ParseMediaType(s.got.Header.Get("Content-Type"))
	if kind == "" || kind == "application/octet-stream" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(s.head))
	}
	return tools.Cut(kind, 100)
}

// validatorOf is what shows that a file is still the same: a strong ETag, else its date.
func validatorOf(h http.Header) string {
	if strings.EqualFold(h.Get("Accept-Ranges"), "none") {
		return ""
	}
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	if date := h.Get("Last-Modified"); date != "" {
		if _, err := http.ParseTime(date); err == nil {
			return date
		}
	}
	return ""
}

// sameAs reports whether a part that came is one of the file that the validator is of, in the same coding. A server that
// says neither tag nor date is believed.
func sameAs(h http.Header, validator string) bool {
	for _, coding := range h.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(coding), "identity") {
			return false
		}
	}
	now := h.Get("Last-Modified")
	if strings.HasPrefix(validator, `"`) {
		now = h.Get("ETag")
	}
	return now == "" || now == validator
}

// contentRange reads "bytes 5-9/10"; the whole is -1 when it is not said.
func contentRange(s string) (first, whole int64, ok bool) {
	rest, ok := strings.CutPrefix(s, "bytes ")
	span, size, ok2 := strings.Cut(rest, "/")
	from, _, ok3 := strings.Cut(span, "-")
	first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	if !ok || !ok2 || !ok3 || err != nil {
		return 0, 0, false
	}
	if whole, err = strconv.ParseInt(strings.TrimSpace(size), 10, 64); err != nil {
		whole = -1
	}
	return first, whole, true
}

func known(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return strconv.FormatInt(n, 10)
}

func plainCause(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it was closed"
	}
	return sandbox.Printable(tools.Cut(err.Error(), 200))
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// Code is the machine-readable kind of a tool error.
type Code string

const (
	InvalidParams    Code = "INVALID_PARAMS"
	UnknownAction    Code = "UNKNOWN_ACTION"
	NotFound         Code = "NOT_FOUND"
	Conflict         Code = "CONFLICT"
	Ambiguous        Code = "AMBIGUOUS"
	ConfirmRequired  Code = "CONFIRM_REQUIRED"
	PermissionDenied Code = "PERMISSION_DENIED"
	ReadOnly         Code = "READ_ONLY"
	Timeout          Code = "TIMEOUT"
	Cancelled        Code = "CANCELLED"
	ExitNonzero      Code = "EXIT_NONZERO"
	Binary           Code = "BINARY"
	TooLarge         Code = "TOO_LARGE"
	HTTPError        Code = "HTTP_ERROR"
	Unsupported      Code = "UNSUPPORTED"
	InternalError    Code = "INTERNAL_ERROR"
)

// Details are the fields that help a model to mend its call.
type Details struct {
	Param      string   `json:"param,omitempty"`
	Expected   string   `json:"expected,omitempty"`
	Actual     string   `json:"actual,omitempty"`
	Available  []string `json:"available,omitempty"`
	Nearest    any      `json:"nearest,omitempty"`
	Suggestion string   `json:"suggestion,omitempty"`
}

// Error is a failure that a tool tells its caller. Message says what to do next.
type Error struct {
	Code    Code     `json:"code"`
	Message string   `json:"message"`
	Details *Details `json:"details,omitempty"`
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf makes an Error; the message says what went wrong and what to do next.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With adds details to the error and returns it.
func (e *Error) With(d Details) *Error { e.Details = &d; return e }

// pathCodes are the codes of the sandbox's kinds of error.
var pathCodes = map[sandbox.Kind]Code{
	sandbox.Invalid: InvalidParams, sandbox.Denied: PermissionDenied, sandbox.NotFound: NotFound,
	sandbox.NotRegular: InvalidParams, sandbox.NotDir: InvalidParams, sandbox.Protected: PermissionDenied,
	sandbox.ReadOnly: PermissionDenied, sandbox.Permission: PermissionDenied, sandbox.NoSpace: InternalError,
	sandbox.Exists: Conflict, sandbox.NotEmpty: Conflict, sandbox.TooManyLinks: InvalidParams,
	sandbox.CrossDevice: Unsupported, sandbox.Busy: Conflict,
}

// AsError turns any error of a handler into one with a code.
func AsError(err error) *Error {
	var e *Error
	var p *sandbox.PathError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &p) && pathCodes[p.Kind] != "":
		d := Details{Actual: sandbox.Printable(p.Path)}
		if len(p.Near) > 0 {
			d.Nearest = p.Near
		}
		if p.Kind == sandbox.Denied {
			d.Available = p.Roots
		}
		return &Error{Code: pathCodes[p.Kind], Message: p.Error(), Details: &d}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Cancelled, Message: "the call was cancelled"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Message: "the call ran out of time; narrow it, or give a longer timeout"}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Code: NotFound, Message: err.Error()}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Code: PermissionDenied, Message: err.Error()}
	case errors.Is(err, fs.ErrExist):
		return &Error{Code: Conflict, Message: err.Error()}
	}
	return &Error{Code: InternalError, Message: err.Error()}
}

// Image is an image payload: it becomes an image block instead of text.
type Image struct {
	Data []byte
	MIME string
}

// Paging tells how to get the rest of a list.
type Paging struct {
	Cursor string `json:"cursor,omitempty"`
	More   bool   `json:"more"`
	Total  int    `json:"total,omitempty"`
}

// Result is what an action answers. A handler may return both a Result and an error: the payload and data then
// stand beside the error (a command's output beside its exit code).
type Result struct {
	Text      string // payload, raw: file text, output, diff; "" means there is none
	Image     *Image // payload, instead of Text
	Data      any    // envelope data; marshalled without HTML escaping; nil is {}
	Truncated bool   // something was left out, and Data or Paging says how to get it
	Paging    *Paging
}

// DefaultChars and MaxChars bound the payload of a result, in characters: what a call gets without max_chars,
// and the most that max_chars may ask for.
const (
	DefaultChars = 30_000
	MaxChars     = 16 << 20
)

// Limit gives the number of characters that a call with this max_chars may have.
func Limit(maxChars int) int {
	if maxChars <= 0 {
		return DefaultChars
	}
	return min(maxChars, MaxChars)
}

// Head cuts text to at most n characters at a line boundary, or at a rune boundary when that
// would leave less than half of them (minified files are one line), and reports whether it cut.
func Head(text string, n int) (string, bool) {
	cut, ok := runeIndex(text, n)
	if !ok {
		return text, false
	}
	if i := strings.LastIndexByte(text[:cut], '\n'); i >= cut/2 {
		cut = i + 1
	}
	return text[:cut], true
}

// Cut shortens s to n bytes, at the end of a character, with a mark behind it.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// HeadTail cuts text to about n characters, keeping its start and its end at line boundaries where it can, with
// a line between them that says how much is missing. It reports whether it cut.
func HeadTail(text string, n int) (string, bool) {
	if _, over := runeIndex(text, n); !over {
		return text, false
	}
	head, _ := Head(text, n/2)
	tail := text[len(head):]
	skip := utf8.RuneCountInString(tail) - n/2
	cut, _ := runeIndex(tail, skip)
	if i := strings.IndexByte(tail[cut:], '\n'); i >= 0 && cut+i+1 < len(tail) && i < 4096 {
		cut += i + 1
	}
	gap := fmt.Sprintf("[… %d bytes left out …]\n", cut)
	if head != "" && !strings.HasSuffix(head, "\n") {
		gap = "\n" + gap
	}
	return head + gap + tail[cut:], true
}

// runeIndex gives the byte offset of character n of s and whether s has more than n characters.
func runeIndex(s string, n int) (int, bool) {
	if len(s) <= n {
		return len(s), false
	}
	for i := range s {
		if n == 0 {
			return i, true
		}
		n--
	}
	return len(s), false
}

package door

import (
	"bytes"
	"math"
	"strconv"
)

// answer is a JSON-RPC message from the door, split but not decoded.
type answer struct {
	id            []byte // nil also for null
	result        []byte // an object
	err           []byte // an object with code and message
	method        string // of a notification or request, "" for a response
	isError       bool   // result.isError is true
	inputRequired bool   // result.resultType
	breaks, odd   bool   // see scanner
}

// parseAnswer takes a message of the door apart in one pass. What is neither a
// response that can be passed on nor a notification gives false.
func parseAnswer(text []byte) (a answer, ok bool) {
	s := scanner{b: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))}
	s.space()
	if !s.at('{') {
		return a, false
	}
	var results, errs, ids int
	for s.enter(); s.member(); {
		switch string(s.name()) {
		case "id":
			ids++
			if a.id = s.value(1); isNull(a.id) {
				a.id = nil
			}
		case "method":
			if method := s.value(1); !s.bad && isString(method) {
				a.method = string(unquote(method))
			}
		case "result":
			if s.at('n') {
				s.value(1)
				break
			}
			results++
			a.result = a.readResult(&s)
		case "error":
			if s.at('n') {
				s.value(1)
				break
			}
			errs++
			a.err = readError(&s)
		default:
			s.value(1)
		}
	}
	s.space()
	if s.bad || s.i != len(s.b) || ids > 1 {
		return answer{}, false
	}
	a.breaks, a.odd = s.breaks, s.odd
	if a.method != "" {
		return a, results+errs == 0
	}
	return a, results+errs == 1 && (a.result != nil || a.err != nil)
}

// readResult gives the result if it is an object, as each result in MCP is.
func (a *answer) readResult(s *scanner) []byte {
	start := s.i
	if !s.at('{') {
		s.value(1)
		return nil
	}
	for s.enter(); s.member(); {
		switch string(s.name()) {
		case "isError":
			a.isError = string(s.value(2)) == "true" || a.isError
		case "resultType":
			a.inputRequired = string(s.value(2)) == `"input_required"` || a.inputRequired
		default:
			s.value(2)
		}
	}
	return s.b[start:s.i]
}

// readError gives an error that a client can read: an integer code, a message.
func readError(s *scanner) []byte {
	start := s.i
	if !s.at('{') {
		s.value(1)
		return nil
	}
	var code, message int
	for s.enter(); s.member(); {
		switch string(s.name()) {
		case "code":
			if _, err := strconv.ParseInt(string(s.value(2)), 10, 64); err == nil {
				code++
			}
		case "message":
			if isString(s.value(2)) {
				message++
			}
		default:
			s.value(2)
		}
	}
	if code != 1 || message != 1 {
		return nil
	}
	return s.b[start:s.i]
}

// IDKey is an id in one spelling, since a library may write the same id in another one later: 7.0 is 7, "\u0061" is "a".
func IDKey(id []byte) string {
	switch {
	case isString(id) && bytes.IndexByte(id, '\\') >= 0:
		return `"` + string(unquote(id)) + `"`
	case isNumber(id) && bytes.ContainsAny(id, ".eE"):
		if x, err := strconv.ParseFloat(string(id), 64); err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return strconv.FormatInt(int64(x), 10)
		}
	}
	return string(id)
}

// answers reports whether an id from the door stands for the id that was sent:
// the same, its text, the same number in another spelling, or none at all. Some
// servers lose an id on the way; one request has one reply, so none is mixed up.
func answers(got, sent []byte) bool {
	if got == nil || bytes.Equal(got, sent) {
		return true
	}
	text := func(id []byte) string {
		if isString(id) {
			return string(unquote(id))
		}
		return string(id)
	}
	a, b := text(got), text(sent)
	if a == b {
		return true
	}
	if !isNumber(sent) {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y && !math.IsInf(x, 0)
}

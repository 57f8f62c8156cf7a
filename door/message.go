package door

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
)

// Names of the members of params._meta that MCP 2026-07-28 wants in every request.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaInfo         = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// Revision is the protocol revision that is spoken to the door.
const Revision = "2026-07-28"

// A Message is one JSON-RPC message, split but not decoded: what is []byte is
// the value as it was sent, a slice of the line (nil: the member is absent).
type Message struct {
	Raw    []byte // the message without blanks and byte order mark around it
	ID     []byte // a string or a number
	Method string // decoded
	Params []byte // an object; nil also for null
	Result []byte // of a response
	Error  []byte // of a response
	Batch  bool   // an array with at least one element: see Elements

	// Members of Params, whatever the method.
	Name      string // decoded, "" if it is no string
	NameRaw   []byte
	Arguments []byte // of tools/call: an object or null
	Meta      []byte // an object or null
	RequestID []byte // of notifications/cancelled

	// Members of Meta.
	ProgressToken []byte // a string or a number
	Version       []byte // io.modelcontextprotocol/protocolVersion
	ClientInfo    []byte // io.modelcontextprotocol/clientInfo
	Capabilities  []byte // io.modelcontextprotocol/clientCapabilities

	metaAt int // where Meta starts in Params
}

// IsNotification reports whether m asks for no reply.
func (m *Message) IsNotification() bool { return m.Method != "" && m.ID == nil }

// IsResponse reports whether m answers a request of ours.
func (m *Message) IsResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// Modern reports whether the message itself says that it speaks 2026-07-28.
func (m *Message) Modern() bool { return isString(m.Version) && string(unquote(m.Version)) == Revision }

// Elements are the raw elements of a batch.
func (m *Message) Elements() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !m.Batch {
			return
		}
		s := scanner{b: m.Raw}
		for s.enter(); s.element(); {
			if !yield(s.value(1)) {
				return
			}
		}
	}
}

// Kind says what is wrong with a message, and so how it is answered.
type Kind int

const (
	ParseError        Kind = iota + 1 // no JSON, no UTF-8, too deep: -32700, id null
	InvalidRequest                    // JSON, but no request; ambiguous envelope: -32600
	InvalidParams                     // ambiguous or unusable params: -32602
	AmbiguousArgument                 // of tools/call: two arguments of one name: a result INVALID_PARAMS
)

// Error is the only type of error that Split returns.
type Error struct {
	Kind   Kind
	ID     []byte // raw, nil when it is not known
	Text   string // for the caller
	Member string // the argument, for AmbiguousArgument
	Silent bool   // of a notification or a response: not to be answered
}

func (e *Error) Error() string { return e.Text }

// Code is the JSON-RPC error code.
func (e *Error) Code() int {
	switch e.Kind {
	case ParseError:
		return -32700
	case InvalidRequest:
		return -32600
	}
	return -32602
}

// Reply is the JSON-RPC error message to answer with, nil if e is Silent. For
// an AmbiguousArgument the caller makes a tool result instead.
func (e *Error) Reply() []byte {
	if e.Silent {
		return nil
	}
	return AppendError(nil, e.ID, e.Code(), e.Text, nil)
}

// Split takes one message apart in one pass, without copying. It returns what
// it found also with an error (always an *Error), so that the caller can answer.
//
// Members count by their exact spelling. Two members of the envelope, of params
// or of arguments whose names, unescaped, differ in case at most are an error:
// two readers could take different ones. A batch is an InvalidRequest with
// Message.Batch set, for callers whose protocol revision has batches.
func Split(line []byte) (Message, error) {
	s := scanner{b: bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))}
	s.space()
	start := s.i
	var p splitter
	if s.at('{') {
		p.envelope(&s)
	} else {
		p.m.Batch = s.at('[')
		p.fault(InvalidRequest, "a message is a JSON object")
		p.m.Batch = len(s.value(0)) > len("[]") && p.m.Batch
	}
	end := s.i
	s.space()
	if s.bad || s.i != len(s.b) {
		fault := &Error{Kind: ParseError, Text: fmt.Sprintf("parse error at byte %d: the message is not valid JSON in UTF-8", s.i)}
		if s.deep {
			fault.ID, fault.Text = FrontID(line), fmt.Sprintf("parse error at byte %d: the message nests deeper than %d levels", s.i, maxDepth)
		}
		return Message{}, fault
	}
	p.m.Raw = s.b[start:end]
	if p.m.Batch {
		elements := false
		for range p.m.Elements() {
			elements = true
			break
		}
		p.m.Batch = elements
	}
	return p.m, p.finish()
}

// FrontID is the raw id of a request of which only the beginning is read; nil when it does not stand there.
func FrontID(head []byte) []byte {
	s := scanner{b: bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))}
	s.space()
	if !s.at('{') {
		return nil
	}
	var id []byte
	for s.enter(); s.member(); {
		name := string(s.name())
		if value := s.value(1); name == "id" && !s.bad && len(value) > 0 && s.i < len(s.b) && value[0] != '{' && value[0] != '[' && string(value) != "null" {
			id = value
			break
		}
	}
	return id
}

// splitter collects a message and the gravest fault of it.
type splitter struct {
	m       Message
	err     *Error
	version []byte
	id      []byte
	torn    bool // there are two different ids
}

func (p *splitter) fault(kind Kind, text string, args ...any) {
	if p.err == nil || kind < p.err.Kind {
		p.err = &Error{Kind: kind, Text: fmt.Sprintf(text, args...)}
	}
}

func (p *splitter) envelope(s *scanner) {
	var seen names
	for s.enter(); s.member(); {
		name := s.name()
		if seen.add(name) {
			p.fault(InvalidRequest, "the message has more than one member %q", name)
		}
		switch string(name) {
		case "jsonrpc":
			p.version = s.value(1)
		case "id":
			id := s.value(1)
			p.torn = p.torn || p.id != nil && !bytes.Equal(id, p.id)
			p.id = id
		case "method":
			switch method := s.value(1); {
			case s.bad || !isString(method) && !isNull(method):
				p.fault(InvalidRequest, "method must be a string")
			case !isNull(method):
				p.m.Method = methodName(unquote(method))
			}
		case "params":
			if s.at('{') {
				p.params(s)
			} else if params := s.value(1); !isNull(params) {
				p.fault(InvalidParams, "params must be an object")
			}
		case "result":
			p.m.Result = s.value(1)
		case "error":
			if e := s.value(1); !isNull(e) {
				p.m.Error = e
			}
		default:
			s.value(1)
		}
	}
}

func (p *splitter) params(s *scanner) {
	var seen names
	start := s.i
	for s.enter(); s.member(); {
		name := s.name()
		if seen.add(name) {
			p.fault(InvalidParams, "params has more than one member %q", name)
		}
		switch string(name) {
		case "name":
			p.m.NameRaw = s.value(2)
			if isString(p.m.NameRaw) && !s.bad {
				p.m.Name = string(unquote(p.m.NameRaw))
			}
		case "arguments":
			at := s.i
			if s.at('{') {
				p.arguments(s)
			} else {
				s.value(2)
			}
			p.m.Arguments = s.b[at:s.i]
		case "_meta":
			at := s.i
			if s.at('{') {
				p.meta(s)
			} else if !isNull(s.value(2)) {
				p.fault(InvalidParams, "params._meta must be an object")
			}
			p.m.Meta, p.m.metaAt = s.b[at:s.i], at-start
		case "requestId":
			p.m.RequestID = s.value(2)
		default:
			s.value(2)
		}
	}
	p.m.Params = s.b[start:s.i]
}

func (p *splitter) arguments(s *scanner) {
	var seen names
	for s.enter(); s.member(); {
		name := s.name()
		if seen.add(name) {
			p.fault(AmbiguousArgument, "arguments has more than one member %q", name)
			if p.err.Kind == AmbiguousArgument && p.err.Member == "" {
				p.err.Member = string(name)
			}
		}
		s.value(3)
	}
}

func (p *splitter) meta(s *scanner) {
	once := func(field *[]byte) {
		if *field != nil {
			p.fault(InvalidParams, "params._meta has more than one member %q", s.name())
		}
		*field = s.value(3)
	}
	var token []byte
	for s.enter(); s.member(); {
		switch string(s.name()) {
		case "progressToken":
			once(&token)
			if isString(token) || isNumber(token) {
				p.m.ProgressToken = token
			}
		case metaVersion:
			once(&p.m.Version)
		case metaInfo:
			once(&p.m.ClientInfo)
		case metaCapabilities:
			once(&p.m.Capabilities)
		default:
			s.value(3)
		}
	}
}

// finish judges what only the whole message can tell.
func (p *splitter) finish() error {
	m := &p.m
	if m.Raw[0] == '{' {
		// Some write a null for each member that their kind of message has not.
		if m.Method != "" && isNull(m.Result) {
			m.Result = nil
		}
		response := m.Result != nil || m.Error != nil
		if (isString(p.id) || isNumber(p.id)) && !p.torn {
			m.ID = p.id
		} else if p.id != nil && !(isNull(p.id) && (response || strings.HasPrefix(m.Method, "notifications/"))) {
			p.fault(InvalidRequest, "id must be a string or a number")
		}
		switch {
		case string(p.version) != `"2.0"`:
			p.fault(InvalidRequest, `jsonrpc must be "2.0"`)
		case m.Method == "" && !response:
			p.fault(InvalidRequest, "the message has no method")
		case m.Method != "" && response:
			p.fault(InvalidRequest, "the message is a request and a response")
		}
		if m.Method == "tools/call" {
			if m.Name == "" {
				p.fault(InvalidParams, "params.name must be the name of a tool")
			}
			if m.Arguments != nil && !isObject(m.Arguments) && !isNull(m.Arguments) {
				p.fault(InvalidParams, "params.arguments must be an object")
			}
		}
	}
	if p.err == nil {
		return nil
	}
	if p.err.Kind == AmbiguousArgument && m.Method != "tools/call" {
		p.err.Kind = InvalidParams
	}
	p.err.ID = m.ID
	p.err.Silent = m.IsResponse() || m.IsNotification() && p.err.Kind != InvalidRequest
	return p.err
}

// methodName spares the copy of the names that come all the time.
func methodName(name []byte) string {
	switch string(name) {
	case "tools/call":
		return "tools/call"
	case "tools/list":
		return "tools/list"
	case "ping":
		return "ping"
	case "notifications/cancelled":
		return "notifications/cancelled"
	}
	return string(name)
}

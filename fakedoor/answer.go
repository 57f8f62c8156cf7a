package fakedoor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Stream is a way to frame a message as an event.
type Stream string

const (
	NoStream    Stream = ""         // plain JSON
	Plain       Stream = "plain"    // data: …, blank line
	CRLF        Stream = "crlf"     // the same with CRLF
	CR          Stream = "cr"       // with CR
	BOM         Stream = "bom"      // a byte order mark first
	Comments    Stream = "comments" // comments around it, and other fields
	Lines       Stream = "lines"    // the message over several data lines
	NoBlankLine Stream = "noblank"  // the stream ends after the data line
	Unframed    Stream = "unframed" // bare JSON under text/event-stream
	Dribble     Stream = "dribble"  // a write for each few bytes
	NoReply     Stream = "noreply"  // the stream ends without the answer
	Garbage     Stream = "garbage"  // events that are no JSON, then the answer
)

// answerer answers one request.
type answerer struct {
	Script
	w    http.ResponseWriter
	req  *http.Request
	door *Server
}

func (a *answerer) allowed(method string) bool {
	want := a.Token
	if method == "tools/list" {
		want = a.ListToken
	}
	sent := a.req.Header.Get("Authorization")
	return (want == "" || sent == "Bearer "+want) && (a.Refuse == "" || sent != "Bearer "+a.Refuse)
}

func (a *answerer) challenge(id []byte) {
	challenges := a.Challenge
	if challenges == nil {
		challenges = []string{`Bearer resource_metadata="` + a.door.Origin() + `/.well-known/oauth-protected-resource"`}
	}
	for _, c := range challenges {
		a.w.Header().Add("WWW-Authenticate", c)
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintf(a.w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"unauthorized","data":{"sent":%q}}}`, a.req.Header.Get("Authorization"))
}

// reply is the member of the response that answers: result or error.
func (a *answerer) reply(method, tool, cursor string, arguments []byte) (string, []byte) {
	switch method {
	case "tools/list":
		return "result", a.list(cursor)
	case "tools/call":
		if e, ok := a.Errors[tool]; ok {
			return "error", []byte(e)
		}
		if r, ok := a.Results[tool]; ok {
			return "result", []byte(r)
		}
		return "result", callResult(tool, arguments)
	case "ping", "server/discover", "initialize":
		return "result", []byte("{}")
	}
	return "error", []byte(`{"code":-32601,"message":"method not found"}`)
}

// own is what the script itself answers to a call, nil when it does not.
func (a *answerer) own(r *Request) *Answer {
	if a.Answer == nil || r.RPC != "tools/call" {
		return nil
	}
	return a.Answer(r)
}

func (a *answerer) list(cursor string) []byte {
	if a.ListResult != "" {
		return []byte(a.ListResult)
	}
	tools := a.Tools
	if tools == nil {
		tools = DefaultTools()
	}
	pages := max(1, a.Pages)
	page, _ := strconv.Atoi(strings.TrimPrefix(cursor, "page-"))
	size := (len(tools) + pages - 1) / pages
	from := min(page*size, len(tools))
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	b.WriteString(strings.Join(tools[from:min(from+size, len(tools))], ","))
	b.WriteString(`]`)
	switch {
	case page+1 < pages:
		fmt.Fprintf(&b, `,"nextCursor":"page-%d"`, page+1)
	case a.CursorLoop:
		b.WriteString(`,"nextCursor":"page-1"`)
	}
	if meta := a.ListMeta; meta != "-" {
		if meta == "" {
			meta = DefaultMeta
		}
		b.WriteString(`,"_meta":` + meta)
	}
	if a.TTL != "" {
		b.WriteString(`,"ttlMs":` + a.TTL)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// id is the id member of the answer.
func (a *answerer) id(sent []byte) string {
	switch a.ID {
	case "":
		return `"id":` + string(sent) + `,`
	case IDString:
		if sent[0] == '"' {
			return `"id":` + string(sent) + `,`
		}
		return `"id":"` + string(sent) + `",`
	case IDFloat:
		if sent[0] == '"' {
			return `"id":` + string(sent) + `,`
		}
		return `"id":` + string(sent) + `.0,`
	case IDMissing:
		return ""
	}
	return `"id":` + a.ID + `,`
}

func (a *answerer) send(method string, sent []byte, member string, value []byte) {
	if a.Methods != nil && !slices.Contains(a.Methods, method) {
		a.Script = Script{}
	}
	message := append(append([]byte(`{"jsonrpc":"2.0",`+a.id(sent)+`"`+member+`":`), value...), '}')
	if a.Pretty {
		var b bytes.Buffer
		if json.Indent(&b, message, "", "\t") == nil {
			message = bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n"))
		}
	}
	if a.Body != nil {
		message = []byte(*a.Body)
	}
	if a.Echo {
		message = bytes.ReplaceAll(message, []byte("{{authorization}}"), []byte(a.req.Header.Get("Authorization")))
	}
	for name, values := range a.Header {
		a.w.Header()[name] = values
	}
	if !a.pause(a.Delay) {
		return
	}
	if a.Redirects != nil && a.Redirects[a.req.URL.Path] == "" {
		a.Status = 0 // it is that of the redirects
	}
	switch {
	case a.Hang:
		<-a.req.Context().Done()
	case a.Redirects[a.req.URL.Path] != "":
		a.w.Header().Set("Location", a.Redirects[a.req.URL.Path])
		if a.Status == 0 {
			a.Status = http.StatusPermanentRedirect
		}
		a.w.WriteHeader(a.Status)
	case a.Stream != NoStream:
		a.stream(message)
	default:
		a.body(message)
	}
}

// media sets the content type: what the script says, else usual.
func (a *answerer) media(usual string) {
	switch a.ContentType {
	case "":
		a.w.Header().Set("Content-Type", usual)
	case "-":
		a.w.Header()["Content-Type"] = nil
	default:
		a.w.Header().Set("Content-Type", a.ContentType)
	}
}

func (a *answerer) body(message []byte) {
	a.media("application/json")
	length := a.ContentLength
	open := a.Endless || a.BodyOpen
	if length == 0 && !open {
		length = len(message)
	}
	if length > 0 || !open {
		a.w.Header().Set("Content-Length", strconv.Itoa(length))
	}
	if a.Status != 0 {
		a.w.WriteHeader(a.Status)
	}
	switch {
	case a.CutBody || a.HangBody:
		_, _ = a.w.Write(message[:len(message)/2])
		a.flush()
		if a.HangBody {
			<-a.req.Context().Done()
		}
		panic(http.ErrAbortHandler)
	case a.Endless:
		filler := bytes.Repeat([]byte{' '}, 32<<10)
		for a.req.Context().Err() == nil {
			if _, err := a.w.Write(filler); err != nil {
				return
			}
		}
	case a.SlowBody > 0:
		for part := range slices.Chunk(message, len(message)/8+1) {
			_, _ = a.w.Write(part)
			a.flush()
			if !a.pause(a.SlowBody) {
				return
			}
		}
	default:
		_, _ = a.w.Write(message)
		if a.BodyOpen {
			a.flush()
			<-a.req.Context().Done()
		}
	}
}

func (a *answerer) stream(message []byte) {
	a.media("text/event-stream")
	if a.Status != 0 {
		a.w.WriteHeader(a.Status)
	}
	for _, before := range a.Before {
		a.write(frame(Plain, []byte(before)))
		if !a.pause(a.Between) {
			return
		}
	}
	text := frame(a.Stream, message)
	if a.Stream == Dribble {
		for part := range slices.Chunk(text, 3) {
			a.write(part)
		}
	} else {
		a.write(text)
	}
	if a.StreamOpen {
		<-a.req.Context().Done()
	}
}

func frame(how Stream, message []byte) []byte {
	event := "data: " + string(message) + "\n\n"
	switch how {
	case CRLF:
		event = strings.ReplaceAll(event, "\n", "\r\n")
	case CR:
		event = strings.ReplaceAll(event, "\n", "\r")
	case BOM:
		event = "\ufeff" + event
	case Comments:
		event = ": hello\n\n:\nevent: message\nid: 1\nretry: 3000\n" + event + ": bye\n\n"
	case Lines:
		event = "data: " + strings.ReplaceAll(string(message), `,"`, ",\ndata: \"") + "\n\n"
	case NoBlankLine:
		event = "data:" + string(message)
	case Unframed:
		event = string(message)
	case NoReply:
		event = ": nothing\n\n"
	case Garbage:
		event = "event: ping\ndata: {}\n\ndata: hello\n\n" + event
	}
	return []byte(event)
}

func (a *answerer) write(p []byte) {
	_, _ = a.w.Write(p)
	a.flush()
}

func (a *answerer) flush() {
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pause reports whether the client is still there after it.
func (a *answerer) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-a.req.Context().Done():
		return false
	}
}

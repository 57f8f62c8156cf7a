package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// runCall calls one tool on the same path as a client's call and prints the payload and the envelope. Without
// JSON the arguments are absent; "-" reads them from standard input.
func runCall(ctx context.Context, p *program, o options, args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return misused(withHint(fmt.Errorf("call takes a tool and its arguments as one JSON object, quoted as one word"), callHint))
	}
	params := append([]byte(`{"name":`), tools.AppendString(nil, args[0])...)
	if len(args) == 2 {
		text := []byte(args[1])
		if args[1] == "-" {
			var err error
			if text, err = io.ReadAll(io.LimitReader(p.in, maxMessage+1)); err != nil {
				return fmt.Errorf("reading the arguments: %w", err)
			}
			if len(text) > maxMessage {
				return fmt.Errorf("the arguments are longer than %d bytes; nothing was done", maxMessage)
			}
		}
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // PowerShell puts a byte order mark into its pipes
		if err := argumentFault(text); err != nil {
			return misused(withHint(err, callHint))
		}
		params = append(append(params, `,"arguments":`...), text...)
	}
	reply, err := p.oneShot(ctx, o, "tools/call", append(params, '}'))
	if err != nil {
		return err
	}
	return p.printResult(args[0], reply, o.json)
}

// callHint shows both ways to give arguments: shells differ in their quotes, and "-" needs none.
const callHint = `for example: hanzo-mcp call fs '{"action":"list","path":"."}' or, with the JSON on standard input: hanzo-mcp call fs -`

// argumentFault says what is wrong with the text of arguments, nil for a JSON object or null.
func argumentFault(text []byte) error {
	var v any
	err := json.Unmarshal(text, &v)
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the arguments are empty; for none leave them out")
	case text[0] == '\'':
		return errors.New("the arguments are not valid JSON: they begin with a single quote, which this shell does not take away")
	case errors.As(err, &syntax):
		return fmt.Errorf("the arguments are not valid JSON: %w at byte %d", err, syntax.Offset)
	case err != nil:
		return fmt.Errorf("the arguments are not valid JSON: %w", err)
	}
	if _, object := v.(map[string]any); !object && v != nil {
		return errors.New("the arguments are JSON, but no object: names and values in braces")
	}
	return nil
}

// oneShot starts a server, sends it one request as a client would and gives its reply.
func (p *program) oneShot(ctx context.Context, o options, method string, params []byte) (door.Reply, error) {
	s := newServer(p.ui, o, p.getenv)
	defer s.close()
	peer := s.newPeer(ctx, "cli-"+runID(), func([]byte) {})
	s.addPeer(peer)
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, door.OneLine(params))
	m, err := door.Split(line)
	if err != nil {
		return door.Reply{}, err
	}
	if s.door != nil && method == "tools/call" && !s.ours[m.Name] {
		s.door.List(ctx, listWait) // says which arguments travel in headers too, and which tools only read
	}
	f := peer.begin(ctx, m, func([]byte) {})
	defer f.end()
	answered := make(chan door.Reply, 1)
	go func() { answered <- s.answer(f) }()
	select {
	case reply := <-answered:
		if method == "tools/list" {
			s.tellUnlisted()
		}
		atWork := func(j *job.Job) bool { return j.State().Status == job.Running }
		if slices.ContainsFunc(s.jobs.List(peer.session.ID), atWork) {
			s.ui.warnf("what this call left at work in the background ends now, with its program; `hanzo-mcp serve` keeps such work")
		}
		return reply, nil
	case <-ctx.Done():
	}
	select { // a tool that is told to end gets a moment to say so
	case reply := <-answered:
		return reply, nil
	case <-time.After(abandonLimit):
		return door.Reply{}, fmt.Errorf("%s was ended: %w", method, ctx.Err())
	}
}

// tellUnlisted says that a list is without the door's tools since it has not answered yet; a failure is said by the door
// itself.
func (s *server) tellUnlisted() {
	if s.door == nil {
		return
	}
	if st := s.door.State(); !st.Answered && st.Failure == "" {
		s.ui.warnf("%s has not answered within %v: its tools are not in this list", st.URL, listWait)
	}
}

// runListTools prints the tools that a client would see, one a line, or the result as JSON.
func runListTools(ctx context.Context, p *program, o options, _ []string) error {
	o.noDoor = o.noDoor || o.local
	reply, err := p.oneShot(ctx, o, "tools/list", []byte("{}"))
	if err != nil {
		return err
	}
	if reply.Error != nil {
		return fmt.Errorf("tools/list: %s", reply.Error)
	}
	if o.json {
		_, err := fmt.Fprintf(p.out, "%s\n", reply.Result)
		return err
	}
	var list struct {
		Tools []struct{ Name, Title, Description string }
	}
	if err := json.Unmarshal(reply.Result, &list); err != nil {
		return fmt.Errorf("reading the list: %w", err)
	}
	for _, t := range list.Tools {
		line, _, _ := strings.Cut(t.Description, "\n")
		fmt.Fprintf(p.out, "%-20s %s\n", t.Name, line)
	}
	return nil
}

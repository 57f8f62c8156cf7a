package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/door"
)

// listWait is how long the first tools/list waits for the door.
const listWait = 2 * time.Second

// listing is a merged list: the local tools, then the door's, as they go out.
type listing struct {
	tools    []byte // the JSON array
	count    int
	omitted  []string // by --max-tools
	hidden   int      // door tools left out since the server is read-only
	theirs   []door.Tool
	doorMeta []byte
	ttl      time.Duration
}

// listTools answers tools/list.
func (s *server) listTools(f *inflight) door.Reply {
	if r, bad := cursorFault(&f.msg); bad {
		return r
	}
	if !f.peer.asksRoots(&f.msg) {
		s.settle(f.peer, s.clientRoots(f.peer)) // what the project's settings switch off must not be listed
	}
	l := s.merged(f.ctx, f.peer, listWait)
	f.peer.listedAs(l)
	s.tellOmitted(l)

	b := make([]byte, 0, len(l.tools)+512)
	b = append(append(b, `{"tools":`...), l.tools...)
	if f.msg.Modern() {
		b = append(b, `,"resultType":"complete"`...)
	}
	b = strconv.AppendInt(append(b, `,"ttlMs":`...), l.ttl.Milliseconds(), 10)
	b = append(b, `,"cacheScope":"private"`...)
	b = append(b, s.listMeta(l, f.msg.Modern())...)
	return door.Reply{Result: append(b, '}')}
}

// cursorFault refuses a list request that asks for another page than the first: none has more.
func cursorFault(m *door.Message) (door.Reply, bool) {
	if cursor := member(m.Params, "cursor"); cursor == nil || string(cursor) == "null" || string(cursor) == `""` {
		return door.Reply{}, false
	}
	return rpcError(mcp.INVALID_PARAMS, "unknown cursor: the whole list is one page, ask without a cursor"), true
}

// listMeta joins the door's _meta with what we have to say, "" when there is nothing.
func (s *server) listMeta(l *listing, modern bool) string {
	var more []string
	if modern {
		more = append(more, `"io.modelcontextprotocol/serverInfo":`+s.serverInfo)
	}
	if len(l.omitted) > 0 {
		names, _ := json.Marshal(l.omitted)
		more = append(more, `"hanzo-mcp/omitted":`+string(names))
	}
	if l.hidden > 0 {
		more = append(more, fmt.Sprintf(`"hanzo-mcp/read_only_hidden":%d`, l.hidden))
	}
	// What we say ourselves is not the door's to say.
	theirs := without(l.doorMeta, "hanzo-mcp/omitted", "hanzo-mcp/read_only_hidden", "io.modelcontextprotocol/serverInfo")
	if body := theirs[1 : len(theirs)-1]; len(body) > 0 {
		more = append(more, string(body))
	}
	if len(more) == 0 {
		return ""
	}
	var b bytes.Buffer
	b.WriteString(`,"_meta":{`)
	for i, m := range more {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m)
	}
	b.WriteByte('}')
	return b.String()
}

// merged makes the list for one client. The door's answer is waited for at most wait.
func (s *server) merged(ctx context.Context, p *peer, wait time.Duration) *listing {
	l := &listing{}
	ours := s.offered(p) // while the door answers
	var theirs door.Listing
	if s.door != nil {
		theirs = s.door.List(ctx, wait)
		l.theirs, l.doorMeta, l.ttl = theirs.Tools, theirs.Meta, theirs.TTL
	}
	readOnly := s.readOnly(p)
	size := 2
	for _, t := range theirs.Tools {
		size += len(t.Raw) + 1
	}
	b := append(make([]byte, 0, size+32<<10), '[')
	add := func(raw []byte) {
		if l.count > 0 {
			b = append(b, ',')
		}
		b = append(b, raw...)
		l.count++
	}
	for _, t := range ours {
		add(t.schema)
	}
	for _, t := range theirs.Tools {
		switch {
		case s.switchedOff(p, t.Name):
		case readOnly && !t.ReadOnly:
			l.hidden++
		case s.opts.maxTools > 0 && l.count >= s.opts.maxTools:
			l.omitted = append(l.omitted, t.Name)
		default:
			add(t.Raw)
		}
	}
	l.tools = append(b, ']')
	s.listed.Store(int64(len(l.tools)))
	return l
}

// offeredTool is a local tool as a client sees it.
type offeredTool struct {
	name   string
	schema []byte
}

// offered lists the local tools of a client: what flags, settings and its mode leave, in their order.
func (s *server) offered(p *peer) []offeredTool {
	readOnly, mode := s.readOnly(p), p.session.Mode()
	var list []offeredTool
	for _, name := range localNames {
		t := s.tool(name)
		if t == nil || !s.enabled(p, name) || mode != nil && mode.Tools != nil && name != "mode" && !mode.Tools[name] {
			continue
		}
		list = append(list, offeredTool{name, s.schema(t, readOnly || mode != nil && mode.ReadOnly)})
	}
	return list
}

// tellOmitted says once each on stderr what --max-tools left out or could not, that nothing is listed, and which names of
// --disable-tools no listed tool has: a switch that fails open without a word is worse than none.
func (s *server) tellOmitted(l *listing) {
	switch {
	case len(l.omitted) > 0:
		s.omittedOnce.Do(func() {
			s.ui.warnf("--max-tools %d leaves %d tools of the door out of the list (the local ones are always in it; --tools chooses among them); they can still be called", s.opts.maxTools, len(l.omitted))
		})
	case s.opts.maxTools > 0 && l.count > s.opts.maxTools:
		s.omittedOnce.Do(func() {
			s.ui.warnf("--max-tools %d: the %d local tools are listed all the same; --tools chooses among them", s.opts.maxTools, l.count)
		})
	case l.count == 0:
		s.omittedOnce.Do(func() {
			s.ui.warnf("no tool is offered: the flags and settings leave no local one, and the door lists none")
		})
	}
	if len(l.theirs) == 0 {
		return
	}
	s.unmatchedOnce.Do(func() {
		for _, pattern := range s.opts.disable {
			names, err := newToolNames([]string{pattern})
			if err == nil && !slices.ContainsFunc(localNames, names.has) && !slices.ContainsFunc(l.theirs, func(t door.Tool) bool { return names.has(t.Name) }) {
				s.ui.warnf("--disable-tools %s: no tool that is listed now has such a name", pattern)
			}
		}
	})
}

// switchedOff reports whether --disable-tools or the settings take a tool out, local or the door's.
func (s *server) switchedOff(p *peer, name string) bool {
	if s.disabled.has(name) {
		return true
	}
	st := p.place.Load()
	if st == nil {
		return false // nothing is listed or called before the place is settled, but a first list of 2026-07-28
	}
	if allow := st.settings.ToolsAllow(); allow.IsSet() && !st.on.has(name) && (isLocal(name) || len(allow.V) > 0) {
		return true
	}
	return st.off.has(name)
}

// listedAs remembers what the client was given, so that it hears only of changes.
func (p *peer) listedAs(l *listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed = l.sum()
}

func (l *listing) sum() []byte {
	sum := sha256.Sum256(l.tools)
	return sum[:]
}

// doorChanged is called when the door's list is another than before.
func (s *server) doorChanged() {
	for _, p := range s.allPeers() {
		go s.relist(p) // a client that does not read must not keep the others waiting
	}
}

// relist tells a client that has listed when the list would be another now.
func (s *server) relist(p *peer) {
	p.mu.Lock()
	before := p.listed
	p.mu.Unlock()
	if before == nil {
		return
	}
	if l := s.merged(context.Background(), p, 0); !bytes.Equal(before, l.sum()) {
		p.listedAs(l)
		p.listChanged()
	}
}

// listedTool is a tool as tools/list shows it, nil when it is not known here.
func (s *server) listedTool(name string) []byte {
	if t := s.tool(name); t != nil {
		return s.schema(t, false)
	}
	if s.door != nil {
		for _, t := range s.door.List(context.Background(), 0).Tools {
			if t.Name == name {
				return t.Raw
			}
		}
	}
	return nil
}

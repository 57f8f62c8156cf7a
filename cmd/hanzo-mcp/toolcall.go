package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// localNames are the names that belong to this machine, on or off, in the order of tools/list. The door's tools of
// these names stay hidden unless --door-tools gives a name away: else a model's fs.write could be posted to the cloud.
var localNames = []string{"fs", "exec", "git", "code", "fetch", "workspace", "ui", "think", "memory", "plan", "tasks", "mode"}

// callTool answers tools/call: a local tool by name, else the door.
func (s *server) callTool(f *inflight) door.Reply {
	if s.door != nil {
		s.door.Refresh()
	}
	name := f.msg.Name
	if f.msg.NameRaw == nil || name == "" {
		return rpcError(mcp.INVALID_PARAMS, "tools/call needs params.name, the name of a tool")
	}
	if s.ours[name] {
		if word := misplaced(f.msg); word != "" {
			return rpcError(mcp.INVALID_PARAMS, fmt.Sprintf(`tools/call takes what a tool is given as "arguments", not %q; nothing was done`, word))
		}
		return s.callLocal(f, s.tool(name))
	}
	local := s.reserved(name)
	action := ""
	if local == "" {
		local, action = s.meant(name)
	}
	if local != "" {
		text := fmt.Sprintf("there is no tool %q; the local one is called %s", name, local)
		if action != "" {
			text += fmt.Sprintf(`, with "action":%q in the arguments`, action)
		}
		return s.result(tools.Refusal(name, tools.Errorf(tools.NotFound, "%s. Nothing was sent", text).With(tools.Details{Nearest: local})), f.msg.Modern())
	}
	return s.forward(f)
}

// misplaced is the member of params in which a call without arguments has put them, "" when there is none.
func misplaced(m door.Message) string {
	if m.Arguments == nil {
		for _, word := range []string{"args", "input", "parameters", "params"} {
			if raw := member(m.Params, word); len(raw) > 2 && raw[0] == '{' {
				return word
			}
		}
	}
	return ""
}

// maxForwards is how many forwarded calls are under way at once; more wait. Each may hold a connection and an answer.
const maxForwards = 64

func (s *server) callLocal(f *inflight, t *tools.Tool) door.Reply {
	modern := f.msg.Modern()
	pl, round := s.placeOf(f)
	if round != nil {
		return door.Reply{Result: round}
	}
	if t == nil || !s.enabled(f.peer, f.msg.Name) {
		return s.result(tools.Refusal(f.msg.Name, tools.Errorf(tools.Unsupported,
			"%s is switched off in this server (--tools, --disable-tools or tools.deny); use the tools that are listed", f.msg.Name)), modern)
	}
	c, err := tools.Prepare(t, f.msg.Arguments, f.peer.session)
	if err != nil {
		return s.result(c.Fail(err), modern)
	}
	p := s.startProgress(f)
	c.Progress = p.report
	out, err := s.gate.Local(f.ctx, c, &pl.guard, tools.Caller{Ask: s.asker(f), Secrets: s.secrets(), Hold: f.hold})
	p.stop()
	var in *tools.InputRequired
	if errors.As(err, &in) {
		return door.Reply{Result: in.Result}
	}
	return s.result(out, modern)
}

func (s *server) result(out *tools.Output, modern bool) door.Reply {
	return door.Reply{Result: s.resultBytes(out, modern)}
}

// resultBytes writes an output as a CallToolResult; a 2026-07-28 caller also gets resultType and who we are.
func (s *server) resultBytes(out *tools.Output, modern bool) []byte {
	b := out.AppendResult(make([]byte, 0, len(out.Text)+len(out.Text)/8+1024), s.secrets())
	if modern {
		b = append(b[:len(b)-1], `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":`...)
		b = append(append(b, s.serverInfo...), "}}"...)
	}
	return b
}

// forward sends a call to the door: the same bytes there, the same bytes back.
func (s *server) forward(f *inflight) door.Reply {
	m, modern := f.msg, f.msg.Modern()
	if s.door == nil {
		return s.result(tools.Refusal(m.Name, tools.Errorf(tools.NotFound,
			"there is no local tool %q, and the door to the cloud is switched off (--no-door)", m.Name)), modern)
	}
	pl, round := s.placeOf(f)
	if round != nil {
		return door.Reply{Result: round}
	}
	if s.switchedOff(f.peer, m.Name) {
		return s.result(tools.Refusal(m.Name, tools.Errorf(tools.Unsupported,
			"%s is switched off in this server (--disable-tools or tools.deny); use the tools that are listed", m.Name)), modern)
	}
	if !s.door.Known(m.Name) && (pl.guard.ReadOnly || len(pl.settings.Rules()) > 0) {
		s.door.List(f.ctx, listWait) // says whether the tool only reads
	}
	fw := tools.Forwarded{
		Tool: m.Name, Op: textMember(m.Arguments, "op"), Known: s.door.Known(m.Name), ReadOnly: s.door.ReadOnly(m.Name), Input: m.Arguments,
	}
	var reply door.Reply
	_, err := s.gate.Forward(f.ctx, f.peer.session, fw, &pl.guard, s.asker(f), func(w string) { s.ui.warnf("%s", w) },
		func(ctx context.Context) []byte {
			sent := false
			caller := door.Caller{Modern: modern, Hops: f.hops, Before: func(ctx context.Context) error {
				if err := s.forwards.Acquire(ctx, 1); err != nil {
					return err
				}
				sent = true
				f.hold(func() { s.forwards.Release(1) })
				return nil
			}}
			if m.ProgressToken != nil {
				caller.Notify = f.send
			}
			reply = s.door.Call(ctx, caller, stripRound(m))
			switch {
			case reply.Canceled && sent:
				reply = rpcError(mcp.INTERNAL_ERROR, "the call of "+m.Name+" was ended: its session is over, or the server is shutting down. The call may have been carried out: look before you make it again.")
			case reply.Canceled:
				reply = rpcError(mcp.INTERNAL_ERROR, "the call of "+m.Name+" was ended before it was sent")
			}
			if reply.Error != nil {
				return reply.Error
			}
			return reply.Result
		})
	var in *tools.InputRequired
	switch {
	case errors.As(err, &in):
		return door.Reply{Result: in.Result}
	case err != nil:
		return s.result(tools.Refusal(m.Name, err), modern)
	}
	if f.approved != nil && textMember(reply.Result, "resultType") == "input_required" {
		s.approvals.grant(f.approved) // the client calls again with the door's state: that call was approved already
	}
	return reply
}

// enabled reports whether a local tool is offered to this client at all: flags and settings.
func (s *server) enabled(p *peer, name string) bool {
	if s.opts.toolsSet && !slices.Contains(s.opts.tools, name) {
		return false
	}
	return !s.switchedOff(p, name)
}

package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// promptLimit is how long the user has to answer a prompt.
const promptLimit = 2 * time.Minute

// statePrefix marks a requestState as ours: the door may use the same member.
const statePrefix = "hanzo-mcp."

// asker gives the way to ask the user of this call's client, nil when there is none: elicitation for legacy
// clients, a round trip for 2026-07-28.
func (s *server) asker(f *inflight) tools.Asker {
	if f.msg.Modern() {
		if !parseCaps(f.msg.Capabilities).elicitation {
			return nil
		}
		return func(ctx context.Context, q tools.Question) (bool, string, error) { return s.approvals.round(f, q) }
	}
	f.peer.mu.Lock()
	can := f.peer.caps.elicitation
	f.peer.mu.Unlock()
	if !can || f.deaf {
		return nil
	}
	return func(ctx context.Context, q tools.Question) (bool, string, error) {
		ctx, cancel := context.WithTimeout(ctx, promptLimit)
		defer cancel()
		m, err := f.peer.request(ctx, f.send, "elicitation/create", string(elicitation(q.Text)))
		if err != nil {
			if ctx.Err() == context.DeadlineExceeded {
				return false, "nobody answered within 2 minutes", nil
			}
			return false, "", err
		}
		return accepted(m.Result)
	}
}

func elicitation(text string) []byte {
	b := tools.AppendString([]byte(`{"mode":"form","message":`), text)
	return append(b, `,"requestedSchema":{"type":"object","properties":{}}}`...)
}

func accepted(result []byte) (bool, string, error) {
	var r struct {
		Action string `json:"action"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return false, "the client's answer could not be read", nil
	}
	return r.Action == "accept", "the user answered " + r.Action, nil
}

// approvals are the rounds of 2026-07-28: the state that the client carries names the call it is good for, is
// signed, ends after promptLimit and counts once.
type approvals struct {
	key  [32]byte
	mu   sync.Mutex
	used map[string]time.Time // nonces of states that were spent, until they end
	more map[string]time.Time // calls that were approved and whose door asked for more, until that ends
	now  func() time.Time
}

func newApprovals() *approvals {
	// Time since the start, which nobody can set: a clock that goes forth and back must not make a spent state good again.
	begun := time.Now()
	now := func() time.Time { return begun.Add(time.Since(begun)) }
	a := &approvals{used: map[string]time.Time{}, more: map[string]time.Time{}, now: now}
	_, _ = rand.Read(a.key[:]) // never fails
	return a
}

type approvalState struct {
	Nonce  []byte `json:"n"`
	Call   []byte `json:"c"` // hash of the question's binding
	Expiry int64  `json:"e"` // Unix seconds
}

// round reads the answer that came with the call, or asks for one.
func (a *approvals) round(f *inflight, q tools.Question) (bool, string, error) {
	call := sha256.Sum256(q.Bound)
	state, answer := roundTrip(f.msg.Params, "approval")
	if strings.HasPrefix(state, statePrefix) && answer != nil {
		if !a.spend(state, call[:]) {
			return false, "the approval is for another call, used up, or too old; call again to be asked anew", nil
		}
		ok, reason, err := accepted(answer)
		if ok {
			f.approved = call[:]
		}
		return ok, reason, err
	}
	if state != "" && a.granted(call[:]) {
		f.approved = call[:]
		return true, "", nil
	}
	st := approvalState{Call: call[:], Expiry: a.now().Add(promptLimit).Unix(), Nonce: make([]byte, 16)}
	_, _ = rand.Read(st.Nonce)
	return false, "", &tools.InputRequired{Result: inputRequired(
		`"approval":{"method":"elicitation/create","params":`+string(elicitation(q.Text))+`}`, a.seal(st))}
}

func inputRequired(requests, state string) []byte {
	return []byte(`{"resultType":"input_required","inputRequests":{` + requests + `},"requestState":"` + state + `"}`)
}

// roundTrip takes our part of a retried call out of its params: the state and the answer to one request.
func roundTrip(params []byte, id string) (state string, answer []byte) {
	if !bytes.Contains(params, []byte("requestState")) {
		return "", nil
	}
	return textMember(params, "requestState"), member(member(params, "inputResponses"), id)
}

func (a *approvals) seal(st approvalState) string {
	body, _ := json.Marshal(st)
	return statePrefix + base64.RawURLEncoding.EncodeToString(append(a.mac(body), body...))
}

func (a *approvals) mac(body []byte) []byte {
	h := hmac.New(sha256.New, a.key[:])
	h.Write(body)
	return h.Sum(nil)
}

// spend reports whether the state is ours, for this call, in time and not used before, and uses it up.
func (a *approvals) spend(state string, call []byte) bool {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(state, statePrefix))
	if err != nil || len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size], a.mac(raw[sha256.Size:])) {
		return false
	}
	var st approvalState
	now := a.now()
	if json.Unmarshal(raw[sha256.Size:], &st) != nil || !hmac.Equal(st.Call, call) || now.Unix() > st.Expiry {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	expire(a.used, now)
	if _, again := a.used[string(st.Nonce)]; again {
		return false
	}
	a.used[string(st.Nonce)] = time.Unix(st.Expiry, 0).Add(time.Second)
	return true
}

func expire(m map[string]time.Time, now time.Time) {
	for key, end := range m {
		if now.After(end) {
			delete(m, key)
		}
	}
}

// grant lets a call that was approved go on once more: its door has asked the client for something.
func (a *approvals) grant(call []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	expire(a.more, a.now())
	a.more[string(call)] = a.now().Add(promptLimit)
}

// granted reports whether a call may go on, and uses that up.
func (a *approvals) granted(call []byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	end, ok := a.more[string(call)]
	delete(a.more, string(call))
	return ok && !a.now().After(end)
}

// stripRound takes our own round-trip members out of a message that goes on to the door, which has never seen
// them. A message that carries none of ours is left as it is, byte for byte.
func stripRound(m door.Message) door.Message {
	state, _ := roundTrip(m.Params, "")
	if !strings.HasPrefix(state, statePrefix) {
		return m
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	line = append(append(line, `,"method":"tools/call","params":`...), without(m.Params, "inputResponses", "requestState")...)
	if out, err := door.Split(append(line, '}')); err == nil {
		return out
	}
	return m
}

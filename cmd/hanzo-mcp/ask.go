package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
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
		var caps clientCaps
		if json.Unmarshal(f.msg.Capabilities, &caps) != nil || !caps.canElicit() {
			return nil
		}
		return func(ctx context.Context, q tools.Question) (bool, string, error) { return s.approvals.round(f, q) }
	}
	f.peer.mu.Lock()
	can := f.peer.caps.canElicit()
	f.peer.mu.Unlock()
	if !can {
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
	b := tools.AppendString([]byte(`{"mode":"form","message":`), "Allow "+text+"?")
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
	now  func() time.Time
}

func newApprovals() *approvals {
	a := &approvals{used: map[string]time.Time{}, now: time.Now}
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
		return accepted(answer)
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
	var in struct {
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
		RequestState   string                     `json:"requestState"`
	}
	if json.Unmarshal(params, &in) != nil {
		return "", nil
	}
	return in.RequestState, in.InputResponses[id]
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
	for nonce, end := range a.used {
		if now.After(end) {
			delete(a.used, nonce)
		}
	}
	if _, again := a.used[string(st.Nonce)]; again {
		return false
	}
	a.used[string(st.Nonce)] = time.Unix(st.Expiry, 0).Add(time.Second)
	return true
}

// stripRound takes our own round-trip members out of a message that goes on to the door, which has never seen
// them. A message that carries none of ours is left as it is, byte for byte.
func stripRound(m door.Message) door.Message {
	state, _ := roundTrip(m.Params, "")
	if !strings.HasPrefix(state, statePrefix) {
		return m
	}
	params, err := without(m.Params, "inputResponses", "requestState")
	if err != nil {
		return m
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
	line = append(append(line, `,"method":"tools/call","params":`...), params...)
	if out, err := door.Split(append(line, '}')); err == nil {
		return out
	}
	return m
}

// without gives a JSON object without some members; the bytes of the others stay as they are.
func without(object []byte, names ...string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if slices.Contains(names, name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(tools.AppendString(out, name), ':'), value...)
	}
	return append(out, '}'), nil
}

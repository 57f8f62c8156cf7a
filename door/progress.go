package door

import (
	"bytes"
	"strconv"
	"sync"
	"time"
)

const (
	tickEvery   = 5 * time.Second
	maxProgress = 64 << 10 // bytes of one notification
	maxBurst    = 50       // notifications of the door that are passed on in a second
)

// progress passes the door's progress of one call on, and until there is any
// makes one notification each 5 s, so that the client does not give up. A nil
// *progress does nothing.
type progress struct {
	client *Client
	notify func([]byte)
	token  []byte

	mu     sync.Mutex
	timer  *time.Timer
	start  time.Time
	ticks  int
	last   float64
	sent   bool // last counts
	door   bool // the door has sent one
	ended  bool
	second time.Time
	burst  int
	held   []byte  // the last of the door's that came too fast, waits for its turn
	value  float64 // of held
}

func (c *Client) startProgress(caller Caller, token []byte) *progress {
	if caller.Notify == nil || token == nil {
		return nil
	}
	p := &progress{client: c, notify: caller.Notify, token: token, start: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(tickEvery, p.tick)
	return p
}

// stop returns when the last notification has been passed on; with flush that
// is the last one of the door's, which may say that all is done.
func (p *progress) stop(flush bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if flush {
		p.release()
	}
	p.ended = true
	p.timer.Stop()
}

// release passes on what was held back. The caller holds p.mu.
func (p *progress) release() {
	if p.held != nil {
		p.second, p.burst = time.Now(), 1
		p.pass(p.value, p.held)
	}
}

// tick counts in millionths, to leave room for the door: its values, which come
// after ours, must be higher.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return
	case p.door:
		p.release()
		return
	}
	p.ticks++
	value := float64(p.ticks) / 1e6
	message := append([]byte(nil), progressHead...)
	message = append(append(message, `{"progressToken":`...), p.token...)
	message = append(append(message, `,"progress":`...), strconv.FormatFloat(value, 'f', -1, 64)...)
	message = append(append(message, `,"message":`...), jsonString("waiting for the door, "+time.Since(p.start).Round(time.Second).String())...)
	p.pass(value, append(message, "}}"...))
	p.timer.Reset(tickEvery)
}

const progressHead = `{"jsonrpc":"2.0","method":"notifications/progress","params":`

// fromDoor takes a message of the door that is no reply. Progress goes on with
// the caller's token in the place of the door's spelling of it, if its value has
// risen.
func (p *progress) fromDoor(data []byte) {
	if p == nil || len(data) > maxProgress {
		return
	}
	m, err := Split(data)
	if err != nil || m.Method != "notifications/progress" || !m.IsNotification() || m.Params == nil {
		return
	}
	var from, to int
	value, err := 0.0, strconv.ErrSyntax
	s := scanner{b: m.Params}
	for s.enter(); s.member(); {
		at := s.i
		switch string(s.name()) {
		case "progressToken":
			from, to = at, at+len(s.value(2))
		case "progress":
			value, err = strconv.ParseFloat(string(s.value(2)), 64)
		default:
			s.value(2)
		}
	}
	if from == 0 || err != nil {
		return
	}
	message := append([]byte(progressHead), m.Params[:from]...)
	message = append(append(append(message, p.token...), m.Params[to:]...), '}')
	message, _ = p.client.redact(OneLine(message), bytes.IndexByte(message, '\\') >= 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.second) >= time.Second {
		p.second, p.burst = now, 0
	}
	p.burst++
	switch {
	case p.ended || p.sent && value <= p.last || p.held != nil && value <= p.value || !valid(message):
		return
	case p.burst > maxBurst:
		if p.held == nil {
			p.timer.Reset(p.second.Add(time.Second).Sub(now))
		}
		p.held, p.value = message, value
		return
	}
	p.door = true
	p.pass(value, message)
}

// pass sends one on, in the place of any that was held back: its value is higher.
func (p *progress) pass(value float64, message []byte) {
	p.last, p.sent, p.held = value, true, nil
	p.notify(message)
}

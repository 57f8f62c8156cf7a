package lsp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// Config is what servers are started with.
type Config struct {
	Launcher *launch.Launcher
	Look     func(name string) (string, error)
	Environ  func() []string
	Done     <-chan struct{} // ends all servers when closed; nil: never
}

const (
	maxServers = 8 // alive at once; the one used longest ago is ended for a new one
	healthy    = time.Minute
	maxBackoff = time.Minute
)

// Pool keeps one server for each spec and root.
type Pool struct {
	cfg Config

	mu      sync.Mutex
	servers map[string]*slot
	clock   int64
	closed  bool
}

// slot is the place of one server.
type slot struct {
	turn chan struct{} // held while the server is started
	used int64

	client *Client
	fails  int
	next   time.Time // not started before
	why    error
}

// NewPool starts nothing.
func NewPool(cfg Config) *Pool {
	p := &Pool{cfg: cfg, servers: map[string]*slot{}}
	if cfg.Done != nil {
		go func() {
			<-cfg.Done
			p.Close()
		}()
	}
	return p
}

// Get gives the running server of a spec for a root, started when there is none. A server that keeps ending is tried
// again with growing pauses, in which Get is an error that says why.
func (p *Pool) Get(ctx context.Context, spec *Spec, program, root string) (*Client, error) {
	s, err := p.slot(spec, root)
	if err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.client != nil {
		retired := s.client.retired.Load()
		if s.client.Alive() && !retired {
			return s.client, nil
		}
		if !retired {
			s.failed(s.client.explain(ErrEnded), time.Since(s.client.started))
		}
		s.client = nil
	}
	if wait := time.Until(s.next); wait > 0 {
		return nil, fmt.Errorf("%s keeps ending (%w); it is started again in %d s", spec.Name, s.why, int(wait.Seconds())+1)
	}
	c, err := start(ctx, p.cfg, spec, program, root)
	if err != nil {
		if ctx.Err() == nil {
			s.failed(err, 0)
		}
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed
	s.client = c
	p.mu.Unlock()
	if closed {
		c.kill()
		return nil, launch.ErrClosed
	}
	return c, nil
}

func (s *slot) failed(why error, lived time.Duration) {
	s.why = why
	if lived > healthy {
		s.fails = 0
		return
	}
	s.fails++
	if s.fails > 1 { // the first time it may be started again at once
		s.next = time.Now().Add(min(time.Second<<min(s.fails-2, 10), maxBackoff))
	}
}

func (p *Pool) slot(spec *Spec, root string) (*slot, error) {
	key := spec.Name + "\x00" + root
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, launch.ErrClosed
	}
	p.clock++
	s := p.servers[key]
	if s == nil {
		p.makeRoom(spec)
		s = &slot{turn: make(chan struct{}, 1)}
		p.servers[key] = s
	}
	s.used = p.clock
	return s, nil
}

// makeRoom ends the server that was used longest ago, when there are too many: of a spec, or of all.
func (p *Pool) makeRoom(spec *Spec) {
	oldest, n := p.oldest(spec.Name + "\x00")
	if spec.most <= 0 || n < spec.most {
		if oldest, n = p.oldest(""); n < maxServers {
			return
		}
	}
	old := p.servers[oldest]
	delete(p.servers, oldest)
	go func() {
		old.turn <- struct{}{} // never given back: nobody finds it any more
		if old.client != nil {
			old.client.close()
		}
	}()
}

// oldest gives which server of those whose keys begin so was used longest ago, and how many there are.
func (p *Pool) oldest(prefix string) (oldest string, n int) {
	for key, s := range p.servers {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if n++; n == 1 || s.used < p.servers[oldest].used {
			oldest = key
		}
	}
	return oldest, n
}

// Close ends all servers; the pool starts no more.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	var clients []*Client
	for _, s := range p.servers {
		if s.client != nil {
			clients = append(clients, s.client)
		}
	}
	p.mu.Unlock()
	var group sync.WaitGroup
	for _, c := range clients {
		group.Go(c.close)
	}
	group.Wait()
}

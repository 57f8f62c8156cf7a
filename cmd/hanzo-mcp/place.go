package main

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// rootsWait is how long a client has to tell its roots.
const rootsWait = 2 * time.Second

// place is where a session's calls happen: settled roots, and all that is in force there. It never changes; other
// roots make another place.
type place struct {
	guard    tools.Guard
	settings *settings.Settings
	path     *launch.Path // the cleaned PATH: nothing of the roots is on it
	cache    []string     // environment that points toolchains at caches of their own
}

// placeKeeper keeps the places that were made, by their roots, so that sessions share them.
type placeKeeper struct {
	mu     sync.Mutex
	places map[string]*place
}

// placeOf gives the place of a call, settling it when it is not yet known. For a 2026-07-28 client that has roots it
// may give the result of a round trip to answer with instead.
func (s *server) placeOf(f *inflight) (*place, []byte) {
	p := f.peer
	if pl := p.place.Load(); pl != nil {
		return pl, nil
	}
	if f.msg.Modern() && !p.remote && len(s.opts.projectDirs) == 0 {
		var caps clientCaps
		if json.Unmarshal(f.msg.Capabilities, &caps) == nil && caps.Roots != nil {
			state, answer := roundTrip(f.msg.Params, "roots")
			if answer == nil && state != statePrefix+"roots" {
				return nil, inputRequired(`"roots":{"method":"roots/list"}`, statePrefix+"roots")
			}
			return s.settle(f.ctx, p, func(context.Context) []string { return rootDirs(answer) }), nil
		}
	}
	return s.settle(f.ctx, p, s.clientRoots(p)), nil
}

// settleFromFlags settles a session whose roots the command line gives.
func (s *server) settleFromFlags(ctx context.Context, p *peer) {
	if len(s.opts.projectDirs) > 0 {
		s.settle(ctx, p, nil)
	}
}

// settleFromClient asks a legacy client for its roots once it has initialized, and again when they changed.
func (s *server) settleFromClient(ctx context.Context, p *peer, changed bool) {
	if len(s.opts.projectDirs) > 0 || p.remote {
		return
	}
	if changed {
		p.place.Store(nil)
	}
	s.settle(ctx, p, s.clientRoots(p))
}

// clientRoots gives the way to ask a legacy client for its roots, nil when it has none.
func (s *server) clientRoots(p *peer) func(context.Context) []string {
	p.mu.Lock()
	has := p.caps.Roots != nil
	p.mu.Unlock()
	if !has || p.remote {
		return nil
	}
	return func(ctx context.Context) []string {
		ctx, cancel := context.WithTimeout(ctx, rootsWait)
		defer cancel()
		m, err := p.request(ctx, p.send, "roots/list", "")
		if err != nil {
			s.ui.warnf("the client did not tell its roots: %v", err)
			return nil
		}
		return rootDirs(m.Result)
	}
}

// rootDirs reads the folders out of a roots/list result; what is no file: URI is passed over.
func rootDirs(result []byte) []string {
	var in struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if json.Unmarshal(result, &in) != nil {
		return nil
	}
	var dirs []string
	for _, r := range in.Roots {
		if u, err := url.Parse(r.URI); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
			dirs = append(dirs, r.URI)
		}
	}
	return dirs
}

// settle gives the session its place: the roots of the flags, else those the client tells, else the working folder.
func (s *server) settle(ctx context.Context, p *peer, ask func(context.Context) []string) *place {
	p.roots.Lock()
	defer p.roots.Unlock()
	if pl := p.place.Load(); pl != nil {
		return pl
	}
	var dirs []string
	switch {
	case len(s.opts.projectDirs) > 0:
		dirs = s.absolute(s.opts.projectDirs)
	case ask != nil:
		dirs = ask(ctx)
	}
	if len(dirs) == 0 && len(s.opts.projectDirs) == 0 {
		var why string
		if dirs, why = sandbox.DefaultRoots(s.env.wd, s.env.home); len(dirs) == 0 {
			s.ui.infof("no project folder: %s", why)
		}
	}
	pl := s.placeAt(dirs)
	p.place.Store(pl)
	s.current.Store(pl)
	s.relist(p)
	return pl
}

func (s *server) absolute(dirs []string) []string {
	out := make([]string, len(dirs))
	for i, d := range dirs {
		if !filepath.IsAbs(d) && !strings.HasPrefix(d, "file://") && !strings.HasPrefix(d, "~") {
			d = filepath.Join(s.env.wd, d)
		}
		out[i] = d
	}
	return out
}

// placeAt gives the place with these roots, made once.
func (s *server) placeAt(dirs []string) *place {
	k := &s.places
	k.mu.Lock()
	defer k.mu.Unlock()
	key := strings.Join(dirs, "\x00")
	if pl := k.places[key]; pl != nil {
		return pl
	}
	pl := s.newPlace(dirs)
	if k.places == nil {
		k.places = map[string]*place{}
	}
	k.places[key] = pl
	return pl
}

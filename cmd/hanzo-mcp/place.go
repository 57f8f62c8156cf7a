package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/settings"
	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// rootsWait is how long a client has to tell its roots.
const (
	rootsWait = 2 * time.Second
	rootsLate = 5 * time.Minute // and how long a late answer is waited for, while calls go on without it
)

// place is where a session's calls happen: settled roots, and all that is in force there. It never changes; other
// roots make another place.
type place struct {
	guard    tools.Guard
	settings *settings.Settings
	path     *launch.Path  // the cleaned PATH: nothing of the roots is on it
	cache    []string      // environment that points toolchains at caches of their own
	confine  launch.Config // what its children may do
	outer    []string      // folders that were roots before it: commands of then may still write them
	off      toolNames     // tools that the settings switch off
	on       toolNames     // those they allow, when they say so

	trial sync.Once
	tried launch.Report // what confines children here, found by trying
}

// moved reports whether the folders of the place are others by now: one was replaced, as by a new clone, a link that was
// named leads elsewhere, or one that was missing is there.
func (p *place) moved() bool { return p.guard.Roots.Moved() }

// maxOuter bounds how many folders that were roots before are kept in mind.
const maxOuter = 100

// wasOpen lists the folders that were roots until now.
func (s *server) wasOpen() []string {
	pl := s.current.Load()
	if pl == nil {
		return nil
	}
	list := slices.Clone(pl.outer)
	for _, dir := range pl.guard.Roots.Projects() {
		if !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list[max(0, len(list)-maxOuter):]
}

// report is what confines the children of the place, tried once.
func (p *place) report(try func() launch.Report) launch.Report {
	p.trial.Do(func() { p.tried = try() })
	return p.tried
}

// settled is a place and the roots that it came from: a client whose roots have changed since has another round.
type settled struct {
	*place
	round int64
	told  told
}

// told are the roots that a client told, or those without one.
type told struct {
	dirs []string
	odd  []string // why others of them are no folders here
}

func (t told) empty() bool { return len(t.dirs)+len(t.odd) == 0 }

// sharedPlace is the place of clients that have no roots of their own.
type sharedPlace struct {
	mu sync.Mutex
	pl *place
}

// placeOf gives the place of a call, settling it when it is not yet known. For a 2026-07-28 client that has roots it
// may give the result of a round trip to answer with instead.
func (s *server) placeOf(f *inflight) (*place, []byte) {
	p := f.peer
	if pl := p.placeNow(); pl != nil {
		return pl, nil
	}
	if p.asksRoots(&f.msg) {
		state, answer := roundTrip(f.msg.Params, "roots")
		if answer == nil && state != statePrefix+"roots" {
			return nil, inputRequired(`"roots":{"method":"roots/list"}`, statePrefix+"roots")
		}
		return s.settle(p, func(context.Context) (told, error) { return rootDirs(answer) }), nil
	}
	return s.settle(p, s.clientRoots(p)), nil
}

// asksRoots reports whether a message comes from a 2026-07-28 client that is to be asked for its roots first.
func (p *peer) asksRoots(m *door.Message) bool {
	return m.Modern() && !p.remote && len(p.srv.opts.projectDirs) == 0 && parseCaps(m.Capabilities).roots
}

// placeNow is the settled place, nil when there is none, or the client's roots or the folders themselves have changed since.
func (p *peer) placeNow() *place {
	if st := p.place.Load(); st != nil && st.round == p.round.Load() && !st.moved() {
		return st.place
	}
	return nil
}

// clientRoots gives the way to ask a legacy client for its roots, nil when it has none.
func (s *server) clientRoots(p *peer) func(context.Context) (told, error) {
	p.mu.Lock()
	has := p.caps.roots
	p.mu.Unlock()
	if !has || p.remote || len(s.opts.projectDirs) > 0 {
		return nil
	}
	return func(ctx context.Context) (told, error) {
		late, cancel := context.WithTimeout(ctx, rootsLate)
		type reply struct {
			told
			err error
		}
		answer := make(chan reply, 1)
		go func() {
			defer cancel()
			m, err := p.request(late, p.send, "roots/list", "")
			if err != nil {
				answer <- reply{told{}, err}
				return
			}
			t, err := rootDirs(m.Result)
			answer <- reply{t, err}
		}()
		select {
		case a := <-answer:
			return a.told, a.err
		case <-time.After(rootsWait):
		case <-ctx.Done():
			return told{}, ctx.Err()
		}
		go func() { // it may ask its user: a late answer counts from then on
			if a := <-answer; a.err == nil && !a.empty() {
				p.round.Add(1)
				s.settle(p, func(context.Context) (told, error) { return a.told, nil })
			}
		}()
		return told{}, fmt.Errorf("no answer within %v", rootsWait)
	}
}

// rootDirs reads the folders out of a roots/list result: file: URIs, or paths, which some clients give, also without an
// object around them.
func rootDirs(result []byte) (told, error) {
	var in struct {
		Roots json.RawMessage `json:"roots"`
	}
	var list []json.RawMessage // null is empty: so some clients write no roots
	if json.Unmarshal(result, &in) != nil || json.Unmarshal(in.Roots, &list) != nil {
		return told{}, fmt.Errorf("its answer has no list of roots: %s", clipBytes(result, maxOdd))
	}
	var t told
	for _, raw := range list {
		var r struct {
			URI string `json:"uri"`
		}
		if json.Unmarshal(raw, &r.URI) != nil {
			_ = json.Unmarshal(raw, &r)
		}
		u, err := url.Parse(r.URI)
		plain, isFile := strings.CutPrefix(r.URI, "file://")
		switch {
		case filepath.IsAbs(r.URI), err == nil && u.Scheme == "file" && (u.Host == "" || strings.EqualFold(u.Host, "localhost")) && u.Fragment == "":
			t.dirs = append(t.dirs, r.URI)
		case isFile && filepath.IsAbs(plain): // with a "%" or "#" that was not escaped
			t.dirs = append(t.dirs, plain)
		default:
			t.odd = append(t.odd, "the client's root "+sandbox.Printable(clipBytes(raw, maxOdd))+" is no folder of this machine")
		}
	}
	return t, nil
}

// maxOdd is how many bytes of what a client told wrongly are shown.
const maxOdd = 200

// settle gives the session its place: the roots of the flags, else those the client tells, else the working folder. A
// client that fails to tell them keeps those that are in force. It asks again when the roots change meanwhile, and keeps
// nothing once the connection is ending.
func (s *server) settle(p *peer, ask func(context.Context) (told, error)) *place {
	p.roots.Lock()
	defer p.roots.Unlock()
	if ask == nil && len(s.opts.projectDirs) == 0 && p.remote {
		s.shared.mu.Lock()
		defer s.shared.mu.Unlock()
		if s.shared.pl == nil || s.shared.pl.moved() {
			s.shared.pl = s.newPlace(s.ownRoots())
		}
		s.adopt(p, settled{place: s.shared.pl, round: p.round.Load()})
		return s.shared.pl
	}
	for {
		if pl := p.placeNow(); pl != nil {
			return pl
		}
		round := p.round.Load()
		t := s.told(p, ask)
		pl := s.newPlace(t.dirs, t.odd...)
		if p.ctx.Err() != nil {
			return pl
		}
		s.adopt(p, settled{pl, round, t})
	}
}

// told gives the roots that the session is to have.
func (s *server) told(p *peer, ask func(context.Context) (told, error)) told {
	if ask == nil {
		return told{dirs: s.ownRoots()}
	}
	t, err := ask(p.ctx)
	before := p.place.Load()
	switch {
	case err != nil && before != nil:
		s.ui.warnf("the client did not tell its roots: %v; those in force stay", err)
		return before.told
	case err != nil:
		s.ui.warnf("the client did not tell its roots: %v", err)
	}
	if t.empty() {
		t.dirs = s.ownRoots()
	}
	for _, why := range t.odd {
		s.ui.warnf("%s; it is left out", why)
	}
	return t
}

// adopt makes a place the one in force for a session and for the children that start from now on.
func (s *server) adopt(p *peer, st settled) {
	p.place.Store(&st)
	s.current.Store(st.place)
	s.launcher.Reconfigure(st.confine)
	s.relist(p)
}

// ownRoots are the roots without a client: those of the flags, else the working folder by its rule.
func (s *server) ownRoots() []string {
	if len(s.opts.projectDirs) > 0 {
		return s.absolute(s.opts.projectDirs)
	}
	dirs, why := sandbox.DefaultRoots(s.env.wd, s.env.home)
	if len(dirs) == 0 {
		s.ui.infof("no project folder: %s", why)
	}
	return dirs
}

func (s *server) absolute(dirs []string) []string {
	out := make([]string, len(dirs))
	for i, d := range dirs {
		if !filepath.IsAbs(d) && !strings.HasPrefix(strings.ToLower(d), "file:/") && !strings.HasPrefix(d, "~") {
			d = filepath.Join(s.env.wd, d)
		}
		out[i] = d
	}
	return out
}

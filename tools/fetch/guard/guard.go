// Package guard decides which addresses fetch may connect to, and connects.
//
// The judgement falls in the dialer, on the address that a name led to, for every connection: a name cannot say
// one thing when it is looked at and another when it is used. Link-local and cloud metadata addresses are always
// refused, in every form that IPv6 knows to write an IPv4 address; private and special ranges unless the user
// allowed them; loopback only for a URL that names it literally.
//
// It must never judge by the text of a name alone (but for the names of metadata services, which have no other
// use), and never reach anything but the address it judged. It speaks no HTTP.
//
// Governing text: HIP-0300 §2 (the local fetch tool), HIP-0301 §10.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// Guard judges addresses. The zero value allows the public internet and literal loopback.
type Guard struct {
	// Allow lists what is allowed beyond that: addresses, CIDRs, host names. Nil allows nothing more. Link-local and
	// metadata addresses stay refused.
	Allow func() []string
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
}

// Refused is the error for an address or a name that may not be reached.
type Refused struct {
	Host   string // as the URL has it, canonical
	Addr   string // what it led to, "" when the name alone was refused
	Class  Class
	Remedy string // what to do, one clause
}

func (e *Refused) Error() string {
	what := e.Host
	if e.Addr != "" && e.Addr != e.Host {
		what += " (" + e.Addr + ")"
	}
	return fmt.Sprintf("%s is %s, which fetch does not reach; %s", what, e.Class, e.Remedy)
}

const (
	remedyNever    = "nothing allows it"
	remedyAllow    = "the user can allow it with fetch.allow_private in the settings"
	remedyLoopback = "a URL that names 127.0.0.1, [::1] or localhost itself works"
)

// dialTimeout bounds one connection attempt, the look-up of the name included.
const dialTimeout = 10 * time.Second

// Dial connects to host:port, judging every address on the way. It has the form of http.Transport.DialContext.
func (g *Guard) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if err := g.Literal(host); err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.Resolver, KeepAlive: -1}
	d.ControlContext = func(_ context.Context, _, remote string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(remote)
		if err != nil {
			return &Refused{Host: host, Addr: remote, Class: Special, Remedy: remedyNever}
		}
		return g.judge(host, at.Addr())
	}
	if !isLocalhost(host) {
		conn, err := d.DialContext(ctx, network, address)
		return conn, unwrapRefused(err)
	}
	// RFC 6761: localhost is this machine, whatever a name server says.
	conn, err := d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	if err != nil && ctx.Err() == nil {
		if six, err6 := d.DialContext(ctx, network, net.JoinHostPort("::1", port)); err6 == nil {
			return six, nil
		}
	}
	return conn, unwrapRefused(err)
}

// unwrapRefused gives the refusal inside the error of a dialer.
func unwrapRefused(err error) error {
	var r *Refused
	if errors.As(err, &r) {
		return r
	}
	return err
}

// Literal judges a host as far as its text tells: an address literal, or the name of a metadata service. Other names
// pass; what they lead to is judged in Dial.
func (g *Guard) Literal(host string) error {
	if isMetadataName(host) {
		return &Refused{Host: host, Class: Metadata, Remedy: remedyNever}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return g.judge(host, a)
	}
	return nil
}

// Name judges a host that somebody else will look up, a proxy: as Literal, and by what the name leads to here when a
// look-up answers. No answer is no refusal: behind a proxy names often have none.
func (g *Guard) Name(ctx context.Context, host string) error {
	if err := g.Literal(host); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(host); err == nil || isLocalhost(host) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r := g.Resolver
	if r == nil {
		r = net.DefaultResolver
	}
	found, err := r.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, a := range found {
		if err := g.judge(host, a); err != nil {
			return err
		}
	}
	return nil
}

// IsLoopback reports whether a canonical host names this machine literally.
func IsLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return isLocalhost(host) || err == nil && a.Unmap().IsLoopback()
}

func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// judge decides about a connection to a for the sake of a URL with this host.
func (g *Guard) judge(host string, a netip.Addr) error {
	class := Classify(a)
	refused := func(remedy string) error {
		return &Refused{Host: host, Addr: a.String(), Class: class, Remedy: remedy}
	}
	switch class {
	case Public:
		return nil
	case LinkLocal, Metadata:
		return refused(remedyNever)
	case Loopback:
		if IsLoopback(host) || g.allowed(host, a) {
			return nil
		}
		return refused(remedyLoopback)
	}
	if g.allowed(host, a) {
		return nil
	}
	return refused(remedyAllow)
}

// Allowed reports whether the user's list names the host, or the address that it is.
func (g *Guard) Allowed(host string) bool {
	a, _ := netip.ParseAddr(host)
	return g.allowed(host, a)
}

func (g *Guard) allowed(host string, a netip.Addr) bool {
	if g.Allow == nil {
		return false
	}
	a = a.WithZone("").Unmap()
	for _, entry := range g.Allow() {
		entry = strings.TrimSpace(entry)
		if p, err := netip.ParsePrefix(entry); err == nil {
			if a.IsValid() && p.Contains(a) {
				return true
			}
			continue
		}
		name, err := CanonicalHost(strings.Trim(entry, "[]"))
		if err != nil {
			continue
		}
		if one, err := netip.ParseAddr(name); err == nil {
			if one.Unmap() == a {
				return true
			}
			continue
		}
		if name == host {
			return true
		}
	}
	return false
}

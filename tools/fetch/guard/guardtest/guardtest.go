// Package guardtest is a name server for tests: it answers as it is told, a name that changes its address included.
// It opens no socket. Only tests import it.
package guardtest

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"

	"golang.org/x/net/dns/dnsmessage"
)

// names is a name server in this process.
type names struct {
	answers map[string][]string
	asked   map[string]*atomic.Int32
}

// Resolver gives a resolver that knows these names only: fully qualified names → addresses. Each look-up of a name
// gives the next of its answers, the last one again and again; commas separate the addresses of one answer.
func Resolver(answers map[string][]string) *net.Resolver {
	n := &names{answers: answers, asked: map[string]*atomic.Int32{}}
	for name := range n.answers {
		n.asked[name] = new(atomic.Int32)
	}
	return &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go n.serve(theirs)
		return ours, nil
	}}
}

// serve answers over a stream: two bytes of length before each message.
func (n *names) serve(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		b := make([]byte, int(size[0])<<8|int(size[1]))
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(b) != nil || len(m.Questions) != 1 {
			return
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		list, known := n.answers[q.Name.String()]
		if !known {
			m.RCode = dnsmessage.RCodeNameError
		} else {
			i := 0
			if q.Type == dnsmessage.TypeA {
				i = int(n.asked[q.Name.String()].Add(1)) - 1
			}
			for a := range strings.SplitSeq(list[min(i, len(list)-1)], ",") {
				addr, err := netip.ParseAddr(a)
				h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}
				switch {
				case err != nil:
				case addr.Is4() && q.Type == dnsmessage.TypeA:
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: addr.As4()}})
				case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
				}
			}
		}
		out, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := c.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...)); err != nil {
			return
		}
	}
}

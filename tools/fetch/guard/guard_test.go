package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard/guardtest"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]Class{
		"8.8.8.8": Public, "1.1.1.1": Public, "2606:4700::1111": Public, "100.63.255.255": Public, "172.32.0.1": Public, "11.0.0.1": Public, "169.253.0.1": Public,
		"127.0.0.1": Loopback, "127.255.255.254": Loopback, "::1": Loopback, "::ffff:127.0.0.1": Loopback,
		"10.0.0.1": Private, "172.16.0.1": Private, "172.31.255.255": Private, "192.168.1.1": Private, "100.64.0.1": Private, "100.127.255.255": Private,
		"fc00::1": Private, "fd12:3456::1": Private, "fec0::1": Private, "::ffff:10.0.0.1": Private, "::ffff:192.168.0.1": Private,
		"0.0.0.0": Special, "0.1.2.3": Special, "::": Special, "224.0.0.1": Special, "239.255.255.255": Special, "255.255.255.255": Special, "240.0.0.1": Special,
		"ff02::1": Special, "192.0.0.1": Special, "198.18.0.1": Special, "203.0.113.7": Special, "2001:db8::1": Special,
		"169.254.169.254": LinkLocal, "169.254.0.1": LinkLocal, "fe80::1": LinkLocal, "fe80::1%eth0": LinkLocal, "febf::1": LinkLocal, "::ffff:169.254.169.254": LinkLocal,
		"fd00:ec2::254": Metadata, "100.100.100.200": Metadata, "192.0.0.192": Metadata, "fd20:ce::254": Metadata, "168.63.129.16": Metadata, "::ffff:100.100.100.200": Metadata,
		"::a9fe:a9fe": LinkLocal, "::10.0.0.1": Private, "::127.0.0.1": Special, "::8.8.8.8": Public,
		"64:ff9b::a9fe:a9fe": LinkLocal, "64:ff9b::10.0.0.1": Private, "64:ff9b::127.0.0.1": Special, "64:ff9b::8.8.8.8": Public, "64:ff9b:1::a9fe:a9fe": LinkLocal,
		"64:ff9b:1:a9fe:a9:fe00::": LinkLocal,
		"2002:a9fe:a9fe::1":        LinkLocal, "2002:0a00:0001::": Private, "2002:7f00:0001::1": Special, "2002:0808:0808::1": Public,
		"2001:0:a9fe:a9fe:0:0:f7f7:f7f7": LinkLocal, "2001::5601:5601": LinkLocal, "2001:0:808:808::f5ff:fffe": Private, "2001:0:808:808::f7f7:f7f7": Public,
		"2600::5efe:a9fe:a9fe": LinkLocal, "2600::200:5efe:10.0.0.1": Private, "2600::5efe:8.8.8.8": Public,
		"::ffff:0:169.254.169.254": LinkLocal,
	} {
		a, err := netip.ParseAddr(addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := Classify(a); got != want {
			t.Errorf("%s is %v, want %v", addr, got, want)
		}
	}
}

func TestCanonicalHost(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Example.ORG": "example.org", "example.org.": "example.org", "bücher.example": "xn--bcher-kva.example", "a_b.example": "a_b.example",
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1", "0X7F.1": "127.0.0.1", "017700000001": "127.0.0.1",
		"0177.0.0.01": "127.0.0.1", "127.0.0.1.": "127.0.0.1", "2852039166": "169.254.169.254", "0xa9fea9fe": "169.254.169.254", "0251.0376.0251.0376": "169.254.169.254",
		"169.254.43518": "169.254.169.254", "１６９.２５４.１６９.２５４": "169.254.169.254", "127。0。0。1": "127.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0",
		"::1": "::1", "0:0:0:0:0:0:0:1": "::1", "::ffff:a9fe:a9fe": "169.254.169.254", "::FFFF:127.0.0.1": "127.0.0.1",
		"LOCALHOST": "localhost", "localhost.": "localhost", "Ⓛocalhost": "localhost", "ｍetadata.google.internal": "metadata.google.internal",
	} {
		if got, err := CanonicalHost(given); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", given, got, err, want)
		}
	}
	for _, given := range []string{"", ".", "..", "a..b", "1.2.3.4.5", "256.256.256.256", "0x100000000", "4294967296", "1.2.3.256", "09.0.0.1", "a b", "a/b", "::g", "x\x00y", "99999999999999999999"} {
		if got, err := CanonicalHost(given); err == nil {
			t.Errorf("%q: %q, want an error", given, got)
		}
	}
}

// What may be connected to, by a URL's host, what it resolves to, and what the user allows. The port is closed, so an
// allowed connection is one that is refused by the system, not by us.
func TestDial(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	resolver := guardtest.Resolver(map[string][]string{
		"rebound.example.": {"127.0.0.1"}, "six.example.": {"::1"}, "inner.example.": {"10.1.2.3"}, "link.example.": {"169.254.169.254"}, "mapped.example.": {"::ffff:169.254.169.254"},
		"meta.example.": {"fd00:ec2::254"}, "zero.example.": {"0.0.0.0"}, "mixed.example.": {"10.0.0.7,169.254.169.254"}, "nat.example.": {"64:ff9b::7f00:1"}, "localhost.example.": {"127.0.0.1"}, "app.localhost.": {"10.0.0.9"},
	})
	const yes, no = true, false
	for _, tt := range []struct {
		host  string
		allow string
		want  bool // the address is passed to the system
	}{
		{"127.0.0.1", "", yes}, {"::1", "", yes}, {"localhost", "", yes}, {"app.localhost", "", yes}, {"127.9.9.9", "", yes},
		{"rebound.example", "", no}, {"six.example", "", no}, {"localhost.example", "", no}, {"rebound.example", "rebound.example", yes}, {"rebound.example", "127.0.0.0/8", yes},
		{"0.0.0.0", "", no}, {"::", "", no}, {"zero.example", "", no}, {"255.255.255.255", "", no}, {"224.0.0.1", "", no}, {"ff02::1", "", no},
		{"10.0.0.1", "", no}, {"192.168.1.1", "", no}, {"fd12::1", "", no}, {"100.64.1.1", "", no}, {"inner.example", "", no}, {"::ffff:10.0.0.1", "", no},
		{"169.254.169.254", "0.0.0.0/0", no}, {"fe80::1", "::/0", no}, {"link.example", "link.example", no}, {"mapped.example", "mapped.example", no}, {"meta.example", "fd00:ec2::254", no},
		{"nat.example", "", no}, {"mixed.example", "", no}, {"metadata.google.internal", "metadata.google.internal", no}, {"instance-data.eu-west-1.compute.internal", "", no},
		{"100.100.100.200", "100.100.100.200", no}, {"192.0.0.192", "192.0.0.0/24", no}, {"fd00:ec2::254", "fd00::/8", no},
	} {
		g := &Guard{Resolver: resolver, Allow: func() []string { return []string{tt.allow} }}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		conn, err := g.Dial(ctx, "tcp", net.JoinHostPort(tt.host, port))
		cancel()
		if conn != nil {
			conn.Close()
		}
		var refused *Refused
		if got := !errors.As(err, &refused); got != tt.want {
			t.Errorf("%s (allowed %q): %v", tt.host, tt.allow, err)
		}
	}
}

// An allowed private address is passed on: shown by Literal, since nothing may be dialled here.
func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host, allow string
		want        bool
	}{
		{"192.168.1.10", "192.168.1.10", true}, {"192.168.1.11", "192.168.1.10", false}, {"192.168.1.11", "192.168.1.0/24", true}, {"fd12::5", "fd12::/16", true}, {"fd12::5", "[fd12::5]", true},
		{"10.0.0.1", "nas.example", false}, {"10.0.0.1", "", false}, {"10.0.0.1", "nonsense/99", false}, {"192.168.1.10", "0xc0a8010a", true}, {"0.0.0.0", "0.0.0.0", true},
	} {
		g := &Guard{Allow: func() []string { return []string{tt.allow} }}
		if err := g.Literal(tt.host); (err == nil) != tt.want {
			t.Errorf("%s, allowed %q: %v", tt.host, tt.allow, err)
		}
	}
}

// A name that is public when it is looked at and this machine when it is used: each connection is judged.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var served atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			served.Add(1)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	resolver := guardtest.Resolver(map[string][]string{"turn.example.": {"2001:db8::1", "127.0.0.1"}})
	g := &Guard{Resolver: resolver}
	if err := g.Name(context.Background(), "turn.example"); err == nil {
		t.Error("documentation address passed")
	}
	for range 3 {
		if conn, err := g.Dial(context.Background(), "tcp", net.JoinHostPort("turn.example", port)); err == nil {
			conn.Close()
			t.Error("connected")
		}
	}
	if n := served.Load(); n != 0 {
		t.Errorf("the loopback server saw %d connections", n)
	}
}

// Behind a proxy names are judged by what they lead to here, when they lead anywhere.
func TestName(t *testing.T) {
	t.Parallel()
	resolver := guardtest.Resolver(map[string][]string{"in.example.": {"10.0.0.1"}, "meta.example.": {"8.8.8.8,169.254.169.254"}, "out.example.": {"8.8.8.8"}})
	g := &Guard{Resolver: resolver}
	for host, want := range map[string]bool{"in.example": false, "meta.example": false, "out.example": true, "none.example": true, "169.254.169.254": false, "localhost": true, "8.8.8.8": true, "10.0.0.1": false, "metadata": false} {
		if err := g.Name(context.Background(), host); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func FuzzCanonicalURL(f *testing.F) {
	for _, s := range []string{"http://a/", "https://[::1%25eth0]:8/x", "http://0x7f.1/", "http://a@b:1/?#", "HTTP://Ü.example./"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := CanonicalURL(s)
		if err != nil {
			return
		}
		again, err := CanonicalURL(u.String())
		if err != nil || again.Host != u.Host {
			t.Errorf("%q gives %q, which gives %v (%v)", s, u, again, err)
		}
	})
}

// What may not stand in a request line is escaped, once.
func TestQueryIsEscaped(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://a/?q=x y HTTP/1.1": "http://a/?q=x%20y%20HTTP/1.1", "http://a/?q=é": "http://a/?q=%C3%A9", "http://a/?q=%20%zz+&a=b": "http://a/?q=%20%zz+&a=b",
		"http://a/?a=\"<b>`": "http://a/?a=%22%3Cb%3E%60", "http://a/?": "http://a/?", "http://a/?x=[1]&y='|^{}": "http://a/?x=[1]&y='|^{}",
	} {
		u, err := CanonicalURL(given)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v; want %q", given, u, err, want)
		}
		if again, err := CanonicalURL(want); err != nil || again.String() != want {
			t.Errorf("%q becomes %v (%v)", want, again, err)
		}
	}
}

package guard

import "net/netip"

// Class is the kind of an address, as far as fetch cares.
type Class int

const (
	Public    Class = iota
	Loopback        // this machine
	Private         // RFC 1918, unique local, carrier-grade NAT
	Special         // unspecified, multicast, broadcast, reserved
	LinkLocal       // 169.254/16, fe80::/10
	Metadata        // the addresses of cloud metadata services outside of these
)

func (c Class) String() string {
	return [...]string{"a public address", "a loopback address", "a private address", "a special-purpose address",
		"a link-local address", "a cloud metadata address"}[c]
}

type block struct {
	net   netip.Prefix
	class Class
}

// blocks are the ranges that are not public; the first that holds an address counts.
var blocks = func() (list []block) {
	for _, one := range []struct {
		class Class
		nets  []string
	}{
		{Metadata, []string{
			"100.100.100.200/32",                // Alibaba
			"192.0.0.192/32",                    // Oracle
			"168.63.129.16/32",                  // Azure
			"fd00:ec2::/32", "fd20:ce::254/128", // Amazon, Google
		}},
		{LinkLocal, []string{"169.254.0.0/16", "fe80::/10"}},
		{Loopback, []string{"127.0.0.0/8", "::1/128"}},
		{Private, []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10"}},
		{Special, []string{
			"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
			"224.0.0.0/4", "240.0.0.0/4", "::/128", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "3fff::/20", "5f00::/16", "ff00::/8",
		}},
	} {
		for _, n := range one.nets {
			list = append(list, block{netip.MustParsePrefix(n), one.class})
		}
	}
	return list
}()

// Classify gives the class of an address. An IPv6 address that carries an IPv4 address is of the worse of both
// classes, since what translates it on the way is not known; one that carries loopback is Special.
func Classify(a netip.Addr) Class {
	a = a.WithZone("").Unmap()
	class := plain(a)
	for _, v4 := range carried(a) {
		c := plain(v4)
		if c == Loopback {
			c = Special
		}
		class = max(class, c)
	}
	return class
}

func plain(a netip.Addr) Class {
	for _, b := range blocks {
		if b.net.Contains(a) {
			return b.class
		}
	}
	return Public
}

// carried lists the IPv4 addresses that an IPv6 address stands for under one of the translations in use.
func carried(a netip.Addr) (list []netip.Addr) {
	if a.Is4() {
		return nil
	}
	b := a.As16()
	add := func(b0, b1, b2, b3 byte) { list = append(list, netip.AddrFrom4([4]byte{b0, b1, b2, b3})) }
	zero := func(from, to int) bool {
		for _, x := range b[from:to] {
			if x != 0 {
				return false
			}
		}
		return true
	}
	last := func() { add(b[12], b[13], b[14], b[15]) }
	switch {
	case zero(0, 12) && a != netip.IPv6Loopback() && a != netip.IPv6Unspecified(): // v4-compatible
		last()
	case zero(0, 8) && b[8] == 0xff && b[9] == 0xff && b[10] == 0 && b[11] == 0: // ::ffff:0:a.b.c.d, SIIT
		last()
	case b[0] == 0 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b && zero(4, 12): // NAT64
		last()
	case b[0] == 0 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b && b[4] == 0 && b[5] == 1: // NAT64 of a local network, RFC 8215
		last()
		add(b[6], b[7], b[9], b[10])
	case b[0] == 0x20 && b[1] == 0x02: // 6to4
		add(b[2], b[3], b[4], b[5])
	case b[0] == 0x20 && b[1] == 0x01 && b[2] == 0 && b[3] == 0: // Teredo: the server, and the client inverted
		add(b[4], b[5], b[6], b[7])
		add(^b[12], ^b[13], ^b[14], ^b[15])
	}
	if (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP
		last()
	}
	return list
}

package guard

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// metadataNames are the names of cloud metadata services.
var metadataNames = map[string]bool{
	"metadata": true, "metadata.google.internal": true, "metadata.goog": true, "metadata.tencentyun.com": true,
	"instance-data": true, "instance-data.ec2.internal": true, "metadata.packet.net": true, "metadata.platformequinix.com": true,
}

func isMetadataName(host string) bool {
	return metadataNames[host] || strings.HasPrefix(host, "instance-data.") && strings.HasSuffix(host, ".internal")
}

// ErrScheme is wrapped by the error of CanonicalURL for anything but http and https.
var ErrScheme = errors.New("only http and https addresses can be fetched")

// CanonicalURL parses an absolute http or https URL and gives it with the one spelling of its host: lower case,
// punycode, no trailing dot, numbers of every notation (0x7f.1, 017700000001, 2130706433) as a dotted quad. What may not
// stand in a query is escaped.
// User and password stay in the URL.
func CanonicalURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("no valid URL: %w", urlCause(err))
	}
	return u, Canonicalise(u)
}

// Canonicalise gives u the one spelling of its scheme, host and query. The error says what is wrong with it.
func Canonicalise(u *url.URL) error {
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" {
		if u.Scheme == "" {
			return fmt.Errorf("no absolute URL: it has no scheme (https://…): %w", ErrScheme)
		}
		return fmt.Errorf("scheme %q: %w", u.Scheme, ErrScheme)
	}
	if u.Opaque != "" || u.Host == "" {
		return errors.New("no host in the URL; write it as " + u.Scheme + "://host/path")
	}
	host, err := CanonicalHost(u.Hostname())
	if err != nil {
		return err
	}
	port := u.Port()
	if port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("port %s is no port", port)
		}
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Host = host; port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		u.Host += ":" + port
	}
	return nil
}

// escapeQuery escapes what may not stand in a request line, as browsers do; escapes that are there stay.
func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>`", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func urlCause(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// CanonicalHost gives the one spelling of a host name or address (without brackets).
func CanonicalHost(host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.WithZone("").Unmap().String(), nil
	}
	if strings.Contains(host, ":") {
		return "", fmt.Errorf("%q is no IPv6 address", host)
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		// Names with an underscore, or a long label, exist all the same.
		if name = strings.ToLower(host); !isASCIIName(name) {
			return "", fmt.Errorf("%q is no host name", host)
		}
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || strings.Contains(name, "..") || name[0] == '.' || name[len(name)-1] == '.' {
		return "", fmt.Errorf("%q is no host name", host)
	}
	if v4, is, err := numericHost(name); is {
		if err != nil {
			return "", err
		}
		return v4.String(), nil
	}
	return name, nil
}

func isASCIIName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return s != ""
}

// numericHost reads a host as the C library and browsers read IPv4 addresses: one to four numbers, decimal, octal
// (0…) or hexadecimal (0x…), the last one filling the remaining bytes. is reports whether its last label is a
// number at all: then it is an address or nothing.
func numericHost(name string) (v4 netip.Addr, is bool, err error) {
	parts := strings.Split(name, ".")
	if _, ok := number(parts[len(parts)-1]); !ok {
		return netip.Addr{}, false, nil
	}
	bad := fmt.Errorf("%q is no address: it ends in a number, but is no IPv4 address", name)
	if len(parts) > 4 {
		return netip.Addr{}, true, bad
	}
	var value uint64
	for i, p := range parts {
		n, ok := number(p)
		last := i == len(parts)-1
		limit := uint64(256)
		if last {
			limit = 1 << (8 * (5 - len(parts)))
		}
		if !ok || n >= limit {
			return netip.Addr{}, true, bad
		}
		if last {
			value += n
		} else {
			value += n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true, nil
}

func number(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		if s, base = s[2:], 16; s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		// A run of digits is a number even when it is too large or not octal.
		return 1 << 63, strings.Trim(s, "0123456789") == ""
	}
	return n, true
}

package door

import (
	"net/netip"
	"strings"
)

const doorPath = "/v1/mcp"

// Address is the door's URL (HIP-0300 §2.2): HANZO_MCP_DOOR, else /v1/mcp of
// HANZO_API_BASE or of https://api.hanzo.ai. A base that ends with the path, or
// with the /v1 that other programs want there, is taken as it is meant.
func Address(getenv func(string) string) string {
	if door := strings.TrimSpace(getenv("HANZO_MCP_DOOR")); door != "" {
		return door
	}
	base := strings.TrimRight(strings.TrimSpace(getenv("HANZO_API_BASE")), "/")
	if base == "" {
		base = "https://api.hanzo.ai"
	}
	query := ""
	if i := strings.IndexAny(base, "?#"); i >= 0 {
		base, query = strings.TrimRight(base[:i], "/"), base[i:]
	}
	for _, end := range []string{doorPath, "/v1"} {
		if short, found := strings.CutSuffix(base, end); found && !strings.HasSuffix(short, "/") {
			base = short
			break
		}
	}
	return base + doorPath + query
}

// misread says what may be wrong with an address that is no URL, which is not shown, since it may hold a password.
func misread(address string) string {
	scheme, rest, hasScheme := strings.Cut(address, "://")
	if !hasScheme {
		rest = address
	}
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case strings.Contains(address, "${") || strings.HasPrefix(address, "$"):
		return ": a variable in it was not expanded"
	case strings.ContainsAny(address, "\"'`"):
		return ": take the quotes around it away"
	case isBareIPv6(host):
		return ": an IPv6 address stands in brackets, as in http://[::1]:8080"
	case !hasScheme && strings.ContainsAny(host, ".:"):
		return ": write https:// (or http://) before it"
	case hasScheme && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return ": it begins with another scheme; write https:// (or http://) before the host"
	}
	return ""
}

// isBareIPv6 reports whether a host is an IPv6 address without brackets, with or without a port.
func isBareIPv6(host string) bool {
	if strings.Count(host, ":") < 2 {
		return false
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		addr, err = netip.ParseAddr(host[:strings.LastIndexByte(host, ':')])
	}
	return err == nil && addr.Is6()
}

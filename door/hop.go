package door

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
)

// A door may lead back to the server that asks it: HANZO_MCP_DOOR, set for the whole machine, names a server on it, or two
// servers are each other's door. A call would go round until all slots are taken. So each request says in a header through
// which servers it came; nothing of it is in the body.

// HopHeader holds the ids of the servers that a request came through, the first first.
const HopHeader = "Hanzo-Mcp-Hop"

// maxHops is how many servers of ours may stand in a row before a door.
const maxHops = 4

// newHop is the id of a client for as long as it runs.
func newHop() string { return rand.Text() }

// Hops are the ids in the header of a request that came in, in one spelling; at most one more than there may be.
func Hops(header http.Header) []string {
	var hops []string
	for id := range strings.SplitSeq(strings.Join(header.Values(HopHeader), ","), ",") {
		if id = strings.TrimSpace(id); id == "" || len(id) > 64 || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
			continue
		}
		if hops = append(hops, id); len(hops) > maxHops {
			break
		}
	}
	return hops
}

// loops says why a call that came this way goes no further, "" when it may.
func (c *Client) loops(hops []string) string {
	why := ""
	switch {
	case slices.Contains(hops, c.hop):
		why = "leads back to this server, so that the call would go round for ever"
	case len(hops) > maxHops:
		why = "is reached through too many servers such as this one (5)"
	default:
		return ""
	}
	return "The Hanzo door at " + c.shown() + " " + why + "; nothing was done. Set HANZO_MCP_DOOR (or HANZO_API_BASE) to the cloud's own address, or do without with --no-door. Local tools still work."
}

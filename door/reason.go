package door

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
)

const (
	maxReason  = 300                    // bytes of it that are told
	reasonBody = 16 << 10               // bytes of a 401 that are looked through
	reasonTime = 500 * time.Millisecond // for them to come
)

// reason is why the door refused a bearer, in its own words: of the challenge (RFC 6750), else of the body. It ends the
// request by cancel when the body does not come, since the caller is to hear of the 401.
func (c *Client) reason(resp *http.Response, bearer string, cancel context.CancelFunc) string {
	text := ""
	for _, challenge := range resp.Header.Values("WWW-Authenticate") {
		for said := range challengeParams(challenge, "error_description") {
			text = said
		}
	}
	if text == "" {
		defer time.AfterFunc(reasonTime, cancel).Stop()
		body, err := io.ReadAll(io.LimitReader(resp.Body, reasonBody))
		if err != nil {
			return ""
		}
		text = saidIn(body)
	}
	if text == "" || strings.EqualFold(text, http.StatusText(http.StatusUnauthorized)) {
		return ""
	}
	text = auth.RedactString(text, []string{bearer}) // it need not be one that is known, see auth.Chain.Taken
	return cut(strings.TrimRight(c.quote([]byte(text)), ". "), maxReason)
}

// saidIn is the message of an error in JSON: of JSON-RPC, OAuth, and the usual REST ones.
func saidIn(body []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return ""
	}
	var inner struct{ Message string }
	if json.Unmarshal(members["error"], &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	for _, name := range []string{"error_description", "message", "detail", "error"} {
		var text string
		if json.Unmarshal(members[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

package door

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/hanzoai/hanzo-mcp/auth"
)

const maxMetadataURL = 2 << 10

// signIn is the answer to a call that the door refused with 401 (HIP-0300 §2.2).
func (c *Client) signIn(refused *unauthorized, sent auth.Token) string {
	var b strings.Builder
	b.WriteString("Sign in to use this tool: the Hanzo door at " + c.shown())
	switch {
	case sent.Value != "":
		b.WriteString(" refused the bearer from " + sent.Source + " (401). ")
	case sent.Withheld != "":
		b.WriteString(" wants a bearer (401), and the one there is was not sent: " + sent.Withheld + ". ")
	default:
		b.WriteString(" wants a bearer (401). ")
		if c.config.Auth != nil {
			if fault := c.config.Auth.ConfigFault(); fault != "" {
				b.WriteString("~/.hanzo/config.json is not used: " + fault + ". ")
			}
		}
	}
	if refused.reason != "" {
		b.WriteString("The door says: " + refused.reason + ". ")
	}
	b.WriteString(c.advice(sent) + " Resource metadata: " + c.metadataURL(refused.header) + " . Local tools need no sign-in.")
	return b.String()
}

// advice says what to do after a 401. A bearer from the environment or a file goes before the command's, so that a
// sign-in alone changes nothing.
func (c *Client) advice(sent auth.Token) string {
	const login = "`hanzo auth login` alone does not help. HANZO_API_KEY in the environment of hanzo-mcp goes before it."
	found := c.config.Auth != nil && c.config.Auth.CommandFound()
	switch {
	case sent.Unset && found:
		return "Mend that, or run `hanzo auth login`, then call again."
	case sent.Unset:
		return "Mend that, then call again."
	case sent.Withheld != "":
		return "Mend that, then call again; `hanzo auth login` alone does not help."
	case strings.HasPrefix(sent.Source, "HANZO_"):
		return "Set a valid " + sent.Source + " in the environment of hanzo-mcp, or remove it and run `hanzo auth login`."
	case strings.HasPrefix(sent.Source, "api_key"):
		return "Correct or remove the " + sent.Source + " (`hanzo-mcp settings` names the file), then call again: it goes before the bearer of `" + auth.Command + "`, so that " + login
	case strings.HasPrefix(sent.Source, "~/"):
		return "Correct or remove apiKey in " + sent.Source + ", then call again: it goes before the bearer of `" + auth.Command + "`, so that " + login
	case !found:
		return "Set HANZO_API_KEY in the environment of hanzo-mcp; no `hanzo` command was found, with which `hanzo auth login` would do. Then call again."
	case sent.Doubtful:
		return "What `" + auth.Command + "` prints is short for a bearer: see that the `hanzo` on the PATH is Hanzo's and run `hanzo auth login`, then call again. Or set HANZO_API_KEY in the environment of hanzo-mcp."
	}
	return "Run `hanzo auth login`, then call again: no restart is needed. Or set HANZO_API_KEY in the environment of hanzo-mcp."
}

// metadataURL is the resource_metadata of the challenge if it is fit to be
// shown, else the well-known place at the door's origin (RFC 9728).
func (c *Client) metadataURL(header http.Header) string {
	for _, challenge := range header.Values("WWW-Authenticate") {
		for text := range challengeParams(challenge, "resource_metadata") {
			if fitToShow(text) {
				return text
			}
		}
	}
	return c.url.Scheme + "://" + c.url.Host + "/.well-known/oauth-protected-resource"
}

func fitToShow(text string) bool {
	if len(text) > maxMetadataURL || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && auth.Loopback(u)
}

// challengeParams gives the values of one parameter in a WWW-Authenticate
// field (RFC 9110 §11.6.1), not what only looks like it inside another value.
func challengeParams(field, name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for field != "" {
			field = strings.TrimLeft(field, " \t,")
			end := strings.IndexAny(field, " \t,=")
			if end < 0 {
				return
			}
			key := field[:end]
			rest := strings.TrimLeft(field[end:], " \t")
			if !strings.HasPrefix(rest, "=") {
				field = rest // key is a scheme
				continue
			}
			var value string
			value, field = challengeValue(strings.TrimLeft(rest[1:], " \t"))
			if strings.EqualFold(key, name) && !yield(value) {
				return
			}
		}
	}
}

// challengeValue takes a token or a quoted string off the front of s.
func challengeValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, " \t,")
		if end < 0 {
			return s, ""
		}
		return s[:end], s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "" // no closing quote
}

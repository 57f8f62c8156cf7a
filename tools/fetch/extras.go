package fetch

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard"
)

// extras are what callers who know other HTTP clients give of a request beside url, headers and body.
type extras struct {
	Params json.RawMessage `json:"params"`
	Auth   json.RawMessage `json:"auth"`
}

// notTaken are such ones as cannot be given, and what does it instead.
var notTaken = map[string]string{"files": "send them by exec with curl -F", "cookies": "give them in headers as Cookie"}

// rewrite puts what callers say in other words under the declared names.
func rewrite(a *tools.Action, args *tools.Args) {
	if a.Name != "fetch" {
		return
	}
	if args.Bool("raw") {
		args.Put("format", json.RawMessage(`"raw"`))
	}
	args.Take("raw")
}

// apply puts the extras into a request.
func (x extras) apply(c *tools.Call, u *url.URL, h http.Header) error {
	for name, instead := range notTaken {
		if c.Args.Has(name) {
			return tools.Errorf(tools.InvalidParams, "%s cannot be given: %s. Nothing was sent", name, instead).With(tools.Details{Param: name})
		}
	}
	if x.Params != nil {
		more, err := pairs("params", x.Params)
		if err != nil {
			return err
		}
		u.RawQuery = strings.Trim(u.RawQuery+"&"+more.Encode(), "&")
	}
	if x.Auth == nil {
		return nil
	}
	if _, given := h["Authorization"]; given {
		return tools.Errorf(tools.InvalidParams, "auth and the header Authorization are both given; give one. Nothing was sent").With(tools.Details{Param: "auth"})
	}
	value, ok := authorization(x.Auth)
	if !ok {
		return tools.Errorf(tools.InvalidParams, "auth must be \"user:password\", {\"username\":…,\"password\":…} or \"Bearer …\"; nothing was sent").With(tools.Details{Param: "auth"})
	}
	h["Authorization"] = []string{value}
	return nil
}

// authorization is the header that auth stands for.
func authorization(raw json.RawMessage) (value string, ok bool) {
	var text string
	var pair []string
	var named struct{ User, Username, Password, Pass, Bearer, Token string }
	user, password := "", ""
	switch {
	case json.Unmarshal(raw, &text) == nil:
		if kind, rest, spaced := strings.Cut(strings.TrimSpace(text), " "); spaced && (strings.EqualFold(kind, "bearer") || strings.EqualFold(kind, "basic")) {
			return kind + " " + strings.TrimSpace(rest), headerValue(rest)
		}
		if user, password, ok = strings.Cut(text, ":"); !ok {
			return "", false
		}
	case json.Unmarshal(raw, &pair) == nil && len(pair) == 2:
		user, password = pair[0], pair[1]
	case json.Unmarshal(raw, &named) == nil:
		if token := named.Bearer + named.Token; token != "" {
			return "Bearer " + token, headerValue(token)
		}
		if user, password = named.User+named.Username, named.Password+named.Pass; user == "" {
			return "", false
		}
	default:
		return "", false
	}
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization"), true
}

// headerValue reports whether a text may be sent as a header.
func headerValue(s string) bool { return s != "" && !strings.ContainsAny(s, "\r\n\x00") }

// pairs reads names with values: an object, or text as in a query.
func pairs(param string, raw json.RawMessage) (url.Values, error) {
	bad := tools.Errorf(tools.InvalidParams, "%s must be an object of names and values, or text such as \"a=1&b=2\"; nothing was sent", param).
		With(tools.Details{Param: param, Expected: "object"})
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
			values, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
			if err != nil || text != "" && !strings.Contains(text, "=") {
				return nil, bad
			}
			return values, nil
		}
		raw = json.RawMessage(text)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil, bad
	}
	values := url.Values{}
	for name, one := range object {
		list := []json.RawMessage{one}
		if one[0] == '[' && json.Unmarshal(one, &list) != nil {
			return nil, bad
		}
		for _, v := range list {
			switch text := string(v); {
			case text == "null":
			case v[0] == '{', v[0] == '[', v[0] == '"' && json.Unmarshal(v, &text) != nil:
				return nil, bad
			default:
				values.Add(name, text)
			}
		}
	}
	return values, nil
}

// hostFirst is an address without its scheme.
var hostFirst = tools.Pattern(`^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(:[0-9]{1,5})?([/?#].*)?$`)

// withScheme gives an address that has no scheme the one that is meant: for this machine http. For others it only says
// what they would be with one, since a word that happens to look like a host must not be looked up.
func withScheme(given string) (address, suggestion string) {
	given = strings.TrimSpace(given)
	m := hostFirst().FindStringSubmatch(given)
	switch {
	case m == nil:
		return given, ""
	case guard.IsLoopback(strings.ToLower(strings.Trim(m[1], "[]"))):
		return "http://" + given, ""
	case strings.Contains(m[1], ".") || m[1][0] == '[':
		return given, "https://" + given
	case m[2] != "":
		return given, "http://" + given
	}
	return given, ""
}

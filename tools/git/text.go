package git

import (
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// shown is a name of a file or ref as JSON can carry it. Names that are UTF-8 stand for themselves; others, and
// those that could be taken for the escaped form, are given as git quotes them: "caf\351.txt", quotes included.
// named takes both back, so nothing is lost.
func shown(name string) string {
	if utf8.ValidString(name) && !isEscaped(name) {
		return name
	}
	return quote(name, true)
}

// named is the inverse of shown.
func named(s string) string {
	if isEscaped(s) {
		name, _ := unquote(s)
		return name
	}
	return s
}

// namedRange is named for a revision, or for both ends of a range.
func namedRange(s string) string {
	for _, dots := range []string{"...", ".."} {
		if a, b, ok := strings.Cut(s, dots); ok {
			return named(a) + dots + named(b)
		}
	}
	return named(s)
}

func isEscaped(s string) bool {
	name, ok := unquote(s)
	return ok && (!utf8.ValidString(name) || isEscaped(name))
}

// quote is git's C-style quoting; high also escapes bytes beyond ASCII (core.quotePath=true).
func quote(name string, high bool) string {
	const digits = "01234567"
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(name); i++ {
		c := name[i]
		if at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
		} else if c < 0x20 || c == 0x7f || high && c >= 0x80 {
			b.Write([]byte{'\\', digits[c>>6], digits[c>>3&7], digits[c&7]})
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquote undoes git's C-style quoting; it fails on anything that is not wholly one quoted string.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, strings.IndexByte(s, '"') < 0
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			return "", false
		case c != '\\':
			b = append(b, c)
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if at := strings.IndexByte(`abtnvfr"\`, s[i]); at >= 0 {
			b = append(b, "\a\b\t\n\v\f\r\"\\"[at])
			continue
		}
		if i+2 >= len(s) || !isOctal(s[i], '3') || !isOctal(s[i+1], '7') || !isOctal(s[i+2], '7') {
			return "", false
		}
		b = append(b, (s[i]-'0')<<6|(s[i+1]-'0')<<3|(s[i+2]-'0'))
		i += 2
	}
	return string(b), true
}

func isOctal(c, most byte) bool { return c >= '0' && c <= most }

// maybeUnquote gives the name that a line of git's output holds, quoted or not.
func maybeUnquote(s string) string {
	if name, ok := unquote(s); ok {
		return name
	}
	return s
}

// userinfo finds what stands between scheme and host of a URL in running text: a password, or a token alone.
var userinfo = tools.Pattern(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s/@]*@)+`)

// queryToken finds the value of a parameter of a URL that is a credential by its name.
var queryToken = tools.Pattern(`(?i)([?&;][a-z0-9_.-]*(?:token|secret|passw(?:or)?d|api[_-]?key|access[_-]?key|signature)[a-z0-9_.-]*=)[^&;#\s'"]+`)

// scpLogin finds a password in an address of ssh's short form, where none may stand: user:password@host:path.
var scpLogin = tools.Pattern(`(^|[\s'"=(])([^\s/@:'"]+):[^\s/@'"]+@([A-Za-z0-9.-]+:)`)

// redact takes passwords and tokens out of the URLs in text. A plain user name of ssh stays.
func redact(text string) string {
	if strings.Contains(text, "=") && strings.ContainsAny(text, "?&;") {
		text = queryToken().ReplaceAllString(text, "$1***")
	}
	if !strings.Contains(text, "@") {
		return text
	}
	text = scpLogin().ReplaceAllString(text, "$1$2:***@$3")
	return userinfo().ReplaceAllStringFunc(text, func(m string) string {
		scheme, rest, _ := strings.Cut(m, "://")
		user := strings.TrimSuffix(rest, "@")
		if strings.Contains(scheme, "ssh") && !strings.ContainsAny(user, ":@") {
			return m
		}
		if name, _, ok := strings.Cut(user, ":"); ok && !strings.Contains(user, "@") && strings.Contains(scheme, "ssh") {
			return scheme + "://" + name + ":***@"
		}
		return scheme + "://***@"
	})
}

// valid makes text UTF-8 and reports whether bytes were lost.
func valid(text string) (string, bool) {
	if utf8.ValidString(text) {
		return text, false
	}
	return strings.ToValidUTF8(text, "\uFFFD"), true
}

// firstLine is the first line of text that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

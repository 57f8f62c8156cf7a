package fetch

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
	"time"
)

// robotsName is what we are called in robots.txt.
const robotsName = "hanzo-mcp"

// maxRobots is how much of a robots.txt counts.
const maxRobots = 500 << 10

// robots are the rules of one site for us (RFC 9309). The zero value allows everything.
type robots struct {
	rules []robotsRule
	none  bool          // nothing may be fetched
	delay time.Duration // as the site asks for it, at most 30 s
}

type robotsRule struct {
	pattern string
	allow   bool
}

// parseRobots reads a robots.txt: the rules of the groups that name us, else those for everybody.
func parseRobots(b []byte) robots {
	var ours, all robots
	var named, forAll, inRules, found bool
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(b[:min(len(b), maxRobots)], []byte("\xef\xbb\xbf"))))
	lines.Buffer(nil, maxRobots+1)
	lines.Split(scanAnyLine)
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "user-agent":
			if inRules {
				named, forAll, inRules = false, false, false
			}
			switch name := strings.ToLower(value); {
			case name == "*":
				forAll = true
			case strings.HasPrefix(name, robotsName):
				named, found = true, true
			}
		case "allow", "disallow":
			inRules = true
			if value == "" {
				continue
			}
			rule := robotsRule{pattern: unescapeRobots(value), allow: strings.EqualFold(strings.TrimSpace(key), "allow")}
			if named {
				ours.rules = append(ours.rules, rule)
			}
			if forAll {
				all.rules = append(all.rules, rule)
			}
		case "crawl-delay":
			inRules = true
			if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
				d := time.Duration(min(s, 30) * float64(time.Second))
				if named {
					ours.delay = d
				}
				if forAll {
					all.delay = d
				}
			}
		}
	}
	if found {
		return ours
	}
	return all
}

// scanAnyLine splits at LF, CRLF and CR.
func scanAnyLine(b []byte, end bool) (advance int, line []byte, err error) {
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		return i + 1, b[:i], nil
	}
	if end && len(b) > 0 {
		return len(b), b, nil
	}
	return 0, nil, nil
}

// allows decides about a path with its query: the longest pattern that matches counts, and of two equally long ones
// the one that allows.
func (r robots) allows(path string) bool {
	if r.none {
		return false
	}
	if path == "/robots.txt" {
		return true
	}
	path = unescapeRobots(path)
	best, allow := -1, true
	for _, rule := range r.rules {
		if n := len(rule.pattern); n >= best && matchRobots(rule.pattern, path) {
			if n > best {
				best, allow = n, rule.allow
			} else {
				allow = allow || rule.allow
			}
		}
	}
	return allow
}

// matchRobots matches a pattern with * and a final $ against the start of a path, in linear steps.
func matchRobots(pattern, path string) bool {
	anchored := strings.HasSuffix(pattern, "$")
	parts := strings.Split(strings.TrimSuffix(pattern, "$"), "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	rest := path[len(parts[0]):]
	if len(parts) == 1 {
		return !anchored || rest == ""
	}
	for i, p := range parts[1:] {
		if i == len(parts)-2 && anchored {
			return strings.HasSuffix(rest, p)
		}
		at := strings.Index(rest, p)
		if at < 0 {
			return false
		}
		rest = rest[at+len(p):]
	}
	return true
}

// unescapeRobots gives percent-escapes of unreserved characters as the characters, all others in upper case, so that
// both sides of a comparison are spelled alike.
func unescapeRobots(s string) string {
	if !strings.ContainsRune(s, '%') && isASCII(s) {
		return s
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c = byte(n)
				i += 2
				if c >= 0x80 || strings.IndexByte("/?#%*$ ", c) >= 0 || c < 0x20 {
					b.WriteByte('%')
					b.WriteByte(hex[c>>4])
					b.WriteByte(hex[c&15])
					continue
				}
				b.WriteByte(c)
				continue
			}
		}
		if c >= 0x80 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

package auth

import (
	"bytes"
	"strconv"
	"strings"
)

// Marker stands where a bearer was.
const Marker = "[redacted:hanzo]"

// Redact replaces each occurrence of a secret of 8 bytes or more by Marker. It
// also finds the spellings that JSON has for it (\/ and \u0041, in nested JSON
// with more backslashes). Without any it returns text itself and false; it
// never changes text in place.
func Redact(text []byte, secrets []string) (clean []byte, found bool) {
	clean, found = RedactPlain(text, secrets)
	if bytes.Contains(clean, []byte(`\u`)) || bytes.Contains(clean, []byte(`\/`)) {
		for _, secret := range secrets {
			if len(secret) >= minSecret {
				clean, found = redactEscaped(clean, secret, found)
			}
		}
	}
	return clean, found
}

// RedactPlain is Redact for JSON that is known to hold neither \/ nor \u at any
// level of nesting, so that only a secret with a quote or a backslash can be
// spelled in another way.
func RedactPlain(text []byte, secrets []string) (clean []byte, found bool) {
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		if index(text, secret) >= 0 {
			text, found = bytes.ReplaceAll(text, []byte(secret), []byte(Marker)), true
		}
		if strings.ContainsAny(secret, `"\`) && bytes.IndexByte(text, '\\') >= 0 {
			text, found = redactEscaped(text, secret, found)
		}
	}
	return text, found
}

// rarest are bytes that a text has seldom, the rarest first.
const rarest = "ZQXJKYVWUHGBPFMOLRNDCTSIAEzqxjkv~+_987654"

// index is bytes.Index for a secret. It looks for the rarest byte of it, which
// takes a third of the time in a large text without the secret.
func index(text []byte, secret string) int {
	anchor, rank := 0, len(rarest)
	for i := range len(secret) {
		if r := strings.IndexByte(rarest, secret[i]); r >= 0 && r < rank {
			anchor, rank = i, r
		}
	}
	for from := anchor; from < len(text); from++ {
		at := bytes.IndexByte(text[from:], secret[anchor])
		if at < 0 {
			return -1
		}
		from += at
		if start := from - anchor; len(text)-start >= len(secret) && string(text[start:start+len(secret)]) == secret {
			return start
		}
	}
	return -1
}

// RedactString is Redact for a string.
func RedactString(text string, secrets []string) string {
	clean, found := Redact([]byte(text), secrets)
	if !found {
		return text
	}
	return string(clean)
}

func redactEscaped(text []byte, secret string, found bool) ([]byte, bool) {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		if text[i] != secret[0] && text[i] != '\\' {
			i++
			continue
		}
		end := spelled(text[i:], secret)
		if end == 0 {
			i++
			continue
		}
		out = append(append(out, text[done:i]...), Marker...)
		i += end
		done = i
	}
	if done == 0 {
		return text, found
	}
	return append(out, text[done:]...), true
}

// maxRun is how many backslashes before one character are looked through: JSON
// in JSON in JSON in JSON has 15.
const maxRun = 15

// spelled is the length of the spelling of secret that text begins with, or 0.
func spelled(text []byte, secret string) int {
	i := 0
	for k := range len(secret) {
		if i >= len(text) {
			return 0
		}
		if text[i] == secret[k] && text[i] != '\\' {
			i++
			continue
		}
		if text[i] != '\\' {
			return 0
		}
		for run := 0; i < len(text) && text[i] == '\\' && run < maxRun; run++ {
			i++
		}
		switch {
		case secret[k] == '\\' && (i >= len(text) || text[i] != 'u'):
		case i < len(text) && text[i] == secret[k] && strings.IndexByte(`/"`, secret[k]) >= 0:
			i++
		case i+5 <= len(text) && text[i] == 'u':
			if n, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16); err != nil || byte(n) != secret[k] || n > 0x7f {
				return 0
			}
			i += 5
		default:
			return 0
		}
	}
	return i
}

package auth

import (
	"bytes"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	secrets := []string{"tok_S3C/RET-long", "tok_S3C/RET", "short", `qu"ote\d1`, "nabcdefg"}
	tests := []struct{ name, text, want string }{
		{"none", `nothing \/ \u0041 here`, `nothing \/ \u0041 here`},
		{"plain", "a tok_S3C/RET b", "a [redacted:hanzo] b"},
		{"longest first", "tok_S3C/RET-long", "[redacted:hanzo]"},
		{"twice", "tok_S3C/RETtok_S3C/RET", "[redacted:hanzo][redacted:hanzo]"},
		{"too short to be looked for", "short", "short"},
		{"slash escaped", `"tok_S3C\/RET"`, `"[redacted:hanzo]"`},
		{"nested", `"{\"a\":\"tok_S3C\\/RET\"}"`, `"{\"a\":\"[redacted:hanzo]\"}"`},
		{"unicode", `"\u0074\u006Fk_S3C\u002fRE\u0054!"`, `"[redacted:hanzo]!"`},
		{"quotes and backslashes", `"qu\"ote\\d1"`, `"[redacted:hanzo]"`},
		{"nearly", `tok_S3C\/RE tok_S3C`, `tok_S3C\/RE tok_S3C`},
		{"at the end, cut", `tok_S3C\/RE\u00`, `tok_S3C\/RE\u00`},
		{"plain and escaped", `tok_S3C/RET tok_S3C\/RET`, `[redacted:hanzo] [redacted:hanzo]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := []byte(test.text)
			got, found := Redact(text, secrets)
			if string(got) != test.want || found != (test.want != test.text) || string(text) != test.text {
				t.Errorf("got %q, %v", got, found)
			}
			if s := RedactString(test.text, secrets); s != test.want {
				t.Errorf("got %q", s)
			}
		})
	}
}

// Text made to be slow is not.
func TestRedactIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{`\`, "t", `t\`, `tok_S3C\`, `\u0074`, "T"} {
		text := []byte(strings.Repeat(unit, 4<<20/len(unit)) + `\/`)
		if got, found := Redact(text, []string{"tok_S3C/RET"}); found || !bytes.Equal(got, text) {
			t.Errorf("%q: changed", unit)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("a tok_S3C/RET b", "tok_S3C/RET")
	f.Add(`a tok_S3C\/RET b`, "tok_S3C/RET")
	f.Add("aaaaaaaaaaaaaaaab", "aaaaaaab")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got, found := Redact([]byte(text), []string{secret})
		if len(secret) >= minSecret && !strings.Contains(Marker, secret) && !strings.Contains(secret, Marker[:1]) && !strings.Contains(secret, Marker[len(Marker)-1:]) && strings.Contains(string(got), secret) {
			t.Fatalf("%q is in %q", secret, got)
		}
		if found != (string(got) != text) && secret != Marker {
			t.Fatalf("found %v in %q", found, text)
		}
		if (index([]byte(text), secret+"\x00") >= 0) != strings.Contains(text, secret+"\x00") {
			t.Fatal("index")
		}
	})
}

func BenchmarkRedactPlain(b *testing.B) {
	text := bytes.Repeat([]byte(`0123456789abcde\n`), 8<<20/17)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		RedactPlain(text, []string{"tok_S3CRET", "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3fQ.c2lnbmF0dXJl"})
	}
}

package auth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A config.json that gives no bearer says why, and shows nothing of itself.
func TestConfigFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"apiKey":"tok_S3CRET_1"}`:                  "",
		"\xef\xbb\xbf" + `{"apiKey":"tok_S3CRET_1"}`: "",
		`{"apiKey":"tok_S3CRET_1",}`:                 "not valid JSON at byte 26",
		`{"api_key":"tok_S3CRET_1"}`:                 "its member api_key is not looked at",
		`{"APIKEY":"tok_S3CRET_1"}`:                  "its member APIKEY is not looked at",
		`{"apiKey":"tok_S3CRET_1 b"}`:                "is no bearer",
		`{"apiKey":5}`:                               "is no string",
		`["tok_S3CRET_1"]`:                           "no object",
		``:                                           "not valid JSON at byte 0",
		`{"apiKey":""}`:                              "",
		`{"apiKey":null}`:                            "",
		`{"theme":"dark"}`:                           "",
		strings.Repeat(" ", maxConfig+1):             "more than",
	} {
		c := &Chain{Home: t.TempDir()}
		if got := c.ConfigFault(); got != "" {
			t.Errorf("no file: %s", got)
		}
		config(t, c.Home, text)
		if got := c.ConfigFault(); !strings.Contains(got, want) || want == "" && got != "" || strings.Contains(got, "S3CRET") {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
	c := &Chain{Home: config(t, "", `{"apiKey":"`+jwt(1)+`"}`)}
	if got := c.ConfigFault(); got != "its apiKey has expired" {
		t.Error(got)
	}
	c.Home = t.TempDir()
	if err := os.MkdirAll(filepath.Join(c.Home, ".hanzo", "config.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := c.ConfigFault(); got != "it is no regular file" {
		t.Error(got)
	}
}

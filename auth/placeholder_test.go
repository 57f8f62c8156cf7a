package auth

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// What is no credential does not hide one that is.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	const good = "hk-0123456789abcdef"
	for _, text := range []string{
		"undefined", "null", "None", "nil", "NaN", "true", "false", "changeme", "CHANGE_ME", "YOUR_API_KEY", "your-api-key-here", "yourkey", "api-key-here",
		"<your-key>", "<HANZO_API_KEY>", "$HANZO_KEY", "${HANZO_KEY}", "%HANZO_KEY%", "op://vault/item/field", "file:///x", "hk-xxxxxxxx", "********", "...",
		"\"undefined\"", "Bearer undefined", "Bearer ", "api_key", "insert-key", "replace-with-your-token", "$env:HANZO_KEY", "put-key-here",
	} {
		env := &Chain{Door: hanzo, Getenv: getenv(map[string]string{"HANZO_API_KEY": text, "HANZO_TOKEN": good})}
		if got := env.Token(t.Context(), Ask{}); got.Value != good || got.Source != "HANZO_TOKEN" {
			t.Errorf("%s: %+v", text, got)
		}
		if got := env.Bearers(); !slices.Equal(got, []string{good}) {
			t.Errorf("%s: redacted: %q", text, got)
		}
		alone := &Chain{Door: hanzo, Getenv: getenv(map[string]string{"HANZO_API_KEY": text})}
		if got := alone.Token(t.Context(), Ask{}); got.Value != "" || !strings.HasPrefix(got.Withheld, "HANZO_API_KEY is set, but to no bearer: ") {
			t.Errorf("%s: %+v", text, got)
		}
		if lines := alone.Doubts(); len(lines) != 1 || !strings.HasPrefix(lines[0], "HANZO_API_KEY counts as not set: ") || len(lines[0]) < 40 {
			t.Errorf("%s: %q", text, lines)
		}
		file := &Chain{Door: hanzo, Settings: func() string { return text }, Home: config(t, "", `{"apiKey":"`+good+`"}`)}
		if got := file.Token(t.Context(), Ask{}); got.Value != good || got.Source != "~/.hanzo/config.json" {
			t.Errorf("%s: %+v", text, got)
		}
		if lines := file.Doubts(); len(lines) != 1 || !strings.HasPrefix(lines[0], "api_key of the user settings counts as not set") {
			t.Errorf("%s: %q", text, lines)
		}
	}
	c := &Chain{Door: hanzo, Home: config(t, "", `{"apiKey":"undefined"}`)}
	if got := c.ConfigFault(); !strings.Contains(got, "not filled in") {
		t.Error(got)
	}
	if lines := c.Doubts(); len(lines) != 1 || !strings.HasPrefix(lines[0], "apiKey of ~/.hanzo/config.json counts as not set") {
		t.Errorf("%q", lines)
	}
	if lines := (&Chain{Getenv: getenv(map[string]string{"HANZO_KEY": " "}), Home: t.TempDir()}).Doubts(); lines != nil {
		t.Errorf("%q", lines)
	}
}

// A bearer that could be ordinary text is redacted as any other, and one that is too short is not; both are said.
func TestPlainBearersAreDoubted(t *testing.T) {
	t.Parallel()
	for value, sure := range map[string]bool{
		"function": false, "hanzo-mcp": false, "secrettoken": false, "correct-horse-battery-staple": false, "/usr/local/lib/node": false, "short1": false,
		"tok_S3CRET": true, "k-S3CRET-k": true, "hk-0123456789abcdef": true, "12345678": true, "AbCdEfGhIjKlMnOpQr": true, "qwertyuiopasdfghjkl": true, jwt(1): true,
	} {
		c := &Chain{Door: hanzo, Getenv: getenv(map[string]string{"HANZO_API_KEY": value})}
		if got := c.Token(t.Context(), Ask{}); got.Value != value {
			t.Errorf("%s: %+v", value, got)
		}
		if got := len(c.Bearers()) > 0; got != (len(value) >= minSecret) {
			t.Errorf("%s: redacted %v", value, got)
		}
		lines := c.Doubts()
		if (len(lines) == 0) != sure || strings.Contains(strings.Join(lines, ""), value) {
			t.Errorf("%s: %q", value, lines)
		}
	}
}

// The files are read, the command is not run, to tell what is in doubt.
func TestDoubtsRunNothing(t *testing.T) {
	t.Parallel()
	c := &Chain{Door: hanzo, Home: t.TempDir(), LookPath: func(string) (string, error) {
		t.Error("looked for the command")
		return "", os.ErrNotExist
	}}
	if lines := c.Doubts(); lines != nil {
		t.Errorf("%q", lines)
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// TestDoctorFindsSignInFaults: what keeps the cloud's tools from working is wrong in doctor too, and says what mends it.
func TestDoctorFindsSignInFaults(t *testing.T) {
	t.Parallel()
	const good, bad = "tok_GOOD_0123456789", "tok_BAD_0123456789"
	down := "down"
	tool := `{"name":"good","inputSchema":{"type":"object"}}`
	for name, c := range map[string]struct {
		script       fakedoor.Script
		config, key  string
		door, signIn string // beginnings: ok or FAIL and a part of text and mend
	}{
		"refused key":         {fakedoor.Script{ListToken: good}, "", bad, "FAIL sign in: hanzo auth login", "FAIL refuses the bearer from HANZO_API_KEY (401)"},
		"refused file":        {fakedoor.Script{ListToken: good}, `{"apiKey":"` + bad + `"}`, "", "FAIL (401)", "FAIL correct or remove it there"},
		"list wants a bearer": {fakedoor.Script{ListToken: good}, "", "", "FAIL sign in: hanzo auth login", "ok not signed in"},
		"good key":            {fakedoor.Script{ListToken: good}, "", good, "ok ", "ok by HANZO_API_KEY, which the door does not refuse"},
		"left out":            {fakedoor.Script{Tools: []string{tool, tool, `{"name":"x"}`}}, "", "", "ok left out: 1 (", "ok not signed in"},
		"comma":               {fakedoor.Script{}, `{"apiKey":"` + good + `",}`, "", "ok ", "FAIL config.json is not used: it is not valid JSON"},
		"other spelling":      {fakedoor.Script{}, `{"api_key":"` + good + `"}`, "", "ok ", "FAIL apiKey is the name"},
		"file not needed":     {fakedoor.Script{}, `{`, good, "ok ", "ok config.json is not used"},
		"no list":             {fakedoor.Script{Status: 500, Body: &down}, "", bad, "FAIL check the network", "ok by HANZO_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if c.config != "" {
				if err := os.Mkdir(filepath.Join(home, ".hanzo"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(home, ".hanzo", "config.json"), []byte(c.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d := fakedoor.Start(t, c.script)
			_, out, stderr := runCommand(t, []string{"HOME=" + home, "HANZO_API_KEY=" + c.key, "HANZO_MCP_DOOR=" + d.URL()}, "", "doctor", "--json")
			var told struct{ Findings []finding }
			if err := json.Unmarshal([]byte(out), &told); err != nil {
				t.Fatalf("%v: %s %s", err, out, stderr)
			}
			for _, f := range told.Findings {
				want, looked := map[string]string{"door": c.door, "sign-in": c.signIn}[f.Name]
				if !looked {
					continue
				}
				state, part, _ := strings.Cut(want, " ")
				if f.OK != (state == "ok") || !strings.Contains(f.Text+" "+f.Mend, part) || !f.OK && f.Mend == "" {
					t.Errorf("%+v, want %s", f, want)
				}
			}
			if strings.Contains(out+stderr, "_0123456789") {
				t.Errorf("a bearer is shown: %s", out)
			}
		})
	}
}

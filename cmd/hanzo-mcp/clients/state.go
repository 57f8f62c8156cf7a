package clients

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// State is what a client's settings say of us.
type State int

const (
	Absent     State = iota // the client has no settings here
	Unreadable              // they cannot be read
	NoEntry                 // they have no entry of ours
	HasEntry                // they have
)

// State looks into the client's file. text is the command or address of the entry, or what is wrong with the file.
func (c *Client) State(s System) (state State, text string) {
	raw, err := os.ReadFile(c.file(s))
	if errors.Is(err, fs.ErrNotExist) {
		return Absent, ""
	}
	var settings map[string]any
	if err == nil {
		if c.toml {
			err = toml.Unmarshal(raw, &settings)
		} else if raw, err = hujson.Standardize(raw); err == nil {
			err = json.Unmarshal(raw, &settings)
		}
	}
	if err != nil {
		return Unreadable, err.Error()
	}
	at := settings
	for _, key := range append(c.path, Name) {
		if at, _ = at[key].(map[string]any); at == nil {
			return NoEntry, ""
		}
	}
	for _, key := range []string{"command", "url", "httpUrl", "serverUrl"} {
		switch v := at[key].(type) {
		case string:
			return HasEntry, v
		case []any:
			if len(v) > 0 {
				if first, ok := v[0].(string); ok {
					return HasEntry, first
				}
			}
		}
	}
	return HasEntry, "something without a command"
}

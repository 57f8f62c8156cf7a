package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

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
	var at map[string]any
	if err == nil {
		at, err = c.entry(raw)
	}
	if err != nil {
		return Unreadable, err.Error()
	}
	if at == nil {
		return NoEntry, ""
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

// entry is our entry in the text of a client's file, nil when there is none.
func (c *Client) entry(text []byte) (at map[string]any, err error) {
	if c.toml {
		err = toml.Unmarshal(text, &at)
	} else if text, err = hujson.Standardize(bytes.TrimPrefix(bytes.Clone(text), []byte("\xef\xbb\xbf"))); err == nil { // in place: of a copy
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		return nil, err
	}
	for _, key := range append(slices.Clone(c.path), Name) {
		if at, _ = at[key].(map[string]any); at == nil {
			return nil, nil
		}
	}
	return at, nil
}

// dropped are the members of our entry that an edit takes out.
func (c *Client) dropped(before, after []byte) (names []string) {
	old, _ := c.entry(before) // none in a file that is empty
	now, _ := c.entry(after)
	for _, name := range transport {
		if old[name] != nil && now[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Call is what a hook is told about a tool call.
type Call struct {
	Subject    Subject
	Input      json.RawMessage // the arguments: local canonical, forwarded raw; empty is {}
	SessionID  string
	ProjectDir string // the first root; "" when there is none
	Cwd        string // the folder relative paths start from
}

// bearers never reach a hook, whatever the caller's base environment holds.
var bearers = []string{"HANZO_API_KEY", "HANZO_KEY", "HANZO_TOKEN", "HANZO_MCP_HTTP_TOKEN"}

// told lists the variables that belong to this package; what the base environment says of them is stale.
var told = []string{"HANZO_TOOL_NAME", "HANZO_TOOL_ACTION", "HANZO_TOOL_INPUT", "HANZO_TOOL_OUTPUT", "HANZO_SESSION_ID", "HANZO_PROJECT_DIR"}

// baseEnv is the caller's environment without bearers and without our own names.
func baseEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		key, _, _ := strings.Cut(entry, "=")
		same := func(name string) bool { return sameVariable(key, name) || sameVariable(key, name+"_FILE") }
		return slices.ContainsFunc(bearers, same) || slices.ContainsFunc(told, same) || sameVariable(key, "PWD")
	})
}

// input is one call in the form its hooks read it; close removes its files.
type input struct {
	stdin []byte
	env   []string
	files []string
}

// newInput writes the call down once for all hooks of an event.
func newInput(event Event, c Call, output json.RawMessage, base []string, temp string) (*input, error) {
	args := asJSON(c.Input, "{}")
	in := &input{env: slices.Clone(base)}
	values := [][2]string{
		{"HANZO_TOOL_NAME", c.Subject.Tool}, {"HANZO_TOOL_ACTION", c.Subject.Action}, {"HANZO_TOOL_INPUT", string(args)},
		{"HANZO_SESSION_ID", c.SessionID},
	}
	if c.ProjectDir != "" {
		values = append(values, [2]string{"HANZO_PROJECT_DIR", c.ProjectDir})
	}
	members := []struct {
		name  string
		value []byte
	}{
		{"session_id", quoteJSON(c.SessionID)}, {"cwd", quoteJSON(c.Cwd)}, {"hook_event_name", quoteJSON(event.Name())},
		{"tool_name", quoteJSON(c.Subject.Tool)}, {"tool_action", quoteJSON(c.Subject.Action)}, {"tool_input", args}, {"tool_response", nil},
	}
	if event == PostToolUse {
		response := asJSON(output, "null")
		members[len(members)-1].value = response
		values = append(values, [2]string{"HANZO_TOOL_OUTPUT", string(response)})
	}
	// Joined by hand: an encoder would go through the megabytes of a large input several times.
	var stdin bytes.Buffer
	stdin.Grow(len(args) + len(output) + 512)
	separator := "{"
	for _, m := range members {
		if m.value != nil {
			stdin.WriteString(separator + `"` + m.name + `":`)
			stdin.Write(m.value)
			separator = ","
		}
	}
	stdin.WriteString("}\n")
	in.stdin = stdin.Bytes()
	for _, v := range values {
		if err := in.set(v[0], v[1], temp); err != nil {
			return nil, errors.Join(fmt.Errorf("setting %s for the hook: %w", v[0], err), in.close())
		}
	}
	return in, nil
}

func (in *input) set(name, value, temp string) error {
	if len(value) <= MaxVariable {
		in.env = append(in.env, name+"="+value)
		return nil
	}
	file, err := os.CreateTemp(temp, "hanzo-hook-*.json") // 0600 by contract of CreateTemp
	if err != nil {
		return err
	}
	in.files = append(in.files, file.Name())
	in.env = append(in.env, name+"_FILE="+file.Name())
	_, err = file.WriteString(value)
	return errors.Join(err, file.Close())
}

func (in *input) close() error {
	var errs []error
	for _, name := range in.files {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// asJSON is the raw text as one line of JSON. A text that is no JSON becomes a JSON string, so that the whole stays one
// object.
func asJSON(raw json.RawMessage, empty string) []byte {
	trimmed := bytes.TrimSpace(raw)
	switch {
	case len(trimmed) == 0:
		return []byte(empty)
	case !json.Valid(trimmed):
		return quoteJSON(string(raw))
	case bytes.IndexByte(trimmed, '\n') < 0 && bytes.IndexByte(trimmed, '\r') < 0:
		return trimmed
	}
	// In valid JSON a line break stands between tokens only.
	line := bytes.Clone(trimmed)
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return line
}

func quoteJSON(text string) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

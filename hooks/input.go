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
	message := struct {
		SessionID    string          `json:"session_id"`
		Cwd          string          `json:"cwd"`
		Event        string          `json:"hook_event_name"`
		ToolName     string          `json:"tool_name"`
		ToolAction   string          `json:"tool_action"`
		ToolInput    json.RawMessage `json:"tool_input"`
		ToolResponse json.RawMessage `json:"tool_response,omitempty"`
	}{c.SessionID, c.Cwd, event.Name(), c.Subject.Tool, c.Subject.Action, args, nil}
	values := [][2]string{
		{"HANZO_TOOL_NAME", c.Subject.Tool}, {"HANZO_TOOL_ACTION", c.Subject.Action}, {"HANZO_TOOL_INPUT", string(args)},
		{"HANZO_SESSION_ID", c.SessionID},
	}
	if c.ProjectDir != "" {
		values = append(values, [2]string{"HANZO_PROJECT_DIR", c.ProjectDir})
	}
	if event == PostToolUse {
		message.ToolResponse = asJSON(output, "null")
		values = append(values, [2]string{"HANZO_TOOL_OUTPUT", string(message.ToolResponse)})
	}
	var stdin bytes.Buffer
	encoder := json.NewEncoder(&stdin)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, fmt.Errorf("writing the hook's input: %w", err)
	}
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
func asJSON(raw json.RawMessage, empty string) json.RawMessage {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 {
		return json.RawMessage(empty)
	}
	if !json.Valid(trimmed) {
		text, err := json.Marshal(string(raw))
		if err != nil {
			return json.RawMessage(empty)
		}
		return text
	}
	if !bytes.ContainsAny(trimmed, "\r\n") {
		return trimmed
	}
	// In valid JSON a line break stands between tokens only.
	return bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, trimmed)
}

package door

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// moreInput is the answer to a legacy caller for a tool that asks for more input: such a caller cannot be asked, so the
// model is told what is wanted, in the door's words.
func (c *Client) moreInput(result []byte) string {
	text := "This tool asks for more input before it can go on, which needs a client that speaks MCP " + Revision + ". "
	if asked := questions(result); asked != "" {
		text += `It asks "` + c.quote([]byte(asked)) + `". `
	}
	return text + "Give what it needs in the arguments, or use such a client."
}

// questions are the messages of an answer's input requests, each with the names of what is to be filled in.
func questions(result []byte) string {
	var r struct {
		InputRequests map[string]struct {
			Method string
			Params struct {
				Message, URL    string
				RequestedSchema struct{ Properties map[string]json.RawMessage }
			}
		}
	}
	_ = json.Unmarshal(result, &r) // what has another type is left out
	var list []string
	for _, id := range slices.Sorted(maps.Keys(r.InputRequests)) {
		request := r.InputRequests[id]
		text := request.Params.Message
		if text == "" {
			text = request.Method
		}
		if request.Params.URL != "" && fitToShow(request.Params.URL) {
			text += " " + request.Params.URL
		}
		if names := slices.Sorted(maps.Keys(request.Params.RequestedSchema.Properties)); len(names) > 0 {
			text += " (" + strings.Join(names, ", ") + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

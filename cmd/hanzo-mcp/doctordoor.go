package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/door"
)

const doorLimit = 5 * time.Second // for each of the two requests to the door

// examineDoor asks the door for its list, and once more with the bearer, when there is one.
func (s *server) examineDoor(ctx context.Context) []finding {
	if s.door == nil {
		return []finding{{"door", true, "switched off (--no-door)", ""}}
	}
	begun := time.Now()
	list := s.door.List(ctx, doorLimit)
	took := time.Since(begun).Round(time.Millisecond)
	st := s.door.State()
	token := s.tokens.Token(ctx, auth.Ask{})
	f := finding{"door", st.Answered, fmt.Sprintf("%s: %d tools in %v", st.URL, st.Tools, took), ""}
	wants := !st.Answered && strings.HasSuffix(st.Failure, "a sign-in (401)")
	switch {
	case st.Answered:
		if left := list.LeftOut(); left != "" {
			f.Text += "\nit lists tools that are left out: " + left
		}
		if len(st.Meta) > 0 {
			f.Text += "\n" + clipBytes(st.Meta, 300)
		}
	case wants:
		f.Text = fmt.Sprintf("%s: %s", st.URL, st.Failure)
		f.Mend = "sign in: hanzo auth login, or HANZO_API_KEY; local tools work without it (--no-door)"
		if token.Source == auth.Command {
			f.Mend = "set HANZO_API_KEY: the list is asked for without starting `hanzo`"
		}
	default:
		f.Text = fmt.Sprintf("%s: %s", st.URL, cmp.Or(st.Failure, fmt.Sprintf("no answer in %v", doorLimit)))
		f.Mend = "check the network and HANZO_MCP_DOOR; local tools work without it (--no-door)"
	}
	return []finding{f, s.examineSignIn(ctx, token, st.Answered || wants)}
}

// examineSignIn tells which bearer there is and, when the door answers, whether it refuses it.
func (s *server) examineSignIn(ctx context.Context, token auth.Token, answers bool) finding {
	f := finding{"sign-in", true, "", ""}
	file := s.tokens.ConfigFault()
	switch {
	case token.Value != "" && answers && s.doorRefuses(ctx):
		f.OK, f.Text, f.Mend = false, "the door refuses the bearer from "+token.Source+" (401)", mendBearer(token.Source)
	case token.Value != "":
		f.Text = "by " + token.Source
		if answers {
			f.Text += ", which the door does not refuse"
		}
	case token.Withheld != "":
		f.OK, f.Text, f.Mend = false, "a credential is there but not sent: "+token.Withheld, "correct the variable, or add the door's origin to door.origins of the user settings"
	case file != "":
		f.OK, f.Text, f.Mend = false, "not signed in, and ~/.hanzo/config.json is not used: "+file, "correct the file, or run hanzo auth login"
		return f
	default:
		f.Text = "not signed in: the cloud's tools will ask for it (hanzo auth login, or HANZO_API_KEY); local tools need none"
	}
	if file != "" {
		f.Text += "\n~/.hanzo/config.json is not used: " + file
	}
	return f
}

// doorRefuses asks for the list as a call is made, with the bearer; a door may serve everybody and still refuse a bad one.
func (s *server) doorRefuses(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, doorLimit)
	defer cancel()
	reply := s.door.Call(ctx, door.Caller{}, door.Message{ID: []byte("1"), Method: "tools/list", Params: []byte("{}")})
	var content []struct{ Text string }
	if !reply.Made || json.Unmarshal(member(reply.Result, "content"), &content) != nil || len(content) == 0 {
		return false
	}
	return strings.HasPrefix(content[0].Text, "Sign in ")
}

func mendBearer(source string) string {
	switch {
	case source == auth.Command:
		return "hanzo auth login"
	case strings.HasPrefix(source, "HANZO_"):
		return "set a valid " + source + ", or remove it and run hanzo auth login"
	}
	return "correct or remove it there (it goes before hanzo auth login), or set HANZO_API_KEY"
}

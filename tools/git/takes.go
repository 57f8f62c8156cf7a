package git

import (
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// verbTakes are, by action and by verb of it that changes something, the parameters that the verb takes beside everyCall.
// The action itself takes those of all its verbs, so that one too many would be overlooked: it was meant to change what is
// done, as limit:2 that was to name a stash. An action without verbs has the one "".
var verbTakes = map[string]struct {
	aliases map[string]string
	verbs   map[string]string
}{
	"stash": {stashAliases, map[string]string{
		"push": "message files all include_untracked staged keep_index", "apply": "ref name", "pop": "ref name", "drop": "ref name", "clear": "",
	}},
	"branch": {branchAliases, map[string]string{
		"create": "name ref force", "rename": "name ref new_name", "checkout": "name ref force", "set_upstream": "name ref", "delete": "name ref force",
	}},
	"tag":      {tagAliases, map[string]string{"create": "name ref message force", "delete": "name force"}},
	"remote":   {remoteAliases, map[string]string{"add": "name url", "set_url": "name url", "remove": "name", "rename": "name new_name"}},
	"worktree": {worktreeAliases, map[string]string{"add": "destination name ref detach", "remove": "destination force", "lock": "destination", "unlock": "destination", "prune": ""}},
	"bisect":   {bisectAliases, map[string]string{"start": "good bad", "good": "ref", "bad": "ref", "skip": "ref", "reset": "ref"}},
	"reflog":   {nil, map[string]string{"expire": "ref until all"}},
	"config":   {configAliases, map[string]string{"set": "key value"}},
	"merge": {nil, map[string]string{
		"": "ref message mode no_commit", "start": "ref message mode no_commit", "continue": "", "abort": "", "skip": "", "quit": "",
	}},
	"rebase": {nil, map[string]string{"": "ref onto", "start": "ref onto", "continue": "", "abort": "", "skip": "", "quit": ""}},
	"cherry_pick": {nil, map[string]string{
		"": "ref no_commit mainline", "start": "ref no_commit mainline", "continue": "", "abort": "", "skip": "", "quit": "",
	}},
	"fetch": {nil, map[string]string{"": "name ref all tags prune depth force", "fetch": "name ref all tags prune depth force"}},
	"pull":  {nil, map[string]string{"": "name ref mode tags prune depth force", "pull": "name ref mode tags prune depth force"}},
	"push": {pushAliases, map[string]string{
		"": "name ref mode all tags set_upstream force", "push": "name ref mode all tags set_upstream force", "force": "name ref mode all tags set_upstream force", "delete": "name ref mode force",
	}},
}

// everyCall are the parameters that change nothing of what is done.
var everyCall = []string{"path", "sub_action", "timeout", "max_chars", "confirm", "dry_run"}

// resuming are the verbs of an action under way, and begun the words that it was begun with, which callers repeat.
var (
	resuming = []string{"continue", "abort", "skip", "quit"}
	begun    = []string{"message", "ref", "onto"}
)

// overlooked refuses a change with a parameter that its verb would not heed.
func overlooked(c *tools.Call) error {
	if c.Action == nil {
		return nil
	}
	of := verbTakes[c.Action.Name]
	verb := subOf(c, of.aliases)
	takes, changes := of.verbs[verb]
	if !changes {
		return nil
	}
	list := strings.Fields(takes)
	for _, p := range c.Action.Params() {
		if raw := c.Args.Raw(p); raw == nil || empty(raw) || slices.Contains(list, p) || slices.Contains(everyCall, p) {
			continue
		}
		act := strings.TrimSpace(c.Action.Name + " " + verb)
		if p != "message" && slices.Contains(loose, p) && c.Effect() != tools.Destroys && (c.Action.Name != "stash" || verb == "push") || slices.Contains(resuming, verb) && slices.Contains(begun, p) {
			c.Warn("git." + act + " does not take " + p + ": it was ignored")
			continue
		}
		e := tools.Errorf(tools.InvalidParams, "git.%s does not take %s; nothing was done", act, p)
		if len(list) > 0 {
			e.Message += ": it takes " + strings.Join(list, ", ")
		}
		return e.With(tools.Details{Param: p, Available: list})
	}
	return nil
}

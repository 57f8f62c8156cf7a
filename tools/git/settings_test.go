package git

import (
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestSettingValues: a value with which git would not work any more is not written.
func TestSettingValues(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	before := w.git("config", "--local", "--list")
	for _, c := range [][2]string{
		{"core.autocrlf", "evil"}, {"core.eol", "evil"}, {"push.default", "evil"}, {"push.default", ""}, {"user.useConfigOnly", "evil"}, {"user.name", " "}, {"user.name", "a\nb"},
		{"branch.autoSetupMerge", "evil"}, {"branch.autoSetupRebase", ""}, {"branch.sort", "evil"}, {"pull.ff", "evil"}, {"pull.rebase", "evil"}, {"branch.main.rebase", "evil"},
	} {
		if out := w.fails(tools.InvalidParams, "config", args{"sub_action": "set", "key": c[0], "value": c[1]}); out.Envelope.Error.Details.Param != "value" {
			t.Errorf("%v: %v", c, out.Envelope.Error)
		}
	}
	if after := w.git("config", "--local", "--list"); after != before {
		t.Error(after)
	}
	for key, list := range wordsOf {
		if key == "rebase" {
			key = "branch.main.rebase"
		}
		for _, value := range append(list, map[bool]string{true: "YES", false: list[0]}[list[0] == "true"]) {
			w.call("config", args{"sub_action": "set", "key": key, "value": value})
			if key == "branch.autosetupmerge" && (value == "simple" || value == "inherit") {
				continue // not every git knows these
			}
			for _, action := range []string{"status", "log", "branch"} {
				w.call(action, nil)
			}
		}
		w.git("config", "--unset", key)
	}
	w.call("config", args{"sub_action": "set", "key": "branch.main.description", "value": "evil"})
}

// Package think is the scratchpad of a session: numbered thoughts, with revisions and branches, and a journal.
//
// Its room: keeping thoughts for as long as the session lasts (journal.go), and the questions that critic and
// review put to a thought or to code (question.go). It writes no file, starts nothing and asks no model; what the
// other servers send to one from here, the tools of the door do. What it keeps is bounded.
//
// Governing text: HIP-0300 §2 (the optional local tool think).
package think

import (
	"context"
	_ "embed"

	"github.com/hanzoai/hanzo-mcp/tools"
)

//go:embed think.md
var description string

// New makes the tool. Thoughts are kept by the session.
func New() *tools.Tool {
	return &tools.Tool{
		Name: "think", Title: "Think", Description: description,
		Hints:   tools.Hints{ReadOnly: true},
		Default: "think",
		Params: []tools.Param{
			{Name: "thought", Type: "string", Doc: "the thought", Aliases: []string{"content", "text", "question"}},
			{Name: "thought_number", Type: "integer", Doc: "its number, from 1 (the next one)"},
			{Name: "total_thoughts", Type: "integer", Doc: "how many it will take, as far as is known"},
			{Name: "next_thought_needed", Type: "boolean", Doc: "whether another one follows"},
			{Name: "is_revision", Type: "boolean", Doc: "it corrects an earlier one"},
			{Name: "revises_thought", Type: "integer", Doc: "the number of that one"},
			{Name: "branch_id", Type: "string", Doc: "name of another line of thought"},
			{Name: "branch_from_thought", Type: "integer", Doc: "the number where it begins"},
			{Name: "needs_more_thoughts", Type: "boolean", Hidden: true, Doc: "the total was too low"},
			{Name: "context", Type: "string", Doc: "what to bear in mind"},
			{Name: "code", Type: "string", Doc: "critic, review: code to look at"},
			{Name: "language", Type: "string", Hidden: true, Doc: "of the code"},
			{Name: "limit", Type: "integer", Doc: "journal: how many of the latest (50)"},
			{Name: "max_chars", Type: "integer", Hidden: true, Doc: "of text, default 30000"},
		},
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "think", Aliases: []string{"thought"}, NoSlot: true, Doc: "keep a thought"}, think),
			tools.Act(tools.Action{Name: "critic", Aliases: []string{"critique", "criticize"}, NoSlot: true, Doc: "questions that find faults of a thought or code"}, critic),
			tools.Act(tools.Action{Name: "review", NoSlot: true, Doc: "questions that weigh a thought or code"}, review),
			tools.Act(tools.Action{Name: "journal", Aliases: []string{"history", "list"}, NoSlot: true, Doc: "what was thought in this session"}, show),
			tools.Act(tools.Action{Name: "consensus", Aliases: []string{"agent", "summarize", "classify", "embed", "explain", "translate", "compare", "chain"}, NoSlot: true,
				Doc: "not here: the tools of the door ask models"}, elsewhere),
		},
	}
}

func elsewhere(_ context.Context, c *tools.Call, _ struct{}) (*tools.Result, error) {
	return nil, tools.Errorf(tools.Unsupported, "%s is not done on this machine, which asks no model; the tools of the door do that (call `describe` to find them)", c.Given)
}

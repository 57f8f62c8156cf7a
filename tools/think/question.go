package think

import (
	"context"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const criticOfThought = `Find what is wrong with it before acting on it:
- Which assumption, if false, makes all of it wrong? How could it be checked now?
- What was left out: other causes, other users, other platforms, failure half-way?
- What would someone who disagrees say, and what is the best answer to that?
- What is the smallest test that would show it to be wrong?
- What cannot be taken back once it is done?`

const criticOfCode = `Find what is wrong with it; name the line and an input that shows it:
- Empty, huge, negative, duplicate, non-ASCII or hostile input; off by one; overflow.
- Errors that are dropped, or leave things half done; files, locks, processes that are not released.
- Two calls at once; a call that is cancelled; the same call twice.
- Input that reaches a shell, a query, a path, a page or a log unchecked; secrets in output.
- Cost when there is a thousand times more of it.
- Which behaviour has no test that would fail?`

const reviewOfThought = `Weigh it:
- What is right about it and should stay?
- What is the simplest form that still reaches the goal?
- What has to change, in order of importance, and why?
- What remains unknown, and who or what can tell?
- Verdict: go on, change first, or start again?`

const reviewOfCode = `Weigh it:
- Does it do what was asked, all of it, and nothing else?
- Is it as simple as it can be, with names that say what things are? What stands there twice?
- Does it fit the code around it: its style, its layers, its way to report errors?
- What must be fixed (wrong, unsafe), what should be (hard to read, slow), what may stay?
- Do the tests show it to work, and fail when it does not?
- Verdict: accept, accept after changes, or not?`

type questionIn struct {
	Thought  string `json:"thought"`
	Code     string `json:"code"`
	Context  string `json:"context"`
	Language string `json:"language"`
}

func critic(_ context.Context, c *tools.Call, in questionIn) (*tools.Result, error) {
	return in.ask(c, "critic", criticOfThought, criticOfCode)
}

func review(_ context.Context, c *tools.Call, in questionIn) (*tools.Result, error) {
	return in.ask(c, "review", reviewOfThought, reviewOfCode)
}

// ask keeps what is in question and gives the questions.
func (in questionIn) ask(c *tools.Call, kind, ofThought, ofCode string) (*tools.Result, error) {
	text := joined(in.Thought, in.Context)
	questions := ofThought
	if strings.TrimSpace(in.Code) != "" {
		questions = ofCode
	}
	about := text
	if about == "" {
		about = in.Code
	}
	if len(about) > maxThought && text == "" { // code stands elsewhere too; the journal needs its beginning only
		about, _ = tools.Head(about, 200)
	}
	if err := check(about, ""); err != nil {
		return nil, err
	}
	j := journalOf(c.Session)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keep(thought{kind: kind, text: about})
	return &tools.Result{Text: questions + "\n", Data: struct {
		Text string `json:"text"`
	}{kind + ": answer these questions yourself, then act on the answers"}}, nil
}

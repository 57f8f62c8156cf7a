package think

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What a session keeps; the oldest thoughts go first.
const (
	maxThought  = 16 << 10 // bytes of one
	maxThoughts = 500
	maxBytes    = 1 << 20
	maxName     = 100
	maxNumber   = 1_000_000
)

// thought is one entry of the journal.
type thought struct {
	kind          string // "" for a plain one, else critic or review
	text          string
	number, total int
	more          bool // another one is to follow
	branch        string
	from, revises int
}

// journal is what a session thought.
type journal struct {
	mu    sync.Mutex
	list  []thought
	bytes int
	gone  int // thoughts that were dropped for room
}

func journalOf(s *tools.Session) *journal {
	return s.Value("think", func() any { return new(journal) }).(*journal)
}

// keep adds a thought, numbered after the last of its branch when it has no number.
func (j *journal) keep(t thought) {
	j.list = append(j.list, t)
	j.bytes += len(t.text)
	for len(j.list) > maxThoughts || j.bytes > maxBytes {
		j.bytes -= len(j.list[0].text)
		j.list = slices.Delete(j.list, 0, 1)
		j.gone++
	}
}

// last is the highest number of a branch, 0 when it has no thoughts.
func (j *journal) last(branch string) (n int) {
	for _, t := range j.list {
		if t.branch == branch {
			n = max(n, t.number)
		}
	}
	return n
}

// has reports whether a number was thought: in the branch, or in the line that it left.
func (j *journal) has(number int, branch string) bool {
	return j.gone > 0 || slices.ContainsFunc(j.list, func(t thought) bool {
		return t.number == number && (t.branch == branch || t.branch == "")
	})
}

func (j *journal) branches() (list []string) {
	for _, t := range j.list {
		if t.branch != "" && !slices.Contains(list, t.branch) {
			list = append(list, t.branch)
		}
	}
	return list
}

type thinkIn struct {
	Thought    string `json:"thought"`
	Context    string `json:"context"`
	Number     int    `json:"thought_number"`
	Total      int    `json:"total_thoughts"`
	Next       *bool  `json:"next_thought_needed"`
	IsRevision bool   `json:"is_revision"`
	Revises    int    `json:"revises_thought"`
	Branch     string `json:"branch_id"`
	From       int    `json:"branch_from_thought"`
	NeedsMore  bool   `json:"needs_more_thoughts"`
}

func think(_ context.Context, c *tools.Call, in thinkIn) (*tools.Result, error) {
	text := joined(in.Thought, in.Context)
	if err := check(text, in.Branch); err != nil {
		return nil, err
	}
	if least, most := min(in.Number, in.Total, in.Revises, in.From), max(in.Number, in.Total, in.Revises, in.From); least < 0 || most > maxNumber {
		return nil, tools.Errorf(tools.InvalidParams, "thoughts are numbered from 1 to %d", maxNumber).With(tools.Details{Param: "thought_number"})
	}
	j := journalOf(c.Session)
	j.mu.Lock()
	defer j.mu.Unlock()
	for param, n := range map[string]int{"revises_thought": in.Revises, "branch_from_thought": in.From} {
		if n > 0 && !c.Session.Stateless && !j.has(n, in.Branch) {
			return nil, tools.Errorf(tools.InvalidParams, "%s is %d, but no such thought was kept; journal shows the numbers", param, n).
				With(tools.Details{Param: param, Actual: fmt.Sprint(n)})
		}
	}
	if in.IsRevision && in.Revises == 0 {
		return nil, tools.Errorf(tools.InvalidParams, "is_revision needs revises_thought, the number of the thought that is corrected").With(tools.Details{Param: "revises_thought"})
	}
	t := thought{text: text, number: in.Number, total: in.Total, branch: in.Branch, from: in.From, revises: in.Revises}
	if t.number == 0 {
		t.number = max(j.last(in.Branch), in.From) + 1
	}
	t.total = max(t.total, t.number)
	t.more = in.NeedsMore || t.number < t.total
	if in.Next != nil {
		t.more = *in.Next
	}
	j.keep(t)
	data := struct {
		Text     string   `json:"text"`
		Number   int      `json:"thought_number"`
		Total    int      `json:"total_thoughts"`
		Next     bool     `json:"next_thought_needed"`
		Branches []string `json:"branches,omitempty"`
		Kept     int      `json:"kept"`
	}{"kept " + t.name(), t.number, t.total, t.more, j.branches(), len(j.list)}
	data.Branches = data.Branches[:min(len(data.Branches), 5)]
	if c.Session.Stateless {
		c.Warn("this connection keeps no session: the thought is forgotten after this call")
	}
	if j.gone > 0 {
		c.Warn(fmt.Sprintf("the journal is full: the oldest %d thoughts were dropped; put what matters into memory", j.gone))
	}
	return &tools.Result{Data: data}, nil
}

func check(text, branch string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return tools.Errorf(tools.InvalidParams, "thought is missing: give the thought").With(tools.Details{Param: "thought"})
	case len(text) > maxThought:
		return tools.Errorf(tools.InvalidParams, "the thought has %d bytes, more than %d; give it in parts", len(text), maxThought).With(tools.Details{Param: "thought"})
	case len(branch) > maxName:
		return tools.Errorf(tools.InvalidParams, "branch_id has %d bytes, more than %d", len(branch), maxName).With(tools.Details{Param: "branch_id"})
	}
	return nil
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n")
}

// name is what a thought is, for people: "thought 3/5, revises 2".
func (t *thought) name() string {
	name := cmp.Or(t.kind, "thought")
	if t.number > 0 {
		name += fmt.Sprintf(" %d/%d", t.number, t.total)
	}
	if t.branch != "" {
		name += fmt.Sprintf(" of %q", t.branch)
	}
	if t.from > 0 {
		name += fmt.Sprintf(" from %d", t.from)
	}
	if t.revises > 0 {
		name += fmt.Sprintf(", revises %d", t.revises)
	}
	return name
}

type showIn struct {
	Branch   string `json:"branch_id"`
	Limit    int    `json:"limit"`
	MaxChars int    `json:"max_chars"`
}

func show(_ context.Context, c *tools.Call, in showIn) (*tools.Result, error) {
	j := journalOf(c.Session)
	j.mu.Lock()
	list := slices.Clone(j.list)
	gone := j.gone
	j.mu.Unlock()
	if in.Branch != "" {
		list = slices.DeleteFunc(list, func(t thought) bool { return t.branch != in.Branch })
	}
	total := len(list)
	if in.Limit <= 0 {
		in.Limit = 50
	}
	list = list[max(0, total-in.Limit):]
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%s (%d characters): %s\n", t.name(), utf8.RuneCountInString(t.text), strings.ReplaceAll(t.text, "\n", "\n  "))
	}
	data := struct {
		Text  string `json:"text"`
		Count int    `json:"count"`
		Total int    `json:"total"`
		Gone  int    `json:"dropped,omitempty"`
		Open  bool   `json:"next_thought_needed"`
	}{fmt.Sprintf("%d of %d thoughts of this session", len(list), total), len(list), total, gone, total > 0 && list[len(list)-1].more}
	text, over := tools.HeadTail(b.String(), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: data, Truncated: over || len(list) < total}, nil
}

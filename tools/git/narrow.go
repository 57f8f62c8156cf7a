package git

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// narrowing are the words by which callers have less listed. A reading that does not take one it gets is refused: the list
// of everything would be a wrong answer to what was asked.
var narrowing = []string{"since", "until", "author", "author_name", "author_email", "committer", "grep", "query", "search", "pattern", "days", "weeks", "hours", "months",
	"contains", "no_contains", "merged", "no_merged", "points_at", "remotes", "branch_type", "pickaxe", "diff_grep", "merges", "no_merges", "first_parent",
	"invert_grep", "min_parents", "max_parents", "diff_filter", "exclude"}

// narrowingWords are those of them that no schema shows, and others that mean the same.
func narrowingWords() []tools.Param {
	return []tools.Param{
		{Name: "author_name", Type: "string"},
		{Name: "author_email", Type: "string"},
		{Name: "committer", Type: "string", Aliases: []string{"committer_name", "committer_email"}},
		{Name: "query", Type: "string", Aliases: []string{"filter", "keyword", "keywords", "search_term", "search_text", "search_query"}},
		{Name: "pattern", Type: "string", Aliases: []string{"glob", "name_pattern", "list_pattern"}},
		{Name: "days", Aliases: []string{"last_days", "since_days", "days_ago", "past_days"}},
		{Name: "weeks"},
		{Name: "hours"},
		{Name: "months"},
		{Name: "contains", Type: "string", Aliases: []string{"containing", "contains_commit"}},
		{Name: "no_contains", Type: "string", Aliases: []string{"not_contains"}},
		{Name: "merged", Type: "string", Aliases: []string{"merged_into", "only_merged", "merged_only"}},
		{Name: "no_merged", Type: "string", Aliases: []string{"not_merged", "unmerged"}},
		{Name: "points_at", Type: "string"},
		{Name: "remotes", Type: "boolean", Aliases: []string{"remotes_only", "remote_only", "remote_branches"}},
		{Name: "include_remotes", Type: "boolean", Aliases: []string{"include_remote", "all_branches", "show_all", "list_all"}},
		{Name: "branch_type", Type: "string", Aliases: []string{"list_type"}},
		{Name: "pickaxe", Type: "string", Aliases: []string{"S", "search_code"}},
		{Name: "diff_grep", Type: "string", Aliases: []string{"G", "grep_diff"}},
		{Name: "merges", Type: "boolean", Aliases: []string{"merges_only", "only_merges"}},
		{Name: "invert_grep", Type: "boolean"},
		{Name: "min_parents"},
		{Name: "max_parents"},
		{Name: "diff_filter", Type: "string"},
	}
}

// unheeded reports whether a call has a word that narrows, and its action does not take it.
func unheeded(c *tools.Call) bool {
	takes := c.Action.Params()
	lines := []string{"lines", "start_line", "end_line"}
	if c.Action.Name != "log" && c.Action.Name != "show" {
		lines = nil
	}
	return slices.ContainsFunc(slices.Concat(narrowing, lines), func(word string) bool {
		raw := c.Args.Raw(word)
		return raw != nil && !empty(raw) && !slices.Contains(takes, word)
	})
}

// strictly makes an action refuse such a call: it counts as one that changes something, of which every word must be heeded.
func strictly(a tools.Action) tools.Action {
	effect := a.EffectOf
	a.EffectOf = func(c *tools.Call) tools.Effect {
		e := a.Effect
		if effect != nil {
			e = effect(c)
		}
		if e == tools.Reads && unheeded(c) {
			return tools.Writes
		}
		return e
	}
	return a
}

// rewriteNarrowing puts what narrows under the names that the actions take.
func rewriteNarrowing(a *tools.Action, args *tools.Args) {
	takes := func(param string) bool { return slices.Contains(a.Params(), param) }
	switch a.Name {
	case "log":
		for _, word := range []string{"search", "query", "pattern", "message"} {
			move(args, word, "grep")
		}
		for _, word := range []string{"author_name", "author_email"} {
			move(args, word, "author")
		}
	case "branch", "tag":
		for _, word := range []string{"search", "query", "grep"} {
			move(args, word, "pattern")
		}
	case "commit":
		rewriteAuthor(args)
	}
	if a.Name == "branch" {
		if string(args.Raw("name")) == "true" { // remote:true
			args.Take("name")
			args.Put("remotes", json.RawMessage("true"))
		}
		switch args.String("type") {
		case "local", "remote", "remotes", "all":
			move(args, "type", "branch_type")
		}
	}
	if takes("all") && (a.Name == "branch" || a.Name == "log") {
		move(args, "include_remotes", "all")
	}
	for _, unit := range []string{"hours", "days", "weeks", "months"} {
		if n := plain(args.Raw(unit)); takes("since") && !args.Has("since") && strings.Trim(n, "0123456789") == "" && strings.Trim(n, "0") != "" {
			args.Take(unit)
			args.Put("since", tools.Text(n+" "+unit+" ago"))
		}
	}
}

// rewriteAuthor makes one text of the author's name and address.
func rewriteAuthor(args *tools.Args) {
	who := struct{ Name, Email string }{args.String("author_name"), args.String("author_email")}
	if who.Name == "" || who.Email == "" {
		if raw := args.Raw("author"); len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &who) != nil {
			return
		}
	}
	if who.Name == "" || who.Email == "" || strings.ContainsAny(who.Name+who.Email, "<>\n") {
		return
	}
	if raw := args.Raw("author"); len(raw) > 0 && raw[0] == '{' {
		args.Take("author")
	} else if raw == nil {
		args.Take("author_name")
		args.Take("author_email")
	}
	args.Put("author", tools.Text(who.Name+" <"+who.Email+">"))
}

// selection says which branches or tags are listed: those that hold a commit or are held by it, and those of a name.
type selection struct {
	Contains   string `json:"contains"`
	NoContains string `json:"no_contains"`
	Merged     string `json:"merged"`
	NoMerged   string `json:"no_merged"`
	PointsAt   string `json:"points_at"`
	Pattern    string `json:"pattern"`
}

// byName takes a name that is a pattern for one, and gives it back otherwise.
func (s *selection) byName(name string) string {
	if s.Pattern != "" || !strings.ContainsAny(name, "*?[") {
		return name
	}
	s.Pattern = name
	return ""
}

// selecting gives the switches of for-each-ref.
func (r *repo) selecting(ctx context.Context, s selection) ([]string, error) {
	if _, err := path.Match(s.Pattern, ""); err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "pattern %q cannot be read: give a part of a name, or one with * and ?", s.Pattern).With(tools.Details{Param: "pattern"})
	}
	var args []string
	for _, f := range [][2]string{{"contains", s.Contains}, {"no_contains", s.NoContains}, {"merged", s.Merged}, {"no_merged", s.NoMerged}, {"points_at", s.PointsAt}} {
		param, ref := f[0], named(f[1])
		switch ref {
		case "":
			continue
		case "true":
			ref = "HEAD"
		}
		if err := checkRef(param, ref); err != nil {
			return nil, err
		}
		peeled := ref
		if param != "points_at" { // that may be a tag itself
			peeled += "^{commit}"
		}
		hash, err := r.resolve(ctx, peeled)
		var te *tools.Error
		if errors.As(err, &te) {
			err = tools.Errorf(tools.NotFound, "%s: there is no commit %s; see git.branch, git.tag or git.log", param, ref).With(tools.Details{Param: param, Actual: ref})
		}
		if err != nil {
			return nil, r.noCommit(ctx, timedOut(err))
		}
		args = append(args, "--"+strings.ReplaceAll(param, "_", "-")+"="+hash)
	}
	return args, nil
}

// named reports whether name is among those that pattern means: with * and ?, which take slashes too, a whole name; otherwise
// a part of one.
func (s selection) named(name string) bool {
	if !strings.ContainsAny(s.Pattern, "*?[") {
		return strings.Contains(name, s.Pattern)
	}
	flat := strings.NewReplacer("/", "\x00")
	ok, _ := path.Match(flat.Replace(s.Pattern), flat.Replace(name))
	return ok
}

// notTaken refuses ref in a list of branches or tags, which it would be thought to narrow.
func notTaken(action string) error {
	return tools.Errorf(tools.InvalidParams, "git.%s lists unless sub_action says otherwise, and a list does not take ref; nothing was done: contains gives those that hold a commit, sub_action create makes one at ref", action).
		With(tools.Details{Param: "ref"})
}

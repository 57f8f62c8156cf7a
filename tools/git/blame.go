package git

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

type blameIn struct {
	common
	Ref   string   `json:"ref"`
	Files []string `json:"files"`
	Lines string   `json:"lines"`
	page
}

type blameLine struct {
	Line   int    `json:"line"`
	Hash   string `json:"hash"` // zeros: not committed yet
	Author string `json:"author"`
	Date   string `json:"date"`
}

type blameData struct {
	place
	File  string      `json:"file"`
	Lines []blameLine `json:"lines"`
	Total int         `json:"total,omitempty"`
}

// maxBlame is how many lines blame gives without limit.
const maxBlame = 2000

var lineRange = tools.Pattern(`^\s*L?(\d{0,9})\s*(?:(?:[,:-]|\.\.)\s*L?(\+?\d{0,9}))?\s*$`)

func (t *git) blame() tools.Action {
	return tools.Act(tools.Action{
		Name: "blame", OwnTime: true,
		Doc: `who changed each line of a file last; path or files, lines "10,20", ref`,
	}, func(ctx context.Context, c *tools.Call, in blameIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		in.Ref = named(in.Ref)
		if err := firstError(checkRefs("ref", in.Ref), in.check()); err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("blame")
		}
		r, err := t.openToRead(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		file := r.target
		if len(in.Files) > 0 {
			if file, err = r.rel(in.Files[0]); err != nil {
				return nil, err
			}
		} else if !r.isFile {
			file = ""
		}
		if file == "" || len(in.Files) > 1 {
			return nil, tools.Errorf(tools.InvalidParams, "blame takes one file: give it as path, or in files").With(tools.Details{Param: "files"})
		}
		first, last, err := blameRange(in.Lines)
		if err != nil {
			return nil, err
		}
		most := limitOr(in.Limit, maxBlame)
		first += min(in.Offset, math.MaxInt32)
		if last != 0 && first > last { // behind the end; git would swap the two
			return &tools.Result{Data: blameData{place: r.place(), File: shown(file), Lines: []blameLine{}}}, nil
		}
		if last == 0 || last > first+most {
			last = first + most // one more than asked, to know whether there are more
		}
		args := []string{"blame", "--porcelain", "--no-textconv", "--encoding=UTF-8", fmt.Sprintf("-L%d,%d", first, last)}
		if err := r.checkIgnored(ctx); err != nil {
			return nil, timedOut(err)
		}
		if in.Ref != "" {
			args = append(args, in.Ref)
		}
		res, err := r.read(ctx, nil, append(args, "--", file)...)
		if err != nil {
			return nil, timedOut(err)
		}
		if res.code != 0 && strings.HasSuffix(strings.TrimSpace(res.stderr), " has only 0 lines") {
			res.out, res.code = nil, 0
		}
		if res.code != 0 {
			return nil, failure("blame", res)
		}
		lines, texts, err := parseBlame(string(res.out))
		if err != nil {
			return nil, err
		}
		d := blameData{place: r.place(), File: shown(file)}
		out := &tools.Result{}
		more := len(lines) > most
		if more {
			lines = lines[:most]
		}
		var b strings.Builder
		width := 0
		for _, l := range lines {
			width = max(width, len([]rune(l.Author)))
		}
		room := tools.NewRoom(in.MaxChars)
		for i, l := range lines {
			line := fmt.Sprintf("%s (%-*s %s %d) %s\n", l.Hash[:8], width, l.Author, l.Date[:10], l.Line, strings.TrimSuffix(texts[i], "\n"))
			if !room.Takes(line, l) {
				lines, more = lines[:i], true
				break
			}
			b.WriteString(line)
		}
		d.Lines = some(lines)
		text, lossy := valid(b.String())
		if lossy {
			c.Warn("some bytes of the payload are not UTF-8 and are shown as U+FFFD")
		}
		if out.Text, out.Truncated = tools.Head(text, tools.Limit(in.MaxChars)); out.Truncated { // one very long line
			out.Text += "…\n"
		}
		if more {
			out.Truncated = true
			out.Paging = &tools.Paging{Cursor: strconv.Itoa(in.Offset + len(lines)), More: true}
			out.Text += "[… more lines: offset " + out.Paging.Cursor + "]\n"
		}
		out.Data = d
		return out, nil
	})
}

// checkIgnored refuses a file of commits to pass over that lies outside the roots, when the repository's own config names
// it: git would quote from it.
func (r *repo) checkIgnored(ctx context.Context) error {
	if !mentions(r.config, "ignorerevsfile") && !mentions(r.config, "include") {
		return nil
	}
	s, err := r.load(ctx)
	if err != nil {
		return err
	}
	for _, one := range s.list {
		if one.key == "blame.ignorerevsfile" && one.local && one.value != "" && r.outOfRoots(one.value) {
			return tools.Errorf(tools.PermissionDenied, "blame.ignoreRevsFile of the repository's config is %s, outside the allowed folders; ask the user", sandbox.Printable(one.value))
		}
	}
	return nil
}

// blameRange reads "10,20", "10-20", "10,+5", "10" (one line) or "10," (to the end); last 0 is the end.
func blameRange(s string) (first, last int, err error) {
	if strings.TrimSpace(s) == "" {
		return 1, 0, nil
	}
	m := lineRange().FindStringSubmatch(s)
	if m == nil {
		return 0, 0, tools.Errorf(tools.InvalidParams, `lines must be a range such as "10,20"`).With(tools.Details{Param: "lines", Actual: s})
	}
	first, _ = strconv.Atoi(m[1])
	first = max(first, 1)
	switch plus, relative := strings.CutPrefix(m[2], "+"); {
	case relative:
		n, _ := strconv.Atoi(plus)
		last = first + n - 1
	case m[2] != "":
		last, _ = strconv.Atoi(m[2])
	case strings.ContainsAny(s, ",:-."):
		last = 0
	default:
		last = first
	}
	if last != 0 && last < first {
		first, last = last, first
	}
	return max(first, 1), last, nil
}

// parseBlame reads blame --porcelain: a header per line, the details of a commit once, the text after a tab.
func parseBlame(out string) (lines []blameLine, texts []string, err error) {
	type info struct {
		author, zone string
		at           int64
	}
	commits := map[string]*info{}
	var hash string
	var number int
	for len(out) > 0 {
		line, rest, found := strings.Cut(out, "\n")
		out = rest
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			if found {
				text += "\n"
			}
			ci := commits[hash]
			if ci == nil {
				return nil, nil, fmt.Errorf("git's blame output has an unknown form; please report it")
			}
			author, _ := valid(ci.author)
			lines = append(lines, blameLine{number, hash, author, zoned(ci.at, ci.zone)})
			texts = append(texts, text)
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		if isHash(key) {
			hash = key
			f := strings.Fields(value)
			if len(f) < 2 {
				return nil, nil, fmt.Errorf("git's blame output has an unknown form; please report it")
			}
			number, _ = strconv.Atoi(f[1])
			if commits[hash] == nil {
				commits[hash] = &info{}
			}
			continue
		}
		ci := commits[hash]
		if ci == nil {
			continue
		}
		switch key {
		case "author":
			ci.author = value
		case "author-time":
			ci.at, _ = strconv.ParseInt(value, 10, 64)
		case "author-tz":
			ci.zone = value
		}
	}
	return lines, texts, nil
}

// zoned gives seconds and a zone such as +0200 as a strict ISO date.
func zoned(at int64, zone string) string {
	offset := 0
	if n, err := strconv.Atoi(zone); err == nil {
		offset = (n/100*60 + n%100) * 60
	}
	return time.Unix(at, 0).In(time.FixedZone("", offset)).Format("2006-01-02T15:04:05-07:00")
}

package exec

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// view shows the output of a job to a call.
type view struct {
	call  *tools.Call
	job   *job.Job
	raw   bool           // keep ANSI codes and the terminal's line breaks
	limit int            // characters at most
	first bool           // it is the reply to the start of the job
	path  string         // the search path of its command, when first
	only  *regexp.Regexp // lines to show, nil for all
}

// readable makes output into text: ANSI codes and the line breaks of a terminal gone unless raw, bytes that are
// not UTF-8 replaced (lossy).
func readable(s string, raw, pty bool) (text string, lossy bool) {
	if !raw && strings.IndexByte(s, esc) >= 0 {
		s = string(strip([]byte(s)))
	}
	if !raw && pty {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if utf8.ValidString(s) {
		return s, false
	}
	return strings.ToValidUTF8(s, "\ufffd"), true
}

// text is readable for this view; what is lost is told to the call.
func (v view) text(parts ...string) string {
	var lossy, folded, bare bool
	for i, s := range parts {
		raw := v.raw
		if raw && strings.IndexByte(s, esc) >= 0 && v.call.Holds(strip([]byte(s))) {
			raw, bare = false, true // a secret with codes in it would be found by nobody
		}
		s, lost := readable(s, raw, v.job.PTY())
		over := false
		if !raw {
			s, over = fold(s)
		}
		parts[i], lossy, folded = s, lossy || lost, folded || over
	}
	if lossy {
		v.call.Warn("the output has bytes that are not UTF-8; each run of them is shown as U+FFFD")
	}
	if folded {
		v.call.Warn("what carriage returns overwrote, such as progress, is left out; exec logs with raw:true shows it")
	}
	if bare {
		v.call.Warn("the ANSI codes are left out all the same: they stood in a secret, which is not shown")
	}
	return strings.Join(parts, "")
}

// lineFilter reads what lines are to have in them: a regular expression, else the text as it stands.
func lineFilter(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		re = regexp.MustCompile(regexp.QuoteMeta(text))
	}
	return re
}

// pick gives the lines of b that are to be shown.
func (v view) pick(b []byte) []byte {
	if v.only == nil {
		return b
	}
	var out []byte
	for line := range bytes.Lines(b) {
		if text, _ := readable(string(bytes.TrimRight(line, "\r\n")), false, true); v.only.MatchString(text) {
			out = append(out, line...)
		}
	}
	return out
}

// end is where the output ends that can be shown now: half a rune or half a control sequence of a running job
// waits for the rest.
func (v view) end(d data) int64 {
	log := v.job.Log()
	end := log.Len()
	if !d.ended() {
		b, _ := log.Slice(end-longestSequence, end)
		end -= int64(len(b) - len(settled(b)))
	}
	return end
}

// output gives the output from an offset to its end: whole, or head and tail when it is longer than the limit.
// It counts as read.
func (v view) output(from int64) (result, data) {
	log := v.job.Log()
	d := describe(v.job)
	end := v.end(d)
	from = min(from, end)
	if from > 0 || !d.ended() {
		d.NextOffset = &end
	}
	if v.first {
		log.Glimpse(end)
	} else {
		log.Show(end)
	}
	size := end - from
	if all, ok := v.whole(from, end); ok {
		if from == 0 && d.ended() {
			v.job.Deliver()
		}
		return result{text: v.text(string(v.pick([]byte(all))))}, d
	}
	half := int64(v.limit / 2)
	head, tail := min(half, size), max(half, size-half)
	first, _ := log.Slice(from, from+head)
	first = wholeLines(first)
	last, _ := log.Slice(from+tail, end)
	last = last[firstLine(last):]
	gap := size - int64(len(first)) - int64(len(last))
	d.Truncated = true
	mark := fmt.Sprintf("[… %d of %d bytes left out; exec logs proc_id=%s offset=%d gives more …]\n", gap, size, v.job.ID, from+int64(len(first)))
	if len(first) > 0 && first[len(first)-1] != '\n' {
		mark = "\n" + mark
	}
	return result{text: v.text(string(v.pick(first)), mark, string(v.pick(last))), cut: true}, d
}

// foldable is how much output is looked through for what carriage returns overwrote before any of it is cut.
const foldable = 1 << 20

// whole gives the output between two offsets when it is there and can be shown uncut.
func (v view) whole(from, end int64) (all string, ok bool) {
	size := end - from
	if size > int64(v.limit)*utf8.UTFMax && (v.raw || size > foldable) {
		return "", false
	}
	all, dropped := v.job.Log().Text(from, end)
	switch {
	case dropped > 0:
		return "", false
	case size <= int64(v.limit) || utf8.RuneCountInString(all) <= v.limit:
		return all, true
	case v.raw || strings.IndexByte(all, '\r') < 0:
		return "", false
	}
	text, _ := readable(all, false, v.job.PTY())
	text, _ = fold(text)
	return all, utf8.RuneCountInString(text) <= v.limit
}

// wholeLines cuts b after its last line break, or else before a rune that is not whole.
func wholeLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return wholeRunes(b)
}

// wholeRunes drops the start of a rune at the end of b.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// firstLine gives where the first whole line of b begins; when that is far off, the first whole rune.
func firstLine(b []byte) int {
	if i := bytes.IndexByte(b[:min(len(b), 4096)], '\n'); i >= 0 && i+1 < len(b) {
		return i + 1
	}
	i := 0
	for i < len(b) && i < utf8.UTFMax && !utf8.RuneStart(b[i]) {
		i++
	}
	return i
}

// longestSequence is how much of a control sequence is waited for.
const longestSequence = 256

// settled drops from b what may go on in the next output: half a rune, half a control sequence.
func settled(b []byte) []byte {
	if i := bytes.LastIndexByte(b, esc); i >= 0 && len(b)-i < longestSequence {
		if _, whole := sequence(b[i:]); !whole {
			return b[:i]
		}
	}
	return wholeRunes(b)
}

// lastLines gives the last n lines of b.
func lastLines(b []byte, n int) []byte {
	i := len(b)
	if i > 0 && b[i-1] == '\n' {
		i--
	}
	for ; n > 0 && i >= 0; n-- {
		i = bytes.LastIndexByte(b[:i], '\n')
	}
	return b[i+1:]
}

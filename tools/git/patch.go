package git

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// fileDiff is one file of a diff, as every action that shows one lists it.
type fileDiff struct {
	Path      string `json:"path"`
	OldPath   string `json:"old_path,omitempty"`
	Status    string `json:"status"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	Binary    bool   `json:"binary,omitempty"`
	Submodule bool   `json:"submodule,omitempty"`
	Cut       bool   `json:"cut,omitempty"` // the payload holds only its beginning
}

// Words for git's status letters.
const (
	added       = "added"
	modified    = "modified"
	deleted     = "deleted"
	renamed     = "renamed"
	copied      = "copied"
	typeChanged = "type_changed"
	unmerged    = "unmerged"
)

func statusWord(letter byte) string {
	switch letter {
	case 'A':
		return added
	case 'D':
		return deleted
	case 'R':
		return renamed
	case 'C':
		return copied
	case 'T':
		return typeChanged
	case 'U':
		return unmerged
	}
	return modified
}

// patchReader reads a patch as git writes it (prefixes a/ and b/, core.quotePath=false, no colour), counts every
// file and keeps the text of a page: the files from number first on, within limit bytes.
type patchReader struct {
	first, limit int

	files   []fileDiff
	texts   []string // of files[first+i]; shorter than files once the page is full
	kept    int
	text    bytes.Buffer
	long    bool // the file's text is longer than what is kept
	inHunk  bool
	columns int // prefix columns of a hunk line: 1, or the number of parents
	open    bool
	total   int  // bytes of the whole patch
	another bool // a further commit follows, as show of a range writes it
}

// read takes in the whole patch.
func (p *patchReader) read(r io.Reader) error {
	br := bufio.NewReaderSize(r, 64<<10)
	start := true
	for {
		line, err := br.ReadSlice('\n')
		if len(line) > 0 {
			p.line(line, start)
			start = line[len(line)-1] == '\n'
		}
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			p.end()
			return nil
		default:
			return err
		}
	}
}

// line takes a line, or with start false the next piece of a very long one.
func (p *patchReader) line(line []byte, start bool) {
	p.total += len(line)
	if start {
		p.look(line)
	}
	if !p.open || p.first > len(p.files)-1 || p.kept > p.limit {
		return
	}
	if room := p.limit + 1 - p.text.Len(); len(line) > room {
		line, p.long = line[:room], true
	}
	p.text.Write(line)
}

func (p *patchReader) look(line []byte) {
	if line[0] == 0 {
		p.another = true
	}
	if line[0] == 'd' {
		if rest, ok := bytes.CutPrefix(line, []byte("diff --git ")); ok {
			p.begin(bothNames(chomp(rest)))
			p.columns = 1
			return
		}
		for _, head := range []string{"diff --cc ", "diff --combined "} {
			if rest, ok := bytes.CutPrefix(line, []byte(head)); ok {
				p.begin("", maybeUnquote(chomp(rest)))
				return
			}
		}
	}
	if rest, ok := bytes.CutPrefix(line, []byte("* Unmerged path ")); ok {
		p.begin("", maybeUnquote(chomp(rest)))
		p.file().Status = unmerged
		return
	}
	if len(p.files) == 0 {
		return
	}
	f := p.file()
	if line[0] == '@' {
		if n := len(line) - len(bytes.TrimLeft(line, "@")); n > 1 {
			p.inHunk, p.columns = true, n-1
			return
		}
	}
	if p.inHunk {
		p.count(f, line)
		return
	}
	head, rest, _ := strings.Cut(chomp(line), " ")
	switch head {
	case "new":
		if strings.HasPrefix(rest, "file mode") {
			f.Status = added
		}
		f.Submodule = f.Submodule || strings.HasSuffix(rest, " 160000")
	case "deleted":
		f.Status = deleted
		f.Submodule = f.Submodule || strings.HasSuffix(rest, " 160000")
	case "index":
		f.Submodule = f.Submodule || strings.HasSuffix(rest, " 160000")
	case "rename", "copy":
		f.Status = map[string]string{"rename": renamed, "copy": copied}[head]
		if name, ok := strings.CutPrefix(rest, "from "); ok {
			f.OldPath = maybeUnquote(name)
		} else if name, ok := strings.CutPrefix(rest, "to "); ok {
			f.Path = maybeUnquote(name)
		}
	case "Binary":
		f.Binary = true
	}
}

func (p *patchReader) file() *fileDiff { return &p.files[len(p.files)-1] }

// count judges a line of a hunk. In a combined diff a line counts once, whichever parents it differs from.
func (p *patchReader) count(f *fileDiff, line []byte) {
	if p.columns == 1 {
		switch line[0] {
		case '+':
			f.Additions++
		case '-':
			f.Deletions++
		}
		return
	}
	columns := line[:min(p.columns, len(line))]
	switch {
	case columns[0] == '\\':
	case bytes.IndexByte(columns, '+') >= 0:
		f.Additions++
	case bytes.IndexByte(columns, '-') >= 0:
		f.Deletions++
	}
}

func (p *patchReader) begin(old, name string) {
	p.end()
	p.files = append(p.files, fileDiff{Path: name, Status: modified})
	if old != name {
		p.file().OldPath = old
	}
	p.open, p.inHunk, p.long = true, false, false
	p.text.Reset()
}

// end closes the current file. git writes a change of type as a deletion and an addition of one path.
func (p *patchReader) end() {
	if !p.open {
		return
	}
	p.open = false
	n := len(p.files)
	f := p.file()
	f.Cut = p.long
	inPage := n-1 >= p.first && p.kept <= p.limit
	if n > 1 && f.Status == added && p.files[n-2].Status == deleted && p.files[n-2].Path == f.Path {
		before := &p.files[n-2]
		before.Status = typeChanged
		before.Additions += f.Additions
		before.Deletions += f.Deletions
		before.Binary = before.Binary || f.Binary
		before.Cut = before.Cut || f.Cut
		p.files = p.files[:n-1]
		if inPage && len(p.texts) > 0 {
			p.texts[len(p.texts)-1] += p.text.String()
			p.keep(f.Cut)
		}
		return
	}
	if inPage {
		p.texts = append(p.texts, p.text.String())
		p.keep(f.Cut)
	}
}

// keep counts the text of a file; one that is too large for any page takes half of it, as page shows it.
func (p *patchReader) keep(long bool) {
	if long {
		p.kept += p.limit / 2
		return
	}
	p.kept += p.text.Len()
}

// page puts the payload together: whole files while they fit, most of them at most, the beginning of a file that is too
// large for any page. It gives the number of the first file that is left for the next page, len(files) when there is none.
func (p *patchReader) page(most int) (text string, next int) {
	var b strings.Builder
	next = p.first
	for i := range p.texts {
		if i == most {
			break
		}
		t, f := p.texts[i], &p.files[p.first+i]
		switch {
		case f.Cut || len(t) > p.limit:
			if b.Len() > p.limit/2 {
				return b.String(), next
			}
			t, _ = tools.Head(strings.ToValidUTF8(t, "\uFFFD"), p.limit/2)
			f.Cut = true
			b.WriteString(t)
			if !strings.HasSuffix(t, "\n") {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "[… the rest of this file's diff (+%d -%d in all) is left out: give it alone in files, with a larger max_chars]\n", f.Additions, f.Deletions)
		case b.Len()+len(t) > p.limit:
			return b.String(), next
		default:
			b.WriteString(t)
		}
		next++
	}
	return b.String(), next
}

// shownFiles gives the list as JSON can carry it.
func shownFiles(files []fileDiff) []fileDiff {
	out := make([]fileDiff, len(files))
	for i, f := range files {
		f.Path = shown(f.Path)
		if f.OldPath != "" {
			f.OldPath = shown(f.OldPath)
		}
		out[i] = f
	}
	return out
}

func chomp(line []byte) string { return strings.TrimSuffix(string(line), "\n") }

// bothNames parses what follows "diff --git ". Unless the file was renamed or copied, which other lines of the
// header say better, both names are the same, so that unquoted ones with spaces can be told apart.
func bothNames(s string) (old, name string) {
	strip := func(n string) string {
		n = maybeUnquote(n)
		return n[min(2, len(n)):]
	}
	if strings.HasPrefix(s, `"`) {
		for i := 1; i < len(s); i++ {
			if s[i] == '\\' {
				i++
			} else if s[i] == '"' {
				return strip(s[:i+1]), strip(strings.TrimPrefix(s[i+1:], " "))
			}
		}
	}
	if at := strings.Index(s, ` "b/`); at >= 0 && strings.HasSuffix(s, `"`) {
		return strip(s[:at]), strip(s[at+1:])
	}
	if half := len(s) / 2; half >= 2 && len(s)%2 == 1 && s[half] == ' ' && s[min(2, half):half] == s[min(half+3, len(s)):] {
		return s[2:half], s[half+3:]
	}
	if a, b, ok := strings.Cut(s, " b/"); ok { // renamed: replaced by the lines that follow
		return strip(a), b
	}
	return s, s
}

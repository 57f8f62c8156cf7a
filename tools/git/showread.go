package git

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// showReader reads the output of show: the text of a tag if there is one, a commit in NUL-ended fields, its patch;
// or the bare content of an object. What it keeps is bounded, however large the object is.
type showReader struct {
	path    bool         // a file or folder of a commit is shown, by its path
	before  bytes.Buffer // a tag's text, or the page of the content
	sample  []byte       // how the content begins
	size    int64        // of the content
	more    bool         // of the content, after the page
	commit  *commit
	patch   patchReader
	content bool
}

const (
	maxTag    = 1 << 20  // text of a tag
	maxField  = 16 << 20 // of a commit: its message
	sampleLen = 8000     // what git itself looks at to tell binary files
)

func (s *showReader) read(r io.Reader) error {
	all := &counter{r: r}
	br := bufio.NewReaderSize(all, 64<<10)
	var seen []byte
	if !s.path {
		var err error
		if seen, err = s.beginning(br); err != nil {
			return err
		}
		if s.commit != nil {
			return s.patch.read(br)
		}
	}
	s.content = true
	err := s.pageOf(bufio.NewReaderSize(io.MultiReader(bytes.NewReader(seen), br), 64<<10))
	s.size = all.n
	return err
}

// beginning reads a commit and the text of the tag before it. When there is none, seen is what it has taken instead.
func (s *showReader) beginning(br *bufio.Reader) (seen []byte, err error) {
	seen, whole, err := upTo(br, maxTag, false)
	if err != nil || !whole {
		return seen, err
	}
	tag := strings.TrimSuffix(string(seen), "\x00")
	fields := make([]string, commitFields)
	for i := range fields {
		most := 128 // a hash
		if i > 0 {
			most = maxField
		}
		f, whole, err := upTo(br, most, i > 0)
		if seen = append(seen, f...); err != nil || !whole {
			return seen, err
		}
		fields[i] = strings.TrimSuffix(string(f), "\x00")
		if i == 0 && !isHash(fields[0]) {
			return seen, nil
		}
	}
	s.before.WriteString(tag)
	one := parseCommit(fields)
	s.commit = &one
	return nil, nil
}

// pageOf keeps the page of a content, and how it begins.
func (s *showReader) pageOf(br *bufio.Reader) error {
	sample, err := br.Peek(sampleLen)
	if err != nil && err != io.EOF {
		return err
	}
	s.sample = bytes.Clone(sample)
	if err := skipChars(br, s.patch.first); err != nil {
		return err
	}
	if _, err := io.Copy(&s.before, io.LimitReader(br, (int64(s.patch.limit)+1)*utf8.UTFMax)); err != nil {
		return err
	}
	rest, err := io.Copy(io.Discard, br)
	s.more = rest > 0
	return err
}

// skipChars skips n characters, or all there are. A run of bytes that are not UTF-8 is one, as it is shown.
func skipChars(br *bufio.Reader, n int) error {
	for bad := false; ; {
		c, size, err := br.ReadRune()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		was := bad
		if bad = c == utf8.RuneError && size == 1; bad && was {
			continue
		}
		if n == 0 {
			return br.UnreadRune()
		}
		n--
	}
}

// upTo reads to the next NUL, which it gives too. Of a text longer than most it drops the rest, or else leaves it unread;
// whole tells that the NUL was found.
func upTo(br *bufio.Reader, most int, drop bool) (text []byte, whole bool, err error) {
	for {
		part, err := br.ReadSlice(0)
		if drop {
			part = part[:min(len(part), max(0, most-len(text)))]
		}
		text = append(text, part...)
		switch {
		case err == nil:
			return text, true, nil
		case err == io.EOF:
			return text, false, nil
		case err != bufio.ErrBufferFull:
			return text, false, err
		case !drop && len(text) >= most:
			return text, false, nil
		}
	}
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	nearEntries = 20_000 // of a folder are looked at
	nearNames   = 8      // are listed
)

// Near returns the existing paths that differ from p only in odd spaces (U+00A0,
// U+202F, …), Unicode form (NFC, NFD) or letter case, as Resolve takes them; nil
// when p exists or the folder it should be in does not.
func (r *Roots) Near(p Path) []string {
	var names []string
	for _, q := range r.near(p) {
		names = append(names, q.String())
	}
	return names
}

// nearest returns the one near path of p with a Warning, or err with all of them.
func (r *Roots) nearest(p Path, err error) (Path, error) {
	found := r.near(p)
	if len(found) == 1 {
		q := found[0]
		q.Warning = "there is no " + Printable(p.Given) + "; took the only near name " + escapeName(q.String())
		return q, nil
	}
	if e, ok := errors.AsType[*PathError](err); ok && len(found) > 1 {
		near := *e
		for _, q := range found {
			near.Near = append(near.Near, q.String())
		}
		return Path{}, &near
	}
	return Path{}, err
}

// near walks down from the root and takes, for each name that is missing, the
// entries that are like it.
func (r *Roots) near(p Path) []Path {
	q, err := r.locate("read", p, true)
	if err != nil || q.Rel == "." {
		return nil
	}
	names := strings.Split(q.Rel, "/")
	at := []string{"."}
	for i, name := range names {
		var next []string
		for _, dir := range at {
			if _, err := q.Root.root.Lstat(join(dir, name)); err == nil {
				next = append(next, join(dir, name))
				continue
			}
			for _, n := range likeIn(q, dir, name) {
				next = append(next, join(dir, n))
			}
		}
		if at = next; len(at) == 0 || len(at) > nearNames && i < len(names)-1 {
			return nil
		}
	}
	var found []Path
	for _, rel := range at {
		if rel == q.Rel {
			return nil
		}
		if len(found) < nearNames {
			found = append(found, Path{Root: q.Root, Rel: rel, Given: p.Given, roots: r})
		}
	}
	return found
}

// likeIn returns the entries of a folder that read like name.
func likeIn(q Path, dir, name string) []string {
	f, err := q.Root.root.OpenFile(dir, nonblock|directory, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	want := nearKey(name)
	var like []string
	for seen := 0; seen < nearEntries && len(like) <= nearNames; {
		var entries []fs.DirEntry
		entries, err = f.ReadDir(512)
		for _, e := range entries {
			if nearKey(e.Name()) == want {
				like = append(like, e.Name())
			}
		}
		if seen += len(entries); err != nil {
			if !errors.Is(err, io.EOF) {
				return nil
			}
			break
		}
	}
	return like
}

// nearKey is equal for names that look alike.
func nearKey(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.Is(unicode.Zs, c):
			return ' '
		case c == 0x200b || c == 0x2060 || c == 0xfeff:
			return -1
		}
		return unicode.ToLower(c)
	}, s)
	return norm.NFC.String(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// escapeName quotes a path so that odd characters can be told apart.
func escapeName(s string) string {
	if isASCII(s) {
		return Printable(s)
	}
	return strconv.QuoteToASCII(s)
}

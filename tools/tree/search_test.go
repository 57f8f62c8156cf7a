package tree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// hitList gives "path:line:column:text" of each hit.
func hitList(r Result) string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, fmt.Sprintf("%s:%d:%d:%s", h.Path, h.Line, h.Column, h.Text))
	}
	return strings.Join(out, "|")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{
		".gitignore": "*.log\n", "x.log": "needle\n",
		".git/HEAD": "ref: x", ".git/config": "needle\n", ".github/w.yml": "a: needle\n", ".env.example": "needle=1\n",
		"a.txt": "one\ntwo needle needle\nthree\n", "b/crlf.txt": "needle\r\nx needle\r\n", "b/bom.txt": "\xef\xbb\xbfneedle\n",
		"b/latin.txt": "caf\xe9 needle\n", "b/bin": "needle\x00\n", "b/uni.txt": "é漢 needle\n",
		"c.go": "func a.b(\nfunc fooError(x)\nNEEDLE\nxneedles\nneedle-\n", "-e.txt": "--pre=/bin/sh\n",
		"empty": "", "noeol": "last needle", "gbk.txt": "\xd6\xd0\xce\xc4 needle\r\nb\r\n",
	})
	for _, c := range []struct {
		name string
		q    Query
		want string
	}{
		{"hidden files but not .git, nor ignored or binary ones", Query{Pattern: "needle", FilesOnly: true},
			".env.example:1:1:needle=1|.github/w.yml:1:4:a: needle|a.txt:2:5:two needle needle|b/bom.txt:1:1:needle|b/crlf.txt:1:1:needle|b/latin.txt:1:6:café needle|b/uni.txt:1:4:é漢 needle|c.go:4:2:xneedles|gbk.txt:1:4:中文 needle|noeol:1:6:last needle"},
		{"line ends", Query{Pattern: "needle$", Options: Options{Globs: []string{"b/**", "a.txt"}}},
			"a.txt:2:12:two needle needle|b/bom.txt:1:1:needle|b/crlf.txt:1:1:needle|b/crlf.txt:2:3:x needle|b/latin.txt:1:6:café needle|b/uni.txt:1:4:é漢 needle"},
		{"word", Query{Pattern: "needle", Word: true, Options: Options{Globs: []string{"*.go"}}}, "c.go:5:1:needle-"},
		{"ignore case", Query{Pattern: "Needle", IgnoreCase: true, Options: Options{Globs: []string{"*.go"}}}, "c.go:3:1:NEEDLE|c.go:4:2:xneedles|c.go:5:1:needle-"},
		{"literal", Query{Pattern: "a.b(", Literal: true}, "c.go:1:6:func a.b("},
		{"literal is no regexp", Query{Pattern: "fo+", Literal: true}, ""},
		{"pattern like an option", Query{Pattern: "--pre=/bin/sh"}, "-e.txt:1:1:--pre=/bin/sh"},
		{"regexp", Query{Pattern: `func \w+Error\(`}, "c.go:2:1:func fooError(x)"},
		{"no ignore", Query{Pattern: "needle", Options: Options{NoIgnore: true, Globs: []string{"*.log"}}}, "x.log:1:1:needle"},
		{"nothing", Query{Pattern: "absent"}, ""},
		{"beyond ASCII in other encodings", Query{Pattern: "café|中文"}, "b/latin.txt:1:1:café needle|gbk.txt:1:1:中文 needle"},
		{"the same over lines", Query{Pattern: "中文 needle\nb"}, "gbk.txt:1:1:中文 needle\nb"},
		{"a class in another encoding", Query{Pattern: `\p{Han}+ n`}, "b/uni.txt:1:2:é漢 needle|gbk.txt:1:1:中文 needle"},
		{"over lines", Query{Pattern: `needle\nthree`}, "a.txt:2:12:two needle needle\nthree"},
		{"literal over lines, with \\r\\n", Query{Pattern: "needle\r\nx", Literal: true}, "b/crlf.txt:1:1:needle\nx needle"},
		{"multiline", Query{Pattern: `(?s)foo.*NEED`, Multiline: true}, "c.go:2:6:func fooError(x)\nNEEDLE"},
		{"multiline, each line once", Query{Pattern: `needle`, Multiline: true, Options: Options{Globs: []string{"a.txt", "b/crlf.txt"}}}, "a.txt:2:5:two needle needle|b/crlf.txt:1:1:needle|b/crlf.txt:2:3:x needle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, open := range ways {
				r, err := search(t.Context(), openRoot(t, dir), ".", c.q, open)
				must(t, err)
				if got := hitList(r); got != c.want {
					t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
				}
				if r.Total != len(r.Hits) || r.Truncated || r.Cursor != "" {
					t.Errorf("total %d of %d hits, cursor %q", r.Total, len(r.Hits), r.Cursor)
				}
			}
		})
	}
	r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "needle"})
	must(t, err)
	if r.Binary != 1 || r.Lossy || r.Guessed != 2 || r.Files != 10 {
		t.Errorf("%d binary, lossy %v, %d guessed, %d files", r.Binary, r.Lossy, r.Guessed, r.Files)
	}
}

// A file that does not fit the window is decoded too, and bytes that are no UTF-8 in a text that is otherwise are told.
func TestSearchOtherEncodings(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{
		"large.txt": strings.Repeat("caf\xe9 au lait\n", 2*window/13) + "th\xe9\n",
		"bad.txt":   strings.Repeat("äöü", 10) + " needle \xff\n",
	})
	r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "thé"})
	must(t, err)
	if got := hitList(r); got != fmt.Sprintf("large.txt:%d:1:thé", 2*window/13+1) {
		t.Error(got)
	}
	r, err = Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "needle"})
	must(t, err)
	if len(r.Hits) != 1 || !r.Lossy || r.Guessed != 0 {
		t.Errorf("%+v", r)
	}
}

func TestSearchInvalidPatternSaysWhy(t *testing.T) {
	t.Parallel()
	root := openRoot(t, t.TempDir())
	for pattern, reason := range map[string]string{
		"foo(": "missing closing )", "[a": "missing closing ]", "(?=x)": "look-around", "a)(b": "unexpected )", "": "empty", "\xff": "UTF-8", `a{2000}`: "repeat count", `\`: "trailing backslash", strings.Repeat("a", maxQueryBytes+1): "longer",
	} {
		_, err := Search(t.Context(), root, ".", Query{Pattern: pattern})
		if !errors.Is(err, ErrPattern) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.20q: %v, want %s", pattern, err, reason)
		}
	}
}

// The limit is over all files, and the pages give each hit once.
func TestSearchLimitIsTotalAndPagesDoNotRepeat(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("d%d/f.txt", i)] = strings.Repeat("hit\nno\n", 50)
	}
	root := openRoot(t, plant(t, t.TempDir(), files))
	r, err := Search(t.Context(), root, ".", Query{Pattern: "hit", MaxResults: 20})
	must(t, err)
	if len(r.Hits) != 20 || r.Total != 500 || r.Files != 10 || !r.Truncated || r.Cursor == "" || r.Hits[19].Line != 39 || r.Hits[19].Path != "d0/f.txt" {
		t.Fatalf("%d hits of %d in %d files, cursor %q", len(r.Hits), r.Total, r.Files, r.Cursor)
	}
	for _, workers := range []int{1, 4} {
		for _, size := range []int{7, 50, 499, 500} {
			seen := map[string]bool{}
			var last Hit
			for cursor, n := "", 0; ; n++ {
				r, err := Search(t.Context(), root, ".", Query{Pattern: "hit", MaxResults: size, Cursor: cursor, Options: Options{Workers: workers}})
				must(t, err)
				if r.Total != 500 || n > 100 {
					t.Fatalf("page %d: total %d", n, r.Total)
				}
				for _, h := range r.Hits {
					key := fmt.Sprint(h.Path, h.Line)
					if c := ComparePaths(last.Path, h.Path); seen[key] || c > 0 || c == 0 && last.Line >= h.Line {
						t.Fatalf("%s after %s %d", key, last.Path, last.Line)
					}
					seen[key], last = true, h
				}
				if cursor = r.Cursor; cursor == "" {
					break
				}
			}
			if len(seen) != 500 {
				t.Errorf("%d workers, pages of %d: %d hits", workers, size, len(seen))
			}
		}
	}
	var paths []string
	for cursor := ""; ; {
		r, err := Search(t.Context(), root, ".", Query{Pattern: "hit", FilesOnly: true, MaxResults: 4, Cursor: cursor})
		must(t, err)
		if r.Total != 10 {
			t.Errorf("total %d files", r.Total)
		}
		for _, h := range r.Hits {
			paths = append(paths, h.Path)
		}
		if cursor = r.Cursor; cursor == "" {
			break
		}
	}
	if len(paths) != 10 || !slices.IsSorted(paths) {
		t.Errorf("files: %q", paths)
	}
	if _, err := Search(t.Context(), root, ".", Query{Pattern: "hit", Cursor: "zzz"}); !errors.Is(err, ErrCursor) {
		t.Errorf("bad cursor: %v", err)
	}
}

func TestSearchIgnoresNodeModules(t *testing.T) {
	t.Parallel()
	files := map[string]string{".gitignore": "node_modules/\n", "a": "hit", "b/c": "hit", "b/d": "hit"}
	for i := range 500 {
		files[fmt.Sprintf("node_modules/p%d/x.js", i)] = "hit"
	}
	r, err := Search(t.Context(), openRoot(t, plant(t, t.TempDir(), files)), ".", Query{Pattern: "hit"})
	if err != nil || r.Total != 3 || r.Stats.Ignored != 1 {
		t.Errorf("%d hits, %d ignored, %v", r.Total, r.Stats.Ignored, err)
	}
}

func TestSearchContext(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"a": "1\n2 x\n3\n4\n5\n6 x\n7 x\n8\r\n9\n10\n", "b": "x"})
	r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "x", Context: 2})
	must(t, err)
	var got []string
	for _, h := range r.Hits {
		got = append(got, fmt.Sprintf("%s<%s>%s", strings.Join(h.Before, ","), h.Text, strings.Join(h.After, ",")))
	}
	want := "1<2 x>3,4 5<6 x> <7 x>8,9 <x>"
	if strings.Join(got, " ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestSearchUTF16(t *testing.T) {
	t.Parallel()
	text := "first\r\ngröße 😀 needle\r\n"
	var le, be []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		le = binary.LittleEndian.AppendUint16(le, u)
		be = binary.BigEndian.AppendUint16(be, u)
	}
	dir := plant(t, t.TempDir(), map[string]string{"le": string(le), "be": string(be), "odd": string(le) + "x", "utf32": "\xff\xfe\x00\x00n\x00\x00\x00"})
	r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "needle$"})
	must(t, err)
	if got, want := hitList(r), "be:2:9:größe 😀 needle|le:2:9:größe 😀 needle|odd:2:9:größe 😀 needle"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestSearchCutsLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 3000) + "needle" + strings.Repeat("ü", 3000)
	dir := plant(t, t.TempDir(), map[string]string{"a": "x\n" + long + "\n", "b": "needle" + strings.Repeat("é", 600), "c": strings.Repeat("é", 494) + "needle"})
	r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "needle"})
	must(t, err)
	if len(r.Hits) != 3 {
		t.Fatal(hitList(r))
	}
	for i, cut := range []bool{true, true, false} {
		h := r.Hits[i]
		if n := utf8.RuneCountInString(h.Text); h.Cut != cut || n > maxText+2 || n < maxText || !strings.Contains(h.Text, "needle") || !utf8.ValidString(h.Text) {
			t.Errorf("%s: %d characters, cut %v", h.Path, n, h.Cut)
		}
	}
	if r.Hits[0].Column != 3001 {
		t.Errorf("column %d", r.Hits[0].Column)
	}
}

// bigFile has lines around and across the borders of the search's window.
func bigFile(lines int) string {
	var b strings.Builder
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&b, "line %d %s\n", i, strings.Repeat("x", i%97))
		if i%1000 == 0 {
			b.WriteString("é needle here\r\n")
		}
	}
	return b.String()
}

func TestSearchLargeFileAsASmallOne(t *testing.T) {
	t.Parallel()
	text := bigFile(40_000)
	if len(text) < 4*window {
		t.Fatal("too small")
	}
	dir := plant(t, t.TempDir(), map[string]string{"big": text, "bom": "\xef\xbb\xbf" + text})
	root := openRoot(t, dir)
	for _, q := range []Query{{Pattern: "needle", Context: 2, MaxResults: 1000}, {Pattern: `^line \d+00 x+$`, MaxResults: 1000, Context: 1}, {Pattern: "(?i)NEEDLE here$", MaxResults: 1000}} {
		big, err := Search(t.Context(), root, "big", q)
		must(t, err)
		m, err := Compile(q)
		must(t, err)
		if want := len(naiveLines(m, []byte(text))); big.Total != want || want == 0 {
			t.Errorf("%s: %d hits, want %d", q.Pattern, big.Total, want)
		}
		lines := strings.Split(text, "\n")
		for _, h := range big.Hits {
			if want := strings.TrimSuffix(lines[h.Line-1], "\r"); h.Text != want {
				t.Fatalf("line %d is %q, want %q", h.Line, h.Text, want)
			}
			for i, l := range h.After {
				if want := strings.TrimSuffix(lines[h.Line+i], "\r"); l != want {
					t.Fatalf("line %d is %q, want %q", h.Line+i+1, l, want)
				}
			}
			for i, l := range h.Before {
				if want := strings.TrimSuffix(lines[h.Line-1-len(h.Before)+i], "\r"); l != want {
					t.Fatalf("in front of line %d: %q, want %q", h.Line, l, want)
				}
			}
		}
		bom, err := Search(t.Context(), root, "bom", q)
		must(t, err)
		if strings.ReplaceAll(hitList(bom), "bom:", "big:") != hitList(big) {
			t.Error("a byte order mark changes the hits")
		}
	}
}

func TestSearchHugeLine(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("aé", 1<<20) // 3 MiB, 2 Mi characters
	dir := plant(t, t.TempDir(), map[string]string{"one": "x\n" + pad + "needle" + pad + "\nneedle\n", "end": pad + "needle", "no": pad})
	for _, q := range []Query{{Pattern: "needle"}, {Pattern: "need[l]e"}, {Pattern: "NEEDLE", IgnoreCase: true}, {Pattern: "[m-o]e{2}d"}} {
		r, err := Search(t.Context(), openRoot(t, dir), ".", q)
		must(t, err)
		if r.Total != 3 || len(r.Hits) != 3 {
			t.Fatalf("%s: %d hits", q.Pattern, r.Total)
		}
		for i, want := range []struct{ line, column int }{{1, 2<<20 + 1}, {2, 2<<20 + 1}, {3, 1}} {
			h := r.Hits[i]
			if h.Line != want.line || h.Column != want.column || !strings.Contains(h.Text, "needle") || len(h.Text) > 4*maxText {
				t.Errorf("%s: %s:%d:%d %.40s", q.Pattern, h.Path, h.Line, h.Column, h.Text)
			}
		}
	}
	// A piece's seams are no ends of the line.
	for _, p := range []string{"^a", "^é", "é$", "a$"} {
		r, err := Search(t.Context(), openRoot(t, dir), "no", Query{Pattern: p})
		must(t, err)
		if want := map[string]int{"^a": 1, "é$": 1}[p]; r.Total != want {
			t.Errorf("%s: %d hits, want %d", p, r.Total, want)
		}
	}
}

func TestSearchFiftyMegabyteLineIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "min.js"))
	must(t, err)
	for range 50 {
		_, err := f.WriteString(strings.Repeat("function(a,b){return a+b}/*x*/;;", 1<<15))
		must(t, err)
	}
	must(t, f.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for _, p := range []string{"absent", `[0-9]{3}x`, `(?i)ABSENT`} {
		r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: p})
		if err != nil || r.Total != 0 || r.Searched != 1 {
			t.Errorf("%s: %+v, %v", p, r, err)
		}
	}
	runtime.ReadMemStats(&after)
	if mem := after.TotalAlloc - before.TotalAlloc; mem > 64<<20 {
		t.Errorf("%d MiB allocated", mem>>20)
	}
	t.Logf("three searches in %v", time.Since(start))
}

func TestSearchStopsSoon(t *testing.T) { // alone in its package: it measures time
	line := strings.Repeat("a", 1<<20)
	dir := plant(t, t.TempDir(), map[string]string{"a": line + "é\n", "b": strings.Repeat(strings.Repeat("aé", 300)+"\n", 5000)})
	for _, q := range []Query{
		{Pattern: `(a{1,30}){1,30}[u-z]{2}|(a|é){900}[0-9]`},
		{Pattern: `(a{1,30}){1,30}[u-z]{2}|(a|é){900}[0-9]`, Multiline: true},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		start := time.Now()
		r, err := Search(ctx, openRoot(t, dir), ".", q)
		took := time.Since(start)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || r.Stats.Entries > 0 && !r.Truncated {
			t.Errorf("%v, truncated %v", err, r.Truncated)
		}
		t.Logf("multiline %v: returned after %v of 30 ms", q.Multiline, took)
		if took > 3*time.Second {
			t.Errorf("multiline %v: stopped after %v", q.Multiline, took)
		}
	}
}

func TestSearchRunawayPattern(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"a": strings.Repeat("a", 40) + "!\n"})
	for _, c := range []struct {
		pattern string
		want    int
	}{{`(a+)+$`, 0}, {`(a*)*b`, 0}, {`^`, 1}} {
		start := time.Now()
		r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: c.pattern})
		if err != nil || r.Total != c.want || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %d hits, %v, %v", c.pattern, r.Total, err, time.Since(start))
		}
	}
}

func TestSearchLimitsOfSize(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"big": strings.Repeat("needle\n", 100), "small": "needle\n"})
	r, err := Search(t.Context(), openRoot(t, dir), ".", Query{Pattern: "needle", MaxFileSize: 100})
	if err != nil || r.Total != 1 || r.Stats.SkippedTotal != 1 || r.Stats.Skipped[0].Path != "big" {
		t.Errorf("%+v, %v", r, err)
	}
	// A sparse file of 2 GiB is skipped by its size, one of 200 MiB is binary by its first block.
	f, err := os.Create(filepath.Join(dir, "sparse"))
	must(t, err)
	must(t, f.Truncate(2<<30))
	must(t, f.Close())
	r, err = Search(t.Context(), openRoot(t, dir), "sparse", Query{Pattern: "needle"})
	if err != nil || r.Stats.SkippedTotal != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	must(t, os.Truncate(filepath.Join(dir, "sparse"), 200<<20))
	r, err = Search(t.Context(), openRoot(t, dir), "sparse", Query{Pattern: "needle"})
	if err != nil || r.Binary != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "whole"), []byte(strings.Repeat("needle\nx\n", wholeLimit/9+1)), 0o644))
	r, err = Search(t.Context(), openRoot(t, dir), "whole", Query{Pattern: `needle\nx`})
	if err != nil || r.Stats.SkippedTotal != 1 || !strings.Contains(r.Stats.Skipped[0].Reason, "8 MiB") {
		t.Errorf("%+v, %v", r, err)
	}
	must(t, os.Truncate(filepath.Join(dir, "whole"), wholeLimit-1000))
	r, err = Search(t.Context(), openRoot(t, dir), "whole", Query{Pattern: `needle\nx`})
	if err != nil || r.Total < 900_000 {
		t.Errorf("%d hits, %+v, %v", r.Total, r.Stats, err)
	}
}

func TestSearchOneFile(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{".gitignore": "*\n", "d/f": "needle\n"})
	link(t, "d/f", filepath.Join(dir, "l"))
	link(t, "l", filepath.Join(dir, "d", "up"))
	link(t, "../l", filepath.Join(dir, "d", "l2"))
	link(t, "/etc/passwd", filepath.Join(dir, "out"))
	link(t, "self", filepath.Join(dir, "self"))
	eachWay(t, func(t *testing.T, open opener) {
		for _, name := range []string{"d/f", "./d//f", "l", "d/l2"} {
			r, err := search(t.Context(), openRoot(t, dir), name, Query{Pattern: "needle"}, open)
			if err != nil || hitList(r) != "d/f:1:1:needle" {
				t.Errorf("%s: %s, %v", name, hitList(r), err)
			}
		}
		for _, name := range []string{"out", "self", "d/f/x", "nowhere", "../x", "d/up"} {
			if _, err := search(t.Context(), openRoot(t, dir), name, Query{Pattern: "."}, open); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})
}

// Hits and totals do not depend on who is faster.
func TestSearchIsDeterministic(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%c/%d/f%d", 'a'+i%7, i%11, i)] = strings.Repeat(fmt.Sprintf("needle %d\n", i), 1+i%5)
	}
	root := openRoot(t, plant(t, t.TempDir(), files))
	var want string
	for i := range 30 {
		r, err := Search(t.Context(), root, ".", Query{Pattern: "needle", MaxResults: 40, Options: Options{Workers: 1 + i%8}})
		must(t, err)
		got := hitList(r) + fmt.Sprint(r.Total, r.Files, r.Searched, r.Cursor)
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("run %d:\n%s\nwant\n%s", i, got, want)
		}
	}
}

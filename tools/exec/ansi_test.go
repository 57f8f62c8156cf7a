package exec

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestStrip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"none", "plain", "plain"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"colon parameters", "\x1b[38:2::1:2:3mx", "x"},
		{"cursor and erase", "\x1b[?25l\x1b[2K\x1b[1Gx\x1b[?25h", "x"},
		{"charset", "\x1b(Bx", "x"},
		{"two bytes", "\x1b=x\x1b7y\x1bc", "xy"},
		{"title ended by BEL", "\x1b]0;title\ax", "x"},
		{"link ended by ST", "\x1b]8;;https://a\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"sixel over lines", "\x1bPq#0;2\n~~\x1b\\x", "x"},
		{"title that never ends", "\x1b]0;title\nthe rest\n", "0;title\nthe rest\n"},
		{"string that never ends", "\x1bPthe rest\nand more", "the rest\nand more"},
		{"string cut by a sequence", "\x1b]0;t\x1b[31mx", "0;tx"},
		{"cut at the end", "x\x1b[31", "x"},
		{"ESC at the end", "x\x1b", "x"},
		{"ESC ESC", "\x1b\x1b[31mx", "x"},
		{"broken by a line", "\x1b[31\nx", "\nx"},
		{"not ASCII", "\x1b[31mé漢\x1b[m", "é漢"},
		{"Latin-1 bytes stay", "\x1b[mM\xfcnchen \x9b1m", "M\xfcnchen \x9b1m"},
	} {
		if got := string(strip([]byte(tc.in))); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestStripIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"\x1b", "\x1b]", "\x1bP", "\x1b[", "\x1b[1;", "\x1b(", "\x1b]x\n", "\x1b[31mx"} {
		text := []byte(strings.Repeat(unit, 8<<20/len(unit)))
		start := time.Now()
		strip(text)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: %v for 8 MiB", unit, took)
		}
	}
}

// FuzzStrip checks that no sequence that a terminal would obey is left, and that what is whole is stripped as
// the library does.
func FuzzStrip(f *testing.F) {
	for _, s := range []string{"\x1b[31mred\x1b[0m", "\x1b]0;t\a", "\x1bPx\x1b\\", "a\x1b(Bb", "\x1b[", "é\x1b[1m漢"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(strip([]byte(s)))
		if strings.ContainsRune(got, esc) {
			t.Errorf("%q left %q", s, got)
		}
		plain := "start " + strings.Map(func(r rune) rune {
			if r < 0x20 || r > 0x7e {
				return -1
			}
			return r
		}, s) + " end"
		dressed := "\x1b[1;31m" + strings.ReplaceAll(plain, " ", "\x1b[0m \x1b]8;;x\x1b\\")
		if got, want := string(strip([]byte(dressed))), ansi.Strip(dressed); got != want {
			t.Errorf("%q: %q, the library gives %q", dressed, got, want)
		}
	})
}

func TestCuts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"whole", "abc", "abc"},
		{"half a rune", "ab\xe6\xbc", "ab"},
		{"a broken byte stays", "ab\xff", "ab\xff"},
		{"half a sequence", "ab\x1b[3", "ab"},
		{"ESC", "ab\x1b", "ab"},
		{"whole sequence", "ab\x1b[m", "ab\x1b[m"},
		{"half a title", "ab\x1b]0;ti", "ab"},
	} {
		if got := string(settled([]byte(tc.in))); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	for n, want := range map[int]string{0: "", 1: "c\n", 2: "b\nc\n", 3: "a\nb\nc\n", 9: "a\nb\nc\n"} {
		if got := string(lastLines([]byte("a\nb\nc\n"), n)); n > 0 && got != want {
			t.Errorf("last %d: %q, want %q", n, got, want)
		}
	}
}

package text

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

func encoded(t testing.TB, enc, s string) []byte {
	t.Helper()
	b, err := Format{Encoding: enc}.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	t.Parallel()
	chinese := "软件开发人员可以使用这个工具来读取和编辑文件。\r\n第二行:你好,世界!\r\n"
	japaneseText := "これは日本語のテキストです。ファイルを読み込みます。\nカタカナと漢字も入っています。\n"
	tests := []struct {
		name    string
		bytes   []byte
		want    string
		format  Format
		guessed bool
	}{
		{"empty", nil, "", Format{Encoding: UTF8}, false},
		{"ascii", []byte("hi\n"), "hi\n", Format{Encoding: UTF8}, false},
		{"utf-8", []byte("häß 日本\n"), "häß 日本\n", Format{Encoding: UTF8}, false},
		{"utf-8 with a mark", []byte("\xef\xbb\xbfhi\n"), "hi\n", Format{Encoding: UTF8, BOM: true}, false},
		{"utf-16le with a mark", []byte("\xff\xfeh\x00i\x00\n\x00"), "hi\n", Format{Encoding: UTF16LE, BOM: true}, false},
		{"utf-16be with a mark", []byte("\xfe\xff\x00h\x00i\x00\n"), "hi\n", Format{Encoding: UTF16BE, BOM: true}, false},
		{"utf-16le without one", []byte("h\x00i\x00 \x00\xe4\x00\n\x00"), "hi ä\n", Format{Encoding: UTF16LE}, false},
		{"utf-16be without one", []byte("\x00h\x00i\x00\n"), "hi\n", Format{Encoding: UTF16BE}, false},
		{"utf-16le Chinese without one", encoded(t, UTF16LE, "第二行 你好\n世界\n"), "第二行 你好\n世界\n", Format{Encoding: UTF16LE}, true},
		{"utf-16 beyond the first plane", encoded(t, UTF16LE, "ok 😀\n"), "ok 😀\n", Format{Encoding: UTF16LE}, false},
		{"utf-32", []byte("\xff\xfe\x00\x00h\x00\x00\x00"), "h", Format{Encoding: UTF32LE, BOM: true}, false},
		{"windows-1252 in one word", []byte("a\xe9b\n"), "aéb\n", Format{Encoding: Windows1252}, true},
		{"windows-1252 quotes", []byte("He said \x93yes\x94 \x96 caf\xe9, 5 \x80\n"), "He said “yes” – café, 5 €\n", Format{Encoding: Windows1252}, true},
		{"windows-1252 German", []byte("Gr\xfc\xdfe aus M\xfcnchen, \xdcber \xc4nderungen\n"), "Grüße aus München, Über Änderungen\n", Format{Encoding: Windows1252}, true},
		{"gbk", encoded(t, GBK, chinese), chinese, Format{Encoding: GBK}, true},
		{"gbk in code", encoded(t, GBK, "int main() { // 主函数入口\n}\n"), "int main() { // 主函数入口\n}\n", Format{Encoding: GBK}, true},
		{"shift_jis", encoded(t, ShiftJIS, japaneseText), japaneseText, Format{Encoding: ShiftJIS}, true},
		{"shift_jis in code", encoded(t, ShiftJIS, "x = 1 # コメントです\n"), "x = 1 # コメントです\n", Format{Encoding: ShiftJIS}, true},
		{"utf-8 with one bad byte", []byte("äöü äöü äöü äöü \xff\n"), "äöü äöü äöü äöü \xff\n", Format{Encoding: UTF8, Invalid: 1}, true},
		{"escape sequences", []byte("\x1b[31mred\x1b[0m\n"), "\x1b[31mred\x1b[0m\n", Format{Encoding: UTF8}, false},
	}
	for _, tt := range tests {
		got, f, err := Decode(tt.bytes)
		tt.format.Guessed = tt.guessed
		if err != nil || got != tt.want || f != tt.format {
			t.Errorf("%s: %q %+v %v; want %q %+v", tt.name, got, f, err, tt.want, tt.format)
			continue
		}
		if f.Editable() && !f.Lossless(tt.bytes, got) {
			t.Errorf("%s: does not encode to the same bytes", tt.name)
		}
	}
}

// What was cut in the middle of a character stays UTF-8 where anything else speaks for it.
func TestCutOffUTF8(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"日志：操作成功\n\xe6\x97", "héllo wörld \xc3", "ok ✓\n\xf0\x9f\x98", "日志：操作成功\n\xe6\x97志\n"} {
		if f, err := Detect([]byte(s), true); err != nil || f.Encoding != UTF8 || f.Invalid == 0 || !f.Guessed {
			t.Errorf("%q: %+v %v", s, f, err)
		}
	}
	for _, s := range []string{"caf\xe9", "na\xefve caf\xe9"} {
		if f, err := Detect([]byte(s), true); err != nil || f.Encoding != Windows1252 {
			t.Errorf("%q: %+v %v", s, f, err)
		}
	}
}

func TestDoubtfulGuesses(t *testing.T) {
	t.Parallel()
	cyrillic, _ := Named("windows-1251")
	russian, err := cyrillic.Encode("Привет, это текст на русском языке\nx = 1\n")
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]bool{
		string(russian):                true,
		"caf\xc3":                      true,
		"caf\xc3\xa9\ncaf\xe9\n":       true,
		"\xd6\xd0 x\n":                 true,
		"caf\xe9 na\xefve\n":           false,
		"Gr\xfc\xdfe aus M\xfcnchen\n": false,
		"a\xe7\xe3o, S\xe3o Jos\xe9\n": false,
	} {
		if f, err := Detect([]byte(s), true); err != nil || f.Doubtful != want {
			t.Errorf("%q: %+v %v", s, f, err)
		}
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]byte{
		"every byte":          all,
		"every byte but NUL":  all[1:],
		"a program":           elf[:64<<10],
		"png":                 []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
		"jpeg":                []byte("\xff\xd8\xff\xe0\x10JFIF\xff\xdb"),
		"gzip":                []byte("\x1f\x8b\x08\x08\xe9\xe8\xe7"),
		"pdf with a comment":  []byte("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
		"NULs":                make([]byte, 100),
		"text behind NULs":    append(make([]byte, 100), "text\n"...),
		"one NUL in a text":   []byte("some text\x00more text\n"),
		"utf-16 with a break": []byte("h\x00i\x00\x01\x00\x00\x00"),
	}
	for name, b := range tests {
		if s, f, err := Decode(b); !errors.Is(err, ErrBinary) {
			t.Errorf("%s: %v %+v %.40q", name, err, f, s)
		}
	}
}

func TestCutCharacterIsNoFault(t *testing.T) {
	t.Parallel()
	s := []byte("日本語のテキスト")
	for n := 1; n < len(s); n++ {
		f, err := Detect(s[:n], false)
		if err != nil || f != (Format{Encoding: UTF8}) {
			t.Errorf("%d bytes: %+v %v", n, f, err)
		}
	}
}

func TestEncodeRefusesWhatItCannotHold(t *testing.T) {
	t.Parallel()
	for enc, s := range map[string]string{Windows1252: "5 ₽", UTF16LE: "a\xff"} {
		if b, err := (Format{Encoding: enc}).Encode(s); err == nil {
			t.Errorf("%s: %q", enc, b)
		}
	}
	_, err := Format{Encoding: Windows1252}.Encode("price 5 ₽")
	if err == nil || !strings.Contains(err.Error(), "₽") {
		t.Errorf("does not name the character: %v", err)
	}
	if b, err := (Format{Encoding: UTF8, BOM: true}).Encode("a"); err != nil || string(b) != bom8+"a" {
		t.Errorf("mark: %q %v", b, err)
	}
}

// Windows-1252 has to give back every byte, those without a character too: edits rely on it.
func TestWindows1252IsLossless(t *testing.T) {
	t.Parallel()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	f := Format{Encoding: Windows1252}
	s, err := f.Decode(all)
	if err != nil || !f.Lossless(all, s) {
		t.Fatalf("%v %q", err, s)
	}
}

func TestEnding(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"": "none", "a": "none", "a\n": "lf", "a\r\n": "crlf", "a\r\nb\n": "mixed", "a\rb": "cr", "a\rb\n": "lf"} {
		if got := Ending(s); got != want {
			t.Errorf("%q: %s", s, got)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"UTF-8": UTF8, "utf8": UTF8, "latin1": Windows1252, "Shift_JIS": ShiftJIS, "sjis": ShiftJIS, "gbk": GBK, "UTF-16LE": UTF16LE, "koi8-r": "koi8-r"} {
		if f, ok := Named(given); !ok || f.Encoding != want {
			t.Errorf("%s: %+v %t", given, f, ok)
		}
	}
	if f, ok := Named("klingon"); ok {
		t.Errorf("%+v", f)
	}
}

// Decoding never fails but for binary, what Editable allows gives the bytes back or says that it does not, and the
// text of all but UTF-8 is valid.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "hi\n", "\xef\xbb\xbfhi", "\xff\xfeh\x00", "\xfe\xff\x00h\xd8", "a\xe9b\n", "h\x00i\x00", "\xff\xfe\x00\x00a\x00\x00\x00", "\x00\x00\xfe\xff\x00\x00\x00a"} {
		f.Add([]byte(s))
	}
	gbk, _ := simplifiedchinese.GBK.NewEncoder().Bytes([]byte("你好,世界"))
	jis, _ := japanese.ShiftJIS.NewEncoder().Bytes([]byte("こんにちは"))
	f.Add(gbk)
	f.Add(jis)
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		s, format, err := Decode(b)
		if err != nil {
			if !errors.Is(err, ErrBinary) {
				t.Fatal(err)
			}
			return
		}
		if !utf8.ValidString(s) && (format.Encoding != UTF8 || format.Invalid == 0) {
			t.Fatalf("%+v: %q", format, s)
		}
		if !utf8.ValidString(Valid(s)) {
			t.Fatalf("%q", Valid(s))
		}
		if format.Editable() && format.Lossless(b, s) {
			back, err := format.Encode(s)
			if err != nil || !bytes.Equal(back, b) {
				t.Fatalf("%+v: %q, want %q, %v", format, back, b, err)
			}
		}
		if (format.Encoding == UTF8 || format.Encoding == Windows1252) && !format.Lossless(b, s) {
			t.Fatalf("%+v loses bytes of %q", format, b)
		}
		if !bytes.Equal(before, b) {
			t.Fatal("the bytes were changed")
		}
		Ending(s)
		Lines(s)
	})
}

package fs

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestReadWindows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", numbered(10))
	w.put("long", numbered(5000))
	tests := []struct {
		name      string
		args      args
		want      string
		line      int
		truncated bool
		next      int
	}{
		{"whole", args{"path": "f"}, numbered(10), 1, false, 0},
		{"from a line", args{"path": "f", "line": 9}, "line 9\nline 10\n", 9, false, 0},
		{"window", args{"path": "f", "line": 3, "limit": 2}, "line 3\nline 4\n", 3, true, 5},
		{"offset counts from 0", args{"path": "f", "offset": 8}, "line 9\nline 10\n", 9, false, 0},
		{"last line", args{"path": "f", "line": -1}, "line 10\n", 10, false, 0},
		{"last three", args{"path": "f", "line": -3}, "line 8\nline 9\nline 10\n", 8, false, 0},
		{"more from the end than there are", args{"path": "f", "line": -99}, numbered(10), 1, false, 0},
		{"numbers as text", args{"path": "f", "line": "10"}, "line 10\n", 10, false, 0},
		{"line numbers", args{"path": "f", "line": 10, "line_numbers": true}, "    10\tline 10\n", 10, false, 0},
		{"default limit", args{"path": "long"}, numbered(2000), 1, true, 2001},
		{"max_chars at a line end", args{"path": "f", "max_chars": 16}, "line 1\nline 2\n", 1, true, 3},
		{"uri", args{"uri": "file://" + w.abs("f"), "line": 10}, "line 10\n", 10, false, 0},
	}
	for _, tt := range tests {
		r := w.ok("read", tt.args)
		if r.Text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, r.Text, tt.want)
		}
		if int(r.data["line"].(float64)) != tt.line {
			t.Errorf("%s: line %v, want %d", tt.name, r.data["line"], tt.line)
		}
		next, _ := r.data["next_line"].(float64)
		if r.Envelope.Meta.Truncated != tt.truncated || int(next) != tt.next {
			t.Errorf("%s: truncated %t, next %v; want %t, %d", tt.name, r.Envelope.Meta.Truncated, next, tt.truncated, tt.next)
		}
	}
	r := w.refused(tools.InvalidParams, "read", args{"path": "f", "line": 11})
	if !strings.Contains(r.Envelope.Error.Message, "10 lines") {
		t.Error(r.Envelope.Error)
	}
	w.refused(tools.InvalidParams, "read", args{"path": "f", "limit": -1})
}

func TestLineNumbersCountForTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", strings.Repeat("a\n", 100)+"long line here\n")
	r := w.ok("read", args{"path": "f", "line_numbers": true, "max_chars": 95})
	if len(r.Text) > 95 || r.Text != numberLines(strings.Repeat("a\n", 10), 1) || r.data["next_line"] != 11.0 {
		t.Errorf("%q %v", r.Text, r.data)
	}
	r = w.ok("read", args{"path": "f", "line": 101, "line_numbers": true, "max_chars": 11})
	if r.Text != "   101\tlong" || r.data["next_line"] != 101.0 || r.data["next_column"] != 5.0 {
		t.Errorf("%q %v", r.Text, r.data)
	}
}

// Going on as the answer says must give the whole file, each part once, lines longer than a part too.
func TestReadGoesOnWhereItWasCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.Repeat("あいうえお", 100) + "\n" + numbered(50) + strings.Repeat("x", 333) + "\nend"
	w.put("f", text)
	var got strings.Builder
	at := args{"path": "f", "max_chars": 70}
	for n := 0; ; n++ {
		r := w.ok("read", at)
		if !utf8.ValidString(r.Text) || utf8.RuneCountInString(r.Text) > 70 {
			t.Fatalf("%q", r.Text)
		}
		got.WriteString(r.Text)
		next, more := r.data["next_line"]
		if !more {
			break
		}
		at = args{"path": "f", "max_chars": 70, "line": next}
		if c, ok := r.data["next_column"]; ok {
			at["column"] = c
		}
		if n > 100 {
			t.Fatal("never ends")
		}
	}
	if got.String() != text {
		t.Errorf("parts give %q", got.String())
	}
}

func TestReadDescribesTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gbk, _ := simplifiedchinese.GBK.NewEncoder().String("你好，世界！这是一个测试文件。\n")
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("こんにちは、世界。これはテストです。\n")
	tests := []struct {
		name, bytes, text, encoding, eol string
		bom, warned                      bool
	}{
		{"plain.md", "hi\n", "hi\n", "utf-8", "lf", false, false},
		{"empty", "", "", "utf-8", "none", false, false},
		{"crlf", "a\r\nb\r\n", "a\r\nb\r\n", "utf-8", "crlf", false, false},
		{"mixed", "a\r\nb\n", "a\r\nb\n", "utf-8", "mixed", false, false},
		{"bom", "\xef\xbb\xbfhi\n", "hi\n", "utf-8", "lf", true, false},
		{"utf16", "\xff\xfeh\x00i\x00\n\x00", "hi\n", "utf-16le", "lf", true, false},
		{"latin", "a\xe9b\n", "aéb\n", "windows-1252", "lf", false, true},
		{"gbk", gbk, "你好，世界！这是一个测试文件。\n", "gbk", "lf", false, true},
		{"sjis", sjis, "こんにちは、世界。これはテストです。\n", "shift_jis", "lf", false, true},
		{"one bad byte", "ääääääääääää\xff\n", "ääääääääääää\ufffd\n", "utf-8", "lf", false, true},
	}
	for _, tt := range tests {
		w.put(tt.name, tt.bytes)
		r := w.ok("read", args{"path": tt.name})
		if r.Text != tt.text || r.data["encoding"] != tt.encoding || r.data["eol"] != tt.eol || (r.data["bom"] == true) != tt.bom {
			t.Errorf("%s: %q %v", tt.name, r.Text, r.data)
		}
		if len(r.Envelope.Meta.Warnings) > 0 != tt.warned {
			t.Errorf("%s: warnings %q", tt.name, r.Envelope.Meta.Warnings)
		}
		if r.data["hash"] != hashOf([]byte(tt.bytes)) || r.data["size"] != float64(len(tt.bytes)) {
			t.Errorf("%s: %v", tt.name, r.data)
		}
	}
	if r := w.ok("read", args{"path": "plain.md"}); r.data["mime"] != "text/markdown" || r.data["total_lines"] != 1.0 || r.data["path"] != "plain.md" || r.data["resolved"] != "plain.md" {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("read", args{"path": "latin", "encoding": "koi8-r"}); r.Text != "aИb\n" {
		t.Errorf("named encoding: %q", r.Text)
	}
	w.refused(tools.InvalidParams, "read", args{"path": "latin", "encoding": "klingon"})
}

func TestReadBinary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	w.put("all", string(all))
	r := w.refused(tools.Binary, "read", args{"path": "all"})
	if r.Text != "" || r.data["size"] != 256.0 || r.data["mime"] != "application/octet-stream" || !strings.Contains(r.Envelope.Error.Message, "base64") {
		t.Errorf("%q %v %v", r.Text, r.data, r.Envelope.Error)
	}
	r = w.ok("read", args{"path": "all", "encoding": "base64"})
	if b, err := base64.StdEncoding.DecodeString(r.Text); err != nil || !bytes.Equal(b, all) {
		t.Errorf("base64: %v %q", err, b)
	}
	// In parts.
	var got []byte
	offset := 0.0
	for {
		r := w.ok("read", args{"path": "all", "encoding": "base64", "max_chars": 100, "offset": offset})
		b, err := base64.StdEncoding.DecodeString(r.Text)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b...)
		next, more := r.data["next_offset"].(float64)
		if !more {
			break
		}
		offset = next
	}
	if !bytes.Equal(got, all) {
		t.Errorf("parts: %q", got)
	}

	var img bytes.Buffer
	if err := png.Encode(&img, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		t.Fatal(err)
	}
	w.put("i.png", img.String())
	r = w.ok("read", args{"path": "i.png"})
	if r.Image == nil || r.Image.MIME != "image/png" || !bytes.Equal(r.Image.Data, img.Bytes()) || r.Text != "" {
		t.Errorf("image: %+v %q", r.Image, r.Text)
	}
}

func TestReadOfAnImageTooLargeToShow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, size := range []int{maxImage + 1, maxLoad + 1} {
		w.put("i.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"+strings.Repeat("\x00", size))
		r := w.refused(tools.TooLarge, "read", args{"path": "i.png"})
		if r.Image != nil || r.data["mime"] != "image/png" {
			t.Errorf("%d: %v", size, r.data)
		}
	}
}

func TestReadManyFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "A\n")
	w.put("b", "B")
	r := w.ok("read", args{"paths": []string{"a", "missing", "b"}})
	if r.Text != "==> a <==\nA\n==> b <==\nB\n" || !r.warned("1 of 3") {
		t.Errorf("%q %v", r.Text, r.Envelope.Meta.Warnings)
	}
	files := r.data["files"].([]any)
	if len(files) != 3 || files[0].(map[string]any)["hash"] != hashOf([]byte("A\n")) || files[1].(map[string]any)["error"] == nil || files[2].(map[string]any)["path"] != "b" {
		t.Errorf("%v", files)
	}
	w.refused(tools.NotFound, "read", args{"paths": []string{"x", "y"}})
}

func TestReadFoldersAndWaysOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(w.O+"/s", "SECRET")
	w.put("a.txt", "IN")
	w.link(w.O+"/s", "l")
	w.link(w.O, "d")
	for _, p := range []string{"../O/s", "./x/../../O/s", w.O + "/s", `..\O\s`, "%2e%2e/O/s", "a.txt\x00/../../O/s", "file:///etc/passwd", "/etc/passwd", "l", "d/s", "~/s", "-", "/dev/stdin"} {
		r := w.call("read", args{"path": p})
		if r.Envelope.OK || strings.Contains(r.Text, "SECRET") {
			t.Errorf("%q: %q", p, r.Text)
		}
	}
	r := w.refused(tools.InvalidParams, "read", args{"path": "."})
	if !strings.Contains(r.Envelope.Error.Message, "list") {
		t.Error(r.Envelope.Error)
	}
}

func TestReadMissingTellsTheNearest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("src/handler.go", "x")
	w.put("Shot 9.52.38\u202fAM.png.txt", "shot")
	w.put("a\u0308.txt", "nfd")
	r := w.refused(tools.NotFound, "read", args{"path": "src/handlr.go"})
	if r.Envelope.Error.Details.Nearest != "src/handler.go" {
		t.Errorf("%+v", r.Envelope.Error.Details)
	}
	if r := w.ok("read", args{"path": "Shot 9.52.38 AM.png.txt"}); r.Text != "shot" || len(r.Envelope.Meta.Warnings) == 0 {
		t.Errorf("%q %v", r.Text, r.Envelope.Meta.Warnings)
	}
	if r := w.ok("read", args{"path": "\u00e4.txt"}); r.Text != "nfd" {
		t.Errorf("%q", r.Text)
	}
}

func TestReadHugeSparseFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("big", "")
	if err := os.Truncate(w.abs("big"), 20<<30); err != nil {
		t.Skip("no sparse files here:", err)
	}
	f, err := os.OpenFile(w.abs("big"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("tail\n"); err != nil {
		t.Skip("no sparse files here:", err)
	}
	f.Close()
	start := time.Now()
	r := w.refused(tools.Binary, "read", args{"path": "big"})
	if r.data["size"] != float64(20<<30+5) {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("read", args{"path": "big", "line": -1}); !strings.HasSuffix(r.Text, "tail\n") || !r.Envelope.Meta.Truncated || len(r.Text) > 30_000 {
		t.Errorf("%.100q %v", r.Text, r.data)
	}
	if r := w.ok("stat", args{"path": "big"}); r.data["size"] != float64(20<<30+5) || r.data["hash"] != nil {
		t.Errorf("%v", r.data)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapSys > 2<<30 {
		t.Errorf("heap %d", m.HeapSys)
	}
}

func TestReadLargeLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	line := strings.Repeat("x", 99) + "\n"
	w.put("log", "first\n"+strings.Repeat(line, 20<<20/100)+"before\nlast")
	total := 20<<20/100 + 3
	r := w.ok("read", args{"path": "log", "limit": 1})
	if r.Text != "first\n" || r.data["total_lines"] != float64(total) || r.data["next_line"] != 2.0 {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
	if r.data["hash"] != hashOf([]byte(w.get("log"))) {
		t.Errorf("hash %v", r.data["hash"])
	}
	if r := w.ok("read", args{"path": "log", "line": total - 1}); r.Text != "before\nlast" || r.Envelope.Meta.Truncated {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
	if r := w.ok("read", args{"path": "log", "line": -2}); r.Text != "before\nlast" || r.Envelope.Meta.Truncated {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
	if r := w.ok("read", args{"path": "log", "line": -3, "limit": 1}); r.Text != line || r.data["next_line"] != -2.0 {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
	if r := w.ok("read", args{"path": "log", "line": 100_000}); r.data["next_line"] != float64(100_000+len(r.Text)/100) || !strings.HasPrefix(r.Text, "xx") {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
	w.refused(tools.InvalidParams, "read", args{"path": "log", "line": total + 1})

	utf16 := []byte("\xff\xfe")
	for _, c := range "äöü line of text\n" {
		utf16 = append(utf16, byte(c), byte(c>>8))
	}
	w.put("wide", string(utf16[:2])+strings.Repeat(string(utf16[2:]), 20<<20/len(utf16))+"e\x00n\x00d\x00")
	if r := w.ok("read", args{"path": "wide", "limit": 2}); r.Text != "äöü line of text\näöü line of text\n" {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
	if r := w.ok("read", args{"path": "wide", "line": -2}); r.Text != "äöü line of text\nend" {
		t.Errorf("%.50q %v", r.Text, r.data)
	}
}

func TestReadOneLongLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("long", strings.Repeat("あb", 50<<20/4))
	for _, a := range []args{{}, {"line": 1, "limit": 1}, {"line": -1}} {
		a["path"] = "long"
		start := time.Now()
		r := w.ok("read", a)
		if n := utf8.RuneCountInString(r.Text); n == 0 || n > 30_000 || !utf8.ValidString(r.Text) || strings.Contains(r.Text, "\ufffd") || !r.Envelope.Meta.Truncated {
			t.Errorf("%v: %d characters, truncated %t", a, n, r.Envelope.Meta.Truncated)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%v took %v", a, took)
		}
	}
	first := w.ok("read", args{"path": "long"})
	second := w.ok("read", args{"path": "long", "line": first.data["next_line"], "column": first.data["next_column"]})
	if first.data["next_column"] != 30001.0 || second.data["next_column"] != 60001.0 || second.Text != first.Text {
		t.Errorf("%v, then %v", first.data, second.data)
	}
}

// Characters must not be cut at the edges of blocks (C076).
func TestReadCharactersAtBlockEdges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	head := strings.Repeat("x", 1023) + "あ\n"
	w.put("head", head)
	for _, a := range []args{{"limit": 1}, {"line": -1}} {
		a["path"] = "head"
		if r := w.ok("read", a); r.Text != head {
			t.Errorf("%v: %q", a, r.Text[1000:])
		}
	}
	// The same where blocks are real: in a file that is read in blocks, with a window that begins at each of them.
	big := strings.Repeat("あ", maxLoad/3+100) + "\n"
	w.put("big", big)
	for _, at := range []int{sample / 3, 256 << 10 / 3, 256<<10/3 + 1, 2 * 256 << 10 / 3} {
		r := w.ok("read", args{"path": "big", "line": 1, "column": at + 1, "max_chars": 10})
		if r.Text != strings.Repeat("あ", 10) {
			t.Errorf("column %d: %q", at+1, r.Text)
		}
	}
}

func TestReadProcAndGrowingFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "linux" {
		w := newWorld(t, rootAt("/proc/self"))
		if r := w.ok("read", args{"path": "status"}); !strings.Contains(r.Text, "Pid:") || r.data["size"] == 0.0 {
			t.Errorf("%.50q %v", r.Text, r.data)
		}
	}
	w := newWorld(t)
	w.put("g", "start\n")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(w.abs("g"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := f.WriteString(strings.Repeat("more\n", 1000)); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 20 {
		if r := w.ok("read", args{"path": "g"}); !strings.HasPrefix(r.Text, "start\n") {
			t.Errorf("%.50q", r.Text)
		}
	}
	close(stop)
	<-done
}

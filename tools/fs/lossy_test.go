package fs

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Public report: bytes of an encoding that mean nothing came back as U+FFFD without a word.
func TestNoUnflaggedReplacementCharacter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	log := strings.Repeat("a line of a large log, longer than what is held in memory\n", maxLoad/50)
	tests := []struct {
		name, content string
		args          args
	}{
		{"UTF-16 with half a unit at its end", "\xff\xfeh\x00i\x00\n\x00x", nil},
		{"UTF-16 with a lone surrogate", "\xff\xfeh\x00\x00\xd8i\x00\n\x00", nil},
		{"UTF-32 beyond Unicode", "\xff\xfe\x00\x00h\x00\x00\x00\x00\x00\x11\x00", nil},
		{"another encoding than the file's", "\xcf\xf0\xe8\xe2\xff", args{"encoding": "shift_jis"}},
		{"UTF-8 with one wrong byte", "ä ö ü ä ö ü ä ö ü ä ö ü \xff\n", nil},
		{"a large file, near its end", log + "ä ö ü ä ö ü ä ö ü ä ö ü bad \xff byte\n", args{"line": -1}},
		{"a large file, a window", log + "bad \xff byte\n", args{"line": strings.Count(log, "\n") + 1}},
		{"a large UTF-16 file", "\xff\xfe" + strings.Repeat("x\x00\n\x00", maxLoad/4+1) + "h\x00\x00\xd8i\x00\n\x00", args{"line": maxLoad/4 + 2}},
	}
	for _, tt := range tests {
		w.put("f", tt.content)
		a := args{"path": "f"}
		for k, v := range tt.args {
			a[k] = v
		}
		r := w.ok("read", a)
		if !strings.Contains(r.Text, "\ufffd") || !r.warned("U+FFFD") || len(r.Envelope.Meta.Warnings) > 2 {
			t.Errorf("%s: %.80q %q", tt.name, r.Text, r.Envelope.Meta.Warnings)
		}
	}
	w.put("f", log+"bad \xff byte\n")
	if r := w.ok("read", args{"path": "f", "line": -1}); r.data["encoding"] != "windows-1252" || !r.warned("guess") {
		t.Errorf("a guess by the end of a large file: %v %q", r.data, r.Envelope.Meta.Warnings)
	}
	if r := w.ok("read", args{"path": "f", "limit": 1}); r.warned("U+FFFD") {
		t.Errorf("nothing was lost in this window: %q", r.Envelope.Meta.Warnings)
	}
}

// An image that the model's side cannot decode makes that call, and all that repeat it, fail.
func TestDamagedImagesAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var p, j, g bytes.Buffer
	pic := image.NewPaletted(image.Rect(0, 0, 40, 40), color.Palette{color.Black, color.White})
	for _, err := range []error{png.Encode(&p, pic), jpeg.Encode(&j, pic, nil), gif.Encode(&g, pic, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	webp := "RIFF\x1a\x00\x00\x00WEBPVP8 \x0e\x00\x00\x00" + strings.Repeat("\x01", 14)
	for name, whole := range map[string]string{"png": p.String(), "jpeg": j.String(), "gif": g.String(), "webp": webp} {
		w.put("i", whole)
		if r := w.ok("read", args{"path": "i"}); r.Image == nil {
			t.Errorf("%s: not shown", name)
		}
		cuts := []int{15}
		if name == "png" || name == "jpeg" || name == "webp" {
			cuts = append(cuts, len(whole)-4)
		}
		for _, n := range cuts {
			w.put("i", whole[:n])
			r := w.refused(tools.Binary, "read", args{"path": "i"})
			if r.Image != nil || r.data["mime"] != "image/"+name {
				t.Errorf("%s cut to %d bytes: %v %v", name, n, r.data, r.Envelope.Error)
			}
		}
	}
	wide := append([]byte(nil), p.Bytes()...)
	copy(wide[16:], "\x00\x01\x00\x00")
	w.put("i", string(wide))
	w.refused(tools.Binary, "read", args{"path": "i"})
}

// A copy that is refused leaves no folders that it made on its way.
func TestRefusedCopyLeavesNoFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("evil/config", "x")
	w.refused(tools.PermissionDenied, "cp", args{"path": "evil", "destination": "a/b/.git"})
	if got := w.names("."); got != "evil" {
		t.Errorf("left behind: %s", got)
	}
	w.ok("cp", args{"path": "evil", "destination": "a/b/c"})
	w.is("a/b/c/config", "x")
}

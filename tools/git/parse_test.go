package git

import (
	"strings"
	"testing"
)

// What git writes is parsed whatever it holds: no panic, no endless loop, no name out of thin air.

func FuzzStatus(f *testing.F) {
	f.Add("# branch.oid (initial)\x00# branch.head main\x00? x\x00")
	f.Add("1 .M N... 100644 100644 100644 a b a b\x002 R. N... 100644 100644 100644 a b R100 new\x00old\x00")
	f.Add("u UU N... 100644 100644 100644 100644 a b c x\x00! ign\x00")
	f.Fuzz(func(t *testing.T, out string) {
		s := &statusList{}
		if err := s.parse([]byte(out)); err != nil {
			return
		}
		for _, name := range s.Untracked {
			if !strings.Contains(out, named(name)) {
				t.Errorf("%q is not in %q", name, out)
			}
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("diff --cc x\n@@@ -1,1 -1,1 +1,2 @@@\n++a\n -b\n* Unmerged path y\n")
	f.Add("diff --git \"a/\\303\\251\" \"b/\\303\\251\"\ndeleted file mode 100644\ndiff --git a/x y b/x y\nnew file mode 120000\n@\n\n\\")
	f.Add("diff --git a/ b/\ndiff --git \ndiff --git \"\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := &patchReader{limit: 200}
		if err := p.read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		out, next := p.page(len(p.files))
		if next > len(p.files) || next < 0 || len(out) > 200+120*len(p.files)+200 {
			t.Errorf("page of %d bytes, next %d of %d", len(out), next, len(p.files))
		}
		lines := strings.Count(text, "\n") + 1
		for _, file := range p.files {
			if file.Additions+file.Deletions > lines {
				t.Errorf("%+v counts more than %d lines", file, lines)
			}
		}
	})
}

func FuzzOutputs(f *testing.F) {
	f.Add(strings.Repeat("a", 40) + " 1 1 1\nauthor A\nauthor-time 1\nauthor-tz +0200\nfilename x\n\ttext\n")
	f.Add(":100644 100644 a b M\x00x\x00:100644 100644 a b R100\x00x\x00y\x00")
	f.Add("h\x00s\x00A\x00e\x002020\x00p q\x00HEAD -> main, tag: v\x00m\n\nb\x00\x00")
	f.Add("--- a/x\n+++ b/\"\nrename from \ndiff --git \"a\n")
	f.Fuzz(func(t *testing.T, out string) {
		_, _, _ = parseBlame(out)
		_ = parseRaw([]byte(out))
		_, _ = parseLog([]byte(out))
		_ = patchPaths(out)
		_ = cleaned(out)
		_ = pushed(out)
		_ = brief(out)
		if text := redact(out); strings.Contains(out, "://") && len(text) > 3*len(out)+100 {
			t.Errorf("redacting makes %d bytes of %d", len(text), len(out))
		}
	})
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"fatal: https://u:p@host/x not found":   "fatal: https://***@host/x not found",
		"https://ghp_token@github.com/a/b":      "https://***@github.com/a/b",
		"https://u:p@ss@host/x":                 "https://***@host/x",
		"ssh://git@host/x":                      "ssh://git@host/x",
		"ssh://git:pw@host/x":                   "ssh://git:***@host/x",
		"git@host:x":                            "git@host:x",
		"mail a@b.c and https://host/x@y":       "mail a@b.c and https://host/x@y",
		"'https://u:p@h/x' and http://a:b@c/d'": "'https://***@h/x' and http://***@c/d'",
	} {
		if got := redact(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

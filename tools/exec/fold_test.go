package exec

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\nb\n": "a\nb\n", "a\r\nb\r\r\n": "a\r\nb\r\r\n", "old\rmac\rlines\r": "old\nmac\nlines\r",
		"loading\r       \rok\r\n": "loading\nok\r\n", "\rgo": "go", "\r\n\rA\n": "\r\nA\n",
	} {
		if got, some := fold(in); some || got != want {
			t.Errorf("%q: %q %t, not %q", in, got, some, want)
		}
	}
	many := strings.Repeat("1%\r", 6)
	if got, some := fold("x\n" + many + "3%\ndone\n"); !some || got != "x\n3%\ndone\n" {
		t.Errorf("%q %t", got, some)
	}
}

// TestProgressIsLeftOut of the output, with or without a terminal, before anything of it is cut.
func TestProgressIsLeftOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	line := `echo first; i=0; while [ $i -lt 2000 ]; do printf '\rDownloading %d of 2000 files' $i; i=$((i+1)); done; echo; echo last`
	for _, pty := range []bool{false, true} {
		rep := r.call(m{"command": line, "pty": pty})
		if rep.Text != "first\nDownloading 1999 of 2000 files\nlast\n" || rep.data.Truncated || !strings.Contains(rep.warnings(), "raw:true") {
			t.Errorf("pty %t: %d bytes, %+v %s", pty, len(rep.Text), rep.data, rep.warnings())
		}
	}
	if rep := r.call(m{"command": line, "raw": true, "max_chars": 100_000}); strings.Count(rep.Text, "\r") != 2000 || rep.warnings() != "" {
		t.Errorf("%d bytes, %s", len(rep.Text), rep.warnings())
	}
	if rep := r.call(m{"command": "printf '10%%\r50%%\r90%%'; sleep 477.5", "until": "50%", "timeout": "20s"}); rep.data.Matched == nil {
		t.Errorf("%+v %q", rep.data, rep.Text)
	} else {
		r.call(m{"action": "kill", "proc_id": rep.data.ProcID})
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With TMPDIR in the project commands get another one, which they cannot exchange for a link.
func TestTMPDIRInTheProject(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	w, o := filepath.Join(top, "w"), filepath.Join(top, "o")
	for _, dir := range []string{filepath.Join(w, "t"), filepath.Join(o, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := startIn(t, w, []string{"TMPDIR=" + filepath.Join(w, "t")}, "--no-door", "--sandbox", "workspace")
	first := parseResult(t, c.ask("1", "tools/call", `{"name":"exec","arguments":{"command":"echo $TMPDIR; mktemp"}}`))
	tmp, _, _ := strings.Cut(first.Payload, "\n")
	if !first.OK || strings.HasPrefix(tmp, w) {
		t.Errorf("%q %+v", tmp, first.Error)
	}
	c.ask("2", "tools/call", `{"name":"exec","arguments":{"command":"cd $(dirname $TMPDIR) && rm -rf tmp; ln -s `+o+` tmp; cd ..; mv $OLDPWD gone; ln -s `+o+` $OLDPWD"}}`)
	after := parseResult(t, c.ask("3", "tools/call", `{"name":"exec","arguments":{"command":"echo >`+o+`/p; echo >`+o+`/tmp/p; mktemp"}}`))
	if !after.OK || !strings.Contains(after.Payload, tmp) {
		t.Errorf("%q %+v", after.Payload, after.Error)
	}
	for _, file := range []string{"p", "tmp/p"} {
		if _, err := os.Stat(filepath.Join(o, file)); err == nil {
			t.Errorf("wrote %s", file)
		}
	}
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(tmp)); err == nil {
		t.Errorf("%s is still there", tmp)
	}
}

// Where TMPDIR leads nowhere there is another place, which is said once. One that a cleaner takes away is made anew.
func TestTMPDIRThatIsMissing(t *testing.T) {
	t.Parallel()
	c := start(t, []string{"TMPDIR=" + filepath.Join(t.TempDir(), "none")}, "--no-door", "--sandbox", "workspace")
	for _, id := range []string{"1", "2"} {
		r := parseResult(t, c.ask(id, "tools/call", `{"name":"exec","arguments":{"command":"echo $TMPDIR; mktemp -d"}}`))
		tmp, made, _ := strings.Cut(r.Payload, "\n")
		if !r.OK || !strings.HasPrefix(made, tmp) {
			t.Fatalf("%+v", r)
		}
		if err := os.RemoveAll(filepath.Dir(tmp)); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(c.stderr.String(), "warning"); n != 1 || !strings.Contains(c.stderr.String(), "none") {
		t.Errorf("said %d times: %s", n, c.stderr)
	}
}

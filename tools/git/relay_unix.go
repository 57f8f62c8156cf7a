//go:build unix

package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// relays: a confined git can have work done by this process.
const relays = true

// relayScript asks for a signature and gives the answer on. A question ends with a NUL, which no commit and no tag holds; the lines
// of an answer begin with o (to standard output) or e (to standard error), the last one is the exit code.
const relayScript = `#!/bin/sh
case " $* " in *" -bsau "*) ;; *) exec %s "$@" ;; esac
d=${0%%/*}
{ cat && printf '\000'; } >"$d/ask" || exit 1
while IFS= read -r line; do
	case $line in
	o*) printf '%%s\n' "${line#?}" ;;
	e*) printf '%%s\n' "${line#?}" >&2 ;;
	*) exit "$line" ;;
	esac
done <"$d/answer"
exit 1
`

// desk is where a script asks: two named pipes beside it. Both are opened here once, at the beginning, and for both
// ways, so that nothing that a child does to the folder leads this process to another file, or keeps it waiting.
type desk struct {
	dir, program string
	ask, answer  *os.File
}

func openDesk(parent, other string) (*desk, error) {
	dir, err := os.MkdirTemp(parent, "git-relay-")
	if err != nil {
		return nil, fmt.Errorf("a place to ask for signatures: %w", err)
	}
	d := &desk{dir: dir, program: filepath.Join(dir, "relay")}
	if d.ask, err = namedPipe(filepath.Join(dir, "ask")); err == nil {
		d.answer, err = namedPipe(filepath.Join(dir, "answer"))
	}
	if err == nil {
		err = os.WriteFile(d.program, fmt.Appendf(nil, relayScript, "'"+strings.ReplaceAll(other, "'", `'\''`)+"'"), 0o700)
	}
	if err != nil {
		d.close()
		return nil, fmt.Errorf("a place to ask for signatures: %w", err)
	}
	return d, nil
}

func namedPipe(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || fi.Mode()&os.ModeNamedPipe == 0 {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s was exchanged for another file", path))
	}
	return f, nil
}

func (d *desk) close() {
	for _, f := range []*os.File{d.ask, d.answer} {
		if f != nil {
			f.Close()
		}
	}
	os.RemoveAll(d.dir)
}

// serve answers until ctx ends.
func (d *desk) serve(ctx context.Context, answer func(context.Context, string) result) {
	stop := context.AfterFunc(ctx, func() {
		_ = d.ask.SetDeadline(time.Unix(1, 0))
		_ = d.answer.SetDeadline(time.Unix(1, 0))
	})
	defer stop()
	in := bufio.NewReader(d.ask)
	for {
		asked, err := question(in)
		if err != nil {
			return
		}
		res := result{stderr: fmt.Sprintf("what is to be signed is larger than %d bytes", maxAsked), code: 1}
		if len(asked) <= maxAsked {
			res = answer(ctx, asked)
		}
		var b strings.Builder
		for line := range strings.Lines(string(res.out)) {
			b.WriteString("o" + strings.TrimSuffix(line, "\n") + "\n")
		}
		for line := range strings.Lines(res.stderr) {
			b.WriteString("e" + strings.TrimSuffix(line, "\n") + "\n")
		}
		fmt.Fprintf(&b, "%d\n", res.code)
		if _, err := io.WriteString(d.answer, b.String()); err != nil {
			return
		}
	}
}

// question reads up to the next NUL; of what is too large, it keeps a byte too many.
func question(in *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := in.ReadSlice(0)
		if b = append(b, part...); len(b) > maxAsked+2 {
			b = b[:maxAsked+2]
		}
		if err == nil {
			return string(b[:len(b)-1]), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

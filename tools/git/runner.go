package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// spec is one run of git.
type spec struct {
	dir      string
	program  string   // "" is git
	path     string   // where it is, when that is known
	args     []string // after the program's name
	env      []string // the whole environment
	stdin    string
	progress io.Writer             // gets standard error as it comes, passwords taken out; may be nil
	stdout   func(io.Reader) error // reads standard output as it comes; nil collects it in result.out
	policy   launch.Policy
	writable []string // what policy Credentialed may write
	started  func()   // called once git has started; may be nil
	relay    *relay   // what git asks this process to do

	feed func(ctx context.Context, before result) string // of the step before, stdin is made
	late func(ctx context.Context) (spec, error)         // makes the whole step when its turn has come
	hold func(ctx context.Context) (func(), error)       // waits until no other change is at work
}

// result is how a run ended. A non-zero code is no Go error.
type result struct {
	out    []byte
	stderr string
	code   int
}

// runner runs git. It returns an error when git did not start, ctx ended (everything started is gone by then),
// or the reader of standard output failed.
type runner func(ctx context.Context, s spec) (result, error)

const (
	maxOut    = 64 << 20 // collected standard output
	maxStderr = 64 << 10
	maxArgs   = 100 << 10              // of arguments, which any system takes
	endGrace  = 2 * time.Second        // from TERM, on which git removes its lock files, to KILL
	pipeSize  = 1 << 20                // more than a pipe holds
	pipeGrace = 200 * time.Millisecond // for what is in a pipe that a background grandchild keeps open
)

// errTooMuch ends the reading of an output that is larger than maxOut.
var errTooMuch = errors.New("git's output is larger than 64 MiB; narrow the call with files, ref or limit")

// launched runs git, and the programs that sign for it, through the launcher.
func launched(l *launch.Launcher, look func(string) (string, error)) runner {
	return relaying(func(ctx context.Context, s spec) (result, error) {
		name := cmp.Or(s.program, "git")
		path := cmp.Or(s.path, name)
		if !filepath.IsAbs(path) {
			var err error
			if path, err = look(name); err != nil && s.program == "" {
				return result{}, errNoGit
			} else if err != nil {
				return result{}, err
			}
		}
		if slices.ContainsFunc(s.args, func(a string) bool { return strings.IndexByte(a, 0) >= 0 }) {
			return result{}, tools.Errorf(tools.InvalidParams, "a parameter holds a NUL character; nothing was done")
		}
		p, err := newPipes(s.stdin)
		if err != nil {
			return result{}, err
		}
		defer p.close()
		proc, err := l.Start(ctx, launch.Cmd{
			Path: path, Args: append([]string{name}, s.args...), Dir: s.dir, Env: s.env,
			Stdin: p.stdin, Stdout: p.outW, Stderr: p.errW, Policy: s.policy, Writable: s.writable,
		})
		if size := len(strings.Join(s.args, " ")); err != nil && size > maxArgs {
			return result{}, tools.Errorf(tools.InvalidParams, "files or message are too long for one run of git (%d bytes); nothing was done: give fewer files, a folder or all:true, or a shorter message", size)
		}
		if err != nil {
			return result{}, fmt.Errorf("starting %s: %w", name, err)
		}
		if s.started != nil {
			s.started()
		}
		stop := func() { proc.Kill(endGrace) }
		return p.follow(ctx, s, proc.Done(), stop, func() int { return proc.Wait().Code })
	})
}

// errNoGit means that no git is installed.
var errNoGit = errors.New("git is not installed")

// pipes are the three ends of a child. The parent's ends are read and written by goroutines that end with it.
type pipes struct {
	stdin, outW, errW *os.File // the child's
	inW, outR, errR   *os.File
	text              string
}

func newPipes(stdin string) (*pipes, error) {
	p := &pipes{text: stdin}
	var err error
	if p.outR, p.outW, err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.errR, p.errW, err = os.Pipe(); err == nil && stdin != "" {
		p.stdin, p.inW, err = os.Pipe()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *pipes) close() {
	for _, f := range []*os.File{p.stdin, p.outW, p.errW, p.inW, p.outR, p.errR} {
		if f != nil {
			f.Close()
		}
	}
}

// follow carries a started child's streams until it has ended.
func (p *pipes) follow(ctx context.Context, s spec, done <-chan struct{}, stop func(), code func() int) (result, error) {
	p.outW.Close()
	p.errW.Close()
	if p.stdin != nil {
		p.stdin.Close()
	}
	var (
		wait    sync.WaitGroup
		res     result
		out     bytes.Buffer
		stderr  tailBuffer
		readErr error
		failed  = make(chan struct{})
	)
	if p.inW != nil {
		wait.Go(func() {
			_, _ = io.WriteString(p.inW, p.text) // a child that does not read says so by its exit code
			p.inW.Close()
		})
	}
	wait.Go(func() {
		read := s.stdout
		if read == nil {
			read = func(r io.Reader) error {
				if n, err := io.Copy(&out, io.LimitReader(r, maxOut+1)); err != nil || n > maxOut {
					return errors.Join(err, map[bool]error{true: errTooMuch}[n > maxOut])
				}
				return nil
			}
		}
		if readErr = read(&ending{file: p.outR}); readErr != nil && !errors.Is(readErr, os.ErrDeadlineExceeded) {
			close(failed)
		}
	})
	wait.Go(func() {
		if s.progress == nil {
			_, _ = io.Copy(&stderr, &ending{file: p.errR})
			return
		}
		lines := &lineWriter{to: s.progress}
		_, _ = io.Copy(io.MultiWriter(&stderr, lines), &ending{file: p.errR})
		lines.flush()
	})
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	case <-failed:
		select {
		case <-done: // the reader had enough just when the child ended
		case <-time.After(pipeGrace):
			stop()
		}
	}
	if err != nil {
		stop()
	}
	res.code = code()
	end := time.Now().Add(pipeGrace)
	_ = p.outR.SetReadDeadline(end)
	_ = p.errR.SetReadDeadline(end)
	if p.inW != nil {
		_ = p.inW.SetWriteDeadline(end)
	}
	wait.Wait()
	res.out, res.stderr = out.Bytes(), redact(strings.ToValidUTF8(stderr.String(), "\uFFFD"))
	switch {
	case err != nil:
		return res, err
	case readErr != nil && !errors.Is(readErr, os.ErrDeadlineExceeded):
		return res, readErr
	}
	return res, nil
}

// ending reads a child's pipe to its end. When the child has ended, the pipe has a deadline, since another process may keep
// it open; what lies in it by then is still read, however slow the reader is.
type ending struct {
	file *os.File
	late int // bytes that came after the deadline
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) && e.late < pipeSize {
		if n = readNow(e.file, b); n > 0 {
			e.late += n
			return n, nil
		}
	}
	return n, err
}

// tailBuffer keeps the last maxStderr bytes, where git's reason stands.
type tailBuffer struct{ b []byte }

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*maxStderr {
		t.b = append(t.b[:0], t.b[len(t.b)-maxStderr:]...)
	}
	return len(p), nil
}

func (t *tailBuffer) String() string { return string(t.b) }

// lineWriter passes text on by whole lines, so that no password is cut in two before redact sees it.
type lineWriter struct {
	to  io.Writer
	buf []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	if end := bytes.LastIndexAny(w.buf, "\r\n"); end >= 0 || len(w.buf) > maxStderr {
		if end < 0 {
			end = len(w.buf) - 1
		}
		_, _ = io.WriteString(w.to, redact(string(w.buf[:end+1])))
		w.buf = append(w.buf[:0], w.buf[end+1:]...)
	}
	return len(p), nil
}

func (w *lineWriter) flush() { _, _ = io.WriteString(w.to, redact(string(w.buf))) }

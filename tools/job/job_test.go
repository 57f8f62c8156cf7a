package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestMain(m *testing.M) {
	if launch.Main(os.Args) {
		return
	}
	os.Exit(m.Run())
}

func newManager(t testing.TB, cfg Config) *Manager {
	t.Helper()
	cfg.Dir = t.TempDir()
	m := New(cfg)
	t.Cleanup(func() {
		m.Close()
		if left, _ := os.ReadDir(cfg.Dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return m
}

// write makes a job that writes text and then ends with err.
func write(t testing.TB, m *Manager, text string, err error) *Job {
	t.Helper()
	j, e := m.Go(Spec{Kind: "test", Title: "writing"}, func(_ context.Context, out io.Writer) error {
		io.WriteString(out, text)
		return err
	})
	if e != nil {
		t.Fatal(e)
	}
	<-j.Done()
	return j
}

func all(j *Job) string {
	b, _ := j.Log().Slice(0, j.Log().Len())
	return string(b)
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	m := newManager(t, Config{})
	if j := write(t, m, "hello", nil); all(j) != "hello" || j.State().Status != Completed || j.State().ExitCode != 0 {
		t.Errorf("%q %+v", all(j), j.State())
	}
	cause := errors.New("no route")
	if j := write(t, m, "", cause); j.State().Status != Failed || j.State().ExitCode != 1 || j.State().Err != cause {
		t.Errorf("%+v", j.State())
	}
	j, err := m.Go(Spec{Title: "broken"}, func(context.Context, io.Writer) error { panic("a fault of ours") })
	if err != nil {
		t.Fatal(err)
	}
	<-j.Done()
	if s := j.State(); s.Status != Failed || !strings.Contains(fmt.Sprint(s.Err), "a fault of ours") {
		t.Errorf("%+v", s)
	}
	endless := func(ctx context.Context, out io.Writer) error { <-ctx.Done(); return ctx.Err() }
	j, err = m.Go(Spec{Title: "endless"}, endless)
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := m.Foreground(context.Background(), j, time.Millisecond, nil); ended || err != nil {
		t.Errorf("%t %v", ended, err)
	}
	j.Signal(15, true)
	if s := j.State(); s.Status != Killed {
		t.Errorf("%+v", s)
	}
	j, _ = m.Go(Spec{Title: "endless", Timeout: 10 * time.Millisecond}, endless)
	if ended, err := m.Foreground(context.Background(), j, -1, nil); !ended || err != nil || j.State().Status != TimedOut {
		t.Errorf("%t %v %+v", ended, err, j.State())
	}
	ctx, cancel := context.WithCancel(context.Background())
	j, _ = m.Go(Spec{Title: "endless"}, endless)
	cancel()
	if ended, err := m.Foreground(ctx, j, 0, nil); ended || err != context.Canceled || j.State().Status != Killed {
		t.Errorf("%t %v %+v", ended, err, j.State())
	}
	if n, err := j.Log().Write([]byte("late")); n != 0 || err == nil {
		t.Errorf("a write after the end: %d %v", n, err)
	}
}

func TestFinishedJobsAreBounded(t *testing.T) {
	t.Parallel()
	m := newManager(t, Config{Finished: 5, Memory: 100})
	keep := write(t, m, strings.Repeat("x", 1000), nil)
	if _, err := os.Stat(keep.Log().File()); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		write(t, m, "y", nil).Deliver()
	}
	// What was delivered goes first.
	if _, err := m.Get("", keep.ID); err != nil {
		t.Errorf("dropped before what was delivered: %v", err)
	}
	for range 6 {
		write(t, m, "z", nil)
	}
	if _, err := m.Get("", keep.ID); err == nil {
		t.Error("kept for ever")
	}
	if _, err := os.Stat(keep.Log().File()); err == nil {
		t.Error("its file is still there")
	}
	if n := len(m.List("")); n != 5 {
		t.Errorf("%d jobs", n)
	}
}

func TestMemoryOfEndedJobsIsBounded(t *testing.T) {
	m := newManager(t, Config{})
	text := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB, just not too much for memory
	var jobs []*Job
	for range 40 {
		jobs = append(jobs, write(t, m, text, nil))
	}
	total := 0
	for _, j := range jobs {
		total += j.log.inMemory()
		if all(j) != text {
			t.Fatalf("%s lost its output", j.ID)
		}
	}
	if total > idle+2<<20 {
		t.Errorf("%d bytes in memory", total)
	}
}

func TestClosedManager(t *testing.T) {
	t.Parallel()
	m := New(Config{Dir: t.TempDir()})
	j, _ := m.Go(Spec{Title: "endless"}, func(ctx context.Context, out io.Writer) error { <-ctx.Done(); return nil })
	m.Close()
	if s := j.State(); s.Status != Killed {
		t.Errorf("%+v", s)
	}
	_, err := m.Go(Spec{}, nil)
	if e := tools.AsError(err); e.Code != tools.Cancelled {
		t.Errorf("%v", err)
	}
	m.Close()
}

func TestLogFileThatCannotBeMade(t *testing.T) {
	t.Parallel()
	m := New(Config{Dir: filepath.Join(t.TempDir(), "missing"), Memory: 1000})
	defer m.Close()
	j := write(t, m, strings.Repeat("a", 600)+strings.Repeat("b", 2000)+strings.Repeat("c", 500), nil)
	log := j.Log()
	if log.File() != "" || log.Len() != 3100 {
		t.Errorf("file %q, %d", log.File(), log.Len())
	}
	b, dropped := log.Slice(0, 3100)
	if want := strings.Repeat("a", 500) + strings.Repeat("c", 500); string(b) != want || dropped != 2100 {
		t.Errorf("%d bytes, %d dropped", len(b), dropped)
	}
}

// TestLog writes a stream in pieces of many sizes and compares what is kept with the stream.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                string
		memory              int
		limit               int64
		pieces              []int
		total, head, tailed int
	}{
		{"in memory", 1000, 5000, []int{1, 10, 100}, 990, 990, 990},
		{"exactly full", 1000, 5000, []int{100}, 1000, 1000, 1000},
		{"in the file", 1000, 5000, []int{7, 300}, 4900, 4900, 500},
		{"beyond the file", 1000, 5000, []int{7, 300, 1}, 20_000, 5000, 500},
		{"pieces beyond the ring", 1000, 5000, []int{1700, 3}, 20_000, 5000, 500},
		{"one piece", 1000, 5000, []int{100_000}, 100_000, 5000, 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := newManager(t, Config{Memory: tc.memory, File: tc.limit})
			stream := make([]byte, tc.total)
			for i := range stream {
				stream[i] = byte(i>>8) ^ byte(i*31)
			}
			check := func(when string, log *Log) {
				t.Helper()
				if int(log.Len()) != tc.total || int(log.Bytes()) != tc.total {
					t.Errorf("%s: %d of %d bytes", when, log.Len(), tc.total)
				}
				if b, dropped := log.Slice(0, int64(tc.head)); !bytes.Equal(b, stream[:tc.head]) || dropped != 0 {
					t.Errorf("%s: the head is not that of the stream, %d dropped", when, dropped)
				}
				if b, _ := log.Slice(int64(tc.total-tc.tailed), 1<<40); !bytes.Equal(b, stream[tc.total-tc.tailed:]) {
					t.Errorf("%s: the tail is not that of the stream", when)
				}
				for _, at := range []int{0, 1, tc.head - 1, tc.total - tc.tailed, tc.total - 3} {
					if b, _ := log.Slice(int64(at), int64(at+2)); at+2 <= tc.head && !bytes.Equal(b, stream[at:at+2]) {
						t.Errorf("%s: two bytes at %d", when, at)
					}
				}
				gap := max(0, tc.total-tc.head-tc.tailed)
				if b, dropped := log.Slice(0, int64(tc.total)); int(dropped) != gap || len(b) != tc.total-gap {
					t.Errorf("%s: %d bytes, %d dropped, want %d", when, len(b), dropped, gap)
				}
			}
			j, err := m.Go(Spec{Title: "stream"}, func(_ context.Context, out io.Writer) error {
				for rest, i := stream, 0; len(rest) > 0; i++ {
					n := min(len(rest), tc.pieces[i%len(tc.pieces)])
					out.Write(rest[:n])
					rest = rest[n:]
				}
				check("while it runs", out.(*Log))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			<-j.Done()
			check("afterwards", j.Log())
		})
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	m := newManager(t, Config{})
	go1, go2 := make(chan struct{}), make(chan struct{})
	j, _ := m.Go(Spec{}, func(_ context.Context, out io.Writer) error {
		<-go1
		fmt.Fprint(out, "a")
		<-go2
		return nil
	})
	c := j.Log().Changed(0)
	select {
	case <-c:
		t.Fatal("changed before anything came")
	default:
	}
	close(go1)
	<-c
	<-j.Log().Changed(0)
	c = j.Log().Changed(1)
	close(go2)
	<-c // the end is a change too
	<-j.Done()
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	secrets := []string{"hk-abcdefgh", "hk-abcdefghijk", "short"}
	mark := string(mark([]byte(secrets[0])))
	for _, tc := range []struct{ name, in, want string }{
		{"none", "nothing here, short stays", "nothing here, short stays"},
		{"one", "a hk-abcdefgh b", "a " + mark + " b"},
		{"the longer one", "a hk-abcdefghijk b", "a " + mark + " b"},
		{"several", "hk-abcdefghhk-abcdefgh hk-abcdefgh", mark + mark + " " + mark},
		{"the shorter, then its end", "hk-abcdefghij", mark + "ij"},
		{"almost", "hk-abcdefg hk-abcdef", "hk-abcdefg hk-abcdef"},
		{"start within start", "hk-abchk-abcdefgh", "hk-abc" + mark},
		{"at the end", "x hk-abcd", "x hk-abcd"},
	} {
		for size := 1; size <= len(tc.in); size++ {
			var got bytes.Buffer
			r := redactor{secrets: func() []string { return secrets }}
			emit := func(b []byte) { got.Write(b) }
			for rest := tc.in; rest != ""; {
				n := min(size, len(rest))
				r.pass([]byte(rest[:n]), false, emit)
				rest = rest[n:]
			}
			r.pass(nil, true, emit)
			if want := tc.want; got.String() != want {
				t.Errorf("%s in pieces of %d: %q, want %q", tc.name, size, got.String(), want)
			}
			if strings.Contains(got.String(), secrets[0]) {
				t.Errorf("%s in pieces of %d: the secret is there", tc.name, size)
			}
		}
	}
}

// TestRedactionAfterALook: a reader that looks in between sees a few bytes of what may be a secret, never it.
func TestRedactionAfterALook(t *testing.T) {
	t.Parallel()
	secret := "hk-abcdefghijkl"
	for cut := 1; cut < len(secret); cut++ {
		m := newManager(t, Config{Secrets: func() []string { return []string{secret} }})
		j, _ := m.Go(Spec{}, func(_ context.Context, out io.Writer) error {
			io.WriteString(out, "> "+secret[:cut])
			n := out.(*Log).Len()
			if cut < minSecret && n != int64(2+cut) || cut >= minSecret && n != 2 {
				t.Errorf("cut at %d: %d bytes are seen", cut, n)
			}
			io.WriteString(out, secret[cut:]+" end")
			return nil
		})
		<-j.Done()
		if s := all(j); strings.Contains(s, secret[cut:]) || !strings.HasSuffix(s, "] end") {
			t.Errorf("cut at %d: %q", cut, s)
		}
	}
}

func FuzzRedaction(f *testing.F) {
	f.Add("a secret-secret b", "secret-secret", uint8(3), true)
	f.Add("aaaaaaaaaaaaaaaab", "aaaaaaaaa", uint8(1), false)
	f.Fuzz(func(t *testing.T, text, secret string, size uint8, look bool) {
		if size == 0 || len(secret) < minSecret || strings.Contains(secret, "[") || strings.Contains(tools.Redact(secret, []string{secret}), secret) {
			return
		}
		var got bytes.Buffer
		r := redactor{secrets: func() []string { return []string{secret} }}
		emit := func(b []byte) { got.Write(b) }
		for rest := text; rest != ""; {
			n := min(int(size), len(rest))
			r.pass([]byte(rest[:n]), false, emit)
			if rest = rest[n:]; look {
				r.release(emit)
			}
		}
		r.pass(nil, true, emit)
		if want := tools.Redact(text, []string{secret}); !look && got.String() != want {
			t.Errorf("%q, want %q", got.String(), want)
		}
		if !strings.Contains(text, secret) && got.String() != text {
			t.Errorf("%q became %q", text, got.String())
		}
	})
}

// TestOwnersDoNotSeeEachOther: a session neither lists, reads nor ends another's jobs, and its own end with it.
func TestOwnersDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	m := New(Config{Dir: t.TempDir()})
	t.Cleanup(m.Close)
	hang := func(ctx context.Context, _ io.Writer) error { <-ctx.Done(); return ctx.Err() }
	a, err := m.Go(Spec{Owner: "a"}, hang)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Go(Spec{Owner: "b"}, hang)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Get("a", b.ID); err == nil || strings.Contains(err.Error(), b.ID+",") {
		t.Errorf("a finds b's job: %v", err)
	}
	if list := m.List("a"); len(list) != 1 || list[0] != a {
		t.Errorf("a lists %v", list)
	}
	m.EndOwner("a")
	select {
	case <-a.Done():
	default:
		t.Error("a's job goes on without a")
	}
	if b.State().Status != Running {
		t.Errorf("b's job is %v", b.State().Status)
	}
}

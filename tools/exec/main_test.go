package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

func TestMain(m *testing.M) {
	if launch.Main(os.Args) {
		return
	}
	os.Exit(m.Run())
}

const secret = "hk-0123456789abcdef"

// rig is the tool with all that it needs, in a folder of its own.
type rig struct {
	t     testing.TB
	dir   string
	tool  *tools.Tool
	jobs  *job.Manager
	roots *sandbox.Roots
	env   []string
}

type rigConfig struct {
	job       job.Config
	mode      launch.Mode
	mechanism launch.Mechanism
	shell     string
	env       []string
}

func newRig(t testing.TB, cfg rigConfig) *rig {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("these tests run sh")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	roots, err := sandbox.Open(sandbox.Config{Dirs: []string{dir}, Temp: tmp, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	l := launch.New(launch.Config{Writable: []string{dir}, TempDir: tmp, Confine: cfg.mode, Mechanism: cfg.mechanism, Log: func(s string) { t.Log(s) }})
	cfg.job.Launcher = l
	cfg.job.Dir = t.TempDir()
	if cfg.job.Secrets == nil {
		cfg.job.Secrets = func() []string { return []string{secret} }
	}
	path := launch.NewPath(launch.PathConfig{Env: os.Environ(), Roots: []string{dir}, NoLoginShell: true})
	env, _ := launch.Environ(launch.EnvConfig{Base: append(os.Environ(), cfg.env...), Secrets: []string{secret}, Path: path.String(), TempDir: tmp})
	r := &rig{t: t, dir: dir, jobs: job.New(cfg.job), roots: roots, env: env}
	r.tool = New(Config{Jobs: r.jobs, Env: func() []string { return env }, Look: path.Look, Shell: cfg.shell, Confined: func() bool { return cfg.mode != launch.Off }})
	t.Cleanup(func() {
		r.jobs.Close()
		if err := l.Close(); err != nil {
			t.Errorf("closing the launcher: %v", err)
		}
	})
	return r
}

// reply is an answer as a client sees it.
type reply struct {
	*tools.Output
	data data
	code tools.Code
	msg  string
}

func (r *rig) callCtx(ctx context.Context, args any) reply {
	r.t.Helper()
	text, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			r.t.Fatal(err)
		}
		text = string(b)
	}
	out := tools.Invoke(ctx, r.tool, r.roots, nil, own(text))
	rep := reply{Output: out}
	b, err := json.Marshal(out.Envelope.Data)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := json.Unmarshal(b, &rep.data); err != nil {
		r.t.Fatalf("data %s: %v", b, err)
	}
	if e := out.Envelope.Error; e != nil {
		rep.code, rep.msg = e.Code, e.Message
	}
	if out.Envelope.OK != (rep.code == "") {
		r.t.Errorf("ok is %t with error %q", out.Envelope.OK, rep.code)
	}
	return rep
}

type m = map[string]any

func (r *rig) call(args any) reply { r.t.Helper(); return r.callCtx(context.Background(), args) }

// run runs a command line.
func (r *rig) run(line string) reply { r.t.Helper(); return r.call(m{"command": line}) }

// exit is the exit code of a reply, -1 when it has none.
func (r reply) exit() int {
	if r.data.ExitCode == nil {
		return -1
	}
	return *r.data.ExitCode
}

func (r reply) warnings() string { return strings.Join(r.Envelope.Meta.Warnings, "\n") }

// busy is what a machine with other work may add to a time.
const busy = 15 * time.Second

// within fails the test when f takes longer than limit, and what a busy machine adds.
func within(t testing.TB, limit time.Duration, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > limit+busy {
		t.Errorf("%s took %v, at most %v", what, took, limit)
	}
}

// own makes the odd times that mark processes, such as 470.5, this test run's: others may run at the same time.
func own(text string) string {
	return oddTime.ReplaceAllString(text, fmt.Sprint("${1}.", os.Getpid(), "5"))
}

var oddTime = regexp.MustCompile(`\b(\d\d\d?)\.5\b`)

// gone waits until no process has the word in its command line, at most limit and what a busy machine adds.
func gone(t testing.TB, word string, limit time.Duration) {
	t.Helper()
	word = own(word)
	deadline := time.Now().Add(limit + busy)
	for {
		left := processes(t, word)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("still there after %v: %v", limit, left)
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}

// processes lists the processes of the machine that have word as a whole argument.
func processes(t testing.TB, word string) []string {
	t.Helper()
	out, err := osexec.Command("ps", "-axww", "-o", "pid=,stat=,args=").Output()
	if err != nil {
		t.Skip("ps is missing")
	}
	re := regexp.MustCompile(`(^|\s)` + regexp.QuoteMeta(word) + `(\s|$)`)
	var found []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && !strings.HasPrefix(f[1], "Z") && re.MatchString(line) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func need(t testing.TB, program string) {
	t.Helper()
	if _, err := osexec.LookPath(program); err != nil {
		t.Skipf("%s is missing", program)
	}
}

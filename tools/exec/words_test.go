package exec

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestOtherWords: what callers say in other words than ours means the same.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{env: []string{"PYTHONUNBUFFERED="}})
	if err := os.Mkdir(filepath.Join(r.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"command":"printf","args":["%s|","a b","$HOME",7]}`:         "a b|$HOME|7|",
		`{"command":"printf %s|","arguments":"a"}`:                    "error", // not words alone
		`{"command":"printf","args":"'%s|' 'a b'"}`:                   "a b|",
		`{"command":"printf","args":"[\"%s|\",\"a\"]"}`:               "a|",
		`{"command":["printf","%s|"],"args":["a",1]}`:                 "a|1|",
		`{"command":"echo a; printf","args":["x"]}`:                   "error",
		`{"command":"echo a","args":{"x":1}}`:                         "error",
		`{"command":"echo a","args":[]}`:                              "a\n",
		`{"args":["a"]}`:                                              "error",
		`{"command":"pwd","directory":"sub"}`:                         filepath.Join(r.dir, "sub") + "\n",
		`{"command":"cat","input":"abc"}`:                             "abc",
		`{"command":"cat","content":5}`:                               "5",
		`{"command":"cat","stdin":12}`:                                "12",
		`{"command":["cat","-"],"stdin":true}`:                        "true",
		`{"command":"sleep 20","timeout_seconds":0.2}`:                "error",
		`{"command":"sleep 20","timeout_secs":"0.2"}`:                 "error",
		`{"command":"sleep 20","timeout_ms":200}`:                     "error",
		`{"command":"echo a","timeout":"5 seconds"}`:                  "a\n",
		`{"command":"echo a","timeout":"1 Minute"}`:                   "a\n",
		`{"command":"echo a","timeout":"100ms later"}`:                "error",
		`{"command":"echo a","shell":true}`:                           "a\n",
		`{"action":"bash","command":"echo a"}`:                        "a\n",
		`{"action":"execute","command":"echo a"}`:                     "a\n",
		`{"command":"if true; then\r\necho c\r\nfi\r\n"}`:             "c\n",
		`{"command":"cat <<'E'\r\nx\r\nE\r\necho d\r\n"}`:             "x\nd\n",
		`{"command":"printf 'a\r\nb' |\nod -c | grep -c '[\\]r'"}`:    "1\n", // not the way of all its lines
		`{"command":"printf '%s' \"$PYTHONUNBUFFERED\""}`:             "",
		`{"command":"printf '%s' \"$X\"","env":{"X":1},"wait":true}`:  "1",
		`{"command":"sleep 20","timeout":"150","description":"none"}`: "error",
		`{"command":"echo $A.$B","environment":{"A":"x y","B":2}}`:    "x y.2\n",
		`{"command":"echo $A.$B","env_vars":["A=x y","B=1=2"]}`:       "x y.1=2\n",
		`{"command":"echo $A.$B","env":"A=x B=2"}`:                    "x.2\n",
		`{"command":"echo $A.$B","vars":"A=x y\nB=2\n"}`:              "x y.2\n",
		`{"command":"echo $A.$B","env":"A=x y"}`:                      "error", // one value, or two variables?
		`{"command":"echo $A.$B","env":"A='x' B=2"}`:                  "error",
		`{"command":"echo $A.$B","env":["A"]}`:                        "error",
		`{"command":"pwd","chdir":"sub"}`:                             filepath.Join(r.dir, "sub") + "\n",
		`{"command":"pwd","project":"sub"}`:                           filepath.Join(r.dir, "sub") + "\n",
		`{"command":"pwd","workDirectory":"sub"}`:                     filepath.Join(r.dir, "sub") + "\n",
		`{"command":"pwd","location":"eu-west"}`:                      "error",
		`{"command":"sleep 20","timeoutMillis":200}`:                  "error",
		`{"command":"sleep 20","max_timeout":"0.2s"}`:                 "error",
		`{"command":"echo a","background":"no","pty":0}`:              "a\n",
		`{"command":"echo a","name":"Say a","title":"x","reason":1}`:  "a\n",
		`{"command":"echo a","description":"x","justification":"y"}`:  "a\n",
		`{"command":"echo a","host":"localhost","user":"","sudo":0}`:  "a\n",
		`{"command":"echo a","network":true,"confirm":"true"}`:        "a\n",
		`{"command":"echo a","language":"bash"}`:                      "a\n",
		`{"command":"echo a","shell":"sh -e"}`:                        "error",
		`{"action":"shell_exec","command":"echo a"}`:                  "a\n",
		`{"action":"run_script","script":"echo a"}`:                   "a\n",
	} {
		rep := r.call(args)
		got := rep.Text
		if rep.code != "" {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q (%s), not %q", args, got, rep.msg, want)
		}
		if strings.Contains(rep.warnings(), "ignored") {
			t.Errorf("%s: %s", args, rep.warnings())
		}
		if strings.Contains(rep.warnings(), "milliseconds") != strings.Contains(args, `"150"`) {
			t.Errorf("%s: %s", args, rep.warnings())
		}
	}
	for _, args := range []string{`"is_background":true`, `"blocking":false`, `"wait":"false"`, `"background":"yes"`, `"detached":1`, `"runAsync":true`, `"block_until_ms":0`, `"yield_time_ms":100`, `"action":"run_background"`} {
		within(t, 5*time.Second, args, func() {
			rep := r.call(`{"command":"sleep 471.5",` + args + `}`)
			if rep.data.Status != "running" {
				t.Errorf("%s: %+v %s", args, rep.data, rep.msg)
			}
			if rep = r.call(m{"action": "force_terminate", "pid": rep.data.ProcID}); rep.data.Status != "killed" {
				t.Errorf("%s: %+v %s", args, rep.data, rep.msg)
			}
		})
	}
	gone(t, "471.5", 2*time.Second)
}

// TestRefusedWords: what would run elsewhere, otherwise or not at all is not run as if nothing had been said.
func TestRefusedWords(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, word := range []string{`"host":"server1"`, `"container":"web"`, `"user":"nobody"`, `"sudo":true`, `"network":false`, `"explainOnly":true`,
		`"requires_approval":true`, `"confirm":false`, `"confirm":"no"`, `"language":"python"`, `"code":"x"`, `"commands":["a"]`, `"dry_run":true`, `"timeout_ms":5000,"timeout":5`, `"timeout_seconds":5,"timeout_ms":200`} {
		name, _, _ := strings.Cut(strings.Trim(word, `"`), `"`)
		rep := r.call(`{"command":"touch made",` + word + `}`)
		if rep.code != tools.InvalidParams || !strings.Contains(strings.ReplaceAll(rep.msg, "_", ""), strings.ReplaceAll(strings.ToLower(name), "_", "")) {
			t.Errorf("%s: %s %s", word, rep.code, rep.msg)
		}
	}
	for _, args := range []string{`{"commands":["touch made"]}`, `{"code":"print(1)","language":"python"}`} {
		if rep := r.call(args); rep.code != tools.InvalidParams || rep.Text != "" {
			t.Errorf("%s: %s %q", args, rep.code, rep.Text)
		}
	}
	if _, err := os.Stat(filepath.Join(r.dir, "made")); err == nil {
		t.Error("it ran all the same")
	}
	if rep := r.call(`{"command":"echo a","timeout_ms":5000,"timeout":"5 s"}`); rep.Text != "a\n" || rep.warnings() != "" {
		t.Errorf("%q %s %s", rep.Text, rep.msg, rep.warnings())
	}
}

// TestArraysThatWereMeantForAShell are told apart from programs that are missing.
func TestArraysThatWereMeantForAShell(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	if err := os.WriteFile(filepath.Join(r.dir, "bare"), []byte("echo a\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"command":["ls -la"]}`:                    "as one string",
		`{"command":["echo a","&&","echo b"]}`:      "as one string",
		`{"command":["nosuchcmd","a"]}`:             "command not found",
		`{"command":["./bare"]}`:                    "first line",
		`{"command":"echo a","shell":"/bin/sh -e"}`: "program alone",
	} {
		if rep := r.call(args); rep.code == "" || !strings.Contains(rep.msg, want) {
			t.Errorf("%s: %s %s", args, rep.code, rep.msg)
		}
	}
	if rep := r.call(`{"command":["echo","a","&&","echo","b"]}`); rep.Text != "a && echo b\n" || !strings.Contains(rep.warnings(), "&& was an argument") {
		t.Errorf("%q %s", rep.Text, rep.warnings())
	}
}

// TestWordsOfOtherServers for what is asked of a process.
func TestWordsOfOtherServers(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.call(`{"command":"seq 1 3; read x; echo got $x; exec sleep 476.5","background":true,"name":"web","until":"^3$","timeout":"20s"}`) // what is new from then on is known
	if rep.data.ProcID != "web" {
		t.Fatalf("%+v %s", rep.data, rep.msg)
	}
	for _, one := range []struct{ args, want string }{
		{`{"action":"wait","shell_id":"web","until":["never","^3$"],"timeout":"20s"}`, ""},
		{`{"action":"tail","bash_id":"web","lines":1}`, "3\n"},
		{`{"action":"bash_output","bash_id":"web"}`, ""},
		{`{"action":"read","task_id":"web"}`, "1\n2\n3\n"},
		{`{"action":"logs","name":"web","filter":"^[13]$"}`, "1\n3\n"},
		{`{"action":"logs","name":"web","offset":2,"grep":"("}`, ""},
		{`{"action":"send_input","name":"web","input":"it","until":"got it","timeout":"20s"}`, "got it\n"},
		{`{"action":"poll","name":"web"}`, ""},
	} {
		rep := r.call(one.args)
		if rep.code != "" || strings.HasPrefix(rep.Text, "1") != strings.HasPrefix(one.want, "1") || !strings.HasSuffix(rep.Text, one.want) || strings.Contains(rep.warnings(), "ignored") {
			t.Errorf("%s: %q %s %s", one.args, rep.Text, rep.msg, rep.warnings())
		}
	}
	rep = r.call(`{"action":"wait","proc_id":"web","until":"/GOT/i","timeout":0}`)
	if rep.data.Matched != nil || !strings.Contains(rep.warnings(), "slashes") {
		t.Errorf("%+v %s", rep.data, rep.warnings())
	}
	if rep := r.call(`{"action":"jobs"}`); rep.code != "" {
		t.Error(rep.msg)
	}
	if rep := r.call(`{"action":"kill_shell","shell_id":"web"}`); rep.data.Status != "killed" {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	gone(t, "476.5", 2*time.Second)
}

// TestPIDFindsItsProcess: answers tell the process id too.
func TestPIDFindsItsProcess(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.call(m{"command": "echo up; sleep 472.5", "background": true})
	if rep = r.call(m{"action": "read_output", "pid": rep.data.PID, "limit": 1}); rep.Text != "up\n" {
		t.Errorf("%q %s", rep.Text, rep.msg)
	}
	if rep := r.call(m{"action": "kill", "proc_id": 1 << 22}); rep.code != tools.NotFound {
		t.Errorf("%+v", rep.data)
	}
	if rep := r.call(m{"action": "kill", "proc_id": fmt.Sprint(rep.data.PID)}); rep.data.Status != "killed" {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	gone(t, "472.5", 2*time.Second)
}

// TestPythonInTheBackgroundIsSeen: it writes by the block into a pipe, unless told otherwise.
func TestPythonInTheBackgroundIsSeen(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	r := newRig(t, rigConfig{env: []string{"PYTHONUNBUFFERED="}})
	line := `python3 -c 'import time; print("serving"); time.sleep(473.5)'`
	rep := r.call(m{"command": line, "background": true})
	if rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID, "until": "^serving$", "timeout": "20s"}); rep.data.Matched == nil {
		t.Errorf("%q %s", rep.Text, rep.warnings())
	}
	r.call(m{"action": "kill", "proc_id": rep.data.ProcID})
	for given, want := range map[string]string{"": "1", "0": "0"} {
		args := m{"command": "printenv PYTHONUNBUFFERED", "background": true}
		if given != "" {
			args["env"] = m{"PYTHONUNBUFFERED": given}
		}
		rep := r.call(args)
		if rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID, "timeout": "10s"}); rep.exit() != 0 {
			t.Fatalf("%+v %s", rep.data, rep.msg)
		}
		if rep = r.call(m{"action": "logs", "proc_id": rep.data.ProcID}); strings.TrimSpace(rep.Text) != want {
			t.Errorf("%q: %q", given, rep.Text)
		}
	}
}

// TestTimeoutOfNothingIsALook: 0 is what one writes to ask without waiting.
func TestTimeoutOfNothingIsALook(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background("echo up; exec cat")
	r.call(m{"action": "wait", "proc_id": id, "until": "up", "timeout": "20s"})
	for _, args := range []m{{"action": "wait"}, {"action": "wait", "until": "never"}, {"action": "write", "text": "x", "until": "never"}} {
		for _, zero := range []any{0, "0", "0s"} {
			args["proc_id"], args["timeout"] = id, zero
			within(t, 2*time.Second, fmt.Sprint(args), func() {
				if rep := r.call(args); rep.code != "" || !*rep.data.Running {
					t.Errorf("%v: %s", args, rep.msg)
				}
			})
		}
	}
	r.call(m{"action": "kill", "proc_id": id})
}

// TestStartAndWaitInOneCall: until makes exec answer when the pattern is there, and the command goes on.
func TestStartAndWaitInOneCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	within(t, 15*time.Second, "start", func() {
		rep := r.call(m{"command": "sleep 0.3; echo listening on 3000; sleep 474.5", "until": `on \d+`, "timeout": "30s"})
		if rep.code != "" || rep.data.Matched == nil || *rep.data.Matched != "on 3000" || !*rep.data.Running || !strings.Contains(rep.Text, "listening") {
			t.Errorf("%+v %q %s", rep.data, rep.Text, rep.msg)
		}
		if rep := r.call(m{"action": "kill", "proc_id": rep.data.ProcID}); rep.data.Status != "killed" {
			t.Errorf("%+v", rep.data)
		}
	})
	gone(t, "474.5", 2*time.Second)
	rep := r.call(m{"command": "echo no; exit 3", "until": "yes"})
	if rep.exit() != 3 || rep.code != tools.ExitNonzero || rep.Text != "no\n" || !strings.Contains(rep.warnings(), "it has ended") {
		t.Errorf("%+v %q %s %s", rep.data, rep.Text, rep.code, rep.warnings())
	}
	rep = r.call(m{"command": "sleep 475.5", "until": "yes", "timeout": 300})
	if rep.code != "" || rep.data.Status != "running" || !strings.Contains(rep.warnings(), "nothing matched") {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	r.call(m{"action": "kill", "proc_id": rep.data.ProcID})
	if rep := r.call(m{"command": "touch made", "until": "("}); rep.code != tools.InvalidParams || strings.Contains(rep.msg, "(?m)") {
		t.Errorf("%s %s", rep.code, rep.msg)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "made")); err == nil {
		t.Error("it ran all the same")
	}
}

// TestOneWarningOfBytes that are not UTF-8, also of output that is cut in the middle.
func TestOneWarningOfBytes(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.call(m{"command": `i=0; while [ $i -lt 300 ]; do printf 'a\377b\n'; i=$((i+1)); done`, "max_chars": 100})
	if n := strings.Count(rep.warnings(), "UTF-8"); n != 1 || !rep.data.Truncated {
		t.Errorf("%d warnings, %+v", n, rep.data)
	}
}

// TestRewriteIsWhatHooksSee: the arguments of a command stand in it before anybody judges it.
func TestRewriteIsWhatHooksSee(t *testing.T) {
	t.Parallel()
	c, err := tools.Prepare(New(Config{}), json.RawMessage(`{"command":"rm","args":["-rf","x"],"timeout_seconds":5}`), &tools.Session{})
	if err != nil || string(c.Args.JSON()) != `{"timeout":"5s","command":["rm","-rf","x"]}` {
		t.Errorf("%s %v", c.Args.JSON(), err)
	}
}

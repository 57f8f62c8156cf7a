package git

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// remoteWorld has a bare repository "hub.git" inside the root, and a repository that has it as origin.
func remoteWorld(t *testing.T) *world {
	w := newRepo(t, withJobs(t))
	w.commit("one", "a", "1\n", ".gitignore", "/hub.git\n/other\n/c*\n")
	w.git("init", "-q", "--bare", "hub.git")
	w.git("remote", "add", "origin", "file://"+filepath.Join(w.dir, "hub.git"))
	return w
}

func TestPushFetchPullClone(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	d := data[netData](t, w.call("push", args{"set_upstream": true}))
	if d.Status != "completed" || len(d.Refs) != 1 || d.Refs[0].Status != "created" || d.Refs[0].Ref != "refs/heads/main" {
		t.Errorf("push: %+v", d)
	}
	if s := data[statusData](t, w.call("status", nil)); s.Upstream != "origin/main" || s.Ahead != 0 {
		t.Errorf("upstream: %+v", s)
	}
	c := data[madeData](t, w.call("clone", args{"url": "hub.git", "destination": "other"}))
	if c.Branch != "main" || c.Head == "" || !w.has("other/a") {
		t.Errorf("clone: %+v", c)
	}
	w.fails(tools.Conflict, "clone", args{"url": "hub.git", "destination": "other"})
	w.call("clone", args{"url": "file://" + w.dir + "/hub.git", "destination": "c1", "depth": 1, "branch": "main"})
	other := filepath.Join(w.dir, "other")
	w.file(other, "b", "b\n")
	w.gitIn(other, "add", ".")
	w.gitIn(other, "commit", "-qm", "two")
	w.call("push", args{"path": "other"})
	w.call("fetch", nil)
	if s := data[statusData](t, w.call("status", nil)); s.Behind != 1 {
		t.Errorf("after fetch: %+v", s)
	}
	w.call("pull", args{"mode": "ff_only"})
	if !w.has("b") {
		t.Error("pull brought nothing")
	}
	// Both sides move: refused without force, and force needs confirm.
	w.file(other, "three", "c\n")
	w.gitIn(other, "add", ".")
	w.gitIn(other, "commit", "-qm", "three")
	w.call("push", args{"path": "other"})
	w.commit("mine", "d", "d\n")
	out := w.fails(tools.Conflict, "push", nil)
	if d := data[netData](t, out); len(d.Refs) != 1 || d.Refs[0].Status != "rejected" {
		t.Errorf("rejected push: %+v", d)
	}
	w.fails(tools.ConfirmRequired, "push", args{"force": true})
	w.fails(tools.ConfirmRequired, "push", args{"name": "origin", "ref": "+main"})
	w.fails(tools.ConfirmRequired, "push", args{"name": "origin", "ref": ":main"})
	w.fails(tools.ConfirmRequired, "push", args{"name": "origin", "sub_action": "delete", "ref": "main"})
	w.fails(tools.Conflict, "push", args{"force": true, "confirm": true}) // the lease: we have not seen what is there
	w.call("fetch", nil)
	if d := data[netData](t, w.call("push", args{"force": true, "dry_run": true})); d.Refs[0].Status != "forced" {
		t.Errorf("dry run: %+v", d)
	}
	w.call("push", args{"name": "origin", "ref": "+main", "confirm": true})
	w.call("push", args{"name": "origin", "ref": "main:extra"})
	w.call("push", args{"name": "origin", "sub_action": "delete", "ref": "extra", "confirm": true})
	w.fails(tools.Conflict, "pull", args{"path": "other", "mode": "ff_only"})
	w.call("pull", args{"path": "other", "mode": "rebase"})
}

func TestForceHiddenInTheConfigNeedsConfirmToo(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	w.git("config", "remote.origin.push", "+refs/heads/*:refs/heads/*")
	w.fails(tools.ConfirmRequired, "push", args{"name": "origin"})
	w.git("config", "--unset", "remote.origin.push")
	w.git("config", "remote.origin.mirror", "true")
	w.fails(tools.PermissionDenied, "push", args{"name": "origin"})
}

func TestRemoteHelpersAndForeignPathsAreRefused(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	w.gitIn(w.out, "init", "-q", "--bare", "r.git")
	pwn := filepath.Join(w.dir, "pwn")
	for name, config := range map[string][2]string{
		"ext":       {"remote.origin.url", "ext::sh -c 'touch " + pwn + "'"},
		"outside":   {"remote.origin.url", w.out + "/r.git"},
		"file":      {"remote.origin.url", "file://" + w.out + "/r.git"},
		"relative":  {"remote.origin.url", "../../o/r.git"},
		"insteadOf": {"url.ext::sh -c touch%20" + pwn + " #.insteadOf", "file://"},
		"pushurl":   {"remote.origin.pushurl", w.out + "/r.git"},
		"vcs":       {"remote.origin.vcs", "sh"},
		"dash":      {"remote.origin.url", "-oProxyCommand=x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(w.dir, "c-"+name)
			w.git("init", "-q", dir)
			w.gitIn(dir, "remote", "add", "origin", "file://"+w.dir+"/hub.git")
			w.gitIn(dir, "config", "protocol.ext.allow", "always")
			w.gitIn(dir, "config", config[0], config[1])
			for _, action := range []string{"fetch", "push", "pull"} {
				out := w.try(action, args{"path": dir, "ref": "main"})
				if out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied && out.Envelope.Error.Code != tools.InvalidParams {
					t.Errorf("%s: %+v", action, out.Envelope.Error)
				}
			}
		})
	}
	for _, url := range []string{"ext::sh -c 'touch pwn'", "--upload-pack=touch pwn", "-x"} {
		w.fails(tools.InvalidParams, "clone", args{"url": url, "destination": "cx"})
		w.fails(tools.InvalidParams, "fetch", args{"name": url})
	}
	w.fails(tools.PermissionDenied, "clone", args{"url": w.out + "/r.git", "destination": "cx"})
	w.fails(tools.PermissionDenied, "clone", args{"url": "hub.git", "destination": "../o/c"})
	w.fails(tools.PermissionDenied, "init", args{"path": "../o/new"})
	if w.has("pwn") || w.has(filepath.Join(w.out, "c")) || w.has(filepath.Join(w.out, "new")) {
		t.Error("something was made or run")
	}
}

// TestPasswordIsNeverAskedForNorShown: W71, C176.
func TestPasswordIsNeverAskedForNorShown(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		rw.WriteHeader(401)
	}))
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	w.env = append(w.env, "EDITOR=vi", "GIT_ASKPASS=sleep", "SSH_ASKPASS=/bin/sleep", "DISPLAY=:1", "GIT_TERMINAL_PROMPT=1")
	for _, url := range []string{"http://" + host + "/x.git", "http://bob:hunter22@" + host + "/x.git"} {
		w.git("remote", "set-url", "origin", url)
		for _, action := range []string{"fetch", "push", "pull"} {
			start := time.Now()
			out := w.try(action, args{"ref": "main"})
			if out.Envelope.OK || time.Since(start) > 20*time.Second {
				t.Errorf("%s %s: ok %v after %v", action, url, out.Envelope.OK, time.Since(start))
			}
			if text := out.Text + out.Envelope.Error.Message + fmt.Sprint(out.Envelope.Data); strings.Contains(text, "hunter22") {
				t.Errorf("%s shows the password: %s", action, text)
			}
		}
	}
	if out := w.try("clone", args{"url": "http://bob:hunter22@" + host + "/x.git", "destination": "cx"}); out.Envelope.OK ||
		strings.Contains(out.Text+out.Envelope.Error.Message+fmt.Sprint(out.Envelope.Data), "hunter22") || w.has("cx") {
		t.Errorf("clone: %+v", out)
	}
}

func TestSSHAsksNothing(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	seen := filepath.Join(w.dir, "c-seen")
	w.script(w.out, "bin/ssh", `echo "$@" >`+seen+`; echo "require=$SSH_ASKPASS_REQUIRE askpass=$SSH_ASKPASS" >>`+seen+`; exit 255`)
	w.env = append(w.env, "PATH="+w.out+"/bin:"+os.Getenv("PATH"))
	w.git("remote", "set-url", "origin", "ssh://git@example.org/x.git")
	w.try("fetch", nil)
	b, err := os.ReadFile(seen)
	if err != nil || !strings.Contains(string(b), "BatchMode=yes") || !strings.Contains(string(b), "askpass=false") {
		t.Errorf("ssh was started as %q (%v)", b, err)
	}
	// A command that the repository's own config names does not see the keys; one that the user's names is used.
	mine := w.script(w.out, "mine", "echo mine >"+seen)
	evil := w.script(w.dir, ".git/evil", "touch "+filepath.Join(w.dir, "c-pwn"))
	w.git("config", "core.sshCommand", evil)
	out := w.try("fetch", nil)
	if w.has("c-pwn") || len(out.Envelope.Meta.Warnings) == 0 {
		t.Errorf("the repository's ssh command ran, or was left out silently: %q", out.Envelope.Meta.Warnings)
	}
	w.git("config", "--global", "core.sshCommand", mine)
	w.try("fetch", nil)
	if b, _ := os.ReadFile(seen); string(b) != "mine\n" {
		t.Errorf("the user's own ssh command was not used: %q", b)
	}
}

// TestSlowServerGoesOnAsAJob: W72; the call is answered, the work goes on.
func TestSlowServerGoesOnAsAJob(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()
	defer close(stop)
	w := remoteWorld(t)
	w.git("remote", "set-url", "origin", srv.URL+"/x.git")
	start := time.Now()
	out := w.fails(tools.Timeout, "fetch", args{"timeout": "300ms"})
	if time.Since(start) > 20*time.Second {
		t.Errorf("the timeout took %v: %v", time.Since(start), out.Envelope.Error)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan *tools.Output, 1)
	go func() { done <- tools.Invoke(ctx, w.tool, w.roots, nil, `{"action":"fetch"}`) }()
	cancel()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("a cancelled fetch is not answered")
	}
}

// TestInheritedGitVariables: C180.
func TestInheritedGitVariables(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.gitIn(w.out, "init", "-q", "repo")
	w.gitIn(w.out+"/repo", "commit", "-q", "--allow-empty", "-m", "theirs")
	theirs := w.gitIn(w.out+"/repo", "rev-parse", "HEAD")
	trap := w.script(w.out, "trap", "touch "+filepath.Join(w.dir, ".git/pwn"))
	w.commit("mine", "a", "1\n")
	clean := w.env
	w.env = append(clean, "GIT_DIR="+w.out+"/repo/.git", "GIT_WORK_TREE="+w.out, "GIT_INDEX_FILE="+w.out+"/index", "GIT_EXTERNAL_DIFF="+trap,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+trap, "GIT_OBJECT_DIRECTORY="+w.out, "GIT_NAMESPACE=x", "GIT_CEILING_DIRECTORIES="+w.dir)
	if l := data[logData](t, w.call("log", nil)); len(l.Commits) != 1 || l.Commits[0].Subject != "mine" {
		t.Errorf("log: %+v", l)
	}
	w.write("a", "2\n")
	w.call("diff", nil)
	w.call("add", args{"all": true})
	w.call("commit", args{"message": "second"})
	w.env = clean
	if got := w.gitIn(w.out+"/repo", "rev-parse", "HEAD"); got != theirs || w.has(".git/pwn") {
		t.Error("the other repository was touched, or a program of the environment ran")
	}
	if got := w.git("log", "--format=%s"); got != "second\nmine\n" {
		t.Errorf("log: %q", got)
	}
}

// TestPagersAndEditorsDoNotWait: C174.
func TestPagersAndEditorsDoNotWait(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.git("config", "--global", "core.pager", "sh -c 'sleep 600'")
	w.git("config", "--global", "core.editor", "sleep 600")
	w.git("config", "--global", "sequence.editor", "sleep 600")
	w.git("config", "--global", "commit.verbose", "true")
	w.env = append(w.env, "GIT_PAGER=sleep 600", "EDITOR=sleep", "PAGER=sleep 600", "GIT_EDITOR=sleep 600", "GIT_SEQUENCE_EDITOR=sleep 600")
	start := time.Now()
	w.write("a", "1\n")
	w.call("add", args{"all": true})
	w.fails(tools.InvalidParams, "commit", nil)
	w.fails(tools.InvalidParams, "commit", args{"message": " \n"})
	w.call("commit", args{"message": "one"})
	w.call("branch", args{"sub_action": "create", "name": "side"})
	w.call("commit", args{"message": "two", "allow_empty": true})
	w.call("commit", args{"amend": true, "allow_empty": true})
	w.call("checkout", args{"ref": "side"})
	w.call("commit", args{"message": "three", "allow_empty": true})
	w.call("merge", args{"ref": "main", "mode": "no-ff"})
	w.call("merge", args{"ref": "main~1", "message": "given"})
	w.call("rebase", args{"ref": "main"})
	w.call("log", nil)
	w.call("diff", args{"ref": "main"})
	w.call("tag", args{"sub_action": "create", "name": "v", "message": "v"})
	w.call("config", nil)
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestSigningProgramThatWaits: C177.
func TestSigningProgramThatWaits(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	head := w.commit("one", "a", "1\n")
	// The program and what it starts hold a pipe open; its end tells that they are gone.
	pipe := filepath.Join(w.dir, ".git", "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v %s", err, out)
	}
	gone := make(chan string, 1)
	go func() {
		b, _ := os.ReadFile(pipe)
		gone <- string(b)
	}()
	prog := w.script(w.home, "gpg", "exec 9>"+pipe+"; echo started >&9; sleep 600")
	w.git("config", "--global", "commit.gpgSign", "true")
	w.git("config", "--global", "gpg.program", prog)
	w.write("a", "2\n")
	w.git("add", "a")
	w.fails(tools.Timeout, "commit", args{"message": "two", "timeout": "1s"})
	select {
	case said := <-gone:
		if said != "started\n" {
			t.Errorf("the signing program said %q", said)
		}
	case <-time.After(20 * time.Second):
		t.Error("the signing program, or its child, lives on")
	}
	if got := strings.TrimSpace(w.git("rev-parse", "HEAD")); got != head || w.has(".git/index.lock") {
		t.Errorf("HEAD %s (was %s), index.lock %v", got, head, w.has(".git/index.lock"))
	}
	w.git("config", "--global", "gpg.program", "/bin/false")
	if out := w.fails(tools.ExitNonzero, "commit", args{"message": "two"}); !strings.Contains(out.Envelope.Error.Message, "gpg failed to sign") {
		t.Errorf("git's words are missing: %s", out.Envelope.Error.Message)
	}
}

// TestLockAndOwner: C182.
func TestLockAndOwner(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.write("a", "1\n")
	w.write(".git/index.lock", "")
	out := w.fails(tools.Conflict, "add", args{"files": []string{"a"}})
	if !strings.Contains(out.Envelope.Error.Message, "index.lock") || !w.has(".git/index.lock") {
		t.Errorf("lock: %v", out.Envelope.Error)
	}
	w.call("status", nil)
	if err := os.Remove(filepath.Join(w.dir, ".git/index.lock")); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("needs root to give the repository to another user")
	}
	for _, name := range []string{".", ".git"} {
		if err := os.Chown(filepath.Join(w.dir, name), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.ReadFile(filepath.Join(w.home, ".gitconfig"))
	out = w.fails(tools.PermissionDenied, "status", nil)
	after, _ := os.ReadFile(filepath.Join(w.home, ".gitconfig"))
	if !strings.Contains(out.Envelope.Error.Message, "dubious ownership") || string(before) != string(after) {
		t.Errorf("owner: %v", out.Envelope.Error)
	}
}

// TestProgramsOfTheRepositoryNeverSeeTheKeys: what a repository names (hooks, filters, its gpg program) runs on a
// pull, if at all, under the confined policy; a network action or a signature takes the user's own programs only.
func TestProgramsOfTheRepositoryNeverSeeTheKeys(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]launch.Policy{}
	w := remoteWorld(t)
	cfg := Config{Launcher: shared, Look: exec.LookPath, Environ: func() []string { return w.env }}
	g := &git{cfg: cfg}
	run := launched(shared, exec.LookPath)
	g.run = func(ctx context.Context, s spec) (result, error) {
		mu.Lock()
		for _, a := range s.args {
			if a == "fetch" || a == "merge" || a == "rebase" || a == "pull" || a == "push" || a == "commit" {
				seen[a] = s.policy
				break
			}
		}
		mu.Unlock()
		return run(ctx, s)
	}
	w.tool = g.tool()
	w.call("push", args{"set_upstream": true})
	w.git("clone", "-q", "hub.git", "other")
	other := filepath.Join(w.dir, "other")
	advance := func(name string) {
		w.gitIn(other, "pull", "-q", "--no-edit")
		w.file(other, name, name)
		w.gitIn(other, "add", ".")
		w.gitIn(other, "commit", "-qm", name)
		w.gitIn(other, "push", "-q")
	}
	advance("x1")
	w.call("pull", nil)
	if seen["fetch"] != launch.Repository || seen["merge"] != launch.Confined || !w.has("x1") {
		t.Errorf("a plain pull from a folder: %v", seen)
	}
	clear(seen)
	w.git("remote", "add", "host", "http://127.0.0.1:1/x")
	w.try("pull", args{"name": "host", "ref": "main"})
	if p, ok := seen["fetch"]; !ok || p != launch.Credentialed {
		t.Errorf("a plain pull from a host: %v", seen)
	}
	clear(seen)
	advance("x2")
	ran := filepath.Join(w.dir, ".git", "ran")
	w.script(w.dir, ".git/hooks/post-merge", "touch "+ran)
	w.call("pull", nil)
	if seen["fetch"] != launch.Repository || seen["merge"] != launch.Confined || !w.has(".git/ran") || !w.has("x2") || len(seen) != 2 {
		t.Errorf("a pull with a hook: %v, hook ran %v", seen, w.has(".git/ran"))
	}
	clear(seen)
	w.try("pull", args{"name": "host", "ref": "main"})
	if p, ok := seen["fetch"]; !ok || p != launch.Credentialed {
		t.Errorf("a pull with a hook from a host: %v", seen)
	}
	clear(seen)
	advance("x3")
	w.commit("mine", "m", "m")
	w.fails(tools.Conflict, "pull", nil)
	w.call("pull", args{"mode": "rebase"})
	if seen["rebase"] != launch.Confined || !w.has("x3") {
		t.Errorf("a rebasing pull with a hook: %v", seen)
	}
	// The repository's own gpg program gets nothing to sign, and a commit that is signed runs as any other.
	pwn := w.script(w.dir, ".git/gpg", "touch "+filepath.Join(w.dir, ".git", "pwn")+"; exit 1")
	w.git("config", "--global", "gpg.program", "/bin/false")
	w.git("config", "gpg.program", pwn)
	w.git("config", "commit.gpgSign", "true")
	out := w.try("commit", args{"message": "m", "allow_empty": true})
	if out.Envelope.OK || w.has(".git/pwn") || len(out.Envelope.Meta.Warnings) == 0 || seen["commit"] != launch.Confined {
		t.Errorf("a signed commit: %+v, %v", out.Envelope, seen)
	}
}

// TestUntrackedFilesAreLossesToo: what an older commit has where an untracked or ignored file stands now.
func TestUntrackedFilesAreLossesToo(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	first := w.commit("one", ".env", "old\n", "a", "1\n")
	w.git("rm", "-q", ".env")
	w.commit("two", ".gitignore", ".env\n")
	w.write(".env", "precious\n")
	for _, c := range []struct {
		action string
		args   args
	}{
		{"checkout", args{"ref": first, "files": []string{".env"}}}, {"restore", args{"ref": first, "files": []string{".env"}}},
		{"restore", args{"ref": first, "all": true}}, {"checkout", args{"ref": first, "force": true}}, {"reset", args{"ref": first, "mode": "hard"}},
	} {
		out := w.fails(tools.ConfirmRequired, c.action, c.args)
		if !strings.Contains(out.Envelope.Error.Message, ".env") {
			t.Errorf("%s %v: %s", c.action, c.args, out.Envelope.Error.Message)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(w.dir, ".env")); string(b) != "precious\n" {
		t.Errorf("the file is %q", b)
	}
}

// TestLongFetchIsAnsweredWithItsJob: a call is answered in time, and its work goes on under proc_id.
func TestLongFetchIsAnsweredWithItsJob(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		rw.WriteHeader(404)
	}))
	defer srv.Close()
	jobs := job.New(job.Config{Launcher: shared, Dir: scratch, Foreground: 200 * time.Millisecond})
	t.Cleanup(jobs.Close)
	w := newRepo(t, func(c *Config) { c.Jobs = jobs })
	w.git("remote", "add", "origin", strings.Replace(srv.URL, "://", "://bob:hunter22@", 1)+"/x.git")
	d := data[netData](t, w.call("fetch", nil))
	if d.Status != "running" || d.ProcID == "" {
		t.Fatalf("fetch: %+v", d)
	}
	j, err := jobs.Get("test", d.ProcID)
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	if ended, err := j.Wait(t.Context(), 20*time.Second, nil); err != nil || !ended {
		t.Fatalf("the job did not end: %v %v", ended, err)
	}
	out, _ := j.Log().Slice(0, j.Log().Len())
	if s := j.State(); s.Status != job.Failed || !strings.Contains(string(out), "not found") || strings.Contains(string(out)+j.Title, "hunter22") {
		t.Errorf("job %q: %+v, log %q", j.Title, s, out)
	}
}

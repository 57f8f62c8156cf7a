//go:build unix

package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// signingWorld is a repository whose user signs with an ssh key that confined children do not see, under the limits
// of a server. What its spies see they write to the file seen.
func signingWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is missing")
	}
	w := newRepo(t)
	w.file(w.home, ".ssh/config", "")
	key := filepath.Join(w.home, ".ssh", "id")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", key).CombinedOutput(); err != nil {
		t.Skipf("ssh-keygen: %v %s", err, out)
	}
	pub, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	w.file(w.home, "signers", "ann@example.org "+string(pub))
	for _, kv := range [][2]string{{"gpg.format", "ssh"}, {"user.signingKey", "~/.ssh/id"}, {"gpg.ssh.allowedSignersFile", filepath.Join(w.home, "signers")}} {
		w.git("config", "--global", kv[0], kv[1])
	}
	l := launch.New(launch.Config{Writable: []string{w.dir}, TempDir: scratch, Protect: sandbox.DefaultProtect(), Home: w.home, Hidden: []string{filepath.Join(w.home, ".ssh")}})
	t.Cleanup(func() { l.Close() })
	if !strings.Contains(l.Report(t.Context()).String(), "namespaces") {
		t.Skip("nothing hides files here")
	}
	w.launcher = l
	w.tool = New(Config{Launcher: l, Look: exec.LookPath, Environ: func() []string { return w.env }})
	return w
}

// spy reads the user's key, and says its name.
func (w *world) spy(name string) string {
	return `{ echo ` + name + `; cat "` + filepath.Join(w.home, ".ssh", "id") + `"; } >>"` + filepath.Join(w.dir, "seen") + `" 2>/dev/null`
}

// spied are the spies that ran; none may have seen the key.
func (w *world) spied() string {
	w.Helper()
	seen := w.text("seen")
	if strings.Contains(seen, "PRIVATE KEY") {
		w.Errorf("the key was seen: %s", seen)
	}
	w.forget()
	return strings.Join(strings.Fields(seen), " ")
}

// forget drops what was seen when the test itself ran git.
func (w *world) forget() { _ = os.Remove(filepath.Join(w.dir, "seen")) }

// good reports whether a commit is signed by the user.
func (w *world) good(ref string) bool {
	w.Helper()
	return strings.TrimSpace(w.git("log", "-1", "--format=%G?", ref)) == "G"
}

// TestHooksOfASignedCommitSeeNoKeys: a checkout that asks for signatures in its own config, to have its hooks,
// filters and merge drivers run where the user's keys are.
func TestHooksOfASignedCommitSeeNoKeys(t *testing.T) {
	t.Parallel()
	w := signingWorld(t)
	w.write(".git/info/exclude", "seen\n")
	w.commit("one", "a", "1\n", "m", "1\n", ".gitattributes", "*.f filter=spy\nm merge=spy\n")
	for _, hook := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "post-rewrite", "reference-transaction"} {
		w.script(w.dir, ".git/hooks/"+hook, w.spy(hook)+"; true")
	}
	w.git("config", "commit.gpgSign", "true")
	w.git("config", "tag.gpgSign", "true")
	w.git("config", "filter.spy.clean", w.spy("clean")+"; cat")
	w.git("config", "merge.spy.driver", w.spy("driver")+"; true")
	w.forget()

	w.write("x.f", "x\n")
	w.git("add", "-N", "x.f")
	w.forget()
	w.call("commit", args{"message": "two\n\n# stays\n", "all": true})
	for _, name := range []string{"clean", "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"} {
		if seen := w.text("seen"); !strings.Contains(seen, name) {
			t.Errorf("%s did not run: %s", name, seen)
		}
	}
	w.spied()
	if !w.good("HEAD") || !strings.Contains(w.git("log", "-1", "--format=%B"), "# stays") {
		t.Errorf("commit: %s", w.git("log", "-1", "--show-signature"))
	}
	if reflog := strings.Count(w.git("reflog"), "\n"); reflog != 2 {
		t.Errorf("%d entries in the reflog", reflog)
	}

	w.call("commit", args{"amend": true, "author": "Bea <bea@example.org>"})
	if seen := w.spied(); !w.good("HEAD") || !strings.Contains(seen, "post-rewrite") || w.git("log", "-1", "--format=%an") != "Bea\n" {
		t.Errorf("amend: %s", seen)
	}
	w.call("tag", args{"sub_action": "create", "name": "v1", "message": "v"})
	w.spied()
	w.git("tag", "-v", "v1")

	w.git("-c", "commit.gpgSign=false", "checkout", "-qb", "side", "HEAD~1")
	w.write("new", "new\n")
	w.git("add", "new")
	w.git("-c", "commit.gpgSign=false", "commit", "-qm", "side")
	side := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	w.write("m", "side\n")
	w.git("-c", "commit.gpgSign=false", "commit", "-qam", "m of side")
	w.git("checkout", "-q", "main")
	w.write("m", "main\n")
	w.git("-c", "commit.gpgSign=false", "commit", "-qam", "m of main")
	w.forget()
	merged := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	w.call("merge", args{"ref": "side", "mode": "no_ff"})
	if seen := w.spied(); !w.good("HEAD") || !strings.Contains(seen, "driver") || !strings.Contains(seen, "commit-msg") {
		t.Errorf("merge: %s", seen)
	}
	w.git("reset", "-q", "--hard", merged)
	w.forget()
	w.call("cherry_pick", args{"ref": side})
	if w.spied(); !w.good("HEAD") {
		t.Error("cherry-pick: not signed")
	}
	w.git("checkout", "-q", side)
	w.forget()
	w.call("rebase", args{"ref": merged})
	if w.spied(); !w.good("HEAD") || !w.has("new") {
		t.Errorf("rebase: %s", w.git("log", "-3", "--format=%G? %s"))
	}
}

// TestRelaySignsOnlyWhatItIsFor: a hook asks for signatures of its own, or puts other files in the way.
func TestRelaySignsOnlyWhatItIsFor(t *testing.T) {
	t.Parallel()
	w := signingWorld(t)
	w.commit("one", "a", "1\n")
	w.git("config", "commit.gpgSign", "true")
	w.script(w.dir, ".git/hooks/pre-commit", `p=$(git config gpg.program); d=${p%/*}
printf 'object of a tag' | "$p" --status-fd=2 -bsau x >"`+w.dir+`/out" 2>&1 && exit 7
rm "$d/ask" "$d/answer"; ln -s "`+w.home+`/.ssh/id" "$d/ask"; ln -s "`+w.home+`/victim" "$d/answer"; true`)
	w.file(w.home, "victim", "mine\n")
	out := w.fails(tools.ExitNonzero, "commit", args{"message": "two", "allow_empty": true})
	if said := w.text("out"); !strings.Contains(said, "only a commit is signed here") {
		t.Errorf("the hook was told %q; %v", said, out.Envelope.Error)
	}
	if b, err := os.ReadFile(filepath.Join(w.home, "victim")); err != nil || string(b) != "mine\n" {
		t.Errorf("a file of the user is %q, %v", b, err)
	}
}

// TestSigningFormats: what stands in the place of gpg is asked as git asks it, and what it says in failing is told.
func TestSigningFormats(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("config", "--global", "commit.gpgSign", "true")
	prog := w.script(w.home, "gpg", `echo "$@" >.git/asked; cat >.git/signed; printf -- '-----BEGIN PGP SIGNATURE-----\n\nxxxx\n-----END PGP SIGNATURE-----\n'; echo "[GNUPG:] SIG_CREATED D" >&2`)
	file := func(name string) string {
		return w.text(".git/" + name)
	}
	w.git("config", "--global", "gpg.program", "~/gpg")
	w.call("commit", args{"message": "two", "allow_empty": true})
	if got := file("asked"); got != "--status-fd=2 -bsau Ann Ash <ann@example.org>\n" {
		t.Errorf("asked: %q", got)
	}
	if text := w.git("cat-file", "commit", "HEAD"); !strings.Contains(text, "gpgsig -----BEGIN PGP SIGNATURE-----\n \n xxxx\n -----END") || !strings.HasPrefix(file("signed"), "tree ") {
		t.Errorf("%s", text)
	}
	w.git("config", "user.signingKey", "ABC")
	w.git("config", "gpg.format", "x509")
	w.git("config", "--global", "gpg.x509.program", prog)
	w.call("commit", args{"message": "three", "allow_empty": true})
	if got := file("asked"); got != "--status-fd=2 -bsau ABC\n" {
		t.Errorf("asked: %q", got)
	}
	w.git("config", "user.signingKey", "--output=x")
	if out := w.fails(tools.ExitNonzero, "commit", args{"message": "four", "allow_empty": true}); !strings.Contains(out.Envelope.Error.Message, "names no key") {
		t.Errorf("%v", out.Envelope.Error)
	}
	w.git("config", "user.signingKey", "ABC")
	w.script(w.home, "gpg", "echo no pinentry >&2; exit 2")
	if out := w.fails(tools.ExitNonzero, "commit", args{"message": "five", "allow_empty": true}); !strings.Contains(out.Envelope.Error.Message, "no pinentry") {
		t.Errorf("%v", out.Envelope.Error)
	}
	w.git("config", "gpg.format", "ssh")
	w.git("config", "--unset", "user.signingKey")
	keys := w.script(w.home, "keys", "echo 'ssh-ed25519 AAAA ann'")
	w.git("config", "--global", "gpg.ssh.defaultKeyCommand", keys+" -L")
	w.git("config", "--global", "gpg.ssh.program", w.script(w.home, "keygen", `echo "$1 $2 $3 $4 $5 $7" >.git/asked; cat "$6" >.git/key; cat >/dev/null; echo "-----BEGIN SSH SIGNATURE-----"; echo x; echo "-----END SSH SIGNATURE-----"`))
	w.call("commit", args{"message": "six", "allow_empty": true})
	if file("asked") != "-Y sign -n git -f -U\n" || file("key") != "ssh-ed25519 AAAA ann\n" {
		t.Errorf("asked: %q with %q", file("asked"), file("key"))
	}
	// Beside a signature, gpg is asked whether one is good, and that it does by itself.
	w.git("config", "gpg.format", "openpgp")
	w.script(w.home, "gpg", `case "$*" in *--verify*) touch .git/verified; exit 1;; esac; cat >/dev/null; printf -- '-----BEGIN PGP SIGNATURE-----\n\nxxxx\n-----END PGP SIGNATURE-----\n'; echo "[GNUPG:] SIG_CREATED D" >&2`)
	w.git("checkout", "-qb", "side")
	w.call("commit", args{"message": "side", "allow_empty": true})
	w.git("checkout", "-q", "main")
	w.git("config", "merge.verifySignatures", "true")
	w.try("merge", args{"ref": "side", "mode": "no_ff"})
	if !w.has(".git/verified") {
		t.Error("gpg was not asked about the signature")
	}
}

// TestRealGpgSigns: gpg makes locks in its own folder, and starts its agent there.
func TestRealGpgSigns(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	home, err := os.MkdirTemp("/tmp", "gpg-") // not below scratch, which all may write; sockets want a short path
	if err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "GNUPGHOME="+home)
	gpg := func(program string, args ...string) ([]byte, error) {
		cmd := exec.Command(program, args...)
		cmd.Env = w.env
		return cmd.CombinedOutput()
	}
	t.Cleanup(func() {
		_, _ = gpg("gpgconf", "--kill", "all")
		os.RemoveAll(home)
	})
	if out, err := gpg("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "Ann Ash <ann@example.org>", "ed25519", "sign", "never"); err != nil {
		t.Skipf("gpg: %v %s", err, out)
	}
	_, _ = gpg("gpgconf", "--kill", "all")
	w.git("config", "--global", "commit.gpgSign", "true")
	w.git("config", "--global", "tag.gpgSign", "true")
	w.call("commit", args{"message": "m", "allow_empty": true})
	w.call("tag", args{"sub_action": "create", "name": "v1", "message": "v"})
	w.git("verify-tag", "v1")
	w.git("verify-commit", "HEAD")
}

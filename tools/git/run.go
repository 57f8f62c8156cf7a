package git

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// read runs git for an action that only reads: nothing that the repository names is started.
func (r *repo) read(ctx context.Context, stdout func(io.Reader) error, args ...string) (result, error) {
	return r.readText(ctx, "", stdout, args...)
}

// readText is read with text on git's standard input.
func (r *repo) readText(ctx context.Context, stdin string, stdout func(io.Reader) error, args ...string) (result, error) {
	over, err := r.readingOverrides(ctx)
	if err != nil {
		return result{}, err
	}
	s := spec{
		dir: r.top.Abs(), path: r.git, args: append(slices.Clone(readingArgs), args...), stdin: stdin, stdout: stdout,
		env: append(r.env(readingEnv...), over...), policy: launch.Confined,
	}
	res, err := r.beside(ctx, s)
	r.warnAmbiguous(res.stderr)
	return res, err
}

// warnAmbiguous passes on that a name means several things, of which git has taken one.
func (r *repo) warnAmbiguous(said string) {
	if !strings.Contains(said, "is ambiguous") {
		return
	}
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "warning: "); ok && strings.HasSuffix(text, "is ambiguous.") && r.warned != text {
			r.warned = text
			r.c.Warn(text + " A tag was taken before a branch: give refs/heads/… or refs/tags/…")
		}
	}
}

// mustRead is read for runs whose non-zero exit is an error of the call.
func (r *repo) mustRead(ctx context.Context, args ...string) ([]byte, error) {
	res, err := r.read(ctx, nil, args...)
	if err == nil && res.code != 0 {
		err = failure(args[0], res)
	}
	return res.out, err
}

// change is one run of git that changes something.
type change struct {
	args       []string
	stdin      string
	env        []string
	config     bool   // it writes the repository's config, hooks or work tree list
	credential bool   // it talks to a host: the user's keys must be in sight
	bare       bool   // without hooks
	apart      bool   // it leaves the index alone, and may take long
	sign       *relay // it may sign; see signed
}

// write runs git for an action that changes something. Hooks, signing and filters run as the user set them.
func (r *repo) write(ctx context.Context, ch change) (result, error) {
	return r.t.runHeld(ctx, r.writing(ch))
}

// inHere keeps git out of submodules, whatever the config says: there a checkout or a reset would take changes that no look
// at this repository has shown.
var inHere = []string{"-c", "submodule.recurse=false"}

func (r *repo) writing(ch change) spec {
	s := spec{dir: r.top.Abs(), args: slices.Concat(writingArgs, inHere), stdin: ch.stdin, env: withEnv(r.env(), ch.env...), relay: ch.sign}
	if !ch.apart {
		s.hold = r.hold
	}
	if ch.bare {
		s.args = append(s.args, "-c", "core.hooksPath=/dev/null")
	}
	if ch.credential {
		s.args = append(s.args, credentialArgs...)
	}
	s.args = append(s.args, ch.args...)
	switch {
	case ch.credential:
		s.env = append(s.env, r.withoutConnectors()...)
		s.policy = launch.Credentialed
		s.writable = r.own()
	case ch.config || r.linked:
		s.policy = launch.Repository // a linked work tree's own HEAD and index lie among what is else protected
	default:
		s.policy = launch.Confined
	}
	return s
}

// own are the folders of the repository.
func (r *repo) own() []string { return []string{r.top.Abs(), r.gitDir.Abs(), r.common.Abs()} }

// withoutConnectors gives the programs that the repository's own config names for reaching hosts, signing in and
// signing back to what the user's own config says: with the user's keys in sight only the user chooses programs.
func (r *repo) withoutConnectors() []string {
	if r.settings == nil {
		return nil
	}
	over := r.ownConnectors(isConnector)
	env := []string{"GIT_PROXY_COMMAND=" + r.settings.users("core.gitproxy")} // of core.gitProxy git takes the first
	return append(env, configEnv(r.settings.withHelpers(over))...)
}

// ownConnectors are the chosen settings of the repository as the user has them; the caller is told of them.
func (r *repo) ownConnectors(chosen func(key string) bool) [][2]string {
	over := r.settings.override(chosen)
	if len(over) > 0 {
		names := make([]string, len(over))
		for i := range over {
			names[i] = over[i][0]
		}
		text := "not used, since a repository's own config may not name programs that see the user's keys: " + strings.Join(names, ", ") + "; it can be set in the user's config"
		if r.warned != text {
			r.warned = text
			r.c.Warn(text)
		}
	}
	return over
}

// mustWrite is write for runs whose non-zero exit is an error of the call. It gives what git said, both streams.
func (r *repo) mustWrite(ctx context.Context, ch change) (string, error) {
	res, err := r.write(ctx, ch)
	if err == nil && res.code != 0 {
		err = failure(ch.args[0], res)
	}
	return said(res), firstError(err, partly(res))
}

// partly is the error of a run that git calls a success although the sandbox kept it from writing a file, such as
// .vscode/settings.json on a change of branch: the file now looks changed, and the next commit would undo it.
func partly(res result) error {
	if res.code != 0 || !strings.Contains(res.stderr, "Read-only file system") && !strings.Contains(res.stderr, "Device or resource busy") {
		return nil
	}
	return tools.Errorf(tools.PermissionDenied, "git went on, but some files are protected and kept their old content, so that they now look changed: %s\n"+
		"Do not commit them; the user can bring them up to date (git restore), or change sandbox.protect", firstLine(res.stderr))
}

// said is git's own text: standard output, then standard error.
func said(res result) string {
	text, _ := valid(redact(string(res.out)))
	if text != "" && res.stderr != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + res.stderr
}

// maxReason bounds git's words inside an error message, in bytes: the envelope stays small.
const maxReason = 600

// failure makes the error of a run that ended with a non-zero code, in git's own words.
func failure(sub string, res result) *tools.Error {
	text := magic().ReplaceAllString(strings.TrimSpace(res.stderr), "")
	if text == "" {
		out, _ := valid(redact(strings.TrimSpace(string(res.out))))
		text = out
	}
	if len(text) > maxReason {
		cut := maxReason
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + " …"
	}
	code := tools.ExitNonzero
	for _, known := range reasons {
		if strings.Contains(text, known.text) {
			code = known.code
			next := known.next
			switch {
			case sub == "fetch" && known.text == "non-fast-forward":
				next = overwrites
			case sub == "merge" && next == diverged:
				next = "Both sides have commits: mode no_ff joins them in a merge commit, git.rebase puts this branch on top of ref."
			}
			if next != "" {
				text += "\n" + next
			}
			if code == tools.NotFound && strings.Contains(text, "did not match any file") {
				text += unmatched[sub]
			}
			break
		}
	}
	if text == "" {
		return tools.Errorf(code, "git %s ended with exit code %d and said nothing", sub, res.code)
	}
	return tools.Errorf(code, "git %s: %s", sub, text)
}

// magic is what stands before a name so that git takes it literally, as git says it again.
var magic = tools.Pattern(`:\(top,literal[a-z0-9,:]*\)`)

// unmatched is what may be meant by a name that git does not find.
var unmatched = map[string]string{
	"add":    " all:true stages everything.",
	"commit": " A file that is not tracked yet must be staged first: git.add.",
	"stash":  " Files that are not tracked are stashed with include_untracked:true.",
}

const diverged = "Both sides have commits: mode rebase or merge."

const overwrites = "A branch or tag of this repository would be overwritten: force:true with confirm:true does it."

// reasons sort git's messages into codes and say what to do where git does not.
var reasons = []struct {
	text string
	code tools.Code
	next string
}{
	{"detected dubious ownership", tools.PermissionDenied, "The folder belongs to another user. Only the user can decide to trust it (git config --global safe.directory)."},
	{"index.lock", tools.Conflict, "Another git may be at work; the lock was left alone."},
	{".lock': File exists", tools.Conflict, "Another git may be at work; the lock was left alone."},
	{"Read-only file system", tools.PermissionDenied, "The sandbox allows writes only under the allowed folders."},
	{"Device or resource busy", tools.PermissionDenied, "Files that are protected are read-only to the tools; ask the user to change them, or to change sandbox.protect."},
	{"does not have any commits yet", tools.NotFound, "Make one with git.commit."},
	{"unknown revision", tools.NotFound, "See git.branch, git.tag or git.log for what there is."},
	{"bad revision", tools.NotFound, "See git.branch, git.tag or git.log for what there is."},
	{"Needed a single revision", tools.NotFound, "See git.branch, git.tag or git.log for what there is."},
	{"invalid reference", tools.NotFound, "See git.branch or git.tag for what there is."},
	{"did not match any file", tools.NotFound, "Names are relative to the repository's top level, as git.status gives them, and taken literally: no patterns."},
	{"not a valid object name", tools.NotFound, ""},
	{"invalid object name", tools.NotFound, ""},
	{"does not exist in", tools.NotFound, ""},
	{"no such path", tools.NotFound, ""},
	{"No such remote", tools.NotFound, "See git.remote for what there is."},
	{"does not appear to be a git repository", tools.NotFound, "See git.remote for what there is."},
	{"not something we can merge", tools.NotFound, ""},
	{"is not a valid reference", tools.NotFound, ""},
	{"is not a stash reference", tools.NotFound, ""},
	{"No stash entries found", tools.NotFound, ""},
	{"do not have the initial commit yet", tools.Conflict, "Make one with git.commit."},
	{"already exists", tools.Conflict, ""},
	{"is ambiguous", tools.Ambiguous, ""},
	{"would be overwritten", tools.Conflict, ""},
	{"CONFLICT (", tools.Conflict, ""},
	{"would clobber existing tag", tools.Conflict, overwrites},
	{"non-fast-forward", tools.Conflict, "Fetch and merge or rebase first."},
	{"Not possible to fast-forward", tools.Conflict, diverged},
	{"divergent branches", tools.Conflict, diverged},
	{"fetch first", tools.Conflict, "Fetch and merge or rebase first."},
	{"stale info", tools.Conflict, "The remote has moved; fetch and look again."},
	{"not fully merged", tools.ConfirmRequired, "With force:true and confirm:true it is deleted all the same."},
	{"transport 'none' not allowed", tools.Unsupported, partial},
	{"from promisor remote", tools.Unsupported, partial},
	{"lazy fetching disabled", tools.Unsupported, partial},
	{"could not read Username", tools.PermissionDenied, "No credentials: set up a credential helper or use ssh; nothing was asked."},
	{"could not read Password", tools.PermissionDenied, "No credentials: set up a credential helper or use ssh; nothing was asked."},
	{"Authentication failed", tools.PermissionDenied, ""},
	{"Permission denied (publickey", tools.PermissionDenied, ""},
	{"Host key verification failed", tools.PermissionDenied, "The host is not in known_hosts; the user can add it by one ssh by hand."},
}

// deadline gives ctx the call's own timeout, or the usual one.
func deadline(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		timeout = tools.LocalLimit
	}
	return context.WithTimeout(ctx, timeout)
}

// timedOut says what a run that ended early leaves behind.
func timedOut(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return tools.Errorf(tools.Timeout, "git did not end in time and was stopped with everything it had started (a hook, a signing program); give timeout, such as \"5m\", or run it with exec")
	}
	return err
}

// checkRef refuses what is no ref: an option in disguise, control characters.
func checkRef(param, ref string) error {
	switch {
	case strings.HasPrefix(ref, "-"):
		return tools.Errorf(tools.InvalidParams, "%s may not begin with \"-\": give a branch, tag, commit or range", param).With(tools.Details{Param: param, Actual: ref})
	case strings.ContainsFunc(ref, func(c rune) bool { return c < 0x20 || c == 0x7f }):
		return tools.Errorf(tools.InvalidParams, "%s holds control characters", param).With(tools.Details{Param: param})
	}
	return nil
}

// refsOf splits several revisions at spaces, but for those inside braces (main@{2 days ago}) and in a search (:/text).
func refsOf(s string) []string {
	if strings.HasPrefix(s, ":/") {
		return []string{s}
	}
	depth := 0
	return strings.FieldsFunc(s, func(c rune) bool {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		return c == ' ' && depth <= 0
	})
}

// checkRefs is checkRef for several parameters, as name, value pairs.
func checkRefs(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := checkRef(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// confirm is the refusal of an act that nothing brings back.
func confirm(act, lost string) error {
	return tools.Errorf(tools.ConfirmRequired, "%s: %s Nothing was done; dry_run:true shows it, confirm:true does it", act, lost).
		With(tools.Details{Param: "confirm", Expected: "true"})
}

const partial = "The object is not here (partial clone), and reading fetches nothing, nor does a plain fetch bring it; git.checkout of a commit that has it does."

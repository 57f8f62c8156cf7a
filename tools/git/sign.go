package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// signed makes a change one whose commits or tags are signed, where the config says so. Everything that the
// repository may name (hooks, filters, merge drivers) runs confined with the rest of git; the signature alone is made
// where the user's keys are in sight, by the program that the user's own config names.
func (r *repo) signed(s *settings, ch change, object string) change {
	if relays {
		ch.sign = r.signer(s, object)
		r.ownConnectors(func(key string) bool { return strings.HasPrefix(key, "gpg.") && isConnector(key) })
	} else {
		ch.env = append(ch.env, r.withoutConnectors()...)
	}
	return ch
}

// firstLines are how the objects begin that are signed. Nothing else is.
var firstLines = map[string]string{"commit": "tree ", "tag": "object "}

// signer answers a git that asks for a signature. The settings are those from before it started.
func (r *repo) signer(s *settings, object string) *relay {
	return &relay{
		program: openpgp(s, r.env()),
		// Whatever the format, git asks as it would ask gpg: it is the one that hands all over on standard input.
		switches: func(program string) []string {
			return []string{"-c", "gpg.format=openpgp", "-c", "gpg.program=" + program, "-c", "gpg.openpgp.program=" + program}
		},
		answer: func(ctx context.Context, asked string) result {
			if !strings.HasPrefix(asked, firstLines[object]) {
				return result{stderr: "only a " + object + " is signed here\n", code: 1}
			}
			out, err := r.signature(ctx, s, asked)
			if err != nil {
				return result{stderr: "signing: " + redact(err.Error()) + "\n", code: 1}
			}
			return result{out: out, stderr: "[GNUPG:] SIG_CREATED \n"}
		},
	}
}

// signature signs as git does (gpg-interface.c).
func (r *repo) signature(ctx context.Context, s *settings, text string) ([]byte, error) {
	format := strings.ToLower(cmp.Or(s.get("gpg.format"), "openpgp"))
	key := s.get("user.signingkey")
	sp := spec{dir: r.top.Abs(), env: r.env(), stdin: text, policy: launch.Credentialed, writable: r.own()}
	switch format {
	case "openpgp":
		sp.program = openpgp(s, sp.env)
	case "x509":
		sp.program = atHome(sp.env, cmp.Or(s.users("gpg.x509.program"), "gpgsm"))
	case "ssh":
		sp.program = atHome(sp.env, cmp.Or(s.users("gpg.ssh.program"), "ssh-keygen"))
		args, done, err := r.sshKey(ctx, s, key)
		if err != nil {
			return nil, err
		}
		defer done()
		sp.args = append([]string{"-Y", "sign", "-n", "git"}, args...)
	default:
		return nil, fmt.Errorf("gpg.format is %q; git knows openpgp, x509 and ssh", format)
	}
	if format != "ssh" {
		if key = cmp.Or(key, signerOf(text)); key == "" || key[0] == '-' {
			return nil, fmt.Errorf("user.signingKey %q names no key", key)
		}
		sp.args = []string{"--status-fd=2", "-bsau", key}
		sp.writable = append(sp.writable, gpgFolders(sp.env)...)
	}
	res, err := r.t.run(ctx, sp)
	if err == nil && (res.code != 0 || format != "ssh" && !strings.Contains("\n"+res.stderr, "\n[GNUPG:] SIG_CREATED ")) {
		err = tools.Errorf(tools.ExitNonzero, "%s: %s (exit code %d)", sp.program, strings.TrimSpace(withoutStatus(res.stderr)), res.code)
	}
	return []byte(strings.ReplaceAll(string(res.out), "\r\n", "\n")), err
}

func openpgp(s *settings, env []string) string {
	return atHome(env, cmp.Or(s.users("gpg.openpgp.program"), s.users("gpg.program"), "gpg"))
}

// signerOf is who makes a commit or a tag, by which gpg finds a key.
func signerOf(text string) string {
	head, _, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		for _, word := range []string{"committer ", "tagger "} {
			if who, ok := strings.CutPrefix(line, word); ok {
				return who[:strings.LastIndexByte(who, '>')+1]
			}
		}
	}
	return ""
}

// sshKey gives the switches for the key to sign with: its file, or the key itself, which an agent has. done removes
// what was made for it.
func (r *repo) sshKey(ctx context.Context, s *settings, key string) (args []string, done func(), err error) {
	env := r.env()
	if command := strings.Fields(s.users("gpg.ssh.defaultkeycommand")); key == "" && len(command) > 0 {
		res, err := r.t.run(ctx, spec{dir: r.top.Abs(), env: env, program: atHome(env, command[0]), args: command[1:], policy: launch.Credentialed, writable: r.own()})
		if err != nil {
			return nil, nil, err
		}
		if key, _, _ = strings.Cut(string(res.out), "\n"); res.code != 0 || !isKey(key) {
			return nil, nil, fmt.Errorf("gpg.ssh.defaultKeyCommand gave no key (exit code %d)", res.code)
		}
	}
	if key == "" {
		return nil, nil, fmt.Errorf("user.signingKey or gpg.ssh.defaultKeyCommand must be set to sign with ssh")
	}
	if !isKey(key) {
		return []string{"-f", atHome(env, key)}, func() {}, nil
	}
	f, err := os.CreateTemp(tempOf(env), "git-key-")
	if err != nil {
		return nil, nil, err
	}
	_, err = f.WriteString(strings.TrimPrefix(key, "key::") + "\n")
	return []string{"-f", f.Name(), "-U"}, func() { os.Remove(f.Name()) }, firstError(err, f.Close())
}

// isKey reports whether a setting is a public key itself, not the name of its file.
func isKey(s string) bool { return strings.HasPrefix(s, "ssh-") || strings.HasPrefix(s, "key::") }

// gpgFolders are where gpg keeps its locks and the sockets of its agent: without them it signs nothing.
func gpgFolders(env []string) []string {
	var there []string
	for _, dir := range []string{cmp.Or(variable(env, "GNUPGHOME"), atHome(env, "~/.gnupg")), fmt.Sprintf("/run/user/%d/gnupg", os.Getuid())} {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() && filepath.IsAbs(dir) {
			there = append(there, dir)
		}
	}
	return there
}

// atHome is a path that may begin with the home folder of env.
func atHome(env []string, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(variable(env, "HOME"), rest)
	}
	return path
}

// withoutStatus drops the lines that gpg writes for programs.
func withoutStatus(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "[GNUPG:] ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

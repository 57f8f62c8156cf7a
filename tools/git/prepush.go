package git

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// pushing are the steps of a push. To a folder, git runs the hooks by itself, as everything, confined. To a host it
// runs none, since the user's keys are in sight then. A pre-push hook comes before: it is confined, and gets on
// standard input what a trial run says would be pushed. The hook of Git LFS needs the keys to upload; in its place the
// git-lfs that is installed is run, with nothing of the repository's choice.
func (r *repo) pushing(s *settings, in netIn, args []string) []spec {
	hook := r.hook(s, "pre-push")
	if !r.hosts || hook == "" || in.DryRun {
		return []spec{r.writing(r.connection(s, change{args: args, bare: r.hosts}))}
	}
	trial := r.connection(s, change{args: append([]string{"-c", "core.abbrev=no"}, slices.Insert(slices.Clone(args), 1, "--dry-run")...), bare: true})
	name, address := redact(in.Name), redact(r.pushTo)
	run := r.writing(change{args: []string{"-c", "alias.run-pre-push=!" + quoted(filepath.ToSlash(hook)), "run-pre-push", name, address}, apart: true})
	if isLFSHook(hook) {
		run = r.writing(r.connection(s, change{}))
		run.program, run.args, run.policy = "git-lfs", []string{"pre-push", name, address}, launch.Credentialed
	}
	run.feed = r.prePushInput
	return []spec{r.writing(trial), run, r.writing(r.connection(s, change{args: args, bare: true}))}
}

// hook is the file of a hook that git would run, "" when there is none.
func (r *repo) hook(s *settings, name string) string {
	dir := atHome(r.env(), s.get("core.hookspath"))
	switch {
	case dir == "":
		dir = r.common.Join("hooks").Abs()
	case !filepath.IsAbs(dir):
		dir = filepath.Join(r.top.Abs(), dir)
	}
	file := filepath.Join(dir, name)
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode()&0o111 == 0 && runtime.GOOS != "windows" {
		return ""
	}
	return file
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// lfsHook is the text that git lfs install writes, without comments and empty lines.
var lfsHook = tools.Pattern("^command -v git-lfs >/dev/null 2>&1 \\|\\| \\{ (?:echo|printf) >&2 (?:\"[^\"$`]*\" ?)+; exit 2; \\}\ngit lfs pre-push \"\\$@\"\n$")

func isLFSHook(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, gitFileMax))
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			b.WriteString(line + "\n")
		}
	}
	return err == nil && lfsHook().MatchString(b.String())
}

// prePushInput makes of a trial run what git gives a pre-push hook: local ref, its hash, remote ref, its hash. The hash
// of what is to be deleted there stays unknown, as zeros.
func (r *repo) prePushInput(ctx context.Context, trial result) string {
	var b strings.Builder
	none := strings.Repeat("0", 40)
	if r.settings.get("extensions.objectformat") == "sha256" {
		none = strings.Repeat("0", 64)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(trial.out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) < 3 || len(f[0]) != 1 || seen[line] {
			continue
		}
		seen[line] = true
		from, to, _ := strings.Cut(f[1], ":")
		summary, _, _ := strings.Cut(f[2], " ")
		switch f[0] {
		case " ", "+":
			if before, after, ok := strings.Cut(summary, ".."); ok {
				b.WriteString(from + " " + strings.TrimPrefix(after, ".") + " " + to + " " + before + "\n")
			}
		case "*":
			hash, _ := r.resolve(ctx, from)
			b.WriteString(from + " " + hash + " " + to + " " + none + "\n")
		case "-":
			b.WriteString("(delete) " + none + " " + to + " " + none + "\n")
		}
	}
	return b.String()
}

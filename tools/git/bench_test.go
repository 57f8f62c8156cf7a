package git

import (
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// BenchmarkReading measures each reading action beside the git command that a person would type, on a repository of
// 3,000 files and 10,000 commits.
func BenchmarkReading(b *testing.B) {
	w := newWorld(b)
	history(b, w, w.dir, 3000, 10_000)
	w.git("gc", "-q")
	w.write("dir1/sub 1/file1.txt", "changed\n")
	w.write("new.txt", "new\n")
	for _, c := range []struct {
		name string
		args string
		git  []string
	}{
		{"status", `{"action":"status"}`, []string{"status"}},
		{"diff", `{"action":"diff"}`, []string{"diff"}},
		{"diff_range", `{"action":"diff","ref":"HEAD~20..HEAD"}`, []string{"diff", "HEAD~20..HEAD"}},
		{"log", `{"action":"log"}`, []string{"log", "-n", "20"}},
		{"log_path", `{"action":"log","files":["dir1/sub 1/file1.txt"]}`, []string{"log", "-n", "20", "--", "dir1/sub 1/file1.txt"}},
		{"show", `{"action":"show"}`, []string{"show"}},
		{"blame", `{"action":"blame","files":["dir1/sub 1/file1.txt"]}`, []string{"blame", "dir1/sub 1/file1.txt"}},
		{"branch", `{"action":"branch"}`, []string{"branch", "-v"}},
		{"stash", `{"action":"stash"}`, []string{"stash", "list"}},
		{"tag", `{"action":"tag"}`, []string{"tag"}},
		{"reflog", `{"action":"reflog"}`, []string{"reflog"}},
		{"shortlog", `{"action":"shortlog"}`, []string{"shortlog", "-sne", "HEAD"}},
		{"rev_parse", `{"action":"rev_parse"}`, []string{"rev-parse", "HEAD"}},
	} {
		path, err := exec.LookPath("git")
		if err != nil {
			b.Skip("git is missing")
		}
		b.Run(c.name, func(b *testing.B) {
			// In turn, and the quickest of each: the machine's other load falls on both alike.
			var plain, tool time.Duration
			for b.Loop() {
				start := time.Now()
				cmd := exec.Command(path, c.git...)
				cmd.Dir, cmd.Env, cmd.Stdout = w.dir, w.env, io.Discard
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				plain = least(plain, time.Since(start))
				start = time.Now()
				out := tools.Invoke(context.Background(), w.tool, w.roots, nil, c.args)
				if !out.Envelope.OK {
					b.Fatal(out.Envelope.Error)
				}
				if _, err := json.Marshal(out.Envelope); err != nil {
					b.Fatal(err)
				}
				tool = least(tool, time.Since(start))
			}
			b.ReportMetric(float64(plain.Microseconds())/1000, "git-ms")
			b.ReportMetric(float64(tool.Microseconds())/1000, "tool-ms")
			b.ReportMetric(float64(tool)/float64(plain), "ratio")
		})
	}
}

func least(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// BenchmarkStart measures what the launcher adds to a run of git.
func BenchmarkStart(b *testing.B) {
	w := newRepo(b)
	path, err := exec.LookPath("git")
	if err != nil {
		b.Skip("git is missing")
	}
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command(path, "version")
			cmd.Dir, cmd.Env, cmd.Stdout = w.dir, w.env, io.Discard
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	run := launched(shared, exec.LookPath)
	b.Run("launcher", func(b *testing.B) {
		for b.Loop() {
			if _, err := run(context.Background(), spec{dir: w.dir, args: []string{"version"}, env: w.env}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

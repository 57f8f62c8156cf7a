package launch

import (
	"context"
	"io"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(os.Args); os.Exit(m.Run()) }

func TestSmoke(t *testing.T) {
	for _, m := range []Mechanism{Best, Namespaces, Landlock, None} {
		t.Run(string(m), func(t *testing.T) {
			dir := t.TempDir()
			l := New(Config{Writable: []string{dir}, Mechanism: m, Log: func(s string) { t.Log(s) }})
			defer l.Close()
			for _, sc := range []string{"id; pwd; ls -la /dev /proc | head -60; echo hi >f; cat f; echo x > /etc/xx; ps ax; mount | grep -v cgroup | head -30", "exit 3", "kill -9 $$"} {
				r, w, _ := os.Pipe()
				t0 := time.Now()
				p, err := l.Start(context.Background(), Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", sc}, Dir: dir, Env: os.Environ(), Stdout: w, Stderr: w})
				if err != nil {
					t.Fatal(err)
				}
				w.Close()
				out, _ := io.ReadAll(r)
				st := p.Wait()
				t.Logf("%v %s\n%s", time.Since(t0), st, out)
			}
			t.Log(l.Report(context.Background()))
		})
	}
}

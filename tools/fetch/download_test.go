package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestDownload(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), 1000)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Query().Get("name"); name != "" {
			w.Header().Set("Content-Disposition", name)
		}
		w.Write(content)
	})
	w := newWorld(t, Config{})
	if err := os.Mkdir(filepath.Join(w.W, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, d := w.ok("download", args{"url": at + "/x.bin", "output": "a/b/new.bin", "sha256": sha(content)})
	if w.read("a/b/new.bin") != string(content) || d["path"] != "a/b/new.bin" || d["size"] != 16000.0 || d["sha256"] != sha(content) || d["status"] != "completed" {
		t.Errorf("%v", d)
	}
	for _, tt := range []struct{ query, output, want string }{
		{"/file.tar.gz", "dir", "dir/file.tar.gz"}, {"/", "dir/", "dir/download.txt"}, {"/p%2Fq.txt", "dir", "dir/q.txt"}, {"/..%2f..%2fO", "dir", "dir/O"}, {"/.htaccess", "dir", "dir/htaccess"}, {"/-rf", "dir", "dir/rf"},
		{`attachment;filename="../../O/x"`, "dir", "dir/x"}, {`attachment;filename="C:\evil.exe"`, "dir", "dir/evil.exe"}, {`attachment;filename*=utf-8''%e4%bd%a0.txt`, "dir", "dir/你.txt"},
		{`attachment;filename=".mcp.json"`, "dir", "dir/mcp.json"}, {`attachment;filename="con.txt"`, "dir", "dir/_con.txt"}, {`attachment;filename="a\tb.txt"`, "dir", "dir/tb.txt"}, {"/made.txt", "made/", "made/made.txt"},
	} {
		if strings.HasPrefix(tt.query, "attachment") {
			tt.query = "/?name=" + url.QueryEscape(tt.query)
		}
		_, d := w.ok("download", args{"url": at + tt.query, "output": tt.output})
		if d["path"] != tt.want {
			t.Errorf("%s: saved as %v, want %s", tt.query, d["path"], tt.want)
		}
	}
	if got := files(t, w.O); len(got) != 0 {
		t.Errorf("outside: %v", got)
	}
}

// Where a download may not go it does not go, and the server is not even asked.
func TestDownloadStaysInside(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); io.WriteString(w, "evil") })
	w := newWorld(t, Config{})
	w.put("kept.txt", "mine")
	w.put(".git/config", "[core]")
	if err := os.Symlink(w.O, filepath.Join(w.W, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, output := range []string{"../O/x", "link/x", "/etc/x", w.O + "/x", "~/x", ".git/config", ".git/hooks/post-commit", ".vscode/x.json", ".mcp.json", "sub/.cursor/x", "file:///etc/x", "a/../../O/x"} {
		for _, resume := range []bool{false, true} {
			out := w.call("download", args{"url": at + "/x", "output": output, "overwrite": true, "resume": resume})
			if out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied {
				t.Errorf("%s: %+v", output, out.Envelope)
			}
		}
	}
	w.fails(tools.Conflict, "download", args{"url": at, "output": "kept.txt"})
	w.fails(tools.InvalidParams, "download", args{"url": at, "output": "new", "sha256": "123"})
	if n := asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
	if w.read("kept.txt") != "mine" || len(files(t, w.O)) != 0 {
		t.Error("something was written")
	}
	_, d := w.ok("download", args{"url": at, "output": "kept.txt", "overwrite": true})
	if w.read("kept.txt") != "evil" || d["size"] != 4.0 {
		t.Errorf("%v", d)
	}
}

// A failed download leaves what was there, and nothing else.
func TestDownloadFails(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			w.Write(make([]byte, 500))
		case "/404":
			w.WriteHeader(404)
			io.WriteString(w, "no such thing")
		case "/huge":
			w.Header().Set("Content-Length", "2000000")
			w.Write(make([]byte, 100))
		case "/endless":
			for chunk := make([]byte, 64<<10); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/204":
			w.WriteHeader(204)
		default:
			io.WriteString(w, "content")
		}
	})
	w := newWorld(t, Config{MaxDownload: 1_000_000})
	w.put("old.txt", "old")
	for path, code := range map[string]tools.Code{"/cut": tools.HTTPError, "/404": tools.HTTPError, "/huge": tools.TooLarge, "/endless": tools.TooLarge, "/204": tools.HTTPError} {
		for _, resume := range []bool{false, true} {
			out := w.fails(code, "download", args{"url": at + path, "output": "old.txt", "overwrite": true, "resume": resume})
			if path == "/404" && out.Text != "no such thing" {
				t.Errorf("404: %q", out.Text)
			}
		}
	}
	w.fails(tools.Conflict, "download", args{"url": at + "/x", "output": "sub/new.txt", "sha256": strings.Repeat("0", 64)})
	w.fails(tools.Conflict, "download", args{"url": at + "/x", "output": "old.txt", "overwrite": true, "resume": true, "sha256": strings.Repeat("0", 64)})
	if got := fmt.Sprint(files(t, w.W)); got != "[old.txt]" || w.read("old.txt") != "old" {
		t.Errorf("files %s, old.txt %q", got, w.read("old.txt"))
	}
}

// flaky serves content and breaks the connection after some bytes, as often as it is told.
type flaky struct {
	content []byte
	breaks  atomic.Int32 // how often
	after   int
	ranges  atomic.Int32
	etag    atomic.Value
	weak    bool
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tag, _ := f.etag.Load().(string)
	if f.weak {
		tag = "W/" + tag
	}
	from := 0
	if spec, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && r.Header.Get("If-Range") == tag {
		f.ranges.Add(1)
		from, _ = strconv.Atoi(strings.TrimSuffix(spec, "-"))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(f.content)-1, len(f.content)))
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Accept-Ranges", "bytes")
	w.Header().Set("Content-Length", strconv.Itoa(len(f.content)-from))
	if from > 0 {
		w.WriteHeader(206)
	}
	if f.breaks.Add(-1) >= 0 {
		w.Write(f.content[from:min(from+f.after, len(f.content))])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	w.Write(f.content[from:])
}

// A stream that breaks is taken up where it broke, while the file is the same.
func TestDownloadGoesOnAfterABreak(t *testing.T) {
	t.Parallel()
	f := &flaky{content: bytes.Repeat([]byte("abcdefghij"), 20_000), after: 50_000}
	f.etag.Store(`"v1"`)
	f.breaks.Store(3)
	at := serve(t, f.ServeHTTP)
	w := newWorld(t, Config{})
	_, d := w.ok("download", args{"url": at + "/f", "output": "f", "sha256": sha(f.content)})
	if d["resumed"] != true || w.read("f") != string(f.content) || f.ranges.Load() != 3 {
		t.Errorf("%v, %d ranges", d, f.ranges.Load())
	}
	weak := &flaky{content: f.content, after: 50_000, weak: true}
	weak.etag.Store(`"v1"`)
	weak.breaks.Store(1)
	w.fails(tools.HTTPError, "download", args{"url": serve(t, weak.ServeHTTP), "output": "g"})
	if weak.ranges.Load() != 0 {
		t.Error("a part was asked for although nothing shows that the file is the same")
	}
	changing := &flaky{content: f.content, after: 50_000}
	changing.etag.Store(`"v1"`)
	changing.breaks.Store(1)
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			changing.etag.Store(`"v2"`)
		}
		changing.ServeHTTP(w, r)
	}
	w.fails(tools.Conflict, "download", args{"url": serve(t, h), "output": "h"})
	if got := fmt.Sprint(files(t, w.W)); got != "[f]" {
		t.Errorf("files %s", got)
	}
}

// With resume a later call goes on with what an earlier one kept.
func TestDownloadResumes(t *testing.T) {
	t.Parallel()
	f := &flaky{content: bytes.Repeat([]byte("abcdefghij"), 20_000), after: 60_000}
	f.etag.Store(`"v1"`)
	var down atomic.Bool
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(503)
			return
		}
		if f.breaks.Load() == 1 {
			defer down.Store(true)
		}
		f.ServeHTTP(w, r)
	})
	w := newWorld(t, Config{})
	a := args{"url": at + "/f", "output": "d/f", "resume": true, "sha256": sha(f.content)}
	fail := func() {
		t.Helper()
		f.breaks.Store(1)
		down.Store(false)
		out := w.fails(tools.HTTPError, "download", a)
		if d := dataOf(t, out); d["partial"] != "d/f.part" || fmt.Sprint(files(t, w.W)) != "[d/f.part]" {
			t.Fatalf("%v, files %v", d, files(t, w.W))
		}
		down.Store(false)
	}
	fail()
	fail()           // and again, from there
	down.Store(true) // nothing comes at all: the part stays
	w.fails(tools.HTTPError, "download", a)
	down.Store(false)
	before := f.ranges.Load()
	_, d := w.ok("download", a)
	if d["resumed"] != true || f.ranges.Load() != before+1 || w.read("d/f") != string(f.content) || fmt.Sprint(files(t, w.W)) != "[d/f]" {
		t.Errorf("%v, files %v", d, files(t, w.W))
	}
	// The file at the server changes: from the start.
	if err := os.Remove(filepath.Join(w.W, "d/f")); err != nil {
		t.Fatal(err)
	}
	fail()
	f.etag.Store(`"v2"`)
	if _, d := w.ok("download", a); d["resumed"] != nil || w.read("d/f") != string(f.content) {
		t.Errorf("%v", d)
	}
}

// What takes longer than a call goes on as a job, whose end is known to exec.
func TestDownloadAsJob(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("first "))
		w.(http.Flusher).Flush()
		<-release
		w.Write([]byte("second"))
	})
	jobs := job.New(job.Config{Foreground: 50 * time.Millisecond})
	t.Cleanup(jobs.Close)
	w := newWorld(t, Config{Jobs: jobs})
	text, d := w.ok("download", args{"url": at + "/f", "output": "f"})
	id, _ := d["proc_id"].(string)
	if d["status"] != "running" || id == "" || !strings.Contains(text, id) {
		t.Fatalf("%q %v", text, d)
	}
	close(release)
	j, err := jobs.Get("test", id)
	if err != nil {
		t.Fatal(err)
	}
	<-j.Done()
	if s := j.State(); s.Status != job.Completed || w.read("f") != "first second" || !strings.Contains(j.Log().LastLine(), "saved f, 12 bytes") {
		t.Errorf("%+v %q", s, j.Log().LastLine())
	}
}

// A cancelled download ends at once, its connection too, and leaves nothing.
func TestDownloadCancelled(t *testing.T) {
	t.Parallel()
	begun, gone := make(chan struct{}), make(chan struct{})
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("first "))
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
		close(gone)
	})
	jobs := job.New(job.Config{})
	t.Cleanup(jobs.Close)
	w := newWorld(t, Config{Jobs: jobs})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-begun; cancel() }()
	start := time.Now()
	out := w.callCtx(ctx, "download", args{"url": at, "output": "f"})
	if out.Envelope.OK || out.Envelope.Error.Code != tools.Cancelled || time.Since(start) > 20*time.Second {
		t.Errorf("%+v after %v", out.Envelope, time.Since(start))
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still open")
	}
	if got := files(t, w.W); len(got) != 0 {
		t.Errorf("files %v", got)
	}
	out = w.call("download", args{"url": serve(t, func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); <-r.Context().Done() }), "output": "g", "timeout": 100})
	if out.Envelope.OK || out.Envelope.Error.Code != tools.Timeout {
		t.Errorf("timeout: %+v", out.Envelope)
	}
}

func TestSafeName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.txt": "a.txt", "../x": "x", `..\x`: "x", "": "", ".": "", "..": "", "/": "", "...a": "a", "-rf": "rf", "~x": "x", "a\x00b": "ab", "a\nb": "ab", "a\u202eb": "ab", "a:b|c?": "a_b_c_", "nul": "_nul", "NUL.txt": "_NUL.txt",
		"COM1": "_COM1", "con .x": "_con .x", "a. ": "a", "\xff.x": "_.x", "名前.txt": "名前.txt", "$(id)": "_(id)", "a`b": "a_b",
		strings.Repeat("x", 300) + ".tar": strings.Repeat("x", 116) + ".tar", strings.Repeat("界", 100): strings.Repeat("界", 40),
	} {
		if got := safeName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A large download takes little memory and about as long as curl.
func BenchmarkDownload(b *testing.B) {
	const size = 512 << 20
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	at := serve(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		for range size >> 20 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	w := newWorld(b, Config{})
	b.Run("curl", func(b *testing.B) {
		if _, err := exec.LookPath("curl"); err != nil {
			b.Skip("curl is not installed")
		}
		b.SetBytes(size)
		for b.Loop() {
			if err := exec.Command("curl", "-s", "-o", filepath.Join(w.W, "c"), at).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fetch", func(b *testing.B) {
		b.SetBytes(size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for b.Loop() {
			w.ok("download", args{"url": at, "output": "f", "overwrite": true})
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Sys-before.Sys)/(1<<20), "MiB-sys")
	})
}

func BenchmarkFetch(b *testing.B) {
	source := "<html><head><title>T</title></head><body><main><h1>T</h1>" + strings.Repeat("<h2>More</h2><p>Some <b>words</b> with a <a href=\"x\">link</a> and <code>code</code> here to make it long enough for a page.</p><ul><li>one</li><li>two</li></ul>", 620) + "</main></body></html>"
	at := serve(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, source)
	})
	w := newWorld(b, Config{})
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		w.ok("fetch", args{"url": at})
	}
}

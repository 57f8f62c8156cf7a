package fetch

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A server that does not heed If-Range gives a part of the new file, or a coded part: that is never put behind the old
// beginning.
func TestPartOfAnotherFileIsNotAppended(t *testing.T) {
	t.Parallel()
	before, after := bytes.Repeat([]byte("old "), 50_000), bytes.Repeat([]byte("new "), 50_000)
	var coded bytes.Buffer
	z := gzip.NewWriter(&coded)
	_, _ = z.Write(before[100_000:])
	_ = z.Close()
	for name, second := range map[string]func(h http.Header) []byte{
		"another tag": func(h http.Header) []byte { h.Set("ETag", `"v2"`); return after[100_000:] },
		"weak tag":    func(h http.Header) []byte { h.Set("ETag", `W/"v1"`); return after[100_000:] },
		"coded":       func(h http.Header) []byte { h.Set("Content-Encoding", "gzip"); return coded.Bytes() },
	} {
		for _, resume := range []bool{false, true} {
			var asked atomic.Int32
			at := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("ETag", `"v1"`)
				switch {
				case r.Header.Get("Range") != "":
					rest := second(w.Header())
					w.Header().Set("Content-Range", "bytes 100000-199999/200000")
					w.WriteHeader(http.StatusPartialContent)
					_, _ = w.Write(rest)
				case asked.Load() == 1:
					w.Header().Set("Content-Length", "200000")
					_, _ = w.Write(before[:100_000])
					panic(http.ErrAbortHandler)
				default:
					w.Header().Set("ETag", `"v2"`)
					_, _ = w.Write(after)
				}
			})
			w := newWorld(t, Config{})
			out := w.call("download", args{"url": at, "output": "f", "resume": resume})
			if out.Envelope.OK || len(files(t, w.W)) != 0 {
				t.Errorf("%s, resume %v: ok, files %v", name, resume, files(t, w.W))
			}
		}
	}
}

// A file that somebody else put beside the target is not written through, truncated or removed.
func TestResumeKeepsForeignPartFiles(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
		fmt.Fprint(w, "content")
	})
	w := newWorld(t, Config{})
	w.put("victim.txt", "victim")
	w.put("f.part", "of the user")
	if err := os.Symlink("victim.txt", filepath.Join(w.W, "g.part")); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"/f", "/missing"} {
		for _, name := range []string{"f", "g"} {
			out := w.fails(tools.Conflict, "download", args{"url": at + path, "output": name, "resume": true})
			if !strings.Contains(out.Envelope.Error.Message, name+".part") {
				t.Errorf("%s: %s", name, out.Envelope.Error.Message)
			}
		}
	}
	if w.read("f.part") != "of the user" || w.read("victim.txt") != "victim" {
		t.Errorf("changed: %q, %q", w.read("f.part"), w.read("victim.txt"))
	}
	for _, name := range []string{"f", "g"} { // when it may be: the link goes, not what it leads to
		w.ok("download", args{"url": at + "/f", "output": name, "resume": true, "overwrite": true})
		info, err := os.Lstat(filepath.Join(w.W, name))
		if err != nil || !info.Mode().IsRegular() || w.read(name) != "content" || w.read("victim.txt") != "victim" {
			t.Errorf("%s: %v, %v, victim %q", name, info, err, w.read("victim.txt"))
		}
	}
}

// A server that has a tag and no ranges did not change the file.
func TestBreakWithoutRanges(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "begin")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	w := newWorld(t, Config{})
	out := w.fails(tools.HTTPError, "download", args{"url": at, "output": "f"})
	if !strings.Contains(out.Envelope.Error.Message, "only as a whole") || len(files(t, w.W)) != 0 {
		t.Errorf("%v, files %v", out.Envelope.Error, files(t, w.W))
	}
}

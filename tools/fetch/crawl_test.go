package fetch

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// site is a small web site that counts what is asked of it.
type site struct {
	mu     sync.Mutex
	asked  []string
	pages  map[string]string // path → HTML; "→" before a Location
	robots string
	status int // of robots.txt
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		switch {
		case s.status != 0:
			w.WriteHeader(s.status)
		case s.robots == "":
			w.WriteHeader(404)
		}
		io.WriteString(w, s.robots)
		return
	}
	s.asked = append(s.asked, r.URL.RequestURI())
	body, ok := s.pages[r.URL.RequestURI()]
	switch {
	case !ok:
		w.WriteHeader(404)
	case strings.HasPrefix(body, "→"):
		w.Header().Set("Location", strings.TrimPrefix(body, "→"))
		w.WriteHeader(302)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<title>"+r.URL.Path+"</title><main><h1>"+r.URL.Path+"</h1>"+body+"</main>")
	}
}

func pagesOf(d map[string]any) (list []map[string]any) {
	for _, p := range d["pages"].([]any) {
		list = append(list, p.(map[string]any))
	}
	return list
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	var outside atomic.Int32
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { outside.Add(1) })
	s := &site{robots: "User-agent: *\nDisallow: /private\nAllow: /private/open\n", pages: map[string]string{
		"/":  `<a href="/a">a</a> <a href="/a#x">a again</a> <a href="b/">b</a> <a href="/private/x">p</a> <a href="/private/open">o</a> <a href="` + other + `/">out</a> <a href="/loop1">l</a> <a href="/gone">g</a> <a href="/leaves">v</a> <a href="mailto:x@y">m</a>`,
		"/a": `<a href="/">back</a> <a href="/deep1">d</a> text of a`, "/b/": `<a href="c.html?x=1">c</a> text of b`, "/b/c.html?x=1": `c`, "/private/open": "open", "/private/x": "secret",
		"/loop1": "→/loop2", "/loop2": "→/loop1", "/leaves": "→" + other + "/y", "/deep1": `<a href="/deep2">2</a>`, "/deep2": `<a href="/deep3">3</a>`, "/deep3": "deep",
	}}
	at := serve(t, s.ServeHTTP)
	w := newWorld(t, Config{AllowPrivate: func() []string { return []string{"127.0.0.1"} }})
	text, d := w.ok("crawl", args{"url": at + "/", "output": "site", "delay": 0, "limit": 50})
	var got []string
	for _, p := range pagesOf(d) {
		line := fmt.Sprintf("%s %v", strings.TrimPrefix(p["url"].(string), at), p["path"])
		got = append(got, line)
		if strings.HasPrefix(line, "/private/x") && !strings.Contains(fmt.Sprint(p["error"]), "robots.txt") {
			t.Errorf("%v", p)
		}
	}
	slices.Sort(got)
	want := []string{"/ site/index.md", "/a site/a.md", "/b/ site/b.md", "/b/c.html?x=1 site/b/c-" + sha([]byte("x=1"))[:8] + ".md", "/deep1 site/deep1.md", "/gone <nil>", "/leaves <nil>", "/loop1 <nil>", "/private/open site/private/open.md", "/private/x <nil>"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), text)
	}
	if a := w.read("site/a.md"); !strings.Contains(a, "Source: "+at+"/a\n") || !strings.Contains(a, "text of a") {
		t.Errorf("a.md: %q", a)
	}
	if slices.Contains(s.asked, "/private/x") || outside.Load() != 0 {
		t.Errorf("asked %v, outside %d", s.asked, outside.Load())
	}
	seen := map[string]int{}
	for _, a := range s.asked {
		if seen[a]++; seen[a] > 1 && !strings.HasPrefix(a, "/loop") {
			t.Errorf("%s was asked for twice", a)
		}
	}
}

// Off the host, a crawl goes where an address may be reached, but a page cannot send it to this machine.
func TestCrawlOfOtherHosts(t *testing.T) {
	t.Parallel()
	var inner atomic.Int32
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { inner.Add(1) })
	s := &site{pages: map[string]string{"/": `<a href="` + other + `/admin">x</a> <a href="` + strings.Replace(other, "127.0.0.1", "localhost", 1) + `">y</a> <a href="http://169.254.169.254/">z</a> <a href="http://10.0.0.1/">p</a>`}}
	w := newWorld(t, Config{})
	_, d := w.ok("crawl", args{"url": serve(t, s.ServeHTTP), "delay": 0, "same_host": false})
	if inner.Load() != 0 {
		t.Errorf("the other server was reached %d times", inner.Load())
	}
	for _, p := range pagesOf(d)[1:] {
		if !strings.Contains(fmt.Sprint(p["error"]), "does not reach") {
			t.Errorf("%v", p)
		}
	}
}

// Limits hold; without output the pages are the answer; existing files stay; robots.txt that cannot be had forbids all.
func TestCrawlLimits(t *testing.T) {
	t.Parallel()
	s := &site{pages: map[string]string{}}
	for i := range 60 {
		s.pages[fmt.Sprintf("/p%d", i)] = fmt.Sprintf(`<a href="/p%d">n</a> <a href="/p%d">m</a> body%d`, (i+1)%60, (i*7)%60, i)
	}
	at := serve(t, s.ServeHTTP)
	w := newWorld(t, Config{})
	text, d := w.ok("crawl", args{"url": at + "/p0", "delay": 0, "depth": 10})
	if n := len(pagesOf(d)); n != 10 || len(s.asked) != 10 || !strings.Contains(text, "body0") || len(files(t, w.W)) != 0 {
		t.Errorf("%d pages, asked %d", n, len(s.asked))
	}
	if _, d := w.ok("crawl", args{"url": at + "/p0", "delay": 0, "depth": 0, "limit": 5}); len(pagesOf(d)) != 1 {
		t.Errorf("depth 0: %v", d)
	}
	w.fails(tools.InvalidParams, "crawl", args{"url": at, "limit": 100_000})
	w.fails(tools.InvalidParams, "crawl", args{"url": at, "depth": 1000})
	w.put("out/p0.md", "mine")
	_, d = w.ok("crawl", args{"url": at + "/p0", "output": "out", "delay": 0, "limit": 3})
	if w.read("out/p0.md") != "mine" || !strings.Contains(fmt.Sprint(pagesOf(d)[0]["error"]), "exists") {
		t.Errorf("%v", d)
	}
	w.ok("crawl", args{"url": at + "/p0", "output": "out", "delay": 0, "limit": 1, "overwrite": true})
	if w.read("out/p0.md") == "mine" {
		t.Error("overwrite did nothing")
	}
	for _, output := range []string{"../O", "/etc", ".git/hooks", "out/p0.md"} {
		if out := w.call("crawl", args{"url": at + "/p0", "output": output}); out.Envelope.OK {
			t.Errorf("%s: %+v", output, out.Envelope)
		}
	}
	s.status = 503
	w.fails(tools.PermissionDenied, "crawl", args{"url": at + "/p0", "delay": 0})
	w.ok("crawl", args{"url": at + "/p0", "delay": 0, "robots": false, "limit": 1})
	s.status, s.robots = 0, "User-agent: hanzo-mcp\nDisallow: /\n"
	w.fails(tools.PermissionDenied, "crawl", args{"url": at + "/p0", "delay": 0})
}

// URLs become names inside the folder, whatever they look like.
func TestCrawlNames(t *testing.T) {
	t.Parallel()
	s := &site{pages: map[string]string{"/": `<a href="/..%2f..%2fO/x">1</a> <a href="/.git/config">2</a> <a href="/a/%2e%2e/b">3</a> <a href="/CON">4</a> <a href="/A">5</a> <a href="/a">6</a> <a href="/` + strings.Repeat("d/", 30) + `e">7</a> <a href="/` + strings.Repeat("n", 400) + `">8</a>`}}
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" || r.URL.Path == "/robots.txt" {
			s.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<p>page")
	}
	w := newWorld(t, Config{})
	_, d := w.ok("crawl", args{"url": serve(t, h), "output": "o", "delay": 0, "limit": 50})
	for _, p := range pagesOf(d) {
		if p["error"] != nil {
			t.Errorf("%v", p)
		}
	}
	list := files(t, w.W)
	if len(list) != 9 || len(files(t, w.O)) != 0 {
		t.Errorf("%d files: %q", len(list), list)
	}
	for _, f := range list {
		if strings.Contains(f, "/.") || !strings.HasPrefix(f, "o/") {
			t.Errorf("file %s", f)
		}
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		yes, no    []string
	}{
		{"empty", "", []string{"/", "/x"}, nil},
		{"all", "User-agent: *\nDisallow: /", []string{"/robots.txt"}, []string{"/", "/x"}},
		{"nothing", "User-agent: *\nDisallow:", []string{"/"}, nil},
		{"longest wins", "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", []string{"/a/b", "/b"}, []string{"/a", "/a/c", "/a/b/c"}},
		{"allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a", []string{"/a"}, nil},
		{"our group only", "User-agent: *\nDisallow: /\n\nUser-agent: Hanzo-MCP\nDisallow: /x", []string{"/"}, []string{"/x"}},
		{"groups of several names", "User-agent: foo\nUser-agent: hanzo-mcp\nDisallow: /x\nUser-agent: bar\nDisallow: /", []string{"/"}, []string{"/x"}},
		{"groups are joined", "User-agent: *\nDisallow: /a\nUser-agent: foo\nDisallow: /\nUser-agent: *\nDisallow: /b", []string{"/c"}, []string{"/a", "/b"}},
		{"wildcards", "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*/private/*x", []string{"/a.pdf?x", "/private/x"}, []string{"/a.pdf", "/b/c.pdf", "/q/private/ax"}},
		{"end", "User-agent: *\nDisallow: /a$", []string{"/ab"}, []string{"/a"}},
		{"escapes", "User-agent: *\nDisallow: /%7Ejoe/\nDisallow: /ü", []string{"/joe"}, []string{"/~joe/x", "/%7ejoe/x", "/%C3%BC"}},
		{"comments, CR, BOM", "\xef\xbb\xbf# x\rUSER-AGENT : * # all\rdisallow:/a # b\r", []string{"/b"}, []string{"/a"}},
		{"rules before a group", "Disallow: /\nUser-agent: *\nDisallow: /a", []string{"/b"}, []string{"/a"}},
		{"other lines do not end a group", "User-agent: *\nSitemap: https://x/\nDisallow: /a", nil, []string{"/a"}},
		{"many stars", "User-agent: *\nDisallow: /" + strings.Repeat("*a", 2000) + "b", []string{"/" + strings.Repeat("a", 4000)}, nil},
	} {
		r := parseRobots([]byte(tt.file))
		for _, p := range tt.yes {
			if !r.allows(p) {
				t.Errorf("%s: %.40s is not allowed", tt.name, p)
			}
		}
		for _, p := range tt.no {
			if r.allows(p) {
				t.Errorf("%s: %.40s is allowed", tt.name, p)
			}
		}
	}
	if d := parseRobots([]byte("User-agent: *\nCrawl-delay: 2.5")).delay; d.Seconds() != 2.5 {
		t.Errorf("delay %v", d)
	}
}

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /%7e", "/axxb")
	f.Fuzz(func(t *testing.T, file, path string) { parseRobots([]byte(file)).allows(path) })
}

// The person's browser gets the URL as one argument, through no shell.
func TestOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the opener of this system is not tried")
	}
	bin := t.TempDir()
	said := filepath.Join(bin, "said")
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > "+said+"\ncase $1 in *fail*) exit 3;; esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	l := launch.New(launch.Config{})
	t.Cleanup(func() { l.Close() })
	cfg := Config{Launcher: l, Look: func(name string) (string, error) {
		if name == "xdg-open" {
			return filepath.Join(bin, name), nil
		}
		return "", exec.ErrNotFound
	}, Environ: func() []string { return []string{"DISPLAY=:9", "PATH=" + os.Getenv("PATH")} }}
	w := newWorld(t, cfg)
	for given, want := range map[string]string{
		"https://example.org/a b?x=$(id)&y=`id`;z='\"": "https://example.org/a%20b?x=$(id)&y=%60id%60;z='%22",
		"http://localhost:3000/":                       "http://localhost:3000/",
		"http://192.168.1.1/":                          "http://192.168.1.1/",
	} {
		_, d := w.ok("open", args{"url": given})
		got, err := os.ReadFile(said)
		if err != nil || string(got) != "1\n"+want+"\n" || d["opened"] != true {
			t.Errorf("%s: the opener got %q, %v", given, got, d)
		}
	}
	w.fails(tools.ExitNonzero, "open", args{"url": "https://example.org/fail"})
	for _, u := range []string{"http://169.254.169.254/", "http://metadata.google.internal/"} {
		w.fails(tools.PermissionDenied, "open", args{"url": u})
	}
	cfg.Environ = func() []string { return []string{"PATH=/bin"} }
	newWorld(t, cfg).fails(tools.Unsupported, "open", args{"url": "https://example.org/"})
	newWorld(t, Config{}).fails(tools.Unsupported, "open", args{"url": "https://example.org/"})
}

// A crawl that could put none of its pages where they should be has failed.
func TestCrawlIntoWhatIsThere(t *testing.T) {
	t.Parallel()
	s := &site{pages: map[string]string{"/": `<a href="/a">a</a>`, "/a": "text"}}
	at := serve(t, s.ServeHTTP)
	w := newWorld(t, Config{})
	a := args{"url": at + "/", "output": "site", "delay": 0}
	w.ok("crawl", a)
	if out := w.fails(tools.Conflict, "crawl", a); !strings.Contains(out.Envelope.Error.Message, "overwrite:true") {
		t.Errorf("%v", out.Envelope.Error)
	}
	a["overwrite"] = true
	w.ok("crawl", a)
}

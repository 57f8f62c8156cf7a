package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/page"
)

// Limits of a crawl.
const (
	crawlPages    = 10 // by default
	maxCrawlPages = 200
	maxCrawlDepth = 10
	maxCrawlQueue = 10_000
	maxCrawlBytes = 256 << 20
	crawlDelay    = 200 * time.Millisecond
	pageTimeout   = 30 * time.Second
)

type crawlIn struct {
	URL       string         `json:"url"`
	Output    string         `json:"output"`
	Overwrite bool           `json:"overwrite"`
	Depth     *int           `json:"depth"`
	Limit     int            `json:"limit"`
	SameHost  *bool          `json:"same_host"`
	Robots    *bool          `json:"robots"`
	Delay     *time.Duration `json:"delay"`
	MaxChars  int            `json:"max_chars"`
	Timeout   time.Duration  `json:"timeout"`
}

type crawled struct {
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"`
	Title  string `json:"title,omitempty"`
	Path   string `json:"path,omitempty"`
	Error  string `json:"error,omitempty"`
}

type crawlData struct {
	URL    string    `json:"url"`
	Given  string    `json:"output,omitempty"`
	Pages  []crawled `json:"pages"`
	Count  int       `json:"count"` // pages that were read
	Left   int       `json:"left"`  // links that were found and not followed
	Status string    `json:"status"`
	ProcID string    `json:"proc_id,omitempty"`
}

func (t *tool) crawl() tools.Action {
	return tools.Act(tools.Action{
		Name: "crawl", Aliases: []string{"mirror"}, OwnTime: true, Effect: tools.Writes,
		Doc: "url and the pages that it links to, as Markdown: into the folder output, or as the answer",
	}, func(ctx context.Context, c *tools.Call, in crawlIn) (*tools.Result, error) {
		w, err := t.newCrawl(c, in)
		if err != nil {
			return nil, err
		}
		id, err := t.asJob(ctx, c, "crawl", shown(w.first), in.Timeout, w.run)
		if id != "" {
			return running(id, crawlData{URL: shown(w.first), Given: in.Output, Pages: []crawled{}, Status: "running", ProcID: id}), nil
		}
		if len(w.pages) == 0 && err != nil {
			return nil, err
		}
		d := crawlData{URL: shown(w.first), Given: in.Output, Pages: w.pages, Count: w.read, Left: len(w.queue), Status: "completed"}
		if err != nil {
			d.Status = "failed"
		}
		text, cut := tools.Head(w.text.String(), tools.Limit(in.MaxChars))
		if cut {
			c.Warn("the text of all pages is longer; give output to keep it in files, or a larger max_chars")
		}
		return &tools.Result{Text: text, Data: d, Truncated: cut || len(w.queue) > 0}, err
	})
}

// walker is one crawl.
type walker struct {
	t     *tool
	c     *tools.Call
	in    crawlIn
	first *url.URL
	depth int
	limit int
	same  bool
	heed  bool
	delay time.Duration
	into  *sandbox.Path

	conns  *client
	out    io.Writer
	queue  []link
	seen   map[string]bool
	sites  map[string]robots
	names  map[string]bool
	pages  []crawled
	read   int
	kept   int // in files
	bytes  int
	text   strings.Builder
	waited bool
}

type link struct {
	url   *url.URL
	depth int
}

func (t *tool) newCrawl(c *tools.Call, in crawlIn) (*walker, error) {
	u, err := address(in.URL)
	if err != nil {
		return nil, err
	}
	u.User, u.Fragment = nil, ""
	w := &walker{t: t, c: c, in: in, first: u, depth: 2, limit: cmp.Or(in.Limit, crawlPages), delay: crawlDelay,
		same: in.SameHost == nil || *in.SameHost, heed: in.Robots == nil || *in.Robots,
		seen: map[string]bool{}, sites: map[string]robots{}, names: map[string]bool{}}
	if in.Depth != nil {
		w.depth = *in.Depth
	}
	if in.Delay != nil {
		w.delay = min(*in.Delay, time.Minute)
	}
	if w.limit < 1 || w.limit > maxCrawlPages || w.depth < 0 || w.depth > maxCrawlDepth {
		return nil, tools.Errorf(tools.InvalidParams, "limit must be 1 to %d and depth 0 to %d", maxCrawlPages, maxCrawlDepth).With(tools.Details{Param: "limit"})
	}
	if in.Output == "" {
		return w, nil
	}
	p, err := c.Roots.Resolve(in.Output)
	if err != nil {
		return nil, err
	}
	if info, _, err := c.Roots.Stat(p); err == nil && !info.IsDir() {
		return nil, tools.Errorf(tools.InvalidParams, "output %s is a file; a crawl writes a folder", quote(in.Output)).With(tools.Details{Param: "output"})
	} else if err != nil && sandbox.KindOf(err) != sandbox.NotFound {
		return nil, err
	}
	if reason, is := c.Roots.Protected(p); is {
		return nil, tools.Errorf(tools.PermissionDenied, "%s is read-only to the tools: %s; choose another output", quote(in.Output), reason).With(tools.Details{Param: "output"})
	}
	w.into = &p
	return w, nil
}

// run visits pages, breadth first.
func (w *walker) run(ctx context.Context, out io.Writer) error {
	w.out, w.conns = out, w.t.newClient()
	defer w.conns.Close()
	w.queue = []link{{w.first, 0}}
	w.seen[w.first.String()] = true
	var unkept error
	for len(w.queue) > 0 && w.read < w.limit && w.bytes < maxCrawlBytes && len(w.pages) < 2*w.limit+20 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		got, err := w.visit(ctx, next)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var other *elsewhere
		if errors.As(err, &other) {
			got.Status, got.Error = other.status, tools.Cut(other.Error(), 300)
		} else if err != nil {
			got.Error = tools.Cut(tools.AsError(err).Message, 300)
		}
		w.pages = append(w.pages, got)
		fmt.Fprintf(out, "%d %s %s\n", got.Status, got.URL, cmp.Or(got.Error, got.Path))
		if w.read == 0 && next.depth == 0 && err != nil {
			return err // the very first page
		}
		if got.Path != "" {
			w.kept++
		} else if unkept == nil {
			unkept = err
		}
	}
	if w.into != nil && w.kept == 0 {
		return unkept // not one page could be put where it should be
	}
	return nil
}

// visit reads one page, keeps its text and queues its links.
func (w *walker) visit(ctx context.Context, at link) (crawled, error) {
	one := crawled{URL: tools.Cut(shown(at.url), 500)}
	rules, err := w.rules(ctx, at.url)
	if err != nil {
		return one, err
	}
	if !rules.allows(at.url.RequestURI()) {
		return one, tools.Errorf(tools.PermissionDenied, "robots.txt of %s does not allow %s; robots:false goes there all the same, if the site's owner agrees", at.url.Host, at.url.Path)
	}
	if err := w.pause(ctx, max(w.delay, rules.delay)); err != nil {
		return one, err
	}
	got, body, err := w.get(ctx, at.url)
	if err != nil {
		return one, err
	}
	one.Status = got.StatusCode
	w.bytes += len(body.data)
	if arrived := *got.url; arrived.String() != at.url.String() {
		arrived.Fragment = ""
		if key := arrived.String(); w.seen[key] {
			one.Error = "redirects to a page of this crawl"
			return one, nil
		}
		w.seen[arrived.String()] = true
		one.URL = tools.Cut(shown(&arrived), 500)
		if again, err := w.rules(ctx, &arrived); err != nil || !again.allows(arrived.RequestURI()) {
			return one, cmp.Or(err, error(tools.Errorf(tools.PermissionDenied, "robots.txt does not allow where it redirects to")))
		}
	}
	r, err := w.conns.render(ctx, got, body, "auto")
	if err != nil {
		return one, err
	}
	one.Title = r.data.Title
	if r.err != nil {
		return one, r.err
	}
	if r.image != nil {
		return one, tools.Errorf(tools.Binary, "an image (%s, %d bytes); download gets it", r.data.MIME, r.data.Size)
	}
	w.read++
	if page.IsHTML(r.data.MIME) && at.depth < w.depth {
		w.follow(got, body, at.depth+1)
	}
	return one, w.keep(ctx, got.url, r, &one)
}

// follow queues the links of a page.
func (w *walker) follow(got *answer, body content, depth int) {
	d, err := page.Decode(body.data, got.Header.Get("Content-Type"))
	if err != nil {
		return
	}
	links, nofollow := page.Links(d.Text, got.url)
	if nofollow && w.heed {
		return
	}
	for _, u := range links {
		u.User = nil
		if guard.Canonicalise(u) != nil || !w.within(u) {
			continue
		}
		key := u.String()
		if w.seen[key] || len(w.queue) >= maxCrawlQueue {
			continue
		}
		w.seen[key] = true
		w.queue = append(w.queue, link{u, depth})
	}
}

// within reports whether the crawl may go to u. A page's link never leads it to this machine, as a redirect would not.
func (w *walker) within(u *url.URL) bool {
	if u.Host == w.first.Host {
		return true
	}
	return !w.same && (!guard.IsLoopback(u.Hostname()) || w.t.guard.Allowed(u.Hostname()))
}

// get loads one address of the crawl.
func (w *walker) get(ctx context.Context, u *url.URL) (*answer, content, error) {
	ctx, stop, cancel := timed(ctx, pageTimeout)
	defer cancel()
	a := ask{method: http.MethodGet, url: u, header: http.Header{"Accept": {pageAccept}}, follow: true, within: w.within}
	got, err := w.conns.do(ctx, a)
	if err != nil {
		return nil, content{}, err
	}
	return got, got.read(ctx, stop), nil
}

// rules are those of the site of u, loaded once. What cannot be loaded forbids all, what is not there nothing.
func (w *walker) rules(ctx context.Context, u *url.URL) (robots, error) {
	if !w.heed {
		return robots{}, nil
	}
	site := u.Scheme + "://" + u.Host
	if r, ok := w.sites[site]; ok {
		return r, nil
	}
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	got, body, err := w.get(ctx, at)
	var other *elsewhere
	var r robots
	switch {
	case errors.As(err, &other): // to another host: not fetched for this one
	case err != nil:
		return robots{}, err
	case got.StatusCode >= 500:
		r.none = true
	case got.StatusCode < 300:
		r = parseRobots(body.data)
	}
	w.sites[site] = r
	return r, nil
}

// pause waits between pages.
func (w *walker) pause(ctx context.Context, d time.Duration) error {
	if !w.waited {
		w.waited = true
		return nil
	}
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keep puts the text of a page into its file, or into the answer.
func (w *walker) keep(ctx context.Context, u *url.URL, r *rendered, one *crawled) error {
	text := r.text
	if page.IsHTML(r.data.MIME) {
		text = "Source: " + shown(u) + "\n\n" + text + "\n"
	}
	if w.into == nil {
		if w.text.Len() < tools.MaxChars {
			fmt.Fprintf(&w.text, "===== %s\n\n%s\n\n", shown(u), r.text)
		}
		return nil
	}
	name := w.fileFor(u, r.data.MIME)
	done, err := w.c.Roots.WriteAtomic(ctx, w.into.Join(name), strings.NewReader(text), sandbox.WriteOptions{Exclusive: !w.in.Overwrite, Mkdirs: true})
	if err != nil {
		if sandbox.KindOf(err) == sandbox.Exists {
			return tools.Errorf(tools.Conflict, "%s exists and was kept; give overwrite:true to replace it", quote(w.into.Join(name).String()))
		}
		return err
	}
	one.Path = done.Path.String()
	return nil
}

// fileFor is the file name of a page below the folder of the crawl: the path of its URL, made safe.
func (w *walker) fileFor(u *url.URL, kind string) string {
	var dirs []string
	if !w.same {
		dirs = append(dirs, cmp.Or(safeName(strings.ReplaceAll(u.Host, ":", "_")), "host"))
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) > 8 {
		parts = append(parts[:7:7], strings.Join(parts[7:], "-"))
	}
	for i, p := range parts {
		p = safeName(p)
		if p == "" && i < len(parts)-1 {
			continue
		}
		dirs = append(dirs, cmp.Or(p, "index"))
	}
	last := dirs[len(dirs)-1]
	ext := ".txt"
	switch own := path.Ext(last); {
	case page.IsHTML(kind):
		ext = ".md"
		switch strings.ToLower(own) {
		case ".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp":
			last = strings.TrimSuffix(last, own)
		}
	case own != "":
		ext, last = own, strings.TrimSuffix(last, own)
	default:
		ext = cmp.Or(endings[kind], ext)
	}
	if u.RawQuery != "" {
		sum := sha256.Sum256([]byte(u.RawQuery))
		last += "-" + hex.EncodeToString(sum[:4])
	}
	base := path.Join(append(dirs[:len(dirs)-1:len(dirs)-1], last)...)
	name := base + ext
	for n := 2; w.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	w.names[strings.ToLower(name)] = true
	return name
}

package fetch

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// jobLimit is the time for a download or a crawl that was given none.
const jobLimit = 2 * time.Hour

type downloadIn struct {
	URL       string            `json:"url"`
	Output    string            `json:"output"`
	Overwrite bool              `json:"overwrite"`
	SHA256    string            `json:"sha256"`
	Resume    bool              `json:"resume"`
	Headers   map[string]string `json:"headers"`
	extras
	Timeout time.Duration `json:"timeout"`
}

type downloadData struct {
	URL     string `json:"url,omitempty"`
	Given   string `json:"output,omitempty"`
	Path    string `json:"path,omitempty"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256,omitempty"`
	MIME    string `json:"mime,omitempty"`
	HTTP    int    `json:"http_status,omitempty"`
	Resumed bool   `json:"resumed,omitempty"`
	Partial string `json:"partial,omitempty"` // what is kept of a broken download
	Status  string `json:"status"`
	ProcID  string `json:"proc_id,omitempty"`
}

func (t *tool) download() tools.Action {
	return tools.Act(tools.Action{
		Name: "download", Aliases: []string{"save"}, OwnTime: true, Effect: tools.Writes,
		Doc: "url into a file of the project, whole or not at all",
	}, func(ctx context.Context, c *tools.Call, in downloadIn) (*tools.Result, error) {
		d, err := t.newDownload(c, in)
		if err != nil {
			return nil, err
		}
		var res *tools.Result
		id, err := t.asJob(ctx, c, "download", d.ask.url.String(), in.Timeout, func(ctx context.Context, out io.Writer) error {
			var err error
			res, err = d.run(ctx, out)
			return err
		})
		if id != "" {
			return running(id, downloadData{URL: shown(d.ask.url), Given: in.Output, Status: "running", ProcID: id}), nil
		}
		for _, n := range d.notes {
			c.Warn(n)
		}
		return res, err
	})
}

func running(id string, data any) *tools.Result {
	return &tools.Result{Text: "It goes on in the background: exec wait, logs and kill know it as " + id + ".", Data: data}
}

// asJob runs work as a job for as long as a call may wait. An id comes back when it goes on; otherwise work has ended
// and what it left may be read.
func (t *tool) asJob(ctx context.Context, c *tools.Call, kind, title string, timeout time.Duration, work func(context.Context, io.Writer) error) (id string, err error) {
	limit, wait := cmp.Or(timeout, jobLimit), time.Duration(0)
	if timeout > 0 {
		wait = min(timeout, tools.LocalLimit)
	}
	if t.cfg.Jobs == nil {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return "", work(ctx, io.Discard)
	}
	var result error
	j, err := t.cfg.Jobs.Go(job.Spec{Owner: c.Session.ID, Kind: kind, Title: title, Timeout: limit}, func(ctx context.Context, out io.Writer) error {
		result = work(ctx, out)
		return result
	})
	if err != nil {
		return "", err
	}
	done, err := t.cfg.Jobs.Foreground(ctx, j, wait, c.Progress)
	if err != nil {
		<-j.Done()
		return "", err
	}
	if !done && timeout > 0 && timeout <= tools.LocalLimit {
		j.Stop(job.TimedOut, job.KillGrace)
		<-j.Done()
		done = true
	}
	if !done {
		return j.ID, nil
	}
	j.Deliver()
	switch j.State().Status {
	case job.TimedOut:
		return "", tools.Errorf(tools.Timeout, "the %s took longer than %v and was ended; give a longer timeout, or none to let it go on in the background", kind, timeout)
	case job.Killed:
		return "", tools.Errorf(tools.Cancelled, "the %s was ended", kind)
	}
	return "", result
}

// loading is one download.
type loading struct {
	t      *tool
	c      *tools.Call
	in     downloadIn
	ask    ask
	target sandbox.Path
	folder bool // target is the folder to put the file into
	want   string
	notes  []string
}

// newDownload checks what can be checked before anything is sent.
func (t *tool) newDownload(c *tools.Call, in downloadIn) (*loading, error) {
	a, err := prepare(c, sent{URL: in.URL, Headers: in.Headers, extras: in.extras}, manner{accept: "*/*", follow: true})
	if err != nil {
		return nil, err
	}
	a.method = http.MethodGet
	if _, given := a.header["Accept-Encoding"]; !given {
		a.header["Accept-Encoding"] = []string{"identity"}
	}
	d := &loading{t: t, c: c, in: in, ask: *a}
	if d.want, err = sum(in.SHA256); err != nil {
		return nil, err
	}
	d.target, err = c.Roots.Resolve(cmp.Or(in.Output, "."))
	if err != nil {
		return nil, err
	}
	info, _, err := c.Roots.Stat(d.target)
	switch {
	case err == nil && info.IsDir(), err != nil && strings.HasSuffix(in.Output, "/"):
		d.folder = true
	case err == nil:
		if err := d.taken(d.target); err != nil {
			return nil, err
		}
	case sandbox.KindOf(err) != sandbox.NotFound:
		return nil, err
	}
	if reason, is := c.Roots.Protected(d.target); is {
		return nil, tools.Errorf(tools.PermissionDenied, "%s is read-only to the tools: %s; choose another output", quote(in.Output), reason).With(tools.Details{Param: "output"})
	}
	return d, nil
}

// taken refuses an existing target that is not to be replaced.
func (d *loading) taken(p sandbox.Path) error {
	info, err := d.c.Roots.Lstat(p)
	if err != nil || d.in.Overwrite {
		return nil
	}
	return tools.Errorf(tools.Conflict, "%s exists (%d bytes) and was kept; give overwrite:true to replace it, or another output", quote(p.String()), info.Size()).
		With(tools.Details{Param: "output", Actual: p.String(), Suggestion: "overwrite:true"})
}

// sum reads a sha256 parameter.
func sum(given string) (string, error) {
	s := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(given)), "sha256:")
	if b, err := hex.DecodeString(s); s != "" && (err != nil || len(b) != 32) {
		return "", tools.Errorf(tools.InvalidParams, "sha256 must be 64 hex digits").With(tools.Details{Param: "sha256", Actual: tools.Cut(given, 100)})
	}
	return s, nil
}

// run loads the file. What it writes to out is for those who watch.
func (d *loading) run(ctx context.Context, out io.Writer) (*tools.Result, error) {
	conns := d.t.newClient()
	defer conns.Close()
	s := &source{ctx: ctx, conns: conns, ask: d.ask, most: d.t.cfg.MaxDownload, want: d.want, out: out}
	defer s.finish()
	var res *tools.Result
	var err error
	if d.in.Resume && !d.folder {
		res, err = d.resumable(ctx, s)
	} else {
		res, err = d.whole(ctx, s)
	}
	d.notes = s.notes
	if err != nil {
		fmt.Fprintf(out, "%v\n", tools.AsError(err).Message)
		return res, err
	}
	data := res.Data.(downloadData)
	fmt.Fprintf(out, "saved %s, %d bytes, sha256:%s\n", data.Path, data.Size, data.SHA256)
	return res, nil
}

// whole writes the file in one go; nothing of it stays when it fails.
func (d *loading) whole(ctx context.Context, s *source) (*tools.Result, error) {
	if res, err := s.start(0, ""); err != nil {
		return res, err
	}
	target := d.target
	if d.folder {
		target = target.Join(fileName(s.got.Response, s.got.url))
		if err := d.taken(target); err != nil {
			return nil, err
		}
	}
	done, err := d.c.Roots.WriteAtomic(ctx, target, s, sandbox.WriteOptions{Exclusive: !d.in.Overwrite, Mkdirs: true})
	if err != nil {
		return nil, s.cause(err)
	}
	return d.done(s, done.Path, done.Size), nil
}

func (d *loading) done(s *source, p sandbox.Path, size int64) *tools.Result {
	return &tools.Result{Data: downloadData{URL: tools.Cut(shown(s.got.url), 300), Given: tools.Cut(d.in.Output, 200), Path: p.String(), Size: size, SHA256: s.sum(),
		MIME: s.kind(), HTTP: s.got.StatusCode, Resumed: s.resumed, Status: "completed"}}
}

// parts remembers, for a session, what the kept parts of broken downloads are a part of.
type parts struct {
	mu   sync.Mutex
	list map[string]part
}

type part struct {
	url, validator string
	size           int64
}

// resumable writes into a file beside the target, which stays when the download breaks and is gone on with by the
// next call for the same file, as long as the server still has the same.
func (d *loading) resumable(ctx context.Context, s *source) (*tools.Result, error) {
	known := d.c.Session.Value("fetch.parts", func() any { return &parts{list: map[string]part{}} }).(*parts)
	target, err := d.c.Roots.Follow(d.target)
	if err != nil {
		return nil, err
	}
	beside := target.Dir().Join(target.Base() + ".part")
	if err := d.c.Roots.MkdirAll(target.Dir(), 0o777); err != nil {
		return nil, err
	}
	unlock, err := d.c.Roots.Lock(ctx, beside)
	if err != nil {
		return nil, err
	}
	defer unlock()
	key := beside.Abs()
	known.mu.Lock()
	was := known.list[key]
	known.mu.Unlock()
	how, err := d.claim(beside, was)
	if err != nil {
		return nil, err
	}
	f, err := d.c.Roots.OpenFile(beside, how, 0o666)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var from int64
	if size := f.Info.Size(); size > 0 && size == was.size && was.url == d.ask.url.String() {
		if n, err := io.Copy(&s.hash, f); err != nil || n != size {
			return nil, cmp.Or(err, error(io.ErrUnexpectedEOF))
		}
		from = size
	}
	res, err := s.start(from, was.validator)
	if err != nil && from > 0 {
		return res, s.cause(err) // the part stays for the next call
	}
	if err == nil && s.offset == 0 {
		if err = f.Truncate(0); err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	if err == nil {
		_, err = io.Copy(f, s)
	}
	if err == nil {
		err = f.Sync()
	}
	f.Close() // before the rename, for Windows
	known.mu.Lock()
	defer known.mu.Unlock()
	delete(known.list, key)
	if err == nil {
		if err = d.c.Roots.Rename(beside, target, d.in.Overwrite); err == nil {
			return d.done(s, target, s.offset), nil
		}
	}
	if s.offset == 0 || s.validator == "" || s.spoiled || len(known.list) >= 32 {
		_ = d.c.Roots.Remove(beside)
		return res, s.cause(err)
	}
	known.list[key] = part{url: d.ask.url.String(), validator: s.validator, size: s.offset}
	if res == nil {
		res = &tools.Result{Data: downloadData{URL: tools.Cut(shown(d.ask.url), 300), Size: s.offset, Partial: beside.String(), Status: "failed"}}
	}
	return res, s.cause(err)
}

// claim says how to open the file beside the target: one that this session left there as it is, else a new one. What
// somebody else put there, a link too, is kept unless it may be overwritten; it is never written through.
func (d *loading) claim(beside sandbox.Path, was part) (flags int, err error) {
	info, err := d.c.Roots.Lstat(beside)
	switch {
	case sandbox.KindOf(err) == sandbox.NotFound:
		return os.O_RDWR | os.O_CREATE | os.O_EXCL, nil
	case err != nil:
		return 0, err
	case info.Mode().IsRegular() && was.size > 0 && info.Size() == was.size:
		return os.O_RDWR, nil
	case !d.in.Overwrite || info.IsDir():
		return 0, tools.Errorf(tools.Conflict, "%s exists, is not of a download of this session, and was kept; give overwrite:true to replace it, another output, or leave resume out", quote(beside.String())).
			With(tools.Details{Param: "output", Actual: beside.String()})
	}
	return os.O_RDWR | os.O_CREATE | os.O_EXCL, d.c.Roots.Remove(beside)
}

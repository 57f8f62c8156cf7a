package fetch

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type headIn struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	extras
	Follow  *bool         `json:"follow"`
	Timeout time.Duration `json:"timeout"`
}

// headRoom is how much of the headers goes into data, so that the envelope stays small.
const headRoom = 480

func (t *tool) head() tools.Action {
	return tools.Act(tools.Action{
		Name: "head", OwnTime: true, Effect: tools.Reads, EffectOf: headEffect, Doc: "status and headers of url",
	}, func(ctx context.Context, c *tools.Call, in headIn) (*tools.Result, error) {
		a, err := prepare(c, sent{URL: in.URL, Headers: in.Headers, extras: in.extras}, manner{accept: "*/*", follow: in.Follow == nil || *in.Follow})
		if err != nil {
			return nil, err
		}
		a.method = http.MethodHead
		ctx, stop, cancel := timed(ctx, in.Timeout)
		defer cancel()
		conns := t.newClient()
		defer conns.Close()
		got, err := conns.do(ctx, *a)
		if err != nil {
			return nil, err
		}
		r := got.render(got.read(ctx, stop), "")
		r.data.Size = max(got.ContentLength, 0)
		all, cut := flatHeaders(got.Header, headRoom)
		r.data.Headers = all
		if cut {
			r.text = rawHeaders(got.Response)
		}
		res, err := r.part(c, 0, 0)
		if d, ok := res.Data.(data); ok {
			d.TotalChars = 0
			res.Data = d
		}
		return res, err
	})
}

func headEffect(c *tools.Call) tools.Effect {
	if overridesMethod(c) {
		return tools.Writes
	}
	return tools.Reads
}

// rawHeaders writes the head of an answer.
func rawHeaders(r *http.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Proto, r.Status)
	names := make([]string, 0, len(r.Header))
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range r.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.ToValidUTF8(value, "\ufffd"))
		}
	}
	return b.String()
}

package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

const (
	maxAnswer = 5 << 20          // bytes of an answer, unpacked
	maxWait   = 10 * time.Second // for one answer, whole
	maxItems  = 5000
	maxFiles  = 200
)

// web is a registry on the web.
type web struct {
	name     string
	registry Registry
	client   http.Client
}

func newWeb(name string, r Registry, client *http.Client) *web {
	w := &web{name: name, registry: r}
	if client != nil {
		w.client = *client
	}
	w.client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		// The headers may hold a secret of the origin's, and Go sends most of them on.
		if from := via[0].URL; next.URL.Scheme != from.Scheme || next.URL.Host != from.Host {
			return fmt.Errorf("it redirects to another origin (%s), which is not followed", next.URL.Host)
		}
		if len(via) > 5 {
			return errors.New("it redirects too often")
		}
		return nil
	}
	return w
}

// address gives the URL of an item. The name has been checked.
func (w *web) address(name string) (*url.URL, error) {
	text := w.registry.URL
	if !strings.Contains(text, "{name}") {
		text = strings.TrimSuffix(text, "/") + "/{name}.json"
	}
	u, err := url.Parse(strings.ReplaceAll(strings.ReplaceAll(text, "{name}", name), "{style}", "default"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, tools.Errorf(tools.InvalidParams, "the URL of registry %s in the user settings is no http or https URL", store.Quote(w.name))
	}
	if len(w.registry.Headers) > 0 && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, tools.Errorf(tools.PermissionDenied, "registry %s has headers, which are not sent over plain http to another machine; use https in the user settings", store.Quote(w.name))
	}
	return u, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// errMissing says that a registry has no such document.
var errMissing = errors.New("not there")

// get reads one JSON document into v.
func (w *web) get(ctx context.Context, name string, v any) error {
	u, err := w.address(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	for k, h := range w.registry.Headers {
		req.Header.Set(k, h)
	}
	fail := func(format string, args ...any) error {
		return tools.Errorf(tools.HTTPError, "registry %s (%s): "+format, append([]any{store.Quote(w.name), u.Host}, args...)...)
	}
	res, err := w.client.Do(req)
	if err != nil {
		var wrapped *url.Error
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return tools.Errorf(tools.Timeout, "registry %s (%s) did not answer within %s; try again, or use another", store.Quote(w.name), u.Host, maxWait)
		case errors.Is(err, context.Canceled):
			return err
		case errors.As(err, &wrapped): // without the URL, which may hold a secret
			err = wrapped.Err
		}
		return fail("%v; nothing was read", err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound:
		return errMissing
	case res.StatusCode != http.StatusOK:
		return fail("it answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil && errors.Is(err, context.DeadlineExceeded):
		return tools.Errorf(tools.Timeout, "registry %s (%s) did not finish its answer within %s", store.Quote(w.name), u.Host, maxWait)
	case err != nil:
		return fail("reading its answer: %v", err)
	case len(body) > maxAnswer:
		return tools.Errorf(tools.TooLarge, "registry %s (%s) answered with more than %d bytes", store.Quote(w.name), u.Host, maxAnswer)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), v); err != nil {
		return fail("its answer is not in the format of a registry: %v", err)
	}
	return nil
}

// index reads registry.json, or index.json where there is none.
func (w *web) index(ctx context.Context) ([]Item, error) {
	var list items
	err := w.get(ctx, "registry", &list)
	if errors.Is(err, errMissing) {
		err = w.get(ctx, "index", &list)
	}
	if errors.Is(err, errMissing) {
		return nil, tools.Errorf(tools.NotFound, "registry %s has neither registry.json nor index.json, so it cannot be listed; get_component works when the name is known", store.Quote(w.name))
	}
	return list, err
}

func (w *web) item(ctx context.Context, name string) (*Item, error) {
	var it Item
	err := w.get(ctx, name, &it)
	if errors.Is(err, errMissing) {
		return nil, notFound(w.name, name)
	}
	if err != nil {
		return nil, err
	}
	if len(it.Files) > maxFiles {
		return nil, tools.Errorf(tools.TooLarge, "%s has %d files, more than %d", store.Quote(name), len(it.Files), maxFiles)
	}
	if len(it.Files) == 0 && it.Name == "" && it.Type == "" {
		return nil, tools.Errorf(tools.HTTPError, "registry %s: its answer for %s is no component; search or list_components shows what it has", store.Quote(w.name), store.Quote(name))
	}
	it.Name = name // that of the answer is anyone's
	return &it, nil
}

func notFound(registry, name string) error {
	return tools.Errorf(tools.NotFound, "registry %s has no %s; search or list_components shows what it has", store.Quote(registry), store.Quote(name)).
		With(tools.Details{Param: "component", Actual: store.Cut(name, 60)})
}

// items is an index: an object with a list of items, or the list alone. What is no item, or has no name to ask for,
// is left out.
type items []Item

func (l *items) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if len(b) > 0 && b[0] == '{' {
		var registry struct {
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(b, &registry); err != nil {
			return err
		}
		list = registry.Items
	} else if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) > maxItems {
		return fmt.Errorf("%d items, more than %d", len(list), maxItems)
	}
	for _, raw := range list {
		var it Item
		if json.Unmarshal(raw, &it) == nil && checkName(it.Name) == nil {
			*l = append(*l, it)
		}
	}
	return nil
}

package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of the HTTP side.
const (
	httpPath        = "/mcp"
	headerBytes     = 64 << 10
	headerTime      = 10 * time.Second
	idleConnection  = 120 * time.Second
	idleSession     = 30 * time.Minute
	bodyTime        = 2 * time.Minute  // for the whole of a body
	roomTime        = 10 * time.Second // for room in memory for a body
	writeTime       = 2 * time.Minute  // for a client to take an answer, or one event of a stream
	maxSessions     = 1024
	httpDrain       = 4 * time.Second // at SIGTERM, for the calls at work
	keepAliveStream = 15 * time.Second
)

// onceHeaders decide about access or meaning: a request that has one of them twice is refused, since two readers
// could take different ones.
var onceHeaders = []string{"Authorization", "Origin", "Content-Type", "Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Accept-Encoding"}

// httpFront is the HTTP side of a server: it checks who asks before anything is read, keeps sessions, and frames
// messages. Answers come from the same server.answer as over stdio.
type httpFront struct {
	srv      *server
	id       string   // session of clients that have none
	hosts    []string // names that a request may be addressed to, lower case
	token    [32]byte // SHA-256 of the token
	open     bool     // no token is asked for
	sessions sessions
	bodies   *bodies
	stop     context.Context // done when the server shuts down
}

// serveHTTP listens at the address of the options and serves until ctx is done; then it drains.
func (s *server) serveHTTP(ctx context.Context) error {
	addr := s.opts.http
	if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
		addr = net.JoinHostPort("127.0.0.1", addr)
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return withHint(fmt.Errorf("the address %q: %w", addr, err), "give it as --http=127.0.0.1:8300")
	}
	if a, err := netip.ParseAddr(host); host == "" || err == nil && a.Unmap().IsUnspecified() {
		return withHint(fmt.Errorf("the address %q has no host of its own", addr), "name the one address to listen on, such as 127.0.0.1:8300")
	}
	if s.opts.httpNoToken && !isLoopback(host) {
		return withHint(fmt.Errorf("--http-no-token goes with a loopback address only, not %s", host), "leave --http-no-token out")
	}
	front := &httpFront{srv: s, id: "http-" + runID(), open: s.opts.httpNoToken, bodies: newBodies(inputBudget, inputBudget)}
	front.sessions.init(s)
	front.hosts = append([]string{"localhost", "127.0.0.1", "::1", strings.ToLower(host)}, lowered(s.opts.httpHosts)...)
	token := ""
	if !front.open {
		if token, err = s.httpToken(); err != nil {
			return err
		}
		front.token = sha256.Sum256([]byte(token))
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return withHint(fmt.Errorf("listening: %w", err), "choose another address with --http=HOST:PORT")
	}
	s.warm()
	s.sayEntry(listener.Addr().String(), token)
	if token != "" {
		s.httpSecret.Store(&token) // from here on it is shown to nobody
	}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	front.stop = ctx
	var fresh freshConns
	hs := &http.Server{
		Handler: front, ReadHeaderTimeout: headerTime, IdleTimeout: idleConnection, MaxHeaderBytes: headerBytes,
		BaseContext: func(net.Listener) context.Context { return calls }, ConnState: fresh.state,
		ErrorLog: s.ui.httpLog(),
	}
	go front.sessions.sweep(calls)
	failed := make(chan error, 1)
	go func() { failed <- hs.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Streams that only listen end at once (front.stop); calls at work get httpDrain, then they are cancelled.
	drain, done := context.WithTimeout(context.Background(), httpDrain)
	defer done()
	hs.RegisterOnShutdown(fresh.close)
	if hs.Shutdown(drain) != nil {
		cancel()
		last, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		if hs.Shutdown(last) != nil {
			_ = hs.Close()
		}
	}
	return nil
}

// freshConns are the connections on which no request has come yet. Browsers and HTTP clients open some to spare;
// http.Server.Shutdown would wait 5 s for each.
type freshConns struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
	ended bool
}

func (f *freshConns) state(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(f.conns, c)
	case f.ended:
		_ = c.Close()
	default:
		if f.conns == nil {
			f.conns = map[net.Conn]bool{}
		}
		f.conns[c] = true
	}
}

func (f *freshConns) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	for c := range f.conns {
		_ = c.Close()
	}
}

func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}

// minHTTPToken is how many characters a token from the environment must have: behind it lies exec.
const minHTTPToken = 16

// httpToken is the token that clients must send: the environment's, else one that is kept so that the client's
// entry works after a restart. It is no bearer of the cloud.
func (s *server) httpToken() (string, error) {
	if t := s.env.getenv("HANZO_MCP_HTTP_TOKEN"); t != "" {
		if len(t) < minHTTPToken || strings.Trim(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=") != "" {
			return "", withHint(fmt.Errorf("HANZO_MCP_HTTP_TOKEN is no token: it takes %d characters or more, letters, digits and -._~+/=", minHTTPToken), "leave it unset, and one is made and kept")
		}
		return t, nil
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	token := base64.RawURLEncoding.EncodeToString(secret)
	state := s.env.stateDir()
	if state == "" {
		s.ui.warnf("no home folder is known to keep the token in, so it is another one after a restart; set HOME, or HANZO_MCP_HTTP_TOKEN")
		return token, nil
	}
	file := filepath.Join(state, "http-token")
	if raw, err := readPrivate(file); err == nil && len(raw) >= 32 {
		return raw, nil
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", withHint(fmt.Errorf("reading the token: %w", err), "remove %s, or set HANZO_MCP_HTTP_TOKEN", file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fmt.Errorf("keeping the token: %w", err)
	}
	// Two servers may start at once: the whole file appears under its name, and the first one's stays.
	f, err := os.CreateTemp(filepath.Dir(file), ".token-*") // 0600
	if err == nil {
		_, err = f.WriteString(token)
		err = errors.Join(err, f.Close())
		if err == nil {
			err = os.Link(f.Name(), file)
		}
		err = errors.Join(err, os.Remove(f.Name()))
	}
	if errors.Is(err, os.ErrExist) {
		if kept, rerr := readPrivate(file); rerr == nil && len(kept) >= 32 {
			return kept, nil
		}
		return "", withHint(fmt.Errorf("the token in %s is too short", file), "remove the file; a new one is made")
	}
	if err != nil {
		return "", withHint(fmt.Errorf("keeping the token: %w", err), "set HANZO_MCP_HTTP_TOKEN instead")
	}
	return token, nil
}

// readPrivate reads a small file that nobody else can have written or can read.
func readPrivate(file string) (string, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", fmt.Errorf("%s is no regular file of a token's size", file)
	}
	if err := ownAlone(file, info); err != nil {
		return "", err
	}
	raw, err := os.ReadFile(file)
	return strings.TrimSpace(string(raw)), err
}

// sayEntry tells on stderr where the server listens, with an entry ready for a client.
func (s *server) sayEntry(addr, token string) {
	u := "http://" + addr + httpPath
	s.ui.infoAlways("serving MCP at %s", u)
	entry := fmt.Sprintf(`{"mcpServers":{"hanzo":{"type":"http","url":%q`, u)
	if token == "" {
		s.ui.warnf("no token is asked for: every local user can run commands as you through this port")
	} else {
		entry += fmt.Sprintf(`,"headers":{"Authorization":"Bearer %s"}`, token)
	}
	s.ui.infoAlways("client entry: %s}}}", entry)
}

// ServeHTTP checks who asks, before a byte of the body is read, and hands the request to its method.
func (h *httpFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.hostAllowed(r.Host) {
		refuseHTTP(w, http.StatusForbidden, "this server is not to be reached under the name "+clipBytes([]byte(r.Host), 100)+" (--http-host adds one)")
		return
	}
	for _, name := range onceHeaders {
		if len(r.Header.Values(name)) > 1 {
			refuseHTTP(w, http.StatusBadRequest, "the header "+name+" is given twice")
			return
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !h.originAllowed(origin) {
		refuseHTTP(w, http.StatusForbidden, "requests of web pages are not taken")
		return
	}
	if strings.TrimSuffix(r.URL.Path, "/") != httpPath {
		refuseHTTP(w, http.StatusNotFound, "MCP is served at "+httpPath)
		return
	}
	if !h.open && !h.tokenGood(r.Header.Get("Authorization")) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="hanzo-mcp"`)
		refuseHTTP(w, http.StatusUnauthorized, "send the token that hanzo-mcp showed at its start: Authorization: Bearer TOKEN")
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuseHTTP(w, http.StatusMethodNotAllowed, r.Method+" is not used here")
	}
}

func (h *httpFront) hostAllowed(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	} else if inner, ok := strings.CutPrefix(host, "["); ok {
		name = strings.TrimSuffix(inner, "]")
	}
	return slices.Contains(h.hosts, strings.ToLower(name))
}

func (h *httpFront) originAllowed(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && h.hostAllowed(u.Host)
}

func (h *httpFront) tokenGood(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

// refuseHTTP answers a request that is not taken with a JSON-RPC error without an id.
func refuseHTTP(w http.ResponseWriter, status int, text string) {
	writeRPC(w, status, nil, -32600, text)
}

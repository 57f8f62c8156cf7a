package git

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// transports are the URL schemes that may be spoken. All else (ext::, fd::, any other helper) would run a program.
var transports = map[string]bool{"http": true, "https": true, "ssh": true, "git+ssh": true, "ssh+git": true, "git": true, "file": true}

var helper = tools.Pattern(`^[A-Za-z0-9][A-Za-z0-9+.-]*::`)

// scpPassword is an address of ssh's short form with a password, which git would take for the path at a host of that name.
var scpPassword = tools.Pattern(`^[^/@:]+:[^@]+@[A-Za-z0-9.-]+:`)

// checkURL judges the address of another repository. resolved is the one to use; a path or a
// file: URL must lie inside the roots, and folder is where.
func checkURL(roots *sandbox.Roots, given, base string) (resolved, folder string, err error) {
	bad := func(why string) error {
		return tools.Errorf(tools.InvalidParams, "the address %s %s; use https://, http://, ssh:// or user@host:path", sandbox.Printable(withoutLogin(given)), why).With(tools.Details{Param: "url"})
	}
	switch {
	case given == "":
		return "", "", tools.Errorf(tools.InvalidParams, "url is missing").With(tools.Details{Param: "url"})
	case strings.HasPrefix(given, "-"):
		return "", "", bad(`may not begin with "-"`)
	case strings.ContainsFunc(given, func(c rune) bool { return c < 0x20 || c == 0x7f }):
		return "", "", bad("holds control characters")
	case helper().MatchString(given):
		return "", "", bad("names a remote helper")
	}
	if scheme, rest, ok := strings.Cut(given, "://"); ok && !strings.ContainsAny(scheme, "/:@") {
		scheme = strings.ToLower(scheme)
		if !transports[scheme] {
			return "", "", bad("has a scheme that is not spoken here")
		}
		if scheme != "file" {
			if u, err := url.Parse(given); err != nil || u.Host == "" || strings.HasPrefix(u.Hostname(), "-") {
				return "", "", bad("cannot be read")
			}
			if scheme == "git" && strings.Contains(rest, "@") { // git would take it for a part of the host, and say so
				return "", "", bad("holds a login, which git:// has no use for")
			}
			return given, "", nil
		}
		path := rest
		if !strings.HasPrefix(path, "/") {
			return "", "", bad("names a host")
		}
		if path, err = url.PathUnescape(path); err != nil {
			return "", "", bad("cannot be read")
		}
		if folder, err = inside(roots, base, path, given); err != nil {
			return "", "", err
		}
		return given, folder, nil
	}
	if colon := strings.IndexByte(given, ':'); colon > 0 && !strings.Contains(given[:colon], "/") && !filepath.IsAbs(given) {
		if host := given[strings.LastIndexByte(given[:colon], '@')+1 : colon]; host == "" || strings.HasPrefix(host, "-") {
			return "", "", bad("cannot be read")
		}
		if scpPassword().MatchString(given) {
			return "", "", bad("holds a password in a form that git does not know")
		}
		return given, "", nil
	}
	if strings.HasPrefix(given, "~") {
		base = ""
	}
	folder, err = inside(roots, base, given, given)
	return folder, folder, err
}

// withoutLogin is an address that nobody understands without what may be a login in it: all before the last @.
func withoutLogin(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 || !strings.Contains(address[:at], ":") {
		return redact(address)
	}
	scheme, _, ok := strings.Cut(address[:at], "://")
	if scheme += "://"; !ok {
		scheme = ""
	}
	return redact(scheme + "***" + address[at:])
}

// inside gives the folder of a local repository, named from base, and refuses one outside the roots.
func inside(roots *sandbox.Roots, base, path, given string) (string, error) {
	p, err := reach(roots, base, path)
	if err == nil || sandbox.KindOf(err) == sandbox.NotFound { // that it is missing, git says in its own words
		return p.Abs(), nil
	}
	return "", tools.Errorf(tools.PermissionDenied, "the repository %s is outside the allowed folders; the user can add it with --allow-path", sandbox.Printable(given)).
		With(tools.Details{Param: "url"})
}

// urlPaths lists the url of a call when it is a path, for rules and prompts.
func urlPaths(c *tools.Call) []string {
	given := c.Args.String("url")
	if given == "" || helper().MatchString(given) {
		return nil
	}
	if scheme, path, ok := strings.Cut(given, "://"); ok {
		if strings.EqualFold(scheme, "file") {
			return []string{path}
		}
		return nil
	}
	if colon := strings.IndexByte(given, ':'); colon > 0 && !strings.Contains(given[:colon], "/") {
		return nil
	}
	return []string{given}
}

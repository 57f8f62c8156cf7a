package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type remoteIn struct {
	common
	Sub     string `json:"sub_action"`
	Name    string `json:"name"`
	NewName string `json:"new_name"`
	URL     string `json:"url"`
	DryRun  bool   `json:"dry_run"`
}

type remoteOne struct {
	Name string `json:"name"`
	URL  string `json:"url"` // passwords left out
	Push string `json:"push_url,omitempty"`
}

var remoteSubs = verbs{"": tools.Reads, "list": tools.Reads, "get_url": tools.Reads, "add": tools.Writes, "remove": tools.Writes, "rename": tools.Writes, "set_url": tools.Writes}

var remoteAliases = map[string]string{"ls": "list", "show": "list", "rm": "remove", "delete": "remove", "geturl": "get_url", "seturl": "set_url"}

func (t *git) remote() tools.Action {
	return tools.Act(tools.Action{
		Name: "remote", Aliases: []string{"remotes"}, OwnTime: true, Effect: tools.Reads,
		Doc:      "list, add (name, url), remove, rename (name, new_name), set_url, get_url",
		EffectOf: remoteSubs.effect(remoteAliases, nil),
		Paths:    urlPaths,
	}, func(ctx context.Context, c *tools.Call, in remoteIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := remoteSubs.pick(in.Sub, remoteAliases)
		if err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("remote")
		}
		if err := checkRefs("name", in.Name, "new_name", in.NewName); err != nil {
			return nil, err
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if sub == "" || sub == "list" || sub == "get_url" {
			return r.listRemotes(ctx, in.Name)
		}
		if in.Name == "" {
			return nil, tools.Errorf(tools.InvalidParams, "name is missing: the remote to %s", sub).With(tools.Details{Param: "name"})
		}
		args := []string{"remote", strings.ReplaceAll(sub, "_", "-")}
		switch sub {
		case "add", "set_url":
			address, _, err := checkURL(r.roots, in.URL, r.top.Abs())
			if err != nil {
				return nil, err
			}
			args = append(args, "--", in.Name, address)
		case "rename":
			if in.NewName == "" {
				return nil, tools.Errorf(tools.InvalidParams, "new_name is missing").With(tools.Details{Param: "new_name"})
			}
			args = append(args, "--", in.Name, in.NewName)
		default:
			args = append(args, "--", in.Name)
		}
		if in.DryRun {
			return dry(r, redact("git "+strings.Join(args, " "))), nil
		}
		if _, err := r.mustWrite(ctx, change{args: args, config: true}); err != nil {
			return nil, timedOut(err)
		}
		return r.listRemotes(ctx, "")
	})
}

func (r *repo) listRemotes(ctx context.Context, name string) (*tools.Result, error) {
	out, err := r.mustRead(ctx, "remote", "--verbose")
	if err != nil {
		return nil, timedOut(err)
	}
	d := struct {
		place
		Remotes []remoteOne `json:"remotes"`
		Count   int         `json:"count"`
	}{place: r.place()}
	text, _ := valid(redact(string(out)))
	var b strings.Builder
	for line := range strings.Lines(text) {
		remote, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || name != "" && remote != name {
			continue
		}
		address, fetch := strings.CutSuffix(rest, " (fetch)")
		if !fetch {
			address, fetch = rest[:max(strings.Index(rest, " (fetch) ["), 0)], strings.Contains(rest, " (fetch) [") // a partial clone's filter
		}
		b.WriteString(line)
		n := len(d.Remotes)
		switch {
		case fetch:
			d.Remotes = append(d.Remotes, remoteOne{Name: remote, URL: address})
		case n > 0 && d.Remotes[n-1].Name == remote:
			if push := strings.TrimSuffix(rest, " (push)"); push != d.Remotes[n-1].URL {
				d.Remotes[n-1].Push = push
			}
		}
	}
	if name != "" && len(d.Remotes) == 0 {
		return nil, tools.Errorf(tools.NotFound, "there is no remote %s; see git.remote", name).With(tools.Details{Param: "name"})
	}
	d.Remotes, d.Count = some(d.Remotes), len(d.Remotes)
	if d.Count == 0 {
		b.WriteString("no remotes\n")
	}
	text, _ = tools.Head(b.String(), tools.DefaultChars)
	return &tools.Result{Text: text, Data: d}, nil
}

type configIn struct {
	common
	Sub    string  `json:"sub_action"`
	Key    string  `json:"key"`
	Value  *string `json:"value"`
	All    bool    `json:"all"`
	DryRun bool    `json:"dry_run"`
	page
}

type configOne struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Local bool   `json:"local,omitempty"`
}

var configSubs = verbs{"": tools.Reads, "get": tools.Reads, "list": tools.Reads, "set": tools.Writes}

var configAliases = map[string]string{"ls": "list", "write": "set", "add": "set"}

func (t *git) configure() tools.Action {
	return tools.Act(tools.Action{
		Name: "config", OwnTime: true, Effect: tools.Reads,
		Doc:      "get (key), list, set (key, value; only user.*, branch.*, remote.*.url, pull.*, push.default, core.autocrlf, core.eol)",
		EffectOf: configSubs.effect(configAliases, nil),
	}, func(ctx context.Context, c *tools.Call, in configIn) (*tools.Result, error) {
		ctx, cancel := deadline(ctx, in.Timeout)
		defer cancel()
		sub, err := configSubs.pick(in.Sub, configAliases)
		if err = firstError(err, in.check()); err != nil {
			return nil, err
		}
		if t.embedded() {
			return nil, unsupported("config")
		}
		r, err := t.open(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		if sub == "" && in.Value != nil {
			c.Warn("nothing was written: config reads unless sub_action says set")
		}
		if sub == "set" {
			return r.setConfig(ctx, in)
		}
		if sub == "get" && in.Key == "" {
			return nil, tools.Errorf(tools.InvalidParams, "key is missing, such as user.email").With(tools.Details{Param: "key"})
		}
		s, err := r.load(ctx)
		if err != nil {
			return nil, timedOut(err)
		}
		return r.showConfig(s, in)
	})
}

// secretKey reports whether the value of a key is a credential.
func secretKey(key string) bool {
	for _, word := range []string{"extraheader", "pass", "token", "secret", "cookie", "proxyauth", "oauth", "apikey", "api-key"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// secretArg finds an argument of a command that is a credential, secretWord what commands and headers call one; bareLogin a login without a scheme before it.
var (
	secretArg  = tools.Pattern(`(?i)\bsshpass\s|--?(?:pass(?:w(?:or)?d|phrase)?|token|secret|(?:api-?)?key)(?:\s+|=)\S`)
	secretWord = tools.Pattern(`(?i)(?:pass(?:w(?:or)?d|phrase)?|secret|token|api[_-]?key|private[_-]?key)["']?\s*[=:]|authorization|bearer `)
	bareLogin  = tools.Pattern(`^[^\s/@:]+:[^\s/@]+@`)
)

// publicValue is the value of a setting without credentials.
func publicValue(key, value string) string {
	value, _ = valid(redact(value))
	if secretKey(key) || secretArg().MatchString(value) || secretWord().MatchString(strings.ReplaceAll(value, "=***", "")) {
		return "***"
	}
	return bareLogin().ReplaceAllString(value, "***@")
}

// spelled is a config key as git lists it: section and name in lower case, the middle as it is.
func spelled(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (r *repo) showConfig(s *settings, in configIn) (*tools.Result, error) {
	d := struct {
		place
		Value  *string     `json:"value,omitempty"`
		Values []configOne `json:"values,omitempty"`
		Count  int         `json:"count,omitempty"`
	}{place: r.place()}
	var list []configOne
	hidden := 0
	for _, one := range s.list {
		if one.outside {
			hidden++
			continue
		}
		value := publicValue(one.key, one.value)
		if in.Key == "" || one.key == spelled(in.Key) {
			list = append(list, configOne{shown(redact(one.key)), value, one.local})
		}
	}
	if hidden > 0 {
		r.c.Warn(fmt.Sprintf("%d settings are not shown: they come from files outside the allowed folders, which the repository's config includes", hidden))
	}
	if in.Key != "" {
		if len(list) == 0 {
			return nil, tools.Errorf(tools.NotFound, "%s is not set", in.Key).With(tools.Details{Param: "key"})
		}
		d.Value = &list[len(list)-1].Value
		if len(list) > 1 {
			d.Values = list[:min(len(list), 50)]
		}
		return &tools.Result{Data: d}, nil
	}
	var b strings.Builder
	all := len(list)
	list = list[min(in.Offset, all):]
	list = list[:min(len(list), limitOr(in.Limit, maxListed))]
	for _, one := range list {
		fmt.Fprintf(&b, "%s=%s\n", one.Key, one.Value)
	}
	d.Count = all // the payload has the values
	return listed(b.String(), d, in.page, len(list), all), nil
}

// writable reports whether the config key may be written, and checks its value. What is refused could make git run
// a program or talk to a host without being told to.
func (r *repo) writableKey(key, value string) error {
	refused := tools.Errorf(tools.PermissionDenied, "%s may not be written: only user.*, branch.*, remote.*.url, pull.*, push.default, core.autocrlf and core.eol; ask the user", key).
		With(tools.Details{Param: "key"})
	section, rest, ok := strings.Cut(key, ".")
	control := func(s string) bool {
		return strings.ContainsFunc(s, func(c rune) bool { return c < 0x20 || c == 0x7f })
	}
	if !ok || control(key) {
		return refused
	}
	if control(value) {
		return tools.Errorf(tools.InvalidParams, "value holds a line break or another control character; nothing was written").With(tools.Details{Param: "value"})
	}
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "user":
		return nil
	case "branch":
		switch name {
		case "remote", "pushremote":
			if strings.ContainsAny(value, ":/\\") || strings.HasPrefix(value, "-") {
				return tools.Errorf(tools.InvalidParams, "%s takes the name of a remote, or \".\"", key).With(tools.Details{Param: "value"})
			}
			return nil
		case "merge", "rebase", "description", "autosetuprebase", "autosetupmerge", "sort":
			return nil
		}
		return refused // mergeOptions can name a program
	case "pull":
		if name == "rebase" || name == "ff" {
			return nil
		}
		return refused // twohead and octopus can name a program
	case "remote":
		if name != "url" || !strings.Contains(rest, ".") {
			return refused
		}
		if _, folder, err := checkURL(r.roots, value, r.top.Abs()); err != nil {
			return err
		} else if folder != "" || strings.HasPrefix(strings.ToLower(value), "git:") {
			return tools.Errorf(tools.PermissionDenied, "%s takes an https, http or ssh address; a path goes through git.remote", key).With(tools.Details{Param: "value"})
		}
		return nil
	}
	switch key {
	case "push.default", "core.autocrlf", "core.eol":
		return nil
	}
	return refused
}

func (r *repo) setConfig(ctx context.Context, in configIn) (*tools.Result, error) {
	if in.Key == "" || in.Value == nil {
		return nil, tools.Errorf(tools.InvalidParams, "set takes key and value").With(tools.Details{Param: "key"})
	}
	key := spelled(in.Key)
	if err := firstError(r.writableKey(key, *in.Value), checkSetting(key, *in.Value)); err != nil {
		return nil, err
	}
	if in.DryRun {
		return dry(r, redact("git config "+key+" "+*in.Value)), nil
	}
	if _, err := r.mustWrite(ctx, change{args: []string{"config", "--local", "--replace-all", "--end-of-options", key, *in.Value}, config: true}); err != nil {
		return nil, timedOut(err)
	}
	return &tools.Result{Data: struct {
		place
		Key   string `json:"key"`
		Value string `json:"value"`
	}{r.place(), key, redact(*in.Value)}}, nil
}

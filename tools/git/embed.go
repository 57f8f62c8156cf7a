package git

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// backendName is what answers of the embedded backend say in backend.
const backendName = "go-git"

// embed is a repository open in the embedded backend. It answers only where it answers as git would: every state
// that it is known to get wrong is refused by fit and its kin.
type embed struct {
	*repo
	git      *gogit.Repository
	settings *settings
}

// open opens the repository in the embedded backend and refuses what it cannot read at all.
func (r *repo) embed() (*embed, error) {
	if err := r.owned(); err != nil {
		return nil, err
	}
	s, err := r.plainSettings()
	if err != nil {
		return nil, err
	}
	e := &embed{repo: r, settings: s}
	for _, one := range s.list {
		switch key, on := one.key, s.bool(one.key); {
		case strings.HasPrefix(key, "extensions."):
			return nil, e.refuse(key + " is set (sha256, reftable, partial clone, work tree config)")
		case key == "core.sparsecheckout" && on, key == "core.splitindex" && on:
			return nil, e.refuse(key + " is set")
		case key == "core.worktree":
			return nil, e.refuse("core.worktree is set")
		}
	}
	for _, name := range []string{"objects/info/alternates", "refs/replace", "info/grafts", "reftable", "info/sparse-checkout"} {
		if _, err := r.roots.Lstat(r.common.Join(name)); err == nil {
			return nil, e.refuse("the repository has " + name)
		}
	}
	if packed, err := r.text(r.common.Join("packed-refs"), maxIndex); err == nil && strings.Contains(packed, " refs/replace/") {
		return nil, e.refuse("the repository has replaced objects")
	}
	e.git, err = gogit.PlainOpenWithOptions(r.top.Abs(), &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return nil, e.refuse("opening it: " + err.Error())
	}
	return e, nil
}

func (e *embed) refuse(why string) error { return refusal(why) }

// refusal is UNSUPPORTED of the embedded backend with its reason.
func refusal(why string) error {
	return tools.Errorf(tools.Unsupported, "the git program is not installed, and the embedded one would answer wrongly here: %s; install git", why)
}

// place marks the answer as the embedded backend's.
func (e *embed) place() place {
	p := e.repo.place()
	p.Backend = backendName
	return p
}

// plainSettings reads the config files themselves. Files that include others are refused.
func (r *repo) plainSettings() (*settings, error) {
	s := &settings{}
	add := func(text string, local bool) error {
		cfg := config.New()
		if err := config.NewDecoder(strings.NewReader(text)).Decode(cfg); err != nil {
			return refusal("its config cannot be read: " + err.Error())
		}
		for _, sec := range cfg.Sections {
			name := strings.ToLower(sec.Name)
			if strings.HasPrefix(name, "include") {
				return refusal("a config file includes another")
			}
			for _, o := range sec.Options {
				s.list = append(s.list, setting{local: local, key: name + "." + strings.ToLower(o.Key), value: o.Value})
			}
			for _, sub := range sec.Subsections {
				for _, o := range sub.Options {
					s.list = append(s.list, setting{local: local, key: name + "." + sub.Name + "." + strings.ToLower(o.Key), value: o.Value})
				}
			}
		}
		return nil
	}
	for _, name := range r.t.userFiles() {
		if b, err := os.ReadFile(name); err == nil {
			if err := add(string(b), false); err != nil {
				return nil, err
			}
		}
	}
	return s, add(r.config, true)
}

// userFiles are the user's own config files, weakest first.
func (t *git) userFiles() []string {
	env := map[string]string{}
	for _, kv := range t.env() {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	var names []string
	if env["GIT_CONFIG_NOSYSTEM"] == "" {
		names = append(names, "/etc/gitconfig")
	}
	if global := env["GIT_CONFIG_GLOBAL"]; global != "" {
		return append(names, global)
	}
	if xdg := env["XDG_CONFIG_HOME"]; xdg != "" {
		names = append(names, filepath.Join(xdg, "git", "config"))
	} else if env["HOME"] != "" {
		names = append(names, filepath.Join(env["HOME"], ".config", "git", "config"))
	}
	if env["HOME"] != "" {
		names = append(names, filepath.Join(env["HOME"], ".gitconfig"))
	}
	return names
}

// excludes is the text of the user's core.excludesFile.
func (e *embed) excludes() []byte {
	home, config := "", ""
	for _, kv := range e.t.env() {
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = v
		}
		if v, ok := strings.CutPrefix(kv, "XDG_CONFIG_HOME="); ok {
			config = v
		}
	}
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	name := filepath.Join(config, "git", "ignore")
	if v := e.settings.get("core.excludesfile"); v != "" {
		name = v
		if rest, ok := strings.CutPrefix(v, "~/"); ok {
			name = filepath.Join(home, rest)
		}
	}
	b, _ := os.ReadFile(name)
	return b
}

// fitForFiles refuses what the embedded backend gets wrong about files: conversions of line ends and filters, and
// states of the index that it does not know.
func (e *embed) fitForFiles() (*index.Index, error) {
	s := e.settings
	switch v := strings.ToLower(s.get("core.autocrlf")); v {
	case "", "false", "0", "no", "off":
	default:
		return nil, e.refuse("core.autocrlf is " + v)
	}
	for _, key := range []string{"core.filemode", "core.symlinks"} {
		if s.get(key) != "" && !s.bool(key) {
			return nil, e.refuse(key + " is false")
		}
	}
	if v := s.get("core.attributesfile"); v != "" {
		return nil, e.refuse("core.attributesFile is set")
	}
	if s.bool("core.ignorecase") {
		return nil, e.refuse("core.ignoreCase is set")
	}
	if _, err := e.roots.Lstat(e.common.Join("info/attributes")); err == nil {
		return nil, e.refuse("the repository has info/attributes")
	}
	raw, err := e.text(e.gitDir.Join("index"), maxIndex)
	if err != nil {
		return &index.Index{Version: 2}, nil // nothing was added yet
	}
	if strings.Contains(raw, "link\x00") {
		return nil, e.refuse("the index is split")
	}
	idx, err := e.git.Storer.Index()
	if err != nil {
		return nil, e.refuse("reading the index: " + err.Error())
	}
	if err := e.fitIndex(raw, idx); err != nil {
		return nil, err
	}
	return idx, nil
}

func (e *embed) fitIndex(raw string, idx *index.Index) error {
	if len(raw) > 7 && raw[7] > 3 {
		return e.refuse("the index has version 4")
	}
	if assumed(raw) {
		return e.refuse("files are marked assume-unchanged")
	}
	for _, en := range idx.Entries {
		switch {
		case en.Stage != 0:
			return e.refuse("there are conflicts")
		case en.IntentToAdd:
			return e.refuse("files are marked to be added later (add -N)")
		case en.SkipWorktree:
			return e.refuse("files are left out of the work tree (skip-worktree)")
		case en.Mode == filemode.Submodule:
			if _, err := e.roots.Lstat(e.top.Join(en.Name).Join(".git")); err == nil {
				return e.refuse("the submodule " + en.Name + " is checked out")
			}
		case path.Base(en.Name) == ".gitattributes":
			if err := e.fitAttributes(en.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// assumed looks for the assume-unchanged bit, which go-git does not keep, in an index of version 2 or 3.
func assumed(raw string) bool {
	if len(raw) < 12 {
		return false
	}
	count := int(raw[8])<<24 | int(raw[9])<<16 | int(raw[10])<<8 | int(raw[11])
	for at := 12; count > 0 && at+62 < len(raw); count-- {
		flags := raw[at+60]
		if flags&0x80 != 0 {
			return true
		}
		name := at + 62
		if flags&0x40 != 0 {
			name += 2
		}
		end := strings.IndexByte(raw[name:], 0)
		if end < 0 {
			return false
		}
		at += (name - at + end + 8) / 8 * 8
	}
	return false
}

// fitAttributes refuses attributes that change what a file's content or diff is.
func (e *embed) fitAttributes(name string) error {
	text, err := e.text(e.top.Join(name), configMax)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		for _, attr := range fields[1:] {
			attr, _, _ = strings.Cut(strings.TrimLeft(attr, "-!"), "=")
			switch attr {
			case "text", "eol", "crlf", "filter", "ident", "working-tree-encoding", "diff", "binary":
				return e.refuse(name + " sets " + attr)
			}
		}
	}
	return nil
}

// fitForHistory refuses what the embedded backend gets wrong about commits.
func (e *embed) fitForHistory() error {
	if _, err := e.roots.Lstat(e.common.Join("shallow")); err == nil {
		return e.refuse("the history is shallow")
	}
	return nil
}

// fitForNames refuses what would change how authors are shown.
func (e *embed) fitForNames() error {
	if _, err := e.roots.Lstat(e.top.Join(".mailmap")); err == nil {
		return e.refuse("the repository has a .mailmap")
	}
	if e.settings.get("mailmap.file")+e.settings.get("mailmap.blob") != "" {
		return e.refuse("a mailmap is set")
	}
	return nil
}

// content reads a blob of the repository.
func (e *embed) content(hash string) ([]byte, error) {
	blob, err := e.git.BlobObject(hashOf(hash))
	if err != nil {
		return nil, fmt.Errorf("reading object %s: %w", hash, err)
	}
	if blob.Size > maxOut {
		return nil, errTooMuch
	}
	rd, err := blob.Reader()
	if err != nil {
		return nil, fmt.Errorf("reading object %s: %w", hash, err)
	}
	defer rd.Close()
	var b bytes.Buffer
	_, err = io.Copy(&b, rd)
	return b.Bytes(), err
}

package git

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// readConfig reads the repository's own config files. One that cannot be read whole is refused: git would read it, and
// what it says could not be judged.
func (r *repo) readConfig() error {
	for _, p := range []sandbox.Path{r.common.Join("config"), r.gitDir.Join("config.worktree")} {
		text, err := r.text(p, configMax+1)
		switch {
		case err != nil && sandbox.KindOf(err) == sandbox.NotFound:
			continue
		case err != nil:
			return tools.Errorf(tools.PermissionDenied, "the config of %s cannot be read, so what it would make git do is unknown: %v; ask the user", sandbox.Printable(r.given), err).
				With(tools.Details{Param: "path"})
		case len(text) > configMax:
			return tools.Errorf(tools.TooLarge, "%s is larger than %d bytes; ask the user", p.String(), configMax).With(tools.Details{Param: "path"})
		}
		r.config += text + "\n"
	}
	return nil
}

// partsOf are the parts of a git folder that could be links, or lead elsewhere, to what is not in the roots.
var partsOf = []string{"HEAD", "index", "packed-refs", "refs", "refs/heads", "objects", "objects/pack", "objects/info", "logs", "info"}

// links lists the parts of a git folder that are links or cannot be looked at without following one.
func (r *repo) links(dir sandbox.Path) ([]string, error) {
	root, rel, err := r.roots.Sub(dir)
	if err != nil {
		return nil, err
	}
	held, err := root.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	var links []string
	for _, name := range partsOf {
		fi, err := held.Lstat(name)
		if err == nil && fi.Mode()&fs.ModeSymlink == 0 || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		links = append(links, name) // or what lies behind a link
	}
	return links, nil
}

// contained refuses a repository whose git folder takes its objects or refs from outside the roots.
func (r *repo) contained() error {
	for _, dir := range []sandbox.Path{r.gitDir, r.common} {
		links, err := r.links(dir)
		if err != nil {
			return err
		}
		for _, name := range links {
			if _, err := r.roots.Follow(dir.Join(name)); sandbox.KindOf(err) == sandbox.Denied {
				return r.leadsOutside(name, "a link")
			}
		}
		if dir.Abs() == r.common.Abs() {
			break
		}
	}
	text, err := r.text(r.common.Join("objects/info/alternates"), configMax)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(text) {
		line = maybeUnquote(strings.TrimRight(line, "\r\n"))
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(r.common.Join("objects").Abs(), line)
		}
		p, err := r.roots.Resolve(line)
		if err == nil {
			_, err = r.roots.Follow(p)
		}
		if sandbox.KindOf(err) == sandbox.Denied {
			return r.leadsOutside("objects/info/alternates", sandbox.Printable(line))
		}
	}
	return nil
}

func (r *repo) leadsOutside(name, what string) error {
	return tools.Errorf(tools.PermissionDenied, "%s of the repository %s is %s that leads outside the allowed folders; the user can add the folder with --allow-path",
		name, sandbox.Printable(r.given), what).With(tools.Details{Param: "path"})
}

// contains refuses a local repository that another one is to read from or write to, when its git folder or a part of
// it lies outside the roots. folder itself is known to be inside. What is no repository, git says in its own words.
func (t *git) contains(c *tools.Call, folder string) error {
	for _, name := range []string{folder, folder + ".git"} {
		p, err := c.Roots.Resolve(name)
		if err != nil {
			return err
		}
		if p.Base() == ".git" {
			p = p.Dir()
		}
		fi, p, err := c.Roots.Stat(p)
		if sandbox.KindOf(err) == sandbox.NotFound || err == nil && !fi.IsDir() { // a bundle is a file
			continue
		}
		if err != nil {
			return err
		}
		r := &repo{t: t, roots: c.Roots, c: c, given: name}
		found, err := r.at(p)
		if err == nil && found {
			err = r.contained()
		}
		if err != nil || found {
			return err
		}
	}
	return nil
}

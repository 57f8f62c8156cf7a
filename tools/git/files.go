package git

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// wholeTree is the pathspec of all files.
const wholeTree = ":(top)"

// files turns names of files as a caller gives them into pathspecs that git takes literally. Names are relative to
// the top level, as every answer gives them; below a folder given as path a name may also be relative to that, and is
// when it begins with a dot as in "." and "./name".
func (r *repo) files(names []string) ([]string, error) {
	var out []string
	for _, given := range names {
		rel, err := r.rel(given)
		if err != nil {
			return nil, err
		}
		if rel == "" {
			out = append(out, wholeTree)
			continue
		}
		out = append(out, ":(top,literal)"+rel)
	}
	return out, nil
}

// rel is the slash path below the top level of a name that a caller gave, "" for the top level itself.
func (r *repo) rel(given string) (string, error) {
	name := named(given)
	switch {
	case name == "":
		return "", tools.Errorf(tools.InvalidParams, "files holds an empty name").With(tools.Details{Param: "files"})
	case strings.ContainsRune(name, 0):
		return "", tools.Errorf(tools.InvalidParams, "files holds a NUL character").With(tools.Details{Param: "files"})
	}
	if filepath.IsAbs(name) || strings.HasPrefix(name, "~") || strings.HasPrefix(strings.ToLower(name), "file:/") {
		p, err := r.roots.Resolve(name)
		if err == nil {
			// The last name is not followed: git is asked about a link, not about its target.
			var dir sandbox.Path
			if dir, err = r.roots.Follow(p.Dir()); err == nil {
				name, err = filepath.Rel(r.top.Abs(), filepath.Join(dir.Abs(), p.Base()))
				if p.Rel == "." {
					name, err = filepath.Rel(r.top.Abs(), p.Abs())
				}
			}
		}
		if err != nil {
			return "", err
		}
		name = filepath.ToSlash(name)
	} else if dotted(name) {
		name = r.folder() + "/" + name
	} else if r.target != "" && !r.isFile {
		if _, err := r.roots.Lstat(r.top.Join(name)); err != nil {
			if _, err := r.roots.Lstat(r.top.Join(r.target + "/" + name)); err == nil {
				name = r.target + "/" + name
			}
		}
	}
	trail := strings.HasSuffix(name, "/")
	name = path.Clean(name)
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) {
		return "", tools.Errorf(tools.PermissionDenied, "%s is outside the repository %s; give names below its top level", sandbox.Printable(given), r.top.Abs()).
			With(tools.Details{Param: "files"})
	}
	if name == "." {
		return "", nil
	}
	// git stops at links by itself; this says so in our words when one leads outside.
	if _, err := r.roots.Follow(r.top.Join(path.Dir(name))); sandbox.KindOf(err) == sandbox.Denied {
		return "", err
	}
	if trail {
		name += "/"
	}
	return name, nil
}

// dotted reports whether a name says that it is relative to where the caller is.
func dotted(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return first == "." || first == ".."
}

// folder is the folder below the top level that the path names, or that its file is in; "." is the top level.
func (r *repo) folder() string {
	switch {
	case r.target == "" || !r.asked:
		return "."
	case r.isFile:
		return path.Dir(r.target)
	}
	return r.target
}

// paths are the files that a call is about: files, else the file that path names.
func (r *repo) paths(files []string) ([]string, error) {
	if len(files) == 0 && r.isFile {
		return r.scope(nil)
	}
	return r.files(files)
}

// scope is paths for acts on all files there are: a folder that path names limits them too.
func (r *repo) scope(files []string) ([]string, error) {
	if len(files) == 0 && r.target != "" && r.asked {
		return []string{":(top,literal)" + r.target}, nil
	}
	return r.files(files)
}

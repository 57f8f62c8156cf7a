package git

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxAbsent is how many of the files that a call names are looked for.
const maxAbsent = 50

// present refuses an answer that there is nothing to say of files of which there are none: the names are misspelt. Where only
// some of several are, it warns. refs are the commits that the call is about.
func (r *repo) present(ctx context.Context, files []string, nothing bool, refs ...string) error {
	names, nearest, err := r.absent(ctx, files, refs)
	if err != nil || len(names) == 0 {
		return timedOut(err)
	}
	text := fmt.Sprintf("there is no %s in the work tree, in the index or in %s", fewNames(names), strings.Join(slices.DeleteFunc(append(refs, "HEAD"), func(s string) bool { return s == "" }), ", "))
	if nearest != "" {
		text += "; the nearest is " + shown(nearest)
	}
	if !nothing || len(names) < len(files) {
		r.c.Warn(text)
		return nil
	}
	param := map[bool]string{true: "files", false: "path"}[r.c.Args.Has("files")]
	return tools.Errorf(tools.NotFound, "%s: so there is nothing to say of it. Names are relative to the top level %s", text, shown(r.top.Abs())).
		With(tools.Details{Param: param, Nearest: shown(nearest)})
}

// absent lists the files, as pathspecs, that are nowhere, and gives a name near the first of them.
func (r *repo) absent(ctx context.Context, files, refs []string) (names []string, nearest string, err error) {
	for _, file := range files[:min(len(files), maxAbsent)] {
		name, literal := strings.CutPrefix(file, ":(top,literal)")
		if name = strings.TrimSuffix(name, "/"); !literal || name == "" {
			continue
		}
		if _, err := r.roots.Lstat(r.top.Join(name)); err != nil || r.bare {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, "", nil
	}
	out, err := r.mustRead(ctx, "ls-files", "-z")
	if err != nil {
		return nil, "", err
	}
	indexed := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	left := map[string]bool{}
	for _, name := range names {
		left[name] = true
	}
	for _, known := range indexed {
		for name := known; name != "." && len(left) > 0; name = path.Dir(name) {
			delete(left, name)
		}
	}
	for name := range left {
		for _, ref := range append(refs, "HEAD") {
			if ref == "" {
				continue
			}
			res, err := r.read(ctx, nil, "cat-file", "-e", ref+":"+name)
			if err != nil {
				return nil, "", err
			}
			if res.code == 0 {
				delete(left, name)
				break
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !left[name] })
	if len(names) > 0 {
		nearest = nearName(names[0], indexed)
	}
	return names, nearest, nil
}

// nearName is the file that a misspelt name most likely means: the same one in another folder, or a near one in its folder.
func nearName(name string, known []string) string {
	var beside []string
	for _, one := range known {
		if strings.EqualFold(path.Base(one), path.Base(name)) {
			return one
		}
		if path.Dir(one) == path.Dir(name) {
			beside = append(beside, path.Base(one))
		}
	}
	if near := tools.Nearest(path.Base(name), beside[:min(len(beside), 2000)]); near != "" {
		return path.Join(path.Dir(name), near)
	}
	return ""
}

// endsOf are the commits that revisions and ranges name.
func endsOf(refs string) []string {
	var list []string
	for _, ref := range refsOf(refs) {
		for end := range strings.SplitSeq(strings.ReplaceAll(ref, "...", ".."), "..") {
			if end = strings.TrimPrefix(named(end), "^"); end != "" && checkRef("ref", end) == nil {
				list = append(list, end)
			}
		}
	}
	return list
}

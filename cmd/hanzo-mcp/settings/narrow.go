package settings

import (
	"path/filepath"
	"slices"
	"strings"
)

// allowedPaths means two things: for the user and a trusted project, folders that may be used as well; for an untrusted
// project, the only parts of it that may be used.
func allowedPaths() field {
	f := list("sandbox.allowed_paths", narrows, func(v *values) *[]Value[string] { return &v.allowed }, node.path, plain)
	merge, drop, rows := f.merge, f.drop, f.rows
	f.merge = func(into, from *values) {
		merge(into, from)
		switch {
		case len(from.narrow) == 0:
		case into.narrow == nil:
			into.narrow = from.narrow
		default:
			into.narrow = intersect(into.narrow, from.narrow)
		}
	}
	f.drop = func(v *values) {
		drop(v)
		v.narrow = nil
	}
	f.rows = func(v *values) []row {
		found := rows(v)
		for _, p := range v.narrow {
			found = append(found, row{f.key, printable(p.V) + " only", p.Origin})
		}
		return found
	}
	f.narrow = func(v *values, root string) bool {
		for _, p := range v.allowed {
			if inside(root, p.V) {
				v.narrow = append(v.narrow, p)
			}
		}
		lost := len(v.narrow) < len(v.allowed)
		v.allowed = nil
		return lost
	}
	return f
}

// inside reports whether a path lies in a folder, by its name and by where its links lead. The folder is a real path. It
// narrows a list of names; opening one safely is the sandbox's work.
func inside(root, path string) bool {
	if !below(root, path) {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return err != nil || below(root, real)
}

func below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// intersect keeps of two lists of folders what both contain. Lists without a common part leave nothing, said by a list
// that holds no folder but is not nil.
func intersect(a, b []Value[string]) []Value[string] {
	both := []Value[string]{}
	for _, side := range [2][2][]Value[string]{{a, b}, {b, a}} {
		for _, p := range side[0] {
			contained := slices.ContainsFunc(side[1], func(q Value[string]) bool { return below(q.V, p.V) })
			known := slices.ContainsFunc(both, func(q Value[string]) bool { return q.V == p.V })
			if contained && !known {
				both = append(both, p)
			}
		}
	}
	return both
}

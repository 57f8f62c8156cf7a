package sandbox

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// rename works within one tree only: between trees the answer is CrossDevice.
func rename(a, b spot, replace bool) error {
	if a.Root != b.Root {
		return windows.ERROR_NOT_SAME_DEVICE
	}
	return renameIn(a.Root.root, nil, a.Rel, b.Rel, replace)
}

// renameIn renames within one root. A file that replaces nothing gets its new
// name as a second link first; a folder is looked for before.
func renameIn(root *os.Root, _ *os.File, a, b string, replace bool) error {
	if replace {
		return root.Rename(a, b)
	}
	fi, err := root.Lstat(a)
	if err != nil {
		return err
	}
	if fi.Mode().IsRegular() {
		if err = root.Link(a, b); err == nil {
			return root.Remove(a)
		}
		if kindOfErrno(err) == Exists {
			return err
		}
	}
	if _, err := root.Lstat(b); err == nil {
		return &fs.PathError{Op: "rename", Path: b, Err: windows.ERROR_ALREADY_EXISTS}
	}
	return root.Rename(a, b)
}

// volumes returns the roots of the drives that are there.
func volumes() []string {
	mask, err := windows.GetLogicalDrives()
	if err != nil {
		return nil
	}
	var drives []string
	for i := range 26 {
		dir := string(rune('A'+i)) + `:\`
		if mask&(1<<i) == 0 {
			continue
		}
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			drives = append(drives, dir)
		}
	}
	return drives
}

package tree

import (
	"io/fs"
	"os"
	"strings"
)

// Look lists some folders below root, slash-separated and "" for root itself: visit gets the folder, an entry's name,
// and its type as fs.FileMode.Type has it. A folder that cannot be listed goes to failed, with what is known of it
// visited. No link is followed: a folder behind one cannot be listed. The error is that of opening root.
func Look(root *os.Root, dirs []string, visit func(dir, name string, typ fs.FileMode), failed func(dir string, err error)) error {
	top, err := openTop(root)
	if err != nil {
		return err
	}
	defer top.close()
	buf := make([]byte, 8<<10)
	for _, dir := range dirs {
		if err := look(top, dir, buf, func(name string, typ fs.FileMode) { visit(dir, name, typ) }); err != nil {
			failed(dir, err)
		}
	}
	return nil
}

func look(top folder, dir string, buf []byte, visit func(name string, typ fs.FileMode)) error {
	at := top
	for name := range strings.SplitSeq(dir, "/") {
		if name == "" {
			continue
		}
		next, err := at.openDir(name)
		if err != nil {
			return err
		}
		defer next.close()
		at = next
	}
	list, err := at.entries(buf, maxEntries)
	for _, e := range list {
		typ, known := modes[e.typ]
		if !known {
			info, err := at.lstat(e.name)
			if err != nil {
				continue // it is gone
			}
			typ = info.Mode.Type()
		}
		visit(e.name, typ)
	}
	return err
}

// modes are the types of which nothing more is to be asked.
var modes = map[Type]fs.FileMode{File: 0, Dir: fs.ModeDir, Link: fs.ModeSymlink}

package ui

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// local is a checkout on this machine: one with a registry.json, with built items, or of Hanzo's own kind, where each
// file of a folder is a component. Nothing outside it is read, whatever its files and links say.
type local struct{ dir string }

// Where things stand in a checkout, the first that is there counts.
var (
	indexFiles = []string{"registry.json", "public/r/registry.json", "apps/v4/registry.json", "apps/www/registry.json"}
	builtDirs  = []string{"public/r", "r", "apps/v4/public/r", "apps/www/public/r"}
	plainDirs  = []string{"pkg/ui/primitives", "packages/ui/src/components", "components/ui"}
	extensions = []string{".tsx", ".ts", ".jsx", ".js", ".vue", ".svelte"}
)

func (l *local) open() (*os.Root, error) {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, tools.Errorf(tools.NotFound, "the checkout of components cannot be opened (%v); the user can correct HANZO_UI_PATH", err)
	}
	return root, nil
}

// read gives a file of the checkout, of at most maxAnswer bytes.
func read(root *os.Root, name string) ([]byte, error) {
	fi, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	if fi.Size() > maxAnswer {
		return nil, tools.Errorf(tools.TooLarge, "%s of the checkout has more than %d bytes", store.Quote(name), maxAnswer)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxAnswer))
}

func (l *local) index(ctx context.Context) ([]Item, error) {
	root, err := l.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, _, err := index(ctx, root)
	return list, err
}

// index gives the items of a checkout and the folder that their paths start from.
func index(ctx context.Context, root *os.Root) (items, string, error) {
	for _, name := range indexFiles {
		b, err := read(root, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		var list items
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, "", tools.Errorf(tools.InternalError, "%s of the checkout cannot be read: %v", name, err)
		}
		return list, path.Dir(name), nil
	}
	for _, dir := range plainDirs {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil || len(entries) > maxItems {
			continue
		}
		var list items
		for _, e := range entries {
			if it := plain(root, dir, e); it != nil {
				list = append(list, *it)
			}
		}
		return list, ".", ctx.Err()
	}
	return nil, "", tools.Errorf(tools.NotFound, "the checkout of components has neither registry.json nor a folder %s; the user can correct HANZO_UI_PATH", strings.Join(plainDirs, ", "))
}

// plain makes an item of a file or folder of components, nil when it is none.
func plain(root *os.Root, dir string, e fs.DirEntry) *Item {
	name := e.Name()
	if strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "index") {
		return nil
	}
	it := &Item{Name: strings.TrimSuffix(name, path.Ext(name)), Type: "registry:ui"}
	if e.IsDir() {
		it.Name = name
		files, err := fs.ReadDir(root.FS(), path.Join(dir, name))
		if err != nil {
			return nil
		}
		for _, f := range files {
			if f.Type().IsRegular() && slices.Contains(extensions, path.Ext(f.Name())) && len(it.Files) < maxFiles {
				it.Files = append(it.Files, File{Path: path.Join(dir, name, f.Name()), Type: "registry:ui", Target: path.Join("components/ui", name, f.Name())})
			}
		}
	} else if slices.Contains(extensions, path.Ext(name)) {
		it.Files = []File{{Path: path.Join(dir, name), Type: "registry:ui", Target: "components/ui/" + name}}
	}
	if len(it.Files) == 0 || checkName(it.Name) != nil {
		return nil
	}
	return it
}

func (l *local) item(ctx context.Context, name string) (*Item, error) {
	root, err := l.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, dir := range builtDirs {
		b, err := read(root, path.Join(dir, name+".json"))
		if err != nil {
			continue
		}
		var it Item
		if json.Unmarshal(b, &it) == nil && len(it.Files) > 0 && len(it.Files) <= maxFiles {
			it.Name = name
			return &it, fill(root, dir, &it)
		}
	}
	list, base, err := index(ctx, root)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(it Item) bool { return it.Name == name })
	if i < 0 {
		return nil, notFound(localName, name)
	}
	it := list[i]
	it.Files = slices.Clone(it.Files)
	if len(it.Files) > maxFiles {
		return nil, tools.Errorf(tools.TooLarge, "%s has %d files, more than %d", store.Quote(name), len(it.Files), maxFiles)
	}
	return &it, fill(root, base, &it)
}

// fill reads the contents of the files that the item does not bring itself.
func fill(root *os.Root, base string, it *Item) error {
	total := 0
	for i := range it.Files {
		f := &it.Files[i]
		if f.Content == "" {
			b, err := read(root, path.Join(base, f.Path))
			if err != nil {
				return tools.Errorf(tools.NotFound, "%s of %s cannot be read in the checkout: %v", store.Quote(f.Path), store.Quote(it.Name), err)
			}
			f.Content = string(b)
		}
		if total += len(f.Content); total > maxAnswer {
			return tools.Errorf(tools.TooLarge, "%s has more than %d bytes", store.Quote(it.Name), maxAnswer)
		}
	}
	return nil
}

package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// layout is where the files of an app go, by kind: folders below the app, and what code calls them.
type layout struct {
	folders, aliases map[string]string
}

// kinds are the kinds of files with a folder of their own, with its usual place.
var kinds = map[string]string{"ui": "components/ui", "component": "components", "block": "components", "lib": "lib", "hook": "hooks"}

// layoutOf reads the folders of an app from its components.json. That file is the project's: only the aliases count,
// each checked, and addresses that it names are not used.
func layoutOf(c *tools.Call, app sandbox.Path) layout {
	l := layout{map[string]string{}, map[string]string{}}
	base := ""
	if fi, _, err := c.Roots.Stat(app.Join("src")); err == nil && fi.IsDir() {
		base = "src"
	}
	for kind, folder := range kinds {
		l.folders[kind], l.aliases[kind] = path.Join(base, folder), "@/"+folder
	}
	var project struct {
		Aliases    struct{ Components, UI, Lib, Hooks string } `json:"aliases"`
		Registries json.RawMessage                             `json:"registries"`
	}
	b, err := readSmall(c, app.Join("components.json"))
	if err != nil {
		return l
	}
	if err := json.Unmarshal(b, &project); err != nil {
		c.Warn("components.json cannot be read, so the usual folders are used: " + store.Cut(err.Error(), 100))
		return l
	}
	if project.Registries != nil {
		c.Warn("the registries of components.json are not used: only those of the user's own settings are")
	}
	set := func(alias string, to ...string) {
		if alias == "" {
			return
		}
		folder, ok := aliased(alias, base)
		if !ok {
			c.Warn(fmt.Sprintf("the alias %s of components.json is not understood; the usual folder is used", store.Quote(alias)))
			return
		}
		for _, kind := range to {
			l.folders[kind], l.aliases[kind] = folder, alias
		}
	}
	a := project.Aliases
	set(a.Components, "component", "block")
	if a.Components != "" && a.UI == "" {
		a.UI = strings.TrimSuffix(a.Components, "/") + "/ui"
	}
	set(a.UI, "ui")
	set(a.Lib, "lib")
	set(a.Hooks, "hook")
	return l
}

// aliased gives the folder of an alias such as "@/components".
func aliased(alias, base string) (string, bool) {
	rest := alias
	for _, prefix := range []string{"@/", "~/", "$lib/", "./"} {
		if r, ok := strings.CutPrefix(alias, prefix); ok {
			rest = r
			if prefix == "./" {
				base = ""
			}
			if prefix == "$lib/" {
				base = "src/lib"
			}
			break
		}
	}
	folder := path.Join(base, strings.TrimSuffix(rest, "/"))
	return folder, checkTarget(strings.TrimSuffix(rest, "/")) == nil
}

func readSmall(c *tools.Call, p sandbox.Path) ([]byte, error) {
	f, err := c.Roots.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Path.Warning != "" {
		return nil, fs.ErrNotExist
	}
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

// target names are wider than names of items: components have capitals, and routers use brackets.
var targetName = tools.Pattern(`^[A-Za-z0-9_(\[@][A-Za-z0-9._()\[\]@+-]*$`)

// checkTarget refuses a place for a file that is not plainly below the app: absolute, upwards, hidden, or among the
// packages. What else is protected, the roots know.
func checkTarget(target string) error {
	bad := func(why string) error {
		return tools.Errorf(tools.PermissionDenied, "the component wants a file at %s, which is refused: %s; nothing was written", store.Quote(target), why)
	}
	if target == "" || len(target) > 300 {
		return bad("it is no path of a file")
	}
	for _, segment := range strings.Split(target, "/") {
		switch {
		case !targetName().MatchString(segment):
			return bad("names of files and folders begin with a letter or digit, and hold letters, digits, . _ - + @ ( ) [ ]")
		case strings.EqualFold(segment, "node_modules"):
			return bad("packages are installed by the package manager")
		}
	}
	return nil
}

// place gives where a file goes, below the app.
func (l layout) place(f File) (string, error) {
	kind := strings.TrimPrefix(f.Type, "registry:")
	target := strings.TrimPrefix(strings.TrimPrefix(f.Target, "~/"), "./")
	if target == "" {
		folder, known := l.folders[kind]
		if !known {
			return "", tools.Errorf(tools.InvalidParams, "%s of the component has no target and is of the kind %s, which has no folder; nothing was written", store.Quote(f.Path), store.Quote(f.Type))
		}
		name := path.Base(f.Path)
		for _, mark := range []string{kind, kind + "s"} {
			if i := strings.LastIndex("/"+f.Path, "/"+mark+"/"); i >= 0 {
				name = ("/" + f.Path)[i+len(mark)+2:]
			}
		}
		if err := checkTarget(name); err != nil {
			return "", err
		}
		return path.Join(folder, name), nil
	}
	if err := checkTarget(target); err != nil {
		return "", err
	}
	// A target below a usual folder goes to where the app has that folder.
	for _, kind := range []string{"ui", "component", "lib", "hook"} {
		if rest, ok := strings.CutPrefix(target, kinds[kind]+"/"); ok && !strings.HasPrefix(f.Target, "~/") {
			return path.Join(l.folders[kind], rest), nil
		}
	}
	return target, nil
}

var registryImport = tools.Pattern(`(["'])@/registry/(?:[A-Za-z0-9_-]+/)?(?:blocks/[A-Za-z0-9_-]+/)?(ui|components|lib|hooks)/`)

// imports turns the registry's own names for modules into those of the app.
func (l layout) imports(content string) string {
	return registryImport().ReplaceAllStringFunc(content, func(m string) string {
		parts := registryImport().FindStringSubmatch(m)
		kind := strings.TrimSuffix(parts[2], "s")
		return parts[1] + l.aliases[kind] + "/"
	})
}

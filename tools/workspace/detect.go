package workspace

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// Limits of a detection.
const (
	maxEntries  = 60_000 // files and folders looked at
	maxDepth    = 10
	maxFolders  = 400 // folders with a manifest
	maxMembers  = 40  // shown
	maxScripts  = 40
	maxCommands = 12
)

// project is what one folder's manifests say.
type project struct {
	Dir      string            `json:"dir"`
	Kind     string            `json:"kind"` // go, node, python, rust, maven, gradle, dotnet, …
	Name     string            `json:"name,omitempty"`
	Manifest string            `json:"manifest"`
	Manager  string            `json:"package_manager,omitempty"`
	Build    []string          `json:"build,omitempty"`
	Test     []string          `json:"test,omitempty"`
	Scripts  map[string]string `json:"scripts,omitempty"`
	members  []string          // folders that it names as its parts, or globs of them
	covers   bool              // its commands build and test what lies below, too
	task     bool              // a task runner: its commands come after those of a build system
}

type language struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// found is the answer of detect.
type found struct {
	Path       string            `json:"path"`
	Resolved   string            `json:"resolved"`
	Languages  []language        `json:"languages"`
	Managers   []string          `json:"package_managers,omitempty"`
	Build      []string          `json:"build"`
	Test       []string          `json:"test"`
	Scripts    map[string]string `json:"scripts,omitempty"`
	Manifests  []string          `json:"manifests,omitempty"`
	Members    []project         `json:"members,omitempty"`
	MoreMember int               `json:"members_left_out,omitempty"`
	VCS        *vcs              `json:"vcs,omitempty"`
	Containers []container       `json:"containers,omitempty"`
	CI         []string          `json:"ci,omitempty"`
	Files      int               `json:"files"`
	Truncated  bool              `json:"truncated,omitempty"`
}

type detectIn struct {
	Path string `json:"path"`
}

func (t *tool) detect() tools.Action {
	return tools.Act(tools.Action{Name: "detect", Aliases: []string{"info", "analyze"}, Doc: "what the project is, and the commands that build and test it"},
		func(ctx context.Context, c *tools.Call, in detectIn) (*tools.Result, error) {
			given := in.Path
			if given == "" {
				given = "."
			}
			at, err := c.Roots.Resolve(given)
			if err != nil {
				return nil, err
			}
			info, at, err := c.Roots.Stat(at)
			if err != nil {
				return nil, err
			}
			if !info.IsDir() {
				at = at.Dir()
			}
			f, err := t.look(ctx, c.Roots, at)
			if err != nil {
				return nil, err
			}
			f.Path = given
			if f.Truncated {
				c.Warn("the folder is large; only a part of it was looked at")
			}
			return &tools.Result{Text: f.describe(), Data: f, Truncated: f.Truncated}, nil
		})
}

// scan is one walk over a project.
type scan struct {
	roots *sandbox.Roots
	at    sandbox.Path

	mu        sync.Mutex
	counts    map[string]int
	folders   map[string]*folder
	files     int
	truncated bool
}

// look finds out what the folder at holds.
func (t *tool) look(ctx context.Context, roots *sandbox.Roots, at sandbox.Path) (*found, error) {
	s := &scan{roots: roots, at: at, counts: map[string]int{}, folders: map[string]*folder{}}
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	f := &found{Path: at.Given, Resolved: at.String(), Languages: s.languages(), Files: s.files, Truncated: s.truncated, Build: []string{}, Test: []string{}}
	s.projects(f)
	f.Containers, f.CI = s.containers(), s.ci()
	f.VCS = t.vcs(ctx, roots, at)
	return f, nil
}

func (s *scan) walk(ctx context.Context) error {
	root, rel, err := s.roots.Sub(s.at)
	if err != nil {
		return err
	}
	prefix := ""
	if rel != "." && rel != "" {
		prefix = strings.TrimSuffix(rel, "/") + "/"
	}
	type tally struct {
		counts map[string]int
		files  int
	}
	var tallies [64]tally
	stats, err := tree.Walk(ctx, root, rel, tree.Options{OwnOnly: true, Depth: maxDepth, MaxEntries: maxEntries, Types: tree.File | tree.Dir | tree.Link}, func(e *tree.Entry) error {
		if e.Type == tree.Dir {
			if e.Depth <= 3 && interestingDirs[e.Name] {
				s.note(strings.TrimPrefix(e.Path(), prefix), true)
			}
			return nil
		}
		if e.Type == tree.Link {
			if rel := strings.TrimPrefix(e.Path(), prefix); isManifest(e.Name) && s.isFile(rel) {
				s.note(rel, false)
			}
			return nil
		}
		w := &tallies[e.Worker%len(tallies)]
		if w.counts == nil {
			w.counts = map[string]int{}
		}
		w.files++
		if lang := languageOf(e.Name); lang != "" {
			w.counts[lang]++
		}
		if isManifest(e.Name) {
			s.note(strings.TrimPrefix(e.Path(), prefix), false)
		}
		return nil
	})
	for _, w := range tallies {
		s.files += w.files
		for k, n := range w.counts {
			s.counts[k] += n
		}
	}
	s.truncated = stats.Truncated || len(s.folders) >= maxFolders
	return err
}

// isFile reports whether a link leads to a file of the roots.
func (s *scan) isFile(rel string) bool {
	info, _, err := s.roots.Stat(s.at.Join(rel))
	return err == nil && info.Mode().IsRegular()
}

// note keeps a file or folder for the detectors.
func (s *scan) note(rel string, dir bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parent, name := path.Dir(rel), path.Base(rel)
	f := s.folders[parent]
	if f == nil {
		if len(s.folders) >= maxFolders {
			return
		}
		f = &folder{s: s, dir: parent}
		s.folders[parent] = f
	}
	if dir {
		f.dirs = append(f.dirs, name)
	} else {
		f.files = append(f.files, name)
	}
}

// languages lists what the code is written in, most files first.
func (s *scan) languages() []language {
	list := make([]language, 0, len(s.counts))
	for name, n := range s.counts {
		list = append(list, language{name, n})
	}
	slices.SortFunc(list, func(a, b language) int {
		if a.Files != b.Files {
			return b.Files - a.Files
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list[:min(len(list), 12)]
}

// detectors read the manifests of a folder, each those of one family.
var detectors = []func(*folder) []project{
	goProject, rustProject, nodeProject, denoProject, pythonProject, jvmProjects, dotnetProject, rubyProject, phpProject,
	cmakeProject, mesonProject, otherProjects, taskProjects,
}

// projects runs the detectors: over the start folder, whose commands are the project's, and over all folders below.
func (s *scan) projects(f *found) {
	dirs := make([]string, 0, len(s.folders))
	for d := range s.folders {
		dirs = append(dirs, d)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		if d := depthOf(a) - depthOf(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var all []project
	f.Scripts = map[string]string{}
	for _, dir := range dirs {
		for _, detect := range detectors {
			for _, p := range detect(s.folders[dir]) {
				p.Dir = dir
				above := owner(all, p)
				if above != nil && p.Manager != "" && above.Manager != "" && above.Manager != p.Manager {
					p.managedBy(above.Manager)
				}
				if above != nil {
					p.wrappedAs(above)
				}
				f.add(p, above != nil)
				all = append(all, p)
			}
		}
	}
	f.Build, f.Test = f.Build[:min(len(f.Build), maxCommands)], f.Test[:min(len(f.Test), maxCommands)]
	if len(f.Members) > maxMembers {
		f.MoreMember = len(f.Members) - maxMembers
		f.Members = f.Members[:maxMembers]
	}
	if len(f.Scripts) == 0 {
		f.Scripts = nil
	}
}

// owner is the project above that builds and tests p too.
func owner(all []project, p project) *project {
	for i := range all {
		o := &all[i]
		if o.Kind == p.Kind && o.Dir != p.Dir && (o.covers && below(o.Dir, p.Dir) || isMember(o.Dir, o.members, p.Dir)) {
			return o
		}
	}
	return nil
}

func below(above, dir string) bool { return above == "." || strings.HasPrefix(dir, above+"/") }

// managedBy changes the package manager of a member to that of its workspace.
func (p *project) managedBy(manager string) {
	for _, list := range [][]string{p.Build, p.Test} {
		for i := range list {
			if rest, ok := strings.CutPrefix(list[i], p.Manager+" "); ok {
				list[i] = manager + " " + rest
			}
		}
	}
	p.Manager = manager
}

// wrappedAs makes a member use the wrapper script of the project above it.
func (p *project) wrappedAs(above *project) {
	for bare, wrapper := range map[string]string{"gradle ": "./gradlew ", "mvn ": "./mvnw "} {
		if len(above.Test) == 0 || !strings.HasPrefix(above.Test[0], wrapper) {
			continue
		}
		up := strings.Repeat("../", depthOf(p.Dir)-depthOf(above.Dir)) + wrapper[2:]
		for _, list := range [][]string{p.Build, p.Test} {
			for i := range list {
				if rest, ok := strings.CutPrefix(list[i], bare); ok {
					list[i] = up + rest
				}
			}
		}
	}
}

// printable leaves out commands and scripts whose text is not what it looks like: with line breaks, control characters or
// such as turn the direction of writing.
func (p *project) printable() {
	odd := func(s string) bool { return sandbox.Printable(s) != s }
	p.Build, p.Test = slices.DeleteFunc(p.Build, odd), slices.DeleteFunc(p.Test, odd)
	maps.DeleteFunc(p.Scripts, func(name, _ string) bool { return odd(name) })
}

// add puts a project into the answer. Commands of a folder below count for the whole only where nothing above it
// covers them.
func (f *found) add(p project, covered bool) {
	if p.Manager != "" && !slices.Contains(f.Managers, p.Manager) {
		f.Managers = append(f.Managers, p.Manager)
	}
	if sandbox.Printable(p.Dir) != p.Dir {
		p.Build, p.Test = nil, nil // a command with it could say other things than it does
	}
	p.printable()
	manifest := path.Join(p.Dir, p.Manifest)
	if len(f.Manifests) < maxMembers && !slices.Contains(f.Manifests, manifest) {
		f.Manifests = append(f.Manifests, manifest)
	}
	if p.Dir == "." {
		f.Build = merge(f.Build, p.Build)
		f.Test = merge(f.Test, p.Test)
		for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
			text := p.Scripts[name]
			if _, ok := f.Scripts[name]; !ok && len(f.Scripts) < maxScripts {
				f.Scripts[name] = text
			}
		}
		return
	}
	if !covered && depthOf(p.Dir) <= 3 && !incidental(p.Dir) {
		f.Build = merge(f.Build, within(p.Dir, p.Build))
		f.Test = merge(f.Test, within(p.Dir, p.Test))
	}
	if p.task && len(p.Build)+len(p.Test) == 0 {
		return
	}
	p.Scripts = nil // those of the start folder are enough; detect with its path gives the others
	f.Members = append(f.Members, p)
}

// incidental reports whether a folder is beside the project: examples, fixtures.
func incidental(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "testdata", "fixtures", "__fixtures__", "examples", "example", "templates", "template", "samples", "third_party", "tests", "test":
			return true
		}
	}
	return false
}

// isMember reports whether dir is named by the members of the project in above.
func isMember(above string, members []string, dir string) bool {
	rel := dir
	if above != "." {
		var ok bool
		if rel, ok = strings.CutPrefix(dir, above+"/"); !ok {
			return false
		}
	}
	is := false
	for _, m := range members {
		m, not := strings.CutPrefix(m, "!")
		m = path.Clean(strings.TrimPrefix(strings.ReplaceAll(m, "\\", "/"), "./"))
		if ok, _ := doublestar.Match(m, rel); ok {
			is = !not
		}
	}
	return is
}

// within makes commands of a folder below run from the start folder.
func within(dir string, commands []string) []string {
	if strings.HasPrefix(dir, "-") {
		dir = "./" + dir
	}
	list := make([]string, len(commands))
	for i, c := range commands {
		list[i] = "cd " + shellWord(dir) + " && " + c
	}
	return list
}

// shellWord is s as one word of a shell.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+@") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func merge(list, more []string) []string {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

func depthOf(dir string) int {
	if dir == "." {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

package workspace

import (
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// taskProjects reads the files of task runners: make, just, task.
func taskProjects(f *folder) (list []project) {
	add := func(kind, manifest, run string, targets []string, build, test []string) {
		if len(targets) == 0 {
			return
		}
		p := project{Kind: kind, Manifest: manifest, Scripts: map[string]string{}, task: true, covers: true}
		for _, t := range targets[:min(len(targets), maxScripts)] {
			p.Scripts[t] = run + " " + shellWord(t)
		}
		p.Build, p.Test = pick(run, targets, build), pick(run, targets, test)
		list = append(list, p)
	}
	if name := f.first("GNUmakefile", "makefile", "Makefile"); name != "" {
		targets := makeTargets(f.read(name))
		add("make", name, "make", targets, []string{"build", "all", "compile"}, []string{"test", "tests", "check"})
		if len(list) > 0 && len(targets) > 0 && targets[0] == "all" && !slices.Contains(targets, "build") {
			list[0].Build = []string{"make"}
		}
	}
	if name := f.first("justfile", "Justfile", ".justfile"); name != "" {
		add("just", name, "just", justRecipes(f.read(name)), []string{"build", "compile"}, []string{"test", "tests", "check"})
	}
	if name := f.first("Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"); name != "" {
		add("task", name, "task", yamlBelow(f.read(name), "tasks"), []string{"build", "compile"}, []string{"test", "tests", "check"})
	}
	return list
}

// pick gives the command of the first of the names that is a target.
func pick(run string, targets, names []string) []string {
	for _, n := range names {
		if slices.Contains(targets, n) {
			return []string{run + " " + n}
		}
	}
	return nil
}

var targetLine = tools.Pattern(`^([A-Za-z0-9][A-Za-z0-9_./ -]*?)\s*::?(?:[^=:]|$)`)

// makeTargets lists the targets of a makefile that are named outright, in order.
func makeTargets(text string) (list []string) {
	define := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "define "):
			define = true
		case strings.HasPrefix(line, "endef"):
			define = false
		}
		if define || strings.HasPrefix(line, "\t") {
			continue
		}
		m := targetLine().FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil || strings.Contains(line, ":=") && strings.Index(line, ":=") <= len(m[1])+1 {
			continue
		}
		for _, name := range strings.Fields(m[1]) {
			if !slices.Contains(list, name) && !strings.ContainsAny(name, "/%$") && len(list) < 200 {
				list = append(list, name)
			}
		}
	}
	return list
}

var recipeLine = tools.Pattern(`^@?([A-Za-z_][A-Za-z0-9_-]*)((?:\s+[*+$]?[A-Za-z_][^:]*)?)\s*:(?:[^=]|$)`)

// justRecipes lists the recipes of a justfile that need no argument, private ones left out.
func justRecipes(text string) (list []string) {
	private := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "[private]") {
			private = true
			continue
		}
		m := recipeLine().FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil || strings.HasPrefix(line, "alias ") || strings.HasPrefix(line, "set ") || strings.HasPrefix(line, "export ") {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "[") {
				private = false
			}
			continue
		}
		needs := false
		for _, param := range strings.Fields(m[2]) {
			needs = needs || !strings.Contains(param, "=") && !strings.HasPrefix(param, "*")
		}
		if !private && !needs && !strings.HasPrefix(m[1], "_") && !slices.Contains(list, m[1]) && len(list) < 200 {
			list = append(list, m[1])
		}
		private = false
	}
	return list
}

package workspace

import (
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// pythonProject reads pyproject.toml, setup.py, setup.cfg, Pipfile and requirements.
func pythonProject(f *folder) []project {
	manifest := f.first("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "environment.yml")
	if manifest == "" || manifest == "setup.cfg" && !strings.Contains(f.read(manifest), "[metadata]") {
		return nil
	}
	t := parseTOML(f.read("pyproject.toml"))
	if manifest == "pyproject.toml" && !t.section("project") && !t.section("tool.poetry") && !t.section("build-system") && !t.section("dependency-groups") &&
		!t.section("tool.uv") && f.first("setup.py", "setup.cfg", "requirements.txt") == "" {
		return nil // settings of tools only
	}
	p := project{Kind: "python", Manifest: manifest, Manager: pythonManager(f, t), Name: t.one("project.name")}
	if p.Name == "" {
		p.Name = t.one("tool.poetry.name")
	}
	p.members = t["tool.uv.workspace.members"]
	for _, not := range t["tool.uv.workspace.exclude"] {
		p.members = append(p.members, "!"+not)
	}
	p.Test = pythonTest(f, t, p.Manager)
	p.Build = pythonBuild(f, t, p.Manager)
	for _, section := range []string{"tool.poe.tasks.", "tool.pdm.scripts.", "tool.taskipy.tasks.", "tool.hatch.envs.default.scripts."} {
		for key, v := range t {
			if name, ok := strings.CutPrefix(key, section); ok && len(v) > 0 && !strings.Contains(name, ".") {
				if p.Scripts == nil {
					p.Scripts = map[string]string{}
				}
				p.Scripts[name] = tools.Cut(v[0], 200)
			}
		}
	}
	return []project{p}
}

func pythonManager(f *folder, t toml) string {
	switch backend := t.one("build-system.build-backend"); {
	case f.has("uv.lock"):
		return "uv"
	case f.has("poetry.lock"):
		return "poetry"
	case f.has("pdm.lock"):
		return "pdm"
	case f.has("Pipfile"):
		return "pipenv"
	case t.section("tool.uv"), strings.HasPrefix(backend, "uv_build"):
		return "uv"
	case t.section("tool.poetry"), strings.HasPrefix(backend, "poetry"):
		return "poetry"
	case t.section("tool.pdm"), strings.HasPrefix(backend, "pdm"):
		return "pdm"
	case t.section("tool.hatch.envs"):
		return "hatch"
	case f.has("environment.yml") && f.first("pyproject.toml", "setup.py", "requirements.txt") == "":
		return "conda"
	}
	return "pip"
}

// pythonRun is a command of the project's own environment.
func pythonRun(manager, module string) string {
	switch manager {
	case "uv", "poetry", "pdm", "pipenv", "hatch":
		return manager + " run " + module
	}
	return pythonProgram() + " -m " + module
}

func pythonProgram() string {
	if runtime.GOOS == "windows" {
		return "python"
	}
	return "python3"
}

// pythonTest is what runs the tests, as far as something says that there are any.
func pythonTest(f *folder, t toml, manager string) []string {
	if manager == "hatch" {
		for _, env := range []string{"default", "test"} {
			if len(t["tool.hatch.envs."+env+".scripts.test"]) > 0 {
				if env == "default" {
					return []string{"hatch run test"}
				}
				return []string{"hatch run test:test"}
			}
		}
	}
	switch {
	case f.has("manage.py"):
		return []string{djangoTest(manager)}
	case usesPytest(f, t):
		return []string{pythonRun(manager, "pytest")}
	case f.has("tox.ini") && strings.Contains(f.read("tox.ini"), "[tox"):
		return []string{"tox"}
	case f.has("noxfile.py"):
		return []string{"nox"}
	}
	for _, dir := range slices.Sorted(maps.Keys(f.s.folders)) { // the first of them, call for call
		other := f.s.folders[dir]
		if below(f.dir, dir) || dir == f.dir {
			for _, name := range other.files {
				if isPythonTest(name) && strings.HasPrefix(name, "test_") {
					return []string{strings.Replace(pythonRun(manager, "unittest discover"), "run unittest", "run python -m unittest", 1) + startOf(f.dir, dir)}
				}
			}
		}
	}
	return nil
}

// startOf is the option of unittest for tests in another folder, whose own folder need be no package.
func startOf(from, dir string) string {
	if dir == from {
		return ""
	}
	rel := strings.TrimPrefix(dir, from+"/")
	return " -s " + shellWord(rel)
}

func djangoTest(manager string) string {
	switch manager {
	case "uv", "poetry", "pdm", "pipenv", "hatch":
		return manager + " run python manage.py test"
	}
	return pythonProgram() + " manage.py test"
}

func usesPytest(f *folder, t toml) bool {
	if f.first("pytest.ini", "conftest.py") != "" || t.section("tool.pytest") || strings.Contains(f.read("setup.cfg"), "[tool:pytest]") || strings.Contains(f.read("tox.ini"), "[pytest]") {
		return true
	}
	for _, dir := range []string{"tests", "test"} {
		if other := f.s.folders[joinDir(f.dir, dir)]; other != nil && other.has("conftest.py") {
			return true
		}
	}
	for key, values := range t {
		if strings.HasPrefix(key, "project.") || strings.HasPrefix(key, "dependency-groups.") || strings.HasPrefix(key, "tool.uv.") || strings.HasPrefix(key, "tool.pdm.dev") || strings.HasPrefix(key, "tool.hatch.") {
			for _, v := range values {
				if requires(v, "pytest") {
					return true
				}
			}
		}
		if strings.HasPrefix(key, "tool.poetry.") && strings.HasSuffix(key, "dependencies.pytest") {
			return true
		}
	}
	for _, name := range []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements_dev.txt", "setup.py", "setup.cfg", "Pipfile", "tox.ini"} {
		for line := range strings.SplitSeq(f.read(name), "\n") {
			line = strings.TrimSpace(cutComment(line))
			if requires(strings.Trim(line, `"', `), "pytest") || strings.Contains(line, `"pytest`) || strings.Contains(line, `'pytest`) {
				return true
			}
		}
	}
	return false
}

// requires reports whether a requirement line is for a package.
func requires(line, name string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(line), name)
	return ok && (rest == "" || strings.IndexByte("=<>!~[; @", rest[0]) >= 0)
}

func pythonBuild(f *folder, t toml, manager string) []string {
	if !t.section("build-system") {
		if f.has("setup.py") {
			return []string{pythonProgram() + " -m pip install -e ."}
		}
		return nil
	}
	switch manager {
	case "uv", "poetry", "pdm", "hatch":
		return []string{manager + " build"}
	}
	return []string{pythonProgram() + " -m pip install -e ."}
}

func joinDir(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

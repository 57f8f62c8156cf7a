package workspace

import (
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// goProject reads go.mod and go.work.
func goProject(f *folder) []project {
	if f.has("go.work") {
		p := project{Kind: "go", Manifest: "go.work", Manager: "go"}
		var patterns []string
		for _, use := range goUses(f.read("go.work")) {
			p.members = append(p.members, use)
			if use == "." {
				patterns = append(patterns, "./...")
			} else {
				patterns = append(patterns, shellWord("./"+strings.TrimPrefix(use, "./")+"/..."))
			}
		}
		if len(patterns) > 0 && len(patterns) <= 30 {
			all := strings.Join(patterns, " ")
			p.Build, p.Test = []string{"go build " + all}, []string{"go test " + all}
		}
		if f.has("go.mod") {
			p.Name = goModule(f.read("go.mod"))
		}
		return []project{p}
	}
	if !f.has("go.mod") {
		return nil
	}
	return []project{{Kind: "go", Manifest: "go.mod", Manager: "go", Name: goModule(f.read("go.mod")),
		Build: []string{"go build ./..."}, Test: []string{"go test ./..."}}}
}

var moduleLine = tools.Pattern(`(?m)^module\s+"?([^\s"]+)`)

func goModule(text string) string {
	if m := moduleLine().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// goUses lists the folders of a go.work.
func goUses(text string) (list []string) {
	block := false
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		switch {
		case line == "use (":
			block = true
			continue
		case line == ")":
			block = false
			continue
		case strings.HasPrefix(line, "use "):
			line = strings.TrimSpace(line[4:])
		case !block || line == "":
			continue
		}
		line = strings.Trim(line, "\"`")
		if dir := strings.TrimSuffix(strings.TrimPrefix(line, "./"), "/"); dir == "" || dir == "." {
			list = append(list, ".")
		} else if !strings.HasPrefix(dir, "..") && !strings.HasPrefix(dir, "/") && !strings.ContainsAny(dir, "'\"$`;&|<>(){}[]*?!#~\\") {
			list = append(list, dir)
		}
	}
	return list
}

func rustProject(f *folder) []project {
	if !f.has("Cargo.toml") {
		return nil
	}
	t := parseTOML(f.read("Cargo.toml"))
	p := project{Kind: "rust", Manifest: "Cargo.toml", Manager: "cargo", Name: t.one("package.name"),
		Build: []string{"cargo build"}, Test: []string{"cargo test"}}
	if t.section("workspace") {
		p.members = t["workspace.members"]
		for _, not := range t["workspace.exclude"] {
			p.members = append(p.members, "!"+not)
		}
		p.Build, p.Test = []string{"cargo build --workspace"}, []string{"cargo test --workspace"}
	} else if p.Name == "" {
		return nil
	}
	return []project{p}
}

var (
	cmakeTests = tools.Pattern(`(?im)^[^#\n]*\b(enable_testing\s*\(|include\s*\(\s*CTest\s*\))`)
	cmakeName  = tools.Pattern(`(?im)^\s*project\s*\(\s*"?([\w.+-]+|\$\{[\w.+-]+\})`)
)

func cmakeProject(f *folder) []project {
	if !f.has("CMakeLists.txt") {
		return nil
	}
	text := f.read("CMakeLists.txt")
	p := project{Kind: "cmake", Manifest: "CMakeLists.txt", Build: []string{"cmake -S . -B build && cmake --build build"}, covers: true}
	m := cmakeName().FindStringSubmatch(text)
	if m == nil {
		return nil // a part of another
	}
	if !strings.HasPrefix(m[1], "$") {
		p.Name = m[1]
	}
	if cmakeTests().MatchString(text) {
		p.Test = []string{"ctest --test-dir build --output-on-failure"}
	}
	return []project{p}
}

var (
	mesonTests = tools.Pattern(`(?m)^\s*test\s*\(`)
	mesonName  = tools.Pattern(`(?m)^\s*project\s*\(\s*'([^'\n]+)'`)
)

func mesonProject(f *folder) []project {
	if !f.has("meson.build") {
		return nil
	}
	text := f.read("meson.build")
	m := mesonName().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := project{Kind: "meson", Manifest: "meson.build", Name: m[1], Build: []string{"meson setup build && meson compile -C build"}, covers: true}
	tests := mesonTests().MatchString(text)
	for _, dir := range []string{"test", "tests"} {
		tests = tests || mesonTests().MatchString(f.read(dir+"/meson.build"))
	}
	if tests {
		p.Test = []string{"meson test -C build"}
	}
	return []project{p}
}

// otherProjects are build systems whose commands do not depend on what the manifest says.
func otherProjects(f *folder) (list []project) {
	for _, one := range []struct{ file, kind, manager, build, test string }{
		{"MODULE.bazel", "bazel", "", "bazel build //...", "bazel test //..."},
		{"WORKSPACE", "bazel", "", "bazel build //...", "bazel test //..."},
		{"WORKSPACE.bazel", "bazel", "", "bazel build //...", "bazel test //..."},
		{"build.sbt", "sbt", "sbt", "sbt compile", "sbt test"},
		{"mix.exs", "elixir", "mix", "mix compile", "mix test"},
		{"rebar.config", "erlang", "rebar3", "rebar3 compile", "rebar3 eunit"},
		{"Package.swift", "swift", "swift", "swift build", "swift test"},
		{"build.zig", "zig", "zig", "zig build", ""},
		{"stack.yaml", "haskell", "stack", "stack build", "stack test"},
		{"dune-project", "ocaml", "dune", "dune build", "dune test"},
	} {
		if !f.has(one.file) || len(list) > 0 && list[len(list)-1].Kind == one.kind {
			continue
		}
		p := project{Kind: one.kind, Manifest: one.file, Manager: one.manager, Build: []string{one.build}, covers: true}
		if one.kind == "zig" && strings.Contains(f.read("build.zig"), `step("test"`) {
			one.test = "zig build test"
		}
		if one.test != "" {
			p.Test = []string{one.test}
		}
		list = append(list, p)
	}
	if cabal := f.ending(".cabal"); len(cabal) > 0 && !f.has("stack.yaml") {
		list = append(list, project{Kind: "haskell", Manifest: cabal[0], Manager: "cabal", Build: []string{"cabal build"}, Test: []string{"cabal test"}})
	}
	if f.has("pubspec.yaml") {
		text := f.read("pubspec.yaml")
		p := project{Kind: "dart", Manifest: "pubspec.yaml", Manager: "dart"}
		if strings.Contains(text, "sdk: flutter") {
			p.Manager = "flutter"
		}
		if strings.Contains(text, "test:") || strings.Contains(text, "flutter_test:") {
			p.Test = []string{p.Manager + " test"}
		}
		list = append(list, p)
	}
	return list
}

package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// layout is a made project: files by name.
type layout map[string]string

func (files layout) make(t testing.TB) (dir string, roots *sandbox.Roots) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "W")
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	roots, err = sandbox.Open(sandbox.Config{Dirs: []string{dir}, State: filepath.Join(base, "state"), Home: filepath.Join(base, "home")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { roots.Close() })
	return dir, roots
}

func detectIt(t testing.TB, roots *sandbox.Roots, path string) *found {
	t.Helper()
	out := tools.Invoke(context.Background(), New(Config{}), roots, nil, fmt.Sprintf(`{"action":"detect","path":%q}`, path))
	if !out.Envelope.OK {
		t.Fatalf("detect: %v", out.Envelope.Error)
	}
	return out.Envelope.Data.(*found)
}

const pkg = `{"name":"x","version":"1.0.0","scripts":{"build":"tsc","test":"vitest run"}}`

func TestProjects(t *testing.T) {
	t.Parallel()
	python := pythonProgram()
	for _, tt := range []struct {
		name           string
		files          layout
		language       string
		managers       []string
		build, test    []string
		members        []string // dir:kind
		containers, ci int
	}{
		{name: "go", files: layout{"go.mod": "module example.org/x\n", "main.go": "package main"}, language: "Go", managers: []string{"go"},
			build: []string{"go build ./..."}, test: []string{"go test ./..."}},
		{name: "go workspace", files: layout{"go.work": "go 1.26\nuse (\n\t./a // one\n\t./b\n)\n", "a/go.mod": "module a", "b/go.mod": "module b", "a/a.go": "package a", "c/go.mod": "module c"},
			language: "Go", managers: []string{"go"}, build: []string{"go build ./a/... ./b/...", "cd c && go build ./..."}, test: []string{"go test ./a/... ./b/...", "cd c && go test ./..."},
			members: []string{"a:go", "b:go", "c:go"}},
		{name: "npm", files: layout{"package.json": pkg, "package-lock.json": "{}", "i.ts": ""}, language: "TypeScript", managers: []string{"npm"},
			build: []string{"npm run build"}, test: []string{"npm run test"}},
		{name: "npm without a test script has no test", files: layout{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, managers: []string{"npm"}},
		{name: "pnpm workspace", files: layout{"package.json": `{"private":true,"packageManager":"pnpm@9.1.0"}`, "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - \"!**/test/**\"\n",
			"packages/a/package.json": pkg, "packages/b/package.json": `{"name":"b"}`}, managers: []string{"pnpm"},
			build: []string{"pnpm -r run build"}, test: []string{"pnpm -r run test"}, members: []string{"packages/a:node", "packages/b:node"}},
		{name: "yarn 4 workspace", files: layout{"package.json": `{"workspaces":["apps/*"],"packageManager":"yarn@4.1.0","scripts":{"build":"turbo build"}}`, "yarn.lock": "", "apps/a/package.json": pkg},
			managers: []string{"yarn"}, build: []string{"yarn run build"}, test: []string{"yarn workspaces foreach -A run test"}, members: []string{"apps/a:node"}},
		{name: "bun", files: layout{"package.json": `{"scripts":{"test":"bun test"}}`, "bun.lock": "{}"}, managers: []string{"bun"}, test: []string{"bun run test"}},
		{name: "npm workspaces object", files: layout{"package.json": `{"workspaces":{"packages":["p/*"]}}`, "p/a/package.json": pkg}, managers: []string{"npm"},
			build: []string{"npm run build --workspaces --if-present"}, test: []string{"npm run test --workspaces --if-present"}, members: []string{"p/a:node"}},
		{name: "uv", files: layout{"pyproject.toml": "[project]\nname = \"x\"\n[dependency-groups]\ndev = [\n  \"ruff\", # a comment ]\n  \"pytest>=8\",\n]\n[build-system]\nrequires=[\"hatchling\"]\n", "uv.lock": "", "x.py": ""},
			language: "Python", managers: []string{"uv"}, build: []string{"uv build"}, test: []string{"uv run pytest"}},
		{name: "uv workspace", files: layout{"pyproject.toml": "[project]\nname='w'\n[tool.uv.workspace]\nmembers = [\"libs/*\"]\n[tool.pytest.ini_options]\n", "uv.lock": "", "libs/a/pyproject.toml": "[project]\nname='a'\n"},
			managers: []string{"uv"}, test: []string{"uv run pytest"}, members: []string{"libs/a:python"}},
		{name: "poetry", files: layout{"pyproject.toml": "[tool.poetry]\nname='x'\n[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\n[build-system]\nbuild-backend = \"poetry.core.masonry.api\"\n", "poetry.lock": ""},
			managers: []string{"poetry"}, build: []string{"poetry build"}, test: []string{"poetry run pytest"}},
		{name: "pip", files: layout{"requirements.txt": "flask==3\npytest==8.0\n", "app.py": ""}, language: "Python", managers: []string{"pip"}, test: []string{python + " -m pytest"}},
		{name: "pip with unittest", files: layout{"requirements.txt": "flask\n", "tests/test_a.py": ""}, language: "Python", managers: []string{"pip"}, test: []string{python + " -m unittest discover -s tests"}},
		{name: "requirements of another package are no pytest", files: layout{"requirements.txt": "pytestify\n"}, managers: []string{"pip"}},
		{name: "hatch", files: layout{"pyproject.toml": "[build-system]\nbuild-backend = \"hatchling.build\"\n[project]\nname=\"h\"\n[tool.hatch.envs.default.scripts]\ntest = \"pytest {args}\"\n"},
			managers: []string{"hatch"}, build: []string{"hatch build"}, test: []string{"hatch run test"}},
		{name: "setuptools", files: layout{"setup.py": "from setuptools import setup\nsetup(extras_require={'t': ['pytest']})\n"}, language: "Python", managers: []string{"pip"},
			build: []string{python + " -m pip install -e ."}, test: []string{python + " -m pytest"}},
		{name: "django", files: layout{"requirements.txt": "django\n", "manage.py": ""}, language: "Python", managers: []string{"pip"}, test: []string{python + " manage.py test"}},
		{name: "settings of linters are no python project", files: layout{"pyproject.toml": "[tool.black]\nline-length = 100\n", "go.mod": "module x"}, managers: []string{"go"},
			build: []string{"go build ./..."}, test: []string{"go test ./..."}},
		{name: "rust workspace", files: layout{"Cargo.toml": "[workspace]\nmembers = [\n  \"crates/*\",\n]\nexclude = [\"crates/old\"]\n", "crates/a/Cargo.toml": "[package]\nname = \"a\"\n", "crates/a/src/lib.rs": "", "crates/old/Cargo.toml": "[package]\nname=\"old\"\n"},
			language: "Rust", managers: []string{"cargo"}, build: []string{"cargo build --workspace", "cd crates/old && cargo build"}, test: []string{"cargo test --workspace", "cd crates/old && cargo test"},
			members: []string{"crates/a:rust", "crates/old:rust"}},
		{name: "maven", files: layout{"pom.xml": "<project xmlns='http://maven.apache.org/POM/4.0.0'><artifactId>m</artifactId><modules><module>core</module></modules></project>", "mvnw": "", "core/pom.xml": "<project><artifactId>core</artifactId></project>", "core/A.java": ""},
			language: "Java", managers: []string{"maven"}, build: []string{"./mvnw package -DskipTests"}, test: []string{"./mvnw test"}, members: []string{"core:maven"}},
		{name: "gradle kts", files: layout{"settings.gradle.kts": "rootProject.name = \"g\"\ninclude(\":app\", \":lib:core\")\n", "build.gradle.kts": "", "gradlew": "", "app/build.gradle.kts": "", "lib/core/build.gradle.kts": "", "app/A.kt": "", "app/B.kt": "", "app/C.kt": "", "app/D.kt": "", "app/E.kt": ""},
			language: "Kotlin", managers: []string{"gradle"}, build: []string{"./gradlew assemble"}, test: []string{"./gradlew test"}, members: []string{"app:gradle", "lib/core:gradle"}},
		{name: "dotnet solution", files: layout{"My App.sln": "Project(\"{FAE0}\") = \"A\", \"src\\A\\A.csproj\", \"{1}\"\r\nEndProject\r\n", "src/A/A.csproj": "<Project/>", "src/A/A.cs": ""},
			language: "C#", managers: []string{"nuget"}, build: []string{"dotnet build 'My App.sln'"}, test: []string{"dotnet test 'My App.sln'"}, members: []string{"src/A:dotnet"}},
		{name: "csproj without tests", files: layout{"A.csproj": "<Project/>"}, managers: []string{"nuget"}, build: []string{"dotnet build"}},
		{name: "ruby rspec", files: layout{"Gemfile": "gem 'rspec'\n", "spec/a_spec.rb": "", "x.gemspec": ""}, language: "Ruby", managers: []string{"bundler"}, build: []string{"gem build x.gemspec"}, test: []string{"bundle exec rspec"}},
		{name: "rails", files: layout{"Gemfile": "gem \"rails\"\n", "app/a.rb": ""}, language: "Ruby", managers: []string{"bundler"}, test: []string{"bin/rails test"}},
		{name: "php", files: layout{"composer.json": `{"name":"a/b","require-dev":{"phpunit/phpunit":"^11"}}`, "a.php": ""}, language: "PHP", managers: []string{"composer"}, test: []string{"vendor/bin/phpunit"}},
		{name: "composer script", files: layout{"composer.json": `{"scripts":{"test":["@lint","phpunit"]}}`}, managers: []string{"composer"}, test: []string{"composer run-script test"}},
		{name: "cmake", files: layout{"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(demo CXX)\nenable_testing()\nadd_subdirectory(lib)\n", "lib/CMakeLists.txt": "add_library(l l.cpp)\n", "lib/l.cpp": ""},
			language: "C++", build: []string{"cmake -S . -B build && cmake --build build"}, test: []string{"ctest --test-dir build --output-on-failure"}},
		{name: "cmake without tests", files: layout{"CMakeLists.txt": "project(demo C)\n# enable_testing()\n"}, build: []string{"cmake -S . -B build && cmake --build build"}},
		{name: "meson", files: layout{"meson.build": "project('m', 'c')\ntest('t', exe)\n", "a.c": ""}, language: "C", build: []string{"meson setup build && meson compile -C build"}, test: []string{"meson test -C build"}},
		{name: "make", files: layout{"Makefile": "CC := gcc\n.PHONY: all test\nall: x\n\t$(CC) x.c\nx: x.c\ntest: all\n\t./x\n%.o: %.c\n"}, build: []string{"make"}, test: []string{"make test"}},
		{name: "make whose first target is no build", files: layout{"Makefile": "help:\n\t@echo hi\nclean:\n\trm -rf x\n"}},
		{name: "just", files: layout{"justfile": "set shell := ['bash']\nalias b := build\ndefault: build\nbuild target='x':\n  echo {{target}}\n_private:\n  echo\ntest *args:\n  go test {{args}}\ndeploy host:\n  ssh {{host}}\n"}, build: []string{"just build"}, test: []string{"just test"}},
		{name: "taskfile", files: layout{"Taskfile.yml": "version: '3'\ntasks:\n  build:\n    cmds:\n      - go build\n  test: go test ./...\n"}, build: []string{"task build"}, test: []string{"task test"}},
		{name: "deno", files: layout{"deno.jsonc": "{ // tasks\n \"tasks\": {\"build\": \"deno compile main.ts\",}, }", "main.ts": ""}, language: "TypeScript", managers: []string{"deno"}, build: []string{"deno task build"}, test: []string{"deno test"}},
		{name: "elixir", files: layout{"mix.exs": "", "lib/a.ex": "", "lib/b.ex": ""}, language: "Elixir", managers: []string{"mix"}, build: []string{"mix compile"}, test: []string{"mix test"}},
		{name: "swift", files: layout{"Package.swift": ""}, language: "Swift", managers: []string{"swift"}, build: []string{"swift build"}, test: []string{"swift test"}},
		{name: "bazel", files: layout{"MODULE.bazel": "", "WORKSPACE": ""}, build: []string{"bazel build //..."}, test: []string{"bazel test //..."}},
		{name: "zig", files: layout{"build.zig": "const t = b.step(\"test\", \"x\");"}, language: "Zig", managers: []string{"zig"}, build: []string{"zig build"}, test: []string{"zig build test"}},
		{name: "monorepo", files: layout{"README.md": "", "backend/go.mod": "module b", "backend/a.go": "", "backend/b.go": "", "web/package.json": pkg, "web/pnpm-lock.yaml": "", "infra/Dockerfile": "FROM scratch", "compose.yaml": "services:\n  db:\n    image: x\n  web:\n    build: .\nvolumes:\n  v:\n",
			".github/workflows/ci.yml": "", "web/node_modules/x/package.json": pkg, "my dir/go.mod": "module m"},
			language: "Go", managers: []string{"go", "pnpm"}, build: []string{"cd backend && go build ./...", "cd 'my dir' && go build ./...", "cd web && pnpm run build"},
			test: []string{"cd backend && go test ./...", "cd 'my dir' && go test ./...", "cd web && pnpm run test"}, members: []string{"backend:go", "my dir:go", "web:node"}, containers: 2, ci: 1},
		{name: "nothing", files: layout{"notes.md": ""}},
		{name: "broken manifests", files: layout{"package.json": "{", "pom.xml": "<", "composer.json": "[]", "Cargo.toml": "=[", "pyproject.toml": "[[[\n\"", "go.mod": "\x00", "deno.json": "]", "Makefile": "\t:::", "pnpm-workspace.yaml": "- - -", "x.sln": "Project("},
			managers: []string{"go", "nuget"}, build: []string{"go build ./...", "dotnet build x.sln"}, test: []string{"go test ./...", "dotnet test x.sln"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, roots := tt.files.make(t)
			f := detectIt(t, roots, ".")
			language := ""
			if len(f.Languages) > 0 {
				language = f.Languages[0].Name
			}
			if tt.language != "" && language != tt.language {
				t.Errorf("languages %v, want %s first", f.Languages, tt.language)
			}
			same := func(what string, got, want []string) {
				if !slices.Equal(got, want) && len(got)+len(want) > 0 {
					t.Errorf("%s:\n got %q\nwant %q", what, got, want)
				}
			}
			same("managers", f.Managers, tt.managers)
			same("build", f.Build, tt.build)
			same("test", f.Test, tt.test)
			var members []string
			for _, m := range f.Members {
				members = append(members, m.Dir+":"+m.Kind)
			}
			same("members", members, tt.members)
			if len(f.Containers) != tt.containers || len(f.CI) != tt.ci {
				t.Errorf("containers %v, ci %v", f.Containers, f.CI)
			}
		})
	}
}

// The commands that are given work: tried with the tools that are here.
func TestCommandsRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, needs string
		files       layout
	}{
		{"go workspace", "go", layout{"go.work": "go 1.26\nuse ./a\nuse ./b\n", "a/go.mod": "module example.org/a\ngo 1.26\n", "b/go.mod": "module example.org/b\ngo 1.26\n", "a/a.go": "package a\n", "b/b.go": "package b\n"}},
		{"go workspace with a module at its top", "go", layout{"go.work": "go 1.26\nuse (\n .\n ./b\n)\n", "go.mod": "module example.org/r\ngo 1.26\n", "r.go": "package r\n", "b/go.mod": "module example.org/b\ngo 1.26\n", "b/b.go": "package b\n"}},
		{"npm workspaces", "npm", layout{"package.json": `{"name":"w","workspaces":["p/*"]}`, "p/a/package.json": `{"name":"a","version":"1.0.0","scripts":{"test":"node -e 0","build":"node -e 0"}}`, "p/b/package.json": `{"name":"b","version":"1.0.0"}`}},
		{"npm", "npm", layout{"package.json": `{"scripts":{"test":"node -e 0"}}`}},
		{"make", "make", layout{"Makefile": "all:\n\t@true\ncheck: all\n\t@true\n"}},
		{"unittest", "python3", layout{"requirements.txt": "", "tests/test_a.py": "import unittest\nclass T(unittest.TestCase):\n  def test(self): pass\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tt.needs); err != nil {
				t.Skipf("%s is not installed", tt.needs)
			}
			dir, roots := tt.files.make(t)
			f := detectIt(t, roots, ".")
			if len(f.Build)+len(f.Test) == 0 {
				t.Fatal("no command was found")
			}
			for _, command := range append(f.Build, f.Test...) {
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=", "GOTOOLCHAIN=local", "npm_config_update_notifier=false")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", command, err, out)
				}
			}
		})
	}
}

func TestVersionControl(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, tt := range []struct {
		name  string
		files layout
		path  string
		want  vcs
	}{
		{"branch", layout{".git/HEAD": "ref: refs/heads/feat/x\n", ".git/refs/heads/feat/x": commit + "\n", "a/b/c.go": ""}, "a/b", vcs{Kind: "git", Root: ".", Branch: "feat/x", Head: commit}},
		{"unborn branch", layout{".git/HEAD": "ref: refs/heads/main\n"}, ".", vcs{Kind: "git", Root: ".", Branch: "main"}},
		{"detached", layout{".git/HEAD": commit + "\n"}, ".", vcs{Kind: "git", Root: ".", Detached: true, Head: commit}},
		{"linked work tree inside", layout{"wt/.git": "gitdir: ../main/.git/worktrees/wt\n", "main/.git/worktrees/wt/HEAD": "ref: refs/heads/side\n"}, "wt", vcs{Kind: "git", Root: "wt", Branch: "side", Worktree: true}},
		{"linked work tree elsewhere", layout{".git": "gitdir: /nonexistent/repo/.git/worktrees/x\n"}, ".", vcs{Kind: "git", Root: ".", Worktree: true}},
		{"git folder that points outside", layout{".git": "gitdir: ../../etc\n"}, ".", vcs{Kind: "git", Root: ".", Worktree: true}},
		{"head that is no ref", layout{".git/HEAD": "ref: ../../../../etc/passwd\n"}, ".", vcs{Kind: "git", Root: ".", Branch: "../../../../etc/passwd"}},
		{"branch with a bidi override", layout{".git/HEAD": "ref: refs/heads/a\u202eb\n"}, ".", vcs{Kind: "git", Root: ".", Branch: `"a\u202eb"`}},
		{"mercurial", layout{".hg/branch": "stable\n"}, ".", vcs{Kind: "hg", Root: ".", Branch: "stable"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, roots := tt.files.make(t)
			f := detectIt(t, roots, tt.path)
			if f.VCS == nil {
				t.Fatal("no version control")
			}
			if tt.want.Dirty = any("unknown"); *f.VCS != tt.want {
				t.Errorf("got %+v\nwant %+v", *f.VCS, tt.want)
			}
		})
	}
	_, roots := layout{"a.go": ""}.make(t)
	if f := detectIt(t, roots, "."); f.VCS != nil {
		t.Errorf("version control %+v in a folder without", f.VCS)
	}
}

// Real git agrees about the branch.
func TestBranchAsGitSaysIt(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir, roots := layout{"repo/a.txt": "x"}.make(t)
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir = filepath.Join(dir, "repo")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "trunk")
	run("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	run("worktree", "add", "-q", "-b", "other", "../wt")
	head := run("rev-parse", "HEAD")
	if v := detectIt(t, roots, "repo").VCS; v.Branch != "trunk" || v.Head != head {
		t.Errorf("got %+v", v)
	}
	if v := detectIt(t, roots, "wt").VCS; v.Branch != "other" || !v.Worktree {
		t.Errorf("work tree: got %+v", v)
	}
}

// A manifest that leads out of the roots, or is huge, or is no file, says nothing.
func TestManifestsAreReadSafely(t *testing.T) {
	t.Parallel()
	dir, roots := layout{"go.mod": "module x", "big/package.json": `{"scripts":{"test":"x"},"pad":"` + strings.Repeat("x", maxManifest) + `"}`}.make(t)
	outside := filepath.Join(filepath.Dir(dir), "package.json")
	if err := os.WriteFile(outside, []byte(`{"scripts":{"test":"secret"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "package.json")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.MkdirAll(filepath.Join(dir, "d", "package.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := detectIt(t, roots, ".")
	raw, _ := json.Marshal(f)
	if strings.Contains(string(raw), "secret") || slices.Contains(f.Managers, "npm") {
		t.Errorf("%s", raw)
	}
}

// What a checkout's manifests say cannot become another command.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	_, roots := layout{"a;rm -rf ~/go.mod": "module x", "go.work": "use \"./$(touch x)\"\nuse ../../up\nuse ./ok\n", "ok/go.mod": "module ok", "$(id)/package.json": pkg,
		"it's/Cargo.toml": "[package]\nname='x'\n"}.make(t)
	f := detectIt(t, roots, ".")
	all := strings.Join(append(f.Build, f.Test...), "\n")
	if !strings.Contains(all, `cd '$(id)' && npm run build`) || !strings.Contains(all, `cd 'it'\''s' && cargo build`) || strings.Contains(all, "touch") || strings.Contains(all, "..") && strings.Contains(all, "up") {
		t.Errorf("commands:\n%s", all)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	files := layout{"go.mod": "module example.org/x", "main.go": "", ".git/HEAD": "ref: refs/heads/main\n"}
	_, roots := files.make(t)
	got := Describe(context.Background(), roots)
	for _, want := range []string{"Go (1)", "Build: go build ./...", "Test: go test ./...", "git, branch main"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for i := range 300 {
		files[fmt.Sprintf("%s%d/package.json", strings.Repeat("d", 90), i)] = pkg
		files[fmt.Sprintf("%s%d/Dockerfile", strings.Repeat("d", 90), i)] = ""
	}
	_, roots = files.make(t)
	if got := Describe(context.Background(), roots); len(got) > 2048 {
		t.Errorf("%d bytes", len(got))
	}
	if got := Describe(context.Background(), new(sandbox.Roots)); got != "" {
		t.Errorf("without roots: %q", got)
	}
}

func BenchmarkDetect(b *testing.B) {
	files := layout{"go.mod": "module x", "package.json": pkg, ".git/HEAD": "ref: refs/heads/main\n", ".gitignore": "dist/\n"}
	for i := range 10_000 {
		files[fmt.Sprintf("pkg/m%d/s%d/file%d.go", i/400, i/40, i)] = "package x\n"
	}
	for i := range 40 {
		files[fmt.Sprintf("pkg/m%d/package.json", i)] = pkg
	}
	_, roots := files.make(b)
	for b.Loop() {
		if f := detectIt(b, roots, "."); f.Files < 10_000 {
			b.Fatal(f.Files)
		}
	}
}

package workspace

import (
	"path"
	"strings"
)

// languages by ending. Formats of data and prose are none.
var languages = map[string]string{
	".go": "Go", ".rs": "Rust", ".py": "Python", ".pyi": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala",
	".groovy": "Groovy", ".clj": "Clojure", ".cljs": "Clojure", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++", ".hxx": "C++",
	".cs": "C#", ".fs": "F#", ".vb": "Visual Basic", ".rb": "Ruby", ".php": "PHP", ".swift": "Swift", ".m": "Objective-C", ".mm": "Objective-C", ".dart": "Dart",
	".lua": "Lua", ".pl": "Perl", ".pm": "Perl", ".r": "R", ".jl": "Julia", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hrl": "Erlang", ".hs": "Haskell",
	".ml": "OCaml", ".mli": "OCaml", ".zig": "Zig", ".nim": "Nim", ".d": "D", ".v": "Verilog", ".sv": "SystemVerilog", ".vhd": "VHDL", ".sol": "Solidity",
	".sh": "Shell", ".bash": "Shell", ".zsh": "Shell", ".ps1": "PowerShell", ".sql": "SQL", ".html": "HTML", ".htm": "HTML", ".css": "CSS", ".scss": "SCSS", ".sass": "SCSS",
	".less": "Less", ".vue": "Vue", ".svelte": "Svelte", ".astro": "Astro", ".tf": "Terraform", ".proto": "Protocol Buffers", ".graphql": "GraphQL", ".cu": "CUDA",
	".el": "Emacs Lisp", ".vim": "Vim script", ".nix": "Nix", ".cr": "Crystal", ".f90": "Fortran", ".f95": "Fortran", ".pas": "Pascal", ".asm": "Assembly", ".s": "Assembly",
	".ipynb": "Jupyter Notebook",
}

func languageOf(name string) string {
	return languages[strings.ToLower(path.Ext(name))]
}

// manifests are the names of files that detectors read or look for.
var manifests = map[string]bool{
	"go.mod": true, "go.work": true, "Cargo.toml": true, "package.json": true, "pnpm-workspace.yaml": true, "pnpm-lock.yaml": true, "yarn.lock": true, ".yarnrc.yml": true,
	"package-lock.json": true, "npm-shrinkwrap.json": true, "bun.lock": true, "bun.lockb": true, "lerna.json": true, "nx.json": true, "turbo.json": true,
	"deno.json": true, "deno.jsonc": true, "deno.lock": true, "pyproject.toml": true, "setup.py": true, "setup.cfg": true, "requirements.txt": true, "requirements-dev.txt": true,
	"dev-requirements.txt": true, "requirements_dev.txt": true, "Pipfile": true, "poetry.lock": true, "uv.lock": true, "pdm.lock": true, "tox.ini": true, "noxfile.py": true, "pytest.ini": true, "conftest.py": true,
	"manage.py": true, "environment.yml": true, "pom.xml": true, "mvnw": true, "gradlew": true, "build.gradle": true, "build.gradle.kts": true, "settings.gradle": true, "settings.gradle.kts": true,
	"build.sbt": true, "Gemfile": true, "Rakefile": true, ".rspec": true, "composer.json": true, "phpunit.xml": true, "phpunit.xml.dist": true, "artisan": true,
	"CMakeLists.txt": true, "CMakePresets.json": true, "meson.build": true, "Makefile": true, "makefile": true, "GNUmakefile": true, "justfile": true, "Justfile": true, ".justfile": true,
	"Taskfile.yml": true, "Taskfile.yaml": true, "Taskfile.dist.yml": true, "mix.exs": true, "Package.swift": true, "pubspec.yaml": true, "build.zig": true, "stack.yaml": true,
	"MODULE.bazel": true, "WORKSPACE": true, "WORKSPACE.bazel": true, "configure": true, "configure.ac": true, "build.ninja": true, "magefile.go": true, "rebar.config": true, "dune-project": true,
	"Dockerfile": true, "Containerfile": true, "devcontainer.json": true, ".gitlab-ci.yml": true, "azure-pipelines.yml": true, "Jenkinsfile": true, ".travis.yml": true, "bitbucket-pipelines.yml": true,
}

func isManifest(name string) bool {
	if manifests[name] {
		return true
	}
	switch path.Ext(name) {
	case ".sln", ".slnx", ".csproj", ".fsproj", ".vbproj", ".gemspec", ".cabal":
		return true
	case ".yml", ".yaml":
		return isCompose(name)
	}
	return strings.HasPrefix(name, "Dockerfile.") || strings.HasSuffix(name, ".Dockerfile") || isPythonTest(name)
}

func isCompose(name string) bool {
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml")
	return stem == "compose" || stem == "docker-compose" || strings.HasPrefix(stem, "compose.") || strings.HasPrefix(stem, "docker-compose.")
}

func isPythonTest(name string) bool {
	return strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py"))
}

// interestingDirs are folders whose presence says something.
var interestingDirs = map[string]bool{"spec": true, "test": true, "tests": true, "bin": true, "src": true, ".github": true, ".devcontainer": true, ".circleci": true}

package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// manifests are files that make a folder a project.
var manifests = []string{
	"go.mod", "go.work", "package.json", "deno.json", "Cargo.toml", "pyproject.toml", "setup.py", "requirements.txt", "Pipfile",
	"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "CMakeLists.txt", "Makefile", "meson.build", "configure.ac",
	"Gemfile", "composer.json", "mix.exs", "pubspec.yaml", "Package.swift", "build.sbt", "dune-project", "stack.yaml", "flake.nix",
	"build.zig", "WORKSPACE", "MODULE.bazel", "tsconfig.json", ".hg", ".svn", ".jj", ".hanzo",
}

// DefaultRoots returns the root to use when nobody named one: the working folder
// if it holds .git or a project manifest or lies below the home folder. It is
// never the top of a file system, the home folder or one above it, nor a folder
// of the system or of programs; then there is none, and reason says why, for a
// person. The folder is the real one.
func DefaultRoots(wd, home string) (dirs []string, reason string) {
	dir := real(wd)
	if dir == "" || !filepath.IsAbs(dir) {
		return nil, "the working folder " + Printable(wd) + " cannot be used"
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, "the working folder " + Printable(wd) + " cannot be used"
	}
	h := real(home)
	if h != "" && filepath.Dir(h) == h {
		h = "" // a home of "/" says nothing
	}
	fold := runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	s, hs := filepath.ToSlash(dir), filepath.ToSlash(h)
	git := exists(dir, ".git")
	switch {
	case filepath.Dir(dir) == dir:
		return nil, "the working folder is the top of the file system"
	case h != "" && below(hs, s, fold):
		return nil, "the working folder is the home folder or above it"
	}
	inHome := false
	if h != "" {
		if rest, ok := cutDir(s, hs, fold); ok {
			first, _, _ := strings.Cut(rest, "/")
			if (strings.HasPrefix(first, ".") || first == "AppData" || first == "Library" || first == "snap") && !git {
				return nil, "the working folder belongs to programs of the user (" + Printable(first) + ")"
			}
			inHome = true
		}
	}
	if !inHome {
		if top, ok := systemFolder(s, git, fold); ok {
			return nil, "the working folder belongs to the system or to programs (" + Printable(top) + ")"
		}
	}
	if inHome || git {
		return []string{dir}, ""
	}
	for _, m := range manifests {
		if exists(dir, m) {
			return []string{dir}, ""
		}
	}
	return nil, "the working folder has no .git or project manifest and does not lie below the home folder"
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// systemFolder reports the folder of the system or of programs that s is, or lies in.
func systemFolder(s string, git, fold bool) (string, bool) {
	never, notItself, notWithoutGit := systemFolders()
	for _, d := range never {
		if below(s, d, fold) {
			return d, true
		}
	}
	for _, d := range notItself {
		if s == d {
			return d, true
		}
	}
	for _, d := range notWithoutGit {
		if !git && below(s, d, fold) {
			return d, true
		}
	}
	return "", false
}

// systemFolders are the folders of the system and of programs: with all beneath them, by themselves alone, and those where
// only a repository is somebody's work.
func systemFolders() (never, notItself, notWithoutGit []string) {
	if runtime.GOOS != "windows" {
		never = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/run", "/sbin", "/snap", "/sys", "/usr",
			"/Applications", "/Library", "/System", "/private/etc"}
		notItself = []string{"/home", "/media", "/mnt", "/opt", "/private", "/private/tmp", "/private/var", "/srv", "/tmp", "/Users", "/var", "/var/tmp", "/Volumes"}
		notWithoutGit = []string{"/opt", "/var/lib", "/var/cache"}
		return never, notItself, notWithoutGit
	}
	for _, v := range []string{"SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "ProgramData"} {
		if d := os.Getenv(v); d != "" {
			never = append(never, slashed(d))
		}
	}
	if d := os.Getenv("SystemDrive"); d != "" {
		notItself = append(notItself, d+"/Users")
	}
	return never, notItself, nil
}

// ofTheSystem tells why the entry at the absolute slash path s is never taken away, "" when it may be: it is or holds a
// folder of the system, or lies where the kernel keeps its own. What a system folder holds may be changed.
func ofTheSystem(s string, fold bool) string {
	for _, d := range []string{"/dev", "/proc", "/sys"} {
		if rest, ok := cutDir(s, d, fold); ok && !(d == "/dev" && strings.HasPrefix(rest, "shm/")) {
			return "what lies in " + d + " is never removed or renamed"
		}
	}
	never, notItself, notWithoutGit := systemFolders()
	if path.Dir(s) == "/usr" || slices.ContainsFunc(slices.Concat(never, notItself, notWithoutGit), func(d string) bool { return below(d, s, fold) }) {
		return "it is or holds a folder of the system, which is never removed or renamed"
	}
	return ""
}

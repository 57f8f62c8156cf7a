package main

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
)

// homeFolder is the user's home folder: HOME, else that of the account; "" when there is none. A HOME that is not
// absolute is none: it would make the files of a checkout the user's own.
func homeFolder(getenv func(string) string) string {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return home
	}
	if home := getenv("USERPROFILE"); runtime.GOOS == "windows" && filepath.IsAbs(home) {
		return home
	}
	if account, err := user.Current(); err == nil && filepath.IsAbs(account.HomeDir) {
		return account.HomeDir
	}
	return ""
}

// mendHome has HOME of this process, and so of its children, name the home folder: git would take the settings of a
// checkout for the user's as well. On Windows HOME belongs to programs that have their own idea of paths.
func mendHome() {
	home := homeFolder(os.Getenv)
	switch {
	case runtime.GOOS == "windows" || home == os.Getenv("HOME"):
	case home == "":
		_ = os.Unsetenv("HOME")
	default:
		_ = os.Setenv("HOME", home)
	}
}

// noHome says what is missing where there is no home folder.
const noHome = "no home folder is known: keys and sign-ins are not hidden from commands but where variables name their place, and nothing is kept of memory, plans and tasks"

// inHome is a place below the home folder, "" when there is none.
func (e environment) inHome(below ...string) string {
	if e.home == "" {
		return ""
	}
	return filepath.Join(append([]string{e.home}, below...)...)
}

// xdg is a place below the folder that a variable names, else below the usual one of the home folder; "" when there is
// neither.
func (e environment) xdg(variable, usual string, below ...string) string {
	dir := e.getenv(variable)
	if !filepath.IsAbs(dir) {
		dir = e.inHome(filepath.FromSlash(usual))
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, below...)...)
}

// stateDir and cacheDir are the server's own folders of the user (XDG), "" when there is no place for them.
func (e environment) stateDir() string { return e.xdg("XDG_STATE_HOME", ".local/state", serverName) }

func (e environment) cacheDir() string { return e.xdg("XDG_CACHE_HOME", ".cache", serverName) }

package launch

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// CacheEnv gives the variables that point toolchains at caches of their own
// below dir (Config.CacheDir). What a project puts into a cache is run by the
// next build that uses it, so projects share none, neither with each other nor
// with the user. Modules that the user's Go has are still found, since its
// module cache is served, read-only, as the first proxy; go.sum checks them as
// ever. Private modules (GONOPROXY, GOPRIVATE) ask no proxy and so are fetched.
// It makes the folder, 0700; one that another user could fill is an error, since
// commands run what stands there, and so is one to which a link in roots, the real
// folders that commands may write, leads out of them.
func CacheEnv(base []string, home, dir string, roots ...string) ([]string, error) {
	if err := ledOut(dir, roots); err != nil {
		return nil, err
	}
	if err := ownFolder(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := ownFolder(dir); err != nil {
		return nil, err
	}
	sub := func(name string) string { return filepath.Join(dir, name) }
	env := []string{
		"GOCACHE=" + sub("go-build"),
		"GOMODCACHE=" + sub("go-mod"),
		"npm_config_cache=" + sub("npm"),
		"PIP_CACHE_DIR=" + sub("pip"),
		"UV_CACHE_DIR=" + sub("uv"),
		"CARGO_HOME=" + sub("cargo"),
	}
	if proxy := goProxy(base, home); proxy != "" {
		env = append(env, "GOPROXY="+proxy)
	}
	return env, linkCargoConfig(base, home, sub("cargo"))
}

func ledOut(dir string, roots []string) error {
	end, links, _ := sandbox.Way(dir)
	inside := func(path string) bool {
		return slices.ContainsFunc(roots, func(r string) bool { return within(path, r) })
	}
	if i := slices.IndexFunc(links, inside); i >= 0 && !inside(end) {
		return fmt.Errorf("the link %s, which commands could have made, leads out of the roots, so no caches are made at its end; if it is yours, set XDG_CACHE_HOME to where it leads", links[i])
	}
	return nil
}

// goProxy puts the user's module cache in front of the user's proxies. "" leaves
// GOPROXY alone: there is no cache, or the user wants no proxy at all.
func goProxy(base []string, home string) string {
	conf := goEnvFile(base, home)
	get := func(name string) string {
		if v := Getenv(base, name); v != "" {
			return v
		}
		return conf[name]
	}
	proxy := get("GOPROXY")
	switch proxy {
	case "":
		proxy = "https://proxy.golang.org,direct"
	case "off":
		// Nothing may be fetched, but what is there may be used.
	}
	mod := get("GOMODCACHE")
	if mod == "" {
		gopath := filepath.SplitList(get("GOPATH"))
		switch {
		case len(gopath) > 0 && gopath[0] != "":
			mod = filepath.Join(gopath[0], "pkg", "mod")
		case home != "":
			mod = filepath.Join(home, "go", "pkg", "mod")
		default:
			return ""
		}
	}
	shared := filepath.Join(mod, "cache", "download")
	if st, err := os.Stat(shared); err != nil || !st.IsDir() {
		return ""
	}
	slashed := filepath.ToSlash(shared)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String() + "," + proxy
}

// goEnvFile is what `go env -w` wrote, which an environment variable would hide.
func goEnvFile(base []string, home string) map[string]string {
	file := Getenv(base, "GOENV")
	if file == "off" {
		return nil
	}
	if file == "" {
		file = filepath.Join(configDir(base, home), "go", "env")
	}
	if !filepath.IsAbs(file) {
		return nil // without a home folder it would be a file of the project
	}
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			out[name] = value
		}
	}
	return out
}

// configDir is os.UserConfigDir of an environment.
func configDir(base []string, home string) string {
	switch runtime.GOOS {
	case "windows":
		return Getenv(base, "AppData")
	case "darwin", "ios":
		return filepath.Join(home, "Library", "Application Support")
	}
	if dir := Getenv(base, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, ".config")
}

// GoSetting is what the go command takes for a setting in an environment: its variable, else what `go env -w` wrote.
func GoSetting(env []string, name string) string {
	if v := Getenv(env, name); v != "" {
		return v
	}
	home := Getenv(env, "HOME")
	if runtime.GOOS == "windows" {
		home = Getenv(env, "USERPROFILE")
	}
	return goEnvFile(env, home)[name]
}

// linkCargoConfig keeps the user's registries and flags in the private home.
// Credentials stay behind.
func linkCargoConfig(base []string, home, private string) error {
	own := Getenv(base, "CARGO_HOME")
	if own == "" {
		own = filepath.Join(home, ".cargo")
	}
	config := filepath.Join(own, "config.toml")
	if !filepath.IsAbs(config) {
		return nil
	}
	if st, err := os.Stat(config); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	if err := os.MkdirAll(private, 0o700); err != nil {
		return err
	}
	err := os.Symlink(config, filepath.Join(private, "config.toml"))
	if os.IsExist(err) {
		return nil
	}
	return err
}

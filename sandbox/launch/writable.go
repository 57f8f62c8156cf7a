package launch

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// way is how a wanted path leads to its real place.
type way struct {
	given, real string
	links       []string // at their own real places
}

// writablePaths are the real paths of what children may write. What lies in a
// place that they may write can become a link by their hands, so a way that goes
// by such a link must end in one of the others: else it is left out, and why is
// in left. A child that swaps it in between gains nothing: no link is followed
// when a real path is opened.
func writablePaths(cfg Config) (out, left []string) {
	var ways []way
	for _, path := range slices.Concat(expand(cfg.Home, cfg.Writable), expand(cfg.Home, cfg.own())) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if end, links, err := sandbox.Way(path); err == nil && end == real { // not turned meanwhile
			ways = append(ways, way{path, real, links})
		}
	}
	var open []way
	for _, w := range ways {
		if _, theirs := w.inTheirHands(ways); theirs == "" {
			out = append(out, w.real)
		} else {
			open = append(open, w)
		}
	}
	for _, w := range open {
		if w.given == cfg.CacheDir {
			continue // CacheEnv says it
		}
		if link, dir := w.inTheirHands(ways); !slices.ContainsFunc(out, func(o string) bool { return within(w.real, o) }) {
			left = append(left, fmt.Sprintf("commands may not write %s: the link %s, which commands could have made, leads out of %s; if that is meant, name %s itself", w.given, link, dir, w.real))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), left
}

// inTheirHands gives a link on the way that lies in a writable place, and that place.
func (w way) inTheirHands(all []way) (link, dir string) {
	for _, link := range w.links {
		for _, o := range all {
			if within(link, o.real) {
				return link, o.real
			}
		}
	}
	return "", ""
}

// tempPaths is the real TempDir, if children may write it.
func (c Config) tempPaths() []string {
	writable, _ := writablePaths(c)
	return slices.DeleteFunc(realPaths(expand(c.Home, []string{c.TempDir})), func(temp string) bool {
		return !slices.ContainsFunc(writable, func(w string) bool { return within(temp, w) })
	})
}

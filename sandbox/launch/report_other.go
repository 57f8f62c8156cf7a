//go:build !linux

package launch

import (
	"context"
	"os"
	"path/filepath"
)

// Report tries what a child may do: it starts one.
func (l *Launcher) Report(ctx context.Context) Report {
	cfg, err := l.config()
	if err != nil {
		return Report{Mechanism: None, Secrets: true, Notes: []string{err.Error()}}
	}
	l.once.Do(func() { l.wrap = newWrapper() })
	m, note := l.wrap.mechanism()
	if cfg.Confine == Off {
		m, note = None, "confinement is switched off in the settings"
	}
	r := Report{Mechanism: m, Confined: m == Seatbelt, Network: !cfg.NoNetwork || m != Seatbelt, Secrets: true, Tree: "process group or job object"}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	for _, h := range expand(cfg.Home, cfg.Hidden) {
		if _, err := os.Lstat(h); err != nil {
			continue
		}
		if r.Confined {
			r.Hidden = append(r.Hidden, h)
		} else {
			r.Visible = append(r.Visible, h)
		}
	}
	paths, _ := protectedPaths(cfg)
	for _, p := range paths {
		if r.Confined {
			r.Protected = append(r.Protected, filepath.Clean(p))
		} else {
			r.Open = append(r.Open, filepath.Clean(p))
		}
	}
	return r
}

package sandbox

import (
	"path/filepath"
	"sync"
	"time"
)

// led knows where the protected names directly below the roots lead, as far as they are links.
type led struct {
	dirs []string // real folders of the roots that may be written
	runs []run

	mu     sync.Mutex
	looked time.Time
	places []ledPlace
}

type ledPlace struct {
	place string // slash path
	from  string // the protected name, as configured
}

// ledEvery is how often links are looked for: nobody writes to what a link leads to in the moment that it is made.
const ledEvery = time.Second

func (r *Roots) newLed() *led {
	l := &led{runs: r.protect.runs}
	for _, t := range r.trees {
		if !t.ReadOnly && !t.volume && !t.temp {
			l.dirs = append(l.dirs, t.Dir)
		}
	}
	return l
}

func (l *led) list() []ledPlace {
	if l == nil || len(l.runs) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.looked.IsZero() || now.Sub(l.looked) > ledEvery {
		l.looked, l.places = now, l.look()
	}
	return l.places
}

func (l *led) look() []ledPlace {
	var out []ledPlace
	for _, dir := range l.dirs {
		for _, r := range l.runs {
			path := filepath.Join(dir, filepath.FromSlash(r.text))
			lead := Leading(path, l.dirs)
			if len(lead.Links) == 0 {
				continue
			}
			for _, end := range lead.Ends {
				if end != path {
					out = append(out, ledPlace{filepath.ToSlash(end), r.text})
				}
			}
		}
	}
	return out
}

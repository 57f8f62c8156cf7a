package launch

import (
	"sync"
	"time"
)

// scout looks for repositories that come to be in the writable folders and are
// not called .git, so that nothing but a search finds them. It works beside the
// commands: what it finds is told with one of the next.
type scout struct {
	dirs  []string
	known map[string]bool

	mu      sync.Mutex
	running bool
	next    time.Time
	found   []string
}

// A search begins at most every scoutEvery, and takes a scoutShare of the time.
const (
	scoutEvery = 500 * time.Millisecond
	scoutShare = 50
)

// add adds a writable folder with the repositories that are there.
func (s *scout) add(dir string, known []string) {
	s.dirs = append(s.dirs, dir)
	for _, k := range known {
		s.known[k] = true
	}
}

// look gives what was found so far, and begins another search when it is time.
func (s *scout) look() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.dirs) > 0 && !s.running && !time.Now().Before(s.next) {
		s.running = true
		go s.search()
	}
	return s.found
}

func (s *scout) search() {
	var found []string
	begin := time.Now()
	for _, dir := range s.dirs {
		for _, bare := range search(dir, []place{{dir, 0}}, false, 1).bare {
			if !s.known[bare] {
				found = append(found, bare)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.found = false, found
	s.next = time.Now().Add(max(scoutEvery, scoutShare*time.Since(begin)))
}

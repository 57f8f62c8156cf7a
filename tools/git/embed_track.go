package git

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// tracking fills in the upstream with its distance.
func (e *embed) tracking(s *statusList, branch string) error {
	remote, merge := e.settings.get("branch."+branch+".remote"), e.settings.get("branch."+branch+".merge")
	if branch == "" || remote == "" || merge == "" {
		return nil
	}
	short := strings.TrimPrefix(merge, "refs/heads/")
	ref := plumbing.NewRemoteReferenceName(remote, short)
	s.Upstream = shown(remote + "/" + short)
	if remote == "." {
		ref, s.Upstream = plumbing.ReferenceName(merge), shown(short)
	}
	up, err := e.git.Reference(ref, true)
	if err != nil {
		s.Gone = true
		return nil
	}
	if s.Head == "" || up.Hash().String() == s.Head {
		return nil
	}
	if err := e.fitForHistory(); err != nil {
		return err
	}
	s.Ahead, s.Behind, err = e.distance(hashOf(s.Head), up.Hash())
	return err
}

// distance counts the commits that each of two has and the other has not.
func (e *embed) distance(a, b plumbing.Hash) (ahead, behind int, err error) {
	reach := func(from plumbing.Hash) (map[plumbing.Hash]bool, error) {
		seen := map[plumbing.Hash]bool{}
		todo := []plumbing.Hash{from}
		for len(todo) > 0 {
			h := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[h] {
				continue
			}
			seen[h] = true
			c, err := e.git.CommitObject(h)
			if err != nil {
				return nil, e.refuse("reading commit " + h.String() + ": " + err.Error())
			}
			todo = append(todo, c.ParentHashes...)
		}
		return seen, nil
	}
	mine, err := reach(a)
	if err != nil {
		return 0, 0, err
	}
	theirs, err := reach(b)
	if err != nil {
		return 0, 0, err
	}
	for h := range mine {
		if !theirs[h] {
			ahead++
		}
	}
	for h := range theirs {
		if !mine[h] {
			behind++
		}
	}
	return ahead, behind, nil
}

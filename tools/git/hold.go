package git

import (
	"context"
	"errors"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// lockWait is how long a change waits for the lock file of another git: most are gone in a moment.
const lockWait = time.Second

// hold keeps other changes of this server out of a git folder: clients send calls in parallel, and git itself fails when
// the index is locked. A lock file that another program has made is waited for a little.
func (r *repo) hold(ctx context.Context) (done func(), err error) {
	slot, _ := r.t.held.LoadOrStore(r.gitDir.Abs(), make(chan struct{}, 1))
	turn := slot.(chan struct{})
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, waited(ctx)
	}
	for end := time.Now().Add(lockWait); r.exists("index.lock") && time.Now().Before(end); {
		select {
		case <-time.After(lockWait / 20):
		case <-ctx.Done():
			<-turn
			return nil, waited(ctx)
		}
	}
	return func() { <-turn }, nil
}

// waited is the error of a change whose turn did not come.
func waited(ctx context.Context) error {
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return tools.Errorf(tools.Timeout, "another change of this repository is under way and did not end in time; this one was not begun: try again, or give timeout, such as \"5m\"")
}

// runHeld is run in the turn of the step's git folder.
func (t *git) runHeld(ctx context.Context, s spec) (result, error) {
	if s.hold != nil {
		done, err := s.hold(ctx)
		if err != nil {
			return result{}, err
		}
		defer done()
	}
	return t.run(ctx, s)
}

package git

import (
	"cmp"
	"context"
	"os"
	"sync"
)

// relay lets a confined git have work done that needs the user's keys: in place of the program that would do it, git
// runs a script that hands its standard input to this process and gives back what comes of it. So neither git nor the
// hooks, filters and merge drivers it runs ever see the keys.
type relay struct {
	switches func(program string) []string // make git run the script
	program  string                        // does by itself what git asks of it beside: to verify
	answer   func(ctx context.Context, asked string) result
}

// maxAsked bounds what a script may hand over.
const maxAsked = 16 << 20

// relaying serves the relay of a run while it lasts.
func relaying(run runner) runner {
	return func(ctx context.Context, s spec) (result, error) {
		if s.relay == nil {
			return run(ctx, s)
		}
		d, err := openDesk(tempOf(s.env), s.relay.program)
		if err != nil {
			return result{}, err
		}
		defer d.close()
		s.args = append(s.relay.switches(d.program), s.args...)
		serving, stop := context.WithCancel(ctx)
		var (
			wait   sync.WaitGroup
			failed string
		)
		wait.Go(func() {
			d.serve(serving, func(ctx context.Context, asked string) result {
				res := s.relay.answer(ctx, asked)
				if res.code != 0 {
					failed = res.stderr
				}
				return res
			})
		})
		res, err := run(ctx, s)
		stop()
		wait.Wait()
		if res.code != 0 {
			res.stderr += failed // git keeps to itself what the script said
		}
		return res, err
	}
}

// tempOf is the folder for temporary files of an environment.
func tempOf(env []string) string {
	return cmp.Or(variable(env, "TMPDIR"), os.TempDir())
}

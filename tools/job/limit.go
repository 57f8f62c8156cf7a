package job

import (
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// shown is how many ids an error lists.
const shown = 8

// fullLocked says that no more jobs may run.
func (m *Manager) fullLocked(spec Spec) error {
	running, own := len(m.taken), []string{}
	for _, j := range m.jobs {
		if !j.active() {
			continue
		}
		if running++; j.Owner == spec.Owner {
			own = append(own, j.ID)
		}
	}
	limit := m.cfg.Running
	if !spec.Background { // as many calls work at once
		limit += tools.MaxAtWork
	}
	if running < limit {
		return nil
	}
	if len(own) == 0 {
		return tools.Errorf(tools.TooLarge, "%d processes of other sessions are running, which is the limit; try again later", running)
	}
	slices.Sort(own)
	some := strings.Join(own[:min(len(own), shown)], ", ")
	if len(own) > shown {
		some += " …"
	}
	return tools.Errorf(tools.TooLarge, "%d processes are running, which is the limit; end one with exec kill (proc_id %s; \"all\" ends all of them) or wait for one", running, some)
}

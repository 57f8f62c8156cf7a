package main

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/hooks"
)

// auditLog is opened once, at the first place.
type auditLog struct {
	once  sync.Once
	log   *hooks.Audit
	fault error // of opening it
}

// auditPath is the file of the log, "" for none. A client's settings expand no ~.
func (s *server) auditPath() string {
	path := s.env.getenv("HANZO_MCP_AUDIT_LOG")
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return cmp.Or(s.env.inHome(rest), path)
	}
	return path
}

func (a *auditLog) open(s *server) *hooks.Audit {
	a.once.Do(func() {
		path := s.auditPath()
		if path == "" {
			return
		}
		if strings.HasPrefix(path, "~/") {
			a.fault = fmt.Errorf("opening the audit log %s: no home folder is known", path)
		} else {
			a.log, a.fault = hooks.OpenAudit(path, func(line string) { s.ui.warnf("%s", line) })
		}
		if a.fault != nil {
			s.ui.errorf("%v; nothing is logged", a.fault)
		}
	})
	return a.log
}

package git

import (
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestDates: a day is the whole day, and what is no date is refused.
func TestDates(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	for _, at := range []string{"2024-01-01T00:30:00", "2024-01-01T23:30:00", "2024-01-02T00:30:00"} {
		w.env = append(w.env, "GIT_COMMITTER_DATE="+at, "GIT_AUTHOR_DATE="+at)
		w.commit(at)
	}
	w.env = append(w.env, "GIT_COMMITTER_DATE="+time.Now().Format("2006-01-02")+"T00:00:01")
	w.commit("today")
	for _, c := range []struct {
		since, until string
		want         int
	}{
		{"2024-01-01", "", 4}, {"2024/01/01", "2024-01-01", 2}, {"2024-01-02", "2024-01-02", 1}, {"", "2024-01-01", 2}, {"2024-01-01T12:00:00", "2024-01-02", 2},
		{"today", "", 1}, {"20 years ago", "", 4}, {"2024-01-01 23:00", "2024-01-02 00:00", 1}, {"2024-01-01T00:00:00Z", "now", 4}, {" 2024-1-2 ", "", 2}, {"", "0 days ago", 4},
	} {
		if got := len(data[logData](t, w.call("log", args{"since": c.since, "until": c.until})).Commits); got != c.want {
			t.Errorf("since %q until %q: %d commits, want %d", c.since, c.until, got, c.want)
		}
	}
	for _, bad := range []string{"nonsense", "2024-13-45", "2024-02-31", "tomorrowish", "x y"} {
		for _, param := range []string{"since", "until"} {
			for _, action := range []string{"log", "shortlog"} {
				if out := w.fails(tools.InvalidParams, action, args{param: bad}); !strings.Contains(out.Envelope.Error.Message, param) {
					t.Errorf("%v", out.Envelope.Error)
				}
			}
		}
	}
}

// TestMessagesAreUTF8: whatever the config says of those that are typed.
func TestMessagesAreUTF8(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("config", "i18n.commitEncoding", "ISO-8859-1")
	const message = "naïve façade"
	if d := data[commitData](t, w.call("commit", args{"message": message, "allow_empty": true})); d.Subject != message {
		t.Errorf("%q", d.Subject)
	}
	if l := data[logData](t, w.call("log", nil)); l.Commits[0].Subject != message {
		t.Errorf("%q", l.Commits[0].Subject)
	}
}

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
		{"2024", "2024", 3}, {"2024-01", "2024-01", 3}, {"", "Jan 2024", 3}, {"2 Jan 2024", "", 2}, {"Jan 1, 2024", "01/01/2024", 2}, {"", "2023-12", 0}, {"1700000000", "", 4}, {"3.weeks.ago", "", 1}, {"7d", "", 1}, {"40y", "", 4},
	} {
		if got := len(data[logData](t, w.call("log", args{"since": c.since, "until": c.until})).Commits); got != c.want {
			t.Errorf("since %q until %q: %d commits, want %d", c.since, c.until, got, c.want)
		}
	}
	for _, bad := range []string{"nonsense", "2024-13-45", "2024-02-31", "tomorrowish", "x y", "v1.0", "HEAD~3", "main", "7m", "Q1 2024", "2024-13"} {
		for _, param := range []string{"since", "until"} {
			for _, action := range []string{"log", "shortlog"} {
				if out := w.fails(tools.InvalidParams, action, args{param: bad}); !strings.Contains(out.Envelope.Error.Message, param) {
					t.Errorf("%v", out.Envelope.Error)
				}
			}
		}
	}
}

// TestSpans: a date without a time of day is all of it, in whatever form.
func TestSpans(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 11, 30, 14, 5, 6, 0, time.UTC)
	for given, want := range map[string]string{
		"2024": "2024-01-01 2025-01-01", "2024-06": "2024-06-01 2024-07-01", "2024/06": "2024-06-01 2024-07-01", "06/2024": "2024-06-01 2024-07-01",
		"June 2024": "2024-06-01 2024-07-01", "jun. 2024": "2024-06-01 2024-07-01", "2024 Sept": "2024-09-01 2024-10-01", "February, 2024": "2024-02-01 2024-03-01",
		"15 Jun 2024": "2024-06-15 2024-06-16", "Jun 15, 2024": "2024-06-15 2024-06-16", "June 15th, 2024": "2024-06-15 2024-06-16", "15th of June 2024": "2024-06-15 2024-06-16",
		"Sat, 15 Jun 2024": "2024-06-15 2024-06-16", "Saturday 15 June 2024": "2024-06-15 2024-06-16", "2024 June 15": "2024-06-15 2024-06-16",
		"01/02/2024": "2024-01-02 2024-01-03", "13/02/2024": "2024-02-13 2024-02-14", "13.2.2024": "2024-02-13 2024-02-14", "01.02.2024": "2024-02-01 2024-02-02",
		"2024/6/5": "2024-06-05 2024-06-06", "2024.06.05": "2024-06-05 2024-06-06", "20240605": "2024-06-05 2024-06-06",
		"Jun 15": "2024-06-15 2024-06-16", "15 December": "2023-12-15 2023-12-16", "June": "2024-06-01 2024-07-01", "Dec": "2023-12-01 2024-01-01", "today": "2024-11-30 2024-12-01", "Yesterday": "2024-11-29 2024-11-30",
	} {
		from, to, ok := span(given, now)
		if got := from.Format("2006-01-02") + " " + to.Format("2006-01-02"); !ok || got != want {
			t.Errorf("%s: %s %v, want %s", given, got, ok, want)
		}
	}
	for _, given := range []string{"2024-13", "2024-06-31", "v1.0", "2 weeks ago", "2024-06-15 10:00", "15 Jun 2024 10:00", "1", "12345", "now", "1718445600"} {
		if from, to, ok := span(given, now); ok {
			t.Errorf("%s: %s %s", given, from, to)
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

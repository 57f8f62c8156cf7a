package store

import "time"

// stamp is how times stand in the files: UTC, to the millisecond.
const stamp = "2006-01-02T15:04:05.000Z"

// Stamp writes a time for a record.
func Stamp(t time.Time) string { return t.UTC().Format(stamp) }

// layouts are the dates and times that records and calls may have.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// Time reads a date or time of a record; without a zone it is UTC. It reports whether s is one.
func Time(s string) (time.Time, bool) { return TimeIn(s, time.UTC) }

// TimeIn is Time with the zone of those that name none.
func TimeIn(s string, zone *time.Location) (time.Time, bool) {
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Day is the day of a date or time, for a line that people read; of anything else its first characters.
func Day(s string) string {
	if _, ok := Time(s); ok {
		return s[:len(time.DateOnly)]
	}
	return Cut(Line(s), len(time.DateOnly))
}

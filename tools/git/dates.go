package git

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// wholeDays are the forms of a date without a time. Where day and month can be told apart in two ways, git's own comes first.
var wholeDays = []string{
	"2006-1-2", "20060102", "2 Jan 2006", "Jan 2 2006", "2006 Jan 2", "1/2/2006", "2/1/2006", "2.1.2006", "1.2.2006", "1-2-2006", "2-1-2006",
}

// wholeMonths are those of a month.
var wholeMonths = []string{"2006-1", "1/2006", "Jan 2006", "2006 Jan"}

var (
	monthName   = tools.Pattern(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?`)
	weekdayName = tools.Pattern(`(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+`)
	ordinal     = tools.Pattern(`(?i)\b(\d{1,2})(?:st|nd|rd|th)\b(?: of)?`)
	onlyDigits  = tools.Pattern(`^\d+[-/.]\d+[-/.]\d+$`)
	shortAgo    = tools.Pattern(`(?i)^-?(\d{1,4}) ?(h|d|w|mo|y)$`) // m may be minutes or months
	isoLike     = tools.Pattern(`^(\d{4})[/.](\d{1,2})(?:[/.](\d{1,2}))?$`)
	dateWord    = tools.Pattern(`(?i)\b(?:now|today|yesterday|noon|midnight|tea|never|ago|last|(?:second|sec|minute|min|hour|day|week|month|year)s?|` +
		`jan[a-z]*|feb[a-z]*|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep[a-z]*|oct[a-z]*|nov[a-z]*|dec[a-z]*|` +
		`mon(?:day)?|tue[a-z]*|wed[a-z]*|thu[a-z]*|fri(?:day)?|sat[a-z]*|sun(?:day)?)\b|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\b\d{1,2}:\d{2}\b|^@?\d{9,}(?: [-+]\d{4})?$`)
)

// span is the time that a date means which names no time of day: a day, a month or a year.
func span(given string, now time.Time) (from, to time.Time, ok bool) {
	day := func(t time.Time) (time.Time, time.Time, bool) { return t, t.AddDate(0, 0, 1), true }
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(given) {
	case "today":
		return day(today)
	case "yesterday":
		return day(today.AddDate(0, 0, -1))
	}
	if m := isoLike().FindStringSubmatch(given); m != nil {
		given = strings.TrimSuffix(m[1]+"-"+m[2]+"-"+m[3], "-")
	}
	given = weekdayName().ReplaceAllString(given, "")
	given = ordinal().ReplaceAllString(given, "$1")
	given = monthName().ReplaceAllStringFunc(given, func(name string) string { return name[:3] })
	given = strings.Join(strings.Fields(strings.ReplaceAll(given, ",", " ")), " ")
	for _, form := range wholeDays {
		if t, err := time.ParseInLocation(form, given, now.Location()); err == nil {
			return day(t)
		}
	}
	for _, form := range []string{"Jan 2", "2 Jan"} { // the last one there was
		if t, err := time.ParseInLocation(form+" 2006", given+" "+now.Format("2006"), now.Location()); err == nil {
			if t.After(now) {
				t = t.AddDate(-1, 0, 0)
			}
			return day(t)
		}
	}
	if t, err := time.ParseInLocation("Jan 2006", given+now.Format(" 2006"), now.Location()); err == nil {
		if t.After(now) {
			t = t.AddDate(-1, 0, 0)
		}
		return t, t.AddDate(0, 1, 0), true
	}
	for _, form := range wholeMonths {
		if t, err := time.ParseInLocation(form, given, now.Location()); err == nil {
			return t, t.AddDate(0, 1, 0), true
		}
	}
	if t, err := time.ParseInLocation("2006", given, now.Location()); err == nil && t.Year() >= 1970 {
		return t, t.AddDate(1, 0, 0), true
	}
	return from, to, false
}

// date is a date as git is to take it. git gives a day without a time the present time of day, and reads what it cannot
// read as the present; here a day is the whole day, a month the whole month, and the rest is refused.
func (r *repo) date(ctx context.Context, param, given string) (string, error) {
	given = strings.TrimSpace(given)
	if given == "" {
		return "", nil
	}
	if from, to, ok := span(given, time.Now()); ok {
		if param == "until" {
			from = to.Add(-time.Second)
		}
		return from.Format(time.RFC3339), nil
	}
	if m := shortAgo().FindStringSubmatch(given); m != nil {
		given = m[1] + " " + map[string]string{"h": "hours", "d": "days", "w": "weeks", "mo": "months", "y": "years"}[strings.ToLower(m[2])] + " ago"
	}
	bad := tools.Errorf(tools.InvalidParams, `%s %q cannot be read as a date; give one such as "2024-01-31", "2024-01-31T12:00:00" or "2 weeks ago"`, param, given).
		With(tools.Details{Param: param, Actual: given})
	for _, form := range []string{"2006-01-02T15:04:05", time.RFC3339} {
		if _, err := time.Parse(form, given); err == nil {
			return given, nil
		}
	}
	if onlyDigits().MatchString(given) { // 2024-02-31
		return "", bad
	}
	if !dateWord().MatchString(given) {
		switch {
		case strings.Contains(given, " "): // no name of a tag
		case param == "since":
			bad.Message += "; to begin at a tag or commit give ref:\"" + given + "..HEAD\""
		default:
			bad.Message += "; to end at a tag or commit give ref:\"" + given + "\""
		}
		return "", bad
	}
	now := time.Now().Unix()
	out, err := r.mustRead(ctx, "rev-parse", "--since="+given)
	if err != nil {
		return "", err
	}
	at, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(string(out)), "--max-age="), 10, 64)
	if lower := strings.ToLower(given); err != nil || at >= now && at <= time.Now().Unix() && lower != "now" && !strings.HasPrefix(lower, "0 ") {
		return "", bad
	}
	return given, nil
}

// dates makes the dates of a call those that git is to take.
func (r *repo) dates(ctx context.Context, since, until *string) (err error) {
	if *since, err = r.date(ctx, "since", *since); err == nil {
		*until, err = r.date(ctx, "until", *until)
	}
	return timedOut(err)
}

package git

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

var bareDate = tools.Pattern(`^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$`)

// date is a date as git is to take it. git gives a day without a time the present time of day, and reads what it cannot
// read as the present; here a day is the whole day, and the rest is refused.
func (r *repo) date(ctx context.Context, param, given string) (string, error) {
	given = strings.TrimSpace(given)
	bad := tools.Errorf(tools.InvalidParams, `%s %q cannot be read as a date; give one such as "2024-01-31", "2024-01-31T12:00:00" or "2 weeks ago"`, param, given).
		With(tools.Details{Param: param, Actual: given})
	day := given
	if strings.EqualFold(given, "today") {
		day = time.Now().Format("2006-01-02")
	}
	if bareDate().MatchString(day) {
		t, err := time.ParseInLocation("2006-1-2", strings.NewReplacer("/", "-", ".", "-").Replace(day), time.Local)
		if err != nil {
			return "", bad
		}
		return t.Format("2006-01-02") + map[bool]string{true: "T23:59:59", false: "T00:00:00"}[param == "until"], nil
	}
	if _, err := time.Parse("2006-01-02T15:04:05", given); err == nil || given == "" {
		return given, nil
	}
	if _, err := time.Parse(time.RFC3339, given); err == nil {
		return given, nil
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

package exec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

var (
	number  = tools.Pattern(`^[0-9]+(\.[0-9]+)?$`)
	spelled = tools.Pattern(`^(?i)([0-9]+(?:\.[0-9]+)?) *(?:(ms|milli)|(s)|(m)|(h))[a-z]*$`) // a time as people write it
)

// endless are words for a timeout that there is not.
var endless = []string{"-1", "none", "never", "no", "false", "off", "infinite", "infinity", "inf", "unlimited"}

// times makes one timeout of the names and the words that there are for it. A second one that says something else stays,
// and the action refuses it.
func times(args *tools.Args) {
	if given := args.Raw("timeout"); len(given) > 0 && given[0] == '"' {
		if text := clock(given, ""); text != args.String("timeout") {
			args.Set("timeout", tools.Text(text))
		}
	}
	for _, other := range []struct{ name, unit string }{{"timeout_ms", "ms"}, {"timeout_seconds", "s"}} {
		if raw := args.Raw(other.name); raw != nil {
			text := clock(raw, other.unit)
			if old := args.Raw("timeout"); old == nil || sameTime(clock(old, "ms"), text) {
				args.Take(other.name)
				args.Put("timeout", tools.Text(text))
			}
		}
	}
	if slices.Contains(endless, plainText(args.Raw("timeout"))) {
		args.Take("timeout")
	}
}

// clock is a time as time.ParseDuration reads it; a bare number gets the unit.
func clock(raw json.RawMessage, unit string) string {
	text := plainText(raw)
	if number().MatchString(text) {
		return text + unit
	}
	if m := spelled().FindStringSubmatch(text); m != nil {
		for i, unit := range []string{"ms", "s", "m", "h"} {
			if m[2+i] != "" {
				return m[1] + unit
			}
		}
	}
	return text
}

func sameTime(a, b string) bool {
	x, err := time.ParseDuration(a)
	y, err2 := time.ParseDuration(b)
	return a == b || err == nil && err2 == nil && x == y
}

// otherTimes are names of timeout that a call may have beside it only when they say the same: then they are gone by now.
type otherTimes struct {
	TimeoutMS      json.RawMessage `json:"timeout_ms"`
	TimeoutSeconds json.RawMessage `json:"timeout_seconds"`
}

func (o otherTimes) check() error {
	for _, other := range []struct {
		name string
		raw  json.RawMessage
	}{{"timeout_ms", o.TimeoutMS}, {"timeout_seconds", o.TimeoutSeconds}} {
		if other.raw != nil {
			return tools.Errorf(tools.InvalidParams, "timeout and %s say different things; give one of them. Nothing was done", other.name).
				With(tools.Details{Param: other.name, Actual: string(other.raw)})
		}
	}
	return nil
}

// milliseconds gives a timeout that came as a number without a unit.
func milliseconds(c *tools.Call) (ms float64, given string, ok bool) {
	given = plainText(c.Args.Raw("timeout"))
	ms, err := strconv.ParseFloat(given, 64)
	return ms, given, err == nil && ms > 0
}

// hintMilliseconds warns of a timeout that was likely meant in seconds.
func hintMilliseconds(c *tools.Call) {
	if ms, given, ok := milliseconds(c); ok && ms < 1000 {
		c.Warn(fmt.Sprintf("timeout %s was taken as milliseconds; for seconds write \"%ss\"", given, given))
	}
}

// shortest is the least number of milliseconds that is believed without its unit: nobody starts a command to end it
// sooner, but many servers take seconds, and what the command has begun by then would be left half done.
const shortest = 100

// tooShort refuses a timeout of a command that was meant in seconds.
func tooShort(c *tools.Call) error {
	if ms, given, ok := milliseconds(c); ok && ms < shortest {
		return tools.Errorf(tools.InvalidParams, "timeout is in milliseconds, and no command gets far in %s of them: write \"%ss\" for seconds, or \"%sms\". Nothing was run", given, given, given).
			With(tools.Details{Param: "timeout", Actual: given, Suggestion: given + "s"})
	}
	return nil
}

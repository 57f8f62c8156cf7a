package store

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Missing says that a parameter is needed, and what to give.
func Missing(param, give string) *tools.Error {
	return tools.Errorf(tools.InvalidParams, "%s is missing: %s", param, give).With(tools.Details{Param: param})
}

// TooLong refuses a parameter that is longer than a record may hold, or nothing when it is not.
func TooLong(param string, n, most int) error {
	if n <= most {
		return nil
	}
	return tools.Errorf(tools.InvalidParams, "%s is too long: %d, at most %d; keep it in a file, and remember where", param, n, most).
		With(tools.Details{Param: param, Expected: fmt.Sprint("at most ", most), Actual: fmt.Sprint(n)})
}

// Confirm says what would be lost without confirm:true.
func Confirm(what string) *tools.Error {
	return tools.Errorf(tools.ConfirmRequired, "%s. Give confirm:true to do it, or dry_run:true to look", what).
		With(tools.Details{Param: "confirm", Expected: "true"})
}

// OneOf refuses a value that is none of those allowed.
func OneOf(param, value string, allowed ...string) error {
	for _, a := range allowed {
		if a == value {
			return nil
		}
	}
	return tools.Errorf(tools.InvalidParams, "%s %s is not known; use one of %s", param, Quote(value), strings.Join(allowed, ", ")).
		With(tools.Details{Param: param, Actual: Cut(value, 60), Available: allowed, Nearest: nearest(value, allowed)})
}

func nearest(value string, allowed []string) any {
	if n := tools.Nearest(Cut(value, 60), allowed); n != "" {
		return n
	}
	return nil
}

// Quote gives a text for a line that people read: cut to 60 characters, nothing unprintable.
func Quote(s string) string { return strconv.Quote(Cut(s, 60)) }

// Cut gives at most n characters of s, the last one … when there are more.
func Cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for i := range s {
		if n--; n == 0 {
			end = i
			break
		}
	}
	return s[:end] + "…"
}

// Line gives a text as one line, without what steers a terminal or turns the direction of writing.
func Line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}

// Lines gives texts as one line.
func Lines(list []string) string { return Line(strings.Join(list, ", ")) }

// Count gives a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Limit is how many a call asks for, or the standard number.
func Limit(given, standard int) int {
	if given <= 0 {
		return standard
	}
	return given
}

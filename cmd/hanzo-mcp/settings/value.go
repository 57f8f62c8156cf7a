package settings

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Tier is a layer of settings; a higher one overrides.
type Tier uint8

// The tiers in rising order. Default is nobody's.
const (
	Default Tier = iota
	User
	Project
	Local
	Environment
	Flags
)

func (t Tier) String() string {
	return [...]string{"default", "user", "project", "local", "environment", "flags"}[min(t, Flags)]
}

// Origin says where a value came from.
type Origin struct {
	Tier  Tier
	File  string // of a file tier
	Line  int    // in File, from 1
	Label string // of the environment and flags: the variable or flag, as the user knows it
}

func (o Origin) String() string {
	switch {
	case o.File != "":
		return fmt.Sprintf("%s %s:%d", o.Tier, printable(o.File), o.Line)
	case o.Label != "":
		return fmt.Sprintf("%s %s", o.Tier, printable(o.Label))
	}
	return o.Tier.String()
}

// Value is a setting with its origin. The zero Value is unset.
type Value[T any] struct {
	V      T
	Origin Origin
}

// IsSet reports whether anybody set it.
func (v Value[T]) IsSet() bool { return v.Origin.Tier != Default }

// Secret is a text that prints as "(set)". It hides behind a func, so that no format verb and no encoder reaches it.
type Secret struct{ reveal func() string }

func newSecret(text string) Secret { return Secret{func() string { return text }} }

// Reveal gives the text itself; "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

func (s Secret) String() string {
	if s.reveal == nil {
		return "(not set)"
	}
	return "(set)"
}

// GoString keeps %#v from printing more than String.
func (s Secret) GoString() string { return s.String() }

// printable is a text safe for a terminal and for one line: what could move the cursor or turn the reading order is
// escaped, and it is cut at 300 characters.
func printable(text string) string {
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "…"
	}
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return text
	}
	return strconv.Quote(text)
}

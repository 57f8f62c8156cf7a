package auth

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A launcher that passes on a variable which is not set, an example that nobody filled in, a reference that no program
// resolved: such a text is no bearer. Sent as one it would hide a good bearer behind it, and redacted it would take an
// ordinary word out of everything that is shown.

// blanks are words that stand for no value at all.
var blanks = []string{"undefined", "null", "none", "nil", "nan", "true", "false", "changeme", "change-me", "todo", "tbd", "placeholder", "redacted", "bearer"}

// placeholder says why a text is no bearer, "" when it may be one.
func placeholder(text string) string {
	lower := strings.ReplaceAll(strings.ToLower(text), "_", "-")
	switch {
	case text == "":
		return "it is empty"
	case slices.Contains(blanks, lower):
		return "a variable was not filled in, or nobody has put the key there"
	case isVariable(text):
		return "a variable in it was not expanded"
	case strings.Contains(text, "://"):
		return "it is an address, which nothing has replaced by the key"
	case strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">"), isExample(lower):
		return "nobody has put the key there"
	}
	return ""
}

// isVariable reports whether a text is the name of a variable, as shells and launchers write them: $NAME, ${…}, $env:NAME, %NAME%.
func isVariable(text string) bool {
	if strings.HasPrefix(text, "${") {
		return true
	}
	name, found := strings.CutPrefix(text, "$")
	if len(text) > 2 && text[0] == '%' && text[len(text)-1] == '%' {
		name, found = text[1:len(text)-1], true
	} else if rest, env := strings.CutPrefix(name, "env:"); env {
		name = rest
	}
	return found && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
}

// isExample reports whether a text in lower case reads as the key of an example: your-api-key, api-key-here, hk-xxxx.
func isExample(lower string) bool {
	if strings.ContainsAny(lower, "0123456789") {
		return false
	}
	words := strings.FieldsFunc(lower, func(r rune) bool { return r < 'a' || r > 'z' })
	if len(words) == 0 || strings.Trim(words[len(words)-1], "x") == "" && len(words[len(words)-1]) > 3 {
		return true
	}
	key := slices.ContainsFunc(words, func(word string) bool {
		return strings.HasSuffix(word, "key") || strings.HasSuffix(word, "token") || strings.HasSuffix(word, "secret")
	})
	return key && (strings.HasPrefix(lower, "your") || slices.Contains(words, "your") || words[len(words)-1] == "here" ||
		slices.Contains([]string{"api-key", "apikey", "insert-key", "your-key"}, lower))
}

// minPlain is how long a text without a digit must be to be no ordinary word.
const minPlain = 16

// isPlain reports whether a bearer could as well be ordinary text, a word or words in a row without a digit: redacted, it
// is taken out of what has nothing to do with it.
func isPlain(value string) bool {
	switch {
	case strings.ContainsAny(value, "0123456789"):
		return false
	case len(value) < minPlain:
		return true
	}
	return !slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) }), func(part string) bool {
		rest := part[1:]
		return len(part) >= minPlain || rest != strings.ToLower(rest) && part != strings.ToUpper(part)
	})
}

// Doubts says, one line each, which of the variables and files hold what cannot be a bearer, and of the bearer that is
// behind them whether it is too short to be redacted or could be ordinary text. No line holds a value. It reads the files,
// and never runs the command.
func (c *Chain) Doubts() []string {
	var lines []string
	doubt := func(source, text string) (found bool) {
		value, fault := read(text)
		switch {
		case strings.TrimSpace(text) == "":
		case fault != "":
			lines = append(lines, source+" counts as not set: "+fault)
		case len(value) < minSecret:
			lines = append(lines, source+" holds "+strconv.Itoa(len(value))+" characters: too few to be redacted in what tools show")
		case isPlain(value):
			lines = append(lines, source+" holds what could be ordinary text: tools show [redacted:hanzo] wherever it stands; is it a key?")
		}
		return value != ""
	}
	for _, name := range variables {
		if c.Getenv != nil && doubt(name, c.Getenv(name)) {
			return lines
		}
	}
	if c.Settings != nil && doubt("api_key of the user settings", c.Settings()) {
		return lines
	}
	if value, err := c.apiKey(); err == nil {
		doubt("apiKey of ~/.hanzo/config.json", value)
	}
	return lines
}

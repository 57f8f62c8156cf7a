// Package auth finds the bearer for the door and keeps it from going anywhere
// else. It reads the environment (HANZO_API_KEY, HANZO_KEY, HANZO_TOKEN), the
// user's settings, ~/.hanzo/config.json and, last, the command
// `hanzo auth token` (HIP-0300 §2.2).
//
// A bearer is kept in memory only: the package never writes one to a file, a
// log or an error. It never reads OPENAI_API_KEY or an unprefixed API_KEY, and
// never runs the command before a call needs it. What came from a file or the
// command goes only to Hanzo's hosts, to this machine and to origins that the
// user has named, since a checkout's client entry may set the door's address.
package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Token is a bearer and where it came from.
type Token struct {
	Value    string // "": there is none to send
	Source   string // for people: a variable, a file or the command
	Withheld string // why a bearer that was found is not sent; Value is "" then
	Unset    bool   // Withheld tells of a variable that holds no bearer: any other one would be sent
	Doubtful bool   // a short word that the command printed: perhaps the command is not the one that is meant
}

// Command is the Source of a bearer of the command.
const Command = "hanzo auth token"

// Ask says what a bearer is wanted for.
type Ask struct {
	// Retry: the door has answered 401. Files are read again, and the command
	// is run again if it is what Refused came from.
	Retry   bool
	Refused string // the bearer that was sent, if any
	// Passive: the environment and files only, never the command.
	Passive bool
}

// variables that can hold the bearer, the first that is set counts.
var variables = []string{"HANZO_API_KEY", "HANZO_KEY", "HANZO_TOKEN"}

// Chain finds the bearer of one door. Fields are set before the first use; the
// methods may be called at the same time.
type Chain struct {
	Door     string                            // URL of the door
	Getenv   func(string) string               // nil: no environment
	Settings func() string                     // api_key of the user's settings, read anew at each call; nil: none
	Home     string                            // the folder of .hanzo/config.json; "": no such file
	LookPath func(name string) (string, error) // finds the command on the cleaned PATH; nil: no command
	Environ  func() []string                   // of the command, asked for when it runs; nil: an empty one, never this process's
	Origins  func() []string                   // further origins for stored bearers, as https://host[:port]; nil: none
	Now      func() time.Time                  // nil: time.Now

	mu      sync.Mutex
	loaded  bool
	stored  []Token // of settings and file
	known   []string
	command command
}

// Token gives the bearer to send, or an empty Token. It takes at most as long
// as the command may (10 s) and gives none when ctx ends.
func (c *Chain) Token(ctx context.Context, ask Ask) Token {
	reach := c.reach()
	odd := "" // a variable that is set and holds no bearer
	for _, name := range variables {
		value, fault := c.env(name)
		if value != "" {
			c.learn(value)
			return reach.env.allow(Token{Value: value, Source: name})
		}
		if fault != "" && odd == "" {
			odd = name + " is set, but to no bearer: " + fault
		}
	}
	for _, token := range c.files(ask.Retry) {
		if !expired(token.Value, c.now()) {
			return reach.stored.allow(token)
		}
	}
	if reach.stored != "" {
		return Token{Withheld: cmp.Or(odd, string(reach.stored))}
	}
	if ask.Passive || c.LookPath == nil {
		return Token{Withheld: odd, Unset: odd != ""}
	}
	value := c.run(ctx, ask)
	if value == "" {
		return Token{Withheld: odd, Unset: odd != ""}
	}
	return Token{Value: value, Source: Command, Doubtful: len(value) < minAlone}
}

// CommandFound reports whether there is a `hanzo` to sign in with.
func (c *Chain) CommandFound() bool {
	if c.LookPath == nil {
		return false
	}
	_, err := c.LookPath(commandName)
	return err == nil
}

// Bearers are the values known so far that must not appear in any output: those
// of 8 bytes or more, whether they may be sent to the door or not. It reads the
// environment and, once, the files; it never runs the command.
func (c *Chain) Bearers() []string {
	for _, name := range variables {
		value, _ := c.env(name)
		c.learn(value)
	}
	c.mu.Lock()
	loaded := c.loaded
	c.mu.Unlock()
	if !loaded {
		c.files(false)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.known)
}

// Close ends a running command.
func (c *Chain) Close() { c.command.stop() }

const (
	minSecret = 8  // shorter values would be found everywhere
	maxKnown  = 64 // rotated bearers that are remembered
)

// Taken tells that the door has answered a request with this bearer by something else than 401: a short word of the
// command, too, is a bearer then, and must not appear.
func (c *Chain) Taken(value string) { c.learn(value) }

func (c *Chain) learn(value string) {
	if len(value) < minSecret {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.known, value) {
		return
	}
	if len(c.known) == maxKnown {
		c.known = slices.Delete(c.known, 0, 1)
	}
	c.known = append(c.known, value)
	// The longest first: one bearer may be the beginning of another.
	slices.SortStableFunc(c.known, func(a, b string) int { return len(b) - len(a) })
}

// env gives the bearer that a variable holds, or why what it holds is none.
func (c *Chain) env(name string) (value, fault string) {
	if c.Getenv == nil {
		return "", ""
	}
	return read(c.Getenv(name))
}

// files gives the bearers of settings and file in this order. They are read at
// first need, after a 401, and as long as there is none.
func (c *Chain) files(again bool) []Token {
	c.mu.Lock()
	if c.loaded && !again && len(c.stored) > 0 {
		defer c.mu.Unlock()
		return c.stored
	}
	c.mu.Unlock()
	var found []Token
	if c.Settings != nil {
		if value := clean(c.Settings()); value != "" {
			found = append(found, Token{Value: value, Source: "api_key of the user settings"})
		}
	}
	if value := c.config(); value != "" {
		found = append(found, Token{Value: value, Source: "~/.hanzo/config.json"})
	}
	for _, token := range found {
		c.learn(token.Value)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loaded, c.stored = true, found
	return found
}

const maxConfig = 1 << 20

// config is apiKey of ~/.hanzo/config.json; a file that cannot be read or
// parsed holds no credential.
func (c *Chain) config() string {
	value, _ := c.apiKey()
	return clean(value)
}

// apiKey is apiKey of ~/.hanzo/config.json as it is written there.
func (c *Chain) apiKey() (value string, err error) {
	if c.Home == "" {
		return "", fs.ErrNotExist
	}
	data, err := readConfig(filepath.Join(c.Home, ".hanzo", "config.json"))
	if err != nil {
		return "", err
	}
	var members map[string]json.RawMessage // exact spelling, unlike a struct
	if err := json.Unmarshal(data, &members); err != nil {
		return "", err
	}
	err = json.Unmarshal(members["apiKey"], &value)
	return value, err
}

func (c *Chain) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

func (c *Chain) reach() reach {
	u, err := url.Parse(c.Door)
	if err != nil {
		return reach{env: "the door's address is no URL", stored: "the door's address is no URL"}
	}
	return reachOf(u, c.origins())
}

const maxToken = 16 << 10

// clean is the bearer that read finds, "" if there is none.
func clean(text string) string {
	value, _ := read(text)
	return value
}

// read takes from a bearer what people put around it: line ends, quotes, the word Bearer. Of what cannot be one (a
// variable that was not filled in, JSON, several words) it says why; of nothing at all it says nothing.
func read(text string) (value, fault string) {
	if value = strings.TrimSpace(text); value == "" {
		return "", ""
	}
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	if word, rest, found := strings.Cut(value, " "); found && strings.EqualFold(word, "Bearer") {
		value = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(value, "${") { // its braces are told of otherwise
		return "", placeholder(value)
	}
	if len(value) > maxToken || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'{}`, r) }) {
		return "", "one is a single word of plain ASCII without quotes and braces"
	}
	if fault = placeholder(value); fault != "" {
		return "", fault
	}
	return value, ""
}

func (c *Chain) origins() []string {
	if c.Origins == nil {
		return nil
	}
	return c.Origins()
}

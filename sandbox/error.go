package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says why an operation was refused or failed, for callers that branch.
type Kind int

const (
	Other        Kind = iota // an error of the system; see PathError.Err
	Invalid                  // the name itself cannot be used (empty, NUL, a foreign file:// host, …)
	Denied                   // outside the roots, or not to be done to a root, home or .git
	NotFound                 // no such file or folder
	NotRegular               // a folder, pipe, socket or device where a file is needed
	NotDir                   // a file where a folder is needed
	Protected                // read-only to the tools: settings, hooks, git and editor configuration
	ReadOnly                 // a read-only file (no write bit), root or file system
	Permission               // the system denies it to the server's user
	NoSpace                  // disk or quota full
	Exists                   // the name is taken and was not to be replaced
	NotEmpty                 // a folder that still has entries
	TooManyLinks             // more than 40 symbolic links, or a cycle
	CrossDevice              // a rename between file systems: copy instead
	Busy                     // another writer kept the lock for too long
)

var kindNames = [...]string{"other", "invalid", "denied", "not found", "not a regular file", "not a folder", "protected",
	"read-only", "permission", "no space", "exists", "not empty", "too many links", "cross-device", "busy"}

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "kind " + strconv.Itoa(int(k))
	}
	return kindNames[k]
}

// PathError is the error of every operation of this package on a Path.
// Its text is meant for a model: what happened and what to do next.
type PathError struct {
	Op     string   // "read", "write", "remove", …
	Path   string   // as given, unescaped
	Kind   Kind     //
	Reason string   // one clause, "" for the usual one of Kind
	Roots  []string // on Denied: the folders that may be used
	Left   []string // on Denied: why others may not
	Near   []string // on NotFound: existing names that differ in spaces, Unicode form or case
	Err    error    // cause, may be nil
}

func (e *PathError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", e.Op, Printable(e.Path))
	b.WriteString(e.reason())
	switch e.Kind {
	case Denied:
		if e.Reason == "" && len(e.Left) > 0 {
			b.WriteString("; " + strings.Join(e.Left, "; "))
		}
		if e.Reason == "" && len(e.Roots) == 0 && len(e.Left) == 0 {
			b.WriteString("; no folder is set: start the server with --project-dir FOLDER")
		} else if e.Reason == "" && len(e.Roots) > 0 {
			b.WriteString("; use a path below " + list(e.Roots) + " (the user can add one with --allow-path)")
		}
	case NotFound:
		if len(e.Near) > 0 {
			b.WriteString("; near names: ")
			for i, n := range e.Near {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString(strconv.QuoteToASCII(n))
			}
		}
	}
	return b.String()
}

func (e *PathError) reason() string {
	if e.Reason != "" {
		return e.Reason
	}
	switch e.Kind {
	case Denied:
		return "outside the allowed folders"
	case NotFound:
		return "no such file or folder"
	case NotRegular:
		return "not a regular file"
	case NotDir:
		return "not a folder"
	case Protected:
		return "read-only to the tools; ask the user to change it"
	case ReadOnly:
		return "read-only; ask the user to change its permissions"
	case Permission:
		return "the system denies access to the user that runs the server"
	case NoSpace:
		return "no space left on the device; nothing was changed"
	case Exists:
		return "exists already"
	case NotEmpty:
		return "the folder is not empty"
	case TooManyLinks:
		return "too many symbolic links, or a cycle of them"
	case CrossDevice:
		return "source and destination are on different file systems: copy, then remove"
	case Busy:
		return "another call or server is still writing it: try again"
	}
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Kind.String()
}

func (e *PathError) Unwrap() error { return e.Err }

// Is makes errors.Is work with fs.ErrNotExist, fs.ErrExist, fs.ErrPermission and fs.ErrInvalid.
func (e *PathError) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return e.Kind == NotFound
	case fs.ErrExist:
		return e.Kind == Exists || e.Kind == NotEmpty
	case fs.ErrPermission:
		return e.Kind == Denied || e.Kind == Protected || e.Kind == ReadOnly || e.Kind == Permission
	case fs.ErrInvalid:
		return e.Kind == Invalid
	}
	return false
}

// KindOf returns the Kind of the PathError in err's chain, or Other.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*PathError](err); ok {
		return e.Kind
	}
	return Other
}

func list(paths []string) string {
	shown := make([]string, len(paths))
	for i, p := range paths {
		shown[i] = Printable(p)
	}
	return strings.Join(shown, ", ")
}

// Printable is s as it may stand in a message: quoted when it holds control,
// bidirectional or otherwise unprintable characters, odd spaces or bad UTF-8.
func Printable(s string) string {
	if s == "" || !utf8.ValidString(s) {
		return strconv.QuoteToASCII(s)
	}
	for _, c := range s {
		if c != ' ' && (unicode.IsSpace(c) || !unicode.IsPrint(c)) {
			return strconv.QuoteToASCII(s)
		}
	}
	return s
}

// wrap turns an error of the system into a PathError about p.
func wrap(op string, p Path, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*PathError](err); ok {
		return err
	}
	e := &PathError{Op: op, Path: p.Given, Kind: kindOfErrno(err), Err: cause(err)}
	if e.Kind == Other && errors.Is(err, fs.ErrNotExist) {
		e.Kind = NotFound
	}
	if e.Kind == NotFound && p.Root != nil && p.Root.replaced() {
		e.Reason = Printable(p.Root.Dir) + " was removed or replaced after the server started, which still holds the folder that was there: restart the server"
	}
	if e.Kind == Other && errors.Is(err, fs.ErrExist) {
		e.Kind = Exists
	}
	return e
}

// cause drops the operation and path that package os wrapped around an error:
// PathError says both already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

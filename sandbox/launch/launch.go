// Package launch starts every child of the server: what exec runs, git, language servers.
//
// On Linux one launcher process per policy, this same binary run again with an
// empty environment, starts the children and reaps them. It lives in its own
// user, mount and pid namespaces where the kernel gives them, else it restricts
// the threads that fork with Landlock and is a child subreaper. Its end is the
// end of every child, daemons in their own session included, also when the
// server is killed. On macOS children run under sandbox-exec, on Windows in a
// job object; see [Launcher.Report] for what is in force.
//
// With namespaces children find /tmp, /var/tmp and /run empty but for what they may
// write and a few things to read: there the sockets of other programs come and go.
// What git obeys is read-only, or its place is held, in every repository that is
// there at the start. Not covered: repositories in folders of package managers
// and those that children make themselves (Planted tells of changes in the
// former, and of the latter those that an index names or that are not called
// .git), and for up to a second, and for children that run by then, sockets that
// come to be elsewhere and protected files that a program outside replaces.
//
// A protected name that is a link stays one, and what it leads to is protected
// instead, as far as it is inside (sandbox.Leading).
//
// The package must never let what a caller passes as a child's environment
// reach the launcher itself, and never run a child unconfined when confinement
// is required. It decides nothing about which command may run: that is the
// gate's. (HIP-0301 §10.)
package launch

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"
)

// Policy is the set of limits a child runs under.
type Policy int

const (
	// Confined: the disk is read-only but for Config.Writable, TempDir and
	// CacheDir; Config.Hidden is covered, Config.Protect is read-only.
	Confined Policy = iota
	// Credentialed is for git over the network and for signing: no user
	// namespace (ssh refuses root's files in one), nothing hidden, writes only
	// to Cmd.Writable and TempDir.
	Credentialed
	// Unconfined has no limits on files; children still end with the launcher.
	Unconfined
	// Repository is Confined without the protection of what lies in git
	// folders, for the git tool's own work on config and hooks.
	Repository

	policies = 4
)

func (p Policy) String() string {
	switch p {
	case Confined:
		return "confined"
	case Credentialed:
		return "credentialed"
	case Unconfined:
		return "unconfined"
	case Repository:
		return "repository"
	}
	return "unknown"
}

// Mode says what happens when nothing on this machine can confine.
type Mode int

const (
	Auto     Mode = iota // the best there is, and Report tells
	Required             // Start refuses without confinement
	Off                  // every policy is Unconfined
)

// Mechanism names a way to confine; the zero value lets the package choose.
type Mechanism string

const (
	Best       Mechanism = ""
	Namespaces Mechanism = "namespaces"
	Landlock   Mechanism = "landlock"
	Seatbelt   Mechanism = "sandbox-exec"
	JobObject  Mechanism = "job object"
	None       Mechanism = "none"
)

// Config is what the limits of the children are made of. The zero value
// confines as well as possible, with nothing writable, and leaves the network on.
type Config struct {
	Writable []string // folders or files, absolute; links are resolved
	Readable []string // absolute, or "~/…", in /tmp, /var/tmp or /run, which children find empty but for these and what is writable
	Hidden   []string // absolute, or "~/…"; those that exist are covered
	Protect  []string // read-only inside Writable: absolute, or relative to each writable folder
	// HoldMissing makes an empty folder in the place of a missing Protect path
	// while children may run, so that nothing can be planted there. It shows in
	// listings; without it Planted tells what appeared.
	HoldMissing bool
	NoNetwork   bool         // children reach no network, not even loopback of the host
	Confine     Mode         //
	Mechanism   Mechanism    // only this one; for diagnosis and tests
	CacheDir    string       // writable: private caches of the toolchains (CacheEnv)
	TempDir     string       // writable: the TMPDIR of children, made by the caller (0700)
	TempCheck   func() error // asked before each start whether TempDir is still what the caller made; an error refuses it
	Home        string       // for "~/…"; default os.UserHomeDir
	Self        string       // program to run as launcher; default this executable
	Log         func(string)
	Warn        func(string) // for the user, once: each entry of Weakened, and of Writable that is left out
}

// Cmd is one child.
type Cmd struct {
	Path  string   // absolute, or relative to Dir when it has a slash; see PathList.Look
	Args  []string // argv, Args[0] included; empty means Path alone
	Dir   string   // absolute; must exist
	Env   []string // the whole environment (Environ); nil is empty
	Stdin *os.File // nil is /dev/null for the three of them
	// Stdout and Stderr stay the caller's, to be closed after Start.
	Stdout, Stderr *os.File
	PTY            bool // a terminal of Rows×Cols in place of the three; Process.PTY is its master
	Rows, Cols     uint16
	Policy         Policy
	Writable       []string // Credentialed: the folders it may write
}

// Launcher starts children. Its methods may be called from any goroutine.
type Launcher struct {
	mu     sync.Mutex
	cfg    Config
	closed bool
	weak   []string // see Weakened
	left   []string // what was said of writable paths
	backend
}

// ErrClosed is returned by Start after Close.
var ErrClosed = errors.New("the launcher is closed")

// New starts nothing; the first Start does.
func New(cfg Config) *Launcher {
	return &Launcher{cfg: cfg}
}

// Start starts c and returns once it runs. An error is a *StartError when the
// command is to blame. When ctx ends, Start returns and nothing is left running;
// after Start has returned, ctx has no more say.
func (l *Launcher) Start(ctx context.Context, c Cmd) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(c.Args) == 0 {
		c.Args = []string{c.Path}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if cfg, err := l.config(); err != nil {
		return nil, err
	} else if cfg.TempCheck != nil {
		if err := cfg.TempCheck(); err != nil {
			return nil, err
		}
	}
	return l.start(ctx, c)
}

// Close ends all children (TERM, then KILL after 2 s) and waits for them.
func (l *Launcher) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	return l.stop(2 * time.Second)
}

// maxWeak is how many notes Weakened keeps.
const maxWeak = 100

// Weakened says in which ways children were less confined than this machine can
// do, because of what lies in the writable folders or of how it is set up: a
// weaker mechanism, protected paths that could not be guarded.
func (l *Launcher) Weakened() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.weak)
}

// warn says each note once; said are those so far.
func (l *Launcher) warn(cfg Config, said *[]string, notes []string) {
	for _, note := range notes {
		l.mu.Lock()
		known := slices.Contains(*said, note) || len(*said) >= maxWeak
		if !known {
			*said = append(*said, note)
		}
		l.mu.Unlock()
		if !known && cfg.Warn != nil {
			cfg.Warn(note)
		}
	}
}

func (l *Launcher) config() (Config, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return Config{}, ErrClosed
	}
	return l.cfg, nil
}

func (c Config) log(s string) {
	if c.Log != nil {
		c.Log(s)
	}
}

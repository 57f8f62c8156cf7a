package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/clients"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// finding is one thing that doctor looked at. Wrong findings carry the command, or the step, that mends them.
type finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
	Mend string `json:"mend,omitempty"`
}

// doctorLimit bounds the whole examination.
const doctorLimit = 30 * time.Second

// runDoctor looks at all that a person asks about when it does not work. Its exit code is 1 when something is wrong.
func runDoctor(ctx context.Context, p *program, o options, _ []string) error {
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	p.ui.tell(quiet) // what is wrong is part of the findings
	s := newServer(p.ui, o, p.getenv)
	defer s.close()
	pl := s.settle(s.newPeer(ctx, "cli", func([]byte) {}), nil)

	found := []finding{
		{"version", true, fmt.Sprintf("%s %s %s", serverName, version(), buildNote()), ""},
		s.examineSettings(pl),
		s.examineRules(pl),
		s.examineHome(),
		s.examineRoots(pl),
		s.examineSandbox(ctx, pl),
		s.examinePath(pl),
	}
	found = append(found, s.examinePrograms(pl)...)
	found = append(found, s.examineState()...)
	found = append(found, s.examineDoor(ctx)...)
	found = append(found, s.examineClients()...)

	wrong := 0
	for _, f := range found {
		if !f.OK {
			wrong++
		}
	}
	if o.json {
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(struct {
			OK       bool      `json:"ok"`
			Findings []finding `json:"findings"`
		}{wrong == 0, found}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			mark := "ok  "
			if !f.OK {
				mark = "FAIL"
			}
			fmt.Fprintf(p.out, "%s  %-16s %s\n", mark, f.Name, strings.ReplaceAll(f.Text, "\n", "\n"+strings.Repeat(" ", 23)))
			if f.Mend != "" {
				fmt.Fprintf(p.out, "      %-16s mend: %s\n", "", f.Mend)
			}
		}
	}
	if wrong > 0 {
		return &resultError{"doctor"}
	}
	return nil
}

func (s *server) examineSettings(pl *place) finding {
	if err := pl.guard.Lockdown; err != nil {
		return finding{"settings", false, err.Error(), "correct the file; `hanzo-mcp settings` shows what is read"}
	}
	text := "read; `hanzo-mcp settings` shows each value and its origin"
	if w := pl.settings.Warnings(); len(w) > 0 {
		text = strings.Join(w, "\n")
	}
	return finding{"settings", true, text, ""}
}

// examineRules tells of rules that guard nothing, and of a log of them that is not kept.
func (s *server) examineRules(pl *place) finding {
	var faults []string
	if pl.guard.Rules != nil {
		faults = slices.Concat(pl.guard.Rules.Warnings(), s.mistypedRules(pl.settings.Rules()))
	}
	if len(faults) > 0 {
		return finding{"rules", false, strings.Join(faults, "\n"), "correct permissions in the settings; `hanzo-mcp settings` shows which file each is from"}
	}
	if err := s.audit.fault; err != nil {
		return finding{"rules", false, err.Error() + "; nothing is logged", "let HANZO_MCP_AUDIT_LOG name a file that is yours alone"}
	}
	rules := 0
	for _, tier := range pl.settings.Rules() {
		rules += len(tier.Rules)
	}
	return finding{"rules", true, fmt.Sprintf("%d permission rules, %d hooks", rules, len(pl.settings.Hooks())), ""}
}

func (s *server) examineHome() finding {
	if s.env.home == "" {
		return finding{"home", false, noHome, "set HOME to the absolute path of your home folder"}
	}
	return finding{"home", true, s.env.home, ""}
}

func (s *server) examineRoots(pl *place) finding {
	if dirs := pl.guard.Roots.Dirs(); pl.guard.Roots.Base() != "" {
		return finding{"roots", true, strings.Join(dirs, "\n"), ""}
	}
	why := pl.guard.Roots.NoBase()
	if why == "" {
		_, why = sandbox.DefaultRoots(s.env.wd, s.env.home)
	}
	return finding{"roots", false, "no project folder here: " + why, "run it in a project, or give --project-dir FOLDER (a client may give its own)"}
}

func (s *server) examineSandbox(ctx context.Context, pl *place) finding {
	mode := pl.guard.Roots.Mode()
	if !s.confined() {
		why := "off"
		if kind, _ := sandbox.DetectContainer(sandbox.Probe{}); kind != "" {
			why = "off, since this is a container (" + kind + ")"
		}
		return finding{"sandbox", true, why + "; --sandbox workspace puts it on", ""}
	}
	r := pl.report(func() launch.Report { return s.launcher.Report(ctx) })
	f := finding{"sandbox", r.Confined, fmt.Sprintf("%v; commands: %s", mode, r), ""}
	if !r.Confined {
		f.Mend = "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or the AppArmor profile), or use a kernel with Landlock"
	}
	return f
}

func (s *server) examinePath(pl *place) finding {
	text := strings.Join(pl.path.Dirs(), string(filepath.ListSeparator))
	dropped, note := pl.path.Dropped()
	for _, d := range dropped {
		text += fmt.Sprintf("\nnot searched: %s (%s)", d.Dir, d.Why)
	}
	if note != "" {
		text += "\n" + note
	}
	return finding{"PATH", true, text, ""}
}

// examinePrograms looks for the programs that tools use. Only a shell is needed for all to work.
func (s *server) examinePrograms(pl *place) []finding {
	var found []finding
	for _, program := range []struct{ name, use, mend string }{
		{"bash", "exec", ""}, {"git", "git (without it a smaller one is built in)", ""},
		{"gopls", "code: Go", "go install golang.org/x/tools/gopls@latest"}, {"pyright-langserver", "code: Python", "npm i -g pyright"},
		{"typescript-language-server", "code: TypeScript", "npm i -g typescript typescript-language-server"},
		{"rust-analyzer", "code: Rust", "rustup component add rust-analyzer"}, {"clangd", "code: C and C++", ""},
	} {
		path, err := pl.path.Look(program.name)
		text := path
		if err != nil {
			text = "not found; used by " + program.use
			if program.mend != "" {
				text += " (" + program.mend + ")"
			}
		}
		found = append(found, finding{program.name, true, text, ""})
	}
	if _, err := pl.path.Look("sh"); err != nil && runtime.GOOS != "windows" {
		found = append(found, finding{"sh", false, "no shell was found: exec cannot run command lines", "put /bin on the PATH"})
	}
	return found
}

// examineState looks at the files that tools keep.
func (s *server) examineState() []finding {
	var found []finding
	for _, f := range []stateFile{memoryFile, planFile, taskFile} {
		path := s.statePath(f)
		if path == "" {
			continue // see examineHome
		}
		raw, err := os.ReadFile(path)
		switch {
		case os.IsNotExist(err):
			found = append(found, finding{f.name, true, path + ": none yet", ""})
		case err != nil:
			found = append(found, finding{f.name, false, err.Error(), "make the file readable"})
		case !json.Valid(raw):
			found = append(found, finding{f.name, false, path + " is no valid JSON", "mend it or move it away; the tool sets it aside at its next use"})
		default:
			found = append(found, finding{f.name, true, fmt.Sprintf("%s, %d bytes", path, len(raw)), ""})
		}
	}
	return found
}

// stateFile is a file that a tool keeps: what a variable names, else one below ~/.hanzo.
type stateFile struct{ name, variable, base string }

var (
	memoryFile = stateFile{"memory", "MEMORY_PATH", "memory.json"}
	planFile   = stateFile{"plans", "PLAN_PATH", "plans.json"}
	taskFile   = stateFile{"tasks", "TODO_PATH", "todos.json"}
)

// statePath is "" when no home folder is known and the variable names no absolute path.
func (s *server) statePath(f stateFile) string {
	path := cmp.Or(s.env.getenv(f.variable), f.base)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return s.env.inHome(rest)
	}
	if !filepath.IsAbs(path) { // never in the project: it is the user's
		return s.env.inHome(".hanzo", path)
	}
	return path
}

// examineClients tells which clients are there and whether their entry starts this very program.
func (s *server) examineClients() []finding {
	if s.env.home == "" {
		return nil
	}
	sys := clients.This(s.env.home, s.env.getenv)
	self, _ := os.Executable()
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	var found []finding
	for _, c := range clients.All() {
		state, command := c.State(sys)
		f := finding{c.Name, true, "", ""}
		switch state {
		case clients.Absent:
			continue
		case clients.Unreadable:
			f.OK, f.Text, f.Mend = false, c.File(sys)+" cannot be read: "+command, "correct the file"
		case clients.NoEntry:
			f.Text = fmt.Sprintf("no entry in %s (hanzo-mcp install %s)", c.File(sys), c.Name)
		case clients.HasEntry:
			f.Text = "starts " + command
			if filepath.IsAbs(command) && command != self {
				if _, err := os.Stat(command); err != nil {
					f.OK, f.Mend = false, "hanzo-mcp install "+c.Name
					f.Text += ", which is not there"
				} else {
					f.Text += ", another program than this one"
				}
			}
		}
		found = append(found, f)
	}
	return found
}

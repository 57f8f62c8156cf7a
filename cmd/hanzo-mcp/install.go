package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"

	"github.com/hanzoai/hanzo-mcp/cmd/hanzo-mcp/clients"
)

// npmPackage is what npx installs; the release fills packages of this name.
const npmPackage = "@hanzo/mcp-go"

// installFlags are the flags of install and uninstall.
func installFlags(name string, o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.BoolVar(&o.dryRun, "dry-run", false, "show what would change, as a diff, and change nothing")
	if name == "uninstall" {
		return fs
	}
	fs.BoolVar(&o.print, "print", false, "print the entry instead of writing it")
	fs.StringArrayVar(&o.projectDirs, "project-dir", nil, "project folder that the client's server works in (repeatable)")
	fs.StringVar(&o.http, "http", "", "an entry for a server that `serve --http` runs at this address")
	fs.Lookup("http").NoOptDefVal = defaultHTTP
	fs.BoolVar(&o.readOnly, "read-only", false, "the client's server changes nothing")
	fs.IntVar(&o.maxTools, "max-tools", 0, "list at most this many tools (the default is the client's own limit)")
	return fs
}

// planned is what one command is to do to one client's settings.
type planned struct {
	client *clients.Client
	entry  *clients.Entry  // nil: take it out
	change *clients.Change // nil: the entry is printed
}

// runInstall puts an entry for this program into the settings of clients.
func runInstall(_ context.Context, p *program, o options, names []string) error {
	sys, err := p.system()
	if err != nil {
		return err
	}
	found, err := findClients("install", names, o)
	if err != nil {
		return err
	}
	for _, c := range found {
		if c.StdioOnly && o.http != "" {
			return misused(withHint(fmt.Errorf("%s reads no addresses from its file, only programs; nothing was changed", c.Title), "hanzo-mcp install %s --project-dir FOLDER", c.Name))
		}
		if c.NeedsDir && len(o.projectDirs) == 0 && o.http == "" {
			return misused(withHint(fmt.Errorf("%s starts servers in no project: say which folder the tools may use; nothing was changed", c.Title),
				"hanzo-mcp install %s --project-dir FOLDER", c.Name))
		}
	}
	var plan []planned
	for _, c := range found {
		e, err := p.entry(c, o)
		if err != nil {
			return err
		}
		one := planned{client: c, entry: &e}
		if !o.print && !c.PrintOnly {
			if one.change, err = planChange(c, sys, &e); err != nil {
				return err
			}
		}
		plan = append(plan, one)
	}
	return p.carryOut(plan, sys, o.dryRun)
}

// runUninstall takes the entry out again.
func runUninstall(_ context.Context, p *program, o options, names []string) error {
	sys, err := p.system()
	if err != nil {
		return err
	}
	found, err := findClients("uninstall", names, o)
	if err != nil {
		return err
	}
	var plan []planned
	for _, c := range found {
		if c.PrintOnly {
			return misused(withHint(fmt.Errorf("the settings of %s are edited by hand; nothing was changed", c.Title), "remove %q from %s", clients.Name, c.File(sys)))
		}
		change, err := planChange(c, sys, nil)
		if err != nil {
			return err
		}
		plan = append(plan, planned{client: c, change: change})
	}
	return p.carryOut(plan, sys, o.dryRun)
}

// system is where the clients' files are looked for.
func (p *program) system() (clients.System, error) {
	home := homeFolder(p.getenv)
	if home == "" {
		return clients.System{}, withHint(errors.New("the home folder is not known, so the clients' files cannot be found"), "set HOME")
	}
	return clients.This(home, p.getenv), nil
}

// findClients gives the clients of all names, each once: a command does all that it says or nothing.
func findClients(verb string, names []string, o options) ([]*clients.Client, error) {
	if len(names) == 0 {
		return nil, misused(withHint(fmt.Errorf("%s needs the name of a client", verb), "one of %s", clientNames()))
	}
	var found []*clients.Client
	for _, name := range names {
		c, err := clients.Find(name)
		if err != nil {
			err = fmt.Errorf("%w; nothing was changed", err)
			if _, _, address := net.SplitHostPort(name); address == nil && o.http == defaultHTTP {
				return nil, misused(withHint(err, "an address is given as --http=%s", name))
			}
			return nil, misused(withHint(err, "see hanzo-mcp %s --help", verb))
		}
		if !slices.ContainsFunc(found, func(f *clients.Client) bool { return f.Name == c.Name }) {
			found = append(found, c)
		}
	}
	return found, nil
}

func planChange(c *clients.Client, sys clients.System, e *clients.Entry) (*clients.Change, error) {
	change, err := c.Plan(sys, e)
	if err != nil {
		return nil, withHint(err, "hanzo-mcp install %s --print shows the entry to paste", c.Name)
	}
	return change, nil
}

func (p *program) carryOut(plan []planned, sys clients.System, dry bool) error {
	for _, one := range plan {
		var err error
		if one.change == nil {
			err = p.printEntry(one.client, *one.entry, sys)
		} else {
			err = p.change(one.client, one.change, one.entry != nil, dry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change makes one edit and says what was done.
func (p *program) change(c *clients.Client, change *clients.Change, in, dry bool) error {
	switch {
	case change.Same() || !in && change.Before == nil:
		fmt.Fprintf(p.out, "%s: nothing to do in %s\n", c.Title, change.File)
		return nil
	case dry:
		fmt.Fprint(p.out, change.Diff())
	default:
		if err := change.Apply(); err != nil {
			return fmt.Errorf("writing the settings of %s: %w", c.Title, err)
		}
		done := "installed in"
		if !in {
			done = "removed from"
		}
		fmt.Fprintf(p.out, "%s: %s %s\n", c.Title, done, change.File)
		if change.Before != nil {
			fmt.Fprintf(p.out, "  the old file is kept as %s\n", change.Backup())
		}
		if len(change.Dropped) > 0 {
			fmt.Fprintf(p.out, "  of the entry that stood there these are gone: %s\n", strings.Join(change.Dropped, ", "))
		}
		if in {
			fmt.Fprintf(p.out, "  restart %s to use it\n", c.Title)
		}
	}
	return nil
}

// entry is how a client reaches this program: by its own path, by npx when that ran it, or over HTTP.
func (p *program) entry(c *clients.Client, o options) (clients.Entry, error) {
	if o.http != "" {
		s := newServer(p.ui, options{noDoor: true}, p.getenv)
		defer s.close()
		token, err := s.httpToken()
		return clients.Entry{URL: "http://" + o.http + httpPath, Token: token}, err
	}
	args := []string{"serve"}
	for _, dir := range o.projectDirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return clients.Entry{}, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return clients.Entry{}, withHint(fmt.Errorf("--project-dir %s is no folder", dir), "name a folder that exists")
		}
		args = append(args, "--project-dir", abs)
	}
	if o.readOnly {
		args = append(args, "--read-only")
	}
	if n := o.maxTools; n > 0 || c.MaxTools > 0 {
		if n <= 0 {
			n = c.MaxTools
		}
		args = append(args, "--max-tools", strconv.Itoa(n))
	}
	self, err := os.Executable()
	if err != nil {
		return clients.Entry{}, fmt.Errorf("finding this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	if fromNpx(self) {
		return clients.Entry{Command: "npx", Args: append([]string{"-y", "--package=" + npmPackage + "@" + version(), "hanzo-mcp"}, args...)}, nil
	}
	return clients.Entry{Command: self, Args: args}, nil
}

// fromNpx reports whether a program lies in npx's cache, which npm may empty at any time.
func fromNpx(path string) bool {
	for _, part := range strings.Split(filepath.ToSlash(path), "/") {
		if part == "_npx" {
			return true
		}
	}
	return false
}

// printEntry prints the entry as it would stand in the client's file.
func (p *program) printEntry(c *clients.Client, e clients.Entry, sys clients.System) error {
	change := map[string]any{clients.Name: c.Member(e, sys)}
	whole := map[string]any{c.Key(): change}
	p.ui.infoAlways("for %s, in %s:", c.Title, c.File(sys))
	if c.TOML() {
		out, err := toml.Marshal(whole)
		if err != nil {
			return err
		}
		_, err = p.out.Write(out)
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(whole); err != nil {
		return err
	}
	_, err := p.out.Write(b.Bytes())
	return err
}

func clientNames() string {
	var names []string
	for _, c := range clients.All() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

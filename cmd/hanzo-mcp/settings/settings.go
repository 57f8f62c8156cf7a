package settings

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/hooks"
)

// Settings are all tiers together. They are immutable and safe for concurrent use; WithProject gives new ones.
type Settings struct {
	home     string
	base     []source // the user's file, then the overrides
	project  project
	sources  []source // all, in rising order
	merged   values
	rules    []hooks.Tier
	broken   []*Broken
	warnings []string
}

// Lockdown is the error with which every call is refused, or nil. It is set while a file, a variable or a flag that could
// have governed the calls cannot be understood.
func (s *Settings) Lockdown() error {
	if len(s.broken) == 0 {
		return nil
	}
	faults := make([]string, len(s.broken))
	for i, b := range s.broken {
		faults[i] = b.Error()
	}
	return fmt.Errorf("every call is refused, since settings cannot be used: %s. Mend this and try again (`hanzo-mcp settings` shows what is read)", strings.Join(faults, "; "))
}

// Broken lists what cannot be used, for a line each on stderr.
func (s *Settings) Broken() []*Broken { return slices.Clone(s.broken) }

// Warnings lists in words what was ignored or looks mistaken, each once.
func (s *Settings) Warnings() []string { return slices.Clone(s.warnings) }

// Project is the real path of the project these settings are for, "" for none, and whether the user file trusts it.
func (s *Settings) Project() (root string, trusted bool) { return s.project.root, s.project.trusted }

// Rules are the permission rules, a tier each, to be judged apart (hooks.NewPolicy). From an untrusted project only deny
// rules are among them.
func (s *Settings) Rules() []hooks.Tier { return slices.Clone(s.rules) }

func tierOf(t Tier, v *values) []hooks.Tier {
	if len(v.rules) == 0 && !v.cautious.IsSet() {
		return nil
	}
	tier := hooks.Tier{Name: t.String(), Cautious: v.cautious.IsSet()}
	for _, r := range v.rules {
		tier.Rules = append(tier.Rules, r.V)
	}
	return []hooks.Tier{tier}
}

// Hooks are the user's, then a trusted project's; each with the folder of its file.
func (s *Settings) Hooks() []hooks.Hook { return bare(s.merged.hooks) }

// SandboxMode is "workspace", "allowlist" or "off"; unset leaves the choice to where the program runs.
func (s *Settings) SandboxMode() Value[string] { return s.merged.mode }

// AllowedPaths are folders that may be used as roots, absolute; they may be missing, and then nothing takes their place.
// Named reports whether any were written down.
func (s *Settings) AllowedPaths() (paths []string, named bool) {
	return bare(s.merged.allowed), len(s.merged.allowed) > 0
}

// Narrow are the only parts of the project that may be used, absolute paths in it; narrowed is false when the whole may
// be. They come from an untrusted project, and may be links: open them below the project's root.
func (s *Settings) Narrow() (paths []string, narrowed bool) {
	return bare(s.merged.narrow), s.merged.narrow != nil
}

// Writable, Hidden and Protect are the lists of `sandbox`, lowest tier first, ~ expanded: additions to the built-in
// lists. An entry with "!" in front takes an earlier or built-in one back (Amend).
func (s *Settings) Writable() []string { return s.entries(s.merged.writable) }

// Hidden: see Writable.
func (s *Settings) Hidden() []string { return s.entries(s.merged.hidden) }

// Protect: see Writable.
func (s *Settings) Protect() []string { return s.entries(s.merged.protect) }

// entries gives what takes a path below home back in both spellings, since built-in lists say "~/…".
func (s *Settings) entries(list []Value[string]) []string {
	var entries []string
	for _, v := range list {
		entries = append(entries, v.V)
		back, ok := strings.CutPrefix(v.V, "!"+s.home)
		if rel := filepath.ToSlash(back); ok && s.home != "" && strings.HasPrefix(rel, "/") {
			entries = append(entries, "!~"+rel)
		}
	}
	return entries
}

// Amend applies the entries of such a list to the built-in ones.
func Amend(builtin, entries []string) []string {
	amended := slices.Clone(builtin)
	for _, entry := range entries {
		if back, ok := strings.CutPrefix(entry, "!"); ok {
			amended = slices.DeleteFunc(amended, func(known string) bool { return known == back })
		} else if !slices.Contains(amended, entry) {
			amended = append(amended, entry)
		}
	}
	return amended
}

// Network reports whether children may use the network; true unless switched off.
func (s *Settings) Network() bool { return !s.merged.network.IsSet() || s.merged.network.V }

// Confine is "auto", "required" or "off"; "auto" unless set.
func (s *Settings) Confine() string { return cmpOr(s.merged.confine.V, "auto") }

// ReadOnly refuses whatever writes; its origin says who wanted it.
func (s *Settings) ReadOnly() Value[bool] { return s.merged.readOnly }

// ToolsAllow are the globs of tools that are on; unset means all, set and empty means no local tool.
func (s *Settings) ToolsAllow() Value[[]string] { return s.merged.toolsAllow }

// ToolsDeny are the globs of tools that are off, of all tiers.
func (s *Settings) ToolsDeny() []string { return bare(s.merged.toolsDeny) }

// EnvScrub are globs of variables that children do not get, EnvPass of those that they get all the same.
func (s *Settings) EnvScrub() []string { return bare(s.merged.scrub) }

// EnvPass: see EnvScrub.
func (s *Settings) EnvPass() []string { return bare(s.merged.pass) }

// FetchAllowPrivate are addresses, ranges and hosts of private networks that fetch may reach.
func (s *Settings) FetchAllowPrivate() []string { return bare(s.merged.private) }

// LSP are the language servers by name, in file order.
func (s *Settings) LSP() []LanguageServer { return bare(s.merged.lsp) }

// DoorOrigins are further origins a bearer from a file or the command may go to, as scheme://host[:port]. User file only.
func (s *Settings) DoorOrigins() []string { return bare(s.merged.origins) }

// APIKey is the cloud bearer of the user file. It never prints.
func (s *Settings) APIKey() Secret { return s.merged.apiKey.V }

// MCPServers are the described servers, merged by name. They are not mounted.
func (s *Settings) MCPServers() []Server { return bare(s.merged.servers) }

// TrustedProjects are the real paths the user file trusts.
func (s *Settings) TrustedProjects() []string { return bare(s.merged.projects) }

// Registries are the component registries of `ui.registries`. User file only.
func (s *Settings) Registries() []Registry {
	registries := bare(s.merged.registries)
	for i := range registries {
		registries[i].Headers = maps.Clone(registries[i].Headers)
	}
	return registries
}

func bare[T any](list []Value[T]) []T {
	plain := make([]T, len(list))
	for i, v := range list {
		plain[i] = v.V
	}
	return plain
}

// Err joins what is broken into one error for a command that cannot go on, or nil.
func (s *Settings) Err() error {
	errs := make([]error, len(s.broken))
	for i, b := range s.broken {
		errs[i] = b
	}
	return errors.Join(errs...)
}

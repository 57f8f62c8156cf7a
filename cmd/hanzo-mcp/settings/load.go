package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The project's files, relative to it.
const (
	ProjectFile = ".hanzo/settings.json"
	LocalFile   = ".hanzo/settings.local.json"
)

// Override is a setting from outside the files.
type Override struct {
	Tier  Tier   // Environment or Flags
	Key   string // as in the files, with dots: "sandbox.mode"
	Value string // JSON; a text that is no JSON stands for itself, so `off` and `"off"` are the same
	Label string // the variable or flag, as the user knows it: "HANZO_MCP_SANDBOX", "--sandbox"
}

// Options say where settings come from. The zero value has no user file.
type Options struct {
	UserFile  string // "" for none; see UserFile
	Home      string // what ~ stands for in the files
	Overrides []Override
}

// UserFile is the place of the user's settings. XDG_CONFIG_HOME counts only when absolute.
func UserFile(getenv func(string) string, home string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hanzo", "settings.json")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".config", "hanzo", "settings.json")
}

// source is a file or a group of overrides as it was read.
type source struct {
	tier     Tier
	file     string
	found    bool
	broken   []*Broken
	warnings []string
	values   values
}

// Load reads the user's file and the overrides. It always gives Settings; what could not be read is told by Lockdown.
func Load(o Options) *Settings {
	base := []source{{tier: User}}
	if o.UserFile != "" {
		base[0] = loadUser(o)
	}
	overrides := slices.Clone(o.Overrides)
	slices.SortStableFunc(overrides, func(a, b Override) int { return int(a.Tier) - int(b.Tier) })
	for _, over := range overrides {
		base = append(base, loadOverride(over, o.Home))
	}
	return assemble(o.Home, base, project{})
}

// project is the first root as its settings were read.
type project struct {
	root    string // its real path; "" for none
	sources []source
	trusted bool
	broken  *Broken
}

// WithProject gives the settings with those of a project over the user's and below the overrides. The project is the first
// root; "" gives the settings of no project. Nothing outside the project is read.
func (s *Settings) WithProject(root string) *Settings {
	if root == "" {
		return assemble(s.home, s.base, project{})
	}
	real, err := filepath.Abs(root)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return assemble(s.home, s.base, project{root: root, broken: &Broken{Tier: Project, File: root, Reason: "the project cannot be opened: " + cause(err).Error()}})
	}
	p := project{root: real}
	p.trusted = slices.ContainsFunc(s.base[0].values.projects, func(v Value[string]) bool { return v.V == real })
	for _, f := range []struct {
		tier Tier
		name string
	}{{Project, ProjectFile}, {Local, LocalFile}} {
		text, err := readProject(real, filepath.FromSlash(f.name))
		file := filepath.Join(real, filepath.FromSlash(f.name))
		p.sources = append(p.sources, interpret(&document{tier: f.tier, file: file, dir: filepath.Dir(file), root: real, home: s.home}, text, err))
	}
	return assemble(s.home, s.base, p)
}

func loadUser(o Options) source {
	text, warning, err := readUser(o.UserFile)
	s := interpret(&document{tier: User, file: o.UserFile, dir: filepath.Dir(o.UserFile), home: o.Home}, text, err)
	if warning != "" && s.values.apiKey.IsSet() {
		s.warnings = append(s.warnings, printable(o.UserFile)+": "+warning)
	}
	for _, p := range s.values.projects {
		real, err := filepath.EvalSymlinks(p.V)
		switch {
		case err != nil:
			s.warnings = append(s.warnings, fmt.Sprintf("%s: the trusted project %s cannot be found", p.Origin, printable(p.V)))
		case real != p.V:
			s.warnings = append(s.warnings, fmt.Sprintf("%s: the trusted project %s is trusted under its real path only: write %s", p.Origin, printable(p.V), printable(real)))
		}
	}
	return s
}

// loadOverride reads an override through the same table as the files.
func loadOverride(over Override, home string) source {
	value := over.Value
	if !json.Valid([]byte(value)) {
		quoted, err := json.Marshal(value)
		if err != nil {
			quoted = []byte(strconv.Quote(value))
		}
		value = string(quoted)
	}
	d := &document{tier: over.Tier, label: over.Label, home: home}
	if !slices.ContainsFunc(fields(), func(f field) bool { return f.key == over.Key }) {
		return source{tier: over.Tier, file: over.Label, broken: []*Broken{d.broken(0, fmt.Sprintf("there is no setting %q", over.Key))}}
	}
	text := value
	parts := strings.Split(over.Key, ".")
	for _, part := range slices.Backward(parts) {
		text = "{" + strconv.Quote(part) + ":" + text + "}"
	}
	return interpret(d, []byte(text), nil)
}

// interpret turns a text into values. What it holds counts only when all of it could be understood.
func interpret(d *document, text []byte, err error) source {
	s := source{tier: d.tier, file: d.source()}
	if errors.Is(err, errAbsent) {
		return s
	}
	s.found = true
	if err == nil {
		var top node
		if top, err = d.parse(text); err == nil {
			err = readValues(&s.values, top)
		}
	}
	s.warnings = d.warnings
	if d.unknown > maxUnknown {
		s.warnings = append(s.warnings, fmt.Sprintf("%s: %d more unknown keys", printable(s.file), d.unknown-maxUnknown))
	}
	if err != nil {
		s.values = values{}
		var b *Broken
		if !errors.As(err, &b) {
			b = &Broken{Tier: d.tier, File: d.source(), Reason: err.Error()}
		}
		s.broken = []*Broken{b}
	}
	return s
}

func readValues(v *values, top node) error {
	table := map[string]field{}
	sections := map[string]bool{}
	var keys []string
	for _, f := range fields() {
		table[f.key] = f
		keys = append(keys, f.key)
		if section, _, ok := strings.Cut(f.key, "."); ok {
			sections[section] = true
		}
	}
	read := func(m member, prefix string) error {
		f, known := table[prefix+m.key]
		// A dot in a key is not a way into a section, else one setting could stand twice.
		if known = known && !strings.Contains(m.key, "."); !known {
			m.doc.warnUnknown(m, keys)
			return nil
		}
		if m.isNull() {
			return nil
		}
		return f.read(v, m.node)
	}
	members, err := top.members()
	if err != nil {
		return err
	}
	for _, m := range members {
		switch {
		case m.key == "$schema", sections[m.key] && m.isNull():
		case sections[m.key]:
			inner, err := m.members()
			if err != nil {
				return err
			}
			for _, i := range inner {
				if err := read(i, m.key+"."); err != nil {
					return err
				}
			}
		default:
			if err := read(m, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// assemble lays the tiers over each other and takes from an untrusted project only what it may say.
func assemble(home string, base []source, p project) *Settings {
	s := &Settings{home: home, base: base, project: p}
	if p.broken != nil {
		s.broken = append(s.broken, p.broken)
	}
	sources := slices.Concat(base[:1], p.sources, base[1:])
	for i := range sources {
		src := &sources[i]
		s.warnings = append(s.warnings, src.warnings...)
		s.broken = append(s.broken, src.broken...)
		v := src.values.clone()
		if src.tier == Project || src.tier == Local {
			s.warnings = append(s.warnings, restrict(&v, p)...)
		}
		for _, f := range fields() {
			f.merge(&s.merged, &v)
		}
		s.rules = append(s.rules, tierOf(src.tier, &v)...)
		s.sources = append(s.sources, *src)
	}
	for _, path := range slices.Concat(s.merged.allowed, s.merged.narrow) {
		if _, err := os.Stat(path.V); err != nil {
			s.warnings = append(s.warnings, fmt.Sprintf("%s: sandbox.allowed_paths names %s: %v; nothing takes its place", path.Origin, printable(path.V), cause(err)))
		}
	}
	if servers := s.merged.servers; len(servers) > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf("%s: mcp_servers is kept for later; its servers are not mounted yet", servers[0].Origin))
	}
	return s
}

// clone copies what later merging may write into.
func (v *values) clone() values {
	copied := values{}
	for _, f := range fields() {
		f.merge(&copied, v)
	}
	copied.narrow = slices.Clone(v.narrow)
	return copied
}

// restrict drops from a project's file what it has no say in, with one warning for each key.
func restrict(v *values, p project) []string {
	var warnings []string
	for _, f := range fields() {
		set := f.rows(v)
		if len(set) == 0 || f.scope != userOnly && p.trusted {
			continue
		}
		what, why := "is ignored", "the project is not in trusted_projects of the user settings"
		switch f.scope {
		case narrows:
			if !f.narrow(v, p.root) {
				continue
			}
			what = "counts only where it forbids something (deny, false, fewer folders)"
		case userOnly:
			why = "it belongs into the user settings"
			fallthrough
		default:
			f.drop(v)
		}
		warnings = append(warnings, fmt.Sprintf("%s: %s %s: %s", set[0].origin, f.key, what, why))
	}
	return warnings
}

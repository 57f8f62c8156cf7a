package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// site is a home and a project on a disk of their own.
type site struct {
	t             testing.TB
	home, project string
}

func newSite(t testing.TB) *site {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t, filepath.Join(dir, "home"), filepath.Join(dir, "project")}
	for _, dir := range []string{filepath.Dir(s.userFile()), filepath.Join(s.project, ".hanzo")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *site) userFile() string {
	return filepath.Join(s.home, ".config", "hanzo", "settings.json")
}

func (s *site) file(tier string) string {
	switch tier {
	case "user":
		return s.userFile()
	case "project":
		return filepath.Join(s.project, filepath.FromSlash(ProjectFile))
	case "local":
		return filepath.Join(s.project, filepath.FromSlash(LocalFile))
	}
	s.t.Fatalf("no tier %q", tier)
	return ""
}

func (s *site) write(tier, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.file(tier), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// trust adds the project to the user's file.
func (s *site) trust() {
	s.t.Helper()
	text, err := os.ReadFile(s.userFile())
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	entry := fmt.Sprintf("{\"trusted_projects\": [%q]", s.project)
	if body := strings.TrimSpace(string(text)); body != "" && body != "{}" {
		entry += ", " + strings.TrimPrefix(body, "{")
	} else {
		entry += "}"
	}
	s.write("user", entry)
}

func (s *site) load(overrides ...Override) *Settings {
	return Load(Options{UserFile: s.userFile(), Home: s.home, Overrides: overrides}).WithProject(s.project)
}

// short replaces the site's paths by the tiers' names.
func (s *site) short(text string) string {
	for _, tier := range []string{"user", "local", "project"} {
		text = strings.ReplaceAll(text, s.file(tier), tier)
	}
	for _, tier := range []string{"user", "local", "project"} {
		text = strings.ReplaceAll(text, tier+" "+tier, tier)
	}
	return text
}

func TestConfigMergeVectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/config-merge.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name      string
		Files     map[string]string
		Trusted   bool
		Overrides [][4]string
		Want      []string
		Warnings  []string // each stands in one warning, and there are no others
		Broken    []string
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			for tier, text := range v.Files {
				s.write(tier, text)
			}
			if v.Trusted {
				s.trust()
			}
			var overrides []Override
			for _, o := range v.Overrides {
				tier := map[string]Tier{"environment": Environment, "flags": Flags}[o[0]]
				overrides = append(overrides, Override{Tier: tier, Key: o[1], Value: o[2], Label: o[3]})
			}
			got := s.load(overrides...)
			var rows []string
			for _, r := range got.rows() {
				if r.key != "trusted_projects" {
					rows = append(rows, fmt.Sprintf("%s = %s @%s", r.key, r.value, s.short(r.origin.String())))
				}
			}
			if !slices.Equal(rows, v.Want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(rows, "\n  "), strings.Join(v.Want, "\n  "))
			}
			var broken []string
			for _, b := range got.Broken() {
				broken = append(broken, s.short(b.Error()))
			}
			if !slices.Equal(broken, v.Broken) {
				t.Errorf("broken %q, want %q", broken, v.Broken)
			}
			if (got.Lockdown() != nil) != (len(v.Broken) > 0) {
				t.Errorf("lockdown %v with %d broken", got.Lockdown(), len(v.Broken))
			}
			warnings := got.Warnings()
			for i := range warnings {
				warnings[i] = s.short(warnings[i])
			}
			if len(warnings) != len(v.Warnings) {
				t.Fatalf("warnings %q, want %q", warnings, v.Warnings)
			}
			for i, want := range v.Warnings {
				if !strings.Contains(warnings[i], want) {
					t.Errorf("warning %q, want %q in it", warnings[i], want)
				}
			}
		})
	}
}

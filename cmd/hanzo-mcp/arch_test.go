package main

import (
	"encoding/json"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hanzoai/hanzo-mcp"

// TestArchitecture keeps the arrows between the rooms.
func TestArchitecture(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	ours := map[string][]string{} // package → imports, without the module's name
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(p.ImportPath, module+"/"); ok {
			for i, imp := range p.Imports {
				p.Imports[i] = strings.TrimPrefix(imp, module+"/")
			}
			ours[name] = p.Imports
		}
	}
	if len(ours) < 10 {
		t.Fatalf("go list found %d packages", len(ours))
	}
	room := func(p string) string { first, _, _ := strings.Cut(p, "/"); return first }
	may := map[string]struct {
		rooms []string
		why   string
	}{
		"auth":     {nil, "a bearer is found without help of another room"},
		"hooks":    {nil, "rules and hooks judge plain values; they know no tool and no door"},
		"sandbox":  {nil, "where a path may lead depends on nothing above it"},
		"fakedoor": {[]string{"fakedoor"}, "a fake that shares code with the real client agrees with its faults"},
		"door":     {[]string{"auth", "door"}, "what is forwarded must not pass through a tool"},
		"tools":    {[]string{"tools", "sandbox", "hooks"}, "a local tool knows nothing of the cloud"},
		"cmd":      {[]string{"cmd", "tools", "sandbox", "hooks", "door", "auth"}, "cmd wires the rooms; the fake door is for tests"},
	}
	// Shared by tools; each other folder of tools is one tool's.
	helpers := []string{"tools", "tools/job", "tools/tree", "tools/store", "tools/diff", "tools/edit", "tools/text"}
	for p, imports := range ours {
		rule, known := may[room(p)]
		if !known {
			t.Errorf("%s: the top level is cmd, tools, door, auth, sandbox, hooks, fakedoor", p)
			continue
		}
		for _, imp := range imports {
			if _, mine := ours[imp]; !mine {
				if imp == "github.com/spf13/pflag" && room(p) != "cmd" {
					t.Errorf("%s imports pflag: only cmd reads the command line", p)
				}
				continue
			}
			if room(imp) != room(p) && !slices.Contains(rule.rooms, room(imp)) {
				t.Errorf("%s imports %s: %s", p, imp, rule.why)
			}
			if room(p) == "tools" && room(imp) == "tools" && !slices.Contains(helpers, imp) && toolOf(imp) != toolOf(p) {
				t.Errorf("%s imports %s: a tool does not lean on another tool", p, imp)
			}
		}
	}
}

// toolOf is the tool that a package below tools belongs to.
func toolOf(p string) string {
	parts := strings.SplitN(p, "/", 3)
	return path.Join(parts[:min(2, len(parts))]...)
}

package workspace

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// packageJSON is what is read of a package.json.
type packageJSON struct {
	Name           string
	PackageManager string
	Workspaces     json.RawMessage
	Scripts        map[string]any
}

// parsePackage reads a package.json. A member of another type than it should be is passed over, as package managers do.
func parsePackage(text string) (m packageJSON, ok bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &all) != nil || all == nil {
		return m, false
	}
	_ = json.Unmarshal(all["name"], &m.Name)
	_ = json.Unmarshal(all["packageManager"], &m.PackageManager)
	_ = json.Unmarshal(all["scripts"], &m.Scripts)
	m.Workspaces = all["workspaces"]
	return m, true
}

// nodeProject reads package.json: a command is given when there is a script for it.
func nodeProject(f *folder) []project {
	if !f.has("package.json") {
		return nil
	}
	m, ok := parsePackage(f.read("package.json"))
	if !ok {
		return nil
	}
	p := project{Kind: "node", Manifest: "package.json", Name: m.Name, Manager: nodeManager(f, m.PackageManager), Scripts: map[string]string{}}
	for name, v := range m.Scripts {
		if text, ok := v.(string); ok {
			p.Scripts[name] = tools.Cut(text, 200)
		}
	}
	p.members = nodeMembers(f, m.Workspaces)
	if p.runs("build") {
		p.Build = []string{p.Manager + " run build"}
	}
	if p.runs("test") {
		p.Test = []string{p.Manager + " run test"}
	}
	if len(p.members) > 0 {
		if len(p.Build) == 0 && f.anyMember(p.members, "build") {
			p.Build = everyMember(f, p.Manager, m.PackageManager, "build")
		}
		if len(p.Test) == 0 && f.anyMember(p.members, "test") {
			p.Test = everyMember(f, p.Manager, m.PackageManager, "test")
		}
	}
	return []project{p}
}

// runs reports whether there is a script of this name that does something.
func (p *project) runs(name string) bool {
	text, ok := p.Scripts[name]
	return ok && strings.TrimSpace(text) != "" && !strings.Contains(text, "no test specified")
}

// nodeManager is the package manager: as the manifest says, else whose lock file is there, else npm.
func nodeManager(f *folder, said string) string {
	name, _, _ := strings.Cut(said, "@")
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		return name
	}
	switch {
	case f.first("pnpm-lock.yaml", "pnpm-workspace.yaml") != "":
		return "pnpm"
	case f.first("bun.lock", "bun.lockb") != "":
		return "bun"
	case f.first("yarn.lock", ".yarnrc.yml") != "":
		return "yarn"
	}
	return "npm"
}

// nodeMembers lists the globs of a workspace.
func nodeMembers(f *folder, raw json.RawMessage) []string {
	if f.has("pnpm-workspace.yaml") {
		return yamlBelow(f.read("pnpm-workspace.yaml"), "packages")
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		return list
	}
	var object struct {
		Packages []string `json:"packages"`
	}
	if json.Unmarshal(raw, &object) == nil {
		return object.Packages
	}
	return nil
}

// anyMember reports whether a member has a script.
func (f *folder) anyMember(members []string, script string) bool {
	looked := 0
	for dir, other := range f.s.folders {
		if !other.has("package.json") || !isMember(f.dir, members, dir) {
			continue
		}
		if looked++; looked > 50 {
			return false
		}
		if m, ok := parsePackage(other.read("package.json")); ok {
			p := project{Scripts: map[string]string{}}
			if text, ok := m.Scripts[script].(string); ok {
				p.Scripts[script] = text
			}
			if p.runs(script) {
				return true
			}
		}
	}
	return false
}

// everyMember is the command that runs a script in all members that have it.
func everyMember(f *folder, manager, said, script string) []string {
	switch manager {
	case "pnpm":
		return []string{"pnpm -r run " + script}
	case "npm":
		return []string{"npm run " + script + " --workspaces --if-present"}
	case "bun":
		return []string{"bun run --filter '*' " + script}
	case "yarn":
		if f.has(".yarnrc.yml") || strings.HasPrefix(said, "yarn@") && !strings.HasPrefix(said, "yarn@1") {
			return []string{"yarn workspaces foreach -A run " + script}
		}
		return nil // yarn 1 fails where a member lacks the script
	}
	return nil
}

// denoProject reads deno.json.
func denoProject(f *folder) []project {
	name := f.first("deno.json", "deno.jsonc")
	if name == "" {
		return nil
	}
	var m struct {
		Name      string          `json:"name"`
		Tasks     map[string]any  `json:"tasks"`
		Workspace json.RawMessage `json:"workspace"`
	}
	text, err := hujson.Standardize([]byte(f.read(name)))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil
	}
	p := project{Kind: "deno", Manifest: name, Manager: "deno", Name: m.Name, Scripts: map[string]string{}}
	for task, v := range m.Tasks {
		if o, ok := v.(map[string]any); ok {
			v = o["command"]
		}
		if text, ok := v.(string); ok {
			p.Scripts[task] = tools.Cut(text, 200)
		}
	}
	p.members = nodeMembers(&folder{s: f.s}, m.Workspace)
	if p.runs("build") {
		p.Build = []string{"deno task build"}
	}
	p.Test = []string{"deno test"}
	if p.runs("test") {
		p.Test = []string{"deno task test"}
	}
	return []project{p}
}

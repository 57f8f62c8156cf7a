package workspace

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// jvmProjects reads Maven's and Gradle's manifests.
func jvmProjects(f *folder) (list []project) {
	if f.has("pom.xml") {
		var m struct {
			ArtifactID string   `xml:"artifactId"`
			Modules    []string `xml:"modules>module"`
		}
		if parseXML(f.read("pom.xml"), &m) == nil {
			run := "mvn"
			if f.has("mvnw") {
				run = "./mvnw"
			}
			p := project{Kind: "maven", Manifest: "pom.xml", Manager: "maven", Name: m.ArtifactID, Build: []string{run + " package -DskipTests"}, Test: []string{run + " test"}}
			for _, mod := range m.Modules {
				p.members = append(p.members, strings.TrimSpace(mod), strings.TrimSpace(mod)+"/**")
			}
			list = append(list, p)
		}
	}
	settings := f.first("settings.gradle.kts", "settings.gradle")
	build := f.first("build.gradle.kts", "build.gradle")
	if settings == "" && build == "" {
		return list
	}
	run := "gradle"
	if f.has("gradlew") {
		run = "./gradlew"
	}
	p := project{Kind: "gradle", Manifest: build, Manager: "gradle", Build: []string{run + " assemble"}, Test: []string{run + " test"}}
	if build == "" {
		p.Manifest = settings
	}
	if settings != "" {
		text := f.read(settings)
		p.members = gradleMembers(text)
		if m := gradleName().FindStringSubmatch(text); m != nil {
			p.Name = m[1]
		}
	}
	return append(list, p)
}

// parseXML reads XML of any charset: manifests of an older date are in ISO-8859-1.
func parseXML(text string, into any) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return enc.NewDecoder().Reader(in), nil
	}
	return d.Decode(into)
}

var (
	gradleName    = tools.Pattern(`rootProject\.name\s*=\s*["']([^"'\n]+)`)
	gradleInclude = tools.Pattern(`(?m)^\s*include\b\s*\(?([^\n)]*(?:,\s*\n[^\n)]*)*)`)
)

// gradleMembers lists the folders of include(":a:b").
func gradleMembers(text string) (list []string) {
	for _, m := range gradleInclude().FindAllStringSubmatch(text, 100) {
		for _, name := range quoted(m[1]) {
			list = append(list, strings.ReplaceAll(strings.TrimPrefix(name, ":"), ":", "/"))
		}
	}
	return list
}

var slnProject = tools.Pattern(`(?m)^Project\("[^"]*"\)\s*=\s*"[^"]*",\s*"([^"]+\.(?:cs|fs|vb)proj)"`)
var slnxProject = tools.Pattern(`<Project\s+Path="([^"]+\.(?:cs|fs|vb)proj)"`)

// dotnetProject reads solutions, and projects without one.
func dotnetProject(f *folder) []project {
	for _, sln := range append(f.ending(".sln"), f.ending(".slnx")...) {
		text := f.read(sln)
		p := project{Kind: "dotnet", Manifest: sln, Manager: "nuget", Name: strings.TrimSuffix(sln, path.Ext(sln)),
			Build: []string{"dotnet build " + shellWord(sln)}, Test: []string{"dotnet test " + shellWord(sln)}, covers: true}
		for _, m := range append(slnProject().FindAllStringSubmatch(text, 200), slnxProject().FindAllStringSubmatch(text, 200)...) {
			p.members = append(p.members, path.Dir(strings.ReplaceAll(m[1], "\\", "/")))
		}
		return []project{p}
	}
	var files []string
	for _, ext := range []string{".csproj", ".fsproj", ".vbproj"} {
		files = append(files, f.ending(ext)...)
	}
	if len(files) == 0 {
		return nil
	}
	name := files[0]
	arg := ""
	if len(files) > 1 {
		arg = " " + shellWord(name)
	}
	p := project{Kind: "dotnet", Manifest: name, Manager: "nuget", Name: strings.TrimSuffix(name, path.Ext(name)), Build: []string{"dotnet build" + arg}}
	if strings.Contains(f.read(name), "Microsoft.NET.Test.Sdk") {
		p.Test = []string{"dotnet test" + arg}
	}
	return []project{p}
}

func rubyProject(f *folder) []project {
	gemspec := f.ending(".gemspec")
	if !f.has("Gemfile") && len(gemspec) == 0 {
		return nil
	}
	p := project{Kind: "ruby", Manifest: "Gemfile", Manager: "bundler"}
	if !f.has("Gemfile") {
		p.Manifest, p.Manager = gemspec[0], "gem"
	}
	if len(gemspec) > 0 {
		p.Name = strings.TrimSuffix(gemspec[0], ".gemspec")
		p.Build = []string{"gem build " + shellWord(gemspec[0])}
	}
	gems := f.read("Gemfile")
	rake := f.read("Rakefile")
	bundle := ""
	if p.Manager == "bundler" {
		bundle = "bundle exec "
	}
	switch {
	case strings.Contains(gems, `"rails"`) || strings.Contains(gems, `'rails'`):
		if strings.Contains(gems, "rspec") {
			p.Test = []string{"bundle exec rspec"}
		} else {
			p.Test = []string{"bin/rails test"}
		}
	case f.has(".rspec"), f.hasDir("spec") && strings.Contains(gems, "rspec"):
		p.Test = []string{bundle + "rspec"}
	case strings.Contains(rake, "TestTask") || strings.Contains(rake, "Minitest"):
		p.Test = []string{bundle + "rake test"}
	case strings.Contains(rake, "RSpec::Core::RakeTask"):
		p.Test = []string{bundle + "rake spec"}
	case f.hasDir("spec"):
		p.Test = []string{bundle + "rspec"}
	}
	return []project{p}
}

func phpProject(f *folder) []project {
	if !f.has("composer.json") {
		return nil
	}
	var m struct {
		Name    string         `json:"name"`
		Scripts map[string]any `json:"scripts"`
		Dev     map[string]any `json:"require-dev"`
	}
	if json.Unmarshal([]byte(f.read("composer.json")), &m) != nil {
		return nil
	}
	p := project{Kind: "php", Manifest: "composer.json", Manager: "composer", Name: m.Name, Scripts: map[string]string{}}
	for name, v := range m.Scripts {
		switch text := v.(type) {
		case string:
			p.Scripts[name] = tools.Cut(text, 200)
		case []any:
			if len(text) > 0 {
				if s, ok := text[0].(string); ok {
					p.Scripts[name] = tools.Cut(s, 200)
				}
			}
		}
	}
	if p.runs("build") {
		p.Build = []string{"composer run-script build"}
	}
	switch {
	case p.runs("test"):
		p.Test = []string{"composer run-script test"}
	case m.Dev["pestphp/pest"] != nil:
		p.Test = []string{"vendor/bin/pest"}
	case f.has("artisan"):
		p.Test = []string{"php artisan test"}
	case m.Dev["phpunit/phpunit"] != nil || f.first("phpunit.xml", "phpunit.xml.dist") != "":
		p.Test = []string{"vendor/bin/phpunit"}
	}
	return []project{p}
}

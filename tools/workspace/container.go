package workspace

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

type container struct {
	Kind     string   `json:"kind"` // docker, compose, devcontainer
	File     string   `json:"file"`
	Services []string `json:"services,omitempty"`
}

// containers lists images, compose files and development containers.
func (s *scan) containers() (list []container) {
	for dir, f := range s.folders {
		for _, n := range f.files {
			file := path.Join(dir, n)
			switch {
			case n == "Dockerfile" || n == "Containerfile" || strings.HasPrefix(n, "Dockerfile.") || strings.HasSuffix(n, ".Dockerfile"):
				list = append(list, container{Kind: "docker", File: file})
			case isCompose(n):
				services := yamlBelow(f.read(n), "services")
				list = append(list, container{Kind: "compose", File: file, Services: services[:min(len(services), 20)]})
			case n == "devcontainer.json" && (path.Base(dir) == ".devcontainer" || path.Base(path.Dir(dir)) == ".devcontainer"):
				if _, err := hujson.Standardize([]byte(f.read(n))); err == nil {
					list = append(list, container{Kind: "devcontainer", File: file})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b container) int {
		if d := depthOf(path.Dir(a.File)) - depthOf(path.Dir(b.File)); d != 0 {
			return d
		}
		return strings.Compare(a.File, b.File)
	})
	return list[:min(len(list), 20)]
}

// ci lists the files of continuous integration.
func (s *scan) ci() (list []string) {
	if root := s.folders["."]; root != nil {
		for _, n := range []string{".gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile", ".travis.yml", "bitbucket-pipelines.yml"} {
			if root.has(n) {
				list = append(list, n)
			}
		}
	}
	for _, dir := range []string{".github/workflows", ".circleci", ".ci"} {
		d, err := s.roots.OpenDir(s.at.Join(dir))
		if err != nil {
			continue
		}
		entries, _ := d.ReadDir(100)
		d.Close()
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".yml") || strings.HasSuffix(e.Name(), ".yaml") {
				list = append(list, dir+"/"+e.Name())
			}
		}
	}
	return list[:min(len(list), 20)]
}

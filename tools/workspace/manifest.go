package workspace

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// maxManifest is how large a manifest is read; larger ones are passed over.
const maxManifest = 1 << 20

// folder is one folder of the project with what the walk saw in it.
type folder struct {
	s     *scan
	dir   string // below the start folder, "." for it
	files []string
	dirs  []string
}

func (f *folder) has(name string) bool { return slices.Contains(f.files, name) }

func (f *folder) hasDir(name string) bool { return slices.Contains(f.dirs, name) }

// first gives the first of the names that is there.
func (f *folder) first(names ...string) string {
	for _, n := range names {
		if f.has(n) {
			return n
		}
	}
	return ""
}

// ending gives the files with an ending, in order.
func (f *folder) ending(ext string) (list []string) {
	for _, n := range f.files {
		if strings.HasSuffix(n, ext) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// read gives the text of a file of the folder, "" when it is missing, too large or not to be read.
func (f *folder) read(name string) string {
	if !f.has(path.Base(name)) && !strings.Contains(name, "/") {
		return ""
	}
	return f.s.read(path.Join(f.dir, name))
}

// read gives the text of a file below the start folder.
func (s *scan) read(rel string) string {
	b, ok := readFile(s.roots, s.at.Join(rel), maxManifest)
	if !ok {
		return ""
	}
	return string(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
}

func readFile(roots *sandbox.Roots, p sandbox.Path, limit int64) ([]byte, bool) {
	file, err := roots.Open(p)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	if file.Info.Size() > limit {
		return nil, false
	}
	b, err := io.ReadAll(io.LimitReader(file, limit+1))
	return b, err == nil && int64(len(b)) <= limit
}

// toml is what a manifest in TOML says: "section.key" → values. It is read loosely: strings, arrays of strings over
// several lines, and the keys of inline tables; all else is kept as its text.
type toml map[string][]string

func (t toml) one(key string) string {
	if v := t[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// section reports whether there is a section, or a key below it.
func (t toml) section(name string) bool {
	if _, ok := t[name]; ok {
		return true
	}
	for k := range t {
		if strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}

func parseTOML(text string) toml {
	t := toml{}
	section := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(cutComment(lines[i]))
		switch {
		case line == "":
			continue
		case line[0] == '[':
			section = strings.ReplaceAll(strings.Trim(line, "[] \t"), `"`, "")
			if _, ok := t[section]; !ok {
				t[section] = nil
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.Trim(strings.TrimSpace(key), `"'`), strings.TrimSpace(value)
		if section != "" {
			key = section + "." + key
		}
		switch {
		case strings.HasPrefix(value, `"""`) || strings.HasPrefix(value, `'''`):
			mark := value[:3]
			for !strings.Contains(value[3:], mark) && i+1 < len(lines) {
				i++
				value += "\n" + lines[i]
			}
			t[key] = []string{strings.TrimSuffix(value[3:], mark)}
		case strings.HasPrefix(value, "["):
			for strings.Count(value, "[") > strings.Count(value, "]") && i+1 < len(lines) {
				i++
				value += "\n" + cutComment(lines[i])
			}
			t[key] = quoted(value)
		case strings.HasPrefix(value, "{"):
			t[key] = quoted(value)
			for _, part := range strings.Split(strings.Trim(value, "{}"), ",") {
				if k, v, ok := strings.Cut(part, "="); ok {
					t[key+"."+strings.Trim(strings.TrimSpace(k), `"'`)] = []string{strings.Trim(strings.TrimSpace(v), `"'`)}
				}
			}
		default:
			t[key] = []string{strings.Trim(value, `"'`)}
		}
	}
	return t
}

// cutComment takes a comment off a line.
func cutComment(line string) string {
	var quote byte
	for i := range len(line) {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return line[:i]
		}
	}
	return line
}

// quoted lists the strings in quotes of a text.
func quoted(s string) (list []string) {
	for s != "" {
		i := strings.IndexAny(s, `"'`)
		if i < 0 {
			return list
		}
		q := s[i : i+1]
		end := strings.Index(s[i+1:], q)
		if end < 0 {
			return list
		}
		list = append(list, s[i+1:i+1+end])
		s = s[i+end+2:]
	}
	return list
}

// yamlBelow lists what stands directly below a top-level key of a YAML file: the items of a list, or the keys of a map.
func yamlBelow(text, key string) (list []string) {
	inside, indent := false, -1
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(cutComment(line), " \r\t")
		body := strings.TrimLeft(line, " ")
		if body == "" {
			continue
		}
		depth := len(line) - len(body)
		if depth == 0 && !strings.HasPrefix(body, "- ") {
			if inside = strings.HasPrefix(body, key+":"); inside {
				indent = -1
				if rest := strings.TrimSpace(body[len(key)+1:]); strings.HasPrefix(rest, "[") {
					for _, item := range strings.Split(strings.Trim(rest, "[]"), ",") {
						list = append(list, strings.Trim(strings.TrimSpace(item), `"'`))
					}
				}
			}
			continue
		}
		if !inside {
			continue
		}
		if indent < 0 {
			indent = depth
		}
		if depth != indent {
			continue
		}
		if item, ok := strings.CutPrefix(body, "- "); ok {
			list = append(list, strings.Trim(strings.TrimSpace(item), `"'`))
		} else if name, _, ok := strings.Cut(body, ":"); ok {
			list = append(list, strings.Trim(name, `"'`))
		}
	}
	return list
}

package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// editTOML puts member under the table path.hanzo of a TOML text, or takes that table out when member is nil. It
// replaces the lines of the table and proves afterwards that nothing else says anything else.
func editTOML(text []byte, path []string, member any) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	var before map[string]any
	if err := toml.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("it is no valid TOML: %w", err)
	}
	name := strings.Join(append(slices.Clone(path), Name), ".")
	start, end := tableLines(text, name)
	var out bytes.Buffer
	out.Write(text[:start])
	if member != nil {
		body, err := toml.Marshal(member)
		if err != nil {
			return nil, err
		}
		own, err := kept(before, path)
		if err != nil {
			return nil, err
		}
		body = append(body, own...)
		if start == end && start > 0 {
			if !bytes.HasSuffix(text[:start], []byte("\n")) {
				out.WriteByte('\n')
			}
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "[%s]\n%s", name, body)
		if end < len(text) {
			out.WriteByte('\n')
		}
	}
	out.Write(text[end:])
	after := out.Bytes()
	var now map[string]any
	if err := toml.Unmarshal(after, &now); err != nil {
		return nil, fmt.Errorf("the entry for %s is written in a way that cannot be edited safely (%w); edit it by hand, --print shows the entry", Name, err)
	}
	drop := func(m map[string]any) bool {
		for _, key := range path {
			next, ok := m[key].(map[string]any)
			if !ok {
				return false
			}
			if delete(next, Name); len(next) == 0 {
				delete(m, key)
				return true
			}
			m = next
		}
		_, there := m[Name]
		return there
	}
	hadIt := has(now, path)
	drop(before)
	drop(now)
	if !reflect.DeepEqual(before, now) || hadIt != (member != nil) {
		return nil, errors.New("the edit would change more than the entry; edit it by hand, --print shows the entry")
	}
	return after, nil
}

// kept is what the user has added to the entry that stands there, as TOML to stand behind a new one: all but what says
// how the server was reached.
func kept(doc map[string]any, path []string) ([]byte, error) {
	var entry map[string]any
	whole := append(slices.Clone(path), Name)
	for _, key := range whole {
		entry, _ = doc[key].(map[string]any)
		doc = entry
	}
	plain, tables := map[string]any{}, map[string]any{}
	for key, value := range entry {
		if _, table := value.(map[string]any); slices.Contains(transport, key) {
			continue
		} else if table {
			tables[key] = value
		} else {
			plain[key] = value
		}
	}
	out, err := toml.Marshal(plain)
	if err != nil || len(tables) == 0 {
		return out, err
	}
	nested := any(tables)
	for _, key := range slices.Backward(whole) {
		nested = map[string]any{key: nested}
	}
	body, err := toml.Marshal(nested)
	around := []string{strings.Join(path, "."), strings.Join(whole, ".")} // whose headers stand already
	for line := range bytes.Lines(body) {
		if !slices.Contains(around, strings.Trim(strings.TrimSpace(string(line)), "[]")) {
			out = append(out, line...)
		}
	}
	return out, err
}

func has(m map[string]any, path []string) bool {
	for _, key := range path {
		m, _ = m[key].(map[string]any)
	}
	_, ok := m[Name]
	return ok
}

var tableHeader = regexp.MustCompile(`^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(#.*)?$`)

// tableLines gives the bytes of a table and its sub-tables: from its header to the next other one, without the
// comments in front of that. Without such a table both are the end of the text.
func tableLines(text []byte, name string) (start, end int) {
	start, end = len(text), len(text)
	found, offset, kept := false, 0, 0
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		trimmed := strings.TrimSpace(string(line))
		if m := tableHeader.FindStringSubmatch(strings.TrimRight(string(line), "\r\n")); m != nil {
			ours := m[1] == name || strings.HasPrefix(m[1], name+".")
			if ours && !found {
				found, start = true, offset
			} else if found && !ours {
				return start, kept
			}
		}
		offset += len(line)
		if trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			kept = offset
		}
	}
	return start, end
}

package settings

import (
	"fmt"
	"strings"
)

// maxUnknown bounds how many unknown keys of a file are told one by one.
const maxUnknown = 20

func (d *document) warnUnknown(m member, known []string) {
	if d.unknown++; d.unknown > maxUnknown {
		return
	}
	text := fmt.Sprintf("%s: unknown key %q", m.origin(), clip(m.name))
	if near := nearest(m.name, known); near != "" {
		text += fmt.Sprintf(", ignored; did you mean %q?", near)
	} else {
		text += ", ignored"
	}
	d.warnings = append(d.warnings, text)
}

// nearest finds the known name closest to a misspelt one, by its last part or in full; "" when none is near.
func nearest(name string, known []string) string {
	best, distance := "", 0
	plain := squeeze(lastPart(name))
	full := squeeze(name)
	for _, k := range known {
		d := min(editDistance(plain, squeeze(lastPart(k))), editDistance(full, squeeze(k)))
		if best == "" || d < distance {
			best, distance = k, d
		}
	}
	if distance > len(plain)/2 {
		return ""
	}
	return best
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func squeeze(name string) string {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
	return name[:min(len(name), 64)]
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}

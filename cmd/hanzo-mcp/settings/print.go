package settings

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes the files that were looked at, each value with its origin, and what is wrong. Secrets show as "(set)".
func (s *Settings) Print(w io.Writer) error {
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, src := range s.sources {
		if src.file == "" || src.tier >= Environment {
			continue
		}
		state := "not there"
		switch {
		case len(src.broken) > 0:
			state = "cannot be used"
		case src.found && src.tier == User || src.found && s.project.trusted:
			state = "read"
		case src.found:
			state = "read, not trusted: only what forbids something counts"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", src.tier, printable(src.file), state)
	}
	fmt.Fprintln(table)
	for _, r := range s.rows() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.key, r.value, r.origin)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, b := range s.broken {
		fmt.Fprintf(&out, "\nerror: %s\n", b)
	}
	for _, text := range s.warnings {
		fmt.Fprintf(&out, "\nwarning: %s\n", text)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (s *Settings) rows() []row {
	var rows []row
	for _, f := range fields() {
		rows = append(rows, f.rows(&s.merged)...)
	}
	return rows
}

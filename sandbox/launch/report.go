package launch

import (
	"fmt"
	"strings"
)

// Report says what was found in force by trying it.
type Report struct {
	Mechanism Mechanism // what confines; None when the trial write succeeded
	Confined  bool      // a trial write outside was refused
	Network   bool      // children reach the network
	Secrets   bool      // children could read the environment of the server
	Tree      string    // how whole trees of processes are ended
	Private   []string  // folders that children find empty but for what is theirs, /tmp among them
	Hidden    []string  // covered paths, as a child found them
	Visible   []string  // paths of Config.Hidden that a child could read
	Protected []string  // paths inside Writable that a child could not write
	Open      []string  // paths of Config.Protect that a child could write
	Notes     []string  // what is weaker than asked, and why
}

// String is the report for a person, a line for each fact.
func (r Report) String() string {
	var b strings.Builder
	if r.Confined {
		fmt.Fprintf(&b, "children are confined by %s: a trial write outside the writable folders was refused\n", r.Mechanism)
	} else {
		b.WriteString("children are not confined: they may write wherever the user may\n")
	}
	if r.Secrets {
		b.WriteString("children can read the environment of the server\n")
	} else {
		b.WriteString("children cannot read the environment of the server\n")
	}
	if !r.Network {
		b.WriteString("children have no network\n")
	}
	if r.Tree != "" {
		fmt.Fprintf(&b, "process trees: %s\n", r.Tree)
	}
	if len(r.Private) > 0 {
		fmt.Fprintf(&b, "empty for children but for the writable folders in them: %s\n", strings.Join(r.Private, ", "))
	}
	for _, list := range []struct {
		name  string
		paths []string
	}{{"hidden", r.Hidden}, {"readable although asked to be hidden", r.Visible}, {"read-only", r.Protected}, {"writable although asked to be read-only", r.Open}} {
		if len(list.paths) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", list.name, strings.Join(list.paths, ", "))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

package lsp

import (
	"fmt"
	"testing"
)

// No more servers are kept of a spec, and of all, than may be; those used longest ago make room.
func TestRoomForServers(t *testing.T) {
	t.Parallel()
	p := NewPool(Config{})
	few, many := &Spec{Name: "few", most: 2}, &Spec{Name: "many"}
	for _, root := range []string{"a", "b", "a", "c"} {
		if _, err := p.slot(few, root); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.servers) != 2 || p.servers["few\x00a"] == nil || p.servers["few\x00c"] == nil {
		t.Errorf("%v", p.servers)
	}
	for i := range maxServers {
		if _, err := p.slot(many, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.servers) != maxServers || p.servers["few\x00a"] != nil || p.servers["few\x00c"] != nil {
		t.Errorf("%v", p.servers)
	}
}

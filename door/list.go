package door

import (
	"context"
	"time"
)

// Tool is one tool of the door's list.
type Tool struct {
	Name     string
	Raw      []byte // the object as the door gave it, on one line
	ReadOnly bool   // annotations.readOnlyHint is true
}

// Listing is the door's list as it is known. Its slices are shared: they must
// not be changed.
type Listing struct {
	Tools   []Tool         // in the door's order; none while the door has not answered
	Meta    []byte         // raw result._meta, nil if there is none
	TTL     time.Duration  // what is left of its freshness; 0 until the door has answered
	Dropped map[string]int // how many tools were left out, by reason
}

// Start fetches the list in the background.
func (c *Client) Start() {}

// List gives the list: the fresh one at once, else it asks the door. For the
// first answer it waits at most wait, counted from when it was first asked for;
// later at most 80 ms, then an old list is given, or an empty one, and Changed
// tells when there is another.
func (c *Client) List(ctx context.Context, wait time.Duration) Listing { return Listing{} }

// Known reports whether the list, however old, has a tool of this name.
func (c *Client) Known(name string) bool { return false }

// ReadOnly reports whether the list says that a tool only reads.
func (c *Client) ReadOnly(name string) bool { return false }

type list struct{}

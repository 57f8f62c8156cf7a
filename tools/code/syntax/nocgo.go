//go:build !cgo

package syntax

import (
	"context"
	"fmt"
)

// Grammars reports whether this build has the tree-sitter grammars.
const Grammars = false

func parse(ctx context.Context, lang *Language, src []byte) (*File, error) {
	return nil, fmt.Errorf("%s is %w by this build: it was made without cgo and has no tree-sitter", lang.ID, ErrUnsupported)
}

package memory

import (
	"testing"
)

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
}

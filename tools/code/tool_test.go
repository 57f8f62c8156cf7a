package code

import "testing"

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	t.Logf("schema of %d bytes, description of %d", len(tool.Schema(false)), len(description))
}

//go:build !linux

package fs

import (
	"errors"
	"testing"
)

func mountSmall(*testing.T, string, int) error { return errors.ErrUnsupported }

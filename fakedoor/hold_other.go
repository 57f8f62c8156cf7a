//go:build !unix

package fakedoor

// hold does nothing: a port that is closed may be taken by another.
func hold(string) (release func()) { return func() {} }

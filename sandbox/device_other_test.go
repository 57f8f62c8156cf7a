//go:build unix && !linux

package sandbox

func makeDevice(string) bool { return false }

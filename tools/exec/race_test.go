//go:build race

package exec

// peakLimit is in MiB; the race detector takes several times the memory.
const peakLimit = 200

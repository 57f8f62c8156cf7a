//go:build !race

package exec

// peakLimit is in MiB.
const peakLimit = 64

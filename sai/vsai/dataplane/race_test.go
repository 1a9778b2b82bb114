//go:build race

package dataplane_test

// underRace says that the race detector makes everything many times slower.
const underRace = true

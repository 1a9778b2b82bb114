package random

import (
	"flag"
	"fmt"
	"iter"
	"math"
	"testing"
	"time"
)

// The flags of every property test. Any test binary that imports this package has
// them.
var (
	seeds    = flag.Int("seeds", 0, "random walks of each property test; 0: as many as the test makes by itself")
	first    = flag.Uint64("seed", 0, "the first seed; with -seeds 1 it is the only one")
	duration = flag.Duration("duration", 0, "how long each property test walks; 0: until its seeds are through")
	cutting  = flag.Duration("cut", 15*time.Second, "how long a walk that failed is cut down to what it takes")
)

// Cutting is how long a walk that failed may be cut down to what it takes to fail.
func Cutting() time.Duration { return *cutting }

// Seeds yields the seeds of a property test: n of them, unless a flag says
// otherwise. It ends early once the test has failed.
func Seeds(t testing.TB, n int) iter.Seq[uint64] {
	if *seeds > 0 {
		n = *seeds
	}
	if *duration > 0 {
		n = math.MaxInt
	}
	end := time.Now().Add(*duration)
	return func(yield func(uint64) bool) {
		for i := range n {
			if t.Failed() || *duration > 0 && time.Now().After(end) || !yield(*first+uint64(i)) {
				return
			}
		}
	}
}

// Again is what to type to see a failure once more.
func Again(t testing.TB, seed uint64) string {
	return fmt.Sprintf("again: go test -run '^%s$' -seeds 1 -seed %d", t.Name(), seed)
}

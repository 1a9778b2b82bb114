package dataplane

import "math/rand/v2"

// stream is a random source for one place, so that events elsewhere do not change what
// happens here.
type stream struct{ pcg rand.PCG }

func newStream(seed uint64, place ...uint64) stream {
	at := uint64(0x9e3779b97f4a7c15)
	for _, p := range place {
		at = (at ^ p) * 0xff51afd7ed558ccd
		at ^= at >> 33
	}
	var s stream
	s.pcg.Seed(seed, at)
	return s
}

// chance returns true with probability p, 0..1.
func (s *stream) chance(p float64) bool {
	return float64(s.pcg.Uint64()>>11)/(1<<53) < p
}

package dataplane_test

import (
	"math"
	"testing"

	"xon/sai/vsai/dataplane"
)

// red is a marking curve at dequeue.
func red(kmin, kmax int64, percent uint8) *dataplane.WRED {
	w := &dataplane.WRED{Dequeue: true}
	w.Mark[dataplane.Green] = dataplane.Curve{On: true, Min: kmin, Max: kmax, Percent: percent}
	return w
}

// seeds is the number of runs per mean.
const seeds = 10

type means struct{ pauses, marks, queue, last, mean float64 }

// meanOf runs an incast with several seeds. None may drop packets.
func meanOf(t *testing.T, c incast) (m means) {
	for seed := range uint64(seeds) {
		c.seed = seed + 1
		s := compat(t, c)
		s.run(t)
		got := sum(s)
		if got.drops != 0 || !s.finished() {
			t.Errorf("seed %d: %d drops, finished %v", c.seed, got.drops, s.finished())
		}
		var all float64
		for _, f := range s.Flows() {
			all += (f.Stats.Ended - f.Stats.Began).Seconds() * 1e6
		}
		m.pauses += float64(got.paused) / seeds
		m.marks += float64(got.marks) / seeds
		m.queue += float64(got.queue) / seeds
		m.last += float64(got.most) / 1e3 / seeds
		m.mean += all / float64(c.senders) / seeds
	}
	return m
}

// TestDCQCN: incast with the congestion control of NICs. The numbers are means of ten
// runs of the packet simulator that papers use.
func TestDCQCN(t *testing.T) {
	long(t)
	base := incast{rate: 100e9, delay: dataplane.Microsecond, wred: red(400e3, 1600e3, 20), control: dataplane.NICDCQCN(100e9)}
	for _, c := range []struct {
		name    string
		senders int
		buffer  int64
		want    means
	}{
		{"B1 4 to 1, 32 MiB", 4, 32 << 20, means{0, 619, 1.131e6, 9214, 8825}},
		{"B2 16 to 1, 32 MiB", 16, 32 << 20, means{0, 15644, 5.76e6, 10177, 9166}},
		{"C2 16 to 1, 4 MiB", 16, 4 << 20, means{71, 9251, 2.78e6, 10033, 9066}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := base
			in.senders, in.buffer, in.bytes = c.senders, c.buffer, 100e6/uint64(c.senders)
			got := meanOf(t, in)
			t.Logf("%+v", got)
			near(t, "pauses", got.pauses, c.want.pauses, 0.25)
			near(t, "marks", got.marks, c.want.marks, 0.10)
			near(t, "greatest queue", got.queue, c.want.queue, 0.10)
			near(t, "last flow's time", got.last, c.want.last, 0.10)
			near(t, "mean time", got.mean, c.want.mean, 0.10)
		})
	}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*want {
		t.Errorf("%s: %.4g, want %.4g within %g %%", what, got, want, within*100)
	}
}

// TestR35WorkedExample is the textbook's switch: 100 Gb/s, a round trip of 10 µs, 4 MB
// of memory a port, Kmin 400 KB, Kmax 2 MB, 5 %, XOFF 2.5 MB, XON 1.8 MB. With
// DCQCN there is no pause for up to four senders; without it there are; nothing
// is ever lost.
func TestR35WorkedExample(t *testing.T) {
	long(t)
	base := incast{rate: 100e9, delay: 2500 * dataplane.Nanosecond, buffer: 1 << 30, headroom: 1500e3, xoff: 2500e3, xon: 1800e3}
	for _, c := range []struct {
		senders         int
		pauses          uint64
		queue, headroom int64
		first           int64 // ns
	}{
		{2, 64, 5.072e6, 32488, 399100},
		{4, 84, 10.21e6, 64976, 266900},
		{8, 96, 20.48e6, 57640, 229200},
		{16, 80, 41.03e6, 61832, 214100},
	} {
		in := base
		in.senders, in.bytes = c.senders, 100e6/uint64(c.senders)
		s := compat(t, in)
		s.run(t)
		got := sum(s)
		if got.drops != 0 || got.paused != c.pauses || got.headroom != c.headroom {
			t.Errorf("%d to 1 without control: %d drops, %d pauses, headroom %d, want 0, %d, %d", c.senders, got.drops, got.paused, got.headroom, c.pauses, c.headroom)
		}
		near(t, "greatest queue", float64(got.queue), float64(c.queue), 0.001)

		in.wred, in.control = red(400e3, 2000e3, 5), dataplane.NICDCQCN(100e9)
		m := meanOf(t, in)
		t.Logf("%d to 1: without control %+v, with %+v", c.senders, got, m)
		if c.senders <= 4 && m.pauses != 0 {
			t.Errorf("%d to 1 with DCQCN: %g pauses, want none", c.senders, m.pauses)
		}
	}
}

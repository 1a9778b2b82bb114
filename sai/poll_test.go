package sai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/sai"
)

func queues(sw *sai.Switch) *sai.Poller[sai.Queue] {
	return sai.NewPoller(sw, []sai.ID[sai.Queue]{1, 2, 3}, sai.QueueStatPackets, sai.QueueStatBytes)
}

func TestPoller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		clear bool
		bulk  func(ids []sai.OID, st []sai.Status) sai.Status
		stats func(id sai.OID) sai.Status
		calls string // of two reads
		err   string
		bad   int // object whose status is not success, from 1
	}{
		{
			name:  "bulk",
			bulk:  func([]sai.OID, []sai.Status) sai.Status { return 0 },
			calls: "bulk BULK_READ|bulk BULK_READ",
		},
		{
			name: "bulk clear", clear: true,
			bulk:  func([]sai.OID, []sai.Status) sai.Status { return 0 },
			calls: "bulk BULK_READ_AND_CLEAR|bulk BULK_READ_AND_CLEAR",
		},
		{
			name: "statuses of a success mean nothing",
			bulk: func(_ []sai.OID, st []sai.Status) sai.Status {
				st[1] = 12345
				return 0
			},
			calls: "bulk BULK_READ|bulk BULK_READ",
		},
		{
			name:  "no bulk",
			bulk:  func([]sai.OID, []sai.Status) sai.Status { return sai.StatusNotImplemented },
			calls: "bulk BULK_READ|stats oid:0x1 READ|stats oid:0x2 READ|stats oid:0x3 READ|stats oid:0x1 READ|stats oid:0x2 READ|stats oid:0x3 READ",
		},
		{
			name: "no bulk clear", clear: true,
			bulk:  func([]sai.OID, []sai.Status) sai.Status { return sai.StatusNotSupported },
			calls: "bulk BULK_READ_AND_CLEAR|stats oid:0x1 READ_AND_CLEAR|stats oid:0x2 READ_AND_CLEAR|stats oid:0x3 READ_AND_CLEAR|stats oid:0x1 READ_AND_CLEAR|stats oid:0x2 READ_AND_CLEAR|stats oid:0x3 READ_AND_CLEAR",
		},
		{
			name: "one gone",
			bulk: func(_ []sai.OID, st []sai.Status) sai.Status {
				st[1] = sai.StatusItemNotFound
				return sai.StatusFailure
			},
			calls: "bulk BULK_READ|bulk BULK_READ",
			err:   "sai: get stats of queue oid:0x2: item not found", bad: 2,
		},
		{
			name: "library stops at the one that is gone",
			bulk: func(_ []sai.OID, st []sai.Status) sai.Status {
				st[1], st[2] = sai.StatusItemNotFound, sai.StatusNotExecuted
				return sai.StatusFailure
			},
			calls: "bulk BULK_READ|stats oid:0x3 READ|bulk BULK_READ|stats oid:0x3 READ",
			err:   "sai: get stats of queue oid:0x2: item not found", bad: 2,
		},
		{
			name: "library says only that it failed",
			bulk: func([]sai.OID, []sai.Status) sai.Status { return sai.StatusFailure },
			stats: func(id sai.OID) sai.Status {
				if id == 1 {
					return sai.StatusItemNotFound
				}
				return 0
			},
			calls: "bulk BULK_READ|stats oid:0x1 READ|stats oid:0x2 READ|stats oid:0x3 READ|bulk BULK_READ|stats oid:0x1 READ|stats oid:0x2 READ|stats oid:0x3 READ",
			err:   "sai: get stats of queue oid:0x1: item not found", bad: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, sw := newFake()
			f.bulk, f.stats = c.bulk, c.stats
			p := queues(sw)
			p.Clear = c.clear
			for range 2 {
				err := p.Read()
				if c.err == "" && err != nil || c.err != "" && fmt.Sprint(err) != c.err {
					t.Errorf("Read: %v, want %q", err, c.err)
				}
			}
			if got := strings.Join(f.calls, "|"); got != c.calls {
				t.Errorf("calls %s\nwant  %s", got, c.calls)
			}
			for i, st := range p.Status {
				if (st != 0) != (i+1 == c.bad) {
					t.Errorf("status of object %d is %s", i, st.Name())
				}
				if want := uint64(i+1)*100 + uint64(sai.QueueStatBytes); st == 0 && p.Out[2*i+1] != want {
					t.Errorf("bytes of object %d are %d, want %d", i, p.Out[2*i+1], want)
				}
			}
		})
	}
}

func TestPollError(t *testing.T) {
	t.Parallel()
	f, sw := newFake()
	f.bulk = func(_ []sai.OID, st []sai.Status) sai.Status {
		st[0], st[2] = sai.StatusItemNotFound, sai.StatusFailure
		return sai.StatusFailure
	}
	err := queues(sw).Read()
	var e *sai.PollError
	if !errors.As(err, &e) || e.Failed != 2 || err.Error() != "sai: get stats of queue oid:0x1: item not found (and 1 more)" {
		t.Errorf("error %v", err)
	}
	if !errors.Is(err, sai.StatusItemNotFound) || errors.Is(err, sai.StatusFailure) {
		t.Error("the error is not that of the first object")
	}
}

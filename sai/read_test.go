package sai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/sai"
)

// library answers gets of queues: INDEX is the object id. Everything else of a
// driver is absent.
type library struct {
	sai.Driver
	bulk  sai.Status                   // of every bulk get, if it is not 0
	lacks map[*sai.AttrMeta]sai.Status // attributes it does not have, and how it says so
	gone  sai.OID                      // an object it does not have
	calls int
}

func (l *library) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	l.calls++
	if l.bulk != 0 {
		return l.bulk
	}
	all := sai.StatusSuccess
	for i := range keys {
		st[i] = l.get(keys[i], attrs[i])
		if st[i] != 0 {
			all = sai.StatusFailure
		}
	}
	return all
}

func (l *library) Get(_ *sai.ObjectMeta, key sai.Key, attrs []sai.Attribute) sai.Status {
	l.calls++
	return l.get(key, attrs)
}

func (l *library) get(key sai.Key, attrs []sai.Attribute) sai.Status {
	if l.bulk == sai.StatusUninitialized {
		return l.bulk
	}
	if key.OID == l.gone {
		return sai.StatusInvalidObjectID
	}
	for i := range attrs {
		if st := l.lacks[attrs[i].AttrMeta]; st != 0 {
			if _, at := st.Attr(); at < 0 {
				return st
			}
			return st - sai.Status(i)
		}
		attrs[i].Num = uint64(key.OID)
	}
	return 0
}

func TestGetAll(t *testing.T) {
	t.Parallel()
	index, typ, pause := sai.QueueAttrIndex.AttrMeta, sai.QueueAttrType.AttrMeta, sai.QueueAttrPauseStatus.AttrMeta
	lacking := func(a *sai.AttrMeta, st sai.Status) map[*sai.AttrMeta]sai.Status {
		return map[*sai.AttrMeta]sai.Status{a: st}
	}
	const all = "TYPE=UNICAST INDEX=1 PAUSE_STATUS=true; TYPE=MULTICAST INDEX=2 PAUSE_STATUS=true"
	const fewer = "TYPE=UNICAST PAUSE_STATUS=true; TYPE=MULTICAST PAUSE_STATUS=true"
	for _, tt := range []struct {
		name  string
		lib   library
		want  string
		calls int
		err   string // of the first object
		err2  string // of the second
	}{
		{name: "in bulk", want: all, calls: 1},
		{name: "no bulk", lib: library{bulk: sai.StatusNotImplemented}, want: all, calls: 3},
		{name: "no bulk, said otherwise", lib: library{bulk: sai.StatusNotSupported}, want: all, calls: 3},
		{name: "bulk fails and tells nothing", lib: library{bulk: sai.StatusFailure}, want: all, calls: 3},
		{name: "not implemented", lib: library{lacks: lacking(index, sai.StatusAttrNotImplemented0)}, want: fewer, calls: 2},
		{name: "not supported", lib: library{lacks: lacking(index, sai.StatusAttrNotSupported0)}, want: fewer, calls: 2},
		{name: "unknown", lib: library{lacks: lacking(index, sai.StatusUnknownAttribute0)}, want: fewer, calls: 2},
		{name: "not told which", lib: library{lacks: lacking(index, sai.StatusNotSupported)}, want: fewer, calls: 7},
		{
			name: "nothing left", calls: 3, want: "; ",
			lib: library{lacks: map[*sai.AttrMeta]sai.Status{index: sai.StatusAttrNotSupported0, typ: sai.StatusAttrNotSupported0, pause: sai.StatusAttrNotSupported0}},
		},
		{name: "gone", lib: library{gone: 2}, want: "TYPE=UNICAST INDEX=1 PAUSE_STATUS=true; ", calls: 1, err2: "get queue oid:0x2: invalid object id"},
		{
			name: "broken", lib: library{lacks: lacking(index, sai.StatusInvalidAttrValue0)}, calls: 1,
			err: "get queue oid:0x1: INDEX: invalid attr value", err2: "get queue oid:0x2: INDEX: invalid attr value",
		},
		{
			name: "broken, not told which", lib: library{lacks: map[*sai.AttrMeta]sai.Status{typ: sai.StatusNotSupported, index: sai.StatusFailure}}, calls: 5,
			err: "get queue oid:0x1: INDEX: failure", err2: "get queue oid:0x2: INDEX: failure",
		},
		{name: "chip is away", lib: library{bulk: sai.StatusUninitialized}, calls: 3, err: "get queue oid:0x1: uninitialized", err2: "get queue oid:0x2: uninitialized"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys, attrs := []sai.Key{{OID: 1}, {OID: 2}}, make([][]sai.Attribute, 2)
			for i := range attrs {
				attrs[i] = []sai.Attribute{{AttrMeta: typ}, {AttrMeta: index}, {AttrMeta: pause}}
			}
			errs := sai.GetAll(&tt.lib, sai.Queue{}.Meta(), keys, attrs)
			if tt.lib.calls != tt.calls {
				t.Errorf("%d calls, want %d", tt.lib.calls, tt.calls)
			}
			var got []string
			for i := range attrs {
				if errs != nil && errs[i] != nil {
					attrs[i] = nil
				}
				got = append(got, strings.Trim(fmt.Sprint(attrs[i]), "[]"))
			}
			if s := strings.Join(got, "; "); tt.want != "" && s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
			for i, want := range []string{tt.err, tt.err2} {
				var e *sai.Error
				switch {
				case want == "" && (errs == nil || errs[i] == nil):
				case want == "" || errs == nil || !errors.As(errs[i], &e) || !strings.Contains(e.Error(), want):
					t.Errorf("object %d: errors %v, want %q", i, errs, want)
				}
			}
		})
	}
}

// TestGetAllInParts checks that many objects are asked for in few calls of limited
// size.
func TestGetAllInParts(t *testing.T) {
	t.Parallel()
	lib := &library{gone: sai.OID(5000)}
	keys, attrs := make([]sai.Key, 5000), make([][]sai.Attribute, 5000)
	for i := range keys {
		keys[i].OID = sai.OID(i + 1)
		attrs[i] = []sai.Attribute{{AttrMeta: sai.QueueAttrIndex.AttrMeta}}
	}
	errs := sai.GetAll(lib, sai.Queue{}.Meta(), keys, attrs)
	if lib.calls != 5 || len(errs) != 5000 || errs[4998] != nil || errs[4999] == nil {
		t.Errorf("%d calls, %d errors", lib.calls, len(errs))
	}
	for i := range attrs[:4999] {
		if attrs[i][0].Num != uint64(i+1) {
			t.Fatalf("object %d has index %d", i, attrs[i][0].Num)
		}
	}
}

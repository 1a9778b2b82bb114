package sai_test

import (
	"testing"

	"xon/sai"
)

// numbered answers every get with the object's id, but for one that is gone. It
// has no bulk get, or is away altogether, if it is told so.
type numbered struct {
	sai.Driver
	gone  sai.OID
	away  bool
	lacks bool // every attribute
	calls int
}

func (n *numbered) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	n.calls++
	if n.away {
		return sai.StatusUninitialized
	}
	all := sai.StatusSuccess
	for i := range keys {
		if st[i] = n.get(keys[i], attrs[i]); st[i] != 0 {
			all = sai.StatusFailure
		}
	}
	return all
}

func (n *numbered) Get(_ *sai.ObjectMeta, key sai.Key, attrs []sai.Attribute) sai.Status {
	n.calls++
	return n.get(key, attrs)
}

func (n *numbered) get(key sai.Key, attrs []sai.Attribute) sai.Status {
	switch {
	case n.away:
		return sai.StatusUninitialized
	case key.OID == n.gone:
		return sai.StatusInvalidObjectID
	case n.lacks:
		return sai.StatusAttrNotSupported0
	}
	for i := range attrs {
		attrs[i].Num = uint64(key.OID)
	}
	return 0
}

func askFor(n int) ([]sai.Key, [][]sai.Attribute) {
	keys, attrs := make([]sai.Key, n), make([][]sai.Attribute, n)
	for i := range keys {
		keys[i].OID = sai.OID(i + 1)
		attrs[i] = []sai.Attribute{{AttrMeta: sai.QueueAttrIndex.AttrMeta}, {AttrMeta: sai.QueueAttrPauseStatus.AttrMeta}}
	}
	return keys, attrs
}

// Many objects are asked for in few calls of limited size.
func TestGetAllInParts(t *testing.T) {
	t.Parallel()
	lib := &numbered{gone: 5000}
	keys, attrs := askFor(5000)
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

// A chip that is away is an error of every object.
func TestGetAllOfNobody(t *testing.T) {
	t.Parallel()
	keys, attrs := askFor(2)
	errs := sai.GetAll(&numbered{away: true}, sai.Queue{}.Meta(), keys, attrs)
	if len(errs) != 2 || errs[0] == nil || errs[1] == nil || errs[1].Error() != "sai: get queue oid:0x2: uninitialized" {
		t.Errorf("errors: %v", errs)
	}
}

// A library that lacks all attributes is asked no further than that.
func TestGetAllOfNothing(t *testing.T) {
	t.Parallel()
	lib := &numbered{lacks: true}
	keys, attrs := askFor(2)
	if errs := sai.GetAll(lib, sai.Queue{}.Meta(), keys, attrs); errs != nil || len(attrs[0]) != 0 || lib.calls != 2 {
		t.Errorf("%d calls, %v, errors: %v", lib.calls, attrs, errs)
	}
}

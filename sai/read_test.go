package sai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/sai"
)

// getReader is a driver of whose objects each has, or lacks, certain attributes.
type getReader struct {
	sai.Driver
	get   func(k sai.Key, attrs []sai.Attribute) sai.Status
	bulk  sai.Status // of every bulk call that does not succeed
	mute  bool       // a failed bulk call says nothing of the entries
	calls int
}

func (r *getReader) Get(_ *sai.ObjectMeta, k sai.Key, attrs []sai.Attribute) sai.Status {
	r.calls++
	return r.get(k, attrs)
}

func (r *getReader) BulkGet(_ *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	r.calls++
	if r.bulk == sai.StatusNotImplemented {
		return r.bulk
	}
	all := sai.StatusSuccess
	for i, k := range keys {
		s := r.get(k, attrs[i])
		if s != 0 {
			all = r.bulk
		}
		if !r.mute {
			st[i] = s
		}
	}
	return all
}

// fill answers with the object's id, except for the attributes that it lacks.
func fill(lacks *sai.AttrMeta, st sai.Status, index bool) func(sai.Key, []sai.Attribute) sai.Status {
	return func(k sai.Key, attrs []sai.Attribute) sai.Status {
		for i := range attrs {
			if attrs[i].AttrMeta == lacks && k.OID == 2 {
				if index {
					return st - sai.Status(i)
				}
				return st
			}
			attrs[i].Num = uint64(k.OID)
		}
		return 0
	}
}

func TestGetAll(t *testing.T) {
	t.Parallel()
	index, parent := sai.QueueAttrIndex.AttrMeta, sai.QueueAttrParentSchedulerNode.AttrMeta
	const both = "INDEX=1 PARENT_SCHEDULER_NODE=oid:0x1|INDEX=2 PARENT_SCHEDULER_NODE=oid:0x2|INDEX=3 PARENT_SCHEDULER_NODE=oid:0x3"
	const one = "INDEX=1 PARENT_SCHEDULER_NODE=oid:0x1|INDEX=2|INDEX=3 PARENT_SCHEDULER_NODE=oid:0x3"
	for _, c := range []struct {
		name  string
		r     *getReader
		want  string
		err   string
		calls int
	}{
		{"all there", &getReader{get: fill(nil, 0, false), bulk: sai.StatusFailure}, both, "", 1},
		{"no bulk", &getReader{get: fill(nil, 0, false), bulk: sai.StatusNotImplemented}, both, "", 4},
		{"one lacks one", &getReader{get: fill(parent, sai.StatusAttrNotSupported0, true), bulk: sai.StatusFailure}, one, "", 2},
		{"no bulk, one lacks one", &getReader{get: fill(parent, sai.StatusAttrNotImplemented0, true), bulk: sai.StatusNotImplemented}, one, "", 5},
		{"it does not say which", &getReader{get: fill(parent, sai.StatusNotSupported, false), bulk: sai.StatusFailure}, one, "", 3},
		{"gone", &getReader{get: fill(index, sai.StatusItemNotFound, false), bulk: sai.StatusFailure}, "", "sai: get queue oid:0x2: item not found", 1},
		{"bad attribute", &getReader{get: fill(parent, sai.StatusInvalidAttribute0, true), bulk: sai.StatusFailure}, "", "sai: get queue oid:0x2: PARENT_SCHEDULER_NODE: invalid attribute", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := []sai.Key{{OID: 1}, {OID: 2}, {OID: 3}}
			attrs := make([][]sai.Attribute, len(keys))
			for i := range attrs {
				attrs[i] = []sai.Attribute{{AttrMeta: index}, {AttrMeta: parent}}
			}
			errs := sai.GetAll(c.r, sai.Queue{}.Meta(), keys, attrs)
			if c.err != "" {
				if len(errs) != 3 || errs[0] != nil || errs[2] != nil || fmt.Sprint(errs[1]) != c.err {
					t.Errorf("errors %v, want %s", errs, c.err)
				}
				return
			}
			var got []string
			for _, list := range attrs {
				var w []string
				for _, a := range list {
					w = append(w, a.String())
				}
				got = append(got, strings.Join(w, " "))
			}
			if errs != nil || strings.Join(got, "|") != c.want || c.r.calls != c.calls {
				t.Errorf("%s, %v, %d calls; want %s, %d calls", strings.Join(got, "|"), errs, c.r.calls, c.want, c.calls)
			}
		})
	}
}

// A library that says only that a bulk call failed is asked one by one.
func TestGetAllMute(t *testing.T) {
	t.Parallel()
	r := &getReader{get: fill(sai.QueueAttrIndex.AttrMeta, sai.StatusItemNotFound, false), bulk: sai.StatusFailure, mute: true}
	attrs := [][]sai.Attribute{{{AttrMeta: sai.QueueAttrIndex.AttrMeta}}, {{AttrMeta: sai.QueueAttrIndex.AttrMeta}}}
	errs := sai.GetAll(r, sai.Queue{}.Meta(), []sai.Key{{OID: 1}, {OID: 2}}, attrs)
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], sai.StatusItemNotFound) || attrs[0][0].Num != 1 {
		t.Errorf("errors %v, read %v", errs, attrs[0])
	}
}

package asicdb_test

import (
	"testing"

	"xon/schema/asicdb"
)

func TestObjectKey(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, key, objectType, id string }{
		{"object", "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15000000000001", "SAI_OBJECT_TYPE_QUEUE", "oid:0x15000000000001"},
		{"entry", `ASIC_STATE:SAI_OBJECT_TYPE_FDB_ENTRY:{"mac":"02:00"}`, "SAI_OBJECT_TYPE_FDB_ENTRY", `{"mac":"02:00"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := asicdb.ObjectKey(tt.objectType, tt.id); got != tt.key {
				t.Errorf("ObjectKey = %q", got)
			}
			typ, id, ok := asicdb.ParseObjectKey(tt.key)
			if typ != tt.objectType || id != tt.id || !ok {
				t.Errorf("ParseObjectKey = %q, %q, %v", typ, id, ok)
			}
		})
	}
}

func TestParseObjectKeyOfOthers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "ASIC_STATE", "ASIC_STATE:", "ASIC_STATE:x", "ASIC_STATE:x:", "ASIC_STATE::y", "VIDTORID", "X:a:b"} {
		if typ, id, ok := asicdb.ParseObjectKey(key); ok {
			t.Errorf("ParseObjectKey(%q) = %q, %q", key, typ, id)
		}
	}
}

func FuzzParseObjectKey(f *testing.F) {
	f.Add("ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15000000000001")
	f.Add("ASIC_STATE:a:b:c")
	f.Fuzz(func(t *testing.T, key string) {
		if typ, id, ok := asicdb.ParseObjectKey(key); ok && asicdb.ObjectKey(typ, id) != key {
			t.Errorf("%q became %q and %q", key, typ, id)
		}
	})
}

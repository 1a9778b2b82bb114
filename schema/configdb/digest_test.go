package configdb_test

import (
	"testing"

	"xon/schema/configdb"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	row := configdb.Fields{"a": "1", "b": "2"}
	if d := row.Digest(); len(d) != 32 || d != (configdb.Fields{"b": "2", "a": "1"}).Digest() {
		t.Errorf("digest %q", d)
	}
	seen := map[string]bool{row.Digest(): true}
	for _, f := range []configdb.Fields{nil, {}, {"a": "1"}, {"a": "1", "b": "3"}, {"a": "1b", "": "2"}, {"a": `1","b":"2`}} {
		if d := f.Digest(); seen[d] || (d == "") != (f == nil) {
			t.Errorf("%v: digest %q", f, d)
		} else {
			seen[d] = true
		}
	}
}

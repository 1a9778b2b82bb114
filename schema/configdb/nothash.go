package configdb

import "errors"

// ErrNotHash is the fault of a row whose key holds a string, a list or another
// thing that has no fields.
var ErrNotHash = errors.New("is not a hash; delete it, or replace the whole row")

// notHash is a field that no hash of a database in use has.
const notHash = "\x00not a hash"

// NotHash returns the Fields that stand for a key of CONFIG_DB that is there but is
// not a hash. Such a row is a bad row and no removal: Parse refuses it, Apply
// replaces or removes it as a whole only.
func NotHash() Fields { return Fields{notHash: ""} }

// IsNotHash reports whether f is what NotHash returns.
func (f Fields) IsNotHash() bool {
	_, ok := f[notHash]
	return ok && len(f) == 1
}

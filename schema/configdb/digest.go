package configdb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest identifies the content of a row by 32 hexadecimal digits; nil Fields, a
// row that is not there, have "".
func (f Fields) Digest() string {
	if f == nil {
		return ""
	}
	text, err := json.Marshal(f) // in order of the names
	if err != nil {
		return "" // strings always have a form
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

package configdb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// OldReferences says which fields of a row that parses have references in the notation
// "[TABLE|name]", and as what they are read. SONiC wrote it until 2021; its daemons take
// the plain name alone today, so the owner of such rows should know.
func OldReferences(key RowKey, f Fields) []string {
	plain := plainReferences(key, f)
	var notes []string
	for _, stored := range slices.Sorted(maps.Keys(plain)) {
		notes = append(notes, fmt.Sprintf("field %q: %s is a reference in the old notation, which SONiC refuses since 2021; it is read as %s",
			stored, quote(f[stored]), plain[stored]))
	}
	return notes
}

// Plain returns the fields of a row as f has them, each in the spelling that Format has
// for it: without white space around numbers and references in the old notation. It is
// for those who read rows without parsing them. f stays as it is.
func Plain(row Row, f Fields) Fields {
	plain := maps.Clone(f)
	for stored, text := range Format(row) {
		base, _ := strings.CutSuffix(stored, "@")
		for _, name := range []string{base, base + "@"} {
			if _, ok := plain[name]; ok {
				plain[name] = text
			}
		}
	}
	return plain
}

// plainReferences are the fields with references in the old notation, as they are read.
func plainReferences(key RowKey, f Fields) Fields {
	t, ok := Lookup(key.Table())
	if !ok {
		return nil
	}
	plain := Fields{}
	for stored, text := range f {
		if !strings.Contains(text, "[") {
			continue
		}
		if field, ok := t.Field(stored); ok && field.Type == Reference {
			if names, old := field.plainNames(text); old {
				plain[stored] = names
			}
		}
	}
	return plain
}

// plainNames are the names that a text refers to, and whether any is in the old notation.
func (f *Field) plainNames(text string) (names string, old bool) {
	refs := []string{text}
	if f.List {
		refs = splitList(text)
	}
	for i, ref := range refs {
		if name, err := parseReference(f.Refers, ref); err == nil && name != ref {
			refs[i], old = name, true
		}
	}
	return strings.Join(refs, ","), old
}

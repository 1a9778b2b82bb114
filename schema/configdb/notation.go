package configdb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// OldReferences says which fields of a row that parses have references in the notation
// "[TABLE|name]", and as what they are read. SONiC wrote it until 2021; its daemons take
// the plain name alone by now, so whoever keeps such rows should know.
func OldReferences(key RowKey, f Fields) []string {
	t, ok := Lookup(key.Table())
	if !ok {
		return nil
	}
	var notes []string
	for _, stored := range slices.Sorted(maps.Keys(f)) {
		field, known := t.Field(stored)
		if !known || field.Type != Reference || !strings.Contains(f[stored], "[") {
			continue
		}
		if names := field.oldNames(f[stored]); len(names) > 0 {
			notes = append(notes, fmt.Sprintf("field %q: %s is a reference in the old notation, which SONiC refuses since 2021; it is read as %s",
				stored, quote(f[stored]), strings.Join(names, ",")))
		}
	}
	return notes
}

// oldNames are the names in a text that are written in the old notation.
func (f *Field) oldNames(text string) []string {
	refs := []string{text}
	if f.List {
		refs = splitList(text)
	}
	var names []string
	for _, ref := range refs {
		if name, err := parseReference(f.Refers, ref); err == nil && name != ref {
			names = append(names, name)
		}
	}
	return names
}

package admin

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// cleanMessage replaces what is no UTF-8 in all texts of a message: rows are named
// and filled by others, and one bad byte would cost the whole answer.
func cleanMessage(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			cleanMap(fd, v.Map())
		case fd.IsList():
			list := v.List()
			for i := range list.Len() {
				if now, changed := cleanValue(fd, list.Get(i)); changed {
					list.Set(i, now)
				}
			}
		default:
			if now, changed := cleanValue(fd, v); changed {
				m.Set(fd, now)
			}
		}
		return true
	})
}

func cleanMap(fd protoreflect.FieldDescriptor, m protoreflect.Map) {
	renamed := map[string]protoreflect.Value{} // our maps have texts as keys
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		now, changed := cleanValue(fd.MapValue(), v)
		if changed {
			m.Set(k, now)
		}
		if key, changed := cleanValue(fd.MapKey(), k.Value()); changed {
			m.Clear(k)
			renamed[key.String()] = now
		}
		return true
	})
	for k, v := range renamed {
		m.Set(protoreflect.ValueOfString(k).MapKey(), v)
	}
}

// cleanValue returns a text as UTF-8, and cleans a message in place.
func cleanValue(fd protoreflect.FieldDescriptor, v protoreflect.Value) (now protoreflect.Value, changed bool) {
	switch fd.Kind() {
	case protoreflect.StringKind:
		if s := v.String(); !utf8.ValidString(s) {
			return protoreflect.ValueOfString(strings.ToValidUTF8(s, "\uFFFD")), true
		}
	case protoreflect.MessageKind:
		cleanMessage(v.Message())
	default:
	}
	return v, false
}

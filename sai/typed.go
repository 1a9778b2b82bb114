package sai

// NameOf is the full name of an attribute: SAI_PORT_ATTR_MTU.
func NameOf[O Object, V any](a Attr[O, V]) string { return a.AttrMeta.FullName() }

// EnumOf is the enum that an attribute, or the list that it is, has values of.
func EnumOf[O Object, V any](a Attr[O, V]) *EnumMeta { return a.AttrMeta.Enum }

package sai

// NameOf returns the full name of an attribute: SAI_PORT_ATTR_MTU.
func NameOf[O Object, V any](a Attr[O, V]) string { return a.AttrMeta.FullName() }

// EnumOf returns the enum of an attribute, or of its list elements.
func EnumOf[O Object, V any](a Attr[O, V]) *EnumMeta { return a.AttrMeta.Enum }

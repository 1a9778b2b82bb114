package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"xon/sai/facts"
)

// valueType names what SAI's own metadata calls the value of an attribute.
func valueType(f *facts.Facts, typ string) string {
	w := strings.Fields(typ)
	if len(w) == 0 {
		return "?"
	}
	base := map[string]string{
		"bool": "BOOL", "char": "CHARDATA", "u8": "UINT8", "u16": "UINT16", "u32": "UINT32", "u64": "UINT64",
		"s8": "INT8", "s16": "INT16", "s32": "INT32", "s64": "INT64", "object_id_t": "OBJECT_ID", "object_list_t": "OBJECT_LIST",
		"mac_t": "MAC", "ip4_t": "IPV4", "ip6_t": "IPV6", "pointer_t": "POINTER",
		"u8_list_t": "UINT8_LIST", "s8_list_t": "INT8_LIST", "u16_list_t": "UINT16_LIST", "s16_list_t": "INT16_LIST", "u32_list_t": "UINT32_LIST", "s32_list_t": "INT32_LIST",
		"u32_range_t": "UINT32_RANGE", "s32_range_t": "INT32_RANGE", "u16_range_t": "UINT16_RANGE", "u64_range_t": "UINT64_RANGE",
		"u16_range_list_t": "UINT16_RANGE_LIST", "u64_range_list_t": "UINT64_RANGE_LIST",
		"port_eye_values_list_t": "PORT_EYE_VALUES_LIST",
	}
	one := func(t string) string {
		if v, ok := base[t]; ok {
			return v
		}
		if f.Enum(t) != nil {
			return "INT32"
		}
		return strings.ToUpper(strings.TrimSuffix(t, "_t"))
	}
	switch w[0] {
	case "acl_field_data_t":
		return "ACL_FIELD_DATA_" + one(w[1])
	case "acl_field_data_mask_t":
		return "ACL_FIELD_DATA_" + one(w[1]) // the metadata tells masks apart by a flag
	case "acl_action_data_t":
		return "ACL_ACTION_DATA_" + one(w[1])
	}
	return one(w[0])
}

// metaCmp compares the attributes of a facts file with a dump of the metadata
// that SAI's own generator makes of the same headers.
func metaCmp(args []string) error {
	f, err := load(args[0])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	type entry struct {
		o *facts.Object
		a facts.Attr
	}
	have := map[string]entry{}
	for _, o := range f.Objects {
		for _, a := range o.Attrs {
			if a.Type != "" {
				have[o.Prefix+a.Name] = entry{o, a}
			}
		}
	}
	bad, n, checks, quirks := 0, 0, 0, 0
	wrong := func(format string, a ...any) {
		bad++
		if bad < 60 {
			fmt.Printf(format+"\n", a...)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		c := strings.Split(line, "|")
		if len(c) < 11 {
			wrong("line %q", line)
			continue
		}
		if len(c) > 11 {
			c = append(c[:10], strings.Join(c[10:], "|"))
		}
		e, ok := have[c[0]]
		if !ok {
			if i := strings.LastIndex(c[0], "_GROUP_"); i > 0 { // a range: one attribute in the facts
				continue
			}
			wrong("%s is missing from the facts", c[0])
			continue
		}
		delete(have, c[0])
		n++
		a := e.a
		eq := func(what, got, want string) {
			checks++
			if got != want {
				wrong("%s %s: facts %q metadata %q", c[0], what, got, want)
			}
		}
		eq("type", valueType(f, a.Type), c[1])
		eq("flags", order(a.Flags), order(c[2]))
		eq("objects", strings.Join(a.Objects, ","), c[3])
		null := ""
		if a.Null {
			null = "null"
		}
		eq("null", null, c[4])
		enum := ""
		for _, w := range strings.Fields(a.Type) {
			if f.Enum(w) != nil {
				enum = w
			} else if strings.HasSuffix(w, "_attr_t") {
				enum = w
			}
		}
		if c[5] != "" || enum != "" {
			eq("enum", enum, c[5])
		}
		var opts []string
		prec := "0"
		for _, o := range a.Opts {
			if v, ok := strings.CutPrefix(o, "prec="); ok {
				prec = v
			} else if !strings.Contains(o, "=") && o != "ext" {
				opts = append(opts, o)
			}
		}
		want := strings.Fields(c[6])
		slices.Sort(opts)
		slices.Sort(want)
		eq("options", strings.Join(opts, " "), strings.Join(want, " "))
		eq("precision", prec, c[7])
		if d := strings.TrimSpace(c[8]); quirk[c[0]] == d {
			quirks++
		} else {
			eq("default", defaultOf(f, a), d)
		}
		eq("condition", condOf(f, e.o, a.If), c[9])
		eq("validonly", condOf(f, e.o, a.Valid), c[10])
	}
	for k := range have {
		if strings.Contains(k, "GROUP_M") {
			continue
		}
		wrong("%s is missing from the metadata", k)
	}
	fmt.Printf("%d attributes, %d comparisons, %d wrong, %d defaults that the metadata spells oddly\n", n, checks, bad, quirks)
	if bad > 0 {
		return fmt.Errorf("facts and metadata differ")
	}
	return nil
}

func order(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// jsonOf spells a constant as SAI's serializer does.
func jsonOf(f *facts.Facts, typ, v string) string {
	vt := valueType(f, typ)
	w := strings.Fields(typ)
	switch {
	case strings.HasPrefix(vt, "ACL_FIELD_DATA") || strings.HasPrefix(vt, "ACL_ACTION_DATA"):
		k := "aclfield"
		if strings.HasPrefix(vt, "ACL_ACTION") {
			k = "aclaction"
		}
		if v == "disabled" {
			return `{"` + k + `":{"enable":false}}`
		}
	case vt == "BOOL":
		return `{"booldata":` + v + `}`
	case vt == "OBJECT_ID" && v == "null":
		return `{"oid":"oid:0x0"}`
	case vt == "POINTER":
		return v
	case vt == "CHARDATA":
		return `{"chardata":` + v + `}`
	case vt == "MAC":
		return `{"mac":"` + strings.ToUpper(v) + `"}`
	case vt == "IPV4":
		return `{"ip4":"` + v + `"}`
	case vt == "IPV6":
		return `{"ip6":"` + v + `"}`
	case vt == "IP_ADDRESS":
		return `{"ipaddr":"` + v + `"}`
	case f.Enum(w[0]) != nil:
		e := f.Enum(w[0])
		if strings.HasPrefix(v, "SAI_") {
			return `{"s32":` + v + `}`
		}
		return `{"s32":` + e.Prefix + v + `}`
	case strings.HasPrefix(vt, "UINT") || strings.HasPrefix(vt, "INT"):
		if n, err := strconv.ParseInt(v, 0, 64); err == nil {
			v = fmt.Sprint(n)
		} else if strings.HasPrefix(v, "SAI_") {
			for _, e := range f.Enums {
				for _, x := range e.Values {
					if e.Prefix+x.Name == v {
						v = fmt.Sprint(x.Val)
					}
				}
			}
			for _, x := range f.Consts {
				if x.Name == v {
					v = x.Text
				}
			}
		}
		m := map[string]string{"UINT8": "u8", "UINT16": "u16", "UINT32": "u32", "UINT64": "u64", "INT8": "s8", "INT16": "s16", "INT32": "s32", "INT64": "s64"}[vt]
		return `{"` + m + `":` + v + `}`
	}
	return v
}

func defaultOf(f *facts.Facts, a facts.Attr) string {
	switch {
	case a.Default == "":
		return "NONE"
	case a.Default == "empty":
		return "EMPTY_LIST"
	case a.Default == "internal":
		return "SWITCH_INTERNAL"
	case a.Default == "vendor":
		return "VENDOR_SPECIFIC"
	case strings.HasPrefix(a.Default, "attrvalue:"):
		return "ATTR_VALUE " + a.Default[10:]
	case strings.HasPrefix(a.Default, "attrrange:"):
		return "ATTR_RANGE " + a.Default[10:]
	}
	return "CONST " + jsonOf(f, a.Type, a.Default)
}

// condOf spells a condition as the dump does.
func condOf(f *facts.Facts, o *facts.Object, s string) string {
	if s == "" {
		return "-"
	}
	leaf := func(x string) string {
		for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
			if l, r, ok := strings.Cut(x, op); ok {
				for _, a := range o.Attrs {
					if a.Name == l {
						return o.Prefix + l + op + jsonOf(f, a.Type, r)
					}
				}
				return "?" + x
			}
		}
		return "?" + x
	}
	or, and := strings.Contains(s, "|"), strings.Contains(s, "&")
	if strings.Contains(s, "(") || or && and {
		out := "mixed:"
		for _, t := range rpn(s) {
			switch t {
			case "|":
				out += " OR"
			case "&":
				out += " AND"
			default:
				out += " " + leaf(t)
			}
		}
		return out
	}
	kind, sep := "or", "|"
	if and {
		kind, sep = "and", "&"
	}
	out := kind + ":"
	for _, t := range strings.Split(s, sep) {
		out += " " + leaf(t)
	}
	return out
}

// rpn turns an infix condition into reverse Polish order.
func rpn(s string) []string {
	var out, ops []string
	prec := map[string]int{"|": 1, "&": 2}
	cur := ""
	flush := func() {
		if cur != "" {
			out = append(out, cur)
			cur = ""
		}
	}
	for _, r := range s {
		switch c := string(r); c {
		case "(":
			ops = append(ops, c)
		case ")":
			flush()
			for ops[len(ops)-1] != "(" {
				out = append(out, ops[len(ops)-1])
				ops = ops[:len(ops)-1]
			}
			ops = ops[:len(ops)-1]
		case "|", "&":
			flush()
			for len(ops) > 0 && ops[len(ops)-1] != "(" && prec[ops[len(ops)-1]] >= prec[c] {
				out = append(out, ops[len(ops)-1])
				ops = ops[:len(ops)-1]
			}
			ops = append(ops, c)
		default:
			cur += c
		}
	}
	flush()
	for len(ops) > 0 {
		out = append(out, ops[len(ops)-1])
		ops = ops[:len(ops)-1]
	}
	return out
}

// quirk lists the defaults that SAI's metadata does not hold as the header says
// them: a plain 0 for an ACL field, "disabled" for a number, and the like.
var quirk = map[string]string{
	"SAI_ACL_TABLE_ATTR_FIELD_VALID_BITS_SRC_IPV6":                               `CONST {"aclmask":{"ip6":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}}`,
	"SAI_ACL_TABLE_ATTR_FIELD_VALID_BITS_DST_IPV6":                               `CONST {"aclmask":{"ip6":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}}`,
	"SAI_UDF_ATTR_HASH_MASK":                                                     `CONST -`,
	"SAI_UDF_MATCH_ATTR_L2_TYPE":                                                 `CONST {"aclfield":{"enable":false}}`,
	"SAI_UDF_MATCH_ATTR_L3_TYPE":                                                 `CONST {"aclfield":{"enable":false}}`,
	"SAI_UDF_MATCH_ATTR_GRE_TYPE":                                                `CONST {"aclfield":{"enable":false}}`,
	"SAI_UDF_MATCH_ATTR_L4_DST_PORT_TYPE":                                        `CONST {"aclfield":{"enable":false}}`,
	"SAI_SWITCH_ATTR_PTP_TIME_OFFSET":                                            `CONST {"timespec":{"tv_sec":0,"tv_nsec":0}}`,
	"SAI_DTEL_ATTR_INT_L4_DSCP":                                                  `CONST ?`,
	"SAI_FLOW_ENTRY_BULK_GET_SESSION_ATTR_DASH_FLOW_ENTRY_BULK_GET_SESSION_MODE": `CONST {"s32":SAI_DASH_FLOW_ENTRY_BULK_GET_SESSION_MODE_SAI_DASH_FLOW_ENTRY_BULK_GET_SESSION_MODE_GRPC}`,
}

package facts

import "strings"

// Sig is the canonical signature of a function: types of the parameters without their
// names. O object ID, A attribute, S status, E an entry.
func (x *Func) Sig() string {
	var out []string
	for _, p := range x.Params {
		t := strings.TrimPrefix(p.Type, "const ")
		base := strings.TrimRight(t, "*")
		stars := t[len(base):]
		switch {
		case base == "object_id_t":
			base = "O"
		case base == "attribute_t":
			base = "A"
		case base == "status_t":
			base = "S"
		case strings.HasSuffix(base, "_entry_t") && stars == "*":
			base = "E"
		}
		t = base + stars
		out = append(out, t)
	}
	return x.Ret + "(" + strings.Join(out, ",") + ")"
}

var shapes = map[string]string{
	"status_t(O*,O,u32,A*)":                               "create",
	"status_t(O*,u32,A*)":                                 "create0", // the switch itself
	"status_t(E*,u32,A*)":                                 "",        // create or get: distinguished below
	"status_t(O)":                                         "remove",
	"status_t(E*)":                                        "eremove",
	"status_t(O,A*)":                                      "set",
	"status_t(E*,A*)":                                     "eset",
	"status_t(O,u32,A*)":                                  "get",
	"status_t(O,u32,stat_id_t*,u64*)":                     "stats",
	"status_t(O,u32,stat_id_t*,stats_mode_t,u64*)":        "xstats",
	"status_t(O,u32,stat_id_t*)":                          "clear",
	"status_t(E*,u32,stat_id_t*,u64*)":                    "estats",
	"status_t(E*,u32,stat_id_t*,stats_mode_t,u64*)":       "exstats",
	"status_t(E*,u32,stat_id_t*)":                         "eclear",
	"status_t(O,u32,u32*,A**,bulk_op_error_mode_t,O*,S*)": "bcreate",
	"status_t(u32,O*,bulk_op_error_mode_t,S*)":            "bremove",
	"status_t(u32,O*,A*,bulk_op_error_mode_t,S*)":         "bset",
	"status_t(u32,O*,u32*,A**,bulk_op_error_mode_t,S*)":   "bget",
	"status_t(u32,E*,bulk_op_error_mode_t,S*)":            "ebremove",
	"status_t(u32,E*,A*,bulk_op_error_mode_t,S*)":         "ebset",
	"status_t(u32,E*,u32*,A**,bulk_op_error_mode_t,S*)":   "", // ebcreate or ebget
}

// Shape names the call shape of a function pointer type; it is empty if the function
// has no usual shape and is written out in full.
func (f *Facts) Shape(fnType string) string {
	x := f.FnType(fnType)
	if x == nil {
		return ""
	}
	sig := x.Sig()
	s := shapes[sig]
	switch sig {
	case "status_t(E*,u32,A*)":
		if s = "eget"; x.Params[2].Dir == "in" {
			s = "ecreate"
		}
	case "status_t(u32,E*,u32*,A**,bulk_op_error_mode_t,S*)":
		if s = "ebget"; x.Params[3].Dir == "in" {
			s = "ebcreate"
		}
	case "status_t(O,u32,A*)":
		if x.Params[2].Dir == "in" {
			s = "flush"
		}
	}
	if strings.HasPrefix(s, "e") { // of an entry: add its type
		for _, p := range x.Params {
			if strings.HasSuffix(p.Type, "_entry_t*") {
				return s + ":" + strings.TrimSuffix(strings.TrimPrefix(p.Type, "const "), "*")
			}
		}
	}
	return s
}

// protos gives the result and parameters of each usual call shape. E stands for the
// entry type that follows the shape's name, as in ecreate:route_entry_t.
var protos = map[string]string{
	"create":   "out object_id_t* id, object_id_t switch_id, u32 attr_count, const attribute_t* attr_list",
	"create0":  "out object_id_t* id, u32 attr_count, const attribute_t* attr_list",
	"remove":   "object_id_t id",
	"set":      "object_id_t id, const attribute_t* attr",
	"get":      "object_id_t id, u32 attr_count, inout attribute_t* attr_list",
	"flush":    "object_id_t switch_id, u32 attr_count, const attribute_t* attr_list",
	"stats":    "object_id_t id, u32 n, const stat_id_t* ids, out u64* counters",
	"xstats":   "object_id_t id, u32 n, const stat_id_t* ids, stats_mode_t mode, out u64* counters",
	"clear":    "object_id_t id, u32 n, const stat_id_t* ids",
	"bcreate":  "object_id_t switch_id, u32 n, const u32* attr_count, const attribute_t** attr_list, bulk_op_error_mode_t mode, out object_id_t* ids, out status_t* statuses",
	"bremove":  "u32 n, const object_id_t* ids, bulk_op_error_mode_t mode, out status_t* statuses",
	"bset":     "u32 n, const object_id_t* ids, const attribute_t* attrs, bulk_op_error_mode_t mode, out status_t* statuses",
	"bget":     "u32 n, const object_id_t* ids, const u32* attr_count, inout attribute_t** attr_list, bulk_op_error_mode_t mode, out status_t* statuses",
	"ecreate":  "const E* entry, u32 attr_count, const attribute_t* attr_list",
	"eremove":  "const E* entry",
	"eset":     "const E* entry, const attribute_t* attr",
	"eget":     "const E* entry, u32 attr_count, inout attribute_t* attr_list",
	"estats":   "const E* entry, u32 n, const stat_id_t* ids, out u64* counters",
	"exstats":  "const E* entry, u32 n, const stat_id_t* ids, stats_mode_t mode, out u64* counters",
	"eclear":   "const E* entry, u32 n, const stat_id_t* ids",
	"ebcreate": "u32 n, const E* entries, const u32* attr_count, const attribute_t** attr_list, bulk_op_error_mode_t mode, out status_t* statuses",
	"ebremove": "u32 n, const E* entries, bulk_op_error_mode_t mode, out status_t* statuses",
	"ebset":    "u32 n, const E* entries, const attribute_t* attrs, bulk_op_error_mode_t mode, out status_t* statuses",
	"ebget":    "u32 n, const E* entries, const u32* attr_count, inout attribute_t** attr_list, bulk_op_error_mode_t mode, out status_t* statuses",
}

// Proto returns the full type of a slot.
func (f *Facts) Proto(s Slot) (Func, bool) {
	if s.Call == "fn" {
		x := f.FnType(s.FnType)
		if x == nil {
			return Func{}, false
		}
		return *x, true
	}
	shape, entry, _ := strings.Cut(s.Call, ":")
	p, ok := protos[shape]
	if !ok {
		return Func{}, false
	}
	p = strings.ReplaceAll(p, "const E*", "const "+entry+"*")
	x, err := parseFunc(s.Name + " status_t (" + p + ")")
	return x, err == nil
}

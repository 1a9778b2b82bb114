package main

import (
	"slices"
	"strconv"
	"strings"

	"xon/sai/facts"
)

// initialisms are words that Go spells in upper case, and others with a special
// spelling.
var initialisms = map[string]string{
	"ID": "ID", "TC": "TC", "MAC": "MAC", "IP": "IP", "IPV4": "IPv4", "IPV6": "IPv6", "TH": "TH", "UDF": "UDF", "TTL": "TTL", "CPU": "CPU",
	"DSCP": "DSCP", "PFC": "PFC", "ACL": "ACL", "ECN": "ECN", "MTU": "MTU", "FEC": "FEC", "VLAN": "VLAN", "OID": "OID", "TPID": "TPID", "LAG": "LAG",
	"QOS": "QoS", "ECMP": "ECMP", "FDB": "FDB", "ARS": "ARS", "TAM": "TAM", "SRV6": "SRv6",
}

// camel turns BUFFER_PROFILE_ID into BufferProfileID.
func camel(s string) string {
	var b strings.Builder
	for w := range strings.SplitSeq(strings.ToUpper(s), "_") {
		switch x, ok := initialisms[w]; {
		case w == "":
		case ok:
			b.WriteString(x)
		default:
			b.WriteString(w[:1] + strings.ToLower(w[1:]))
		}
	}
	return b.String()
}

// typeName is the Go name of a C type: queue_type_t is QueueType.
func typeName(c string) string { return camel(strings.TrimSuffix(c, "_t")) }

// objectName is the Go type of an object type. The name Switch is used for a switch of
// a driver.
func objectName(name string) string {
	if name == "switch" {
		return "SwitchObject"
	}
	return camel(name)
}

// version converts 1.18.3 to 11803. A plus means after that release: the next minor
// release is the first to have it, because patch releases come from a branch. No
// version is 0.
func version(s string) int {
	if base, ok := strings.CutSuffix(s, "+"); ok {
		return version(base)/100*100 + 100
	}
	w := strings.Split(s, ".")
	if len(w) != 3 {
		return 0
	}
	n := 0
	for _, x := range w {
		i, err := strconv.Atoi(x)
		if err != nil {
			return 0
		}
		n = n*100 + i
	}
	return n
}

// option finds k=value among the options of an attribute.
func option(a facts.Attr, k string) string {
	for _, o := range a.Opts {
		if v, ok := strings.CutPrefix(o, k+"="); ok {
			return v
		}
	}
	return ""
}

// byName returns the positions of names in the order of the names, for a binary search.
func byName(names []string) []int {
	out := make([]int, len(names))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	return out
}

package main

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xon/gnmi/path"
	"xon/schema/statedb"
)

// redactor takes out of what is given to others what is nobody's business: secrets,
// names of users, and the addresses by which a switch is managed. Equal ones get
// equal stand-ins, so that one can still see what belongs together. Names and
// addresses of the network that the switch forwards for stay: without them nobody
// could help.
//
// Rows go through row, which knows by table and field what is to be hidden; then
// everything, rows included, goes through text, which takes the same out of texts.
type redactor struct {
	known map[string]string // stand-ins, by what they stand for
	made  map[string]int    // how many, by kind
	found *regexp.Regexp    // finds what is known; nil when it has to be made anew
}

func newRedactor() *redactor {
	return &redactor{known: map[string]string{}, made: map[string]int{}}
}

// The kinds of what is hidden.
const (
	secret  = "secret"
	person  = "user"
	address = "address"
)

// secretParts and secretWords make a field secret: the ones anywhere in its name, the
// others as one of its words, as in "auth_key" and "bind-psk". With personWords a name
// has to end.
var (
	secretParts = []string{"password", "passwd", "passphrase", "passkey", "secret", "community", "credential", "private", "cert"}
	secretWords = []string{"pass", "key", "keys", "psk", "token", "cak", "ckn", "crt", "pem"}
	personWords = []string{"user", "users", "username", "login", "owner"}
)

// open are fields that have such a word and no secret.
var open = []string{"hash_key", "key_id"}

// keyed are tables whose keys are to be hidden, up to the first bar.
var keyed = map[string]string{
	"SNMP_COMMUNITY": secret, "SNMP_USER": person, "LOCAL_USER": person, "USER": person, "GNMI_CLIENT_CERT": person,
}

// management are the tables that tell how the switch is managed.
var management = []string{
	"MGMT_*", "*_SERVER", "SNMP*", "DNS_*", "NTP*", "SYSLOG_*", "TACPLUS*", "RADIUS*", "LDAP*", "TELEMETRY*", "GNMI*",
	"RESTAPI*", "KUBERNETES*", "DHCP_SERVER*", "SFLOW_COLLECTOR",
}

// everybodys are names that tell nothing.
var everybodys = []string{"root", "admin"}

// hides says of what kind a field's value is; "" if it may be seen.
func hides(table, field string) string {
	name := strings.ToLower(strings.TrimSuffix(field, "@"))
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case slices.Contains(open, name) || table == statedb.FateTable:
		return ""
	case table == "NTP_KEY" && name == "value", has(secretWords),
		slices.ContainsFunc(secretParts, func(p string) bool { return strings.Contains(name, p) }):
		return secret
	case len(words) > 0 && slices.Contains(personWords, words[len(words)-1]):
		return person
	}
	return ""
}

func managed(table, field string) bool {
	return strings.Contains(strings.ToLower(field), "mgmt") ||
		slices.ContainsFunc(management, func(p string) bool { return path.Match(p, table) })
}

// row returns a row as others may see it.
func (r *redactor) row(table, key string, fields map[string]string) (string, map[string]string) {
	if table == statedb.AcceptedTable || table == statedb.FateTable { // about another row, which is its key
		of, rest, _ := strings.Cut(key, "|")
		rest, fields = r.row(of, rest, fields)
		return of + "|" + rest, fields
	}
	out := make(map[string]string, len(fields))
	for _, name := range sorted(fields) {
		v, kind := fields[name], hides(table, name)
		switch {
		case kind != "":
			v = r.hide(kind, v)
		case managed(table, name):
			v = r.addresses(v)
		}
		out[name] = v
	}
	if kind, ok := keyed[table]; ok {
		first, rest, more := strings.Cut(key, "|")
		if key = r.hide(kind, first); more {
			key += "|" + rest
		}
	}
	if managed(table, "") {
		key = r.addresses(key)
	}
	return key, out
}

// hide returns the stand-in of a value.
func (r *redactor) hide(kind, v string) string {
	if v == "" || slices.Contains(everybodys, v) {
		return v
	}
	if _, ok := r.known[v]; !ok {
		r.made[kind]++
		r.known[v], r.found = fmt.Sprintf("<%s-%d>", kind, r.made[kind]), nil
	}
	return r.known[v]
}

var ipLike = regexp.MustCompile(`\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\.[0-9]{1,3}){0,3}`)

// addresses hides the addresses in a text, but for the loopback's and the like, which
// are everybody's.
func (r *redactor) addresses(text string) string {
	return ipLike.ReplaceAllStringFunc(text, func(s string) string {
		ip, err := netip.ParseAddr(s)
		if err != nil || ip.IsLoopback() || ip.IsUnspecified() {
			return s
		}
		return r.hide(address, s)
	})
}

// pemBlock is a key or a certificate in a text.
var pemBlock = regexp.MustCompile(`(?s)-----BEGIN [^-]+-----.*?-----END [^-]+-----`)

// inTexts are names of users as they are written in records and logs, and secrets as
// they are on command lines: what is to be hidden comes second.
var inTexts = []struct {
	kind string
	re   *regexp.Regexp
}{
	{person, regexp.MustCompile(`(\buid \d+ \()([^)]+)`)},
	{person, regexp.MustCompile(`(\b(?:CN|SAN)=)([^\s"]+)`)},
	{person, regexp.MustCompile(`(/home/)([^/\s"]+)`)},
	{person, regexp.MustCompile(`(\b(?i:user|username|login)[=:] ?"?)([\w.@-]+)`)},
	{secret, regexp.MustCompile(`((?i:password|passwd|passkey|secret|community|token)[=:] ?"?)([^\s"]+)`)},
	{address, regexp.MustCompile(`(\bfrom \[?)([0-9A-Fa-f.:]+[0-9A-Fa-f])`)}, // who asked
}

// text hides, in any text, what is known to be hidden and what looks like it.
func (r *redactor) text(s string) string {
	if strings.Trim(s, "0123456789") == "" { // a counter; there are many
		if hidden, ok := r.known[s]; ok && len(s) >= shortest {
			return hidden
		}
		return s
	}
	s = pemBlock.ReplaceAllString(s, "<"+secret+">")
	for _, in := range inTexts {
		s = in.re.ReplaceAllStringFunc(s, func(m string) string {
			g := in.re.FindStringSubmatch(m)
			if in.kind == address {
				return g[1] + r.addresses(g[2])
			}
			return g[1] + r.hide(in.kind, g[2])
		})
	}
	return r.knownIn(s)
}

// shortest is the length from which a value is looked for in texts: a shorter one
// stands in many that have nothing to do with it.
const shortest = 4

// knownIn puts stand-ins for all that is known, where it is not part of a longer word.
func (r *redactor) knownIn(s string) string {
	if r.found == nil {
		all := []string{`^\x00$`} // matches nothing here
		for _, v := range slices.SortedFunc(maps.Keys(r.known), longestFirst) {
			if len(v) >= shortest && utf8.ValidString(v) { // as all texts are that it could stand in
				all = append(all, edge(v[:1])+regexp.QuoteMeta(v)+edge(v[len(v)-1:]))
			}
		}
		r.found = regexp.MustCompile(strings.Join(all, "|"))
	}
	return r.found.ReplaceAllStringFunc(s, func(m string) string { return r.known[m] })
}

// edge is what has to be between a word's first or last byte and its neighbour.
func edge(b string) string {
	if b == "_" || b[0] < unicode.MaxASCII && (unicode.IsLetter(rune(b[0])) || unicode.IsDigit(rune(b[0]))) {
		return `\b`
	}
	return ""
}

func longestFirst(a, b string) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	return strings.Compare(a, b)
}

// tree returns a JSON value with all its texts as others may see them.
func (r *redactor) tree(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.tree(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range sorted(v) {
			out[r.text(name)] = r.tree(v[name])
		}
		return out
	}
	return v
}

package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"xon/gnmi/client"
)

// TestRedactRows: equal values have equal stand-ins.
func TestRedactRows(t *testing.T) {
	t.Parallel()
	got := redactAll(newRedactor(), map[string]client.Rows{
		"TACPLUS":        {"global": {"passkey": "hunter2hunter2", "auth_type": "login", "src_ip": "10.1.2.3"}},
		"TACPLUS_SERVER": {"10.1.2.9": {"tcp_port": "49", "passkey": "hunter2hunter2"}},
		"RADIUS_SERVER":  {"fe80::1": {"passkey": "other"}},
		"SNMP_COMMUNITY": {"public99": {"TYPE": "RO"}},
		"SNMP_USER":      {"alice": {"SNMP_USER_AUTH_PASSWORD": "longlonglong", "SNMP_USER_PERMISSION": "RO"}},
		"NTP_KEY":        {"42": {"type": "md5", "value": "s3cr3t", "trusted": "yes"}},
		"MACSEC_PROFILE": {"x": {"primary_cak": "0123", "cipher_suite": "GCM-AES-128"}},
		"BGP_NEIGHBOR":   {"10.0.0.1": {"auth_password": "bgp-pass", "asn": "65100"}},
		"GNMI":           {"certs": {"server_key": "/etc/k", "server_crt": "/etc/c", "ca_crt": ""}, "gnmi": {"port": "8080"}},
		"MGMT_INTERFACE": {"eth0|192.0.2.10/24": {"gwaddr": "192.0.2.1", "forced_mgmt_routes@": "198.51.100.0/24,192.0.2.1/32"}},
		"SYSLOG_SERVER":  {"192.0.2.1": {"source": "127.0.0.1"}},
		"DEVICE_METADATA": {"localhost": {
			"hostname": "leaf1", "mac": "00:11:22:33:44:55", "hash_key": "SRC_IP", "mgmt_addr": "192.0.2.1", "owner": "bob",
		}},
		"INTERFACE":       {"Ethernet0|10.0.0.0/31": {}},
		"PORT":            {"Ethernet0": {"lanes": "1,2,3,4", "alias": "key to the door", "admin_status": "up"}},
		"SWITCH_HASH":     {"GLOBAL": {"ecmp_hash@": "SRC_IP,DST_IP"}},
		"XON_ROW":         {"SNMP_COMMUNITY|public99": {"state": "ignored"}},
		"XON_ACCEPTED":    {"TACPLUS|global": {"passkey": "hunter2hunter2"}},
		"BUFFER_PG":       {"Ethernet0|3-4": {"profile": "pg_lossless"}},
		"KUBERNETES_NODE": {"x": {"token": "abc.def"}},
	})
	text := ""
	for _, table := range sorted(got) {
		for _, key := range sorted(got[table]) {
			text += table + "|" + key + "\n"
			for _, name := range sorted(got[table][key]) {
				text += "  " + name + " = " + got[table][key][name] + "\n"
			}
		}
	}
	want(t, "redacted", text)
}

func TestRedactText(t *testing.T) {
	t.Parallel()
	r := newRedactor()
	r.row("TACPLUS", "global", map[string]string{"passkey": "hunter2hunter2"})
	r.row("SNMP_COMMUNITY", "lossless", nil)
	r.row("RADIUS", "global", map[string]string{"passkey": "abc"})
	r.row("LDAP", "global", map[string]string{"bind_password": `a"b<c>d`})
	for _, tt := range []struct{ in, want string }{
		{"TACPLUS|global: passkey hunter2hunter2 is too short", "TACPLUS|global: passkey <secret-1> is too short"},
		{"hunter2hunter2x stays, as abc does", "hunter2hunter2x stays, as abc does"},
		{"pg_lossless is a profile, lossless is not", "pg_lossless is a profile, <secret-2> is not"},
		{`said "a"b<c>d"`, `said "<secret-4>"`},
		{"uid 1000 (alice) by unix socket", "uid 1000 (<user-1>) by unix socket"},
		{"uid 0 (root) by unix socket", "uid 0 (root) by unix socket"},
		{"CN=ops SAN=ops@example.net from 10.0.0.1:1234", "CN=<user-2> SAN=<user-3> from <address-1>:1234"},
		{"from [2001:db8::1]:1234 and from 127.0.0.1:9", "from [<address-2>]:1234 and from 127.0.0.1:9"},
		{"/home/alice/x password=letmein99", "/home/<user-1>/x password=<secret-5>"},
		{"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----", "<secret>"},
		{"oid:0x1a00000000001f 00:11:22:33:44:55 10.0.0.0/31", "oid:0x1a00000000001f 00:11:22:33:44:55 10.0.0.0/31"},
	} {
		if got := r.text(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	tree := map[string]any{"hunter2hunter2": []any{"x hunter2hunter2", 1.0, nil}}
	clean := map[string]any{"<secret-1>": []any{"x <secret-1>", 1.0, nil}}
	if d := cmp.Diff(clean, r.tree(tree)); d != "" {
		t.Error(d)
	}
}

// FuzzRedact: no secret of a row is in the text that shows it, wherever it stands.
func FuzzRedact(f *testing.F) {
	f.Add("hunter2hunter2", "the key is ", " or so")
	f.Add(`"\`+"\n"+`(.*)`, "", "")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		r := newRedactor()
		_, fields := r.row("TACPLUS", "global", map[string]string{"passkey": value})
		if len(value) < shortest || !utf8.ValidString(value) || strings.Contains("<secret-1>", value) || value == "root" || value == "admin" {
			return
		}
		if strings.Contains(fields["passkey"], value) {
			t.Errorf("row: %v", fields)
		}
		if got := r.text(before + " " + value + " " + after); strings.Contains(" "+got+" ", " "+value+" ") && !strings.Contains(before+after, value) {
			t.Errorf("text: %q has %q", got, value)
		}
	})
}

// redactAll returns tables as others may see them.
func redactAll(r *redactor, tables map[string]client.Rows) map[string]client.Rows {
	out := map[string]client.Rows{}
	for _, table := range sorted(tables) {
		out[table] = client.Rows{}
		for _, key := range sorted(tables[table]) {
			k, fields := r.row(table, key, tables[table][key])
			out[table][k] = fields
		}
	}
	return out
}

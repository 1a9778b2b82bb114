package translate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/path"
	"xon/gnmi/translate"
)

func mustPath(t *testing.T, text string) *gpb.Path {
	t.Helper()
	p, err := path.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// prefix reads "target" or "target origin:/path".
func prefix(t *testing.T, text string) *gpb.Path {
	t.Helper()
	if text == "" {
		return nil
	}
	target, rest, _ := strings.Cut(text, " ")
	p := mustPath(t, rest)
	p.Target = target
	return p
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ prefix, path, want string }{
		// The spellings of a database.
		{"", "sonic-db:/CONFIG_DB/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{"", "sonic_db:/CONFIG_DB/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{"", "/sonic-db:CONFIG_DB/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{"", "/sonic_db:CONFIG_DB/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{"", "/CONFIG_DB/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{"CONFIG_DB", "/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{"CONFIG_DB", "/", "sonic-db:/CONFIG_DB"},
		{"CONFIG_DB", "/STATE_DB/PORT", "sonic-db:/STATE_DB/PORT"},
		{"sw1", "sonic-db:/CONFIG_DB", "sonic-db:/CONFIG_DB"},
		{" sonic-db:/CONFIG_DB", "/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{" sonic-db:/", "/CONFIG_DB", "sonic-db:/CONFIG_DB"},
		{"", "sonic-db:/CONFIG_DB/localhost", "sonic-db:/CONFIG_DB"},
		{"", "sonic-db:/CONFIG_DB/localhost/PORT", "sonic-db:/CONFIG_DB/PORT"},
		{" sonic-db:/CONFIG_DB/localhost", "/PORT", "sonic-db:/CONFIG_DB/PORT"},
		// The elements behind it.
		{"", "/CONFIG_DB/BUFFER_PG/Ethernet0|3-4/profile", "sonic-db:/CONFIG_DB/BUFFER_PG/Ethernet0|3-4/profile"},
		{"", "/CONFIG_DB/VLAN_INTERFACE/Vlan1|10.0.0.0~124", `sonic-db:/CONFIG_DB/VLAN_INTERFACE/Vlan1|10.0.0.0\/24`},
		{"", "/CONFIG_DB/ACL_RULE/a~01b~0~2", `sonic-db:/CONFIG_DB/ACL_RULE/a~1b~~2`},
		{"", "/CONFIG_DB/PORT/...", "sonic-db:/CONFIG_DB/PORT"},
		{"", "/CONFIG_DB/*/Ethernet*", "sonic-db:/CONFIG_DB/*/Ethernet*"},
		{"", "/COUNTERS_DB/COUNTERS_PORT_NAME_MAP/Ethernet0", "sonic-db:/COUNTERS_DB/COUNTERS_PORT_NAME_MAP/Ethernet0"},
		{"", "/COUNTERS_DB/COUNTERS/oid:0x1/X", "sonic-db:/COUNTERS_DB/COUNTERS/oid:0x1/X"},
		{"", "/COUNTERS_DB/COUNTERS/*", "sonic-db:/COUNTERS_DB/COUNTERS/*"},
		{"COUNTERS_DB", "/COUNTERS/Ethernet*/X", "sonic-db:/COUNTERS_DB/COUNTERS/Ethernet*/X"},
		{"COUNTERS_DB", "/COUNTERS/Ethernet0/Queues", "sonic-db:/COUNTERS_DB/COUNTERS/Ethernet0/Queues"},
		{"COUNTERS_DB", "/USER_WATERMARKS/Ethernet0/PriorityGroups/*/X", "sonic-db:/COUNTERS_DB/USER_WATERMARKS/Ethernet0/PriorityGroups/*/X"},
	}
	for _, tt := range tests {
		q, err := translate.Parse(prefix(t, tt.prefix), mustPath(t, tt.path))
		if err != nil || len(q) != 1 {
			t.Errorf("Parse(%q, %q) = %v, %v", tt.prefix, tt.path, q, err)
			continue
		}
		if got := q[0].String(); got != tt.want {
			t.Errorf("Parse(%q, %q) = %s, want %s", tt.prefix, tt.path, got, tt.want)
		}
		if got := path.String(q[0].Whole(q[0].Asked()...)); strings.Contains(got, "localhost") != strings.Contains(tt.prefix+tt.path, "localhost") {
			t.Errorf("Parse(%q, %q) is echoed as %s", tt.prefix, tt.path, got)
		}
	}
}

func TestParseRoot(t *testing.T) {
	t.Parallel()
	for text, first := range map[string]string{"/": "/sonic-db:APPL_DB", "sonic-db:/": "sonic-db:/APPL_DB", "sonic-db:/*/PORT": "sonic-db:/APPL_DB/PORT"} {
		all, err := translate.Parse(nil, mustPath(t, text))
		if err != nil || len(all) != 7 {
			t.Fatalf("%s: %v, %v", text, all, err)
		}
		if got := path.String(all[0].Whole(all[0].Asked()...)); got != first {
			t.Errorf("%s begins with %s, want %s", text, got, first)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		prefix, path string
		code         codes.Code
		want         string
	}{
		{"", "/interfaces/interface[name=Ethernet0]", codes.Unimplemented, "openconfig"},
		{"", "openconfig:/qos", codes.Unimplemented, `origin "openconfig"`},
		{"OTHERS", "/proc", codes.Unimplemented, "openconfig"},
		{"", "sonic-db:/CONFIG", codes.NotFound, "APPL_DB, APPL_STATE_DB, ASIC_DB"},
		{"", "/sonic-db:CONFIG/PORT", codes.NotFound, `no database "CONFIG"`},
		{"", "/CONFIG_DB/PORT[name=Ethernet0]", codes.InvalidArgument, "has keys"},
		{"", "/CONFIG_DB/PORT/Ethernet0/mtu/x", codes.NotFound, "deeper"},
		{"", "/COUNTERS_DB/COUNTERS/Ethernet0/Queues/Ethernet0:1/X/y", codes.NotFound, "deeper"},
		{"", "/COUNTERS_DB/COUNTERS_PORT_NAME_MAP/Ethernet0/x", codes.NotFound, "deeper"},
		{"", "/CONFIG_DB/.../mtu", codes.InvalidArgument, "last"},
		{" sonic-db:/", "sonic-db:/CONFIG_DB", codes.InvalidArgument, "origin"},
	}
	for _, tt := range tests {
		_, err := translate.Parse(prefix(t, tt.prefix), mustPath(t, tt.path))
		if status.Code(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q, %q): %v, want %v with %q", tt.prefix, tt.path, err, tt.code, tt.want)
		}
	}
}

// An answer is spelled as the question was.
func TestEcho(t *testing.T) {
	t.Parallel()
	tests := []struct{ prefix, path, wantPrefix, wantUnder, wantWhole string }{
		{"", "sonic-db:/CONFIG_DB/PORT", "/", "sonic-db:/CONFIG_DB/PORT/Ethernet0", "sonic-db:/CONFIG_DB/PORT/Ethernet0"},
		{"sw1 sonic-db:/CONFIG_DB/localhost", "/PORT", "sonic-db:/CONFIG_DB/localhost", "/PORT/Ethernet0", "sonic-db:/CONFIG_DB/localhost/PORT/Ethernet0"},
		{"CONFIG_DB", "/PORT", "/", "/PORT/Ethernet0", "/PORT/Ethernet0"},
		{"", "/sonic-db:CONFIG_DB/PORT", "/", "/sonic-db:CONFIG_DB/PORT/Ethernet0", "/sonic-db:CONFIG_DB/PORT/Ethernet0"},
		{" sonic-db:/CONFIG_DB/*", "/Ethernet0", "sonic-db:/", "/CONFIG_DB/PORT/Ethernet0", "sonic-db:/CONFIG_DB/PORT/Ethernet0"},
	}
	for _, tt := range tests {
		all, err := translate.Parse(prefix(t, tt.prefix), mustPath(t, tt.path))
		if err != nil {
			t.Fatal(err)
		}
		q := all[0]
		got := []string{path.String(q.Prefix()), path.String(q.Under("PORT", "Ethernet0")), path.String(q.Whole("PORT", "Ethernet0"))}
		if d := cmp.Diff([]string{tt.wantPrefix, tt.wantUnder, tt.wantWhole}, got); d != "" {
			t.Errorf("%q %q (-want +got):\n%s", tt.prefix, tt.path, d)
		}
		if target := q.Whole().GetTarget(); target != prefix(t, tt.prefix).GetTarget() {
			t.Errorf("%q %q: target %q", tt.prefix, tt.path, target)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"sonic-db:/CONFIG_DB/PORT/*", "/sonic-db:COUNTERS_DB/COUNTERS/Ethernet*/Queues", "/", "sonic-db:/*"} {
		f.Add("CONFIG_DB", s)
	}
	f.Fuzz(func(t *testing.T, target, text string) {
		p, err := path.Parse(text)
		if err != nil {
			return
		}
		all, err := translate.Parse(&gpb.Path{Target: target}, p)
		if err != nil {
			if status.Code(err) == codes.Unknown {
				t.Fatalf("%q: no code: %v", text, err)
			}
			return
		}
		for _, q := range all {
			again, err := translate.Parse(nil, q.Path())
			if err != nil || len(again) != 1 || again[0].String() != q.String() {
				t.Fatalf("%q is %s, which is %v, %v", text, q, again, err)
			}
		}
	})
}

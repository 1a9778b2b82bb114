package contract

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xon/schema/asicdb"
	"xon/schema/redisdb"
)

// cli is redis-cli, for what is not a row.
func (s *site) cli(db redisdb.ID, args ...string) string {
	s.Helper()
	out, err := exec.Command("redis-cli", append([]string{"-s", filepath.Join(s.dir, "redis/redis.sock"), "-n", fmt.Sprint(int(db))}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("redis-cli %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// objects counts the objects in ASIC_DB by type, and those of each type that have each
// attribute.
func (s *site) objects() (census map[string]int, attrs map[string]map[string]int) {
	s.Helper()
	rows, err := s.db.DB(redisdb.ASICDB).All(s.Context(), redisdb.ASICDB.Pattern(asicdb.StateTable))
	must(s, err)
	census, attrs = map[string]int{}, map[string]map[string]int{}
	for key, f := range rows {
		typ, _, _ := asicdb.ParseObjectKey(key)
		typ = strings.TrimPrefix(typ, "SAI_OBJECT_TYPE_")
		census[typ]++
		if attrs[typ] == nil {
			attrs[typ] = map[string]int{}
		}
		for name := range f {
			attrs[typ][name]++
		}
	}
	return census, attrs
}

// TestInitial: what SONiC's tests of its virtual switch count on.
func TestInitial(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch(), "--profile", "default")
	census, attrs := s.objects()
	for typ, n := range map[string]int{
		"PORT": 33, "INGRESS_PRIORITY_GROUP": 32 * 8, "SCHEDULER_GROUP": 32 * 13, "HASH": 2, "VLAN": 1, "VIRTUAL_ROUTER": 1, "HOSTIF": 32,
		"ACL_TABLE": 0, "ACL_ENTRY": 0, "BUFFER_POOL": 3, "BUFFER_PROFILE": 3, "QOS_MAP": 4, "SCHEDULER": 2, "WRED": 1,
	} {
		if census[typ] != n {
			t.Errorf("%d objects of type %s, want %d", census[typ], typ, n)
		}
	}
	if n := census["QUEUE"]; n < 32*20 {
		t.Errorf("%d queues, want 20 for each port", n)
	}
	// An attribute is there once it was set, and not before: no port has a map yet.
	for _, name := range slices.Sorted(maps.Keys(attrs["PORT"])) {
		if strings.Contains(name, "_QOS_") && strings.Contains(name, "_MAP") {
			t.Errorf("%d ports have %s", attrs["PORT"][name], name)
		}
	}
	if n := attrs["PORT"]["SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"]; n != 0 {
		t.Errorf("%d ports have a mask of priorities", n)
	}
	s.placeholders()
	s.reads("sonic-swss' tests",
		read{redisdb.ASICDB, "VIDTORID", want{"{port Ethernet0}": "{port Ethernet0}"}},
		read{redisdb.ASICDB, "HIDDEN", want{"*": "~oid:0x[0-9a-f]+", "SAI_SWITCH_ATTR_CPU_PORT": some, "SAI_SWITCH_ATTR_DEFAULT_VLAN_ID": some}},
		read{redisdb.ASICDB, "LANES", want{"25": "{port Ethernet0}", "*": "~oid:0x[0-9a-f]+"}},
		read{redisdb.ApplDB, "PORT_TABLE:PortConfigDone", want{"count": "32"}},
		read{redisdb.ApplDB, "PORT_TABLE:PortInitDone", want{"lanes": "0"}},
		read{redisdb.StateDB, "PORT_TABLE|Ethernet0", want{"state": "ok"}},
	)
}

// placeholders checks an object that nobody has set an attribute of.
func (s *site) placeholders() {
	s.Helper()
	key := s.cli(redisdb.ASICDB, "--scan", "--pattern", "ASIC_STATE:SAI_OBJECT_TYPE_SCHEDULER_GROUP:*")
	key, _, _ = strings.Cut(key, "\n")
	if got := s.cli(redisdb.ASICDB, "HGETALL", key); got != "NULL\nNULL" {
		s.Errorf("%s is %q, want the placeholder", key, got)
	}
}

// TestServer: how the server is set up, and which databases it has.
func TestServer(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	for name, ok := range map[string]func(string) bool{
		"notify-keyspace-events": func(v string) bool {
			return strings.Contains(v, "A") && strings.Contains(v, "K") && strings.Contains(v, "E")
		},
		"client-output-buffer-limit": func(v string) bool { return strings.Contains(v, "pubsub 0 0 0") },
		"databases":                  func(v string) bool { return v == "100" },
	} {
		_, value, _ := strings.Cut(s.cli(redisdb.ApplDB, "CONFIG", "GET", name), "\n")
		if !ok(value) {
			t.Errorf("%s is %q", name, value)
		}
	}
	if got := s.cli(redisdb.ConfigDB, "GET", "CONFIG_DB_INITIALIZED"); got != "1" {
		t.Errorf("CONFIG_DB_INITIALIZED is %q: the tools would wait for ever", got)
	}
	if got := s.cli(20, "DBSIZE"); got != "0" {
		t.Errorf("the last database that SONiC names: %s", got)
	}
}

// TestASICForms: the text of values in ASIC_DB.
func TestASICForms(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.set("PORT_QOS_MAP|Ethernet0", redisdb.Fields{"pfc_enable": "3,4", "dscp_to_tc_map": "AZURE"})
	s.set("BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0", redisdb.Fields{"profile_list@": "ingress_lossy_profile"})
	s.set("DSCP_TO_TC_MAP|ONE", redisdb.Fields{"7": "2"})
	s.set("TC_TO_DSCP_MAP|ONE", redisdb.Fields{"2": "7"})
	s.reads("everybody",
		read{redisdb.ASICDB, "ASIC_STATE:SAI_OBJECT_TYPE_PORT:{port Ethernet0}", want{
			"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL":           "24",
			"SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP":              "~oid:0x14[0-9a-f]{12}",
			"SAI_PORT_ATTR_QOS_INGRESS_BUFFER_PROFILE_LIST": "~1:oid:0x19[0-9a-f]{12}",
			"NULL": gone,
		}},
		s.object("BUFFER_PROFILE", "SAI_BUFFER_PROFILE_ATTR_SHARED_STATIC_TH", "12766208", want{
			"SAI_BUFFER_PROFILE_ATTR_RESERVED_BUFFER_SIZE": "0", "SAI_BUFFER_PROFILE_ATTR_POOL_ID": "{pool egress_lossless_pool}",
			"SAI_BUFFER_PROFILE_ATTR_THRESHOLD_MODE": "SAI_BUFFER_PROFILE_THRESHOLD_MODE_STATIC",
		}),
		s.object("WRED", "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD", "1048576", want{
			"SAI_WRED_ATTR_GREEN_ENABLE": "true", "SAI_WRED_ATTR_ECN_MARK_MODE": "SAI_ECN_MARK_MODE_ALL", "SAI_WRED_ATTR_WEIGHT": "0",
		}),
		s.object("QOS_MAP", "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST", oneEntry(key("dscp", 7), key("tc", 2)), want{
			"SAI_QOS_MAP_ATTR_TYPE": "SAI_QOS_MAP_TYPE_DSCP_TO_TC",
		}),
		s.object("QOS_MAP", "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST", oneEntry(key("tc", 2), key("dscp", 7)), want{
			"SAI_QOS_MAP_ATTR_TYPE": "SAI_QOS_MAP_TYPE_TC_AND_COLOR_TO_DSCP",
		}),
	)
	s.remove("BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0", "PORT_QOS_MAP|Ethernet0")
	s.reads("everybody", read{redisdb.ASICDB, "ASIC_STATE:SAI_OBJECT_TYPE_PORT:{port Ethernet0}", want{
		"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL":           "0",
		"SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP":              "oid:0x0",
		"SAI_PORT_ATTR_QOS_INGRESS_BUFFER_PROFILE_LIST": "0:null",
	}})
}

// oneEntry is a map of one entry, of members that are there whether they mean anything
// or not.
func oneEntry(key, value string) string {
	return fmt.Sprintf(`{"count":1,"list":[{"key":%s,"value":%s}]}`, key, value)
}

func key(name string, n int) string {
	text := `{"color":"SAI_PACKET_COLOR_GREEN","dot1p":0,"dscp":0,"fc":0,"mpls_exp":0,"pg":0,"prio":0,"qidx":0,"tc":0}`
	return strings.Replace(text, fmt.Sprintf(`"%s":0`, name), fmt.Sprintf(`"%s":%d`, name, n), 1)
}

// object is a read of the object of a type that has a value, when there is one.
func (s *site) object(typ, attr, value string, w want) read {
	s.Helper()
	var at string
	s.eventually("a "+typ+" with "+attr+"="+value, func() error {
		rows, err := s.db.DB(redisdb.ASICDB).All(s.Context(), redisdb.ASICDB.Pattern(asicdb.StateTable+":SAI_OBJECT_TYPE_"+typ))
		for key, f := range rows {
			if f[attr] == value {
				at = key
				return nil
			}
		}
		if err == nil {
			have := map[string]bool{}
			for _, f := range rows {
				have[f[attr]] = true
			}
			err = fmt.Errorf("%d have %q", len(rows), slices.Sorted(maps.Keys(have)))
		}
		return err
	})
	return read{redisdb.ASICDB, at, w}
}

package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/test/scale"
)

// load is a configuration of n ports with rows of every table.
func load(n int) configdb.RawRows {
	rows := scale.Load(n)
	rows["DEVICE_METADATA|localhost"] = configdb.Fields{"hostname": "faults"}
	rows["SCHEDULER|strict"] = configdb.Fields{"type": "STRICT"}
	rows["SCHEDULER|shared"] = configdb.Fields{"type": "DWRR", "weight": "20"}
	rows["BUFFER_POOL|egress_lossy_pool"] = configdb.Fields{"type": "egress", "mode": "dynamic", "size": "2097152"}
	rows["BUFFER_PROFILE|egress_lossy"] = configdb.Fields{"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "1"}
	for _, g := range []string{"PORT", "QUEUE", "PG_DROP", "PG_WATERMARK", "BUFFER_POOL_WATERMARK"} {
		rows[configdb.Key("FLEX_COUNTER_TABLE", g)] = configdb.Fields{"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": "1000"}
	}
	for i := range n {
		p := scale.PortName(i)
		rows[configdb.Key("QUEUE", p+"|5-6")] = configdb.Fields{"scheduler": "shared"}
		rows[configdb.Key("BUFFER_PORT_INGRESS_PROFILE_LIST", p)] = configdb.Fields{"profile_list": "ingress_lossy_profile"}
		rows[configdb.Key("BUFFER_PORT_EGRESS_PROFILE_LIST", p)] = configdb.Fields{"profile_list": "egress_lossy"}
	}
	return rows
}

// derived is a configuration whose lossless priority groups the traditional model derives.
func derived(n int) configdb.RawRows {
	rows := load(n)
	delete(rows, "BUFFER_PROFILE|pg_lossless_100000_5m_profile")
	cables := configdb.Fields{}
	for i := range n {
		delete(rows, configdb.Key("BUFFER_PG", scale.PortName(i)+"|3-4"))
		cables[scale.PortName(i)] = "5m"
	}
	rows["CABLE_LENGTH|AZURE"] = cables
	return rows
}

// computed is a configuration whose headroom the dynamic model computes.
func computed(n int) configdb.RawRows {
	rows := derived(n)
	rows["DEVICE_METADATA|localhost"] = configdb.Fields{"hostname": "faults", "buffer_model": configdb.Dynamic}
	rows["DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE"] = configdb.Fields{"default_dynamic_th": "0"}
	rows["LOSSLESS_TRAFFIC_PATTERN|AZURE"] = configdb.Fields{"mtu": "1024", "small_packet_percentage": "100"}
	for i := range n {
		rows[configdb.Key("BUFFER_PG", scale.PortName(i)+"|3-4")] = configdb.Fields{"profile": configdb.DynamicHeadroom}
	}
	return rows
}

// lookupFile has headroom for the ports of package scale.
const lookupFile = "100000 5m 4096 2048 8192 -3\n100000 40m 4096 2048 12288 -3\n"

// edit is one change of one row.
type edit struct {
	row    configdb.RowKey
	fields configdb.Fields // nil: the row is removed
	whole  bool            // fields replace the row; otherwise they are merged into it
	text   bool            // the key is made a string, which is no row
}

// writer draws changes at random: good ones, bad ones, those of strangers.
type writer struct {
	*rand.Rand
	first configdb.RawRows // what it begins with, and goes back to now and again
	rows  configdb.RawRows // what it believes to be there
	ports []string
}

func newWriter(rng *rand.Rand, rows configdb.RawRows) *writer {
	w := &writer{Rand: rng, first: rows, rows: maps.Clone(rows)}
	w.ports = w.names("PORT")
	return w
}

// names are the keys of a table's rows, in order.
func (w *writer) names(table string) []string {
	var names []string
	for k := range w.rows {
		if k.Table() == table {
			names = append(names, k.Key())
		}
	}
	slices.Sort(names)
	return names
}

func pick[T any](w *writer, of ...T) T { return of[w.IntN(len(of))] }

// oneOf is one of a table's names, or one that is not there.
func (w *writer) oneOf(table string) string {
	names := w.names(table)
	if len(names) == 0 || w.IntN(12) == 0 {
		return "nowhere"
	}
	return pick(w, names...)
}

// next draws changes that belong together.
func (w *writer) next() []edit {
	var edits []edit
	switch w.IntN(20) {
	case 0, 1, 2:
		edits = w.restore()
	case 3:
		edits = w.stranger()
	case 4:
		edits = w.removeAny()
	case 5, 6, 7:
		edits = w.port()
	case 8, 9, 10:
		edits = w.profile()
	case 11:
		edits = w.pool()
	case 12, 13:
		edits = w.scheduler()
	case 14, 15:
		edits = w.input()
	default:
		edits = w.binding()
	}
	// A port that goes and comes back has other ids, by which the chip's own objects are
	// told apart here. Ports come and go in the random walks of package orchagent.
	edits = slices.DeleteFunc(edits, func(e edit) bool { return e.fields == nil && e.row.Table() == "PORT" })
	for _, e := range edits {
		switch {
		case e.fields == nil:
			delete(w.rows, e.row)
		case e.whole:
			w.rows[e.row] = e.fields
		default:
			f := maps.Clone(w.rows[e.row])
			if f == nil {
				f = configdb.Fields{}
			}
			maps.Copy(f, e.fields)
			w.rows[e.row] = f
		}
	}
	return edits
}

// restore puts some rows back to what they were at first.
func (w *writer) restore() []edit {
	var edits []edit
	for _, k := range slices.Sorted(maps.Keys(w.first)) {
		if have := w.rows[k]; !maps.Equal(have, w.first[k]) && w.IntN(2) == 0 {
			edits = append(edits, edit{row: k, fields: w.first[k], whole: true})
		}
		if len(edits) == 12 {
			break
		}
	}
	return edits
}

// stranger writes what is not xon's, or not a row.
func (w *writer) stranger() []edit {
	n := strconv.Itoa(w.IntN(4))
	k := pick(w, "NTP_SERVER|10.0.0."+n, "VLAN|Vlan"+n, "BUFFER_PG|Ethernet0|x"+n, "PORT|", "QUEUE|Ethernet0", "SCHEDULER|s p a c e"+n, "PORT_QOS_MAP|\xff"+n)
	switch w.IntN(4) {
	case 0:
		return []edit{{row: configdb.RowKey(k)}}
	case 1:
		k = pick(w, "BUFFER_PG|"+pick(w, w.ports...)+"|0", "SCHEDULER|shared", "WRED_PROFILE|AZURE_LOSSLESS", k)
		return []edit{{row: configdb.RowKey(k), fields: configdb.NotHash(), whole: true, text: true}}
	}
	return []edit{{row: configdb.RowKey(k), fields: configdb.Fields{"iburst": "on", "scheduler": "strict"}, whole: w.IntN(2) == 0}}
}

func (w *writer) removeAny() []edit {
	keys := slices.Sorted(maps.Keys(w.rows))
	k := keys[w.IntN(len(keys))]
	if k.Table() == "DEVICE_METADATA" {
		return nil
	}
	return []edit{{row: k}}
}

// port changes a port, or removes all that is about it.
func (w *writer) port() []edit {
	name := pick(w, w.ports...)
	k := configdb.Key("PORT", name)
	switch w.IntN(8) {
	case 0, 1:
		var edits []edit
		for other := range w.rows {
			if other != k && other.Key() == name || strings.HasPrefix(other.Key(), name+"|") {
				edits = append(edits, edit{row: other})
			}
		}
		slices.SortFunc(edits, func(a, b edit) int { return strings.Compare(string(b.row), string(a.row)) })
		return edits
	case 2, 3:
		return []edit{{row: k, fields: w.first[k], whole: true}}
	}
	if w.rows[k] == nil {
		return nil
	}
	return []edit{{row: k, fields: pick(w,
		configdb.Fields{"mtu": pick(w, "1500", "4000", "9216", "99999", "much")},
		configdb.Fields{"admin_status": pick(w, "up", "down", "sideways")},
		configdb.Fields{"fec": pick(w, "rs", "none")},
	)}}
}

func (w *writer) profile() []edit {
	pool := pick(w, "ingress_lossless_pool", "ingress_lossless_pool", "egress_lossless_pool", "egress_lossy_pool", w.oneOf("BUFFER_POOL"))
	k := configdb.Key("BUFFER_PROFILE", pick(w, w.oneOf("BUFFER_PROFILE"), "p"+strconv.Itoa(w.IntN(4))))
	if w.IntN(4) == 0 {
		return []edit{{row: k}}
	}
	if w.rows[k] != nil && w.IntN(2) == 0 {
		return []edit{{row: k, fields: configdb.Fields{"dynamic_th": strconv.Itoa(w.IntN(19) - 9)}}}
	}
	f := configdb.Fields{"pool": pool, "size": pick(w, "0", "1664", "4096")}
	if pool == "egress_lossless_pool" || w.IntN(5) == 0 {
		f["static_th"] = strconv.Itoa(1000 + w.IntN(99999))
	} else {
		f["dynamic_th"] = strconv.Itoa(w.IntN(12) - 6)
	}
	if strings.HasPrefix(pool, "ingress") && w.IntN(2) == 0 {
		f["xon"], f["xoff"] = "18432", strconv.Itoa(9000+w.IntN(9000))
	}
	return []edit{{row: k, fields: f, whole: true}}
}

func (w *writer) pool() []edit {
	k := configdb.Key("BUFFER_POOL", pick(w, w.oneOf("BUFFER_POOL"), "in2"))
	switch w.IntN(5) {
	case 0:
		return []edit{{row: k}}
	case 1:
		return []edit{{row: k, fields: configdb.Fields{"type": pick(w, "ingress", "egress"), "mode": "dynamic", "size": strconv.Itoa(1000000 + w.IntN(2000000))}, whole: true}}
	}
	if f := w.first[k]; f != nil {
		return []edit{{row: k, fields: f, whole: true}}
	}
	return nil
}

// input changes what headroom comes from, for better or worse.
func (w *writer) input() []edit {
	k, f := configdb.RowKey("CABLE_LENGTH|AZURE"), configdb.Fields{pick(w, w.ports...): pick(w, "5m", "5m", "40m", "40m", "0m", "", "abc", "7")}
	switch w.IntN(8) {
	case 0:
		k, f = "LOSSLESS_TRAFFIC_PATTERN|AZURE", configdb.Fields{"mtu": pick(w, "1024", "1500", "", "x")}
	case 1:
		k, f = "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", configdb.Fields{"default_dynamic_th": pick(w, "0", "1", "-1", "", "x")}
	case 2:
		k, f = configdb.Key("BUFFER_PG", pick(w, w.ports...)+"|3-4"), configdb.Fields{"profile": pick(w, "nonesuch", configdb.DynamicHeadroom)}
	}
	if w.first[k] == nil && k.Table() != "BUFFER_PG" {
		return nil
	}
	return []edit{{row: k, fields: f}}
}

func (w *writer) scheduler() []edit {
	if w.IntN(3) == 0 {
		k := configdb.Key("WRED_PROFILE", pick(w, "AZURE_LOSSLESS", "w0", "w1"))
		low, high := 1000+w.IntN(2000000), 1000+w.IntN(2000000)
		if w.IntN(4) > 0 && low > high {
			low, high = high, low
		}
		return []edit{{row: k, fields: configdb.Fields{
			"ecn": pick(w, "ecn_all", "ecn_none"), "wred_green_enable": "true", "green_min_threshold": strconv.Itoa(low),
			"green_max_threshold": strconv.Itoa(high), "green_drop_probability": strconv.Itoa(1 + w.IntN(100)),
		}, whole: true}}
	}
	if w.IntN(6) == 0 {
		k := configdb.Key(pick(w, "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP"), "AZURE")
		return []edit{{row: k, fields: configdb.Fields{strconv.Itoa(w.IntN(8)): strconv.Itoa(w.IntN(9))}}}
	}
	k := configdb.Key("SCHEDULER", pick(w, w.oneOf("SCHEDULER"), "s"+strconv.Itoa(w.IntN(3))))
	if w.IntN(4) == 0 {
		return []edit{{row: k}}
	}
	return []edit{{row: k, whole: true, fields: pick(w,
		configdb.Fields{"type": "STRICT"}, configdb.Fields{"type": "DWRR", "weight": strconv.Itoa(1 + w.IntN(110))},
		configdb.Fields{"type": "DWRR", "weight": "9", "pir": "1250000000"},
	)}}
}

// binding ties a priority group, a queue or a port to something.
func (w *writer) binding() []edit {
	port := pick(w, w.ports...)
	span := pick(w, "0", "3-4", "3", "0-2", "2-5", strconv.Itoa(w.IntN(9)))
	table := pick(w, "BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST")
	k := configdb.Key(table, port)
	if strings.HasPrefix(table, "BUFFER_PG") || strings.HasSuffix(table, "QUEUE") {
		k = configdb.Key(table, port+"|"+span)
	}
	if w.IntN(3) == 0 {
		return []edit{{row: k}}
	}
	f := configdb.Fields{"profile": w.oneOf("BUFFER_PROFILE")}
	switch table {
	case "QUEUE":
		f = configdb.Fields{"scheduler": w.oneOf("SCHEDULER")}
		if w.IntN(2) == 0 {
			f["wred_profile"] = w.oneOf("WRED_PROFILE")
		}
	case "PORT_QOS_MAP":
		f = configdb.Fields{"pfc_enable": pick(w, "3,4", "3", "", "2,3", "9")}
	case "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST":
		f = configdb.Fields{"profile_list": w.oneOf("BUFFER_PROFILE")}
	}
	return []edit{{row: k, fields: f, whole: w.IntN(2) == 0}}
}

// batch writes changes as another program would.
func batch(b *redisdb.Batch, edits []edit) {
	for _, e := range edits {
		k := string(e.row)
		switch {
		case e.text:
			b.SetText(k, "text")
		case e.fields == nil:
			b.Delete(k)
		case e.whole:
			b.Replace(k, redisdb.Fields(e.fields))
		default:
			b.Set(k, redisdb.Fields(e.fields))
		}
	}
}

// request asks for changes by gNMI; nil if it can't.
func request(edits []edit) *gpb.SetRequest {
	req := &gpb.SetRequest{}
	for _, e := range edits {
		p := client.Path("CONFIG_DB", e.row.Table(), e.row.Key())
		switch {
		case e.text || e.row.Key() == "" || strings.Contains(string(e.row), "\xff"):
			return nil
		case e.fields == nil:
			req.Delete = append(req.Delete, p)
		case e.whole:
			req.Replace = append(req.Replace, client.Update(p, document(e.fields)))
		default:
			req.Update = append(req.Update, client.Update(p, document(e.fields)))
		}
	}
	return req
}

func document(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("maps of strings are always JSON: %v", err))
	}
	return text
}

// file asks for a whole configuration; with replace nothing else stays.
func file(rows configdb.RawRows, replace bool) *gpb.SetRequest {
	tree := map[string]map[string]configdb.Fields{}
	for k, f := range rows {
		if tree[k.Table()] == nil {
			tree[k.Table()] = map[string]configdb.Fields{}
		}
		tree[k.Table()][k.Key()] = f
	}
	u := client.Update(client.Path("CONFIG_DB"), document(tree))
	if replace {
		return &gpb.SetRequest{Replace: []*gpb.Update{u}}
	}
	return &gpb.SetRequest{Update: []*gpb.Update{u}}
}

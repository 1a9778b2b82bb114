package scenario_test

import (
	"strings"
	"testing"
)

// routed is two pairs of flows at a switch of the configuration that other tests have.
const routed = `duration: 2ms
topology:
  star: {hosts: 2, rate: 100G, length: 5m}
  hosts: {h1: HOST1, h2: HOST2}
switch:
  chip: th
  config: testdata/traditional/config_db.json
  rows: {ROWS}
workloads: {w: {pattern: pairs, from: [h1, h2], to: [h2, h1], bytes: 100KB}}
assert: [drops == 0, unfinished == 0, delivered == 200KB]
`

// TestAddresses: hosts of IPv4 and IPv6, with addresses of their own or those that rows
// leave to them, reach each other by interfaces, neighbours, routes and VLANs that rows
// alone give, and by rows that the scenario makes.
func TestAddresses(t *testing.T) {
	const mac1, mac2 = `neigh: "02:78:6f:6e:00:01"`, `neigh: "02:78:6f:6e:00:02"`
	for _, c := range []struct{ name, host1, host2, rows, err, warning string }{
		{name: "none"},
		{name: "IPv4, rows of the scenario", host1: "{address: 192.0.2.2/24}", host2: "{address: 198.51.100.1/24}"},
		{name: "IPv6, rows of the scenario", host1: `{address: "2001:db8:1::2/64"}`, host2: `{address: "2001:db8:2::1/64"}`},
		{
			name: "IPv4, rows alone", host1: "{address: 192.0.2.2/24}", host2: "{address: 198.51.100.2/24}",
			rows: `INTERFACE: {Ethernet0: {}, "Ethernet0|192.0.2.1/24": {}, Ethernet4: {}, "Ethernet4|198.51.100.1/24": {}}, ` +
				`NEIGH: {"Ethernet0|192.0.2.2": {` + mac1 + `, family: IPv4}, "Ethernet4|198.51.100.2": {` + mac2 + `, family: IPv4}}`,
		},
		{
			name: "IPv6, neighbours learned", host1: `{address: "2001:db8:1::2/64"}`, host2: `{address: "2001:db8:2::2/64"}`,
			rows: `INTERFACE: {Ethernet0: {}, "Ethernet0|2001:db8:1::1/64": {}, Ethernet4: {}, "Ethernet4|2001:db8:2::1/64": {}}`,
		},
		{
			name: "IPv4, a route", host1: "{address: 192.0.2.2/24}", host2: "{address: 203.0.113.9/24}",
			rows: `INTERFACE: {Ethernet0: {}, "Ethernet0|192.0.2.1/24": {}, Ethernet4: {}, "Ethernet4|198.51.100.1/24": {}}, ` +
				`NEIGH: {"Ethernet4|198.51.100.2": {` + mac2 + `, family: IPv4}}, ` +
				`STATIC_ROUTE: {"default|203.0.113.0/24": {nexthop: 198.51.100.2, ifname: Ethernet4}}`,
			warning: "its rows give Ethernet4 no network with 203.0.113.9, the address of h2",
		},
		{
			name: "addresses that rows leave",
			rows: `INTERFACE: {Ethernet0: {}, "Ethernet0|10.0.0.0/31": {}, Ethernet4: {}, "Ethernet4|10.0.0.3/31": {}}`,
		},
		{
			name: "a VLAN",
			rows: `VLAN: {Vlan7: {vlanid: 7}}, VLAN_MEMBER: {"Vlan7|Ethernet0": {tagging_mode: untagged}, "Vlan7|Ethernet4": {tagging_mode: untagged}}, ` +
				`VLAN_INTERFACE: {Vlan7: {}, "Vlan7|192.168.0.1/24": {}}`,
		},
		{name: "one network", host1: "{address: 192.0.2.2/24}", host2: "{address: 192.0.2.3/24}", err: "hosts h1 and h2 are in one network, 192.0.2.2/24 and 192.0.2.3/24, at routed ports of sw1"},
		{name: "no network", host1: "{address: 192.0.2.2/32}", err: "host h1: address 192.0.2.2/32: want a network with room for its router"},
		{name: "two families", host1: "{address: 192.0.2.2/24}", host2: `{address: "2001:db8:2::2/64"}`, err: "h1 has an address of IPv4, h2 one of IPv6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := simulate(t, strings.NewReplacer("HOST1", c.host1, "HOST2", c.host2, "ROWS", c.rows).Replace(routed))
			if c.err != "" || err != nil {
				if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if !r.OK() {
				t.Errorf("problems %q, drops %v, assertions %+v", r.Problems, r.Drops, r.Assertions)
			}
			if w := strings.Join(r.Warnings, "\n"); !strings.Contains(w, c.warning) || c.warning == "" && w != "" {
				t.Errorf("warnings %q, want %q", r.Warnings, c.warning)
			}
		})
	}
}

// TestAddressesFabric: the same over two hops, with a choice of ways.
func TestAddressesFabric(t *testing.T) {
	for _, c := range []string{
		`{h1: {address: 192.0.2.2/24}, h2: {address: 198.51.100.1/24}}`,
		`{h1: {address: "2001:db8:1::2/64"}, h2: {address: "2001:db8:2::1/127"}}`,
	} {
		r, err := simulate(t, `duration: 2ms
topology:
  leaf-spine: {leaves: 2, spines: 2, hosts: 1, length: 5m}
  hosts: `+c+`
switch: {chip: th, config: testdata/traditional/config_db.json}
workloads: {w: {pattern: pairs, from: [h1, h2], to: [h2, h1], bytes: 100KB}}
assert: [drops == 0, unfinished == 0]
`)
		if err != nil {
			t.Errorf("%s: %v", c, err)
		} else if !r.OK() {
			t.Errorf("%s: problems %q, drops %v", c, r.Problems, r.Drops)
		}
	}
}

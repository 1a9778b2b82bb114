package configdb_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

const iniWithHeader = `# a comment
# name      lanes           alias    index  speed   asic
Ethernet0   1,2,3,4         etp1     1      100000  x

Ethernet4   5,6,7,8         etp2     2      100000  x
`

const platformJSON = ` {"chassis": {}, "interfaces": {
  "Ethernet0": {"index": "1,1,1,1", "lanes": "1,2,3,4", "breakout_modes": {
    "1x100G[40G]": ["etp1"], "2x50G": ["etp1a", "etp1b"], "4x25G[10G,1G]": ["etp1a", "etp1b", "etp1c", "etp1d"]}},
  "Ethernet4": {"index": "2,2,2,2", "lanes": "5, 6, 7, 8", "breakout_modes": "1x100G[40G, 25G], 2x50G,1x50G(2)+2x25G(2)"},
  "Ethernet8": {"index": "3,3,3,3", "lanes": "9,10,11,12"}}}`

func TestPortLayout(t *testing.T) {
	t.Parallel()
	port := func(f ...string) fields {
		row := fields{}
		for i := 0; i < len(f); i += 2 {
			row[f[i]] = f[i+1]
		}
		return row
	}
	for _, tt := range []struct {
		name, file string
		rows, want raw
		left       []string
	}{
		{
			name: "columns by their titles", file: iniWithHeader,
			rows: raw{"PORT|Ethernet0": port("alias", "x"), "PORT|Ethernet4": port("NULL", "NULL"), "PORT|Ethernet8": port("mtu", "1"), "BUFFER_PG|Ethernet0|3": port("profile", "p")},
			want: raw{
				"PORT|Ethernet0":        port("alias", "x", "lanes", "1,2,3,4", "index", "1", "speed", "100000"),
				"PORT|Ethernet4":        port("alias", "etp2", "lanes", "5,6,7,8", "index", "2", "speed", "100000"),
				"PORT|Ethernet8":        port("mtu", "1"),
				"BUFFER_PG|Ethernet0|3": port("profile", "p"),
			},
			left: []string{`PORT|Ethernet8: field "lanes": f: does not have the port`},
		},
		{
			name: "columns without titles", file: "Ethernet0 7,8 etp1\n", rows: raw{"PORT|Ethernet0": port("speed", "1")},
			want: raw{"PORT|Ethernet0": port("speed", "1", "lanes", "7,8", "alias", "etp1")},
		},
		{
			name: "lanes that a row has stay", file: iniWithHeader, rows: raw{"PORT|Ethernet0": port("lanes", "9"), "PORT|Ethernet4": port("lanes@", "8")},
			want: raw{"PORT|Ethernet0": port("lanes", "9"), "PORT|Ethernet4": port("lanes@", "8")},
		},
		{
			name: "broken out as the ports say", file: platformJSON,
			rows: raw{
				"PORT|Ethernet0": port("speed", "50000"), "PORT|Ethernet2": port("speed", "50000"),
				"PORT|Ethernet4": {}, "PORT|Ethernet6": {}, "PORT|Ethernet7": {},
			},
			want: raw{
				"PORT|Ethernet0": port("speed", "50000", "lanes", "1,2", "index", "1", "alias", "etp1a"), "PORT|Ethernet2": port("speed", "50000", "lanes", "3,4", "index", "1", "alias", "etp1b"),
				"PORT|Ethernet4": port("lanes", "5,6", "index", "2"), "PORT|Ethernet6": port("lanes", "7", "index", "2"), "PORT|Ethernet7": port("lanes", "8", "index", "2"),
			},
		},
		{
			name: "broken out as the row says", file: platformJSON,
			rows: raw{"PORT|Ethernet1": port("speed", "10000"), "BREAKOUT_CFG|Ethernet0": port("brkout_mode", "4x25G[10G,1G]"), "PORT|Ethernet4": {}, "BREAKOUT_CFG|Ethernet4": port("brkout_mode", "4x25G")},
			want: raw{"PORT|Ethernet1": port("speed", "10000", "lanes", "2", "index", "1", "alias", "etp1b"), "BREAKOUT_CFG|Ethernet0": port("brkout_mode", "4x25G[10G,1G]"), "PORT|Ethernet4": {}, "BREAKOUT_CFG|Ethernet4": port("brkout_mode", "4x25G")},
			left: []string{`PORT|Ethernet4: field "lanes": f: the breakout mode "4x25G" of Ethernet4 does not fit the ports`},
		},
		{
			name: "no guesses", file: platformJSON,
			rows: raw{"PORT|Ethernet0": port("speed", "400000"), "PORT|Ethernet5": {}, "PORT|Ethernet8": {}, "PORT|Ethernet12": {}, "PORT|Vlan0": {}},
			want: raw{"PORT|Ethernet0": port("speed", "400000"), "PORT|Ethernet5": {}, "PORT|Ethernet8": {}, "PORT|Ethernet12": {}, "PORT|Vlan0": {}},
			left: []string{
				`PORT|Ethernet0: field "lanes": f: no breakout mode of Ethernet0 fits the ports and their speeds`,
				`PORT|Ethernet12: field "lanes": f: does not have the port`,
				`PORT|Ethernet5: field "lanes": f: no breakout mode of Ethernet4 fits the ports and their speeds`,
				`PORT|Ethernet8: field "lanes": f: names no breakout modes for Ethernet8`,
				`PORT|Vlan0: field "lanes": f: does not have the port`,
			},
		},
		{
			name: "one port of a cage, at the speed of a part", file: platformJSON, rows: raw{"PORT|Ethernet0": port("speed", "25000"), "PORT|Ethernet6": port("speed", "25000")},
			want: raw{"PORT|Ethernet0": port("speed", "25000", "lanes", "1", "index", "1", "alias", "etp1a"), "PORT|Ethernet6": port("speed", "25000", "lanes", "7", "index", "2")},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := configdb.ParsePortLayout("f", []byte(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, f := range l.Complete(tt.rows) {
				left = append(left, f.Error())
			}
			if diff := cmp.Diff(tt.want, tt.rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.left, left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPortLayoutFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ethernet0\n":                  "f: line 1: want the columns name lanes alias index",
		"\n# name alias lanes\nE0 x y": "f: line 3: want the columns name alias lanes",
		"{":                            "unexpected end of JSON input",
		`{"interfaces": {"Ethernet": {"lanes": "1"}}}`:                                 `interface "Ethernet": want a name that ends in a number, and its lanes`,
		`{"interfaces": {"Ethernet0": {"lanes": "a"}}}`:                                `interface "Ethernet0": want a name that ends in a number, and its lanes`,
		`{"interfaces": {"Ethernet0": {"lanes": "1,2", "breakout_modes": "3x1G"}}}`:    `breakout mode "3x1G": want a form like`,
		`{"interfaces": {"Ethernet0": {"lanes": "1,2", "breakout_modes": {"x": []}}}}`: `breakout mode "x": want a form like`,
		`{"interfaces": {"Ethernet0": {"lanes": "1,2", "breakout_modes": "1x1G(4)"}}}`: `breakout mode "1x1G(4)" needs 4 lanes of 2`,
		`{"interfaces": {"Ethernet0": {"lanes": "1,2", "breakout_modes": ["1x1G"]}}}`:  `breakout_modes: json`,
	} {
		if _, err := configdb.ParsePortLayout("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

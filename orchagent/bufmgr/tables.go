package bufmgr

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"xon/schema/configdb"
)

// maxKiB bounds the chip's delays, in KiB, and maxDelay a gearbox's, in nanoseconds:
// more than any has, and little enough to reckon with.
const (
	maxKiB   = 1 << 20
	maxDelay = 1e9
	maxCell  = 1 << 20 // bytes
	maxCells = 1 << 40
)

// reading reads the fields of one object, and keeps the first fault.
type reading struct {
	object
	err error
}

func (r *reading) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s %q: %w", r.table, r.key, fmt.Errorf(format, args...))
	}
}

// fraction reads a number from 0 to most.
func (r *reading) fraction(field string, most float64) float64 {
	word, ok := r.fields[field]
	if !ok {
		r.fail("field %q is required", field)
		return 0
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > most {
		r.fail("field %q: %q is not a number from 0 to %.0f", field, word, most)
		return 0
	}
	return n
}

// whole reads a whole number up to most; need says that it has to be there.
func (r *reading) whole(field string, most uint64, need bool) uint64 {
	word, ok := r.fields[field]
	if !ok {
		if need {
			r.fail("field %q is required", field)
		}
		return 0
	}
	n, err := parseNumber("field "+strconv.Quote(field)+":", word, most)
	if err != nil {
		r.fail("%w", err)
	}
	return n
}

// ParseASIC reads an asic_table.json: one object ASIC_TABLE with cell_size (bytes),
// pipeline_latency, mac_phy_delay and peer_response_time (KiB) and, as one likes,
// port_reserved_shp and port_max_shp (cells). source names the file in messages.
func ParseASIC(source string, text []byte) (*ASIC, error) {
	objects, err := parseObjects(source, text)
	if err != nil {
		return nil, err
	}
	var asic *ASIC
	for _, o := range objects {
		if o.table != "ASIC_TABLE" {
			continue
		}
		if asic != nil {
			return nil, fmt.Errorf("%s: chip %q beside %q: a switch has one", source, o.key, asic.Name)
		}
		r := reading{object: o}
		asic = &ASIC{
			Name: o.key, Source: source,
			CellBytes:        r.whole("cell_size", maxCell, true),
			PipelineLatency:  r.fraction("pipeline_latency", maxKiB),
			MACPHYDelay:      r.fraction("mac_phy_delay", maxKiB),
			PeerResponseTime: r.fraction("peer_response_time", maxKiB),
			PortReservedSHP:  r.whole("port_reserved_shp", maxCells, false),
			PortMaxSHP:       r.whole("port_max_shp", maxCells, false),
		}
		if asic.CellBytes == 0 {
			r.fail("field %q: 0 is out of range (1 to %d)", "cell_size", maxCell)
		}
		if r.err != nil {
			return nil, fmt.Errorf("%s: %w", source, r.err)
		}
	}
	if asic == nil {
		return nil, fmt.Errorf("%s: there is no ASIC_TABLE in it", source)
	}
	return asic, nil
}

// EveryPort stands for all ports that PortGearbox does not name.
const EveryPort = "global"

// ParsePeripherals reads a peripheral.json: objects PERIPHERAL_TABLE with
// gearbox_delay (nanoseconds) by model, and PORT_PERIPHERAL_TABLE with gearbox_model
// by port, or for EveryPort. source names the file in messages.
func ParsePeripherals(source string, text []byte) (models map[string]Gearbox, ports map[string]string, err error) {
	objects, err := parseObjects(source, text)
	if err != nil {
		return nil, nil, err
	}
	models, ports = map[string]Gearbox{}, map[string]string{}
	for _, o := range objects {
		r := reading{object: o}
		switch o.table {
		case "PERIPHERAL_TABLE":
			models[o.key] = Gearbox{Delay: r.fraction("gearbox_delay", maxDelay)}
		case "PORT_PERIPHERAL_TABLE":
			if ports[o.key] = o.fields["gearbox_model"]; ports[o.key] == "" {
				r.fail("field %q is required", "gearbox_model")
			}
		}
		if r.err != nil {
			return nil, nil, fmt.Errorf("%s: %w", source, r.err)
		}
	}
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		if _, ok := models[ports[port]]; !ok {
			return nil, nil, fmt.Errorf("%s: PORT_PERIPHERAL_TABLE %q: there is no gearbox %q in PERIPHERAL_TABLE", source, port, ports[port])
		}
	}
	return models, ports, nil
}

// ParseZeroProfiles reads a zero_profiles.json: objects BUFFER_POOL_TABLE and
// BUFFER_PROFILE_TABLE with the fields of CONFIG_DB, and control_fields with
// pgs_to_apply_zero_profile and queues_to_apply_zero_profile (indexes, "0,3-4"),
// ingress_zero_profile and egress_zero_profile. source names the file in messages.
func ParseZeroProfiles(source string, text []byte) (*ZeroProfiles, error) {
	objects, err := parseObjects(source, text)
	if err != nil {
		return nil, err
	}
	z := &ZeroProfiles{}
	for _, o := range objects {
		switch o.table {
		case "BUFFER_POOL_TABLE", "BUFFER_PROFILE_TABLE":
			err = z.addRow(o)
		case "control_fields":
			err = z.control(o.fields)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
	}
	if err := z.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return z, nil
}

func (z *ZeroProfiles) addRow(o object) error {
	row, unknown, err := configdb.Parse(configdb.Key(strings.TrimSuffix(o.table, "_TABLE"), o.key), o.fields)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%s: there is no field %q", row.RowKey(), unknown[0])
	}
	switch r := row.(type) {
	case *configdb.BufferPool:
		if z.pool(r.Name) != nil {
			return fmt.Errorf("%s is there twice", r.ID)
		}
		z.Pools = append(z.Pools, r)
	case *configdb.BufferProfile:
		if z.profile(r.Name) != nil {
			return fmt.Errorf("%s is there twice", r.ID)
		}
		z.Profiles = append(z.Profiles, r)
	}
	return nil
}

func (z *ZeroProfiles) control(f configdb.Fields) (err error) {
	if z.PGs, err = parseIndexes("pgs_to_apply_zero_profile", f["pgs_to_apply_zero_profile"]); err != nil {
		return err
	}
	if z.Queues, err = parseIndexes("queues_to_apply_zero_profile", f["queues_to_apply_zero_profile"]); err != nil {
		return err
	}
	z.Ingress, z.Egress = f["ingress_zero_profile"], f["egress_zero_profile"]
	return nil
}

// check has the profiles that the file speaks of be in it.
func (z *ZeroProfiles) check() error {
	if len(z.Profiles) == 0 {
		return errors.New("there is no BUFFER_PROFILE_TABLE in it")
	}
	if len(z.PGs) > 0 && z.Ingress == "" || len(z.Queues) > 0 && z.Egress == "" {
		return errors.New("control_fields: indexes to apply a zero profile to, but no ingress_zero_profile or egress_zero_profile beside them")
	}
	for _, name := range []string{z.Ingress, z.Egress} {
		if name != "" && z.profile(name) == nil {
			return fmt.Errorf("control_fields: there is no profile %q in BUFFER_PROFILE_TABLE", name)
		}
	}
	return nil
}

func (z *ZeroProfiles) pool(name string) *configdb.BufferPool {
	for _, p := range z.Pools {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (z *ZeroProfiles) profile(name string) *configdb.BufferProfile {
	for _, p := range z.Profiles {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// maxIndex is the highest priority group or queue that a file may name.
const maxIndex = 63

// parseIndexes reads "0,3-4"; "" is none.
func parseIndexes(field, text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(word, "-")
		lo, err := parseNumber(field, first, maxIndex)
		hi := lo
		if err == nil && isRange {
			hi, err = parseNumber(field, last, maxIndex)
		}
		if err == nil && hi < lo {
			err = fmt.Errorf("%s: %q runs backwards", field, word)
		}
		if err != nil {
			return nil, err
		}
		for i := lo; i <= hi; i++ {
			all = append(all, int(i))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

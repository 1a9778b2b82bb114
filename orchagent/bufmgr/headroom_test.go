package bufmgr_test

import (
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// generations are platforms of each Spectrum generation, with the xon of all its ports
// in KiB.
var generations = [...]struct {
	platform string
	xon      uint64
}{
	{"x86_64-mlnx_msn2700-r0", 19},
	{"x86_64-mlnx_msn3700-r0", 19},
	{"x86_64-mlnx_msn4600c-r0", 19},
	{"x86_64-nvidia_sn5600-r0", 19},
	{"x86_64-nvidia_sn5640-r0", 19},
	{"x86_64-nvidia_sn6600-r0", 42},
}

// spectrumXoff is xoff in KiB by link, share of small packets and generation, for
// lossless packets of 1024 octets and ports of four lanes, without a shared headroom
// pool. They are those of SONiC's buffer_headroom script.
var spectrumXoff = []struct {
	speed, metres, small uint32
	xoff                 [len(generations)]uint64
}{
	{10000, 5, 100, [...]uint64{29, 43, 43, 44, 44, 75}},
	{10000, 5, 50, [...]uint64{19, 21, 21, 21, 21, 40}},
	{25000, 5, 100, [...]uint64{31, 46, 46, 47, 47, 79}},
	{25000, 5, 50, [...]uint64{20, 22, 22, 22, 22, 42}},
	{40000, 5, 100, [...]uint64{36, 53, 53, 55, 55, 89}},
	{40000, 5, 50, [...]uint64{23, 25, 25, 26, 26, 45}},
	{50000, 40, 100, [...]uint64{44, 66, 66, 68, 68, 105}},
	{50000, 40, 50, [...]uint64{27, 30, 30, 31, 31, 50}},
	{100000, 5, 100, [...]uint64{71, 106, 106, 111, 111, 159}},
	{100000, 5, 50, [...]uint64{43, 47, 47, 48, 48, 69}},
	{100000, 40, 100, [...]uint64{80, 119, 119, 124, 124, 176}},
	{100000, 40, 50, [...]uint64{47, 52, 52, 54, 54, 75}},
	{100000, 300, 100, [...]uint64{144, 215, 215, 220, 220, 305}},
	{100000, 300, 50, [...]uint64{83, 92, 92, 93, 93, 118}},
	{200000, 40, 100, [...]uint64{97, 145, 145, 154, 154, 211}},
	{200000, 40, 50, [...]uint64{57, 63, 63, 66, 66, 86}},
	{400000, 5, 100, [...]uint64{139, 208, 208, 225, 225, 294}},
	{400000, 5, 50, [...]uint64{80, 88, 88, 96, 96, 114}},
	{400000, 40, 100, [...]uint64{173, 259, 259, 277, 277, 363}},
	{400000, 40, 50, [...]uint64{100, 110, 110, 117, 117, 138}},
	{400000, 300, 100, [...]uint64{430, 644, 644, 662, 662, 876}},
	{400000, 300, 50, [...]uint64{243, 268, 268, 275, 275, 311}},
	{800000, 40, 100, [...]uint64{213, 319, 319, 354, 354, 442}},
	{800000, 40, 50, [...]uint64{122, 134, 134, 149, 149, 165}},
}

// TestSpectrum: headroom comes out as SONiC's to the byte, on every generation.
func TestSpectrum(t *testing.T) {
	t.Parallel()
	n := 0
	for _, tt := range spectrumXoff {
		for g, want := range tt.xoff {
			p := bufmgr.Params{Model: configdb.Dynamic, Platform: generations[g].platform}
			pattern := fields{"mtu": "1024", "small_packet_percentage": map[uint32]string{100: "100", 50: "50"}[tt.small]}
			e := explain(t, p, bufmgr.Override{Speed: tt.speed, Metres: &tt.metres}, rows{"LOSSLESS_TRAFFIC_PATTERN|AZURE": pattern})
			xon := generations[g].xon
			if e.Xoff != want<<10 || e.Xon != xon<<10 || e.Size != (xon+want)<<10 {
				t.Errorf("%s, %d Mb/s, %d m, %d %%: xon %d, xoff %d, size %d; want xoff %d", p.Platform, tt.speed, tt.metres, tt.small, e.Xon, e.Xoff, e.Size, want<<10)
			}
			n++
		}
	}
	if n != 144 {
		t.Errorf("%d lines, want 144", n)
	}
}

// explain explains Ethernet0 of a switch with the dynamic model.
func explain(t *testing.T, p bufmgr.Params, o bufmgr.Override, change rows) bufmgr.Explanation {
	t.Helper()
	r := newRig(t, p, vsRows(1), change)
	e, err := bufmgr.New(p).Next(bufmgr.Input{Rows: r.rows}, nil).Headroom("Ethernet0", o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestVirtualHeadroom has the numbers that SONiC's scripts come to on its virtual
// switch, and with other cells.
func TestVirtualHeadroom(t *testing.T) {
	t.Parallel()
	const lossless, eight = "LOSSLESS_TRAFFIC_PATTERN|AZURE", "0,1,2,3,4,5,6,7"
	cells := func(name string, bytes uint64) *bufmgr.ASIC {
		return &bufmgr.ASIC{Name: name, CellBytes: bytes, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8}
	}
	shared := rows{"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}}
	tests := []struct {
		speed, metres, mtu uint32
		asic               *bufmgr.ASIC
		platform           string
		change             rows
		xon, xoff, size    uint64
	}{
		{100000, 5, 0, nil, "vs", nil, 18432, 72704, 91136},
		{100000, 5, 0, nil, "vs", shared, 18432, 72704, 18432},
		{100000, 40, 0, nil, "vs", nil, 18432, 81920, 100352},
		{100000, 300, 0, nil, "vs", nil, 18432, 147456, 165888},
		{40000, 5, 0, nil, "vs", nil, 18432, 36864, 55296},
		{40000, 300, 0, nil, "vs", nil, 18432, 66560, 84992},
		{50000, 5, 0, nil, "vs", nil, 18432, 40960, 59392},
		{25000, 5, 0, nil, "vs", nil, 18432, 31744, 50176},
		{10000, 5, 0, nil, "vs", nil, 18432, 29696, 48128},
		{100000, 5, 1500, nil, "vs", nil, 18432, 58368, 76800},
		{120000, 5, 0, nil, "vs", nil, 18432, 30720, 49152},
		{400000, 40, 0, nil, "vs", rows{"PORT|Ethernet0": {"lanes": eight, "speed": "1", "admin_status": "up"}}, 36864, 177152, 223232},
		{100000, 40, 0, cells("X-2", 144), "vs", nil, 18432, 121856, 140288},
		{100000, 40, 0, cells("X-3", 144), "vs", rows{lossless: {"mtu": "1500", "small_packet_percentage": "0"}}, 18432, 48128, 66560},
		{100000, 5, 0, cells("T", 128), "x86_64-barefoot_x-r0", nil, 18432, 72704, 18432},
		{100000, 40, 0, cells("T", 128), "x86_64-barefoot_x-r0", nil, 18432, 80896, 18432},
		{100000, 300, 0, cells("T", 128), "x86_64-barefoot_x-r0", nil, 18432, 144384, 18432},
	}
	for _, tt := range tests {
		p := bufmgr.Params{Model: configdb.Dynamic, Platform: tt.platform, ASIC: tt.asic}
		e := explain(t, p, bufmgr.Override{Speed: tt.speed, Metres: &tt.metres, MTU: tt.mtu}, tt.change)
		if e.Xon != tt.xon || e.Xoff != tt.xoff || e.Size != tt.size {
			t.Errorf("%+v: xon %d, xoff %d, size %d", tt, e.Xon, e.Xoff, e.Size)
		}
	}
}

package platform_test

import (
	"testing"

	"xon/schema/platform"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]platform.Switch{
		"":                     {Class: "default", Virtual: true},
		"vs":                   {Class: "default", Virtual: true},
		"x86_64-kvm_x86_64-r0": {Class: "default", Virtual: true},
		"xon-virtual":          {Class: "default", Virtual: true},

		"x86_64-dell_s6000_s1220-r0":       {Class: "td2"},
		"x86_64-arista_7050cx3_32s":        {Class: "td3"},
		"x86_64-dellemc_s5232f_c3538-r0":   {Class: "td3"},
		"x86_64-dell_s6100_c2538-r0":       {Class: "th"},
		"x86_64-arista_7060_cx32s":         {Class: "th"},
		"x86_64-cel_seastone-r0":           {Class: "th"},
		"x86_64-arista_7260cx3_64":         {Class: "th2"},
		"x86_64-dellemc_z9332f_d1508-r0":   {Class: "th3"},
		"x86_64-cel_silverstone-r0":        {Class: "th3"},
		"x86_64-arista_7060dx5_64s":        {Class: "th4"},
		"x86_64-nokia_ixr7220_h4-r0":       {Class: "th4"},
		"x86_64-nokia_ixr7220_h4_64d-r0":   {Class: "th4"},
		"x86_64-nokia_ixr7220_h5_64d-r0":   {Class: "th5"},
		"x86_64-nexthop_4010-r0":           {Class: "th5"},
		"x86_64-arista_7060x6_64pe_b":      {Class: "th5"},
		"x86_64-arista_7280cr3mk_32d4":     {Class: "voq"},
		"x86_64-arista_7800r3a_36d2_lc":    {Class: "voq"},
		"x86_64-nokia_ixr7250e_36x400g-r0": {Class: "voq"},

		"x86_64-mlnx_msn2700-r0":        {Class: "spc1", Vendor: platform.Mellanox, Model: 2700, Generation: 1},
		"x86_64-mlnx_msn2010-r0":        {Class: "spc1", Vendor: platform.Mellanox, Model: 2010, Generation: 1},
		"x86_64-nvidia_sn2201-r0":       {Class: "spc1", Vendor: platform.Mellanox, Model: 2201, Generation: 1},
		"x86_64-mlnx_msn3700c-r0":       {Class: "spc2", Vendor: platform.Mellanox, Model: 3700, Generation: 2},
		"x86_64-mlnx_msn3800-r0":        {Class: "spc2", Vendor: platform.Mellanox, Model: 3800, Generation: 2},
		"x86_64-nvidia_sn4280-r0":       {Class: "spc3", Vendor: platform.Mellanox, Model: 4280, Generation: 3},
		"x86_64-mlnx_msn4600c-r0":       {Class: "spc3", Vendor: platform.Mellanox, Model: 4600, Generation: 3},
		"x86_64-mlnx_msn4700_simx-r0":   {Class: "spc3", Vendor: platform.Mellanox, Model: 4700, Generation: 3},
		"x86_64-nvidia_sn5400-r0":       {Class: "spc4", Vendor: platform.Mellanox, Model: 5400, Generation: 4},
		"x86_64-nvidia_sn5600-r0":       {Class: "spc4", Vendor: platform.Mellanox, Model: 5600, Generation: 4},
		"x86_64-nvidia_sn5610n-r0":      {Class: "spc5", Vendor: platform.Mellanox, Model: 5610, Generation: 5},
		"X86_64-NVIDIA_SN5640-R0":       {Class: "spc5", Vendor: platform.Mellanox, Model: 5640, Generation: 5},
		"x86_64-nvidia_sn6600_ld-r0":    {Class: "spc6", Vendor: platform.Mellanox, Model: 6600, Generation: 6},
		"x86_64-nvidia_sn9900-r0":       {Vendor: platform.Mellanox, Model: 9900},
		"x86_64-nvidia_unheard-r0":      {Vendor: platform.Mellanox},
		"x86_64-barefoot_newport-r0":    {Vendor: platform.Barefoot},
		"x86_64-accton_wedge100bf_65x":  {Vendor: platform.Barefoot},
		"x86_64-cel_seastone_2-r0":      {}, // another chip than the first's
		"x86_64-acme_vs9000-r0":         {}, // "vs" within a name is not a virtual switch
		"x86_64-acme_kvm-like-r0":       {},
		"x86_64-8101_32fh_o-r0":         {},
		"x86_64-marvell_dbmvtx9180-r0":  {},
		"x86_64-arista_7050dx4_32s":     {},
		"x86_64-acme_arista_7060x6-r0":  {}, // the name begins with the maker
		"x86_64-nexthop_5010-r0":        {},
		"x86_64-arista_7050cx4-r0.1.20": {},
	} {
		if got := platform.Of(name, ""); got != want {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

func TestSKU(t *testing.T) {
	t.Parallel()
	const arista = "x86_64-arista_7060x6_64pe"
	for sku, want := range map[string]bool{
		"Arista-7060X6-64PE-256x200G": true,
		"Arista-7060X6-64PE-B-P32O64": false,
		"Arista-7060X6-64PE-64x400G":  false,
		"Other-9000-256x200G":         false,
		"":                            false,
	} {
		if got := platform.Of(arista, sku).PoolsExcludeHeadroom; got != want {
			t.Errorf("%s: %v, want %v", sku, got, want)
		}
	}
	if platform.Of("x86_64-dell_s6000-r0", "Arista-7060X6-64PE-256x200G").PoolsExcludeHeadroom {
		t.Error("a SKU of another platform counts")
	}
}

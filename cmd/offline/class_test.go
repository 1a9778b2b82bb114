package offline_test

import (
	"testing"

	"xon/cmd/offline"
	"xon/orchagent/bufmgr"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/platform"
)

func metadata(name, hwsku string) configdb.RawRows {
	return configdb.RawRows{configdb.Key("DEVICE_METADATA", "localhost"): {"platform": name, "hwsku": hwsku}}
}

func TestClass(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"x86_64-dell_s6000_s1220-r0": "td2",
		"x86_64-nvidia_sn5610n-r0":   "spc5",
		"x86_64-arista_7280cr3":      "voq",
		"x86_64-acme_9000-r0":        "default",
		"":                           "default",
	} {
		if got := offline.NewChip(nil, metadata(name, "")).Profile().Name; got != want {
			t.Errorf("%q: class %s, want %s", name, got, want)
		}
	}
}

// TestPoolRuleBySKU: the rule goes by the SKU, also where the class was given by name,
// and the class itself stays what it is.
func TestPoolRuleBySKU(t *testing.T) {
	t.Parallel()
	th5, err := vsai.ProfileByName("th5")
	if err != nil {
		t.Fatal(err)
	}
	th3, err := vsai.ProfileByName("th3")
	if err != nil {
		t.Fatal(err)
	}
	const arista, wide = "x86_64-arista_7060x6_64pe", "Arista-7060X6-64PE-256x200G"
	for _, tt := range []struct {
		given *vsai.Profile
		sku   string
		want  vsai.SharedSize
	}{
		{nil, wide, vsai.SharedExcludesHeadroom},
		{th5, wide, vsai.SharedExcludesHeadroom},
		{th3, wide, vsai.SharedIncludesHeadroom},
		{nil, "Arista-7060X6-64PE-B-P32O64", vsai.SharedIncludesHeadroom},
	} {
		if got := offline.NewChip(tt.given, metadata(arista, tt.sku)).Profile().SharedSize; got != tt.want {
			t.Errorf("%s: rule %d, want %d", tt.sku, got, tt.want)
		}
	}
	if th5.SharedSize != vsai.SharedIncludesHeadroom {
		t.Error("the class itself has changed")
	}
}

// TestLimitsAreTheChips: what the buffer manager knows of a class is what the virtual chip
// of that class does.
func TestLimitsAreTheChips(t *testing.T) {
	t.Parallel()
	for _, p := range vsai.Profiles() {
		if got := bufmgr.Slices(p.Name); got != uint64(p.Slices) {
			t.Errorf("%s: %d slices, the chip has %d", p.Name, got, p.Slices)
		}
		if got, want := bufmgr.DropsEarly(p.Name), uint64(p.Memory.HeadroomLossCells)*uint64(p.CellBytes); got != want {
			t.Errorf("%s: %d bytes of headroom are not used, of the chip's %d", p.Name, got, want)
		}
	}
}

// TestEveryClassExists: a class that the table of platforms names is one of the chip's.
func TestEveryClassExists(t *testing.T) {
	t.Parallel()
	for _, class := range platform.Classes() {
		if _, err := vsai.ProfileByName(class); err != nil {
			t.Error(err)
		}
	}
}

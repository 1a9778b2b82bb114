package vsai

import (
	"fmt"
	"strings"
)

// disablePortAlpha is the SAI profile key that disables port factors (PortAlpha) on a
// Spectrum.
const disablePortAlpha = "SAI_KEY_DISABLE_PORT_ALPHA"

// withKeys returns the profile with SAI profile keys, each KEY=VALUE.
func (p *Profile) withKeys(list string) (*Profile, error) {
	if list == "" {
		return p, nil
	}
	with := *p
	for _, kv := range strings.Split(list, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(kv), "=")
		switch {
		case key != disablePortAlpha || !p.PortAlpha:
			return nil, fmt.Errorf("chip profile %s: unknown key %q; %s is for chips with port factors, such as spc4", p.Name, key, disablePortAlpha)
		case value != "0" && value != "1":
			return nil, fmt.Errorf("chip profile %s: %s=%s: want 0 or 1", p.Name, key, value)
		}
		with.PortAlpha = value == "0"
		with.Memory.NoPortAlpha = value == "1"
	}
	return &with, nil
}

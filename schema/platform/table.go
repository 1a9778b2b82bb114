package platform

// chips says which chip is in a platform, by patterns of its name without architecture
// and revision ("*" is any text). The first that matches counts. Only what makers state
// on their product pages, or SONiC's device folders by the chip's configuration, is here:
// a platform that is left out is not known, which is said, and better than a wrong class.
var chips = []struct{ class, platforms string }{
	{"td2", `
		arista_7050_qx32* arista_7050qx* dell_s6000* accton_as5712* accton_as6712*`},
	{"td3", `
		arista_7050cx3* arista_7050sx3* dell*_s5232f* accton_as7326* accton_as7726* inventec_d6356*`},
	{"th", `
		arista_7060_cx32* arista_7060cx_* arista_7060cx-* dell_s6100* dell_z9100*
		cel_seastone accton_as7712* accton_as7716* facebook_wedge100 ingrasys_s9100* juniper_qfx5200*`},
	{"th2", `
		arista_7260cx3* dell*_z9264f* accton_as7816* ingrasys_s9200* juniper_qfx5210*`},
	{"th3", `
		arista_7060dx4* arista_7060px4* dell*_z9332f* cel_silverstone cel_silverstone-dp accton_as9716* nokia_ixr7220_h3*`},
	{"th4", `
		arista_7060dx5* arista_7060px5* dell*_z9432f* dell*_z9664f* nokia_ixr7220_h4* nokia_h4*`},
	{"th5", `
		arista_7060x6* dell*_z9864f* nokia_ixr7220_h5* nokia_h5* nexthop_4010* accton_as9817*`},
	{"voq", `
		arista_7280* arista_7800* nokia_ixr7250*`},
}

// Classes lists the classes that platforms have, each once.
func Classes() []string {
	names := []string{"default"}
	for _, c := range chips {
		names = append(names, c.class)
	}
	return append(names, spectrum[1:]...)
}

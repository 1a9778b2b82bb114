package portorch

import (
	"errors"
	"fmt"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// link gathers what is set of one port's link.
type link struct {
	able  intent.Linking
	row   *configdb.Port
	runs  []uint32 // speeds of the port, Mb/s; nil if the chip does not say
	b     *graph.Builder
	attrs []graph.Attr
}

func (l *link) set(s sai.Setting[sai.Port]) { l.attrs = append(l.attrs, graph.Of(s)) }

// warn tells that a field has no effect.
func (l *link) warn(field string, why error) { l.b.Warn(l.row.ID, field, why) }

// fec sets FEC as SONiC does: a mode that is named counts also where autonegotiation
// would come to another; with "auto" it is autonegotiation that counts.
//
// Source: saiport.h; SONiC's portsorch.
func (l *link) fec() {
	mode, named := fecModes[l.row.FEC]
	switch {
	case named:
		l.set(sai.PortAttrFECMode.Is(mode))
		if l.able.FECOverride {
			l.set(sai.PortAttrAutoNegFECModeOverride.Is(true))
		}
	case l.row.FEC == "auto" && l.row.Autoneg != "on":
		l.warn("fec", errors.New("auto takes the mode that is negotiated, and autoneg is not on: there is no FEC"))
	case l.row.FEC == "auto" && !l.able.FECOverride:
		l.warn("fec", errors.New("the chip does not tell whether it takes the mode that is negotiated (SAI_PORT_ATTR_AUTO_NEG_FEC_MODE_OVERRIDE): there may be no FEC"))
	case l.row.FEC == "auto":
		l.set(sai.PortAttrAutoNegFECModeOverride.Is(false))
	}
}

// advertise sets link training, the electrical interface and what is advertised. Lists are in order,
// so that a chip that keeps them so is not written to again.
func (l *link) advertise() {
	if l.row.LinkTraining != "" && l.can(l.able.Training, "link_training", sai.NameOf(sai.PortAttrLinkTrainingEnable)) {
		l.set(sai.PortAttrLinkTrainingEnable.Is(l.row.LinkTraining == "on"))
	}
	if list := l.row.AdvSpeeds; l.row.HasAdvSpeeds && l.can(l.able.Speeds, "adv_speeds", sai.NameOf(sai.PortAttrAdvertisedSpeed)) {
		l.negotiates("adv_speeds", len(list) > 0)
		l.speeds(list)
		list = slices.Clone(list)
		slices.Sort(list)
		l.set(sai.PortAttrAdvertisedSpeed.Is(slices.Compact(list)))
	}
	if name := l.row.InterfaceType; name != "" && l.can(l.able.Type, "interface_type", sai.NameOf(sai.PortAttrInterfaceType)) {
		l.set(sai.PortAttrInterfaceType.Is(interfaceType(name)))
	}
	if names := l.row.AdvInterfaceTypes; l.row.HasAdvTypes && l.can(l.able.Types, "adv_interface_types", sai.NameOf(sai.PortAttrAdvertisedInterfaceType)) {
		l.negotiates("adv_interface_types", len(names) > 0)
		list := make([]sai.PortInterfaceType, len(names))
		for i, name := range names {
			list[i] = interfaceType(name)
		}
		slices.Sort(list)
		l.set(sai.PortAttrAdvertisedInterfaceType.Is(list))
	}
}

// negotiates warns of a field that limits what is advertised on a port that does not
// negotiate.
func (l *link) negotiates(field string, limits bool) {
	if limits && l.row.Autoneg != "on" {
		l.warn(field, errors.New("it has no effect while autoneg is not on"))
	}
}

// speeds warns of speeds to advertise at which the port can't run.
func (l *link) speeds(list []uint32) {
	if l.row.Autoneg != "on" || len(l.runs) == 0 {
		return
	}
	never := slices.DeleteFunc(slices.Clone(list), func(s uint32) bool { return slices.Contains(l.runs, s) })
	if len(never) > 0 {
		l.warn("adv_speeds", fmt.Errorf("the port can't run at %s Mb/s, only at %s: no link comes up at another speed", numbers(never), numbers(l.runs)))
	}
}

// can reports whether a field can be set, and warns if not.
func (l *link) can(able bool, field, attr string) bool {
	if !able {
		l.warn(field, fmt.Errorf("the chip has no %s: the field has no effect", attr))
	}
	return able
}

// interfaceType is SAI's number of a name, which configdb has checked.
func interfaceType(name string) sai.PortInterfaceType {
	return sai.PortInterfaceType(slices.Index(configdb.InterfaceTypes, name))
}

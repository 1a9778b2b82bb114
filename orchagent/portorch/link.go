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
	b     *graph.Builder
	attrs []graph.Attr
}

func (l *link) set(a *sai.AttrMeta, n uint64) {
	l.attrs = append(l.attrs, graph.Attr{AttrMeta: a, Value: graph.Uint(n)})
}

func (l *link) flag(a *sai.AttrMeta, on bool) {
	l.attrs = append(l.attrs, graph.Attr{AttrMeta: a, Value: graph.Bool(on)})
}

func (l *link) list(a *sai.AttrMeta, list any) {
	l.attrs = append(l.attrs, graph.Attr{AttrMeta: a, Value: graph.Text(a.Format(sai.Value{Ref: list}))})
}

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
		l.set(sai.PortAttrFECMode.AttrMeta, uint64(mode))
		if l.able.FECOverride {
			l.flag(sai.PortAttrAutoNegFECModeOverride.AttrMeta, true)
		}
	case l.row.FEC == "auto" && l.row.Autoneg != "on":
		l.warn("fec", errors.New("auto takes the mode that is negotiated, and autoneg is not on: there is no FEC"))
	case l.row.FEC == "auto" && !l.able.FECOverride:
		l.warn("fec", errors.New("the chip does not tell whether it takes the mode that is negotiated (SAI_PORT_ATTR_AUTO_NEG_FEC_MODE_OVERRIDE): there may be no FEC"))
	case l.row.FEC == "auto":
		l.flag(sai.PortAttrAutoNegFECModeOverride.AttrMeta, false)
	}
}

// advertise sets link training, the electrical interface and what is advertised. Lists are in order,
// so that a chip that keeps them so is not written to again.
func (l *link) advertise() {
	if l.row.LinkTraining != "" && l.can(l.able.Training, "link_training", sai.PortAttrLinkTrainingEnable.AttrMeta) {
		l.flag(sai.PortAttrLinkTrainingEnable.AttrMeta, l.row.LinkTraining == "on")
	}
	if list := l.row.AdvSpeeds; l.row.HasAdvSpeeds && l.can(l.able.Speeds, "adv_speeds", sai.PortAttrAdvertisedSpeed.AttrMeta) {
		list = slices.Clone(list)
		slices.Sort(list)
		l.list(sai.PortAttrAdvertisedSpeed.AttrMeta, slices.Compact(list))
	}
	if name := l.row.InterfaceType; name != "" && l.can(l.able.Type, "interface_type", sai.PortAttrInterfaceType.AttrMeta) {
		l.set(sai.PortAttrInterfaceType.AttrMeta, uint64(interfaceType(name)))
	}
	if names := l.row.AdvInterfaceTypes; l.row.HasAdvTypes && l.can(l.able.Types, "adv_interface_types", sai.PortAttrAdvertisedInterfaceType.AttrMeta) {
		list := make([]int32, len(names))
		for i, name := range names {
			list[i] = interfaceType(name)
		}
		slices.Sort(list)
		l.list(sai.PortAttrAdvertisedInterfaceType.AttrMeta, list)
	}
}

// can reports whether a field can be set, and warns if not.
func (l *link) can(able bool, field string, a *sai.AttrMeta) bool {
	if !able {
		l.warn(field, fmt.Errorf("the chip has no %s: the field has no effect", a.FullName()))
	}
	return able
}

// interfaceType is SAI's number of a name, which configdb has checked.
func interfaceType(name string) int32 { return int32(slices.Index(configdb.InterfaceTypes, name)) }

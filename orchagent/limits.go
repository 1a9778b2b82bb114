package orchagent

import (
	"errors"
	"fmt"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// limitOf says what the chip would take for an attribute that it refused, as far as
// SAI has a way to ask for that; "" if it has none.
func (a *Agent) limitOf(k graph.Key, attr *sai.AttrMeta, err error) string {
	var st sai.Status
	if !errors.As(err, &st) || sai.Retriable(st) {
		return ""
	}
	if k.Type == sai.ObjectTypePort {
		if limit := a.portLimit(k, attr); limit != "" {
			return limit
		}
	}
	return a.enumLimit(k, attr)
}

// enumLimit lists the values that the chip has of an enum.
func (a *Agent) enumLimit(k graph.Key, attr *sai.AttrMeta) string {
	if attr == nil || attr.Kind != sai.KindEnum || attr.Enum == nil {
		return ""
	}
	sw := a.cfg.Switch
	values, st := sw.EnumCapability(sw.ID.OID(), sai.ByType(k.Type), attr.ID)
	if st != sai.StatusSuccess || len(values) == 0 {
		return ""
	}
	has := intent.Choice{Values: values}
	return "; the chip has only " + has.List(attr.Enum, ", ")
}

// portLimit is what a port, or the switch for a new one, has to do with lanes, speeds and FEC.
func (a *Agent) portLimit(k graph.Key, attr *sai.AttrMeta) string {
	port := sai.ID[sai.Port](a.rec.Handles()[k.Object()])
	switch {
	case attr == sai.PortAttrHwLaneList.AttrMeta, port == 0: // a port that could not be made: a speed goes with lanes
		return "; " + a.inv.Lanes()
	}
	switch attr {
	case sai.PortAttrSpeed.AttrMeta:
		speeds, err := sai.Get(a.cfg.Switch, port, sai.PortAttrSupportedSpeed)
		return oneOf("Mb/s", speeds, err)
	case sai.PortAttrFECMode.AttrMeta:
		modes, err := sai.Get(a.cfg.Switch, port, sai.PortAttrSupportedFECMode)
		return oneOf("", modes, err)
	}
	return ""
}

// oneOf lists what a port takes. A chip that does not say is passed over.
func oneOf[T any](unit string, values []T, err error) string {
	if err != nil || len(values) == 0 {
		return ""
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = fmt.Sprint(v)
	}
	return strings.TrimSpace("; the port takes " + strings.Join(names, ", ") + " " + unit)
}

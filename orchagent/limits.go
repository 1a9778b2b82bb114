package orchagent

import (
	"errors"
	"fmt"
	"strings"

	"xon/orchagent/graph"
	"xon/sai"
)

// limitOf says what the chip would take for an attribute that it refused, as far as
// SAI has an attribute for that; "" if it has none.
func (a *Agent) limitOf(k graph.Key, attr *sai.AttrMeta, err error) string {
	var st sai.Status
	if k.Type != sai.ObjectTypePort || !errors.As(err, &st) || sai.Retriable(st) {
		return ""
	}
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

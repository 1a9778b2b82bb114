package configdb

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// parseAddr reads an IP address without zone.
func parseAddr(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" || a.Is4In6() {
		return netip.Addr{}, fmt.Errorf("%s is not an IP address, like 10.0.0.1 or fc00::1", quote(s))
	}
	return a, nil
}

// parsePrefix reads an IP address with the length of its network.
func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%s is not an IP prefix, like 10.0.0.0/31 or fc00::/64", quote(s))
	}
	return p, nil
}

// parseHost is parsePrefix for the address of an interface: one that a host can have.
func parseHost(s string) (netip.Prefix, error) {
	p, err := parsePrefix(s)
	if a := p.Addr(); err == nil && (a.IsUnspecified() || a.IsMulticast()) {
		return netip.Prefix{}, fmt.Errorf("%s is no address that an interface can have", quote(s))
	}
	return p, err
}

// firstVLAN is the lowest VLAN that a row can be about: VLAN 1 is the chip's own, in
// which ports are that nobody put into another.
const firstVLAN = 2

// lastVLAN is the highest VLAN. IEEE 802.1Q keeps 4095 for itself.
const lastVLAN = 4094

// vlanPrefix is what the name of a VLAN begins with; its number follows.
const vlanPrefix = "Vlan"

// parseVLAN reads the name of a VLAN.
func parseVLAN(name string) (uint16, error) {
	digits, ok := strings.CutPrefix(name, vlanPrefix)
	n, err := strconv.ParseUint(digits, 10, 16)
	switch {
	case !ok || err != nil || digits != strconv.FormatUint(n, 10):
		return 0, fmt.Errorf("%s is not the name of a VLAN, like Vlan100", quote(name))
	case n == 1:
		return 0, fmt.Errorf("%s is the chip's own VLAN: use Vlan%d to Vlan%d", name, firstVLAN, lastVLAN)
	case n < firstVLAN || n > lastVLAN:
		return 0, fmt.Errorf("%s is out of range (Vlan%d to Vlan%d)", name, firstVLAN, lastVLAN)
	}
	return uint16(n), nil
}

// isVLAN reports whether an interface is one of a VLAN.
func isVLAN(name string) bool { return strings.HasPrefix(name, vlanPrefix) }

// checkUnicastMAC checks the address of one interface.
func checkUnicastMAC(s string) error {
	if err := checkMAC(s); err != nil {
		return err
	}
	if mac, _ := net.ParseMAC(s); mac[0]&1 != 0 {
		return fmt.Errorf("%s is the address of a group, not of one interface", quote(s))
	}
	return nil
}

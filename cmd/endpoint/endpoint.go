// Package endpoint understands how people write the address of a server.
package endpoint

import (
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

// Normal writes a path, which is what has a slash and begins with no "unix:", as the
// address of a unix socket. It leaves anything else, a URL too, to the reader of addresses.
func Normal(addr string) string {
	path, named := strings.CutPrefix(addr, "unix:")
	if !strings.Contains(path, "/") || strings.Contains(path, "://") || strings.HasPrefix(path, "//") {
		return addr
	}
	full, err := filepath.Abs(path)
	if err != nil || named && full == path { // the folder of this process is gone
		return addr
	}
	return "unix:" + full
}

// Var adds a flag for an address, which may be a path.
func Var(f *pflag.FlagSet, addr *string, name, value, usage string) {
	*addr = Normal(value)
	f.Var((*flag)(addr), name, usage)
}

// flag is an address in its normal form.
type flag string

// String implements pflag.Value.
func (a *flag) String() string { return string(*a) }

// Set implements pflag.Value.
func (a *flag) Set(text string) error {
	*a = flag(Normal(text))
	return nil
}

// Type implements pflag.Value.
func (a *flag) Type() string { return "string" }

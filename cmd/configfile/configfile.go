// Package configfile reads a config_db.json for every program and command that takes
// one, with the same flags: which part of a file for several ASICs, and where ports find
// their lanes that the file does not name.
package configfile

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"xon/schema/configdb"
)

// Options are the flags.
type Options struct {
	ASIC       string // "asic0"; "" for a file that has no parts
	PortConfig string // a port_config.ini or platform.json; "" for none
}

// Flags adds the flags.
func (o *Options) Flags(f *pflag.FlagSet) {
	f.StringVar(&o.ASIC, "asic", "", "`part` to take of a config_db.json for several ASICs: asic0, asic1, …, localhost")
	f.StringVar(&o.PortConfig, "port-config", "", "port_config.ini or platform.json `file`, for the lanes of PORT rows that have none")
}

// Read reads a file. What is left out of it does not fail it; ports that get no lanes
// are among what is refused.
func (o *Options) Read(path string) (*configdb.File, error) {
	file, err := configdb.ReadFile(path, configdb.FileOptions{ASIC: o.ASIC})
	if err != nil {
		return nil, err
	}
	return file, o.complete(file)
}

// Decode is Read for a stream, which name names in messages.
func (o *Options) Decode(in io.Reader, name string) (*configdb.File, error) {
	file, err := configdb.Decode(in, configdb.FileOptions{ASIC: o.ASIC})
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return file, o.complete(file)
}

func (o *Options) complete(file *configdb.File) error {
	if o.PortConfig == "" {
		return nil
	}
	text, err := os.ReadFile(o.PortConfig)
	if err != nil {
		return fmt.Errorf("--port-config: %w", err)
	}
	layout, err := configdb.ParsePortLayout(o.PortConfig, text)
	if err != nil {
		return fmt.Errorf("--port-config: %w", err)
	}
	for _, f := range layout.Complete(file.Rows) {
		file.Notes = append(file.Notes, string(f.Row)+" gets no lanes: "+f.Err.Error())
	}
	return nil
}

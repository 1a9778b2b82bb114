package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"xon/orchagent/bufmgr"
)

// BufferFile is a file of the buffer manager, by the name that SONiC's images have it
// under, and what reads it.
type BufferFile struct {
	Name string
	read func(p *bufmgr.Params, source string, text []byte) error
}

// BufferFiles lists them.
var BufferFiles = []BufferFile{
	{"pg_profile_lookup.ini", func(p *bufmgr.Params, source string, text []byte) (err error) {
		p.Lookup, err = bufmgr.ParseLookup(source, text)
		return err
	}},
	{"asic_table.json", func(p *bufmgr.Params, source string, text []byte) (err error) {
		p.ASIC, err = bufmgr.ParseASIC(source, text)
		return err
	}},
	{"peripheral.json", func(p *bufmgr.Params, source string, text []byte) (err error) {
		p.Peripherals, p.PortGearbox, err = bufmgr.ParsePeripherals(source, text)
		return err
	}},
	{"zero_profiles.json", func(p *bufmgr.Params, source string, text []byte) (err error) {
		p.Zero, err = bufmgr.ParseZeroProfiles(source, text)
		return err
	}},
}

// ReadBuffers reads the files of a folder; those that are not there are left out, and
// so are all if there is no folder. The error names file, line and limit.
func ReadBuffers(dir string) (p bufmgr.Params, texts map[string][]byte, err error) {
	texts = map[string][]byte{}
	if dir == "" {
		return p, texts, nil
	}
	for _, f := range BufferFiles {
		path := filepath.Join(dir, f.Name)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = f.read(&p, path, text)
		}
		if err != nil {
			return bufmgr.Params{}, nil, fmt.Errorf("read the buffer manager's files: %w", err)
		}
		texts[f.Name] = text
	}
	return p, texts, nil
}

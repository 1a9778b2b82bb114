package scenario

import "slices"

func (s *Setup) empty() bool {
	return s.Chip == "" && s.Config == "" && s.Rows == nil && s.Model == nil
}

// Models reports whether all switches of the file are models.
func (f *File) Models() bool {
	t := f.Topology
	if t.expand() != nil {
		return false // reported when it runs
	}
	isModel := func(s *Setup) bool {
		if s.empty() && f.Switch != nil {
			s = f.Switch
		}
		return s.Model != nil
	}
	return !slices.ContainsFunc(t.Switches, func(s Switch) bool { return !isModel(&s.Setup) })
}

// effectiveSetup applies the config_db.json of the command line to a switch's setup. It
// replaces a model, and rows that are a complete switch with its own chip; other rows
// override the file's.
func (p *plan) effectiveSetup(n *node, config string) *Setup {
	s := *n.setup
	what := ""
	_, platform := s.Rows["DEVICE_METADATA"]["localhost"]["platform"]
	switch {
	case s.Model != nil:
		what = "model"
	case s.Config == "" && (s.Chip != "" || platform):
		what = "chip and rows"
	default:
		s.Config = config
		return &s
	}
	p.note("switch %s: --config replaces the %s that the scenario gives it, for which its assertions were written", n.name, what)
	return &Setup{Config: config}
}

// defaulted reports a "switch:" default that no switch uses.
func (p *plan) defaulted() error {
	for i := range p.file.Topology.Switches {
		if p.file.Topology.Switches[i].empty() {
			return nil
		}
	}
	if p.file.Switch != nil {
		return p.file.At.errorf("switch: every switch has its own configuration; remove it")
	}
	return nil
}

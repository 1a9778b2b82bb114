package orchagent

import (
	"fmt"

	"xon/orchagent/bufmgr"
	"xon/orchagent/resolve"
	"xon/orchagent/state"
	"xon/schema/configdb"
)

// Terms are what a buffer manager goes by beside rows and the chip. The next agent needs
// them: headroom that came of them must not be lost because they changed while no agent ran.
type Terms struct {
	Model     string         // configdb.Traditional or configdb.Dynamic
	StatedMMU uint64         // the packet memory that another program stated; 0: none
	Files     *bufmgr.Params // nil: the files are still the same
}

// elect has the State of an agent's first Load go by the files, the model and the limits of
// now, except those by which headroom would be lost that the terms before gave.
func (a *Agent) elect(e *state.Editor) *state.Editor {
	e.Model = e.Chosen()
	t := a.cfg.Before
	if t == nil {
		return e
	}
	now := e.Done()
	e = now.Edit()
	e.Model, e.Limits.MMUBytes = modelOf(now.Model, t.Model), t.StatedMMU
	if t.Files != nil {
		e.Files = t.Files
	}
	then := e.Done()
	if then.Same(now) {
		return now.Edit()
	}
	before := resolve.Resolve(nil, then)
	if before.Robbing(now, "") == nil {
		return now.Edit()
	}
	return a.electEach(before, now).Edit()
}

// electEach takes up each of files, model and limits of a State that takes no headroom.
func (a *Agent) electEach(before *resolve.Resolution, now *state.State) *state.State {
	s := before.State
	try := func(by string, change func(*state.Editor), keep func(*state.Editor, error)) {
		e := s.Edit()
		change(e)
		next := e.Done()
		if err := before.Robbing(next, by); err != nil {
			e = s.Edit()
			keep(e, err)
			next = e.Done()
		}
		s = next
	}
	try(byFiles, func(e *state.Editor) { e.Files = now.Files }, func(e *state.Editor, err error) { a.keepFiles(e, now.Files, err) })
	try(byModel(now), func(e *state.Editor) { e.Model = now.Model }, func(e *state.Editor, err error) { a.keepModel(e, now, err) })
	try(byMemory, func(e *state.Editor) { e.Limits = now.Limits }, a.keepMemory)
	return s
}

// keepFiles has a State go on with the files that it has, and says why.
func (a *Agent) keepFiles(e *state.Editor, newer *bufmgr.Params, err error) {
	source := ""
	if newer.Source != "" {
		source = newer.Source + ": "
	}
	files := *e.Files
	files.Stale = a.kept("older files", fmt.Errorf("%s%w; the files of before stay in use: mend these, then xonctl restart buffers", source, err))
	e.Files = &files
}

// keepModel has a State go on with the model that it has, and says why.
func (a *Agent) keepModel(e *state.Editor, now *state.State, err error) {
	name := e.ModelName()
	e.ModelKept = a.kept("the "+name+" model", fmt.Errorf("the %s model stays in use: %w%s", name, err, remedy(&e.State, now))).Error()
}

// keepMemory has a State go by all limits that other programs state except the packet
// memory, and says why.
func (a *Agent) keepMemory(e *state.Editor, err error) {
	was := e.Limits.MMUBytes
	e.Limits = a.cfg.Limits
	e.Limits.MMUBytes = was
	stated := "states no packet memory any more"
	if n := a.cfg.Limits.MMUBytes; n > 0 {
		stated = fmt.Sprintf("states %d bytes of packet memory, which do not count", n)
	}
	e.MemoryKept = a.kept("the packet memory that was stated before", fmt.Errorf(
		"STATE_DB %s: %w; the %d bytes of before stay in use: state enough in BUFFER_MAX_PARAM_TABLE|global mmu_size", stated, err, was)).Error()
}

// kept logs why the buffer manager goes on with something, and returns it.
func (a *Agent) kept(what string, why error) error {
	a.log.WithError(why).Error("the buffer manager goes on with " + what)
	return why
}

// limited is a State with the limits that other programs state now. The packet memory stays
// as it was if a pool would have none by the one that is stated.
func (a *Agent) limited(s *state.State) *state.State {
	e := s.Edit()
	e.Limits, e.MemoryKept = a.cfg.Limits, ""
	next := e.Done()
	if next.Limits.MMUBytes == s.Limits.MMUBytes {
		return next
	}
	if err := a.cur.Robbing(next, byMemory); err != nil {
		e = s.Edit()
		a.keepMemory(e, err)
		next = e.Done()
	}
	return next
}

// What headroom would be lost by.
const (
	byFiles  = "by these files"
	byMemory = "by that"
)

func byModel(s *state.State) string { return "by the " + s.ModelName() + " model" }

// difference says what another State has the buffer manager go by: another model, or files.
func difference(was, next *state.State) string {
	if was.ModelName() != next.ModelName() {
		return byModel(next)
	}
	return byFiles
}

// remedy says what to do if another model would take headroom; "" if the model is the same.
func remedy(was, next *state.State) string {
	if was.ModelName() == next.ModelName() {
		return ""
	}
	return fmt.Sprintf(". Add what is missing, then xonctl restart buffers; or set buffer_model of %s to %s again", state.Metadata, was.ModelName())
}

// modelOf is the row that asks for a model, as it would be if it asked for another one.
func modelOf(row *configdb.DeviceMetadata, model string) *configdb.DeviceMetadata {
	switch {
	case row == nil && model != configdb.Dynamic, row != nil && (row.BufferModel == configdb.Dynamic) == (model == configdb.Dynamic):
		return row
	case row == nil:
		row = &configdb.DeviceMetadata{ID: state.Metadata}
	}
	other := *row
	other.BufferModel = model
	return &other
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/cmd/offline"
	"xon/gnmi/admin"
	"xon/orchagent"
	"xon/orchagent/bufmgr"
)

// buffers is where the buffer manager's files are kept, for starts that do not say
// where they are.
func (o *options) buffers() string { return filepath.Join(o.Dir, "buffers") }

// givenBuffers is the folder that files of the buffer manager are to be taken from: of
// --buffers, or that of --config if some are there; "" if there is none.
func (o *options) givenBuffers() (string, error) {
	dir, named := o.Buffers, o.Buffers != ""
	switch {
	case named:
	case o.Config != "":
		dir = filepath.Dir(o.Config)
	default:
		return "", nil
	}
	for _, f := range offline.BufferFiles {
		if _, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
			return dir, nil
		}
	}
	if named {
		return "", &usageError{fmt.Errorf("--buffers %s: it has none of pg_profile_lookup.ini, asic_table.json, peripheral.json and zero_profiles.json", dir)}
	}
	return "", nil
}

// findBuffers reads the files that were given; without any it reads those that were
// kept. texts are what is to be kept.
func (o *options) findBuffers() (p bufmgr.Params, texts map[string][]byte, err error) {
	given, err := o.givenBuffers()
	if err != nil {
		return bufmgr.Params{}, nil, err
	}
	if given != "" {
		return offline.ReadBuffers(given)
	}
	p, texts, err = offline.ReadBuffers(o.buffers())
	if err != nil {
		err = fmt.Errorf("%w; it was kept from an earlier start: remove it, or give a good one with --buffers", err)
	}
	return p, texts, err
}

// bufferFiles are the files that a start begins with.
type bufferFiles struct {
	params bufmgr.Params
	texts  map[string][]byte // to be kept once the agent goes by them; nil: they are
	// kept are the files of before, to go on with if the agent refuses these; nil: the same.
	kept *bufmgr.Params
}

// startBuffers is what a start begins with: the files of findBuffers, to be kept once the
// agent goes by them.
// Without an agent the chip can't be managed at all, so bad ones do not keep it from
// starting if good ones were kept, nor does a folder without any: it goes on with those, and says so. If none were, it
// would be a guess what headroom there is to be, and the chip is better left alone.
func (o *options) startBuffers(log logrus.FieldLogger) (bufferFiles, error) {
	p, texts, err := o.findBuffers()
	kept, old, bad := offline.ReadBuffers(o.buffers())
	if err == nil {
		b := bufferFiles{params: p}
		if changed := o.changedFiles(old, texts); len(changed) > 0 {
			b.params.Source, b.texts = strings.Join(changed, ", "), texts
			if bad == nil {
				b.kept = &kept
			}
		}
		return b, nil
	}
	var usage *usageError
	switch {
	case errors.As(err, &usage) && (bad != nil || len(old) == 0), bad != nil:
		return bufferFiles{}, err
	case len(old) == 0:
		return bufferFiles{}, fmt.Errorf("%w; mend or remove it, or give good ones with --buffers: none were kept by an earlier start to go on with", err)
	}
	kept.Stale = fmt.Errorf("%w; those that were kept in %s stay in use: mend it, then xonctl restart buffers", err, o.buffers())
	log.WithError(kept.Stale).Error("the buffer manager goes on with older files")
	return bufferFiles{params: kept}, nil
}

// changedFiles are the paths of the given files that differ from those that are kept, and of
// those that are not given any more.
func (o *options) changedFiles(old, texts map[string][]byte) (paths []string) {
	dir, err := o.givenBuffers()
	if err != nil || dir == "" {
		return nil
	}
	for _, f := range offline.BufferFiles {
		was, had := old[f.Name]
		text, has := texts[f.Name]
		switch path := filepath.Join(dir, f.Name); {
		case has && (!had || !bytes.Equal(was, text)):
			paths = append(paths, path)
		case had && !has:
			paths = append(paths, path+" (which is gone)")
		}
	}
	return paths
}

// acceptedBuffers keeps the files of the start once they are those that the agent goes by.
func (k *keeper) acceptedBuffers(in *bufmgr.Params) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if in == nil || k.buffers.texts == nil || in.Source != k.buffers.params.Source {
		return
	}
	if err := k.o.keepBuffers(k.buffers.texts); err != nil {
		k.log.WithError(err).Error("the next start of xond will not know the files of the buffer manager")
		return
	}
	k.buffers = bufferFiles{params: k.buffers.params}
}

// keepBuffers makes the kept files be these.
func (o *options) keepBuffers(texts map[string][]byte) error {
	if err := os.MkdirAll(o.buffers(), 0o755); err != nil {
		return fmt.Errorf("keep the buffer manager's files: %w", err)
	}
	for _, f := range offline.BufferFiles {
		path := filepath.Join(o.buffers(), f.Name)
		text, ok := texts[f.Name]
		var err error
		if !ok {
			if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		} else if err = writeThrough(path+".new", text); err == nil {
			err = os.Rename(path+".new", path)
		}
		if err != nil {
			return fmt.Errorf("keep the buffer manager's files: %w", err)
		}
	}
	return nil
}

// writeThrough writes a file that is whole after a loss of power too: xond does not start
// with one that is not.
func writeThrough(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) //nolint:gosec // nothing secret, and the caller's name
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// RestartBuffers implements admin.Backend.
func (k *keeper) RestartBuffers(ctx context.Context, who string) (*admin.RestartBuffersResponse, error) {
	agent := k.current()
	if agent == nil {
		return nil, errNoChip
	}
	p, texts, err := k.o.findBuffers()
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error()+"; the buffer manager goes on with what it had")
	}
	in, err := agent.RestartBuffers(ctx, p, who)
	if err != nil {
		return nil, forClient(err)
	}
	k.mu.Lock()
	k.buffers = bufferFiles{params: p}
	k.mu.Unlock()
	if err := k.o.keepBuffers(texts); err != nil {
		return nil, status.Error(codes.Internal, "the buffer manager began anew, but the next start of xond will not know: "+err.Error())
	}
	resp := &admin.RestartBuffersResponse{Model: in.Model}
	if in.Lookup != nil {
		resp.Sources = append(resp.Sources, in.Lookup.Source)
	}
	if in.ASIC != nil {
		resp.Sources = append(resp.Sources, in.ASIC.Source+": "+in.ASIC.Name)
	}
	return resp, nil
}

// ExplainHeadroom implements admin.Backend.
func (k *keeper) ExplainHeadroom(ctx context.Context, req *admin.ExplainHeadroomRequest) (*admin.ExplainHeadroomResponse, error) {
	agent := k.current()
	if agent == nil {
		return nil, errNoChip
	}
	e, err := agent.Headroom(ctx, req.GetPort(), bufmgr.Override{Speed: req.GetSpeed(), Metres: req.Metres, MTU: req.GetMtu()})
	switch {
	case errors.Is(err, orchagent.ErrNotLoaded):
		return nil, status.Error(codes.Unavailable, err.Error())
	case err != nil:
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	}
	m := &admin.ExplainHeadroomResponse{
		Port: e.Port, Model: e.Model, Profile: e.Profile, Xon: e.Xon, Xoff: e.Xoff, Size: e.Size,
		Refusal: e.Refusal, PortBytes: e.Fit.PortBytes, PortLimit: e.Fit.PortLimit, Notes: e.Notes,
	}
	verdict, fits := e.Verdict()
	m.Verdict, m.Fits = verdict, &fits
	for _, c := range e.Fit.Checks {
		m.Checks = append(m.Checks, &admin.HeadroomCheck{
			What: c.What, Needed: c.Needed, Available: c.Available, Result: string(c.Result), By: c.By, Condition: c.Condition, Unknown: c.Unknown,
		})
	}
	for _, s := range e.Steps {
		m.Steps = append(m.Steps, &admin.HeadroomStep{Name: s.Name, Formula: s.Formula, Value: s.Value, Unit: s.Unit, Source: s.Source})
	}
	for _, p := range e.Fit.Pools {
		m.Pools = append(m.Pools, &admin.HeadroomPool{Pool: p.Pool, Before: p.Before, After: p.After, XoffBefore: p.XoffBefore, XoffAfter: p.XoffAfter})
	}
	return m, nil
}

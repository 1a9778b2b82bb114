package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sirupsen/logrus"
	"github.com/spf13/pflag"

	"xon/cmd/offline"
	"xon/orchagent/crash"
	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/scenario"
	"xon/schema/configdb"
)

// trafficOptions say what packets a virtual chip has to do with.
type trafficOptions struct {
	Traffic string // a file; "": none
	Scale   float64
}

func (o *trafficOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Traffic, "traffic", "", "have packets move through the virtual chip, which is the first switch of this scenario `file` (see xonctl simulate)")
	f.Float64Var(&o.Scale, "traffic-scale", 0.001, "virtual `seconds` of traffic in a second, 1 at most; it takes a quarter of a core at most, and goes more slowly if that is not enough")
}

// start has packets move, until ctx ends, through a chip that no agent uses yet. A
// fault while they do is logged and ends the traffic; the chip goes on.
func (o *trafficOptions) start(ctx context.Context, chip *vsai.Chip, rows configdb.RawRows, log logrus.FieldLogger) error {
	if o.Traffic == "" {
		return nil
	}
	if o.Scale == 0 {
		return errors.New("traffic: scale 0: want above 0, and 1 at most; no packets move without --traffic")
	}
	text, err := os.ReadFile(o.Traffic)
	if err != nil {
		return fmt.Errorf("traffic: %w", err)
	}
	live, err := scenario.NewLive(o.Traffic, text, chip, offline.Rows(rows), failed(log))
	if err != nil {
		return fmt.Errorf("traffic: %w", err)
	}
	pacer, err := bridge.NewPacer(live.Sim, bridge.Pace{Scale: o.Scale, Unsupported: missed(log)}, live.Device)
	if err != nil {
		return fmt.Errorf("traffic: %w", err)
	}
	go func() { ended(log, crash.Call(log, "the traffic", func() error { return pacer.Run(ctx) })) }()
	log.WithFields(logrus.Fields{"scenario": o.Traffic, "scale": o.Scale}).Info("packets move")
	return nil
}

// failed logs what of the scenario does not go on.
func failed(log logrus.FieldLogger) func(error) {
	return func(err error) { log.WithError(err).Error("a part of the traffic does not go on") }
}

// missed logs what the agent has programmed that packets do not follow.
func missed(log logrus.FieldLogger) func(error) {
	return func(err error) { log.WithError(err).Warn("packets do not follow something that the chip took") }
}

// ended logs how the traffic ended.
func ended(log logrus.FieldLogger, err error) {
	if err != nil {
		log.WithError(err).Error("no packets move any more")
	}
}

package orchagent_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/crash"
	"xon/orchagent/inventory"
	"xon/orchagent/report"
	"xon/sai"
	"xon/sai/vsai"
	"xon/test/scale"
)

// publisher is a Publisher that may panic.
type publisher func()

func (p publisher) Publish(context.Context, report.Report) error { p(); return nil }

// TestBug (I12): a panic below the agent, in the chip's driver or in the publisher,
// ends Run with an error, and nobody who waits for the agent waits for ever.
func TestBug(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		chip    func(vsai.Call) sai.Status
		publish publisher
		part    string
	}{
		{"driver", func(c vsai.Call) sai.Status {
			if c.Op.Write() {
				panic("a driver's bug")
			}
			return 0
		}, func() {}, "the agent's loop"},
		{"publisher", nil, func() { panic("a publisher's bug") }, "publishing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			chip := newChip(t, 2)
			sw, _, err := inventory.Open(chip)
			if err != nil {
				t.Fatal(err)
			}
			chip.OnCall(tt.chip)
			log := logrus.New()
			log.SetOutput(io.Discard)
			a := orchagent.New(orchagent.Config{Log: log, Switch: sw, Names: chip, Store: &memory{}, Publisher: tt.publish})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- a.Run(ctx) }()
			if err := a.Load(ctx, scale.Changes(small())); tt.chip != nil && !errors.Is(err, orchagent.ErrStopped) {
				t.Errorf("load: %v", err)
			}
			var bug *crash.Panic
			if err := <-ended; !errors.As(err, &bug) || bug.Part != tt.part {
				t.Errorf("run: %v", err)
			}
			if err := a.Change(ctx, nil); !errors.Is(err, orchagent.ErrStopped) {
				t.Errorf("change afterwards: %v", err)
			}
		})
	}
}

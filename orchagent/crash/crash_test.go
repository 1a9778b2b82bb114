package crash_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent/crash"
)

func TestCall(t *testing.T) {
	t.Parallel()
	log, hook := test.NewNullLogger()
	if err := crash.Call(log, "loop", func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if err := crash.Call(log, "loop", func() error { return nil }); err != nil || len(hook.Entries) > 0 {
		t.Errorf("got %v, logged %v", err, hook.Entries)
	}
	var nothing map[string]int
	err := crash.Func(log, "loop", func() error { nothing["a"] = 1; return nil })()
	var p *crash.Panic
	if !errors.As(err, &p) || p.Part != "loop" || !strings.Contains(p.Stack, "crash_test.go") {
		t.Fatalf("got %+v", err)
	}
	if want := "loop met a bug: assignment to entry in nil map"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	e := hook.LastEntry()
	if e == nil || e.Level != logrus.ErrorLevel || e.Data["part"] != "loop" || !strings.Contains(e.Data["stack"].(string), "crash_test.go") { //nolint:errcheck // a test may panic
		t.Errorf("logged %+v", e)
	}
}

// TestAgain: a part that meets bugs is run until it ends by itself, or ctx does.
func TestAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, _ := test.NewNullLogger()
		runs := 0
		if err := crash.Again(t.Context(), log, "saving", func() error {
			if runs++; runs < 4 {
				panic(runs)
			}
			return io.EOF
		})(); !errors.Is(err, io.EOF) || runs != 4 {
			t.Errorf("%d runs, %v", runs, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := crash.Again(ctx, log, "saving", func() error { cancel(); panic("again") })(); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

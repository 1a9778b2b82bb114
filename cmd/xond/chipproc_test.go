package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus/hooks/test"
)

// TestMain is the chip process too, since that is this program again: one that is
// killed at once.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "chip" {
		fmt.Println("no memory is left")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	os.Exit(m.Run())
}

// TestChipIsKilled: a chip process that is killed again and again is given up, after a
// few attempts and not for ever.
func TestChipIsKilled(t *testing.T) {
	t.Parallel()
	log, hook := test.NewNullLogger()
	begin := time.Now()
	_, err := connectChip(t.Context(), &options{Dir: t.TempDir(), Chip: "process", LogLevel: "info"}, nil, log)
	if took := time.Since(begin); took > 2*chipStart {
		t.Errorf("took %v", took)
	}
	if err == nil || !strings.Contains(err.Error(), "signal: killed") || !strings.Contains(err.Error(), "no memory is left") {
		t.Errorf("got %v", err)
	}
	if n := len(hook.AllEntries()); n < 3 || n > 20 {
		t.Errorf("%d messages", n)
	}
}

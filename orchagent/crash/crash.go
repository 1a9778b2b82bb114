// Package crash keeps a bug in one part of the agent from being the end of it: a
// panic becomes an error, which is logged with its stack at once and ends what the
// part belongs to, a session for example, the way any other error does.
//
// Every goroutine of orchagent and of cmd/xond runs through it, since a panic in one
// that does not ends the program.
package crash

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/sirupsen/logrus"
)

// Panic is the error of a part that met a bug.
type Panic struct {
	Part  string // which part
	Value any    // what it panicked with
	Stack string // of the goroutine
}

// Error names the part and what it panicked with, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%s met a bug: %v", p.Part, p.Value) }

// Call runs f. If it panics the error is a *Panic; otherwise it is f's.
func Call(log logrus.FieldLogger, part string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p := &Panic{Part: part, Value: v, Stack: string(debug.Stack())}
			log.WithFields(logrus.Fields{"part": part, "panic": fmt.Sprint(v), "stack": p.Stack}).Error("a part met a bug")
			err = p
		}
	}()
	return f()
}

// Func is Call for later: for errgroup.Group.Go and for goroutines.
func Func(log logrus.FieldLogger, part string, f func() error) func() error {
	return func() error { return Call(log, part, f) }
}

// Again is Func for what must go on until ctx ends: after a bug f is run again, a
// second later. It ends when f returns.
func Again(ctx context.Context, log logrus.FieldLogger, part string, f func() error) func() error {
	return func() error {
		for {
			err := Call(log, part, f)
			var bug *Panic
			if !errors.As(err, &bug) {
				return err
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Second):
			}
		}
	}
}

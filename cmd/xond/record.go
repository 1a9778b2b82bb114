package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"xon/sai/vsai"
)

// record is a file with a line for every write that the chip was asked for.
type record struct {
	log logrus.FieldLogger

	mu     sync.Mutex // guards the rest
	file   *os.File
	line   []byte
	failed bool // told of in the log
}

const aboutRecord = "append every create, remove and set to this `file`: time|op|object|attribute=value|...|status"

// openRecord appends to a file. What is written to the chip never waits for room on
// the disk: lines that can't be written are lost, and the log says so once.
func openRecord(name string, log logrus.FieldLogger) (*record, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, fmt.Errorf("record of writes: %w", err)
	}
	return &record{log: log, file: f}, nil
}

// take is for vsai.Chip.AfterCall.
func (r *record) take(c vsai.Call) {
	if !c.Op.Write() || c.IsBulk() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line = appendCall(r.line[:0], time.Now(), &c)
	if _, err := r.file.Write(r.line); err != nil && !r.failed {
		r.failed = true
		r.log.WithError(err).Warn("writes to the chip are no longer recorded")
	}
}

// appendCall appends the line of one call.
func appendCall(b []byte, at time.Time, c *vsai.Call) []byte {
	b = at.UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
	b = fmt.Appendf(b, "|%s|%s:", c.Op, c.Object.Type.FullName())
	if c.Object.Entry > 0 {
		b = fmt.Appendf(b, "%x", c.Key.Entry)
	} else {
		b = append(b, c.Key.OID.String()...)
	}
	for _, a := range c.Attrs {
		if c.Object.Attr(a.ID) != a.AttrMeta {
			continue // the object has no such attribute, and the status says so
		}
		b = append(append(append(b, '|'), a.FullName()...), '=')
		b = a.AppendText(b, a.Value)
	}
	return fmt.Appendf(b, "|%s\n", c.Status.Name())
}

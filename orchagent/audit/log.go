package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/sirupsen/logrus"

	"xon/orchagent/crash"
)

// Config is how a Log is kept. The zero Config keeps it in memory alone.
type Config struct {
	// Path is the file to append to, one JSON object a line, see Record; "" for
	// none. When it has grown over MaxBytes it is renamed to Path.1, Path.1 to
	// Path.2 and so on; Files of these are kept.
	Path     string
	MaxBytes int64              // 8 MiB if 0
	Files    int                // 4 if 0
	Keep     int                // records in memory; 512 if 0
	Log      logrus.FieldLogger // of trouble with the file; needed with Path
}

// maxQueue is how many records wait for the file at most. One is a few kilobytes.
const maxQueue = 4096

// Log keeps records: the last ones in memory, all of them in a file. Its methods
// may be called from any goroutine.
type Log struct {
	cfg  Config
	wake chan struct{} // has an element while there may be something to write
	over chan struct{} // closed when nothing is written any more
	file file          // of the writing goroutine

	mu     sync.Mutex
	last   uint64
	ring   []Record // oldest first
	queue  []Record
	closed bool
	lost   uint64
}

// New opens a log. Records that the file has already are taken up, so that history
// and numbers go on over a restart. A line that is not a record, as after a power
// failure, is passed over.
func New(cfg Config) (*Log, error) {
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = 8 << 20
	}
	if cfg.Files <= 0 {
		cfg.Files = 4
	}
	if cfg.Keep <= 0 {
		cfg.Keep = 512
	}
	l := &Log{cfg: cfg, wake: make(chan struct{}, 1), over: make(chan struct{})}
	if cfg.Path == "" {
		close(l.over)
		return l, nil
	}
	for _, path := range []string{rotated(cfg.Path, 1), cfg.Path} {
		if err := l.restore(path); err != nil {
			return nil, err
		}
	}
	l.file = file{path: cfg.Path, max: cfg.MaxBytes, keep: cfg.Files}
	if err := l.file.open(); err != nil {
		return nil, err
	}
	go func() { _ = crash.Call(cfg.Log, "writing the audit log", l.write) }() // the log has it
	return l, nil
}

// restore takes up the records of a file; there may be none.
func (l *Log) restore(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		var r Record
		if len(line) > 0 && json.Unmarshal(line, &r) == nil && r.ID > 0 {
			l.last = max(l.last, r.ID)
			l.remember(r)
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
	}
}

func (l *Log) remember(r Record) {
	if len(l.ring) >= 2*l.cfg.Keep {
		l.ring = slices.Clone(l.ring[len(l.ring)-l.cfg.Keep+1:])
	}
	l.ring = append(l.ring, r)
}

// Reserve returns a number for a record that is yet to come, and to be given to Add
// with that ID.
func (l *Log) Reserve() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	return l.last
}

// Add takes in a record, cuts it to the limits, gives it a number, unless it has
// one from Reserve, and returns that. It never waits for the file: what does not fit
// into the queue, or comes after Close, is in memory only and counted as lost.
func (l *Log) Add(r Record) uint64 {
	r.limit()
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.ID == 0 {
		l.last++
		r.ID = l.last
	}
	l.remember(r)
	switch {
	case l.cfg.Path == "":
	case l.closed || len(l.queue) >= maxQueue:
		l.lost++
	default:
		l.queue = append(l.queue, r)
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return r.ID
}

// Records returns the last records, the newest last. They must not be changed.
func (l *Log) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ring[max(0, len(l.ring)-l.cfg.Keep):])
}

// Lost is how many records could not be written to the file.
func (l *Log) Lost() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Close writes what waits and closes the file. The records in memory stay.
func (l *Log) Close() error {
	l.mu.Lock()
	first := !l.closed
	l.closed = true
	l.mu.Unlock()
	if l.cfg.Path == "" || !first {
		return nil
	}
	close(l.wake)
	<-l.over
	return l.file.close()
}

// write writes until Close.
func (l *Log) write() error {
	defer close(l.over)
	for range l.wake {
		l.flush()
	}
	l.flush()
	return nil
}

// flush writes what waits.
func (l *Log) flush() {
	l.mu.Lock()
	batch := l.queue
	l.queue = nil
	l.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	lost, err := l.file.append(batch)
	if err == nil {
		return
	}
	l.mu.Lock()
	l.lost += uint64(lost)
	all := l.lost
	l.mu.Unlock()
	l.cfg.Log.WithError(err).WithFields(logrus.Fields{"component": "audit", "lost": lost, "lost_in_all": all}).
		Error("write the audit log; the records are in memory only")
}

// line is a record as it stands in the file.
func line(r Record) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return b.Bytes(), err
}

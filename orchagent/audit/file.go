package audit

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

// file is the file of a log, and those that it was before.
type file struct {
	path string
	max  int64
	keep int
	f    *os.File // nil after trouble, until the next append
	size int64
}

// rotated is the name of the n-th file before the one of now.
func rotated(path string, n int) string { return path + "." + strconv.Itoa(n) }

// open opens the file, and makes it if need be. A line that was left unfinished is
// ended, so that it spoils no other.
func (f *file) open() error {
	o, err := os.OpenFile(f.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o640)
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	info, err := o.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open the audit log: %w", err), o.Close())
	}
	f.f, f.size = o, info.Size()
	if f.size == 0 {
		return nil
	}
	var end [1]byte
	if _, err := o.ReadAt(end[:], f.size-1); err == nil && end[0] != '\n' {
		return f.put([]byte{'\n'})
	}
	return nil
}

// append writes records. It returns how many are lost, if there is an error.
func (f *file) append(batch []Record) (lost int, err error) {
	for i, r := range batch {
		data, err := line(r)
		if err == nil {
			err = f.write(data)
		}
		if err != nil {
			return len(batch) - i, err
		}
	}
	return 0, nil
}

// write writes one line, to a new file if the one of now is full.
func (f *file) write(data []byte) error {
	if f.f != nil && f.size > 0 && f.size+int64(len(data)) > f.max {
		if err := f.rotate(); err != nil {
			return err
		}
	}
	if f.f == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	return f.put(data)
}

// put appends to the file. After an error it is opened afresh the next time.
func (f *file) put(data []byte) error {
	n, err := f.f.Write(data)
	f.size += int64(n)
	if err != nil {
		return errors.Join(fmt.Errorf("append to the audit log: %w", err), f.close())
	}
	return nil
}

// rotate moves every file on by one; the oldest goes.
func (f *file) rotate() error {
	if err := f.close(); err != nil {
		return err
	}
	for n := f.keep; n > 0; n-- {
		from := f.path
		if n > 1 {
			from = rotated(f.path, n-1)
		}
		if err := os.Rename(from, rotated(f.path, n)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("rotate the audit log: %w", err)
		}
	}
	return nil
}

func (f *file) close() error {
	if f.f == nil {
		return nil
	}
	o := f.f
	f.f, f.size = nil, 0
	if err := o.Close(); err != nil {
		return fmt.Errorf("close the audit log: %w", err)
	}
	return nil
}

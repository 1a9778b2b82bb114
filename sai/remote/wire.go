package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"unsafe"

	"xon/sai"
)

// errMalformed is the error of an invalid message.
var errMalformed = errors.New("malformed message")

// A frame is a length (4 bytes, little endian, of what follows), a request number (4
// bytes), a message type (1 byte) and a body. A reply has the request's number and
// type; its body starts with the status.
const (
	lengthBytes = 4
	headBytes   = 5 // request number and type
)

// frames is a pool of message buffers.
var frames = sync.Pool{New: func() any { return new(frame) }}

type frame struct{ b []byte }

// maxPooledBuffer is the largest buffer that is reused.
const maxPooledBuffer = 1 << 20

func (f *frame) free() {
	if cap(f.b) <= maxPooledBuffer {
		frames.Put(f)
	}
}

// newFrame starts a message. send fills in the length.
func newFrame(request uint32, o messageType) *frame {
	f, _ := frames.Get().(*frame)
	f.b = append(f.b[:0], 0, 0, 0, 0)
	f.b = binary.LittleEndian.AppendUint32(f.b, request)
	f.b = append(f.b, byte(o))
	return f
}

// send writes a frame with one Write.
func (f *frame) send(w io.Writer) error {
	n := len(f.b) - lengthBytes
	if n > maxFrame {
		return fmt.Errorf("message of %d bytes: more than %d", n, maxFrame)
	}
	binary.LittleEndian.PutUint32(f.b, uint32(n))
	_, err := w.Write(f.b)
	return err
}

// receive reads a frame and returns it without the length. The buffer grows with
// received data, so a wrong length allocates nothing.
func receive(r io.Reader) (*frame, error) {
	f, _ := frames.Get().(*frame)
	f.b = slices.Grow(f.b[:0], lengthBytes)[:lengthBytes]
	if _, err := io.ReadFull(r, f.b); err != nil {
		f.free()
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(f.b))
	if n < headBytes || n > maxFrame {
		f.free()
		return nil, fmt.Errorf("%w of %d bytes", errMalformed, n)
	}
	f.b = f.b[:0]
	for len(f.b) < n {
		at := len(f.b)
		step := min(n-at, maxPooledBuffer)
		f.b = slices.Grow(f.b, step)[:at+step]
		if _, err := io.ReadFull(r, f.b[at:]); err != nil {
			f.free()
			if errors.Is(err, io.EOF) { // within a frame this is not an orderly end
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return f, nil
}

// head splits a received frame.
func (f *frame) head() (request uint32, o messageType, body []byte) {
	return binary.LittleEndian.Uint32(f.b), messageType(f.b[4]), f.b[headBytes:]
}

func (f *frame) u8(n uint8)          { f.b = append(f.b, n) }
func (f *frame) uvarint(n uint64)    { f.b = binary.AppendUvarint(f.b, n) }
func (f *frame) u64(n uint64)        { f.b = binary.LittleEndian.AppendUint64(f.b, n) }
func (f *frame) oid(id sai.OID)      { f.u64(uint64(id)) }
func (f *frame) s32(n int32)         { f.b = binary.AppendVarint(f.b, int64(n)) }
func (f *frame) status(s sai.Status) { f.s32(int32(s)) }
func (f *frame) text(s string)       { f.b = appendText(f.b, s) }

func (f *frame) bool(v bool) {
	if v {
		f.u8(1)
		return
	}
	f.u8(0)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// object writes an object type.
func (f *frame) object(o *sai.ObjectMeta) { f.uvarint(uint64(o.Type)) }

// key writes an object ID, or an entry struct with its length.
func (f *frame) key(o *sai.ObjectMeta, k sai.Key) {
	if o.Entry == 0 {
		f.oid(k.OID)
		return
	}
	f.uvarint(uint64(len(k.Entry)))
	f.b = append(f.b, k.Entry...)
}

func (f *frame) ids(ids []uint32) {
	f.uvarint(uint64(len(ids)))
	for _, id := range ids {
		f.uvarint(uint64(id))
	}
}

// numbers writes counters in memory representation.
func (f *frame) numbers(n []uint64) { f.b = append(f.b, numberBytes(n)...) }

// numberBytes returns the memory of numbers.
func numberBytes(n []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(n))), 8*len(n))
}

// An attribute starts with a byte that says whether the object has it with a value that
// its kind allows. If not, the other side passes an equally invalid attribute to its
// driver, which refuses it as the original would be.
const (
	attrGood uint8 = iota
	attrUnknown
	attrBadValue
)

func (f *frame) attribute(o *sai.ObjectMeta, a sai.Attribute) {
	if a.AttrMeta == nil || o.Attr(a.ID) != a.AttrMeta {
		f.u8(attrUnknown)
		return
	}
	at := len(f.b)
	f.u8(attrGood)
	f.b = sai.AppendAttribute(f.b, a)
	got, _, err := sai.ReadAttribute(o, f.b[at+1:])
	switch {
	case err != nil: // a number that is too wide
	case a.Ref != nil && got.Ref == nil && o.Check([]sai.Attribute{a}) == sai.StatusInvalidAttrValue0:
		// A value of the wrong type must not become an empty list.
	default:
		return
	}
	f.b = f.b[:at]
	f.u8(attrBadValue)
	f.uvarint(uint64(a.ID))
}

func (f *frame) attributes(o *sai.ObjectMeta, attrs []sai.Attribute) {
	f.uvarint(uint64(len(attrs)))
	for _, a := range attrs {
		f.attribute(o, a)
	}
}

// attrIDs writes the attribute IDs of a get, without values.
func (f *frame) attrIDs(o *sai.ObjectMeta, attrs []sai.Attribute) {
	f.uvarint(uint64(len(attrs)))
	for _, a := range attrs {
		if a.AttrMeta == nil || o.Attr(a.ID) != a.AttrMeta {
			f.uvarint(math.MaxUint64)
			continue
		}
		f.uvarint(uint64(a.ID))
	}
}

// unknown is an attribute that no object has.
var unknown = &sai.AttrMeta{ID: math.MaxUint32, Name: "UNKNOWN"}

// badValue is invalid for every kind.
var badValue = sai.Value{Num: 1 << 63, Ref: struct{}{}}

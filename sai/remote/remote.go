// Package remote carries a sai.Driver over a unix socket, so that the agent and
// the chip live in two processes and outlive each other.
//
// Serve holds a driver and serves one agent at a time; Dial connects to it and
// gives a Client, which is a sai.Driver and a sai.Names again. A call is one
// message each way, a bulk call too; notifications are messages that nobody asked
// for. Values travel in the form of sai.AppendAttribute, so both ends must be of
// the same build: the handshake sees to that.
//
// An agent that goes away, in whatever manner, leaves the chip as it is. What it
// subscribed to is dropped, and the next agent is served. It is not told what the
// former one did: it compares.
//
// What is not here: security. Who may open the socket is up to its file's mode.
package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"xon/sai"
)

// ErrBusy is the error of Dial while another agent is connected.
var ErrBusy = errors.New("chip is in use")

// ErrVersion is the error of Dial if the other side is of another build, or no
// chip process at all.
var ErrVersion = errors.New("chip process does not match this program")

// ErrClosed is what Client.Err gives after Close.
var ErrClosed = errors.New("connection is closed")

// StatusLost is the status of calls while there is no connection, and of those
// that were under way when it was lost, which may or may not have been executed.
// Client.Err has the reason.
const StatusLost = sai.StatusUninitialized

const (
	magic    = "xonchip\x00"
	protocol = 2        // of the messages in this package
	maxFrame = 64 << 20 // bytes; 128k routes are 8 MB
	maxName  = 100      // bytes of an agent's name
)

// hello is the first thing an agent sends, in a frame.
type hello struct {
	protocol uint64
	version  sai.Version // the SAI version of the build
	metadata uint64      // what objects and attributes it knows, as a hash
	agent    string      // for people: xond[4711]
}

// localHello is the hello of this program.
func localHello() hello {
	return hello{
		protocol: protocol, version: sai.FactsVersion, metadata: metadataHash(),
		agent: fmt.Sprintf("%s[%d]", filepath.Base(os.Args[0]), os.Getpid()),
	}
}

// metadataHash hashes all that the form of values depends on.
func metadataHash() uint64 {
	h := fnv.New64a()
	var b []byte
	for _, o := range sai.Objects {
		b = binary.AppendVarint(b[:0], int64(o.Type))
		b = binary.AppendVarint(b, int64(o.Entry))
		for _, a := range o.Attrs {
			b = binary.AppendUvarint(b, uint64(a.ID))
			b = append(b, byte(a.Kind))
		}
		_, _ = h.Write(b) // a hash takes everything
	}
	return h.Sum64()
}

func (h hello) append(b []byte) []byte {
	b = append(b, magic...)
	b = binary.AppendUvarint(b, h.protocol)
	b = binary.AppendUvarint(b, uint64(h.version))
	b = binary.LittleEndian.AppendUint64(b, h.metadata)
	return appendText(b, h.agent)
}

func readHello(b []byte) (h hello, err error) {
	rest, ok := strings.CutPrefix(string(b), magic)
	if !ok {
		return h, errMalformed
	}
	r := reader{b: []byte(rest)}
	h = hello{protocol: r.uvarint(), version: sai.Version(r.uvarint()), metadata: r.u64(), agent: r.text(maxName)}
	h.agent = printable(h.agent)
	return h, r.end()
}

// printable keeps what other programs send out of the log's and the terminal's
// way.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, s)
}

// differs says why two builds do not understand each other; "" if they do.
func (h hello) differs(chip hello) string {
	switch {
	case h.protocol != chip.protocol:
		return fmt.Sprintf("protocol %d, the chip process has %d", h.protocol, chip.protocol)
	case h.version != chip.version:
		return fmt.Sprintf("SAI %v, the chip process has %v", h.version, chip.version)
	case h.metadata != chip.metadata:
		return fmt.Sprintf("another set of attributes of SAI %v", h.version)
	}
	return ""
}

// helloReply is what a chip process says to a hello.
type helloReply uint8

const (
	welcome helloReply = iota
	busy
	mismatch
)

// messageType is what a message asks for.
type messageType uint8

const (
	opCreate messageType = iota + 1
	opRemove
	opSet
	opGet
	opStats
	opClearStats
	opBulkCreate
	opBulkRemove
	opBulkSet
	opBulkGet
	opBulkStats
	opAttrCapability
	opEnumCapability
	opStatsCapability
	opObjects
	opNotify
	opNames
	opSetNames
	opInjectStat
	opInjectAttr
	opEvent // a notification; from the chip process only, with request 0
)

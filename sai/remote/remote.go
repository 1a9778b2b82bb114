// Package remote carries a sai.Driver over a unix socket, so that agent and chip are
// two processes and survive each other's restarts.
//
// Serve serves a driver to one agent at a time; Dial connects to it and returns a
// Client, which is again a sai.Driver and a sai.Names. A call, even a bulk call, is one
// message each way; notifications are unsolicited messages. Values are encoded by
// sai.AppendAttribute, so both sides must be of the same build; the handshake checks
// that.
//
// When an agent exits for any reason, the chip keeps its state. The subscriptions of
// the agent end, and the next agent is served. It is not told what the previous agent
// did: it compares the chip's state.
//
// What is not here: security. The mode of the socket file controls access.
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

// ErrVersion is the error of Dial if the other side is of another build, or not a chip
// process.
var ErrVersion = errors.New("chip process does not match this program")

// ErrClosed is the result of Client.Err after Close.
var ErrClosed = errors.New("connection is closed")

// StatusLost is the status of calls without a connection, and of calls in progress when
// it was lost, which may or may not have been executed. Client.Err has the reason.
const StatusLost = sai.StatusUninitialized

const (
	magic    = "xonchip\x00"
	protocol = 2        // version of this package's messages
	maxFrame = 64 << 20 // bytes; 128k routes are 8 MB
	maxName  = 100      // maximum length of an agent's name
)

// hello is the first message of an agent.
type hello struct {
	protocol uint64
	version  sai.Version // SAI version of the build
	metadata uint64      // hash of its object types and attributes
	agent    string      // for messages: xond[4711]
}

// localHello is the hello of this program.
func localHello() hello {
	return hello{
		protocol: protocol, version: sai.FactsVersion, metadata: metadataHash(),
		agent: fmt.Sprintf("%s[%d]", filepath.Base(os.Args[0]), os.Getpid()),
	}
}

// metadataHash hashes everything that the encoding of values depends on.
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
		_, _ = h.Write(b) // hash writes never fail
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

// printable removes control characters from text of other programs, for logs and
// terminals.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, s)
}

// differs explains why two builds are incompatible; "" if they are compatible.
func (h hello) differs(chip hello) string {
	switch {
	case h.protocol != chip.protocol:
		return fmt.Sprintf("protocol %d, the chip process has %d", h.protocol, chip.protocol)
	case h.version != chip.version:
		return fmt.Sprintf("SAI %v, the chip process has %v", h.version, chip.version)
	case h.metadata != chip.metadata:
		return fmt.Sprintf("different attributes of SAI %v", h.version)
	}
	return ""
}

// helloReply is the chip process's reply to a hello.
type helloReply uint8

const (
	welcome helloReply = iota
	busy
	mismatch
)

// messageType is the type of a message.
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
	opEvent // a notification; only from the chip process, with request 0
)

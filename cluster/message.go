package cluster

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// Version is the version of the protocol. Both sides must have the same.
const Version = 6

// Kind is the kind of a message.
type Kind byte

// The kinds of messages.
const (
	// a worker to the trainer: who it is and what it has done; the reply is a Welcome
	KindHello   Kind = iota + 1
	KindWelcome      // the trainer's reply
	KindBlock        // of WORK
	KindBatch        // of GAMES; records follow the head
	KindDone         // the trainer to workers: blocks that are over
	KindMatch        // of MATCHES: games of a match
	KindResults      // of GAMES: finished games of a match; their actions follow the head
)

// A message is the magic, the version, the kind, the length of the head (uint32), a CRC-32C of all
// before it and of the head (uint32), the head in JSON, and for a Batch records of the replay, for
// Results actions. Numbers are little-endian.
const (
	magic    = "TGNCL"
	headSize = len(magic) + 2 + 4 + 4
)

// Limits in bytes. Whole messages are bounded by the broker too.
const (
	MaxHead  = 256 << 10 // of a message's head
	MaxBatch = 512 << 10 // of a Batch with more than one game
	// MaxMessage bounds all messages, so also a game that is a Batch of its own.
	MaxMessage = 8 << 20
	// MaxBlock is the most games of a Block.
	MaxBlock = 1024

	maxText = 256
	maxDone = 1024
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// message is the head of a message.
type message interface {
	kind() Kind
	check() error
}

func (*Hello) kind() Kind   { return KindHello }
func (*Welcome) kind() Kind { return KindWelcome }
func (*Block) kind() Kind   { return KindBlock }
func (*Batch) kind() Kind   { return KindBatch }
func (*Done) kind() Kind    { return KindDone }

// Encode encodes a message. It returns an error if a limit is exceeded.
func Encode(m message) ([]byte, error) { return encode(m, nil) }

func encode(m message, body []byte) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("encode %v: %w", m.kind(), err)
	}
	head, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %v: %w", m.kind(), err)
	}
	if len(head) > MaxHead {
		return nil, fmt.Errorf("encode %v: its head has %d bytes; at most %d are allowed",
			m.kind(), len(head), MaxHead)
	}
	b := append([]byte(magic), Version, byte(m.kind()))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(head)))
	sum := crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, head)
	b = binary.LittleEndian.AppendUint32(b, sum)
	b = append(append(b, head...), body...)
	if len(b) > MaxMessage {
		return nil, fmt.Errorf("encode %v: %d bytes; at most %d are allowed",
			m.kind(), len(b), MaxMessage)
	}
	return b, nil
}

// ErrVersion is wrapped by the error about a message of another version of the protocol.
var ErrVersion = errors.New("another version of the protocol")

// Decode decodes a message into m. A message of another kind, or one that exceeds a limit, is an
// error.
func Decode(data []byte, m message) error {
	_, err := decode(data, m)
	return err
}

func decode(data []byte, m message) (body []byte, err error) {
	body, err = split(data, m)
	if err == nil && len(body) > 0 && m.kind() != KindBatch && m.kind() != KindResults {
		err = fmt.Errorf("%d bytes follow its end", len(body))
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("decode %v: %w", m.kind(), err)
	}
	return body, nil
}

func split(data []byte, m message) (body []byte, err error) {
	switch {
	case len(data) > MaxMessage:
		return nil, fmt.Errorf("%d bytes; at most %d are allowed", len(data), MaxMessage)
	case len(data) < headSize || string(data[:len(magic)]) != magic:
		return nil, errors.New("not a message of this protocol")
	}
	version, kind := data[len(magic)], Kind(data[len(magic)+1])
	length := binary.LittleEndian.Uint32(data[len(magic)+2:])
	sum := binary.LittleEndian.Uint32(data[headSize-4:])
	switch {
	case version != Version:
		return nil, fmt.Errorf("%w: %d; this program has %d", ErrVersion, version, Version)
	case kind != m.kind():
		return nil, fmt.Errorf("it is a %v", kind)
	case length > MaxHead || int(length) > len(data)-headSize:
		return nil, fmt.Errorf("its head has %d bytes; at most %d are allowed, and %d are there",
			length, MaxHead, len(data)-headSize)
	}
	head := data[headSize : headSize+int(length)]
	if got := crc32.Update(crc32.Checksum(data[:headSize-4], castagnoli), castagnoli,
		head); got != sum {
		return nil, fmt.Errorf("its checksum is %#08x, but it has %#08x", sum, got)
	}
	d := json.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON of its head")
	}
	return data[headSize+int(length):], nil
}

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case KindHello:
		return "hello"
	case KindWelcome:
		return "welcome"
	case KindBlock:
		return "block of work"
	case KindBatch:
		return "batch of games"
	case KindDone:
		return "notice of blocks that are over"
	case KindMatch:
		return "block of a match"
	case KindResults:
		return "results of a match"
	}
	return fmt.Sprintf("message of kind %d", byte(k))
}

// Names are the names of a cluster's streams and subjects on a broker. Several clusters may use one
// broker.
type Names struct{ prefix string }

// DefaultName is the name of a cluster unless another one is given.
const DefaultName = "tengen"

// NewNames returns the names of a cluster, whose name must be a valid worker's id.
func NewNames(cluster string) (Names, error) {
	if !ValidWorker(cluster) || strings.Contains(cluster, ".") {
		return Names{},
			fmt.Errorf("a cluster named %.80q; 1 to 64 letters, digits, - and _ are wanted",
				cluster)
	}
	return Names{cluster}, nil
}

// Streams, and the durable consumers of WORK, MATCHES and GAMES.
func (n Names) Work() string    { return n.prefix + "_WORK" }
func (n Names) Matches() string { return n.prefix + "_MATCHES" }
func (n Names) Games() string   { return n.prefix + "_GAMES" }
func (n Names) Weights() string { return n.prefix + "_WEIGHTS" } // a bucket of objects

const (
	WorkConsumer  = "workers" // of WORK
	MatchConsumer = "workers" // of MATCHES
	GamesConsumer = "trainer" // of GAMES
)

// Subjects. Those with a worker's id are its own.
func (n Names) WorkSubject() string               { return n.prefix + ".work" }
func (n Names) MatchSubject() string              { return n.prefix + ".match" }
func (n Names) GamesSubject(worker string) string { return n.prefix + ".games." + worker }
func (n Names) HelloSubject(worker string) string { return n.prefix + ".hello." + worker }
func (n Names) DoneSubject(worker string) string  { return n.prefix + ".done." + worker }

// OverSubject is where the trainer tells all workers which blocks are over.
func (n Names) OverSubject() string { return n.prefix + ".over" }

package tfevents

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxRecord is the greatest size of a record that is read, in bytes; those that are written are far
// smaller.
const maxRecord = 16 << 20

// Event tells what an event is of.
type Event struct {
	WallTime float64 // see the function WallTime
	Step     int64
	Restart  bool   // as Writer.Restart writes it
	Tag      string // the first of its values; "" without any
}

// Read calls visit with the events of a file, up to its end or the first record that is cut short
// or damaged: what follows that TensorBoard does not read either. An error is one of r.
func Read(r io.Reader, visit func(Event)) error {
	var head [12]byte
	var body []byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return ended(err)
		}
		n := binary.LittleEndian.Uint64(head[:])
		if binary.LittleEndian.Uint32(head[8:]) != masked(head[:8]) || n > maxRecord {
			return nil
		}
		if uint64(cap(body)) < n+4 {
			body = make([]byte, n+4)
		}
		body = body[:n+4]
		if _, err := io.ReadFull(r, body); err != nil {
			return ended(err)
		}
		e, ok := parse(body[:n])
		if binary.LittleEndian.Uint32(body[n:]) != masked(body[:n]) || !ok {
			return nil
		}
		visit(e)
	}
}

// ended returns nil if an error of reading is that the file ends.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("read event file: %w", err)
}

// parse reads an event. It returns false for what is none.
func parse(data []byte) (e Event, ok bool) {
	err := eachField(data, func(number protowire.Number, x uint64, inner []byte) error {
		switch number {
		case eventWallTime:
			e.WallTime = math.Float64frombits(x)
		case eventStep:
			e.Step = int64(x)
		case eventSessionLog:
			return eachField(inner, func(number protowire.Number, x uint64, _ []byte) error {
				e.Restart = e.Restart || number == sessionStatus && x == sessionStart
				return nil
			})
		case eventSummary:
			return eachField(inner, func(number protowire.Number, _ uint64, value []byte) error {
				if number != summaryValue || e.Tag != "" {
					return nil
				}
				return eachField(value, func(number protowire.Number, _ uint64, text []byte) error {
					if number == valueTag {
						e.Tag = string(text)
					}
					return nil
				})
			})
		}
		return nil
	})
	return e, err == nil
}

// eachField calls f with the fields of a message: numbers in x, texts and messages in inner.
func eachField(data []byte, f func(number protowire.Number, x uint64, inner []byte) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var x uint64
		var inner []byte
		switch kind {
		case protowire.VarintType:
			x, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			x, n = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(number, x, inner); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

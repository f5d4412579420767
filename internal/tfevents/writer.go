package tfevents

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// version is the version in the first event of a file.
const version = "brain.Event:2"

// Numbers of the fields used, from event.proto and summary.proto.
const (
	eventWallTime    = 1 // double, seconds since 1970
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	eventSessionLog  = 7 // SessionLog
	sessionStatus    = 1 // SessionStatus
	sessionStart     = 1 // START
	summaryValue     = 1 // repeated Value
	valueTag         = 1 // string
	valueSimple      = 2 // float
)

// Scalar is a number and its tag.
type Scalar struct {
	Tag   string
	Value float64 // written as FP32
}

// Writer writes an event file.
type Writer struct {
	w            io.Writer
	event, inner []byte // reused
	record       []byte
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Begin writes the first record, which holds the format's version. Call it once,
// before Scalars.
func (w *Writer) Begin(at time.Time) error {
	w.begin(at)
	w.event = protowire.AppendTag(w.event, eventFileVersion, protowire.BytesType)
	w.event = protowire.AppendString(w.event, version)
	return w.flush()
}

// Restart says that what follows replaces the figures of a step and of later ones, here and in
// files whose names sort before this one's: TensorBoard drops them at a SessionLog with the status
// START (event_accumulator.py: _MaybePurgeOrphanedData).
func (w *Writer) Restart(at time.Time, step int64) error {
	w.begin(at)
	w.event = protowire.AppendTag(w.event, eventStep, protowire.VarintType)
	w.event = protowire.AppendVarint(w.event, uint64(step))
	w.inner = protowire.AppendVarint(protowire.AppendTag(w.inner[:0], sessionStatus,
		protowire.VarintType), sessionStart)
	w.event = protowire.AppendTag(w.event, eventSessionLog, protowire.BytesType)
	w.event = protowire.AppendBytes(w.event, w.inner)
	return w.flush()
}

// Scalars writes the scalars of one step in one record.
func (w *Writer) Scalars(at time.Time, step int64, list []Scalar) error {
	w.begin(at)
	w.event = protowire.AppendTag(w.event, eventStep, protowire.VarintType)
	w.event = protowire.AppendVarint(w.event, uint64(step))
	w.inner = w.inner[:0]
	for _, s := range list {
		value := protowire.SizeTag(valueTag) + protowire.SizeBytes(len(s.Tag)) +
			protowire.SizeTag(valueSimple) + protowire.SizeFixed32()
		w.inner = protowire.AppendTag(w.inner, summaryValue, protowire.BytesType)
		w.inner = protowire.AppendVarint(w.inner, uint64(value))
		w.inner = protowire.AppendTag(w.inner, valueTag, protowire.BytesType)
		w.inner = protowire.AppendString(w.inner, s.Tag)
		w.inner = protowire.AppendTag(w.inner, valueSimple, protowire.Fixed32Type)
		w.inner = protowire.AppendFixed32(w.inner, math.Float32bits(float32(s.Value)))
	}
	w.event = protowire.AppendTag(w.event, eventSummary, protowire.BytesType)
	w.event = protowire.AppendBytes(w.event, w.inner)
	return w.flush()
}

// begin starts an event with its time.
func (w *Writer) begin(at time.Time) {
	w.event = protowire.AppendTag(w.event[:0], eventWallTime, protowire.Fixed64Type)
	w.event = protowire.AppendFixed64(w.event, math.Float64bits(WallTime(at)))
}

// WallTime returns a time as files hold it: seconds since 1970.
func WallTime(at time.Time) float64 { return float64(at.Unix()) + float64(at.Nanosecond())/1e9 }

// flush writes the event as a record: its length, the length's checksum, the event
// and the event's checksum, all little-endian.
func (w *Writer) flush() error {
	w.record = binary.LittleEndian.AppendUint64(w.record[:0], uint64(len(w.event)))
	w.record = binary.LittleEndian.AppendUint32(w.record, masked(w.record))
	w.record = append(w.record, w.event...)
	w.record = binary.LittleEndian.AppendUint32(w.record, masked(w.event))
	if _, err := w.w.Write(w.record); err != nil {
		return fmt.Errorf("write event file: %w", err)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the CRC-32C of data, rotated and offset, because a CRC of data that
// contains CRCs is a poor checksum (record_writer.h: MaskedCrc).
func masked(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// eventVersion is the version in the first event of a file.
const eventVersion = "brain.Event:2"

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

// eventScalar is a number and its tag.
type eventScalar struct {
	Tag   string
	Value float64 // written as FP32
}

// eventWriter writes an event file of TensorBoard: a sequence of records (TFRecord: a length and a
// payload, each with a masked CRC-32C) whose payloads are protocol buffers of type
// tensorflow.Event; see tensorflow/core/lib/io/record_writer.h and
// tensorflow/core/util/event.proto. It does not buffer, and is used by one goroutine. Values are
// stored as FP32.
type eventWriter struct {
	w            io.Writer
	event, inner []byte // reused
	record       []byte
}

// newEventWriter returns a writer that writes to w.
func newEventWriter(w io.Writer) *eventWriter { return &eventWriter{w: w} }

// Begin writes the first record, which holds the format's version. Call it once,
// before Scalars.
func (w *eventWriter) Begin(at time.Time) error {
	w.begin(at)
	w.event = protowire.AppendTag(w.event, eventFileVersion, protowire.BytesType)
	w.event = protowire.AppendString(w.event, eventVersion)
	return w.flush()
}

// Restart says that what follows replaces the figures of a step and of later ones, here and in
// files whose names sort before this one's: TensorBoard drops them at a SessionLog with the status
// START (event_accumulator.py: _MaybePurgeOrphanedData).
func (w *eventWriter) Restart(at time.Time, step int64) error {
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
func (w *eventWriter) Scalars(at time.Time, step int64, list []eventScalar) error {
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
func (w *eventWriter) begin(at time.Time) {
	w.event = protowire.AppendTag(w.event[:0], eventWallTime, protowire.Fixed64Type)
	w.event = protowire.AppendFixed64(w.event, math.Float64bits(wallTime(at)))
}

// wallTime returns a time as files hold it: seconds since 1970.
func wallTime(at time.Time) float64 { return float64(at.Unix()) + float64(at.Nanosecond())/1e9 }

// flush writes the event as a record: its length, the length's checksum, the event
// and the event's checksum, all little-endian.
func (w *eventWriter) flush() error {
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

// Numbers of the fields used, from summary.proto, tensor.proto, tensor_shape.proto, struct.proto,
// and of TensorBoard's plugin of hyper-parameters plugin_data.proto.
const (
	valueMetadata    = 9 // SummaryMetadata
	valueTensor      = 8 // TensorProto
	metadataPlugin   = 1 // PluginData
	pluginName       = 1 // string
	pluginContent    = 2 // bytes
	dataSessionStart = 3 // SessionStartInfo
	startHParams     = 1 // map<string, Value>
	startGroup       = 4 // string
	startTime        = 5 // double, seconds since 1970
	mapKey           = 1
	mapValue         = 2
	structNumber     = 2 // double
	structString     = 3
	structBool       = 4
	tensorType       = 1 // DataType; 1 is float
	tensorShape      = 2
	tensorContent    = 4 // bytes
	shapeDim         = 2
	dimSize          = 1
)

// hparamsTag is the tag of hyper-parameters.
const hparamsTag = "_hparams_/session_start_info"

// hparam is a hyper-parameter: a float64, a string or a bool. Other types are not written.
type hparam struct {
	Name  string
	Value any
}

// HParams writes the hyper-parameters of a run, which TensorBoard shows beside its scalars. group
// is the name of runs that differ in their random numbers alone.
func (w *eventWriter) HParams(at time.Time, group string, list []hparam) error {
	var start []byte
	for _, h := range list {
		var value []byte
		switch v := h.Value.(type) {
		case float64:
			value = protowire.AppendTag(value, structNumber, protowire.Fixed64Type)
			value = protowire.AppendFixed64(value, math.Float64bits(v))
		case string:
			value = protowire.AppendTag(value, structString, protowire.BytesType)
			value = protowire.AppendString(value, v)
		case bool:
			value = protowire.AppendTag(value, structBool, protowire.VarintType)
			value = protowire.AppendVarint(value, protowire.EncodeBool(v))
		default:
			continue
		}
		entry := appendBytes(nil, mapKey, []byte(h.Name))
		start = appendBytes(start, startHParams, appendBytes(entry, mapValue, value))
	}
	start = appendBytes(start, startGroup, []byte(group))
	start = protowire.AppendTag(start, startTime, protowire.Fixed64Type)
	start = protowire.AppendFixed64(start, math.Float64bits(float64(at.UnixMilli())/1000))

	plugin := appendBytes(nil, pluginName, []byte("hparams"))
	plugin = appendBytes(plugin, pluginContent, appendBytes(nil, dataSessionStart, start))
	dim := protowire.AppendVarint(protowire.AppendTag(nil, dimSize, protowire.VarintType), 1)
	tensor := protowire.AppendVarint(protowire.AppendTag(nil, tensorType, protowire.VarintType), 1)
	tensor = appendBytes(tensor, tensorShape, appendBytes(nil, shapeDim, dim))
	tensor = appendBytes(tensor, tensorContent, make([]byte, 4))
	value := appendBytes(nil, valueTag, []byte(hparamsTag))
	value = appendBytes(value, valueTensor, tensor)
	value = appendBytes(value, valueMetadata, appendBytes(nil, metadataPlugin, plugin))

	w.begin(at)
	w.event = appendBytes(w.event, eventSummary, appendBytes(nil, summaryValue, value))
	return w.flush()
}

// appendBytes appends a field of bytes: a string or a message.
func appendBytes(dst []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), content)
}

// maxRecord is the greatest size of a record that is read, in bytes; those that are written are far
// smaller.
const maxRecord = 16 << 20

// fileEvent tells what an event is of.
type fileEvent struct {
	WallTime float64 // see the function wallTime
	Step     int64
	Restart  bool   // as eventWriter.Restart writes it
	Tag      string // the first of its values; "" without any
}

// readEvents calls visit with the events of a file, up to its end or the first record that is cut
// short or damaged: what follows that TensorBoard does not read either. An error is one of r.
func readEvents(r io.Reader, visit func(fileEvent)) error {
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
		e, ok := parseEvent(body[:n])
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

// parseEvent reads an event. It returns false for what is none.
func parseEvent(data []byte) (e fileEvent, ok bool) {
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

package history

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/internal/random"
)

// Two records encoded by hand from the published formats.
const (
	beginning = "1800000000000000 a37f4b22" +
		"09 00002040fc54d941" + // wall_time: 1700000000.5
		"1a 0d 627261696e2e4576656e743a32" + // file_version: brain.Event:2
		"2b353110"
	scalars = "2d00000000000000 3c418afb" +
		"09 00005040fc54d941" + // wall_time: 1700000001.25
		"10 ac02" + // step: 300
		"2a 1f" + // summary
		"0a 13 0a 0c 6c6f737365732f76616c7565 15 0000003f" + // losses/value: 0.5
		"0a 08 0a 01 61 15 000040c0" + // a: -3
		"64804bfe"
	restart = "0f00000000000000 6d532b09" +
		"09 00009040fc54d941" + // wall_time: 1700000002.25
		"10 07" + // step: 7
		"3a 02 08 01" + // session_log: status START
		"82af62f8"
)

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEventFile(t *testing.T) {
	var b bytes.Buffer
	w := newEventWriter(&b)
	if err := w.Begin(time.Unix(1700000000, 5e8)); err != nil {
		t.Fatal(err)
	}
	if err := w.Scalars(time.Unix(1700000001, 25e7), 300, []eventScalar{
		{"losses/value", 0.5}, {"a", -3},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Restart(time.Unix(1700000002, 25e7), 7); err != nil {
		t.Fatal(err)
	}
	if want := unhex(t, beginning+scalars+restart); !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got\n%x, want\n%x", b.Bytes(), want)
	}
}

// A reader written from the published formats alone reads what was written.
func TestEventFileIsRead(t *testing.T) {
	rng := random.New(1, random.Test, 0, 0)
	type step struct {
		at   time.Time
		step int64
		list []eventScalar
	}
	for range 50 {
		var b bytes.Buffer
		w := newEventWriter(&b)
		began := time.Unix(rng.Int64N(1<<33), rng.Int64N(1e9))
		if err := w.Begin(began); err != nil {
			t.Fatal(err)
		}
		var steps []step
		for range rng.IntN(5) {
			s := step{time.Unix(rng.Int64N(1<<33), 0), rng.Int64() >> rng.IntN(63), nil}
			for range rng.IntN(9) {
				tag := strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(200))
				s.list = append(s.list,
					eventScalar{
						tag, (rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(60)-30)),
					})
			}
			steps = append(steps, s)
			if err := w.Scalars(s.at, s.step, s.list); err != nil {
				t.Fatal(err)
			}
		}
		events, err := read(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if len(events) != 1+len(steps) || events[0].version != "brain.Event:2" ||
			math.Abs(events[0].time-float64(began.UnixNano())/1e9) > 1e-6 {
			t.Fatalf("%d events, the first %+v", len(events), events[0])
		}
		for i, s := range steps {
			e := events[i+1]
			if e.time != float64(s.at.Unix()) || e.step != s.step ||
				len(e.scalars) != len(s.list) || e.version != "" {
				t.Fatalf("event %d is %+v, want %+v", i, e, s)
			}
			for k, x := range s.list {
				if e.scalars[k].Tag != x.Tag || e.scalars[k].Value != float64(float32(x.Value)) {
					t.Errorf("scalar %d is %v, want %v", k, e.scalars[k], x)
				}
			}
		}
	}
}

// The tests' reader detects every flipped bit.
func TestEventFileDamage(t *testing.T) {
	whole := unhex(t, beginning+scalars)
	if _, err := read(whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1 << (i % 8)
		if _, err := read(damaged); err == nil {
			t.Errorf("a flipped bit in byte %d is not detected", i)
		}
	}
}

func TestEventFileFails(t *testing.T) {
	w := newEventWriter(full{})
	if err := w.Begin(time.Unix(0, 0)); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	if err := w.Scalars(time.Unix(0, 0), 1, nil); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

var errFull = errors.New("no room left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// event is an event as read by the tests.
type event struct {
	time    float64
	step    int64
	version string
	scalars []eventScalar
}

// read decodes an event file; it shares no code with eventWriter.
func read(data []byte) ([]event, error) {
	var events []event
	for len(data) > 0 {
		if len(data) < 16 {
			return nil, errors.New("a record is cut short")
		}
		n := binary.LittleEndian.Uint64(data)
		if binary.LittleEndian.Uint32(data[8:]) != slowMask(slowCRC(data[:8])) {
			return nil, errors.New("the length's checksum")
		}
		if uint64(len(data)) < 16+n {
			return nil, errors.New("a record is cut short")
		}
		payload := data[12 : 12+n]
		if binary.LittleEndian.Uint32(data[12+n:]) != slowMask(slowCRC(payload)) {
			return nil, errors.New("the payload's checksum")
		}
		e, err := decodeEvents(payload)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
		data = data[16+n:]
	}
	return events, nil
}

func decodeEvents(payload []byte) (e event, err error) {
	err = fields(payload, func(number, kind int, x uint64, inner []byte) error {
		switch {
		case number == 1 && kind == 1:
			e.time = math.Float64frombits(x)
		case number == 2 && kind == 0:
			e.step = int64(x)
		case number == 3 && kind == 2:
			e.version = string(inner)
		case number == 5 && kind == 2:
			return fields(inner, func(number, kind int, _ uint64, value []byte) error {
				if number != 1 || kind != 2 {
					return fmt.Errorf("field %d of a summary", number)
				}
				var s eventScalar
				err := fields(value, func(number, kind int, x uint64, text []byte) error {
					switch {
					case number == 1 && kind == 2:
						s.Tag = string(text)
					case number == 2 && kind == 5:
						s.Value = float64(math.Float32frombits(uint32(x)))
					default:
						return fmt.Errorf("field %d of a value", number)
					}
					return nil
				})
				e.scalars = append(e.scalars, s)
				return err
			})
		default:
			return fmt.Errorf("field %d of an event", number)
		}
		return nil
	})
	return e, err
}

// fields calls f for each field of a message.
func fields(data []byte, f func(number, kind int, x uint64, inner []byte) error) error {
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		if n <= 0 {
			return errors.New("a tag is cut short")
		}
		data = data[n:]
		var x uint64
		var inner []byte
		switch key & 7 {
		case 0, 2:
			if x, n = binary.Uvarint(data); n <= 0 {
				return errors.New("a number is cut short")
			}
			if data = data[n:]; key&7 == 2 {
				if x > uint64(len(data)) {
					return errors.New("a text is cut short")
				}
				inner, data = data[:x], data[x:]
			}
		case 1:
			x, data = binary.LittleEndian.Uint64(data), data[8:]
		case 5:
			x, data = uint64(binary.LittleEndian.Uint32(data)), data[4:]
		default:
			return fmt.Errorf("kind %d", key&7)
		}
		if err := f(int(key>>3), int(key&7), x, inner); err != nil {
			return err
		}
	}
	return nil
}

// slowCRC computes the CRC-32C bit by bit.
func slowCRC(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			low := crc & 1
			crc >>= 1
			if low == 1 {
				crc ^= 0x82f63b78
			}
		}
	}
	return ^crc
}

func slowMask(crc uint32) uint32 { return (crc>>15 | crc<<17) + 0xa282ead8 }

// The check value that CRC catalogues list for the polynomial.
func TestSlowCRC(t *testing.T) {
	if got := slowCRC([]byte("123456789")); got != 0xe3069283 {
		t.Errorf("%#x", got)
	}
}

// TestEventFileHParams: the plugin's data is as encoded by hand from the published formats.
func TestEventFileHParams(t *testing.T) {
	var b bytes.Buffer
	if err := newEventWriter(&b).HParams(time.Unix(16, 0), "g", []hparam{
		{"a", 1.0}, {"b", "x"}, {"c", true}, {"d", 1},
	}); err != nil {
		t.Fatal(err)
	}
	entries := "0a0e 0a0161 1209 11000000000000f03f" + // a: 1
		"0a08 0a0162 1203 1a0178" + // b: x
		"0a07 0a0163 1202 2001" // c: true
	start := entries + "22 01 67" + "29 0000000000003040" // group, start
	n := len(strings.ReplaceAll(start, " ", "")) / 2
	size := func(n int) string { return hex.EncodeToString([]byte{byte(n)}) }
	content := "1a" + size(n) + start
	plugin := "0a07 68706172616d73 12" + size(n+2) + content
	metadata := "0a" + size(n+2+2+9) + plugin
	// _hparams_/session_start_info
	want := "0a1c 5f68706172616d735f2f73657373696f6e5f73746172745f696e666f" +
		"42 0e 0801 1204 1202 0801 2204 00000000" + // tensor of one 0
		"4a" + size(n+2+2+9+2) + metadata
	got := hex.EncodeToString(b.Bytes())
	if plain := strings.ReplaceAll(want, " ", ""); !strings.Contains(got, plain) {
		t.Errorf("got\n%s, which lacks\n%s", got, plain)
	}
}

// of lists the events that readEvents finds.
func of(t *testing.T, data []byte) (list []fileEvent) {
	t.Helper()
	if err := readEvents(bytes.NewReader(data), func(e fileEvent) {
		list = append(list, e)
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestReadEvents: what is written is read, up to what a killed process has cut short or a disk has
// damaged.
func TestReadEvents(t *testing.T) {
	whole := unhex(t, beginning+scalars+restart)
	want := []fileEvent{
		{WallTime: 1700000000.5}, {WallTime: 1700000001.25, Step: 300, Tag: "losses/value"},
		{WallTime: 1700000002.25, Step: 7, Restart: true},
	}
	ends := []int{len(unhex(t, beginning)), len(unhex(t, beginning+scalars)), len(whole)}
	before := func(at int) (n int) {
		for n < len(ends) && ends[n] <= at {
			n++
		}
		return n
	}
	for at := range len(whole) + 1 {
		if got := of(t, whole[:at]); !reflect.DeepEqual(got, want[:before(at):before(at)]) &&
			len(got)+before(at) > 0 {
			t.Errorf("the first %d bytes are %+v", at, got)
		}
		if at < len(whole) {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1 << (at % 8)
			if got := of(t, damaged); len(got) != before(at) {
				t.Errorf("with byte %d damaged it is %+v", at, got)
			}
		}
	}
}

// Whatever a file holds, reading it ends, without much memory.
func FuzzEventFile(f *testing.F) {
	t := &testing.T{}
	f.Add(unhex(t, beginning+scalars+restart))
	f.Add(unhex(t, beginning+scalars)[:30])
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := len(of(t, data)); n > len(data)/16 {
			t.Errorf("%d events in %d bytes", n, len(data))
		}
	})
}

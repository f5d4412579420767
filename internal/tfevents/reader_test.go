package tfevents

import (
	"bytes"
	"reflect"
	"testing"
)

// of lists the events that Read finds.
func of(t *testing.T, data []byte) (list []Event) {
	t.Helper()
	if err := Read(bytes.NewReader(data), func(e Event) { list = append(list, e) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRead: what is written is read, up to what a killed process has cut short or a disk has
// damaged.
func TestRead(t *testing.T) {
	whole := unhex(t, beginning+scalars+restart)
	want := []Event{
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
func FuzzRead(f *testing.F) {
	t := &testing.T{}
	f.Add(unhex(t, beginning+scalars+restart))
	f.Add(unhex(t, beginning+scalars)[:30])
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := len(of(t, data)); n > len(data)/16 {
			t.Errorf("%d events in %d bytes", n, len(data))
		}
	})
}

package driver_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
)

// TestCopy measures a copy in the host's memory: the rate must be plausible, rates that can't be
// measured must be reported, and everything must be freed.
func TestPeakCopy(t *testing.T) {
	d := fake.New(nil)
	ctx, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := driver.MeasurePeakOf(ctx, 512, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if r.Copy < 0 || r.Copy > 1e13 || r.BF16 != 0 || r.Why == "" {
		t.Errorf("%+v", r)
	}
	if d.Calls("Copy") < 2 || d.Calls("Elapsed") < 2 {
		t.Errorf("%d copies, %d times", d.Calls("Copy"), d.Calls("Elapsed"))
	}
	if err := ctx.Close(); err != nil {
		t.Fatal(err)
	}
	if left := d.Left(); len(left) > 0 {
		t.Errorf("not freed: %v", left)
	}
}

// TestFailures makes each call fail: the error must be returned, and everything freed except what
// Close of a lost device's context frees.
func TestPeakFailures(t *testing.T) {
	for _, name := range []string{
		"NewStream", "NewEvent", "Alloc", "CopyIn", "Copy", "Record", "SynchronizeEvent", "Elapsed",
	} {
		d := fake.New(nil)
		failure := &driver.CallError{Call: name}
		d.Fail(name, 1, failure)
		ctx, err := d.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := driver.MeasurePeakOf(ctx, 64, time.Microsecond); !errors.Is(err, failure) {
			t.Errorf("%s fails: %v", name, err)
		}
		for _, x := range d.Left() {
			if !strings.Contains(x, ": open") { // the context itself
				t.Errorf("%s fails: %s is not freed", name, x)
			}
		}
		if err := ctx.Close(); err != nil {
			t.Error(err)
		}
	}
}

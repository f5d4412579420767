package driver_test

import (
	"bytes"
	"strings"
	"testing"

	"tengen/nn/cuda/driver"
)

// real is a context of a device that is not emulated, and notes what it loads.
type real struct {
	driver.Context
	capability int
	loaded     *string
	refuses    string // an image that it does not load
}

func (r real) Device() driver.Device {
	return driver.Device{Name: "real", Major: r.capability / 10, Minor: r.capability % 10}
}

func (r real) Load(image []byte) (driver.Module, error) {
	if string(image) == r.refuses {
		return 0, &driver.CallError{
			Call: "cuModuleLoadData", Code: 222,
			Reason: "the provided PTX was compiled with an unsupported toolchain.",
		}
	}
	*r.loaded = string(image)
	return r.Context.Load(image)
}

// TestAhead checks which image of those compiled ahead a device loads, and that no compiler is
// asked then.
func TestAhead(t *testing.T) {
	images := map[string][]byte{}
	for _, a := range []string{"sm_80", "sm_89", "sm_90", "compute_80"} {
		images[driver.AheadName(&source, a)] = []byte(a)
	}
	var file bytes.Buffer
	if err := driver.WriteAhead(&file, images); err != nil {
		t.Fatal(err)
	}
	ahead, err := driver.OpenAhead(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		capability int
		refuses    string
		want       string
		compiled   int
	}{
		{80, "", "sm_80", 0}, {86, "", "sm_80", 0}, {89, "", "sm_89", 0}, {90, "", "sm_90", 0},
		{89, "sm_89", "sm_80", 0}, {100, "", "compute_80\x00", 0}, {120, "", "compute_80\x00", 0},
		{120, "compute_80\x00", source.Key(), 1},
	} {
		d, ctx, cache, warnings := cached(t)
		var loaded, from string
		cache.Folder, cache.Ahead = "", ahead
		cache.Used = func(_ driver.Source, f string) { from = f }
		load(t, cache, real{ctx, c.capability, &loaded, c.refuses}, source)
		if loaded != c.want || d.Calls("Compile") != c.compiled ||
			(from == "compiled ahead") != (c.compiled == 0) ||
			(len(*warnings) > 0) != (c.refuses != "") {
			t.Errorf("%d, which refuses %q, loads %q (%s), want %q; %d compilations, warnings %q",
				c.capability, c.refuses, loaded, from, c.want, d.Calls("Compile"), *warnings)
		}
	}
	// Another source, and an emulated device, are compiled.
	other := source
	other.Defines = []string{"N=1"}
	of := func(capability int, emulated bool) driver.Device {
		return driver.Device{Major: capability / 10, Minor: capability % 10, Emulated: emulated}
	}
	if !ahead.Has(&source, of(86, false)) || !ahead.Has(&source, of(120, false)) ||
		ahead.Has(&other, of(86, false)) || ahead.Has(&source, of(86, true)) ||
		(*driver.Ahead)(nil).Has(&source, of(86, false)) {
		t.Error("Has finds other images than are there")
	}
	d, ctx, cache, _ := cached(t)
	cache.Folder, cache.Ahead = "", ahead
	var loaded string
	load(t, cache, real{ctx, 90, &loaded, ""}, other)
	load(t, cache, ctx, source)
	if n := d.Calls("Compile"); n != 2 {
		t.Errorf("%d compilations, want 2", n)
	}
	if _, err := driver.OpenAhead([]byte("not a zip file")); err == nil ||
		!strings.Contains(err.Error(), "kernels compiled ahead") {
		t.Errorf("a damaged file: error %v", err)
	}
	again, err := driver.ReadAhead(file.Bytes())
	if err != nil || len(again) != len(images) ||
		string(again[driver.AheadName(&source, "sm_90")]) != "sm_90" {
		t.Errorf("read again: %d images, %v", len(again), err)
	}
	for i := range file.Len() { // no damage makes it panic
		damaged := bytes.Clone(file.Bytes())
		damaged[i] ^= 0x55
		_, _ = driver.ReadAhead(damaged)
	}
}

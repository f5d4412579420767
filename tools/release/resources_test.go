package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"tengen/nn/cuda/driver"
)

const again = "make it again: tools/release resources (see main.go)"

// TestResources compares the table of the kernels' resources with the kernels that are compiled
// ahead, and with the sources of training's: nothing spills, as many blocks as planned run on a
// multiprocessor, and the table is that of the present kernels.
func TestResources(t *testing.T) {
	data, err := os.ReadFile("../../" + kernelsFile)
	if err != nil {
		t.Fatal(err)
	}
	images, err := driver.ReadAhead(data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../" + resourcesFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v: %s", resourcesFile, err, again)
	}
	all := map[int][]launch{}
	for _, c := range tabled {
		list, err := inferenceLaunches(c)
		if err != nil {
			t.Fatal(err)
		}
		more, err := trainingLaunches(c)
		if err != nil {
			t.Fatal(err)
		}
		all[c] = append(list, more...)
	}
	ahead := newTable(all)
	if err := ahead.fill(func(c int, l *launch) (map[string]driver.FunctionInfo, error) {
		if image := images[driver.AheadName(&l.source, fmt.Sprintf("sm_%d", c))]; image != nil {
			return driver.ReadImage(image)
		}
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(ahead.rows) < 50 {
		t.Errorf("%d kernels are compiled ahead", len(ahead.rows))
	}
	for _, r := range ahead.rows {
		for c, want := range r.cells {
			i := slices.IndexFunc(got.rows, func(x *row) bool {
				return x.key == r.key && x.kernel == r.kernel && x.threads == r.threads &&
					x.of == r.of && x.cells[c] == want
			})
			if i < 0 {
				t.Errorf("%s %s of %s on %d takes %+v, which %s does not say: %s",
					r.key, r.kernel, r.of, c, want, resourcesFile, again)
			}
		}
	}
	wanted := newTable(all)
	keys := map[string]bool{}
	for _, key := range wanted.keys {
		keys[key] = true
	}
	for _, r := range got.rows {
		if !keys[r.key] {
			t.Errorf("%s, %s of %s, is of another source: %s", r.key, r.kernel, r.of, again)
		}
	}
	for c, list := range all {
		for _, l := range list {
			if !l.ahead && !slices.ContainsFunc(got.rows, func(r *row) bool {
				_, ok := r.cells[c]
				return ok && r.key == wanted.keys[l.name()]
			}) {
				t.Errorf("%s, %s, on %d has no line: %s", l.of, l.source.Name, c, again)
			}
		}
	}
	wanted.rows = got.rows
	for _, line := range wanted.wrong() {
		t.Error(line)
	}
	r := wanted.rows[0] // what the test is to find
	for c, x := range r.cells {
		spilled, fewer := x, x
		spilled.Local, fewer.blocks = 8, 0
		for _, bad := range []cell{spilled, fewer} {
			if r.cells[c] = bad; len(wanted.wrong()) == 0 {
				t.Errorf("nothing is wrong with %s, %s, on %d: %+v", r.of, r.kernel, c, bad)
			}
		}
		r.cells[c] = x
	}
}

// TestBlocksOf compares with what NVIDIA's occupancy calculator says.
func TestBlocksOf(t *testing.T) {
	for _, c := range []struct{ capability, registers, static, threads, dynamic, blocks int }{
		{90, 32, 0, 256, 0, 8}, {90, 33, 0, 256, 0, 6}, {90, 128, 0, 256, 0, 2},
		{90, 129, 0, 256, 0, 1}, {90, 255, 0, 256, 0, 1}, {90, 128, 0, 512, 221312, 1},
		{90, 32, 0, 128, 114 << 10, 1}, {90, 32, 0, 128, 113 << 10, 2}, {90, 16, 0, 32, 0, 32},
		{86, 32, 0, 256, 0, 6}, {86, 16, 0, 32, 0, 16}, {86, 32, 0, 128, 49 << 10, 2},
		{86, 32, 1024, 128, 49 << 10, 1}, {80, 40, 0, 192, 0, 8}, {75, 32, 0, 256, 0, 4},
	} {
		d := deviceOf(c.capability)
		if got := blocksOf(&d, driver.FunctionInfo{Registers: c.registers, Shared: c.static},
			c.threads, c.dynamic); got != c.blocks {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

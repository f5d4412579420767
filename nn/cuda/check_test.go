package cuda_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// damaged opens an emulated device whose kernels are modified by change, and returns its log.
func damaged(
	t *testing.T, change func(s *driver.Source) error, o cuda.Options,
) (*cuda.Device, *bytes.Buffer) {
	t.Helper()
	small := emulate.Hopper()
	small.SMs = 1 // measurements take time in proportion
	api := emulate.ForTest(t, emulate.Options{Devices: []driver.Device{small}})
	log := &bytes.Buffer{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	d, err := cuda.Open(fake.Compiling(api, change), 0, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, log
}

// replace replaces text in a header of a source.
func replace(t *testing.T, s *driver.Source, header, old, new string) {
	t.Helper()
	text := s.Headers[header]
	if s.Headers[header] = strings.Replace(text, old, new, 1); s.Headers[header] == text {
		t.Errorf("%s does not have %q", header, old)
	}
}

// fewSource is the name of the source of a tower for few rows.
const fewSource = "few.cu"

// wayOf returns the way of a source, "" of one that all towers share.
func wayOf(s *driver.Source) kernels.Way {
	switch {
	case s.Name == kernels.HeadsSource(kernels.BF16).Name:
		return ""
	case slices.Contains(s.Defines, "WGMMA=1"):
		return kernels.WGMMA
	case slices.Contains(s.Defines, "LAYERED=1"):
		return kernels.Layers
	}
	return kernels.MMA
}

// choose loads a small network in bf16, compares its results with the definition and returns the
// way.
func choose(t *testing.T, d *cuda.Device) kernels.Way {
	t.Helper()
	spec, rng := nntest.Specs()[0], random.New(1, random.Test)
	compare(t, d, spec, kernels.BF16, 3, rng)
	w, err := d.Load(nntest.Random(spec, rng), kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	return w.Way()
}

func contains(t *testing.T, log *bytes.Buffer, words ...string) {
	t.Helper()
	for _, want := range words {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
	}
}

// TestWrongKernelsArePassedOver damages the fastest kernels and makes the next ones fail to
// compile: the last way must be used and logged.
func TestWrongKernelsArePassedOver(t *testing.T) {
	d, log := damaged(t, func(s *driver.Source) error {
		switch wayOf(s) {
		case kernels.WGMMA: // the tap below and right of a cell takes the wrong row
			replace(t, s, "tower.h", "tap % 3 - 1;", "(tap == 8 ? 0 : tap % 3 - 1);")
		case kernels.MMA:
			return &driver.CompileError{Name: s.Name, Log: "error: no such instruction"}
		}
		return nil
	}, cuda.Options{})
	if w := choose(t, d); w != kernels.Layers {
		t.Errorf("%s is used", w)
	}
	contains(t, log, "differ from the processor's", "no such instruction", "way=layers")
}

// TestDeviceIsOpenedAgain makes the fastest kernels write out of bounds, which loses the context;
// later processes must skip these kernels without trying them.
func TestDeviceIsOpenedAgain(t *testing.T) {
	compiled := map[kernels.Way]int{}
	stray := func(s *driver.Source) error {
		w := wayOf(s)
		if s.Name != fewSource {
			compiled[w]++
		}
		if w == kernels.WGMMA {
			replace(t, s, "tower.h", "uint4 *to = (uint4 *)trunk +",
				"uint4 *to = (uint4 *)trunk - 256 +")
		}
		return nil
	}
	cache := t.TempDir()
	d, log := damaged(t, stray, cuda.Options{Cache: cache})
	if w := choose(t, d); w != kernels.MMA {
		t.Errorf("%s is used", w)
	}
	contains(t, log, "device lost", "way=mma")
	d, log = damaged(t, stray, cuda.Options{Cache: cache})
	if w := choose(t, d); w != kernels.MMA {
		t.Errorf("%s is used the second time", w)
	}
	contains(t, log, "they lost the device in an earlier process")
	if compiled[kernels.WGMMA] != 1 || compiled[kernels.MMA] != 1 {
		t.Errorf("compiled %v times, want once each with a cache", compiled)
	}
}

// TestNoKernelsAreLeft makes the kernels of every way write out of bounds: the error is one line,
// and says nothing of a lost device, since what was lost was a context for trials.
func TestNoKernelsAreLeft(t *testing.T) {
	d, _ := damaged(t, func(s *driver.Source) error {
		switch wayOf(s) {
		case kernels.Layers:
			replace(t, s, "layers.cu", "target[at + j] = relu(s);",
				"target[(1 << 28) + at + j] = relu(s);")
		case kernels.MMA:
			replace(t, s, "tower.h", "uint4 *to = (uint4 *)trunk +",
				"uint4 *to = (uint4 *)trunk - 256 +")
		}
		return nil
	}, cuda.Options{Ways: []kernels.Way{kernels.MMA}})
	_, err := d.Load(nntest.Random(nntest.Specs()[0], random.New(1, random.Test)), kernels.BF16)
	if err == nil || driver.Lost(err) ||
		!strings.Contains(err.Error(), "no kernels can be used: mma: ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if err := d.Session().Synchronize(0); err != nil {
		t.Error(err)
	}
}

// TestLaterBlocksAreChecked damages what only the third block of a launch computes, which the first
// rows that are compared with the processor do not reach.
func TestLaterBlocksAreChecked(t *testing.T) {
	d, log := damaged(t, func(s *driver.Source) error {
		if wayOf(s) == kernels.WGMMA {
			replace(t, s, "tower.h", "i < count; i += THREADS)\n\t\tto[i] =",
				"i < count; i += THREADS)\n\t\tto[first < 2 * POSITIONS ? i : 0] =")
		}
		return nil
	}, cuda.Options{})
	spec := nntest.Specs()[1]
	w, err := d.Load(nntest.Random(spec, random.New(1, random.Test)), kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	if w.Way() != kernels.MMA {
		t.Errorf("%s is used", w.Way())
	}
	contains(t, log, "has other bits than the same row")
}

// TestFastestIsTaken checks that several plans are measured, and that the choice is cached so
// that no other plan is compiled later.
func TestFastestIsTaken(t *testing.T) {
	compiled := 0
	count := func(s *driver.Source) error {
		if s.Name != fewSource && wayOf(s) != "" {
			compiled++
		}
		return nil
	}
	cache := t.TempDir()
	o := cuda.Options{
		Cache: cache, Candidates: 2, Unchecked: true, Ways: []kernels.Way{kernels.MMA},
	}
	d, log := damaged(t, count, o)
	w := choose(t, d)
	if compiled != 2 || strings.Count(log.String(), "kernels measured") != 2 {
		t.Errorf("%d plans were compiled:\n%s", compiled, log)
	}
	d, log = damaged(t, count, o)
	if again := choose(t, d); again != w || compiled != 2 {
		t.Errorf("%s, then %s; %d plans were compiled", w, again, compiled)
	}
	contains(t, log, "choice=kept")
}

// TestRightKernelsAreTaken checks that correct kernels pass the check in each way.
func TestRightKernelsAreTaken(t *testing.T) {
	for _, w := range ways[:3] {
		d := emulated(t, emulate.Options{}, cuda.Options{Ways: []kernels.Way{w.w}})
		weights, err := d.Load(nntest.Random(nntest.Specs()[1], random.New(1, random.Test)), w.p)
		if err != nil {
			t.Fatal(err)
		}
		if weights.Way() != w.w {
			t.Errorf("%s is used, want %s", weights.Way(), w.w)
		}
	}
}

// TestWrongTowerForFewRows damages the tower for few rows: wrong results, code that does not
// compile, or writes out of bounds leave the others in use.
func TestWrongTowerForFewRows(t *testing.T) {
	for what, change := range map[string]func(s *driver.Source) error{
		"have other results": func(s *driver.Source) error {
			replace(t, s, "tower.h", "tap % 3 - 1;", "(tap == 8 ? 0 : tap % 3 - 1);")
			return nil
		},
		"no such instruction": func(s *driver.Source) error {
			return &driver.CompileError{Name: s.Name, Log: "error: no such instruction"}
		},
		"device lost": func(s *driver.Source) error {
			replace(t, s, "tower.h", "uint4 *to = (uint4 *)trunk +",
				"uint4 *to = (uint4 *)trunk - 256 +")
			return nil
		},
	} {
		cache := t.TempDir()
		for range 2 { // the second time the choice is kept, and its tower passed over again
			d, log := damaged(t, func(s *driver.Source) error {
				if s.Name != fewSource {
					return nil
				}
				return change(s)
			}, cuda.Options{Cache: cache, Candidates: 2, Ways: []kernels.Way{kernels.MMA}})
			spec, rng := nntest.Specs()[0], random.New(1, random.Test)
			w, err := d.Load(nntest.Random(spec, rng), kernels.BF16)
			if err != nil {
				t.Fatal(err)
			}
			if w.Way() != kernels.MMA || cuda.Towers(w, true) {
				t.Errorf("%s: %s is used, the tower for few rows too: %v",
					what, w.Way(), cuda.Towers(w, true))
			}
			contains(t, log, "kernels passed over", "for few rows")
			compare(t, d, spec, kernels.BF16, 3, rng)
		}
	}
}

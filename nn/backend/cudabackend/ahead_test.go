//go:build gpu

package cudabackend

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// boxed is a device of a capability whose kernels do nothing.
type boxed struct {
	driver.API
	device driver.Device
}

func (b boxed) Devices() ([]driver.Device, error) { return []driver.Device{b.device}, nil }

// boxedContext is its context, with a compiler or without.
type boxedContext struct {
	driver.Context
	device   driver.Device
	compiler bool
}

func (c boxedContext) Device() driver.Device { return c.device }

func (c boxedContext) Compile(s driver.Source) (image []byte, remarks string, err error) {
	if !c.compiler {
		return nil, "", &driver.LibraryError{Library: "libnvrtc", Advice: "install it"}
	}
	return c.Context.Compile(s)
}

// TestAheadCompilesNothing counts the compilations of a first run with an empty cache: of every
// preset on every generation of devices, none for auto's choice of devices and the network's
// evaluation, and none at all where there is no compiler.
func TestAheadCompilesNothing(t *testing.T) {
	ahead, err := driver.OpenAhead(kernelsZip)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range generations() {
		all := nntest.Presets()
		for _, c := range []struct {
			names      []string
			compiler   bool
			candidates int // 0: kernels are compared and timed, where more than one plan is tried
		}{
			{slices.Sorted(maps.Keys(all)), true, 1},
			{[]string{"quick", "tcg"}, true, 0}, // tcg has no embedded wgmma for 9.0
			{[]string{"quick"}, false, 0},
		} {
			if c.candidates == 0 && d.Capability() != 75 && d.Capability() != 90 {
				continue
			}
			api, log := fake.New(nil), &bytes.Buffer{}
			b, err := New(boxed{
				fake.Wrap(api, func(x driver.Context) driver.Context {
					return boxedContext{x, d, c.compiler}
				}), d,
			}, backend.Spec{Kind: backend.Auto},
				Options{
					Ahead: ahead, Unchecked: true, Candidates: c.candidates, Cache: t.TempDir(),
					Log: slog.New(slog.NewTextHandler(log, nil)),
				})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range c.names {
				if err := b.(backend.Prepared).Prepare(all[name]); err != nil {
					t.Fatalf("%s on %s: %v", name, d.Name, err)
				}
				said := log.String()
				if strings.Contains(said, "way=general") || strings.Contains(said, "way=layers") ||
					strings.Contains(said, "few rows have no kernels") ||
					!strings.Contains(said, `kernels="compiled ahead"`) ||
					api.Calls("Compile") != 0 {
					t.Fatalf("%s on %s: %d compilations (a compiler: %v); its kernel %s\n%s",
						name, d.Name, api.Calls("Compile"), c.compiler, stale, said)
				}
				if c.compiler {
					continue
				}
				config := train.DefaultConfig()
				config.Batch = 64
				trainer, err := b.NewTrainer(must(nn.NewParams(all[name])), config)
				if err != nil {
					t.Fatalf("%s on %s: %v", name, d.Name, err)
				}
				if _, host := trainer.(*train.GraphTrainer); host {
					t.Errorf("%s on %s: the processor trains\n%s", name, d.Name, log)
				}
				train.Close(trainer)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// generations returns a device of each compute capability.
func generations() []driver.Device {
	all := []driver.Device{
		{Major: 7, Minor: 5, SharedBlock: 64 << 10, SharedSM: 64 << 10, ThreadsSM: 1024, SMs: 40},
		{Major: 8, Minor: 0, SharedBlock: 163 << 10, SharedSM: 164 << 10,
			ThreadsSM: 2048, SMs: 108},
		{Major: 8, Minor: 6, SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536, SMs: 28},
		{Major: 8, Minor: 9, SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536, SMs: 128},
		{Major: 9, Minor: 0, SharedBlock: 227 << 10, SharedSM: 228 << 10,
			ThreadsSM: 2048, SMs: 132},
		{Major: 10, Minor: 0, SharedBlock: 227 << 10, SharedSM: 228 << 10,
			ThreadsSM: 2048, SMs: 148},
		{Major: 12, Minor: 0, SharedBlock: 99 << 10, SharedSM: 100 << 10,
			ThreadsSM: 1536, SMs: 170},
	}
	for i := range all {
		d := &all[i]
		d.Name, d.Registers, d.Memory, d.L2, d.ClockKHz = fmt.Sprintf("capability %d.%d",
			d.Major, d.Minor), 65536, 1<<30, 40<<20, 1500000
	}
	return all
}

const stale = "is not among the embedded images: run tools/release kernels (see its main.go)"

// TestKernelsAhead checks that the embedded kernels are those of the present sources: every network
// plays and trains without NVRTC. PTX and machine code are for drivers from 520.
func TestKernelsAhead(t *testing.T) {
	ahead, err := driver.OpenAhead(kernelsZip)
	if err != nil {
		t.Fatal(err)
	}
	names := ahead.Names()
	has := func(s driver.Source, architecture string) bool {
		return slices.Contains(names, driver.AheadName(&s, architecture))
	}
	for _, p := range []kernels.Precision{
		kernels.FP32, kernels.TF32, kernels.BF16, kernels.FP16,
	} {
		list := kernels.GeneralInferenceSources(p)
		if p != kernels.FP16 {
			list = append(list, kernels.GeneralSources(p)...)
		}
		for _, s := range list {
			if !has(s, fmt.Sprintf("compute_%d", p.Least())) {
				t.Error(p, s.Name, s.Defines, stale)
			}
		}
	}
	for _, d := range generations() {
		p, specs := kernels.BF16, Common()
		if p.On(&d) != nil {
			p, specs = kernels.FP16, specs[:1]
		}
		for _, spec := range specs {
			found, ways := false, 0
			for _, way := range []kernels.Way{kernels.WGMMA, kernels.MMA} {
				plan, err := kernels.NewInference(spec, p, way, &d)
				if err != nil || found {
					continue
				}
				ways++
				tower := plan.Source()
				found = ahead.Has(&tower, d)
				if plan.Few != nil && found {
					few := plan.FewSource()
					found = ahead.Has(&few, d)
				}
			}
			if !found && ways > 0 {
				t.Errorf("%d filters on %d × %d for %d.%d %s", spec.Filters, spec.Height,
					spec.Width, d.Major, d.Minor, stale)
			}
		}
	}
	for _, s := range kernels.WGMMASources() {
		if !has(s, "sm_90") {
			t.Error(s.Name, s.Defines, stale)
		}
	}
	images, err := driver.ReadAhead(kernelsZip)
	if err != nil {
		t.Fatal(err)
	}
	for name, image := range images {
		if strings.HasPrefix(name, "compute_") {
			// PTX 7.8 is CUDA 11.8's: drivers from 520 load it.
			target := ".target sm_" + name[len("compute_"):strings.IndexByte(name, '/')]
			if !strings.Contains(string(image[:min(len(image), 2000)]), ".version 7.") ||
				!strings.Contains(string(image), target) {
				t.Errorf("%s is not PTX for drivers from 520", name)
			}
		} else if _, err := driver.ReadImage(image); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

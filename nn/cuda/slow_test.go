//go:build slow

package cuda_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// TestEveryWay evaluates all networks in all ways, on both kinds of device.
func TestEveryWay(t *testing.T) {
	all := maps.Clone(nntest.Presets())
	for name, spec := range all {
		spec.Blocks = min(spec.Blocks, 1)
		all[name] = spec
	}
	maps.Copy(all, odd())
	for i, spec := range nntest.Specs() {
		all[fmt.Sprint("small ", i)] = spec
	}
	for name, spec := range all {
		for _, device := range []driver.Device{emulate.Hopper(), emulate.Ampere()} {
			for _, w := range ways {
				t.Run(fmt.Sprintf("%s %s %s %s", name, device.Name, w.p, w.w), func(t *testing.T) {
					if _, err := kernels.NewInference(spec, w.p, w.w, &device); err != nil {
						t.Skip(err)
					}
					d := emulated(t, emulate.Options{Devices: []driver.Device{device}, Seed: 3},
						cuda.Options{Ways: []kernels.Way{w.w}, Unchecked: true})
					compare(t, d, spec, w.p, 2, random.New(3, random.Test))
				})
			}
		}
	}
}

// TestSizesDontMatter checks that all plans of a way have results with the same bits, whatever
// the sizes of tiles, stages and blocks.
func TestSizesDontMatter(t *testing.T) {
	for _, name := range []string{"tcg", "backgammon"} { // a board of one cell is the other kind
		spec := nntest.Presets()[name]
		spec.Blocks = 1
		rng := random.New(5, random.Test)
		params, x := nntest.Random(spec, rng), nntest.Observations(spec, 3, rng)
		device := emulate.Hopper()
		for _, w := range ways[:3] {
			plans, err := kernels.Candidates(spec, w.p, w.w, 1000, &device)
			if err != nil {
				t.Fatal(err)
			}
			var first *nn.Batch
			for i := 0; i < len(plans); i += 5 {
				api := emulate.ForTest(t, emulate.Options{})
				d, err := cuda.Open(api, 0, cuda.Options{Unchecked: true})
				if err != nil {
					t.Fatal(err)
				}
				weights, err := cuda.LoadPlan(d, plans[i], params)
				if err != nil {
					t.Fatal(err)
				}
				b := evaluate(t, weights, 3, x)
				if first == nil {
					first = b
				}
				same(t, "policy", b.Policy, first.Policy)
				same(t, "values", b.Values, first.Values)
			}
			t.Logf("%s, %s %s: %d plans, every fifth was computed",
				name, w.p, w.w, len(plans))
		}
	}
}

// TestWholeNetwork evaluates the papers' whole network for more rows than a block has. After 17
// layers with random parameters single outputs exceed the tolerance of a few layers, so it checks
// the mean error.
func TestWholeNetwork(t *testing.T) {
	spec := nntest.Presets()["paper-alphazero"]
	rng := random.New(4, random.Test)
	params, x := nntest.Random(spec, rng), nntest.Observations(spec, 12, rng)
	want := nntest.NewReference(params).Forward(nntest.Widen(x), 12, false)
	w, err := only(t, ways[0]).Load(params, kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	got := evaluate(t, w, 12, x)
	for _, o := range []struct {
		name string
		got  []float32
		want []float64
	}{{"policy", got.Policy, want.Policy}, {"value", got.Values, want.Values}} {
		var errors, squares, sum float64
		for i, v := range o.want {
			errors += (float64(o.got[i]) - v) * (float64(o.got[i]) - v)
			squares += v * v
			sum += v
		}
		n := float64(len(o.want))
		if r := math.Sqrt(errors / (squares - sum*sum/n)); !(r < 0.05) {
			t.Errorf("%s: errors are %.4f of the spread", o.name, r)
		} else {
			t.Logf("%s: errors are %.4f of the spread", o.name, r)
		}
	}
}

// odd returns networks at the limits of the plans: boards of one row, wide and narrow trunks,
// more planes than filters, several passes over rows and columns, many outputs.
func odd() map[string]nn.Spec {
	return map[string]nn.Spec{
		"9x9": nntest.Shape(4, 9, 9, 2, 82, 82, 1, 128, 64, nn.PolicyConvPass,
			nn.ValueCategorical),
		"19x19": nntest.Shape(4, 19, 19, 2, 362, 1, 1, 64, 32, nn.PolicyConvPass,
			nn.ValueLinear),
		"19x19 wide": nntest.Shape(4, 19, 19, 2, 362, 1, 1, 256, 32, nn.PolicyConvPass,
			nn.ValueLinear),
		"2x10": nntest.Shape(27, 2, 10, 2, 51, 3, 1, 24, 20, nn.PolicyDense,
			nn.ValueCategorical),
		"1x40": nntest.Shape(3, 1, 40, 1, 200, 1, 1, 16, 3, nn.PolicyDense,
			nn.ValueLinear),
		"40x1": nntest.Shape(3, 40, 1, 1, 40, 1, 1, 17, 3, nn.PolicyConv, nn.ValueLinear),
		"many planes": nntest.Shape(100, 3, 3, 2, 9, 2, 1, 20, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"96 filters": nntest.Shape(5, 5, 5, 2, 25, 3, 1, 96, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"160 filters": nntest.Shape(5, 4, 4, 2, 16, 3, 1, 160, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"256 filters": nntest.Shape(5, 5, 5, 2, 25, 3, 1, 256, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"400 filters": nntest.Shape(5, 3, 3, 2, 9, 3, 1, 400, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"five blocks": nntest.Shape(5, 3, 3, 2, 9, 3, 5, 16, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"stem alone": nntest.Shape(40, 5, 5, 2, 25, 3, 0, 70, 8, nn.PolicyConv,
			nn.ValueCategorical),
		"many utilities": nntest.Shape(2, 3, 3, 2, 9, 150, 1, 32, 130, nn.PolicyConv,
			nn.ValueCategorical),
	}
}

package kernels

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/nntest"
)

// devices returns the devices of the plans: an H200, an A100, an A10, a consumer's Ada.
func devices() []*driver.Device {
	return []*driver.Device{
		{Name: "H200", Major: 9, SMs: 132, SharedBlock: 227 << 10, SharedSM: 228 << 10,
			Registers: 65536, ThreadsSM: 2048},
		{Name: "A100", Major: 8, SMs: 108, SharedBlock: 163 << 10, SharedSM: 164 << 10,
			Registers: 65536, ThreadsSM: 2048},
		{Name: "A10", Major: 8, Minor: 6, SMs: 72, SharedBlock: 99 << 10, SharedSM: 100 << 10,
			Registers: 65536, ThreadsSM: 1536},
		{Name: "RTX 4090", Major: 8, Minor: 9, SMs: 128, SharedBlock: 99 << 10, SharedSM: 100 << 10,
			Registers: 65536, ThreadsSM: 1536},
	}
}

// turing returns a T4.
func turing() *driver.Device {
	return &driver.Device{
		Name: "T4", Major: 7, Minor: 5, SMs: 40, SharedBlock: 64 << 10, SharedSM: 64 << 10,
		Registers: 65536, ThreadsSM: 1024,
	}
}

// boards returns networks of every kind of board and width.
func boards() []nn.Spec {
	all := nntest.Specs()
	for _, size := range [][2]int{
		{1, 40}, {2, 10}, {3, 3}, {4, 7}, {5, 5}, {7, 7}, {10, 5}, {9, 9}, {13, 13}, {19, 19},
	} {
		for _, filters := range []int{
			1, 16, 24, 48, 64, 70, 96, 128, 160, 192, 256, 320, 400, 512,
		} {
			all = append(all, nn.Spec{
				Planes: 3 + filters%40, Height: size[0], Width: size[1], Players: 2,
				Actions: size[0] * size[1],
				Blocks:  filters % 4, Filters: filters, Policy: nn.PolicyConv,
				Value: nn.ValueLinear, Hidden: 30,
			})
		}
	}
	return all
}

// towers calls f for every tower that fits.
func towers(t *testing.T, f func(t *testing.T, r *Tower, d *driver.Device)) {
	planned := 0
	for _, d := range append(devices(), turing()) {
		for _, spec := range boards() {
			for _, way := range []struct {
				p     Precision
				wgmma bool
			}{{BF16, true}, {BF16, false}, {TF32, false}, {FP16, false}} {
				if way.p == FP16 && d.Major != 7 {
					continue
				}
				r, err := NewTower(spec, way.p, way.wgmma, d)
				if err != nil {
					continue
				}
				planned++
				t.Run(fmt.Sprintf("%s %d×%d %d %s %v", d.Name, spec.Height, spec.Width,
					spec.Filters, way.p, way.wgmma), func(t *testing.T) {
					f(t, r, d)
					if few := r.Few(d); few != nil {
						f(t, few, d)
					}
				})
				if t.Failed() {
					return
				}
			}
		}
	}
	if planned < 800 {
		t.Errorf("only %d towers fit", planned)
	}
}

// TestTowersFit checks plans against the devices' limits and the kernel's assumptions.
func TestTowersFit(t *testing.T) {
	towers(t, func(t *testing.T, r *Tower, d *driver.Device) {
		if r.Shared > d.SharedBlock || r.BlocksSM*(r.Shared+1024) > d.SharedSM {
			t.Errorf("%d blocks of %d bytes of shared memory", r.BlocksSM, r.Shared)
		}
		if n := r.Threads(); n > 1024 || n%128 != 0 || n*r.BlocksSM > d.ThreadsSM {
			t.Errorf("%d blocks of %d threads", r.BlocksSM, n)
		}
		if n := r.Registers(); n > 255 || n*r.Threads()*r.BlocksSM > d.Registers {
			t.Errorf("%d registers a thread, %d threads", n, r.Threads()*r.BlocksSM)
		}
		if r.ColumnPasses*r.passColumns() != r.Channels || r.passColumns()%16 != 0 ||
			r.TilesN%2 != 0 {
			t.Errorf("%d passes of %d columns for %d channels",
				r.ColumnPasses, r.passColumns(), r.Channels)
		}
		if r.RowPasses*r.passRows() < r.rows() || (r.RowPasses-1)*r.passRows() >= r.rows() {
			t.Errorf("%d passes of %d rows for %d", r.RowPasses, r.passRows(), r.rows())
		}
		if r.Channels < r.Spec.Filters || r.Inputs < r.Spec.Planes {
			t.Errorf("%d channels, %d inputs", r.Channels, r.Inputs)
		}
		tap, stage := r.steps(), r.StageSteps
		if r.taps()*tap%stage != 0 || tap%stage != 0 && stage%tap != 0 {
			t.Errorf("stages of %d steps for taps of %d", stage, tap)
		}
		if r.taps()%r.InputStageSteps != 0 { // for any number of planes
			t.Errorf("stages of %d steps for %d taps of the stem", r.InputStageSteps, r.taps())
		}
		if n := max(stage, r.InputStageSteps); n*stepBytes*r.passColumns() > r.StageBytes {
			t.Errorf("%d steps in %d bytes", n, r.StageBytes)
		}
		if r.WGMMA && (r.steps()%r.BatchSteps != 0 || r.StageSteps%r.BatchSteps != 0 ||
			r.passColumns() > 256 || r.Stages < 4) || r.Stages < 3 {
			t.Errorf("batches of %d steps, %d stages of %d steps",
				r.BatchSteps, r.Stages, r.StageSteps)
		}
		// While a layer's biases are read, those of the layers fetched so far must be in other
		// slots.
		if ahead := ceil(r.Stages-1, r.layerStages(1)*r.RowPasses); r.BiasSlots <= ahead {
			t.Errorf("biases of %d layers while the stream is %d layers ahead", r.BiasSlots, ahead)
		}
		// Arrays are in sequence.
		ends := []struct{ from, bytes, to int }{
			{0, r.rows() * r.Stride, r.Y}, {r.Y, r.rows() * max(r.Stride, r.InputStride), r.Zeros},
			{r.Zeros, r.zerosBytes(), r.Bias}, {r.Bias, r.BiasSlots * r.Channels * 4, r.Ring},
			{r.Ring, r.Stages * r.StageBytes, r.Shared},
		}
		for _, e := range ends {
			if e.from%128 != 0 || e.from+e.bytes > e.to {
				t.Errorf("%d bytes at %d before %d", e.bytes, e.from, e.to)
			}
		}
		if s := r.Cost(d).Share(); !(s > 0 && s < 1) {
			t.Errorf("%g of the device's rate is expected", s)
		}
		g := r.Grid(r.Positions + 1)
		if g.Blocks[0] != 2 || g.Threads[0] != r.Threads() || g.Shared != r.Shared {
			t.Errorf("the launch is %+v", g)
		}
	})
}

// TestRowsMeetNoBank checks that eight consecutive rows, read at every tap of every cell as by
// ldmatrix, are in different groups of four banks, zero rows included.
func TestRowsMeetNoBank(t *testing.T) {
	towers(t, func(t *testing.T, r *Tower, d *driver.Device) {
		s := &r.Spec
		for _, stride := range []int{r.Stride, r.InputStride} {
			for first := 0; first+8 <= min(r.rows(), 4*s.Cells()); first += 8 {
				for tap := range 9 {
					banks := map[int]int{}
					for row := first; row < first+8; row++ {
						dy, dx := tap/3-1, tap%3-1
						y, x := row%s.Cells()/s.Width+dy, row%s.Width+dx
						shifted := row + dy*s.Width + dx
						at := r.Y + shifted*stride
						if y < 0 || y >= s.Height || x < 0 || x >= s.Width {
							at = r.Zeros + (shifted&7)*stride
						}
						banks[at/16%8]++
					}
					if len(banks) != 8 {
						t.Fatalf("rows from %d at tap %d begin in groups of banks %v",
							first, tap, banks)
					}
				}
			}
		}
	})
}

// TestPaperPlan pins the plan for the papers' network on an H200.
func TestPaperPlan(t *testing.T) {
	spec := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: 8, Filters: 128,
		Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 64,
	}
	for _, c := range []struct {
		wgmma              bool
		positions, threads int
		least              float64
	}{{true, 10, 512, 0.7}, {false, 10, 256, 0.45}} {
		r, err := NewTower(spec, BF16, c.wgmma, devices()[0])
		if err != nil {
			t.Fatal(err)
		}
		if r.Positions != c.positions || r.Threads() != c.threads || r.BlocksSM != 1 ||
			r.Stages < 4 || r.StageBytes != 16<<10 {
			t.Errorf("%+v", r)
		}
		// 118 MFLOP a position, the stem and 16 layers, by hand: 2 · 25 · 9 · 128 · (6 + 16 · 128).
		cost := r.Cost(devices()[0])
		if want := 25. * 9 * 128 * (6 + 16*128) * 10; cost.nominal != want {
			t.Errorf("%g multiplications, want %g", cost.nominal, want)
		}
		if s := cost.Share(); s < c.least {
			t.Errorf("%s", r.Describe(devices()[0]))
		}
	}
}

// TestOneImageServesEveryDepth checks that networks of other depths, heads and planes, if these
// have no more channels than the filters, have the same kernels, and that other filters and boards
// have others.
func TestOneImageServesEveryDepth(t *testing.T) {
	spec := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: 8, Filters: 64,
		Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 64,
	}
	keys := func(s nn.Spec, p Precision, way Way, d *driver.Device) (all []string) {
		plans, err := Candidates(s, p, way, 3, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, plan := range plans {
			source := plan.Source()
			all = append(all, source.Key())
			if plan.Few != nil {
				source = plan.FewSource()
				all = append(all, source.Key())
			}
		}
		return all
	}
	for _, d := range devices() {
		for _, way := range Ways(spec, BF16, d) {
			if way != WGMMA && way != MMA {
				continue
			}
			want := keys(spec, BF16, way, d)
			for what, c := range map[string]struct {
				change func(s *nn.Spec)
				same   bool
			}{
				"blocks": {func(s *nn.Spec) { s.Blocks = 40 }, true},
				"none":   {func(s *nn.Spec) { s.Blocks = 0 }, true},
				"planes": {func(s *nn.Spec) { s.Planes = 64 }, true},
				"heads": {func(s *nn.Spec) {
					s.Policy, s.Actions, s.Players, s.Hidden = nn.PolicyDense, 700, 2, 100
				}, true},
				"filters":     {func(s *nn.Spec) { s.Filters = 80 }, false},
				"board":       {func(s *nn.Spec) { s.Height, s.Actions = 6, 30 }, false},
				"many planes": {func(s *nn.Spec) { s.Planes = 65 }, false},
			} {
				other := spec
				c.change(&other)
				if same := slices.Equal(keys(other, BF16, way, d), want); same != c.same {
					t.Errorf("%s, %s: other %s have the same kernels: %v", d.Name, way, what, same)
				}
			}
		}
	}
}

// TestNoTower checks networks and devices without a tower.
func TestNoTower(t *testing.T) {
	spec := boards()[len(boards())-1]
	if r, err := NewTower(spec, BF16, false, devices()[2]); err == nil {
		t.Errorf("19 × 19 × 512 fits an A10: %+v", r)
	}
	if got := Ways(spec, BF16, devices()[2]); len(got) != 2 || got[0] != AnyShape ||
		got[1] != Layers {
		t.Errorf("the ways are %v", got)
	}
	if got := Ways(nntest.Specs()[0], BF16, devices()[0]); len(got) != 4 || got[0] != WGMMA ||
		got[1] != MMA || got[2] != AnyShape {
		t.Errorf("the ways are %v", got)
	}
	if got := Ways(nntest.Specs()[0], FP32, devices()[0]); len(got) != 1 {
		t.Errorf("the ways are %v", got)
	}
	if _, err := NewTower(nntest.Specs()[0], TF32, true, devices()[0]); err == nil {
		t.Error("there is no wgmma for tf32")
	}
	t4 := turing()
	for _, p := range []Precision{BF16, TF32} {
		if got := Ways(nntest.Specs()[0], p, t4); len(got) != 1 || got[0] != Layers {
			t.Errorf("on 7.5 the ways of %s are %v", p, got)
		}
	}
	if got := Ways(nntest.Specs()[0], FP16, t4); len(got) != 3 || got[0] != MMA ||
		got[1] != AnyShape {
		t.Errorf("on 7.5 the ways of fp16 are %v", got)
	}
}

// TestPackedLengths checks that the stream of weights has the length that the kernel reads.
func TestPackedLengths(t *testing.T) {
	rng := random.New(1, random.Test)
	for _, spec := range nntest.Specs() {
		for _, way := range Ways(spec, BF16, devices()[0]) {
			r, err := NewInference(spec, BF16, way, devices()[0])
			if err != nil {
				t.Fatal(err)
			}
			k := r.Pack(nntest.Random(spec, rng))
			if r.Few != nil && r.Few.WeightBytes() != r.Tower.WeightBytes() {
				t.Errorf("few rows read %d bytes of weights, others %d",
					r.Few.WeightBytes(), r.Tower.WeightBytes())
			}
			if r.Tower != nil && up(r.Tower.WeightBytes(), 256) != k.Biases {
				t.Errorf("%d bytes of weights, want %d", k.Biases, r.Tower.WeightBytes())
			}
			at := []int{
				k.Trunk, k.Biases, k.Policy, k.PolicyDense, k.Hidden, k.HiddenBiases, k.Values,
				len(k.Bytes),
			}
			for i := 1; i < len(at); i++ {
				if at[i] < at[i-1] || at[i]%256 != 0 {
					t.Errorf("arrays begin at %v", at)
				}
			}
		}
	}
}

// TestRounding checks rounding on chosen numbers.
func TestRounding(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		v    float32
		fp16 uint16
	}{
		{1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff}, {65519.996, 0x7bff}, {65520, 0x7c00},
		{-1e9, 0xfc00}, {1 + 1./2048, 0x3c00}, {1 + 3./2048, 0x3c02}, {0x1p-24, 1},
		{0x1p-25, 0}, {0x1.8p-24, 2}, {-0x1.8p-25, 0x8001}, {0x1.fffp-15, 0x400}, {inf, 0x7c00},
		{float32(math.NaN()), 0x7fff},
	} {
		if got := roundFP16(c.v); got != c.fp16 {
			t.Errorf("%v in fp16 is %#x, want %#x", c.v, got, c.fp16)
		}
	}
	for _, c := range []struct{ v, bf16, tf32 float32 }{
		{1, 1, 1},
		{1 + 1.0/256, 1, 1 + 1.0/256},          // a tie of bf16: to even
		{1 + 3.0/256, 1 + 1.0/64, 1 + 3.0/256}, // a tie: to even, up
		{1 + 1.0/2048, 1, 1 + 1.0/1024},        // a tie of tf32: away from zero
		{-1 - 1.0/2048, -1, -1 - 1.0/1024},
		{inf, inf, inf}, {-inf, -inf, -inf}, {0, 0, 0},
	} {
		if got := math.Float32frombits(uint32(roundBF16(c.v)) << 16); got != c.bf16 {
			t.Errorf("%v in bf16 is %v, want %v", c.v, got, c.bf16)
		}
		if got := roundTF32(c.v); got != c.tf32 {
			t.Errorf("%v in tf32 is %v, want %v", c.v, got, c.tf32)
		}
	}
	nan := float32(math.NaN())
	if got := roundTF32(nan); got == got {
		t.Errorf("NaN in tf32 is %v", got)
	}
	if got := math.Float32frombits(uint32(roundBF16(nan)) << 16); got == got {
		t.Errorf("NaN in bf16 is %v", got)
	}
}

// TestWGMMAText checks the instruction of a narrow product: operands in order, one per register.
func TestWGMMAText(t *testing.T) {
	text := wgmmaHeader(16, false)
	for _, want := range []string{
		"setp.ne.b32 p, %13, 0;",
		"wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, %12, p, 1, 1, 0;",
		`: "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])`,
		`: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));`,
		"host_wgmma_bf16_rs(16, c, a, b)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %s:\n%s", want, text)
		}
	}
}

// TestProductCost checks what the model expects of the products of networks that are trained, with
// wgmma and with mma.sync, and logs it.
func TestProductCost(t *testing.T) {
	h100 := devices()[0]
	for _, c := range []struct{ size, filters, rows int }{
		{5, 128, 4096}, {9, 128, 1024}, {9, 256, 1024}, {13, 192, 512}, {19, 256, 256},
	} {
		l := Layer{Taps: 9, Height: c.size, Width: c.size, In: c.filters, Out: c.filters}
		positions := c.rows * c.size * c.size
		p, err := NewProduct(l, positions, BF16, h100)
		if err != nil {
			t.Fatal(err)
		}
		wgmma := p.AsWGMMA(BF16, h100)
		a, b := wgmma.Cost(positions, BF16, h100), p.Cost(positions, BF16, h100)
		t.Logf("%d×%d, %d filters, %d rows: wgmma %s; mma.sync %s", c.size, c.size, c.filters,
			c.rows, a, b)
		if x, y := a.Share(), b.Share(); !(x > 0.4 && x < 1 && y > 0.25 && x > 1.3*y) {
			t.Errorf("%d×%d, %d filters: wgmma %g of the device's rate, mma.sync %g", c.size, c.size,
				c.filters, x, y)
		}
	}
}

package kernels_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
)

const seed = 11

// everything makes the tests use all combinations, which takes a minute.
var everything bool

var precisions = []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16}

// bench runs training's kernels on an emulated device.
type bench struct {
	testing.TB
	ctx       driver.Context
	device    driver.Device
	precision kernels.Precision
}

func newBench(t testing.TB, p kernels.Precision, o emulate.Options) *bench {
	t.Helper()
	api := emulate.ForTest(t, o)
	ctx, err := api.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ctx.Close() })
	return &bench{t, ctx, ctx.Device(), p}
}

// check ends the test on an error.
func (b *bench) check(err error) {
	b.Helper()
	var c *driver.CompileError
	if errors.As(err, &c) {
		b.Fatal(c.Log)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) kernel(s driver.Source, name string, shared int) driver.Function {
	b.Helper()
	image, _, err := b.ctx.Compile(s)
	b.check(err)
	m, err := b.ctx.Load(image)
	b.check(err)
	f, err := b.ctx.Function(m, name)
	b.check(err)
	if shared > 48<<10 {
		b.check(b.ctx.AllowShared(f, shared))
	}
	return f
}

// up copies bytes to the device.
func (b *bench) up(x []byte) driver.Ptr {
	b.Helper()
	p, err := b.ctx.Alloc(len(x))
	b.check(err)
	b.check(b.ctx.CopyIn(p, x, 0))
	return p
}

func (b *bench) floats(x []float32) driver.Ptr   { return b.up(driver.Bytes(x)) }
func (b *bench) doubles(x ...float64) driver.Ptr { return b.up(driver.Bytes(x)) }

func (b *bench) room(bytes int) driver.Ptr {
	b.Helper()
	p, err := b.ctx.Alloc(bytes)
	b.check(err)
	return p
}

// elements copies numbers to the device, each rounded to the precision's element.
func (b *bench) elements(x []float32) driver.Ptr {
	if b.precision != kernels.BF16 {
		return b.floats(x)
	}
	short := make([]uint16, len(x))
	for i, v := range x {
		short[i] = uint16(math.Float32bits(roundBF16(v)) >> 16)
	}
	return b.up(driver.Bytes(short))
}

func (b *bench) run(f driver.Function, g driver.Grid, args *driver.Args) {
	b.Helper()
	b.check(b.ctx.Launch(f, g, 0, args))
	b.check(b.ctx.Synchronize(0))
}

func (b *bench) readFloats(p driver.Ptr, n int) []float32 {
	b.Helper()
	x := make([]float32, n)
	b.check(b.ctx.CopyOut(driver.Bytes(x), p, 0))
	b.check(b.ctx.Synchronize(0))
	return x
}

func (b *bench) readElements(p driver.Ptr, n int) []float32 {
	b.Helper()
	if b.precision != kernels.BF16 {
		return b.readFloats(p, n)
	}
	short := make([]uint16, n)
	b.check(b.ctx.CopyOut(driver.Bytes(short), p, 0))
	b.check(b.ctx.Synchronize(0))
	x := make([]float32, n)
	for i, v := range short {
		x[i] = math.Float32frombits(uint32(v) << 16)
	}
	return x
}

// operand returns a number rounded as a factor of a product.
func (b *bench) operand(v float32) float64 {
	switch b.precision {
	case kernels.BF16:
		return float64(roundBF16(v))
	case kernels.TF32:
		return float64(math.Float32frombits((math.Float32bits(v) + 0x1000) &^ 0x1fff))
	}
	return float64(v)
}

// element returns a number rounded as an activation.
func (b *bench) element(v float32) float64 {
	if b.precision == kernels.BF16 {
		return float64(roundBF16(v))
	}
	return float64(v)
}

// epsilon returns the relative error of storing an element.
func (b *bench) epsilon() float64 {
	if b.precision == kernels.BF16 {
		return 0x1p-8
	}
	return 0x1p-23
}

func roundBF16(v float32) float32 {
	u := math.Float32bits(v)
	return math.Float32frombits((u + 0x7fff + u>>16&1) &^ 0xffff)
}

func numbers(n int, rng *rand.Rand) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// near fails if got differs from want by more than tolerance·size; size is the magnitude of the
// sum's terms.
func near(t testing.TB, what string, got float32, want, size, tolerance float64) {
	t.Helper()
	if d := math.Abs(float64(got) - want); !(d <= tolerance*size) {
		t.Fatalf("%s is %g, want %g ± %g", what, got, want, tolerance*size)
	}
}

// layers have odd boards and channels that do not divide into tiles; positions are boards ×
// cells.
var layers = []struct {
	kernels.Layer
	boards int
}{
	{kernels.Layer{Taps: 9, Height: 5, Width: 5, In: 16, Out: 32}, 7},
	{kernels.Layer{Taps: 9, Height: 3, Width: 4, In: 48, Out: 16}, 3},
	{kernels.Layer{Taps: 9, Height: 1, Width: 3, In: 16, Out: 48}, 45},
	{kernels.Layer{Taps: 9, Height: 7, Width: 1, In: 32, Out: 128}, 1},
	{kernels.Layer{Taps: 9, Height: 13, Width: 13, In: 16, Out: 16}, 1},
	{kernels.Layer{Taps: 9, Height: 1, Width: 1, In: 16, Out: 16}, 3},
	{kernels.Layer{Taps: 1, Height: 1, Width: 1, In: 112, Out: 80}, 130},
	{kernels.Layer{Taps: 1, Height: 1, Width: 1, In: 16, Out: 144}, 3},
}

// left reports whether a layer is skipped in a precision, since another one covers it.
func left(p kernels.Precision, layer int) bool {
	some := map[kernels.Precision][]int{kernels.FP32: {0, 1, 6}, kernels.BF16: {0, 1, 3, 6}}[p]
	return !everything && some != nil && !slices.Contains(some, layer)
}

// tap returns the position that a tap of position p reads, false if it is off the board.
func tap(l kernels.Layer, p, t int) (int, bool) {
	if l.Taps == 1 {
		return p, true
	}
	cells := l.Height * l.Width
	y, x := p%cells/l.Width+t/3-1, p%cells%l.Width+t%3-1
	return p/cells*cells + y*l.Width + x, y >= 0 && y < l.Height && x >= 0 && x < l.Width
}

func TestTrainingProduct(t *testing.T) {
	for _, precision := range precisions {
		b := newBench(t, precision, emulate.Options{Seed: 3})
		for index, c := range layers {
			if left(precision, index) {
				continue
			}
			l, positions := c.Layer, c.boards*c.Height*c.Width
			rng := random.New(seed, random.Test, uint64(index))
			plan, err := kernels.NewProduct(l, 1<<20, precision, &b.device)
			b.check(err)
			few, err := kernels.NewProduct(l, 1, precision, &b.device)
			b.check(err)
			if plan.Plain != (precision == kernels.FP32) {
				t.Fatalf("%s %+v: plain is %v", precision, l, plan.Plain)
			}
			x, w, add := numbers(positions*l.In, rng), numbers(l.Weights(), rng),
				numbers(positions*l.Out, rng)
			for i, v := range w {
				w[i] = float32(b.operand(v))
			}
			weights, from := b.elements(w), b.elements(x)
			general := plan.AsGeneral(precision, &b.device)
			if general.Plain != plan.Plain {
				t.Fatalf("%s %+v: the general kernel is plain", precision, l)
			}
			same := 0 // the plan that few's bits are those of
			if index%2 == 1 {
				few, same = few.AsGeneral(precision, &b.device), 1
			}
			var results [][2][]float32
			for i, plan := range []*kernels.Product{
				plan, general, general.AsPlain(precision), few,
			} {
				f := b.kernel(plan.Source, "product", plan.Shared)
				y, plus := b.room(positions*l.Out*precision.Element()), b.elements(add)
				r := [2][]float32{
					b.product(f, plan, from, weights, 0, y, positions),
					b.product(f, plan, from, weights, plus, plus, positions),
				}
				results = append(results, r)
				if plan.Norm() && (everything || i != 1) {
					b.checkNorm(l.Out, positions, r[1], rng, func(norm ...driver.Ptr) []float32 {
						plus := b.elements(add)
						return b.product(f, plan, from, weights, plus, plus, positions, norm...)
					})
					if !plan.Activates() {
						continue
					}
					b.checkInput(l, positions, rng, func(
						x driver.Ptr, norm ...driver.Ptr,
					) []float32 {
						return b.product(f, plan, x, weights, 0, y, positions, norm...)
					})
				}
			}
			if r := results; !slices.Equal(r[same][0], r[3][0]) ||
				!slices.Equal(r[same][1], r[3][1]) || !plan.Plain && few.TileM != 64 {
				t.Errorf("%s %+v: blocks of %d positions give other bits than those of %d",
					precision, l, few.TileM, plan.TileM)
			}
			for p := range positions {
				for o := range l.Out {
					want, size := 0.0, 1.0
					for k := range l.Taps {
						q, on := tap(l, p, k)
						if !on {
							continue
						}
						for i := range l.In {
							v := b.operand(x[q*l.In+i]) * float64(w[(o*l.Taps+k)*l.In+i])
							want += v
							size += math.Abs(v)
						}
					}
					at := p*l.Out + o
					for i, r := range results {
						if i == 2 && precision == kernels.TF32 {
							continue // the plain kernel does not round
						}
						what := fmt.Sprintf("%s %+v, kernel %d: channel %d of position %d",
							precision, l, i, o, p)
						near(t, what, r[0][at], want, size*1e-6+math.Abs(want)*b.epsilon(), 1)
						added := want + b.element(add[at])
						near(t, what+", added",
							r[1][at], added, size*1e-6+math.Abs(added)*b.epsilon(), 1)
					}
				}
			}
		}
	}
}

// TestSplitTiles checks that a launch whose last blocks have half the positions has the bits of one
// without, and that it is planned where the last round of blocks is a small one.
func TestSplitTiles(t *testing.T) {
	for _, precision := range []kernels.Precision{kernels.TF32, kernels.BF16} {
		b := newBench(t, precision, emulate.Options{Seed: 3})
		l := kernels.Layer{Taps: 9, Height: 3, Width: 3, In: 16, Out: 32}
		const positions = 70 * 9 // four tiles of 128 and one of 118: two for each of two
		few := b.device
		few.SMs = 2
		split, err := kernels.NewProduct(l, positions, precision, &few)
		b.check(err)
		plain, err := kernels.NewProduct(l, 1<<20, precision, &b.device)
		b.check(err)
		rng := random.New(seed, random.Test)
		x, w := b.elements(numbers(positions*l.In, rng)), b.elements(numbers(l.Weights(), rng))
		var want []float32
		for _, plan := range []*kernels.Product{
			plain, split, plain.AsGeneral(precision, &few), split.AsGeneral(precision, &few),
		} {
			f := b.kernel(plan.Source, "product", plan.Shared)
			y := b.room(positions * l.Out * precision.Element())
			got := b.product(f, plan, x, w, 0, y, positions)
			if want == nil {
				want = got
			}
			b.checkNorm(l.Out, positions, want, rng, func(norm ...driver.Ptr) []float32 {
				return b.product(f, plan, x, w, 0, y, positions, norm...)
			})
			if plan.Activates() {
				b.checkInput(l, positions, rng, func(x driver.Ptr, norm ...driver.Ptr) []float32 {
					return b.product(f, plan, x, w, 0, y, positions, norm...)
				})
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d blocks give other bits", precision, plan.Grid(positions).Blocks[0])
			}
		}
		if n, m := split.Grid(positions).Blocks[0], split.Grid(129).Blocks[0]; n != 6 || m != 2 {
			t.Errorf("%s: %d and %d blocks, want 6 and 2", precision, n, m)
		}
	}
	// A H100's 132 multiprocessors: 800 tiles are six for each and eight more; 648 are nearly five.
	hopper := emulate.Hopper()
	for positions, want := range map[int]int{4096 * 25: 808, 2048 * 25: 404, 1024 * 81: 648} {
		p, err := kernels.NewProduct(kernels.Layer{
			Taps: 9, Height: 5, Width: 5, In: 128, Out: 128,
		}, positions, kernels.BF16, &hopper)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Grid(positions).Blocks[0]; got != want {
			t.Errorf("%d positions: %d blocks, want %d", positions, got, want)
		}
	}
}

func TestTrainingGradient(t *testing.T) {
	for _, precision := range precisions {
		b := newBench(t, precision, emulate.Options{Seed: 4})
		for index, c := range layers {
			if left(precision, index) {
				continue
			}
			l, positions := c.Layer, c.boards*c.Height*c.Width
			rng := random.New(seed, random.Test, uint64(index))
			plan, err := kernels.NewGradient(l, positions, precision, &b.device)
			b.check(err)
			x, dz := numbers(positions*l.In, rng), numbers(positions*l.Out, rng)
			if index == 0 {
				plan.Parts, plan.Length = 2, 96
			}
			general := plan.AsGeneral(precision)
			var results [][]float32
			for _, plan := range []*kernels.Gradient{plan, general, general.AsPlain(precision)} {
				results = append(results, b.gradient(plan, x, dz))
			}
			want, size := b.wantedGradient(plan, x, dz)
			for k, got := range results {
				if k == 2 && precision == kernels.TF32 {
					break // the plain kernel does not round
				}
				for i := range got {
					near(t, fmt.Sprintf("%s %+v, kernel %d: number %d", precision, l, k, i), got[i],
						want[i], size[i]+1, 1e-6)
				}
			}
		}
	}
}

// gradient returns the parts of a gradient.
func (b *bench) gradient(plan *kernels.Gradient, x, dz []float32) []float32 {
	b.Helper()
	f := b.kernel(plan.Source, "gradient", plan.Shared)
	part := b.room(4 * plan.Workspace())
	b.check(b.ctx.Fill(part, 0xff, 4*plan.Workspace(), 0))
	b.run(f, plan.Grid(), plan.Shape(driver.NewArgs().Ptr(b.elements(x)).Ptr(b.elements(dz)).
		Ptr(part).Int32(int32(plan.Positions)).Int32(int32(plan.Length))))
	return b.readFloats(part, plan.Workspace())
}

// wantedGradient returns the parts of a gradient in float64, and the magnitudes of their terms.
func (b *bench) wantedGradient(plan *kernels.Gradient, x, dz []float32) (want, size []float64) {
	l := plan.Layer
	want, size = make([]float64, plan.Workspace()), make([]float64, plan.Workspace())
	xs, zs := make([]float64, len(x)), make([]float64, len(dz))
	for i, v := range x {
		xs[i] = b.operand(v)
	}
	for i, v := range dz {
		zs[i] = b.operand(v)
	}
	for p := range plan.Positions {
		for k := range l.Taps {
			q, on := tap(l, p, k)
			if !on {
				continue
			}
			for i := range l.In {
				row := ((p/plan.Length*l.Taps+k)*l.In + i) * l.Out
				for o, z := range zs[p*l.Out : (p+1)*l.Out] {
					v := xs[q*l.In+i] * z
					want[row+o] += v
					size[row+o] += math.Abs(v)
				}
			}
		}
	}
	return want, size
}

// TestGradientWGMMA compares the gradient with wgmma with float64, in orders of threads and blocks
// that give the same bits, in several parts.
func TestGradientWGMMA(t *testing.T) {
	for index, c := range []struct{ height, width, in, out, boards, parts int }{
		{5, 5, 64, 64, 27, 2}, {6, 7, 128, 128, 3, 1}, {3, 3, 64, 128, 67, 3}, {1, 1, 64, 64, 5, 1},
		{9, 9, 128, 256, 9, 1}, {19, 19, 192, 192, 3, 5}, {5, 5, 256, 256, 17, 2},
		{1, 70, 64, 320, 3, 1}, {70, 1, 128, 64, 5, 2}, {2, 2, 64, 256, 121, 1},
	} {
		if !everything && index > 1 {
			break
		}
		l := kernels.Layer{Taps: 9, Height: c.height, Width: c.width, In: c.in, Out: c.out}
		positions := c.boards * c.height * c.width
		rng := random.New(seed, random.Test, uint64(index))
		x, dz := numbers(positions*l.In, rng), numbers(positions*l.Out, rng)
		var first []float32
		for order := range uint64(2) {
			b := newBench(t, kernels.BF16, emulate.Options{Seed: order})
			plan := kernels.NewWGMMAGradient(l, positions, kernels.BF16, &b.device)
			plan.Length = (positions + 32*c.parts - 1) / c.parts / 32 * 32
			if plan.Parts = c.parts; (c.parts-1)*plan.Length >= positions {
				t.Fatalf("%+v: a part has no positions", c)
			}
			got := b.gradient(plan, x, dz)
			if order == 0 {
				first = got
				want, size := b.wantedGradient(plan, x, dz)
				for i := range got {
					near(t, fmt.Sprintf("%+v: number %d", c, i), got[i], want[i], size[i]+1, 1e-6)
				}
			} else if !slices.Equal(got, first) {
				t.Errorf("%+v: another order gives other bits", c)
			}
		}
	}
	device := emulate.Hopper()
	for what, l := range map[string]kernels.Layer{
		"one tap":                  {Taps: 1, Height: 1, Width: 1, In: 64, Out: 64},
		"channels not by 64":       {Taps: 9, Height: 5, Width: 5, In: 64, Out: 96},
		"input channels not by 64": {Taps: 9, Height: 5, Width: 5, In: 16, Out: 128},
	} {
		if kernels.NewWGMMAGradient(l, 100, kernels.BF16, &device) != nil {
			t.Errorf("%s: a plan", what)
		}
	}
	l, ampere := kernels.Layer{Taps: 9, Height: 5, Width: 5, In: 64, Out: 64}, emulate.Ampere()
	if kernels.NewWGMMAGradient(l, 100, kernels.TF32, &device) != nil ||
		kernels.NewWGMMAGradient(l, 100, kernels.BF16, &ampere) != nil {
		t.Error("a plan in tf32, or for another device")
	}
}

package kernels_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// TestTrainingLosses compares cross-entropy and its measures with float64: groups longer and
// shorter than a warp, large logits, targets without mass, equal maxima.
func TestTrainingLosses(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{})
	for _, shape := range []struct {
		rows, groups, n int
		support         bool
	}{{5, 1, 50, false}, {3, 3, 26, true}, {9, 1, 1, false}, {2, 2, 2, true}} {
		rng := random.New(seed, random.Test, uint64(shape.n))
		count, n := shape.rows*shape.groups, shape.n
		logits, target, factors, support := numbers(count*n, rng), make([]float32, count*n),
			numbers(shape.rows, rng), numbers(n, rng)
		for i := range logits {
			if i < n {
				logits[i] *= 60
			}
			if i >= n && rng.IntN(3) > 0 {
				target[i] = rng.Float32()
			}
		}
		if n > 40 {
			logits[2*n+33], logits[2*n+7], target[2*n+9], target[2*n+41] = 9, 9, 2, 2
		}
		d, measures := b.room(4*count*n), b.room(16*count)
		const weight, all = 1.5, 2.5
		at, constant, given := driver.Ptr(0), float32(0), b.floats(factors)
		if shape.support {
			at, constant, given = b.floats(support), 0.25, 0
		}
		b.small(kernels.TrainHeads, "softmax_loss", blocks(32*count, 256), 1, driver.NewArgs().
			Ptr(b.floats(logits)).Ptr(b.floats(target)).Ptr(given).
			Ptr(b.doubles(weight, all)).Float32(constant).Ptr(at).
			Int32(int32(shape.rows)).Int32(int32(shape.groups)).Int32(int32(n)).Ptr(d).
			Ptr(measures))
		gradient, got := b.readFloats(d, count*n), b.readFloats(measures, 4*count)
		for g := range count {
			v, to := nntest.Widen(logits[g*n:(g+1)*n]), nntest.Widen(target[g*n:(g+1)*n])
			p := nntest.Softmax(v)
			var loss, mass, entropy, targetEntropy, predicted, wanted float64
			top, most := 0, 0
			for i := range n {
				mass += to[i]
				if to[i] > 0 {
					loss -= to[i] * math.Log(max(p[i], 1e-300))
					targetEntropy -= to[i] * math.Log(to[i])
				}
				if p[i] > 0 {
					entropy -= p[i] * math.Log(p[i])
				}
				predicted += p[i] * float64(support[i])
				wanted += to[i] * float64(support[i])
				if v[i] > v[top] {
					top = i
				}
				if to[i] > to[most] {
					most = i
				}
			}
			factor := float64(constant)
			if !shape.support {
				factor = weight * float64(factors[g/shape.groups]) / all
			}
			what := fmt.Sprintf("%d numbers, group %d", n, g)
			near(t, what+": the loss", got[4*g], loss, 1+math.Abs(loss), 3e-6)
			a, c, hit := entropy, targetEntropy, 0.0
			if top == most {
				hit = 1
			}
			if shape.support {
				a, c, hit = predicted, wanted, targetEntropy
			}
			near(t, what+": the first measure", got[4*g+1], a, 1+math.Abs(a), 5e-6)
			near(t, what+": the second measure", got[4*g+2], c, 1+math.Abs(c), 5e-6)
			near(t, what+": the third measure", got[4*g+3], hit, 1+math.Abs(hit), 5e-6)
			for i := range n {
				near(t, what+": a gradient",
					gradient[g*n+i], factor*(mass*p[i]-to[i]), 1+mass, 3e-6)
			}
		}
	}
	x, target := []float32{1, -2, 0.5}, []float32{0.25, 1, 0.5}
	d, measures := b.room(12), b.room(48)
	b.small(kernels.TrainHeads, "squared_loss", 1, 1,
		driver.NewArgs().Ptr(b.floats(x)).Ptr(b.floats(target)).Float32(0.5).Int64(3).Ptr(d).
			Ptr(measures))
	gradient, got := b.readFloats(d, 3), b.readFloats(measures, 12)
	for i := range x {
		e := float64(x[i] - target[i])
		near(t, "a squared error", got[4*i], e*e, 1, 1e-7)
		near(t, "its prediction", got[4*i+1], float64(x[i]), 0, 0)
		near(t, "its target", got[4*i+2], float64(target[i]), 0, 0)
		near(t, "its gradient", gradient[i], e, 1, 1e-7)
	}
}

// TestTrainingLogitLoss compares the loss of train.Config.PolicyLogits and its gradient with
// nn/train's formula in float64: actions without a probability and with hardly any, rows without a
// target and without a weight, targets that are not finite. The other measures stay.
func TestTrainingLogitLoss(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{})
	for _, n := range []int{1, 2, 25, 77} {
		rng := random.New(seed, random.Test, uint64(n))
		const rows, weight, mass = 9, 1.5, 2.5
		logits, target, factors := numbers(rows*n, rng), make([]float32, rows*n),
			numbers(rows, rng)
		for i := range target {
			if rng.IntN(3) > 0 {
				target[i] = rng.Float32()
			}
			if rng.IntN(5) == 0 {
				target[i] *= 1e-30
			}
			if i < 2*n {
				logits[i] *= 60
			}
		}
		clear(target[2*n : 3*n])
		factors[3] = 0
		nan, inf := float32(math.NaN()), float32(math.Inf(1))
		target[4*n], target[5*n+n-1] = nan, inf
		target[4*n+n-1] = max(target[4*n+n-1], 0.5)
		d, measures := b.floats(numbers(rows*n, rng)), b.floats(numbers(4*rows, rng))
		before := b.readFloats(measures, 4*rows)
		b.small(kernels.TrainHeads, "logit_loss", blocks(32*rows, 256), 1, driver.NewArgs().
			Ptr(b.floats(logits)).Ptr(b.floats(target)).Ptr(b.floats(factors)).
			Ptr(b.doubles(weight, mass)).Int32(rows).Int32(int32(n)).Ptr(d).Ptr(measures))
		gradient, got := b.readFloats(d, rows*n), b.readFloats(measures, 4*rows)
		for r := range rows {
			v, to := nntest.Widen(logits[r*n:(r+1)*n]), nntest.Widen(target[r*n:(r+1)*n])
			x, mean, count, loss := make([]float64, n), 0.0, 0.0, 0.0
			for i := range n {
				if to[i] > 0 {
					x[i] = v[i] - max(-8, math.Log(to[i]/slices.Max(to)))
					mean += x[i]
					count++
				}
			}
			for i := range n {
				if to[i] > 0 {
					x[i] -= mean / count
					loss += x[i] * x[i] / 2
				}
			}
			what := fmt.Sprintf("%d actions, row %d", n, r)
			if finite := !(loss-loss != 0); finite != (r != 5 && (r != 4 || n == 1)) {
				t.Errorf("%s: the loss is %g", what, loss)
			} else if !finite {
				if x := got[4*r]; !math.IsNaN(float64(x)) {
					t.Errorf("%s: the loss is %g, want %g", what, x, loss)
				}
				continue
			}
			near(t, what+": the loss", got[4*r], loss, 1+math.Abs(loss), 3e-6)
			for k := 1; k < 4; k++ {
				near(t, what+": another measure", got[4*r+k], float64(before[4*r+k]), 0, 0)
			}
			for i := range n {
				want := weight * float64(factors[r]) / mass * x[i]
				near(t, what+": a gradient", gradient[r*n+i], want, 1+math.Abs(want), 1e-5)
			}
		}
	}
}

// TestJoin compares the sums over devices of a shard with those in order on the host, to the bit;
// from a place on they are means.
func TestJoin(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{})
	rng := random.New(seed, random.Test)
	const n = 300
	for _, devices := range []int{2, 3, 8} {
		for _, summed := range []int64{-5, 0, 77, n, n + 9} {
			shards := numbers(devices*n, rng)
			to := b.room(4 * n)
			b.small(kernels.TrainUpdate, "join", 2, 1, driver.NewArgs().
				Ptr(b.floats(shards)).Ptr(to).Int64(n).Int32(int32(devices)).Int64(summed))
			for i, v := range b.readFloats(to, n) {
				want := shards[i]
				for k := 1; k < devices; k++ {
					want += shards[k*n+i]
				}
				if int64(i) >= summed {
					want /= float32(devices)
				}
				if v != want {
					t.Fatalf("%d devices: number %d is %g, want %g", devices, i, v, want)
				}
			}
		}
	}
}

// TestTrainingMeasures compares the sums of a batch's measures with nn/train's formula, in parts of
// rows of which the last is not full and one is not measured, with predictions that are not finite;
// and what is decided with the numbers.
func TestTrainingMeasures(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{})
	rng := random.New(seed, random.Test)
	const rows, measured, players, length, blocks = 650, 500, 2, 300, 3
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	value, policy, weights := numbers(rows*players*4, rng), numbers(rows*4, rng),
		make([]float32, rows)
	for r := range weights {
		weights[r] = float32(r % 3)
	}
	for i := range rows * players { // utilities, some out of the range
		value[4*i+1], value[4*i+2] = 1.2*rng.Float32()-0.1, rng.Float32()
	}
	value[4*5+1], value[4*6+2], value[4*7+1], value[4*8+1] = nan, inf, 1, 0
	squares := numbers(2*blocks, rng)
	given := make([]float64, 9)
	given[0] = measured
	const parts = (rows + length - 1) / length

	want := make([]float64, 2+7)
	var calibration nn.Calibration
	for r := range measured {
		for i := r * players; i < (r+1)*players; i++ {
			want[2] += float64(value[4*i])
			want[3] += float64(value[4*i+3])
			calibration.Count(float64(value[4*i+1]), float64(value[4*i+2]))
		}
		w := float64(weights[r])
		want[4] += w
		for k := range 4 {
			want[5+k] += w * float64(policy[4*r+k])
		}
	}
	for i, x := range squares {
		squares[i] = x * x
		want[i/blocks] += float64(x * x)
	}
	for _, bin := range calibration {
		want = append(want, float64(bin.N), bin.Predicted, bin.Target)
	}
	bad := func(r []float64) bool { return r[0]-r[0]+r[2]-r[2]+r[5]-r[5] != 0 }
	run := func(
		squares []float32, flag int32, stopped driver.Ptr, clip float64,
	) (decision []float32, results []float64) {
		given[1] = clip
		part, to := b.room(8*parts*len(want)), b.room(8*len(want))
		decided := b.floats([]float32{-1, -1})
		g := b.doubles(given...)
		b.small(kernels.TrainUpdate, "measure", parts, 1, driver.NewArgs().
			Ptr(b.floats(value)).Int32(players).Ptr(b.floats(policy)).Ptr(b.floats(weights)).Ptr(g).
			Int32(length).Ptr(part))
		b.small(kernels.TrainUpdate, "decide", 1, 1, driver.NewArgs().
			Ptr(b.doubles(nntest.Widen(squares)...)).Int32(blocks).Ptr(part).Int32(parts).Ptr(g).
			Ptr(b.up(driver.Bytes([]int32{0, flag, 0}))).Ptr(0).Ptr(to).Ptr(decided).Ptr(stopped))
		results = make([]float64, len(want))
		b.check(b.ctx.CopyOut(driver.Bytes(results), to, 0))
		judged := b.floats([]float32{-1})
		b.small(kernels.TrainUpdate, "judge", 1, 1, driver.NewArgs().
			Ptr(part).Int32(parts).Ptr(b.up(driver.Bytes([]int32{0, flag, 0}))).Ptr(judged))
		b.check(b.ctx.Synchronize(0))
		if v, off := b.readFloats(judged, 1)[0], results[2]-results[2]+results[5]-results[5]; v !=
			map[bool]float32{true: 0, false: 1}[off == 0 && flag == 0] {
			t.Errorf("flag %d, losses %g and %g: judged %g", flag, results[2], results[5], v)
		}
		// Another device's refusal, and none.
		for refused, taken := range map[float32]bool{0: true, 0.5: false} {
			if stopped == 0 || flag != 0 || !(results[0] < 1e9) || bad(results) {
				continue
			}
			verdict := b.floats([]float32{-1, -1})
			b.small(kernels.TrainUpdate, "decide", 1, 1, driver.NewArgs().
				Ptr(b.doubles(nntest.Widen(squares)...)).Int32(blocks).Ptr(part).Int32(parts).
				Ptr(g).Ptr(b.up(make([]byte, 12))).Ptr(b.floats([]float32{refused})).Ptr(to).
				Ptr(verdict).Ptr(b.up(make([]byte, 4))))
			if d := b.readFloats(verdict, 2); (d[0] == 0) != taken {
				t.Errorf("refused by %g of the devices: the decision is %v", refused, d)
			}
		}
		b.check(b.ctx.Synchronize(0))
		return b.readFloats(decided, 2), results
	}
	stopped := b.up(driver.Bytes([]int32{0}))
	decision, got := run(squares, 0, stopped, 0)
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= 1e-12*(1+math.Abs(w))) {
			t.Errorf("sum %d is %g, want %g", i, got[i], w)
		}
	}
	if !slices.Equal(decision, []float32{0, 1}) {
		t.Errorf("the decision is %v, want 0, 1", decision)
	}
	norm := math.Sqrt(want[0])
	wrong := slices.Clone(squares)
	wrong[1] = nan
	for _, c := range []struct {
		what    string
		squares []float32
		flag    int32
		stopped driver.Ptr
		clip    float64
		want    []float32
	}{
		{"a norm below the limit", squares, 0, stopped, 2 * norm, []float32{0, 1}},
		{"a norm above it", squares, 0, stopped, norm / 3, []float32{0, float32(norm / 3 / norm)}},
		{"no decision", wrong, 1, 0, 0, []float32{-1, -1}},
		{"a flag", squares, 1, b.up(driver.Bytes([]int32{0})), 0, []float32{1, 1}},
		{"a square", wrong, 0, stopped, 0, []float32{1, 1}},
		{"after a refused step", squares, 0, stopped, 0, []float32{1, 1}},
	} {
		if decision, _ := run(c.squares, c.flag, c.stopped, c.clip); !slices.Equal(decision,
			c.want) {
			t.Errorf("%s: the decision is %v, want %v", c.what, decision, c.want)
		}
	}
	value[4*measured*players], value[0] = nan, 5
	fresh := b.up(driver.Bytes([]int32{0}))
	if decision, _ := run(squares, 0, fresh, 0); decision[0] != 0 {
		t.Error("a row that is not measured refuses a step")
	}
	policy[4], policy[8] = inf, 1 // rows 1 and 2
	for _, w := range []float32{0, 1} {
		weights[1] = w
		if decision, _ := run(squares, 0, fresh, 0); decision[0] != w {
			t.Errorf("with an infinite policy loss of weight %g: %v", w, decision)
		}
	}
}

// TestTrainingSums compares sums over rows with float64: in parts, of products and of columns.
func TestTrainingSums(t *testing.T) {
	for _, precision := range []kernels.Precision{kernels.FP32, kernels.BF16} {
		b := newBench(t, precision, emulate.Options{})
		rng := random.New(seed, random.Test)
		// three groups of two columns, each over five of b's
		const rows, n, m, group, width = 67, 6, 5, 2, 20
		a, c := numbers(rows*n, rng), numbers(rows*width, rng)
		const parts, length = 3, 23
		part, sum := b.room(4*parts*max(n*m, width)), b.room(4*max(n*m, width))
		at, ct := b.floats(a), b.elements(c)
		b.small(kernels.TrainHeads, "outer_parts", 1, parts, driver.NewArgs().
			Ptr(at).Ptr(ct).Ptr(part).Int32(rows).Int32(length).Int32(n).Int32(m).Int32(group).
			Int32(n).Int32(width))
		b.small(kernels.TrainUpdate, "sum_parts",
			1, 1, driver.NewArgs().Ptr(part).Ptr(sum).Int64(n*m).Int32(parts))
		for i, got := range b.readFloats(sum, n*m) {
			want := 0.0
			for r := range rows {
				want += float64(a[r*n+i/m]) * b.element(c[r*width+i/m/group*m+i%m])
			}
			near(t, fmt.Sprintf("%s: product %d", precision, i), got, want, rows, 1e-6)
		}
		for _, x := range []struct {
			kernel string
			at     driver.Ptr
			n      int
			value  func(i int) float64
		}{
			{"column_parts", at, n, func(i int) float64 { return float64(a[i]) }},
			{"element_column_parts", ct, width, func(i int) float64 { return b.element(c[i]) }},
		} {
			b.small(kernels.TrainHeads, x.kernel, x.n, parts,
				driver.NewArgs().Ptr(x.at).Ptr(part).Int32(rows).Int32(length).Int32(int32(x.n)))
			b.small(kernels.TrainUpdate, "sum_parts",
				1, 1, driver.NewArgs().Ptr(part).Ptr(sum).Int64(int64(x.n)).Int32(parts))
			for i, got := range b.readFloats(sum, x.n) {
				want := 0.0
				for r := range rows {
					want += x.value(r*x.n + i)
				}
				near(t, fmt.Sprintf("%s: %s, column %d", precision, x.kernel, i), got,
					want, rows, 1e-6)
			}
		}
	}
}

// TestTrainingUpdate compares the kernels that update parameters with their formulas.
func TestTrainingUpdate(t *testing.T) {
	b := newBench(t, kernels.TF32, emulate.Options{})
	rng := random.New(seed, random.Test)
	const n, weights = 300, 200
	const rate, momentum, scale, decay, keep = 0.01, 0.9, 0.5, 0.02, 0.75
	w, v, g := numbers(n, rng), numbers(n, rng), numbers(n, rng)
	m := numbers(n, rng)
	for i := range v {
		v[i] = float32(math.Abs(float64(v[i])))
	}
	kept := func(i int) float64 {
		if i < weights {
			return keep * float64(w[i])
		}
		return float64(w[i])
	}
	step := func(i int) float64 {
		d := scale * float64(g[i])
		if i < weights {
			d += decay * kept(i)
		}
		return d
	}
	ws, vs, gs := b.floats(w), b.floats(v), b.floats(g)
	const correction = 3.5
	given := b.doubles(0, 0, rate, correction, keep)
	taken, refused := b.floats([]float32{0, scale}), b.floats([]float32{1, scale})
	args := driver.NewArgs().Ptr(ws).Ptr(vs).Ptr(gs).Int64(n).Int64(weights).Ptr(given)
	b.small(kernels.TrainUpdate, "sgd", 2, 1, args.Ptr(refused).Float32(momentum).Float32(decay))
	if !slices.Equal(b.readFloats(ws, n), w) {
		t.Error("a refused step of SGD changes numbers")
	}
	b.small(kernels.TrainUpdate, "sgd", 2, 1, driver.NewArgs().Ptr(ws).Ptr(vs).Ptr(gs).Int64(n).
		Int64(weights).Ptr(given).Ptr(taken).Float32(momentum).Float32(decay))
	gotW, gotV := b.readFloats(ws, n), b.readFloats(vs, n)
	for i := range n {
		want := momentum*float64(v[i]) + step(i)
		near(t, "SGD's velocity", gotV[i], want, 1+math.Abs(want), 1e-6)
		near(t, "SGD's number", gotW[i], kept(i)-rate*want, 1+math.Abs(float64(w[i])), 1e-6)
	}
	const first, second, epsilon = 0.1, 0.001, 1e-8
	ws, vs = b.floats(w), b.floats(v)
	ms := b.floats(m)
	for _, decision := range []driver.Ptr{refused, taken} {
		b.small(kernels.TrainUpdate, "adam", 2, 1, driver.NewArgs().Ptr(ws).Ptr(ms).Ptr(vs).
			Ptr(gs).Int64(n).Int64(weights).Ptr(given).Ptr(decision).
			Float32(first).Float32(second).Float32(epsilon).Float32(decay))
	}
	gotW, gotM := b.readFloats(ws, n), b.readFloats(ms, n)
	gotV = b.readFloats(vs, n)
	for i := range n {
		d := step(i)
		wantM, wantV := float64(m[i])+first*(d-float64(m[i])),
			float64(v[i])+second*(d*d-float64(v[i]))
		near(t, "Adam's first moment", gotM[i], wantM, 1+math.Abs(wantM), 1e-6)
		near(t, "Adam's second moment", gotV[i], wantV, 1+wantV, 1e-6)
		move := rate * wantM / (math.Sqrt(wantV*correction) + epsilon)
		near(t, "Adam's number",
			gotW[i], kept(i)-move, 1+math.Abs(float64(w[i]))+math.Abs(move), 1e-6)
	}
	to := b.floats(v)
	for _, decision := range []driver.Ptr{refused, taken} {
		b.small(kernels.TrainUpdate, "average", 2, 1, driver.NewArgs().Ptr(to).Ptr(gs).Int64(n).
			Ptr(b.doubles(0.25)).Ptr(decision))
	}
	for i, got := range b.readFloats(to, n) {
		near(t, "an average", got, 0.75*float64(v[i])+0.25*float64(g[i]), 2, 1e-6)
	}
	sums := make([]float64, 3)
	part := b.room(24)
	b.small(kernels.TrainUpdate, "squares", 3, 1, driver.NewArgs().Ptr(gs).Int64(n).Ptr(part))
	b.check(b.ctx.CopyOut(driver.Bytes(sums), part, 0))
	b.check(b.ctx.Synchronize(0))
	want := 0.0
	for _, x := range g {
		want += float64(x) * float64(x)
	}
	if got := sums[0] + sums[1] + sums[2]; math.Abs(got-want) > 1e-12*want {
		t.Errorf("the squares' sum is %g, want %g", got, want)
	}
	// pack: rounded to tf32 and transposed; for the backward pass also rotated.
	const layers, taps, in, out = 2, 9, 16, 32
	x := numbers(layers*taps*in*out, rng)
	forward, backward := b.room(4*len(x)), b.room(4*len(x))
	b.small(kernels.TrainUpdate, "pack", blocks(taps*in*out, 256), layers,
		driver.NewArgs().Ptr(b.floats(x)).Ptr(forward).Ptr(backward).Int32(taps).
			Int32(in).Int32(out))
	f, back := b.readFloats(forward, len(x)), b.readFloats(backward, len(x))
	for i, v := range x {
		l, k, c, o := i/(taps*in*out), i/(in*out)%taps, i/out%in, i%out
		want := b.operand(v)
		near(t, "a packed weight", f[((l*out+o)*taps+k)*in+c], want, 0, 0)
		near(t, "a weight packed for the backward pass",
			back[((l*in+c)*taps+taps-1-k)*out+o], want, 0, 0)
	}
}

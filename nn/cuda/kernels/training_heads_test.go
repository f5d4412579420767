package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
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
		at, constant, given := driver.Ptr(0), float32(0), b.floats(factors)
		if shape.support {
			at, constant, given = b.floats(support), 0.25, 0
		}
		b.small(kernels.TrainHeads, "softmax_loss", blocks(32*count, 256), 1, driver.NewArgs().
			Ptr(b.floats(logits)).Ptr(b.floats(target)).Ptr(given).Float32(constant).Ptr(at).
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
				factor = float64(factors[g/shape.groups])
			}
			what := fmt.Sprintf("%d numbers, group %d", n, g)
			near(t, what+": the loss", got[4*g], loss, 1+math.Abs(loss), 3e-6)
			a, c, hit := entropy, targetEntropy, 0.0
			if top == most {
				hit = 1
			}
			if shape.support {
				a, c, hit = predicted, wanted, 0
			}
			near(t, what+": the first measure", got[4*g+1], a, 1+math.Abs(a), 5e-6)
			near(t, what+": the second measure", got[4*g+2], c, 1+math.Abs(c), 5e-6)
			near(t, what+": the third measure", got[4*g+3], hit, 1, 0)
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
	b.small(kernels.TrainUpdate, "sgd", 2, 1, driver.NewArgs().Ptr(ws).Ptr(vs).Ptr(gs).Int64(n).
		Int64(weights).
		Float32(rate).Float32(momentum).Float32(scale).Float32(decay).Float32(keep))
	gotW, gotV := b.readFloats(ws, n), b.readFloats(vs, n)
	for i := range n {
		want := momentum*float64(v[i]) + step(i)
		near(t, "SGD's velocity", gotV[i], want, 1+math.Abs(want), 1e-6)
		near(t, "SGD's number", gotW[i], kept(i)-rate*want, 1+math.Abs(float64(w[i])), 1e-6)
	}
	const first, second, correction, epsilon = 0.1, 0.001, 3.5, 1e-8
	ws, vs = b.floats(w), b.floats(v)
	ms := b.floats(m)
	b.small(kernels.TrainUpdate, "adam", 2, 1, driver.NewArgs().Ptr(ws).Ptr(ms).Ptr(vs).Ptr(gs).
		Int64(n).Int64(weights).
		Float32(rate).Float32(first).Float32(second).Float32(correction).Float32(epsilon).
		Float32(scale).Float32(decay).Float32(keep))
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
	b.small(kernels.TrainUpdate, "average",
		2, 1, driver.NewArgs().Ptr(to).Ptr(gs).Int64(n).Float32(0.25))
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

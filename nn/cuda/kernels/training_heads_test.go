package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	cells, seats := numbers(rows, rng), numbers(rows, rng)
	labelWeights, factWeights := make([]float32, rows), make([]float32, rows)
	const measures = 2 + 3*len(nn.Calibration{}) // of a row's belief
	belief := numbers(rows*measures, rng)
	for r := range rows {
		labelWeights[r], factWeights[r] = float32(r%4)/2, float32(r%5)
	}
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
	bad := func(r []float64) bool { // a loss is not finite
		sum := r[0]
		for _, k := range []int{0, 3, 38, 39, 41} {
			sum += r[2+k]
		}
		return sum-sum != 0
	}
	labels, facts := make([]float64, 3), make([]float64, 1+measures)
	for r := range measured {
		w, f := float64(labelWeights[r]), float64(factWeights[r])
		labels[0] += w
		labels[1] += w * float64(cells[r])
		labels[2] += w * float64(seats[r])
		facts[0] += f
		for k, v := range belief[r*measures:][:measures] {
			if k < 2 {
				facts[1+k] += f * float64(v)
			} else {
				facts[1+k] += float64(v)
			}
		}
	}
	want = append(append(want, labels...), facts...)
	heads := true // auxiliary
	run := func(
		squares []float32, flag int32, stopped driver.Ptr, clip float64,
	) (decision []float32, results []float64) {
		given[1] = clip
		part, to := b.room(8*parts*len(want)), b.room(8*len(want))
		decided := b.floats([]float32{-1, -1})
		g := b.doubles(given...)
		args := driver.NewArgs().
			Ptr(b.floats(value)).Int32(players).Ptr(b.floats(policy)).Ptr(b.floats(weights)).Ptr(g).
			Int32(length).Ptr(part).Ptr(b.floats(labelWeights))
		if heads {
			args.Ptr(b.floats(cells)).Ptr(b.floats(seats)).Ptr(b.floats(factWeights)).
				Ptr(b.floats(belief))
		} else {
			args.Ptr(0).Ptr(0).Ptr(b.floats(factWeights)).Ptr(0)
		}
		b.small(kernels.TrainUpdate, "measure", parts, 1, args)
		b.small(kernels.TrainUpdate, "decide", 1, 1, driver.NewArgs().
			Ptr(b.doubles(nntest.Widen(squares)...)).Int32(blocks).Ptr(part).Int32(parts).Ptr(g).
			Ptr(b.up(driver.Bytes([]int32{0, flag, 0}))).Ptr(0).Ptr(to).Ptr(decided).Ptr(stopped))
		results = make([]float64, len(want))
		b.check(b.ctx.CopyOut(driver.Bytes(results), to, 0))
		judged := b.floats([]float32{-1})
		b.small(kernels.TrainUpdate, "judge", 1, 1, driver.NewArgs().
			Ptr(part).Int32(parts).Ptr(b.up(driver.Bytes([]int32{0, flag, 0}))).Ptr(judged))
		b.check(b.ctx.Synchronize(0))
		if v := b.readFloats(judged, 1)[0]; v !=
			map[bool]float32{true: 0, false: 1}[!bad(append([]float64{0}, results[1:]...)) &&
				flag == 0] {
			t.Errorf("flag %d, sums %g: judged %g", flag, results, v)
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
	weights[1] = 0
	for what, x := range map[string]*float32{
		"cells": &cells[2], "seats": &seats[2], "belief": &belief[2*measures],
	} {
		was := *x
		*x = nan
		fresh = b.up(driver.Bytes([]int32{0}))
		if decision, _ := run(squares, 0, fresh, 0); decision[0] != 1 {
			t.Errorf("a loss of %s that is not a number does not refuse the step", what)
		}
		*x = was
	}
	heads, fresh = false, b.up(driver.Bytes([]int32{0}))
	decision, got = run(squares, 0, fresh, 0)
	for i, v := range got[len(got)-len(labels)-len(facts):] {
		if v != 0 || decision[0] != 0 {
			t.Errorf("without auxiliary heads sum %d is %g, the decision %v", i, v, decision)
		}
	}
}

// TestAuxiliaryLosses compares the losses of the auxiliary heads, their measures and gradients with
// float64: more targets of cells and more facts than a warp has lanes, rows without a class and of
// weight 0, large logits, classes that are impossible.
func TestAuxiliaryLosses(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{})
	const rows, cells, weight, mass = 5, 27, 1.5, 2.5
	weights := []float32{1, 0.5, 0, 2, 1}
	given := b.doubles(weight, mass)
	factor := func(r int) float64 { return weight * float64(weights[r]) / mass }
	layout := func(classes []int) (starts []int32, all int) {
		for _, n := range classes {
			starts = append(starts, int32(all))
			all += n
		}
		return append(starts, int32(all)), all
	}
	draw := func(rng *rand.Rand, row, classes int) int8 {
		if row == 3 || rng.IntN(4) == 0 {
			return -1
		}
		return int8(rng.IntN(classes))
	}

	rng := random.New(seed, random.Test)
	targets := []int{3, 2}
	starts, all := layout(targets)
	logits, known := numbers(rows*cells*all, rng), make([]int8, rows*len(targets)*cells)
	for i := range known {
		known[i] = draw(rng, i/cells/len(targets), targets[i/cells%len(targets)])
	}
	for i := range logits[:cells*all] {
		logits[i] *= 60
	}
	d, losses := b.floats(logits), b.room(4*rows)
	b.small(kernels.TrainHeads, "cells_loss", blocks(32*rows, 256), 1, driver.NewArgs().
		Ptr(d).Ptr(b.up(driver.Bytes(known))).Ptr(b.up(driver.Bytes(starts))).
		Ptr(b.floats(weights)).Ptr(given).Int32(rows).Int32(int32(len(targets))).Int32(cells).
		Int32(int32(all)).Ptr(losses))
	gradient, got := b.readFloats(d, len(logits)), b.readFloats(losses, rows)
	for r := range rows {
		loss, n := 0.0, 0.0
		want := make([]float64, cells*all)
		for k, classes := range targets {
			for cell := range cells {
				at := cell*all + int(starts[k])
				class := known[(r*len(targets)+k)*cells+cell]
				if class < 0 {
					continue
				}
				p := nntest.Softmax(nntest.Widen(logits[r*cells*all+at:][:classes]))
				loss -= math.Log(p[class])
				n++
				copy(want[at:], p)
				want[at+int(class)]--
			}
		}
		n = max(n, 1)
		near(t, fmt.Sprintf("the loss of cells of row %d", r), got[r], loss/n, 1+loss/n, 5e-6)
		for i, w := range want {
			near(t, fmt.Sprintf("the gradient of logit %d of row %d", i, r),
				gradient[r*cells*all+i], factor(r)*w/n, 1/n, 3e-6)
		}
	}

	const numbersOfRow = 3
	x, target := numbers(rows*numbersOfRow, rng), numbers(rows*numbersOfRow, rng)
	d = b.floats(x)
	b.small(kernels.TrainHeads, "seats_loss", 1, 1, driver.NewArgs().
		Ptr(d).Ptr(b.floats(target)).Ptr(b.floats(weights)).Ptr(given).Int32(rows).
		Int32(numbersOfRow).Ptr(losses))
	gradient, got = b.readFloats(d, len(x)), b.readFloats(losses, rows)
	for r := range rows {
		loss := 0.0
		for i := r * numbersOfRow; i < (r+1)*numbersOfRow; i++ {
			e := float64(x[i] - target[i])
			loss += e * e / numbersOfRow
			near(t, "a gradient of seats", gradient[i], 2*factor(r)*e/numbersOfRow, 5, 1e-6)
		}
		near(t, "a loss of seats", got[r], loss, 1+loss, 1e-6)
	}

	var facts []int
	for i := range 40 {
		facts = append(facts, 2+i%3*7)
	}
	starts, all = layout(facts)
	logits, known = numbers(rows*all, rng), make([]int8, rows*len(facts))
	priors := make([]float32, rows*all)
	for i := range known {
		r, k := i/len(facts), i%len(facts)
		known[i] = draw(rng, r, facts[k])
		own := priors[r*all+int(starts[k]):][:facts[k]]
		for c := range own {
			if known[i] >= 0 && (c == int(known[i]) || rng.IntN(3) > 0) {
				own[c] = 0.1 + rng.Float32()
			}
		}
	}
	for i := range logits[:all] {
		logits[i] *= 20
	}
	const measures = 2 + 3*len(nn.Calibration{})
	at, d, m := b.floats(logits), b.room(4*len(logits)), b.room(4*rows*measures)
	b.small(kernels.TrainHeads, "belief_loss", blocks(32*rows, 256), 1, driver.NewArgs().
		Ptr(at).Ptr(b.up(driver.Bytes(known))).Ptr(b.floats(priors)).
		Ptr(b.up(driver.Bytes(starts))).Ptr(b.floats(weights)).Ptr(given).Int32(rows).
		Int32(int32(len(facts))).Int32(int32(all)).Ptr(d).Ptr(m))
	beliefs := b.readFloats(at, len(logits))
	gradient, got = b.readFloats(d, len(logits)), b.readFloats(m, rows*measures)
	for r := range rows {
		loss, without := 0.0, 0.0
		var calibration nn.Calibration
		for k, classes := range facts {
			first, class := r*all+int(starts[k]), int(known[r*len(facts)+k])
			if class < 0 {
				for i := range classes {
					near(t, "the gradient of an unknown fact", gradient[first+i], 0, 0, 0)
				}
				continue
			}
			v, sum := make([]float64, classes), 0.0
			for i := range v {
				v[i] = float64(priors[first+i]) * math.Exp(float64(logits[first+i]))
				sum += v[i]
			}
			loss -= math.Log(v[class] / sum)
			without -= math.Log(float64(priors[first+class]))
			for i := range v {
				p, is := v[i]/sum, 0.0
				if i == class {
					is = 1
				}
				near(t, "a belief", beliefs[first+i], p, 1, 1e-6)
				near(t, "a gradient of the belief", gradient[first+i], factor(r)*(p-is), 1, 3e-6)
				if priors[first+i] > 0 && weights[r] > 0 {
					calibration.Count(float64(beliefs[first+i]), is)
				}
			}
		}
		of := got[r*measures:][:measures]
		near(t, "a loss of the belief", of[0], loss, 1+loss, 1e-5)
		near(t, "a loss without a belief", of[1], without, 1+math.Abs(without), 1e-5)
		for i, bin := range calibration {
			for k, w := range []float64{float64(bin.N), bin.Predicted, bin.Target} {
				near(t, fmt.Sprintf("number %d of bin %d of row %d", k, i, r), of[2+3*i+k], w,
					1+w, 1e-5)
			}
		}
	}
}

// TestMaps compares 1×1 convolutions of several maps, over many channels, and the mean over cells
// with float64, and their gradients.
func TestMaps(t *testing.T) {
	for _, precision := range []kernels.Precision{kernels.FP32, kernels.BF16} {
		b := newBench(t, precision, emulate.Options{})
		rng := random.New(seed, random.Test)
		const rows, cells, channels, maps = 3, 7, 144, 5
		const positions = rows * cells
		x, w, bias := numbers(positions*channels, rng), numbers(maps*channels, rng),
			numbers(maps, rng)
		at, wt := b.elements(x), b.floats(w)
		dots, mean := b.room(4*positions*maps), b.room(4*rows*channels)
		b.small(kernels.TrainHeads, "map_dots", blocks(32*positions, 256), 1, driver.NewArgs().
			Ptr(at).Ptr(wt).Ptr(b.floats(bias)).Ptr(dots).Int32(positions).Int32(channels).
			Int32(maps))
		for i, got := range b.readFloats(dots, positions*maps) {
			want := float64(bias[i%maps])
			for c := range channels {
				want += b.element(x[i/maps*channels+c]) * float64(w[i%maps*channels+c])
			}
			near(t, fmt.Sprintf("%s: dot %d", precision, i), got, want, channels, 1e-6)
		}
		b.small(kernels.TrainHeads, "cell_mean", blocks(rows*channels/4, 256), 1, driver.NewArgs().
			Ptr(at).Ptr(mean).Int64(rows*channels/4).Int32(channels).Int32(cells))
		for i, got := range b.readElements(mean, rows*channels) {
			want := 0.0
			for cell := range cells {
				want += b.element(x[(i/channels*cells+cell)*channels+i%channels]) / cells
			}
			near(t, fmt.Sprintf("%s: mean %d", precision, i), got, want, 1, 2*b.epsilon())
		}
		for _, group := range []int{1, cells} {
			d := numbers(positions/group*maps, rng)
			dx := b.elements(x)
			b.small(kernels.TrainHeads, "map_backward", blocks(positions*channels/4, 256), 1,
				driver.NewArgs().Ptr(b.floats(d)).Ptr(wt).Ptr(dx).Int64(positions*channels/4).
					Int32(channels).Int32(maps).Int32(int32(group)))
			for i, got := range b.readElements(dx, len(x)) {
				want := b.element(x[i])
				for k := range maps {
					want += float64(d[i/channels/group*maps+k]) / float64(group) *
						float64(w[k*channels+i%channels])
				}
				near(t, fmt.Sprintf("%s: gradient %d", precision, i), got, want,
					2+math.Abs(want), 2*b.epsilon())
			}
		}
	}
}

// TestTrainingSums compares sums over rows with float64, of products and of columns, fewer and more
// than a block has threads: several in one launch of each kernel, and beside a BatchNorm's slopes.
func TestTrainingSums(t *testing.T) {
	for _, precision := range []kernels.Precision{kernels.FP32, kernels.BF16} {
		b := newBench(t, precision, emulate.Options{Seed: 3})
		rng := random.New(seed, random.Test)
		// three groups of two columns, each over five, or over 100, of b's
		const rows, n, m, many, group, width = 67, 6, 5, 100, 2, 304
		a, c := numbers(rows*n, rng), numbers(rows*width, rng)
		const parts, length = 3, 23
		at, ct := b.floats(a), b.elements(c)
		value := func(r, i int) float64 { return float64(a[r*n+i]) }
		element := func(r, i int) float64 { return b.element(c[r*width+i]) }
		product := func(m int) func(r, i int) float64 {
			return func(r, i int) float64 { return value(r, i/m) * element(r, i/m/group*m+i%m) }
		}
		outers := []struct {
			a, b        driver.Ptr
			n, m, group int
			aRow, bRow  int
			value       func(r, i int) float64
			length      int
		}{
			{at, ct, n, m, group, n, width, product(m), length},
			{at, 0, n, 1, 1, n, 0, value, length},
			{0, ct, 1, width, 1, 0, width, element, rows},
			{at, ct, n, many, group, n, width, product(many), length},
		}
		args, part, grid := driver.NewArgs(), b.room(4*2*parts*(n*(m+1+many)+width)), 0
		args.Ptr(part)
		var list []partial
		place := part
		for i := range kernels.OutersAtOnce {
			if i >= len(outers) {
				args.Ptr(0).Ptr(0).Int32(0).Int32(1)
				for range 5 {
					args.Int32(0)
				}
				continue
			}
			o := outers[i]
			size, count := o.n*o.m, blocks(rows, o.length)
			args.Ptr(o.a).Ptr(o.b)
			for _, v := range []int{rows, o.length, o.n, o.m, o.group, o.aRow, o.bRow} {
				args.Int32(int32(v))
			}
			list = append(list, partial{place, b.room(4 * size), size, count})
			place += driver.Ptr(4 * blocks(size*count, 4) * 4)
			grid += count * blocks(size, 256)
		}
		b.small(kernels.TrainHeads, "outer_parts", grid, 1, args)
		// Slopes of one stretch of 16 channels, with sums of g of 1 and of g·(z − mean) of 2.
		ones := make([]float32, 32)
		for i := range ones {
			ones[i] = float32(1 + i/16)
		}
		norm, slopes := b.floats(ones), b.room(4*64)
		b.sums(blocks(16, kernels.NormJoined), driver.NewArgs().Ptr(norm).Int32(4).Int32(16).
			Int32(64).Ptr(norm).Ptr(norm).Ptr(slopes).Ptr(slopes+64).Ptr(slopes+128).
			Ptr(slopes+192), list...)
		for i, got := range b.readFloats(slopes, 64) {
			if want := []float32{2, 1, -0.5, -0.25}[i/16]; got != want {
				t.Errorf("%s: number %d of the slopes is %g, want %g", precision, i, got, want)
			}
		}
		for k, o := range outers {
			for i, got := range b.readFloats(list[k].to, o.n*o.m) {
				want := 0.0
				for r := range rows {
					want += o.value(r, i)
				}
				near(t, fmt.Sprintf("%s: sum %d, number %d", precision, k, i), got, want, rows,
					1e-6)
			}
		}
	}
}

// TestSumParts checks sums of parts to the bit, of numbers of all remainders by 4, in one launch.
func TestSumParts(t *testing.T) {
	b := newBench(t, kernels.TF32, emulate.Options{})
	rng := random.New(seed, random.Test)
	var list []partial
	var numbersOf [][]float32
	for i, n := range []int{1, 130, 131, 256, 300, 128} {
		parts := 19 + i
		x := numbers(parts*n, rng)
		numbersOf = append(numbersOf, x)
		list = append(list, partial{b.floats(x), b.room(4 * n), n, parts})
	}
	b.sums(0, noNorm(), list...)
	for k, s := range list {
		for i, got := range b.readFloats(s.to, s.n) {
			var partial [8]float32
			for j := range s.parts {
				partial[j%8] += numbersOf[k][j*s.n+i]
			}
			want := partial[0]
			for _, v := range partial[1:] {
				want += v
			}
			if got != want {
				t.Fatalf("%d numbers: sum %d is %g, want %g", s.n, i, got, want)
			}
		}
	}
}

// TestTrainingUpdate compares the kernels that update parameters with their formulas.
func TestTrainingUpdate(t *testing.T) {
	b := newBench(t, kernels.TF32, emulate.Options{})
	rng := random.New(seed, random.Test)
	const n, weights = 302, 200
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
	// Beside the n parameters there are statistics; all numbers are averaged.
	const statistics, all = 40, n + 50
	w, g = append(w, numbers(all-n, rng)...), append(g, numbers(all-n, rng)...)
	mean := numbers(all, rng)
	ws, vs, gs, average := b.floats(w), b.floats(v), b.floats(g), b.floats(mean)
	const correction, normRate, averageRate = 3.5, 0.25, 0.125
	given := b.doubles(0, 0, rate, correction, keep, normRate, averageRate)
	taken, refused := b.floats([]float32{0, scale}), b.floats([]float32{1, scale})
	averages := func(what string, after []float32) {
		t.Helper()
		for i := n; i < all; i++ {
			want := float64(w[i])
			if i < n+statistics {
				want += normRate * (float64(g[i]) - want)
			}
			near(t, what+"'s statistic", after[i], want, 2, 1e-6)
		}
		for i, got := range b.readFloats(average, all) {
			want := (1-averageRate)*float64(mean[i]) + averageRate*float64(after[i])
			near(t, what+"'s average", got, want, 2, 1e-6)
		}
	}
	sgd := func(decision, average driver.Ptr) {
		b.small(kernels.TrainUpdate, "sgd", 2, 1, driver.NewArgs().Ptr(ws).Ptr(vs).Ptr(gs).
			Int64(n).Int64(weights).Ptr(given).Ptr(decision).Float32(momentum).Float32(decay).
			Ptr(average).Int64(statistics).Int64(all))
	}
	sgd(refused, average)
	if !slices.Equal(b.readFloats(ws, all), w) ||
		!slices.Equal(b.readFloats(average, all), mean) {
		t.Error("a refused step of SGD changes numbers")
	}
	sgd(taken, average)
	gotW, gotV := b.readFloats(ws, all), b.readFloats(vs, n)
	averages("SGD", gotW)
	for i := range n {
		want := momentum*float64(v[i]) + step(i)
		near(t, "SGD's velocity", gotV[i], want, 1+math.Abs(want), 1e-6)
		near(t, "SGD's number", gotW[i], kept(i)-rate*want, 1+math.Abs(float64(w[i])), 1e-6)
	}
	const first, second, epsilon = 0.1, 0.001, 1e-8
	ws, vs, average = b.floats(w), b.floats(v), b.floats(mean)
	ms := b.floats(m)
	for _, decision := range []driver.Ptr{refused, taken} {
		b.small(kernels.TrainUpdate, "adam", 2, 1, driver.NewArgs().Ptr(ws).Ptr(ms).Ptr(vs).
			Ptr(gs).Int64(n).Int64(weights).Ptr(given).Ptr(decision).
			Float32(first).Float32(second).Float32(epsilon).Float32(decay).
			Ptr(average).Int64(statistics).Int64(all))
	}
	gotW, gotM := b.readFloats(ws, all), b.readFloats(ms, n)
	gotV = b.readFloats(vs, n)
	averages("Adam", gotW)
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
	ws = b.floats(w)
	sgd(taken, 0) // without averaged parameters
	sums := make([]float64, 6)
	part := b.room(48)
	b.small(kernels.TrainUpdate, "squares", 3, 2, driver.NewArgs().Ptr(gs).Int64(n).
		Ptr(b.floats(w)).Int64(weights).Ptr(part))
	b.check(b.ctx.CopyOut(driver.Bytes(sums), part, 0))
	b.check(b.ctx.Synchronize(0))
	for k, numbers := range [][]float32{g[:n], w[:weights]} {
		want := 0.0
		for _, x := range numbers {
			want += float64(x) * float64(x)
		}
		if got := sums[3*k] + sums[3*k+1] + sums[3*k+2]; math.Abs(got-want) > 1e-12*want {
			t.Errorf("the squares' sum is %g, want %g", got, want)
		}
	}
}

// TestPack checks the packed weights of all layers, with residual blocks and without: rounded to
// tf32 and transposed; for the backward pass also rotated.
func TestPack(t *testing.T) {
	b := newBench(t, kernels.TF32, emulate.Options{})
	rng := random.New(seed, random.Test)
	const planes, filters, inputs, width = 16, 48, 4 * 48, 80
	for _, shape := range [][2]int{{9, 4}, {1, 2}, {9, 0}} {
		taps, layers := shape[0], shape[1]
		type layer struct{ at, taps, in, out int }
		list := []layer{{0, taps, planes, filters}}
		for range layers {
			list = append(list, layer{0, taps, filters, filters})
		}
		list = append(list, layer{0, 1, inputs, width})
		end, packed, grid := 0, 0, 0
		for i := range list {
			l := &list[i]
			if i <= 1 || i == len(list)-1 {
				end += 64 // gaps between arrays
			}
			if i == 0 {
				end = 0
			}
			l.at = end
			end += l.taps * l.in * l.out
			packed += l.taps * l.in * l.out
			grid += l.taps * blocks(l.in, 32) * blocks(l.out, 32)
		}
		x, stem := numbers(end, rng), taps*planes*filters
		forward, backward := b.room(4*packed), b.room(4*(packed-stem))
		b.small(kernels.TrainUpdate, "pack", grid, 1, driver.NewArgs().Ptr(b.floats(x)).
			Ptr(forward).Ptr(backward).Int32(int32(taps)).Int32(planes).Int32(filters).
			Int32(int32(layers)).Int64(int64(list[1].at)).Int32(inputs).Int32(width).
			Int64(int64(list[len(list)-1].at)))
		f, back := b.readFloats(forward, packed), b.readFloats(backward, packed-stem)
		from := 0
		for n, l := range list {
			for i := range l.taps * l.in * l.out {
				k, c, o := i/(l.in*l.out), i/l.out%l.in, i%l.out
				want := b.operand(x[l.at+i])
				what := fmt.Sprintf("layer %d of %v: a weight", n, shape)
				near(t, what+" packed", f[from+(o*l.taps+k)*l.in+c], want, 0, 0)
				if n > 0 {
					near(t, what+" packed for the backward pass",
						back[from-stem+(c*l.taps+l.taps-1-k)*l.out+o], want, 0, 0)
				}
			}
			from += l.taps * l.in * l.out
		}
	}
}

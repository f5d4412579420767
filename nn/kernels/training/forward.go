package training

import "unsafe"

// Forward computes the trunk for x [Rows, cells, Planes] and writes out [Rows, cells, Filters].
// layers are the stem, then two per block. In training BatchNorm uses the batch's statistics,
// which Forward writes to layers.
func (t *Trunk) Forward(x []float32, layers []Layer, out []float32) {
	t.check(x, t.Planes, layers)
	t.load(t.images, x, t.Planes)
	for i := range layers {
		l := &t.layers[i]
		channels := t.channels(i)
		n := blocks(channels)
		Each(t.workers, t.out, func(worker, b int) {
			if i > 0 {
				t.normalise(i-1, b, &layers[i-1])
			}
			t.spread(b, l.weight, layers[i].Weight, channels)
			t.pack(worker, b, l.weight, n)
		})
		Each(t.workers, t.groups(), func(worker, g int) {
			w := &t.work[worker]
			input := t.input(i, true)
			t.transform(w, w.transformed, g, n, input)
			soon := [6][]float32{l.value}
			later := [6][]float32{input.p0, input.p1, input.p2}
			t.product(w, w.transformed, n, g, soon, later, func(b int) { t.takeValues(w, l, g, b) })
		})
	}
	last := len(layers) - 1
	Each(t.workers, t.out, func(_, b int) { t.normalise(last, b, &layers[last]) })
	t.finishTrunk()
	t.save(out, t.outputs[t.Blocks], t.Filters)
}

// input describes the source of an input transform; variant is inPlain or one of the constants
// after it.
type input struct {
	variant          int
	p0, p1, p2, coef []float32
}

// input returns the input of layer i. first is false if the transform has run before, so that
// there is nothing to store.
func (t *Trunk) input(i int, first bool) input {
	switch {
	case i == 0:
		return input{variant: inPlain, p0: t.images}
	case i%2 == 0:
		return input{variant: inNorm, p0: t.layers[i-1].value, coef: t.layers[i-1].coef}
	case !first:
		return input{variant: inPlain, p0: t.outputs[i/2]}
	case i == 1:
		return input{
			variant: inStore, p0: t.layers[0].value, p2: t.outputs[0], coef: t.layers[0].coef,
		}
	}
	return input{
		variant: inResidual, p0: t.layers[i-1].value, p1: t.outputs[i/2-1], p2: t.outputs[i/2],
		coef: t.layers[i-1].coef,
	}
}

// transform transforms all n blocks of a group.
func (t *Trunk) transform(w *workspace, to []float32, g, n int, from input) {
	positions, rows := t.positions(g), t.rowsIn[from.variant]
	for b := range n {
		v := to[b*t.columnFloats():][:t.columnFloats()]
		if positions < group {
			clear(v)
		}
		k := element(from.coef, b*coefficients*lanes)
		for p := 0; p < positions; p += batch {
			count, at := min(batch, positions-p), t.block(g, b, n)+p*t.cells()*lanes
			rows(&w.half[0], &from.p0[at], element(from.p1, at), element(from.p2, at), k,
				count*t.height)
			t.columnsIn.each(&t.geometry, v[p*lanes:], w.half, count)
		}
	}
}

// element returns the address of x[i], or nil if x is nil.
func element(x []float32, i int) *float32 {
	if x == nil {
		return nil
	}
	return &x[i]
}

// product multiplies a transformed group of n blocks by the packed weights, and calls
// take for every block of the result, which is then in w.products. It prefetches soon,
// activations that take accesses, and later, those that the worker's next group accesses.
func (t *Trunk) product(
	w *workspace, transformed []float32, n, g int, soon, later [6][]float32, take func(b int),
) {
	column := t.columnFloats()
	for b := range t.out {
		t.fetch(w, g, b, n, soon, later)
		for q := range t.planes {
			t.multiplyAhead(&w.products[q*stride], &transformed[q*stride],
				&t.packed[b*n*column+q*stride], n, column, column, &w.places[0])
		}
		take(b)
	}
}

// fetch sets the addresses from which product prefetches.
func (t *Trunk) fetch(w *workspace, g, b, n int, soon, later [6][]float32) {
	k := 0
	add := func(x []float32, at int) {
		if k < len(w.places) && at < len(x) {
			w.places[k] = uintptr(unsafe.Pointer(&x[at]))
			k++
		}
	}
	for _, x := range soon {
		add(x, t.block(g, b, t.out))
	}
	if b < n {
		for _, x := range later {
			add(x, t.block(g+t.workers, b, n))
		}
	}
	for k < len(w.places) { // nothing else to prefetch: the next weights
		add(t.packed, min(b+1, t.out-1)*n*t.columnFloats())
	}
}

// invert inverts the transform in w.products for a block of a group. It sets w.sums.
func (t *Trunk) invert(w *workspace, g, b, variant int, p0, p1, p2, p3, coef []float32) {
	positions, rows := t.positions(g), t.rowsOut[variant]
	clear(w.sums)
	for p := 0; p < positions; p += batch {
		count, at := min(batch, positions-p), t.block(g, b, t.out)+p*t.cells()*lanes
		t.columnsOut.each(&t.geometry, w.products[p*lanes:], w.half, count)
		rows(&w.half[0], &p0[at], element(p1, at), element(p2, at), element(p3, at),
			element(coef, b*coefficients*lanes), &w.sums[0], count*t.height)
	}
}

// takeValues stores a block of a convolution's result and its moments.
func (t *Trunk) takeValues(w *workspace, l *layer, g, b int) {
	t.invert(w, g, b, outValue, l.value, nil, nil, nil, nil)
	if t.training {
		t.measure(w.sums, l.value[t.block(g, b, t.out):], t.positions(g)*t.cells())
		copy(l.moments[(g*t.out+b)*3*lanes:], w.sums)
	}
}

// finishTrunk computes the trunk's output, which no input transform stores.
func (t *Trunk) finishTrunk() {
	last := &t.layers[len(t.layers)-1]
	var skip []float32
	if t.Blocks > 0 {
		skip = t.outputs[t.Blocks-1]
	}
	to := t.outputs[t.Blocks]
	Each(t.workers, t.groups(), func(_, g int) {
		n := t.positions(g) * t.cells()
		for b := range t.out {
			at := t.block(g, b, t.out)
			coef := &last.coef[b*coefficients*lanes]
			if skip == nil {
				t.finishPlain(&to[at], &last.value[at], coef, n)
			} else {
				t.finish(&to[at], &last.value[at], &skip[at], coef, n)
			}
		}
	})
}

// Backward computes the gradients of the last Forward, given slope [Rows, cells, Filters], the
// gradient with respect to its result. layers must hold the same parameters as in that Forward.
func (t *Trunk) Backward(slope []float32, layers []Layer, to []Gradient) {
	t.check(slope, t.Filters, layers)
	last := len(layers) - 1
	t.load(t.slopes[(last+1)%3], slope, t.Filters)
	t.gateLast(t.slopes[(last+1)%3])
	for i := last; i >= 0; i-- {
		l := &t.layers[i]
		channels := t.channels(i)
		n := blocks(channels)
		Each(t.workers, t.out, func(worker, b int) {
			t.differentiate(l, b, layers[i].Gamma, &to[i])
			if i > 0 {
				t.rotate(b, l.weight)
				t.pack(worker, b, t.rotated, n)
			}
		})
		for from := 0; from < t.groups(); from += chunk {
			count := min(chunk, t.groups()-from)
			Each(t.workers, count, func(worker, task int) {
				w, g := &t.work[worker], from+task
				wanted := t.slopeSpectra[task*t.out*t.columnFloats():][:t.out*t.columnFloats()]
				t.transform(w, wanted, g, t.out,
					input{inGradient, t.slopes[i%3], l.value, nil, l.coef})
				if i > 0 {
					later := [6][]float32{t.slopes[i%3], l.value}
					t.product(w, wanted, t.out, g, t.slopeBuffers(i-1), later, func(b int) {
						t.takeSlopes(w, i-1, g, b)
					})
				}
				t.transform(w, t.inputSpectra[task*n*t.columnFloats():], g, n, t.input(i, false))
			})
			t.correlateChunk(n, count, from > 0)
		}
		Each(t.workers, t.out, func(worker, b int) {
			t.unpack(worker, b, n)
			t.gather(b, to[i].Weight, channels)
		})
	}
}

// gateLast propagates a gradient through the last ReLU to the last layer's slopes.
func (t *Trunk) gateLast(slope []float32) {
	last := len(t.layers) - 1
	l, open, d := &t.layers[last], t.outputs[t.Blocks], t.slopes[last%3]
	Each(t.workers, t.groups(), func(_, g int) {
		for b := range t.out {
			at := t.block(g, b, t.out)
			sums := l.slopeSums[(g*t.out+b)*2*lanes:][:2*lanes]
			clear(sums)
			t.gate(&d[at], &slope[at], &open[at], &l.value[at], &l.coef[b*coefficients*lanes],
				&sums[0], t.positions(g)*t.cells())
		}
	})
}

// slopeBuffers returns p0 to p3 of the output transform that computes and stores the gradient
// with respect to the output of layer i's BatchNorm.
func (t *Trunk) slopeBuffers(i int) [6][]float32 {
	if i%2 == 1 {
		return [6][]float32{t.slopes[i%3], t.layers[i].value}
	}
	// The skip connection contributes the gradient of layer i+2.
	return [6][]float32{t.slopes[i%3], t.slopes[(i+2)%3], t.outputs[i/2], t.layers[i].value}
}

// takeSlopes stores a block of that gradient and its sums, given the products for the
// gradient with respect to the next layer's input.
func (t *Trunk) takeSlopes(w *workspace, i, g, b int) {
	l, p := &t.layers[i], t.slopeBuffers(i)
	variant := outGateAfter
	if i%2 == 1 {
		variant = outGate
	}
	t.invert(w, g, b, variant, p[0], p[1], p[2], p[3], l.coef)
	copy(l.slopeSums[(g*t.out+b)*2*lanes:], w.sums[:2*lanes])
}

// correlateChunk computes the gradient of the transformed weights of n blocks of input channels
// over a chunk of groups, and adds it to the earlier chunks' if add is set.
func (t *Trunk) correlateChunk(n, groups int, add bool) {
	column := t.columnFloats()
	Each(t.workers, t.planes, func(_, q int) {
		r := t.partner(q)
		for a := range n {
			for b := range t.out {
				t.correlate(&t.correlated[(b*n+a)*column+q*stride],
					&t.inputSpectra[a*column+q*stride], &t.slopeSpectra[b*column+r*stride], groups,
					n*column, t.out*column, add)
			}
		}
	})
}

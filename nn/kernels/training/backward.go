package training

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

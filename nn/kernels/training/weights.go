package training

// spread copies block b of filters of weights w [filters, channels, 9] to spread [block
// out][channel][9][lanes], padded with zeros.
func (t *Trunk) spread(b int, spread, w []float32, channels int) {
	padded := blocks(channels) * lanes
	to := spread[b*padded*taps*lanes:][:padded*taps*lanes]
	t.tiles(b, channels, func(j, width, filters int, full bool) {
		from := w[b*lanes*channels*taps+j:]
		if full {
			t.transpose(&to[j*lanes], &from[0], lanes, channels*taps)
			return
		}
		clear(to[j*lanes:][:width*lanes])
		for o := range filters {
			for i, v := range from[o*channels*taps:][:width] {
				to[(j+i)*lanes+o] = v
			}
		}
	})
	clear(to[channels*taps*lanes:])
}

// gather is the inverse of spread, from weightGradient.
func (t *Trunk) gather(b int, w []float32, channels int) {
	padded := blocks(channels) * lanes
	from := t.weightGradient[b*padded*taps*lanes:][:padded*taps*lanes]
	t.tiles(b, channels, func(j, width, filters int, full bool) {
		to := w[b*lanes*channels*taps+j:]
		if full {
			t.transpose(&to[0], &from[j*lanes], channels*taps, lanes)
			return
		}
		for o := range filters {
			for i := range width {
				to[o*channels*taps+i] = from[(j+i)*lanes+o]
			}
		}
	})
}

// tiles calls f for the weights of block b of filters, up to 16 numbers of each filter at a time:
// numbers j to j+width-1 of filters filters. full says whether both are 16.
func (t *Trunk) tiles(b, channels int, f func(j, width, filters int, full bool)) {
	filters := min(lanes, t.Filters-b*lanes)
	for j := 0; j < channels*taps; j += lanes {
		width := min(lanes, channels*taps-j)
		f(j, width, filters, width == lanes && filters == lanes)
	}
}

// rotate computes block c of filters of the weights of the convolution that maps the output's
// gradient to the input's: transposed and rotated. w are the weights of a layer with equal
// numbers of input and output channels.
func (t *Trunk) rotate(c int, w []float32) {
	padded := t.out * lanes
	for b := range t.out {
		for k := range taps {
			t.transpose(&t.rotated[((c*padded+b*lanes)*taps+taps-1-k)*lanes],
				&w[((b*padded+c*lanes)*taps+k)*lanes], taps*lanes, taps*lanes)
		}
	}
}

// pack transforms block b of filters of spread weights of n blocks of input channels.
func (t *Trunk) pack(worker, b int, w []float32, n int) {
	half := t.work[worker].half
	for c := 0; c < n*lanes; c += batch {
		u := t.packed[(b*n+c/lanes)*t.columnFloats()+c%lanes*lanes:]
		t.packRows(&half[0], &w[(b*n*lanes+c)*taps*lanes], &t.factor[0], 3*batch)
		t.packColumns.each(&t.geometry, u, half, batch)
	}
}

// unpack transforms block b of filters of the gradient of transformed weights back, to
// weightGradient.
func (t *Trunk) unpack(worker, b, n int) {
	half := t.work[worker].half
	for c := 0; c < n*lanes; c += batch {
		u := t.correlated[(b*n+c/lanes)*t.columnFloats()+c%lanes*lanes:]
		t.unpackColumns.each(&t.geometry, u, half, batch)
		t.unpackRows(&half[0], &t.weightGradient[(b*n*lanes+c)*taps*lanes], &t.factor[0], 3*batch)
	}
}

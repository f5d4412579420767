package training

import (
	"math"
	"unsafe"
)

var portableProducts = products{
	multiply: multiplyPortable,
	multiplyAhead: func(c, a, b *float32, n, aStep, bStep int, _ *uintptr) {
		multiplyPortable(c, a, b, n, aStep, bStep, false)
	},
	correlate:     correlatePortable,
	transpose:     transposePortable,
	finish:        finishPortable,
	finishPlain:   func(dst, y, coef *float32, n int) { finishPortable(dst, y, nil, coef, n) },
	gate:          gatePortable,
	deviations:    deviationsPortable,
	deviationsOf8: func(y, coef, stats *float32, n int) { deviationsPortable(y, coef, stats, 8*n) },
	adam:          adamPortable,
}

// tile is 16 lines of 16 numbers.
type tile [square]float32

func tileAt(p *float32, offset int) *tile {
	return (*tile)(unsafe.Add(unsafe.Pointer(p), offset*4))
}

// multiplyPortable keeps 2 lines × 4 columns in registers.
func multiplyPortable(c, a, b *float32, n, aStep, bStep int, add bool) {
	to := tileAt(c, 0)
	for r := 0; r < group; r += 2 {
		for j := 0; j < lanes; j += 4 {
			var s0, s1, s2, s3, t0, t1, t2, t3 float32
			for i := range n {
				x, y := tileAt(a, i*aStep), tileAt(b, i*bStep)
				p, q := x[r*lanes:][:lanes:lanes], x[(r+1)*lanes:][:lanes:lanes]
				for u := range lanes {
					w := (*[4]float32)(y[u*lanes+j:])
					v := p[u]
					s0 += v * w[0]
					s1 += v * w[1]
					s2 += v * w[2]
					s3 += v * w[3]
					v = q[u]
					t0 += v * w[0]
					t1 += v * w[1]
					t2 += v * w[2]
					t3 += v * w[3]
				}
			}
			first, second := (*[4]float32)(to[r*lanes+j:]), (*[4]float32)(to[(r+1)*lanes+j:])
			if add {
				s0, s1, s2, s3 = s0+first[0], s1+first[1], s2+first[2], s3+first[3]
				t0, t1, t2, t3 = t0+second[0], t1+second[1], t2+second[2], t3+second[3]
			}
			*first, *second = [4]float32{s0, s1, s2, s3}, [4]float32{t0, t1, t2, t3}
		}
	}
}

func correlatePortable(c, a, b *float32, n, aStep, bStep int, add bool) {
	to := tileAt(c, 0)
	for r := 0; r < lanes; r += 2 {
		for j := 0; j < lanes; j += 4 {
			var s0, s1, s2, s3, t0, t1, t2, t3 float32
			for i := range n {
				x, y := tileAt(a, i*aStep), tileAt(b, i*bStep)
				for u := range group {
					w, p := (*[4]float32)(y[u*lanes+j:]), (*[2]float32)(x[u*lanes+r:])
					v := p[0]
					s0 += v * w[0]
					s1 += v * w[1]
					s2 += v * w[2]
					s3 += v * w[3]
					v = p[1]
					t0 += v * w[0]
					t1 += v * w[1]
					t2 += v * w[2]
					t3 += v * w[3]
				}
			}
			first, second := (*[4]float32)(to[r*lanes+j:]), (*[4]float32)(to[(r+1)*lanes+j:])
			if add {
				s0, s1, s2, s3 = s0+first[0], s1+first[1], s2+first[2], s3+first[3]
				t0, t1, t2, t3 = t0+second[0], t1+second[1], t2+second[2], t3+second[3]
			}
			*first, *second = [4]float32{s0, s1, s2, s3}, [4]float32{t0, t1, t2, t3}
		}
	}
}

func transposePortable(dst, src *float32, dstStep, srcStep int) {
	from, to := view(src, 0, 15*srcStep+lanes), view(dst, 0, 15*dstStep+lanes)
	for i := range lanes {
		for j, v := range from[i*srcStep:][:lanes] {
			to[j*dstStep+i] = v
		}
	}
}

func finishPortable(dst, y, skip, coef *float32, n int) {
	size := n * lanes
	k, out, in, add := view(coef, 0, coefficients*lanes), view(dst, 0, size), view(y, 0, size),
		view(skip, 0, size)
	for i := 0; i < n*lanes; i += lanes {
		for c, v := range in[i : i+lanes] {
			v = (v-k[atMean+c])*k[atScale+c] + k[atShift+c]
			if add != nil {
				v += add[i+c]
			}
			out[i+c] = max(v, 0)
		}
	}
}

func gatePortable(d, g, a, y, coef, stats *float32, n int) {
	size := n * lanes
	k, sums := view(coef, 0, coefficients*lanes), view(stats, 0, 2*lanes)
	to, from, open, value := view(d, 0, size), view(g, 0, size), view(a, 0, size), view(y, 0, size)
	for i := 0; i < n*lanes; i += lanes {
		for c, v := range from[i : i+lanes] {
			if !(open[i+c] > 0) {
				v = 0
			}
			to[i+c] = v
			sums[c] += v
			sums[lanes+c] += v * (value[i+c] - k[atMean+c])
		}
	}
}

func deviationsPortable(y, coef, stats *float32, n int) {
	mean, sums, in := view(coef, atMean, lanes), view(stats, 0, 2*lanes), view(y, 0, n*lanes)
	for i := 0; i < n*lanes; i += lanes {
		for c, v := range in[i : i+lanes] {
			d := v - mean[c]
			sums[c] += d
			sums[lanes+c] += d * d
		}
	}
}

func adamPortable(w, first, second, gradient, constants *float32, n int) {
	var k [adamConstants]float32
	for i := range k {
		k[i] = view(constants, i*lanes, 1)[0]
	}
	weights, m, v := view(w, 0, n*lanes), view(first, 0, n*lanes), view(second, 0, n*lanes)
	for i, g := range view(gradient, 0, n*lanes) {
		g = g*k[adamScale] + weights[i]*k[adamDecay]
		m[i] += k[adamFirst] * (g - m[i])
		v[i] += k[adamSecond] * (g*g - v[i])
		weights[i] -= k[adamRate] * m[i] /
			(float32(math.Sqrt(float64(v[i]*k[adamCorrection]))) + k[adamEpsilon])
	}
}

package kernels

import "time"

// PeakFLOPS measures the floating-point operations a second of one core in
// multiplications and additions of float32 that wait for nothing: what no kernel of the
// path can exceed. It runs for d and takes the best of short bursts, for
// another program may hold the core for a while.
func (p *Path) PeakFLOPS(d time.Duration) float64 {
	const n = 1 << 16
	best := 0.0
	for start := time.Now(); ; {
		burst := time.Now()
		p.peak(n)
		best = max(best, n*p.peakFLOPs/time.Since(burst).Seconds())
		if time.Since(start) >= d {
			return best
		}
	}
}

const peakPortableFLOPs = 8 * 2

var peakSink float32

// peakPortable does n times eight scalar multiplications and additions.
func peakPortable(n int) {
	var a, b, c, d, e, f, g, h float32
	x, y := peakSink, peakSink
	for range n {
		a += float32(x * y)
		b += float32(x * a)
		c += float32(x * y)
		d += float32(x * c)
		e += float32(x * y)
		f += float32(x * e)
		g += float32(x * y)
		h += float32(x * g)
	}
	peakSink = a + b + c + d + e + f + g + h
}

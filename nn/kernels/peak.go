package kernels

import "time"

// PeakFLOPS measures the peak rate of one core, in floating-point operations per second, with
// independent float32 multiplications and additions; no kernel of the path can exceed it. It runs
// for d and returns the best of short bursts, since other programs may use the core meanwhile.
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

package main

import "tengen/nn/kernels/gen/internal/asm"

// Sizes of a tile in one dimension.
const (
	tileInputs  = 7
	tileTaps    = 3
	tileOutputs = 5
)

// points holds the positive points, in pairs with their negatives. Products 2i and 2i+1 belong to ±
// points[i], the last one to ∞.
var points = [3]float64{3. / 8, 7. / 8, 2}

// The matrices of one dimension.
var (
	tileInput  [tileInputs][tileInputs]float64
	tileWeight [tileInputs][tileTaps]float64
	tileOutput [tileOutputs][tileInputs]float64
)

func init() {
	for i, a := range points {
		q, s := otherPoints(i), pointScale(i)
		for k, a := range [2]float64{a, -a} {
			row := 2*i + k
			tileInput[row] = [tileInputs]float64{a * q[0], q[0], a * q[1], q[1], a, 1}
			tileWeight[row] = [tileTaps]float64{s, s * a, s * a * a}
			s = -s
			for power, j := 1., 0; j < tileOutputs; j++ {
				tileOutput[j][row] = power
				power *= a
			}
		}
	}
	q, a := otherPoints(0), points[0]*points[0]
	tileInput[tileInputs-1] = [tileInputs]float64{-a * q[0], 0, q[0] - a*q[1], 0, q[1] - a, 0, 1}
	tileWeight[tileInputs-1][tileTaps-1], tileOutput[tileOutputs-1][tileInputs-1] = 1, 1
}

// otherPoints returns the coefficients of 1 and u in (u − a²)(u − b²), for the points a and b other
// than points[i].
func otherPoints(i int) [2]float64 {
	a, b := points[(i+1)%3], points[(i+2)%3]
	return [2]float64{a * a * b * b, -a*a - b*b}
}

// pointScale returns 1 ÷ Π (x − b) over the points b other than x = points[i], and infinity. For −x
// it is the negative.
func pointScale(i int) float64 {
	a, q := points[i], otherPoints(i)
	return 1 / (2 * a * (q[0] + a*a*(q[1]+a*a)))
}

// winogradInput emits tileInput · x.
func winogradInput(p *asm.Program, x [tileInputs]asm.Value) (y [tileInputs]asm.Value) {
	for i, a := range points {
		q := otherPoints(i)
		even := fma(p, q[0], x[0], fma(p, q[1], x[2], x[4]))
		odd := fma(p, q[0], x[1], fma(p, q[1], x[3], x[5]))
		y[2*i], y[2*i+1] = fma(p, a, even, odd), fma(p, -a, even, odd)
	}
	last := tileInput[tileInputs-1]
	y[tileInputs-1] = fma(p, last[0], x[0], fma(p, last[2], x[2], fma(p, last[4], x[4], x[6])))
	return y
}

// winogradWeight emits tileWeight · w.
func winogradWeight(p *asm.Program, w [tileTaps]asm.Value) (y [tileInputs]asm.Value) {
	for i, a := range points {
		s := pointScale(i)
		even, odd := fma(p, s*a*a, w[2], p.Mul(p.Const(s), w[0])), p.Mul(p.Const(s*a), w[1])
		y[2*i], y[2*i+1] = p.Add(odd, even), p.Sub(odd, even)
	}
	y[tileInputs-1] = w[tileTaps-1]
	return y
}

// winogradOutput emits tileOutput · m.
func winogradOutput(p *asm.Program, m [tileInputs]asm.Value) (y [tileOutputs]asm.Value) {
	y[tileOutputs-1] = m[tileInputs-1]
	for i := range points {
		even, odd := p.Add(m[2*i], m[2*i+1]), p.Sub(m[2*i], m[2*i+1])
		for j := range y {
			part := even
			if j%2 == 1 {
				part = odd
			}
			if k := tileOutput[j][2*i]; k == 1 {
				y[j] = p.Add(part, y[j])
			} else {
				y[j] = fma(p, k, part, y[j])
			}
		}
	}
	return y
}

func fma(p *asm.Program, k float64, x, y asm.Value) asm.Value { return p.FMA(p.Const(k), x, y) }

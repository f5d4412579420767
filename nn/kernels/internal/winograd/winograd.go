package winograd

import "tengen/nn/kernels/internal/asm"

// Sizes of a tile in one dimension.
const (
	Inputs  = 7
	Taps    = 3
	Outputs = 5
)

// points holds the positive points, in pairs with their negatives. Products 2i and 2i+1 belong to ± points[i], the last one to ∞.
var points = [3]float64{3. / 8, 7. / 8, 2}

// The matrices of one dimension.
var (
	Input  [Inputs][Inputs]float64
	Weight [Inputs][Taps]float64
	Output [Outputs][Inputs]float64
)

func init() {
	for i, a := range points {
		q, s := others(i), scale(i)
		for k, a := range [2]float64{a, -a} {
			row := 2*i + k
			Input[row] = [Inputs]float64{a * q[0], q[0], a * q[1], q[1], a, 1}
			Weight[row] = [Taps]float64{s, s * a, s * a * a}
			s = -s
			for power, j := 1., 0; j < Outputs; j++ {
				Output[j][row] = power
				power *= a
			}
		}
	}
	q, a := others(0), points[0]*points[0]
	Input[Inputs-1] = [Inputs]float64{-a * q[0], 0, q[0] - a*q[1], 0, q[1] - a, 0, 1}
	Weight[Inputs-1][Taps-1], Output[Outputs-1][Inputs-1] = 1, 1
}

// others returns the coefficients of 1 and u in (u − a²)(u − b²), for the points a and b other than points[i].
func others(i int) [2]float64 {
	a, b := points[(i+1)%3], points[(i+2)%3]
	return [2]float64{a * a * b * b, -a*a - b*b}
}

// scale returns 1 ÷ Π (x − b) over the points b other than x = points[i], and infinity. For −x it is the negative.
func scale(i int) float64 {
	a, q := points[i], others(i)
	return 1 / (2 * a * (q[0] + a*a*(q[1]+a*a)))
}

// TransformInput emits Input · x.
func TransformInput(p *asm.Program, x [Inputs]asm.Value) (y [Inputs]asm.Value) {
	for i, a := range points {
		q := others(i)
		even := fma(p, q[0], x[0], fma(p, q[1], x[2], x[4]))
		odd := fma(p, q[0], x[1], fma(p, q[1], x[3], x[5]))
		y[2*i], y[2*i+1] = fma(p, a, even, odd), fma(p, -a, even, odd)
	}
	last := Input[Inputs-1]
	y[Inputs-1] = fma(p, last[0], x[0], fma(p, last[2], x[2], fma(p, last[4], x[4], x[6])))
	return y
}

// TransformWeight emits Weight · w.
func TransformWeight(p *asm.Program, w [Taps]asm.Value) (y [Inputs]asm.Value) {
	for i, a := range points {
		s := scale(i)
		even, odd := fma(p, s*a*a, w[2], p.Mul(p.Const(s), w[0])), p.Mul(p.Const(s*a), w[1])
		y[2*i], y[2*i+1] = p.Add(odd, even), p.Sub(odd, even)
	}
	y[Inputs-1] = w[Taps-1]
	return y
}

// TransformOutput emits Output · m.
func TransformOutput(p *asm.Program, m [Inputs]asm.Value) (y [Outputs]asm.Value) {
	y[Outputs-1] = m[Inputs-1]
	for i := range points {
		even, odd := p.Add(m[2*i], m[2*i+1]), p.Sub(m[2*i], m[2*i+1])
		for j := range y {
			part := even
			if j%2 == 1 {
				part = odd
			}
			if k := Output[j][2*i]; k == 1 {
				y[j] = p.Add(part, y[j])
			} else {
				y[j] = fma(p, k, part, y[j])
			}
		}
	}
	return y
}

func fma(p *asm.Program, k float64, x, y asm.Value) asm.Value { return p.FMA(p.Const(k), x, y) }

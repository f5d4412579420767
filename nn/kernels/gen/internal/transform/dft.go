package transform

import (
	"fmt"
	"math"

	"tengen/nn/kernels/gen/internal/asm"
)

// Complex is a complex number in a program.
type Complex struct{ Re, Im asm.Value }

type builder struct{ p *asm.Program }

func (b builder) add(x, y Complex) Complex {
	return Complex{b.p.Add(x.Re, y.Re), b.p.Add(x.Im, y.Im)}
}

func (b builder) sub(x, y Complex) Complex {
	return Complex{b.p.Sub(x.Re, y.Re), b.p.Sub(x.Im, y.Im)}
}

// addScaled returns x + k·y.
func (b builder) addScaled(x Complex, k float64, y Complex) Complex {
	return Complex{b.fma(k, y.Re, x.Re), b.fma(k, y.Im, x.Im)}
}

func (b builder) fma(k float64, y, x asm.Value) asm.Value { return b.p.FMA(b.p.Const(k), y, x) }

// timesI returns i·x.
func timesI(x Complex) Complex { return Complex{asm.Neg(x.Im), x.Re} }

func conj(x Complex) Complex { return Complex{x.Re, asm.Neg(x.Im)} }

// dft returns Σ x[n] exp(sign·2πi·kn/N) for each k; sign is −1 or 1.
func (b builder) dft(x []Complex, sign float64) []Complex {
	switch n := len(x); n {
	case 2:
		return []Complex{b.add(x[0], x[1]), b.sub(x[0], x[1])}
	case 3:
		return b.dft3(x, sign)
	case 4:
		return b.dft4(x, sign)
	case 5:
		return b.dft5(x, sign)
	case 6, 10:
		return b.twice(x, sign)
	case 8:
		return b.dft8(x, sign)
	case 12:
		return b.primeFactor(3, 4, x, sign)
	case 16:
		return b.dft16(x, sign)
	case 20:
		return b.primeFactor(4, 5, x, sign)
	default:
		panic(fmt.Sprintf("transform: no transform of length %d", n))
	}
}

func (b builder) dft3(x []Complex, sign float64) []Complex {
	t, d := b.add(x[1], x[2]), timesI(b.sub(x[1], x[2]))
	m := b.addScaled(x[0], -0.5, t)
	s := sign * math.Sqrt(3) / 2
	return []Complex{b.add(x[0], t), b.addScaled(m, s, d), b.addScaled(m, -s, d)}
}

func (b builder) dft4(x []Complex, sign float64) []Complex {
	s, d := b.add(x[0], x[2]), b.sub(x[0], x[2])
	t, e := b.add(x[1], x[3]), timesI(b.sub(x[1], x[3]))
	if sign < 0 {
		return []Complex{b.add(s, t), b.sub(d, e), b.sub(s, t), b.add(d, e)}
	}
	return []Complex{b.add(s, t), b.add(d, e), b.sub(s, t), b.sub(d, e)}
}

// fifths holds cos and sin of 2πk/5 for k = 1 and 2.
var fifths = [2]struct{ cos, sin float64 }{
	{math.Cos(2 * math.Pi / 5), math.Sin(2 * math.Pi / 5)},
	{math.Cos(4 * math.Pi / 5), math.Sin(4 * math.Pi / 5)},
}

func (b builder) dft5(x []Complex, sign float64) []Complex {
	t, u := b.add(x[1], x[4]), b.add(x[2], x[3])
	d, e := timesI(b.sub(x[1], x[4])), timesI(b.sub(x[2], x[3]))
	c1, c2 := fifths[0].cos, fifths[1].cos
	s1, s2 := sign*fifths[0].sin, sign*fifths[1].sin
	m := b.addScaled(b.addScaled(x[0], c1, t), c2, u)
	n := b.addScaled(b.addScaled(x[0], c2, t), c1, u)
	return []Complex{
		b.add(x[0], b.add(t, u)),
		b.addScaled(b.addScaled(m, s1, d), s2, e),
		b.addScaled(b.addScaled(n, s2, d), -s1, e),
		b.addScaled(b.addScaled(n, -s2, d), s1, e),
		b.addScaled(b.addScaled(m, -s1, d), -s2, e),
	}
}

// twice computes a transform of length 2m with m odd by the prime-factor algorithm (Good
// 1958, Thomas 1963): input n = 2i + mj is element (i, j) of an m×2 transform, and output k is
// its element (k mod m, k mod 2).
func (b builder) twice(x []Complex, sign float64) []Complex {
	m := len(x) / 2
	u, v := make([]Complex, m), make([]Complex, m)
	for n := range m {
		u[n] = b.add(x[2*n], x[(2*n+m)%(2*m)])
		v[n] = b.sub(x[2*n], x[(2*n+m)%(2*m)])
	}
	u, v = b.dft(u, sign), b.dft(v, sign)
	y := make([]Complex, 2*m)
	for k := range y {
		if k%2 == 0 {
			y[k] = u[k%m]
		} else {
			y[k] = v[k%m]
		}
	}
	return y
}

func (b builder) dft8(x []Complex, sign float64) []Complex {
	e := b.dft4([]Complex{x[0], x[2], x[4], x[6]}, sign)
	o := b.dft4([]Complex{x[1], x[3], x[5], x[7]}, sign)
	y := make([]Complex, 8)
	r := math.Sqrt2 / 2
	// The twiddles are 1, r(1 ± i), ±i, r(−1 ± i).
	rotate := func(z Complex) Complex {
		if sign < 0 {
			return Complex{z.Im, asm.Neg(z.Re)}
		}
		return timesI(z)
	}
	for k, w := range []struct {
		z     Complex
		scale float64
	}{
		{o[0], 1}, {b.add(o[1], rotate(o[1])), r}, {rotate(o[2]), 1},
		{b.sub(rotate(o[3]), o[3]), r},
	} {
		if w.scale == 1 {
			y[k], y[k+4] = b.add(e[k], w.z), b.sub(e[k], w.z)
		} else {
			y[k], y[k+4] = b.addScaled(e[k], w.scale, w.z), b.addScaled(e[k], -w.scale, w.z)
		}
	}
	return y
}

// dft16 combines the transforms of the even and of the odd elements (Cooley, Tukey 1965).
func (b builder) dft16(x []Complex, sign float64) []Complex {
	var even, odd []Complex
	for n := 0; n < 16; n += 2 {
		even, odd = append(even, x[n]), append(odd, x[n+1])
	}
	even, odd = b.dft8(even, sign), b.dft8(odd, sign)
	y := make([]Complex, 16)
	for k, e := range even {
		// cos + i·sin is exact for k = 0 and 4.
		sin, cos := math.Sincos(sign * math.Pi / 8 * float64(k))
		switch k {
		case 0:
			y[k], y[k+8] = b.add(e, odd[k]), b.sub(e, odd[k])
			continue
		case 4:
			z := timesI(odd[k])
			if y[k], y[k+8] = b.add(e, z), b.sub(e, z); sign < 0 {
				y[k], y[k+8] = y[k+8], y[k]
			}
			continue
		}
		z := timesI(odd[k])
		y[k] = b.addScaled(b.addScaled(e, cos, odd[k]), sin, z)
		y[k+8] = b.addScaled(b.addScaled(e, -cos, odd[k]), -sin, z)
	}
	return y
}

// primeFactor computes a transform of length l·m, which have no common divisor, by the prime-factor
// algorithm (Good 1958, Thomas 1963): input n = mi + lj is element (i, j) of an l×m transform, and
// output k is its element (k mod l, k mod m).
func (b builder) primeFactor(l, m int, x []Complex, sign float64) []Complex {
	rows := make([][]Complex, l)
	for i := range rows {
		line := make([]Complex, m)
		for j := range line {
			line[j] = x[(m*i+l*j)%(l*m)]
		}
		rows[i] = b.dft(line, sign)
	}
	columns := make([][]Complex, m)
	for j := range columns {
		line := make([]Complex, l)
		for i := range line {
			line[i] = rows[i][j]
		}
		columns[j] = b.dft(line, sign)
	}
	y := make([]Complex, l*m)
	for k := range y {
		y[k] = columns[k%m][k%l]
	}
	return y
}

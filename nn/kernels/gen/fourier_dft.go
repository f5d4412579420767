package main

import (
	"fmt"
	"math"

	"tengen/nn/kernels/gen/internal/asm"
)

// complexValue is a complex number in a program.
type complexValue struct{ Re, Im asm.Value }

type builder struct{ p *asm.Program }

func (b builder) add(x, y complexValue) complexValue {
	return complexValue{b.p.Add(x.Re, y.Re), b.p.Add(x.Im, y.Im)}
}

func (b builder) sub(x, y complexValue) complexValue {
	return complexValue{b.p.Sub(x.Re, y.Re), b.p.Sub(x.Im, y.Im)}
}

// addScaled returns x + k·y.
func (b builder) addScaled(x complexValue, k float64, y complexValue) complexValue {
	return complexValue{b.fma(k, y.Re, x.Re), b.fma(k, y.Im, x.Im)}
}

func (b builder) fma(k float64, y, x asm.Value) asm.Value { return b.p.FMA(b.p.Const(k), y, x) }

// timesI returns i·x.
func timesI(x complexValue) complexValue { return complexValue{asm.Neg(x.Im), x.Re} }

func conj(x complexValue) complexValue { return complexValue{x.Re, asm.Neg(x.Im)} }

// dft returns Σ x[n] exp(sign·2πi·kn/N) for each k; sign is −1 or 1.
func (b builder) dft(x []complexValue, sign float64) []complexValue {
	switch n := len(x); n {
	case 2:
		return []complexValue{b.add(x[0], x[1]), b.sub(x[0], x[1])}
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

func (b builder) dft3(x []complexValue, sign float64) []complexValue {
	t, d := b.add(x[1], x[2]), timesI(b.sub(x[1], x[2]))
	m := b.addScaled(x[0], -0.5, t)
	s := sign * math.Sqrt(3) / 2
	return []complexValue{b.add(x[0], t), b.addScaled(m, s, d), b.addScaled(m, -s, d)}
}

func (b builder) dft4(x []complexValue, sign float64) []complexValue {
	s, d := b.add(x[0], x[2]), b.sub(x[0], x[2])
	t, e := b.add(x[1], x[3]), timesI(b.sub(x[1], x[3]))
	if sign < 0 {
		return []complexValue{b.add(s, t), b.sub(d, e), b.sub(s, t), b.add(d, e)}
	}
	return []complexValue{b.add(s, t), b.add(d, e), b.sub(s, t), b.sub(d, e)}
}

// fifths holds cos and sin of 2πk/5 for k = 1 and 2.
var fifths = [2]struct{ cos, sin float64 }{
	{math.Cos(2 * math.Pi / 5), math.Sin(2 * math.Pi / 5)},
	{math.Cos(4 * math.Pi / 5), math.Sin(4 * math.Pi / 5)},
}

func (b builder) dft5(x []complexValue, sign float64) []complexValue {
	t, u := b.add(x[1], x[4]), b.add(x[2], x[3])
	d, e := timesI(b.sub(x[1], x[4])), timesI(b.sub(x[2], x[3]))
	c1, c2 := fifths[0].cos, fifths[1].cos
	s1, s2 := sign*fifths[0].sin, sign*fifths[1].sin
	m := b.addScaled(b.addScaled(x[0], c1, t), c2, u)
	n := b.addScaled(b.addScaled(x[0], c2, t), c1, u)
	return []complexValue{
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
func (b builder) twice(x []complexValue, sign float64) []complexValue {
	m := len(x) / 2
	u, v := make([]complexValue, m), make([]complexValue, m)
	for n := range m {
		u[n] = b.add(x[2*n], x[(2*n+m)%(2*m)])
		v[n] = b.sub(x[2*n], x[(2*n+m)%(2*m)])
	}
	u, v = b.dft(u, sign), b.dft(v, sign)
	y := make([]complexValue, 2*m)
	for k := range y {
		if k%2 == 0 {
			y[k] = u[k%m]
		} else {
			y[k] = v[k%m]
		}
	}
	return y
}

func (b builder) dft8(x []complexValue, sign float64) []complexValue {
	e := b.dft4([]complexValue{x[0], x[2], x[4], x[6]}, sign)
	o := b.dft4([]complexValue{x[1], x[3], x[5], x[7]}, sign)
	y := make([]complexValue, 8)
	r := math.Sqrt2 / 2
	// The twiddles are 1, r(1 ± i), ±i, r(−1 ± i).
	rotate := func(z complexValue) complexValue {
		if sign < 0 {
			return complexValue{z.Im, asm.Neg(z.Re)}
		}
		return timesI(z)
	}
	for k, w := range []struct {
		z     complexValue
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
func (b builder) dft16(x []complexValue, sign float64) []complexValue {
	var even, odd []complexValue
	for n := 0; n < 16; n += 2 {
		even, odd = append(even, x[n]), append(odd, x[n+1])
	}
	even, odd = b.dft8(even, sign), b.dft8(odd, sign)
	y := make([]complexValue, 16)
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
func (b builder) primeFactor(l, m int, x []complexValue, sign float64) []complexValue {
	rows := make([][]complexValue, l)
	for i := range rows {
		line := make([]complexValue, m)
		for j := range line {
			line[j] = x[(m*i+l*j)%(l*m)]
		}
		rows[i] = b.dft(line, sign)
	}
	columns := make([][]complexValue, m)
	for j := range columns {
		line := make([]complexValue, l)
		for i := range line {
			line[i] = rows[i][j]
		}
		columns[j] = b.dft(line, sign)
	}
	y := make([]complexValue, l*m)
	for k := range y {
		y[k] = columns[k%m][k%l]
	}
	return y
}

// real returns the real signal
//
//	y[n] = x[0].Re + (−1)ⁿ x[N/2].Re + Σ (x[k].Re cos 2πkn/N − x[k].Im sin 2πkn/N), 0 < k < N/2
//
// for x of length N/2 + 1. This is the inverse transform without its scale and without the
// factor 2 for the conjugate frequencies, which the caller applies.
func (b builder) real(x []complexValue) []asm.Value {
	p := b.p
	switch n := 2 * (len(x) - 1); n {
	case 4:
		s, d := p.Add(x[0].Re, x[2].Re), p.Sub(x[0].Re, x[2].Re)
		return []asm.Value{
			p.Add(s, x[1].Re), p.Sub(d, x[1].Im), p.Sub(s, x[1].Re), p.Add(d, x[1].Im),
		}
	case 6, 10:
		// The even frequencies have period m = N/2. The odd frequencies k are the even
		// frequencies m−k of the conjugate, times (−1)ⁿ.
		m := n / 2
		var even, odd []complexValue
		for k := 2; k < m; k += 2 {
			even = append(even, x[k])
			odd = append(odd, conj(x[m-k]))
		}
		u, v := b.realOdd(x[0].Re, even), b.realOdd(x[m].Re, odd)
		y := make([]asm.Value, n)
		for i := range y {
			if i%2 == 0 {
				y[i] = p.Add(u[i%m], v[i%m])
			} else {
				y[i] = p.Sub(u[i%m], v[i%m])
			}
		}
		return y
	case 8:
		s, d := p.Add(x[0].Re, x[4].Re), p.Sub(x[0].Re, x[4].Re)
		s0, s1 := p.Add(s, x[2].Re), p.Sub(s, x[2].Re)
		d0, d1 := p.Sub(d, x[2].Im), p.Add(d, x[2].Im)
		rs, rd := p.Add(x[1].Re, x[3].Re), p.Sub(x[1].Re, x[3].Re)
		is, id := p.Add(x[1].Im, x[3].Im), p.Sub(x[1].Im, x[3].Im)
		r := math.Sqrt2 / 2
		f, g := p.Sub(rd, is), p.Add(rd, is)
		return []asm.Value{
			p.Add(s0, rs), b.fma(r, f, d0), p.Sub(s1, id), b.fma(-r, g, d1),
			p.Sub(s0, rs), b.fma(-r, f, d0), p.Add(s1, id), b.fma(r, g, d1),
		}
	case 12:
		// The even frequencies have period 6; the odd ones change sign after 6.
		even := b.real([]complexValue{x[0], x[2], x[4], x[6]})
		odd := b.oddTwelfths(x[1], x[3], x[5])
		y := make([]asm.Value, n)
		for i := range even {
			y[i], y[i+6] = p.Add(even[i], odd[i]), p.Sub(even[i], odd[i])
		}
		return y
	case 16:
		// The even frequencies have period 8; the odd ones change sign after 8.
		even := b.real([]complexValue{x[0], x[2], x[4], x[6], x[8]})
		odd := b.oddSixteenths(x[1], x[3], x[5], x[7])
		y := make([]asm.Value, n)
		for i := range even {
			y[i], y[i+8] = p.Add(even[i], odd[i]), p.Sub(even[i], odd[i])
		}
		return y
	case 20:
		// The prime-factor algorithm (primeFactor) with 4×5. Frequency k is element (k mod 4, k mod
		// 5), and that of -k the conjugate. So the rows 0 and 2 are spectra of real signals, row 3
		// is that of row 1, and the columns are.
		zero, two := b.realOdd(x[0].Re, []complexValue{conj(x[4]), conj(x[8])}),
			b.realOdd(x[10].Re, []complexValue{x[6], x[2]})
		one := b.dft5([]complexValue{x[5], x[1], conj(x[3]), conj(x[7]), x[9]}, 1)
		y := make([]asm.Value, n)
		for i := range one {
			for j, v := range b.real([]complexValue{{Re: zero[i]}, one[i], {Re: two[i]}}) {
				y[(4*i+5*j)%n] = v
			}
		}
		return y
	default:
		panic(fmt.Sprintf("transform: no real transform of length %d", n))
	}
}

// oddTwelfths returns the sum in real over the frequencies 1, 3 and 5 of 12, for n from 0 to 5.
// Since exp(2πi·5n/12) is (−1)ⁿ times the conjugate of exp(2πi·n/12), the first and the last
// frequency combine into one sum for even n and one difference for odd n.
func (b builder) oddTwelfths(x1, x3, x5 complexValue) []asm.Value {
	p := b.p
	u, v := b.add(x1, conj(x5)), b.sub(x1, conj(x5))
	s := math.Sqrt(3) / 2
	h2, h4 := b.fma(0.5, u.Re, asm.Neg(x3.Re)), b.fma(-0.5, u.Re, x3.Re)
	h := b.fma(-0.5, v.Im, asm.Neg(x3.Im))
	return []asm.Value{
		p.Add(u.Re, x3.Re),
		b.fma(s, v.Re, h),
		b.fma(-s, u.Im, h2),
		p.Sub(x3.Im, v.Im),
		b.fma(-s, u.Im, h4),
		b.fma(-s, v.Re, h),
	}
}

// oddSixteenths returns the sum in real over the frequencies 1, 3, 5 and 7 of 16, for n from 0 to
// 7. Since exp(2πi·(8−k)n/16) is (−1)ⁿ times the conjugate of exp(2πi·kn/16), two frequencies
// combine into one sum for even n and one difference for odd n.
func (b builder) oddSixteenths(x1, x3, x5, x7 complexValue) []asm.Value {
	p := b.p
	u1, v1, u3, v3 := b.add(x1, conj(x7)), b.sub(x1, conj(x7)), b.add(x3, conj(x5)),
		b.sub(x3, conj(x5))
	r := math.Sqrt2 / 2
	y := make([]asm.Value, 8)
	y[0] = p.Add(u1.Re, u3.Re)
	y[4] = p.Sub(u3.Im, u1.Im)
	d, e := p.Sub(u1.Re, u3.Re), p.Add(u1.Im, u3.Im)
	y[2] = p.Mul(p.Const(r), p.Sub(d, e))
	y[6] = p.Mul(p.Const(-r), p.Add(d, e))
	for n := 1; n < 8; n += 2 {
		s1, c1 := math.Sincos(math.Pi / 8 * float64(n))
		s3, c3 := math.Sincos(math.Pi / 8 * float64(3*n%16))
		y[n] = b.fma(-s3, v3.Im, b.fma(c3, v3.Re, b.fma(-s1, v1.Im, p.Mul(p.Const(c1), v1.Re))))
	}
	return y
}

// realOdd returns the signal of real for the odd lengths 3 and 5, where z[j] has frequency j+1.
func (b builder) realOdd(x0 asm.Value, z []complexValue) []asm.Value {
	p := b.p
	if len(z) == 1 {
		h, s := b.fma(-0.5, z[0].Re, x0), math.Sqrt(3)/2
		return []asm.Value{p.Add(x0, z[0].Re), b.fma(-s, z[0].Im, h), b.fma(s, z[0].Im, h)}
	}
	c1, s1, c2, s2 := fifths[0].cos, fifths[0].sin, fifths[1].cos, fifths[1].sin
	f := b.fma(c2, z[1].Re, b.fma(c1, z[0].Re, x0))
	g := b.fma(c1, z[1].Re, b.fma(c2, z[0].Re, x0))
	return []asm.Value{
		p.Add(p.Add(x0, z[0].Re), z[1].Re),
		b.fma(-s2, z[1].Im, b.fma(-s1, z[0].Im, f)),
		b.fma(s1, z[1].Im, b.fma(-s2, z[0].Im, g)),
		b.fma(-s1, z[1].Im, b.fma(s2, z[0].Im, g)),
		b.fma(s2, z[1].Im, b.fma(s1, z[0].Im, f)),
	}
}

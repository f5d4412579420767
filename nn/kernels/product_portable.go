package kernels

import "unsafe"

var productsPortable = [...]func(c, a, b *float32, s *shape){
	nil,
	func(c, a, b *float32, s *shape) { productPortable(4, c, a, b, s) },
	func(c, a, b *float32, s *shape) { productPortable(8, c, a, b, s) },
	func(c, a, b *float32, s *shape) { productPortable(12, c, a, b, s) },
	func(c, a, b *float32, s *shape) { productPortable(16, c, a, b, s) },
}

// productPortable computes the products of shape for A with the given number of rows. It computes
// 2×2 numbers at a time: with more sums the compiler runs out of registers. Each sum
// adds its terms in order.
func productPortable(rows int, c, a, b *float32, s *shape) {
	terms := unsafe.Slice(s.terms, s.count)
	for i := range s.outer {
		by := unsafe.Add(unsafe.Pointer(b), i*s.bOuter)
		for j := range s.inner {
			to := unsafe.Add(unsafe.Pointer(c), i*s.cOuter+j*s.cInner)
			from := unsafe.Add(unsafe.Pointer(a), i*s.aOuter+j*s.aInner)
			for row := 0; row < rows; row += 2 {
				at := row * lanes * size
				out := (*[2 * lanes]float32)(unsafe.Add(to, at))
				for column := 0; column < lanes; column += 2 {
					out[column], out[column+1], out[lanes+column], out[lanes+column+1] = tile(unsafe.Add(from, at), unsafe.Add(by, column*size), terms)
				}
			}
		}
	}
}

// tile computes two columns of two rows. Pointers to arrays of constant length avoid bounds
// checks in the loop.
func tile(from, by unsafe.Pointer, terms []term) (p0, p1, q0, q1 float32) {
	for _, t := range terms {
		p, q := (*[lanes]float32)(unsafe.Add(from, t.a)), (*[lanes]float32)(unsafe.Add(from, t.a+lanes*size))
		b := unsafe.Add(by, t.b)
		for k := 0; k < lanes; k += 2 {
			x, y := (*[2]float32)(unsafe.Add(b, k*lanes*size)), (*[2]float32)(unsafe.Add(b, (k+1)*lanes*size))
			p0 += float32(p[k] * x[0])
			p1 += float32(p[k] * x[1])
			q0 += float32(q[k] * x[0])
			q1 += float32(q[k] * x[1])
			p0 += float32(p[k+1] * y[0])
			p1 += float32(p[k+1] * y[1])
			q0 += float32(q[k+1] * y[0])
			q1 += float32(q[k+1] * y[1])
		}
	}
	return p0, p1, q0, q1
}

package kernels

import "unsafe"

// productsPortable are the products of 1 to 16 rows.
var productsPortable = func() (list []func(c, a, b *float32, s *shape)) {
	for r := range groupRows {
		list = append(list, func(c, a, b *float32, s *shape) { productPortable(r+1, c, a, b, s) })
	}
	return list
}()

// productPortable computes the products of shape for A with the given number of rows. It computes
// 2×2 numbers at a time, and 1×4 of the last row if it is alone: with more sums the compiler runs
// out of registers. Each sum adds its terms in order.
func productPortable(rows int, c, a, b *float32, s *shape) {
	terms := unsafe.Slice(s.terms, s.count)
	for i := range s.outer {
		by := unsafe.Add(unsafe.Pointer(b), i*s.bOuter)
		for j := range s.inner {
			to := unsafe.Add(unsafe.Pointer(c), i*s.cOuter+j*s.cInner)
			from := unsafe.Add(unsafe.Pointer(a), i*s.aOuter+j*s.aInner)
			for row := 0; row < rows; row += 2 {
				at := row * lanes * size
				if row == rows-1 {
					out := (*[lanes]float32)(unsafe.Add(to, at))
					for column := 0; column < lanes; column += 4 {
						out[column],
							out[column+1], out[column+2], out[column+3] = line(unsafe.Add(from, at),
							unsafe.Add(by, column*size), terms)
					}
					continue
				}
				out := (*[2 * lanes]float32)(unsafe.Add(to, at))
				for column := 0; column < lanes; column += 2 {
					out[column],
						out[column+1],
						out[lanes+column],
						out[lanes+column+1] = tile(unsafe.Add(from, at),
						unsafe.Add(by, column*size), terms)
				}
			}
		}
	}
}

// tile computes two columns of two rows. Pointers to arrays of constant length avoid bounds
// checks in the loop.
func tile(from, by unsafe.Pointer, terms []term) (p0, p1, q0, q1 float32) {
	for _, t := range terms {
		p, q := (*[lanes]float32)(unsafe.Add(from, t.a)),
			(*[lanes]float32)(unsafe.Add(from, t.a+lanes*size))
		b := unsafe.Add(by, t.b)
		for k := 0; k < lanes; k += 2 {
			x, y := (*[2]float32)(unsafe.Add(b, k*lanes*size)),
				(*[2]float32)(unsafe.Add(b, (k+1)*lanes*size))
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

// line computes four columns of one row.
func line(from, by unsafe.Pointer, terms []term) (p, q, r, s float32) {
	for _, t := range terms {
		a, b := (*[lanes]float32)(unsafe.Add(from, t.a)), unsafe.Add(by, t.b)
		for k, x := range a {
			y := (*[4]float32)(unsafe.Add(b, k*lanes*size))
			p += float32(x * y[0])
			q += float32(x * y[1])
			r += float32(x * y[2])
			s += float32(x * y[3])
		}
	}
	return p, q, r, s
}

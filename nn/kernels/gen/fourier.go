package main

import (
	"fmt"
	"math"
)

// frequency is one frequency whose product is computed.
type frequency struct {
	Ky, Kx    int
	isComplex bool // whether the transform is complex; otherwise it is real
	// Index is that of its product, or of the first of its three, whose left
	// factors are a+b, a and b for an input's transform a+ib.
	Index int
}

// fourier is a transform of length Ly × Lx, both even.
type fourier struct {
	Ly, Lx      int
	Frequencies []frequency // the four real ones first
	Products    int
}

// newFourier returns a transform. It panics unless the lengths are even and at least 2.
func newFourier(ly, lx int) *fourier {
	if ly < 2 || lx < 2 || ly%2 != 0 || lx%2 != 0 {
		panic(fmt.Sprintf("fourier: lengths %d×%d; even ones from 2 are wanted", ly, lx))
	}
	d := &fourier{Ly: ly, Lx: lx}
	add := func(ky, kx int, isComplex bool) {
		d.Frequencies = append(d.Frequencies, frequency{ky, kx, isComplex, d.Products})
		d.Products++
		if isComplex {
			d.Products += 2
		}
	}
	for _, kx := range []int{0, lx / 2} {
		for _, ky := range []int{0, ly / 2} {
			add(ky, kx, false)
		}
	}
	for _, kx := range []int{0, lx / 2} {
		for ky := 1; ky < ly/2; ky++ {
			add(ky, kx, true)
		}
	}
	for kx := 1; kx < lx/2; kx++ {
		for ky := range ly {
			add(ky, kx, true)
		}
	}
	return d
}

// fourierLengths are the supported lengths of transforms, ascending.
var fourierLengths = []int{4, 6, 8, 10, 12, 16, 20}

// fourierFor returns the smallest transform in which the convolution on a board is exact, or false
// if a side is too long.
func fourierFor(height, width int) (*fourier, bool) {
	ly, lx := fourierLength(height), fourierLength(width)
	if ly == 0 || lx == 0 {
		return nil, false
	}
	return newFourier(ly, lx), true
}

func fourierLength(side int) int {
	for _, l := range fourierLengths {
		if l > side {
			return l
		}
	}
	return 0
}

// phase returns 2π(ky·y/Ly + kx·x/Lx).
func (d *fourier) phase(f frequency, y, x int) float64 {
	return 2 * math.Pi *
		(float64(mod(f.Ky*y, d.Ly))/float64(d.Ly) + float64(mod(f.Kx*x, d.Lx))/float64(d.Lx))
}

func mod(a, n int) int { return ((a % n) + n) % n }

func matrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// inputMatrix returns the matrix from a board [height·width] to the left factors of the products.
func (d *fourier) inputMatrix(height, width int) [][]float64 {
	m := matrix(d.Products, height*width)
	for _, f := range d.Frequencies {
		for y := range height {
			for x := range width {
				t, cell := d.phase(f, y, x), y*width+x
				re, im := math.Cos(t), -math.Sin(t)
				if !f.isComplex {
					m[f.Index][cell] = re
					continue
				}
				m[f.Index][cell], m[f.Index+1][cell], m[f.Index+2][cell] = re+im, re, im
			}
		}
	}
	return m
}

// weightMatrix returns the matrix from a kernel's nine taps to the right factors of the products.
// It includes the scale of the inverse transform.
func (d *fourier) weightMatrix() [][]float64 {
	m := matrix(d.Products, 9)
	for _, f := range d.Frequencies {
		for tap := range 9 {
			// In a cross-correlation tap t reads the cell at distance t−1, so it is at 1−t of the
			// convolution's kernel.
			t := d.phase(f, 1-tap/3, 1-tap%3)
			scale := 1 / float64(d.Ly*d.Lx)
			re, im := math.Cos(t)*scale, -math.Sin(t)*scale
			if !f.isComplex {
				m[f.Index][tap] = re
				continue
			}
			re, im = 2*re, 2*im
			m[f.Index][tap], m[f.Index+1][tap], m[f.Index+2][tap] = re, im-re, re+im
		}
	}
	return m
}

// outputMatrix returns the matrix from the products to a board [height·width].
func (d *fourier) outputMatrix(height, width int) [][]float64 {
	m := matrix(height*width, d.Products)
	for _, f := range d.Frequencies {
		for y := range height {
			for x := range width {
				t, row := d.phase(f, y, x), m[y*width+x]
				cos, sin := math.Cos(t), math.Sin(t)
				if !f.isComplex {
					row[f.Index] = cos
					continue
				}
				// re·cos − im·sin with re = p − r, im = p + q.
				row[f.Index], row[f.Index+1], row[f.Index+2] = cos-sin, -sin, -cos
			}
		}
	}
	return m
}

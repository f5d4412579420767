package training

import "math"

// excitedBlock is squeeze-and-excitation by definition, in float64: of the dense layers squeeze, scale and
// shift, in this order.
type excitedBlock struct {
	weight, bias   [3][]float64
	dWeight, dBias [3][]float64

	in             []float64   // of forward
	mean, h        [][]float64 // by row
	factors, shift [][]float64
}

// dense computes one of the layers.
func (e *excitedBlock) dense(which int, x []float64) []float64 {
	y := make([]float64, len(e.bias[which]))
	for o := range y {
		y[o] = e.bias[which][o]
		for i, v := range x {
			y[o] += e.weight[which][o*len(x)+i] * v
		}
	}
	return y
}

// back adds to a layer's gradients and returns that of its input x.
func (e *excitedBlock) back(which int, x, dy []float64) []float64 {
	dx := make([]float64, len(x))
	for o, d := range dy {
		e.dBias[which][o] += d
		for i, v := range x {
			e.dWeight[which][o*len(x)+i] += d * v
			dx[i] += d * e.weight[which][o*len(x)+i]
		}
	}
	return dx
}

// forward maps z [row, cell, channel].
func (e *excitedBlock) forward(s *Shape, z []float64) []float64 {
	e.in, e.mean, e.h, e.factors, e.shift = z, nil, nil, nil, nil
	cells := s.Height * s.Width
	y := make([]float64, len(z))
	for row := range s.Rows {
		mean := make([]float64, s.Filters)
		from := row * cells * s.Filters
		for j := range cells * s.Filters {
			mean[j%s.Filters] += z[from+j] / float64(cells)
		}
		h := e.dense(0, mean)
		for i := range h {
			h[i] = max(h[i], 0)
		}
		factors, shift := e.dense(1, h), e.dense(2, h)
		for c := range factors {
			factors[c] = 1 / (1 + math.Exp(-factors[c]))
		}
		for j := range cells * s.Filters {
			y[from+j] = z[from+j]*factors[j%s.Filters] + shift[j%s.Filters]
		}
		e.mean, e.h, e.factors, e.shift = append(e.mean, mean), append(e.h, h), append(e.factors, factors), append(e.shift, shift)
	}
	return y
}

// backward returns the gradient of z, given that of the result, and sets those of the layers.
func (e *excitedBlock) backward(s *Shape, dy []float64) []float64 {
	for i := range e.weight {
		e.dWeight[i], e.dBias[i] = make([]float64, len(e.weight[i])), make([]float64, len(e.bias[i]))
	}
	cells := s.Height * s.Width
	dz := make([]float64, len(dy))
	for row := range s.Rows {
		from := row * cells * s.Filters
		dFactors, dShift := make([]float64, s.Filters), make([]float64, s.Filters)
		for j := range cells * s.Filters {
			dFactors[j%s.Filters] += dy[from+j] * e.in[from+j]
			dShift[j%s.Filters] += dy[from+j]
		}
		for c, f := range e.factors[row] {
			dFactors[c] *= f * (1 - f)
		}
		dh := e.back(1, e.h[row], dFactors)
		for i, d := range e.back(2, e.h[row], dShift) {
			dh[i] += d
			if e.h[row][i] <= 0 {
				dh[i] = 0
			}
		}
		dMean := e.back(0, e.mean[row], dh)
		for j := range cells * s.Filters {
			dz[from+j] = dy[from+j]*e.factors[row][j%s.Filters] + dMean[j%s.Filters]/float64(cells)
		}
	}
	return dz
}

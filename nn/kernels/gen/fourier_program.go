package main

import (
	"tengen/nn/kernels/gen/internal/asm"
)

// dft returns Σ x[n] exp(sign·2πi·kn/N) for each k, where sign is −1 or 1.
func dft(p *asm.Program, x []complexValue, sign float64) []complexValue {
	return builder{p}.dft(x, sign)
}

// realSignal returns the real signal of length N whose frequencies 0 to N/2 are x, without the
// scale of the inverse transform and without the factor 2 for the conjugate frequencies.
func realSignal(p *asm.Program, x []complexValue) []asm.Value { return builder{p}.real(x) }

// spectrumOf computes the transform of a real signal [Ly, Lx], whose elements cell returns (the
// zero Value for padding). The returned function gives the transform at a
// frequency with kx from 0 to Lx/2.
func spectrumOf(
	p *asm.Program, d *fourier, cell func(y, x int) asm.Value,
) func(ky, kx int) complexValue {
	b := builder{p}
	rows := make([][]complexValue, d.Ly)
	for y := range rows {
		row := make([]complexValue, d.Lx)
		empty := true
		for x := range row {
			row[x].Re = cell(y, x)
			empty = empty && row[x].Re.IsZero()
		}
		if !empty {
			row = b.dft(row, -1)
		}
		rows[y] = row
	}
	columns := map[int][]complexValue{}
	return func(ky, kx int) complexValue {
		if _, ok := columns[kx]; !ok {
			column := make([]complexValue, d.Ly)
			for y := range column {
				column[y] = rows[y][kx]
			}
			columns[kx] = b.dft(column, -1)
		}
		return columns[kx][ky]
	}
}

// synthesize computes the real signal Σ Re(at(f)·exp(i·phase)) over the transform's frequencies,
// and calls row for each element of lines with that line's Lx values.
func synthesize(
	p *asm.Program, d *fourier, at func(f frequency) complexValue, lines []int,
	row func(y int, values []asm.Value),
) {
	b := builder{p}
	columns := make([][]complexValue, d.Lx/2+1) // [kx][y]
	for _, kx := range []int{0, d.Lx / 2} {
		x := make([]complexValue, d.Ly/2+1)
		for _, f := range d.Frequencies {
			if f.Kx == kx {
				x[f.Ky] = at(f)
			}
		}
		for _, v := range b.real(x) {
			columns[kx] = append(columns[kx], complexValue{Re: v})
		}
	}
	for kx := 1; kx < d.Lx/2; kx++ {
		x := make([]complexValue, d.Ly)
		for _, f := range d.Frequencies {
			if f.Kx == kx {
				x[f.Ky] = at(f)
			}
		}
		columns[kx] = b.dft(x, 1)
	}
	for _, y := range lines {
		x := make([]complexValue, d.Lx/2+1)
		for kx := range x {
			x[kx] = columns[kx][y]
		}
		row(y, b.real(x))
	}
}

// fourierInput emits the left factors of the products, as fourier.inputMatrix defines them. cell
// returns the board's values, and the zero Value off the board.
func fourierInput(
	p *asm.Program, d *fourier, cell func(y, x int) asm.Value, emit func(q int, v asm.Value),
) {
	at := spectrumOf(p, d, cell)
	for _, f := range d.Frequencies {
		v := at(f.Ky, f.Kx)
		if !f.isComplex {
			emit(f.Index, v.Re)
			continue
		}
		emit(f.Index+1, v.Re)
		emit(f.Index+2, v.Im)
		emit(f.Index, p.Add(v.Re, v.Im))
	}
}

// fourierWeight emits the right factors of the products, as fourier.weightMatrix defines them.
// Those of a complex frequency are c, d−c and c+d for the transform c+id.
func fourierWeight(
	p *asm.Program, d *fourier, tap func(t int) asm.Value, emit func(q int, v asm.Value),
) {
	scale := p.Const(2 / float64(d.Ly*d.Lx))
	at := spectrumOf(p, d, func(y, x int) asm.Value {
		if t, ok := tapAt(d, y, x); ok {
			return p.Mul(scale, tap(t))
		}
		return asm.Value{}
	})
	for _, f := range d.Frequencies {
		v := at(f.Ky, f.Kx)
		if !f.isComplex {
			emit(f.Index, p.Mul(p.Const(0.5), v.Re))
			continue
		}
		emit(f.Index, v.Re)
		emit(f.Index+1, p.Sub(v.Im, v.Re))
		emit(f.Index+2, p.Add(v.Re, v.Im))
	}
}

// tapAt returns the tap of a 3×3 kernel at a place of the cyclic signal whose convolution
// with the board is the cross-correlation, or false if there is none.
func tapAt(d *fourier, y, x int) (int, bool) {
	ty, tx := (1-y+d.Ly)%d.Ly, (1-x+d.Lx)%d.Lx
	return 3*ty + tx, ty < 3 && tx < 3
}

// fourierOutput emits the board's lines from the products, as fourier.outputMatrix defines them.
// values has Lx elements, of which the first are the board's.
func fourierOutput(
	p *asm.Program, d *fourier, product func(q int) asm.Value, height int,
	row func(y int, values []asm.Value),
) {
	lines := make([]int, height)
	for y := range lines {
		lines[y] = y
	}
	synthesize(p, d, func(f frequency) complexValue {
		if !f.isComplex {
			return complexValue{Re: product(f.Index)}
		}
		v := product(f.Index)
		return complexValue{p.Sub(v, product(f.Index+2)), p.Add(v, product(f.Index+1))}
	}, lines, row)
}

package training

import "tengen/nn/kernels"

// Generated reports whether a path has generated kernels in this package. The portable ones are a
// reference, no faster than an ordinary library's products.
func Generated(p *kernels.Path) bool {
	_, ok := generated[p.String()]
	return ok
}

// loopsOf returns the loops of a path for a board, in plain Go if none are generated.
func loopsOf(p *kernels.Path, g *geometry) *loops {
	if g.point() {
		return pointLoops(productsOf(p))
	}
	if t, ok := generated[p.String()]; ok {
		return t.loops(g)
	}
	return portable(g)
}

// productsOf returns the products of a path, in plain Go if none are generated.
func productsOf(p *kernels.Path) *products {
	if t, ok := generated[p.String()]; ok {
		return &t.products
	}
	return &portableProducts
}

// table lists generated kernels by the side of a board or the length of a transform.
type table struct {
	rowsIn                     [inputs][maxSide + 1]rowsInFunc
	rowsOut                    [outputs][maxSide + 1]rowsOutFunc
	columnsIn, columnsOut      [maxSide + 1]columns
	packRows, unpackRows       map[int]packRowsFunc
	packColumns, unpackColumns map[int]columns
	products                   products
}

// loops returns the kernels of a board.
func (t *table) loops(g *geometry) *loops {
	k := &loops{
		columnsIn: t.columnsIn[g.height], columnsOut: t.columnsOut[g.height],
		packRows: t.packRows[g.lx], unpackRows: t.unpackRows[g.lx],
		packColumns: t.packColumns[g.ly], unpackColumns: t.unpackColumns[g.ly],
		products: &t.products,
	}
	for v := range k.rowsIn {
		k.rowsIn[v] = t.rowsIn[v][g.width]
	}
	for v := range k.rowsOut {
		k.rowsOut[v] = t.rowsOut[v][g.width]
	}
	return k
}

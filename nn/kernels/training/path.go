package training

import "tengen/nn/kernels"

// Generated tells whether a path has loops of its own here. The portable ones are a reference, not
// faster than an ordinary library's products.
func Generated(p *kernels.Path) bool {
	_, ok := generated[p.String()]
	return ok
}

// loopsOf picks the loops of a path for a board: plain Go where this architecture
// has none generated.
func loopsOf(p *kernels.Path, g *geometry) *loops {
	if t, ok := generated[p.String()]; ok {
		return t.loops(g)
	}
	return portable(g)
}

// productsOf picks those that no board enters into.
func productsOf(p *kernels.Path) *products {
	if t, ok := generated[p.String()]; ok {
		return &t.products
	}
	return &portableProducts
}

// table lists generated kernels by side or length of a transform.
type table struct {
	rowsIn                     [inputs][maxSide + 1]rowsInFunc
	rowsOut                    [outputs][maxSide + 1]rowsOutFunc
	columnsIn, columnsOut      [maxSide + 1]columns
	packRows, unpackRows       map[int]packRowsFunc
	packColumns, unpackColumns map[int]columns
	products                   products
}

// loops picks those of a board.
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

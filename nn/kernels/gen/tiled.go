package main

import (
	"fmt"
	"strings"

	"tengen/nn/kernels/gen/internal/asm"
)

// tiledBoard is a board whose convolutions are computed in tiles of 5×5 cells by Winograd's
// algorithm. A group has the tiles of one position in place of 16 positions. The transforms are
// loops over the lines of the board and over the columns of t [tile column][7][height][16], which
// holds its lines transformed. Product 7i+j of a tile is that of line i and column j of its
// transform.
type tiledBoard struct{ height, width int }

// products is the number of products of a tile.
const products = tileInputs * tileInputs

// tiles returns the number of tiles that cover a side.
func tiles(side int) int { return (side + tileOutputs - 1) / tileOutputs }

func (b tiledBoard) kernels() []asm.Kernel {
	return []asm.Kernel{
		b.inputRows(), b.inputColumns(), b.outputColumns(),
		b.outputRows("outputRows"), b.outputRows("outputRowsResidual"), b.weights(),
	}
}

// fields returns the fields of the board's entry in a table.
func (b tiledBoard) fields(target string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "\ntiled: &tiled{lines: %d, columns: %d, inputs: %d, spectrum: %d,\n",
		tiles(b.height), tiles(b.width), tileInputs,
		tiles(b.width)*tileInputs*b.column())
	for _, k := range []string{
		"inputRows", "inputColumns", "outputColumns", "outputRows", "outputRowsResidual",
	} {
		fmt.Fprintf(&s, "%s: %s%s,\n", k, kernelName(k, b.height, b.width), target)
	}
	s.WriteString("}")
	return s.String()
}

// column returns what t advances by from column to column.
func (b tiledBoard) column() int { return b.height * 16 }

func (b tiledBoard) kernel(
	name, comment string, args []asm.Arg, body func(p *asm.Program),
) asm.Kernel {
	name = kernelName(name, b.height, b.width)
	comment = strings.ReplaceAll(comment, "{t}",
		fmt.Sprintf("t [%d][%d][16]", tiles(b.width)*tileInputs, b.height))
	return asm.Kernel{
		Name: name, Comment: fmt.Sprintf("// %s %s.", name, comment), Args: args, Body: body,
	}
}

// window returns the inputs of a tile: cell's values from the one before the tile, and zero off the
// board.
func window(tile, side int, cell func(i int) asm.Value) (x [tileInputs]asm.Value) {
	for i := range x {
		if at := tile*tileOutputs + i - 1; at >= 0 && at < side {
			x[i] = cell(at)
		}
	}
	return x
}

func (b tiledBoard) inputRows() asm.Kernel {
	comment := fmt.Sprintf("transforms n rows x [%d][16] of a board to {t}", b.width)
	args := []asm.Arg{{Name: "t", Advance: 16}, {Name: "x", Advance: b.width * 16}}
	return b.kernel("inputRows", comment, args, func(p *asm.Program) {
		for tile := range tiles(b.width) {
			x := window(tile, b.width, func(i int) asm.Value {
				return p.Load(asm.Mem{Base: "x", Offset: i * 16})
			})
			for k, v := range winogradInput(p, x) {
				p.Store(asm.Mem{Base: "t", Offset: (tile*tileInputs + k) * b.column()}, v)
			}
		}
	})
}

// product returns the address of a product of a tile in the first column of tiles.
func (b tiledBoard) product(base string, line, tile int) asm.Mem {
	return asm.Mem{Base: base, Offset: line*tileInputs*plane + tile*tiles(b.width)*16}
}

func (b tiledBoard) inputColumns() asm.Kernel {
	args := []asm.Arg{{Name: "v", Advance: plane}, {Name: "t", Advance: b.column()}}
	return b.kernel("inputColumns",
		"transforms n columns of {t}, of tiles in one column, to products", args,
		func(p *asm.Program) {
			for tile := range tiles(b.height) {
				x := window(tile, b.height, func(i int) asm.Value {
					return p.Load(asm.Mem{Base: "t", Offset: i * 16})
				})
				for k, v := range winogradInput(p, x) {
					p.Store(b.product("v", k, tile), v)
				}
			}
		})
}

func (b tiledBoard) outputColumns() asm.Kernel {
	args := []asm.Arg{{Name: "t", Advance: b.column()}, {Name: "m", Advance: plane}}
	return b.kernel("outputColumns",
		"transforms products back to n columns of {t}, of tiles in one column", args,
		func(p *asm.Program) {
			for tile := range tiles(b.height) {
				var m [tileInputs]asm.Value
				for k := range m {
					m[k] = p.Load(b.product("m", k, tile))
				}
				for i, v := range winogradOutput(p, m) {
					if y := tile*tileOutputs + i; y < b.height {
						p.Store(asm.Mem{Base: "t", Offset: y * 16}, v)
					}
				}
			}
		})
}

// outputRows returns the kernel that transforms rows back and adds the bias. outputRowsResidual
// adds skip too. Both apply ReLU.
func (b tiledBoard) outputRows(name string) asm.Kernel {
	return outputRowsKernel(name, b.width, asm.Arg{
		Name: "t", Advance: 16,
	}, b.kernel, func(p *asm.Program) (y []asm.Value) {
		for tile := range tiles(b.width) {
			var m [tileInputs]asm.Value
			for k := range m {
				m[k] = p.Load(asm.Mem{
					Base: "t", Offset: (tile*tileInputs + k) * b.column(),
				})
			}
			values := winogradOutput(p, m)
			y = append(y, values[:]...)
		}
		return y[:b.width]
	})
}

// weights returns the kernel that transforms w [n][9][16] to u [49][n of 16 kernels][16].
func (b tiledBoard) weights() asm.Kernel {
	args := []asm.Arg{{Name: "u", Advance: 16}, {Name: "w", Advance: 9 * 16}}
	return asm.Kernel{
		Name: "weightsOfTiles",
		Comment: fmt.Sprintf(
			"// weightsOfTiles transforms w, n kernels of [9][16], to u [%d][n of 16 kernels][16].",
			products),
		Args: args,
		Body: func(p *asm.Program) {
			var columns [tileTaps][tileInputs]asm.Value
			for x := range columns {
				var w [tileTaps]asm.Value
				for y := range w {
					w[y] = p.Load(asm.Mem{Base: "w", Offset: (y*tileTaps + x) * 16})
				}
				columns[x] = winogradWeight(p, w)
			}
			for y := range tileInputs {
				for x, v := range winogradWeight(p,
					[tileTaps]asm.Value{columns[0][y], columns[1][y], columns[2][y]}) {
					p.Store(asm.Mem{Base: "u", Offset: (y*tileInputs + x) * plane}, v)
				}
			}
		},
	}
}

package goban

// geometry knows the neighbours of points. On a board of up to 64 points, point
// row*columns + column is a bit of a mask, from bit 0 upward; the masks come first.
type geometry struct {
	columns uint       // the shift by one row; at most 19
	full    uint64     // all points
	left    uint64     // all but the first column: where a shift to the right may end
	right   uint64     // all but the last column
	inner   uint64     // the points with four neighbours
	near    [64]uint64 // each point's orthogonal neighbours

	// For boards of any size: each point's neighbours, padded with offBoard, which is
	// neither a stone nor empty on any board.
	orthogonal [][4]int16
	diagonal   [][4]int16
}

const offBoard = maxPoints

func newGeometry(rows, columns int) geometry {
	g := geometry{columns: uint(columns)}
	on := func(r, c int) bool { return r >= 0 && r < rows && c >= 0 && c < columns }
	for r := range rows {
		for c := range columns {
			straight := [4]int16{offBoard, offBoard, offBoard, offBoard}
			across := straight
			n, m := 0, 0
			for _, d := range [8][2]int{
				{-1, 0}, {0, -1}, {0, 1}, {1, 0}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1},
			} {
				if !on(r+d[0], c+d[1]) {
					continue
				}
				q := int16((r+d[0])*columns + c + d[1])
				if d[0] == 0 || d[1] == 0 {
					straight[n] = q
					n++
				} else {
					across[m] = q
					m++
				}
			}
			g.orthogonal = append(g.orthogonal, straight)
			g.diagonal = append(g.diagonal, across)
		}
	}
	if rows*columns > 64 {
		return g
	}
	for p, neighbours := range g.orthogonal {
		bit := uint64(1) << p
		g.full |= bit
		if p%columns > 0 {
			g.left |= bit
		}
		if p%columns < columns-1 {
			g.right |= bit
		}
		for _, q := range neighbours {
			if q != offBoard {
				g.near[p] |= 1 << q
			}
		}
		if neighbours[3] != offBoard {
			g.inner |= bit
		}
	}
	return g
}

// dilate returns every point that has a neighbour in x.
func (g *geometry) dilate(x uint64) uint64 {
	return x<<1&g.left | x>>1&g.right | (x<<(g.columns&63)|x>>(g.columns&63))&g.full
}

// touch returns the points with at least one neighbour in x, and those with at least
// two.
func (g *geometry) touch(x uint64) (one, two uint64) {
	a, b := x<<1&g.left, x>>1&g.right
	c, d := x<<(g.columns&63)&g.full, x>>(g.columns&63)
	ab, cd := a|b, c|d
	return ab | cd, a&b | c&d | ab&cd
}

// corners returns the points with at least one diagonal neighbour in x, and those with
// at least two.
func (g *geometry) corners(x uint64) (one, two uint64) {
	west, east := x<<1&g.left, x>>1&g.right
	a, b := west<<(g.columns&63)&g.full, west>>(g.columns&63)
	c, d := east<<(g.columns&63)&g.full, east>>(g.columns&63)
	ab, cd := a|b, c|d
	return ab | cd, a&b | c&d | ab&cd
}

// flood returns the part of area that is connected with seed, a subset of area.
func (g *geometry) flood(seed, area uint64) uint64 {
	for {
		next := seed | g.dilate(seed)&area
		if next == seed {
			return seed
		}
		seed = next
	}
}

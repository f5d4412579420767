package goban

import "math/bits"

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

// pick returns the index of a set bit of x, uniformly if the random number r is
// uniform (up to a bias below 2^-58). x must not be zero.
func pick(x, r uint64) int {
	sums := prefix(x)
	k, _ := bits.Mul64(r, sums>>56)
	return nthOf(x, sums, k)
}

// nth returns the index of bit k of those that are set in x, from 0 upward. There must be more than
// k.
func nth(x, k uint64) int { return nthOf(x, prefix(x), k) }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// prefix counts the bits of all bytes at once and sums the counts, so that byte i is the number of
// bits up to byte i (Vigna, "Broadword implementation of rank/select queries", 2008).
func prefix(x uint64) uint64 {
	sums := x - x>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	return (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones
}

// nthOf is nth with the prefix of x.
func nthOf(x, sums, k uint64) int {
	shift := ((k*ones | highs) - sums) & highs >> 7 * ones >> 53 & 0x78
	k -= sums << 8 >> shift & 0xff
	return int(shift) + int(bitInByte[x>>shift&0xff][k&7])
}

// bitInByte[b][k] is the index of the k-th set bit of b.
var bitInByte = func() (t [256][8]uint8) {
	for b := range t {
		k := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				t[b][k] = uint8(i)
				k++
			}
		}
	}
	return t
}()

// plane is a set of points of a board of any size. It has room for offBoard too, which
// is in no plane.
type plane [offBoard/64 + 1]uint64

func (b *plane) has(p int16) bool { return b[p>>6]>>(p&63)&1 != 0 }
func (b *plane) set(p int16)      { b[p>>6] |= 1 << (p & 63) }
func (b *plane) clear(p int16)    { b[p>>6] &^= 1 << (p & 63) }

// pick returns a point of b, uniformly if r is uniform. b must have n > 0 points.
func (b *plane) pick(n int, r uint64) int16 {
	high, _ := bits.Mul64(r, uint64(n))
	k := int(high)
	for i, word := range b {
		if ones := bits.OnesCount64(word); k >= ones {
			k -= ones
			continue
		}
		return int16(i<<6 + nth(word, uint64(k)))
	}
	panic("goban: pick from an empty plane")
}

// first is the lowest point of b, or -1.
func (b *plane) first() int16 {
	for i, word := range b {
		if word != 0 {
			return int16(i<<6 + bits.TrailingZeros64(word))
		}
	}
	return -1
}

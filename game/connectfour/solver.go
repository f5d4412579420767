package connectfour

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// NewSolver implements game.Solvable, for two players.
func (g *Game) NewSolver(bytes int) (game.Solver, error) {
	if g.Seats != 2 {
		return nil, fmt.Errorf("%s: only the game for two players can be solved", g.Name())
	}
	s, err := newAlphaBeta(bitBoard{Rows: g.Rows, Columns: g.Columns, InRow: g.InRow}, bytes)
	if err != nil {
		return nil, err
	}
	return &solver{g, s}, nil
}

type solver struct {
	g     *Game
	solve *alphaBeta
}

// Solve implements game.Solver.
func (v *solver) Solve(x game.State, dst []game.Solved) []game.Solved {
	s := x.(*State)
	mover := s.mover
	p := position{Own: s.stones[mover], All: s.all}
	left := v.g.Cells - int(s.plies)
	height := v.g.Rows + 1
	drops := s.drops()
	for c := range v.g.Columns {
		cell := drops & ((1<<v.g.Rows - 1) << (c * height))
		if cell == 0 {
			continue
		}
		x := game.Solved{Action: game.Action(c), Value: [2]float32{0.5, 0.5}, Plies: left}
		before := v.solve.Nodes()
		if v.g.row(p.Own | cell) {
			x.Value[mover], x.Value[1-mover], x.Plies = 1, 0, 1
		} else if left > 1 {
			score := v.solve.Score(p.Play(cell)) // of the other player
			switch {
			case score > 0:
				x.Value[mover], x.Value[1-mover] = 0, 1
			case score < 0:
				x.Value[mover], x.Value[1-mover] = 1, 0
			}
			x.Plies = 1 + pliesLeft(score, left-1)
		}
		x.Positions = v.solve.Nodes() - before
		dst = append(dst, x)
	}
	return dst
}

// alphaBeta solves positions of one board. What it finds is kept for later positions.
type alphaBeta struct {
	geometry
	// Positions with few cells left, which are the most, have a table that fits a core's cache.
	table, near table
	nodes       int64
	preceded    [64]uint8 // order of moves that make equally many threats: larger near the middle
	moves       [64][mostColumns]move
}

// move is a move with its rank in the order of search.
type move struct {
	cell uint64
	rank int
}

const (
	// Positions with at most so many cells left are in the near table; with at most bareCells in
	// none.
	nearCells = 18
	bareCells = 8
	nearBytes = 1 << 20
)

// newAlphaBeta makes a solver of a board with transposition tables of about the given size, and at
// least 2 MiB.
func newAlphaBeta(b bitBoard, bytes int) (*alphaBeta, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	s := &alphaBeta{
		geometry: newGeometry(b), table: newTable(max(nearBytes, bytes-nearBytes)),
		near: newTable(nearBytes),
	}
	for c := range b.Columns {
		for r := range b.Rows {
			near := b.Columns - max(c, b.Columns-1-c)
			s.preceded[uint(c)*s.height+uint(r)] = uint8(near)
		}
	}
	return s, nil
}

// Nodes is the number of positions searched so far.
func (s *alphaBeta) Nodes() int64 { return s.nodes }

// Score returns the exact score of p.
func (s *alphaBeta) Score(p position) int {
	stones := p.Stones()
	left := s.cells - stones
	least, most := -left/2, (left+1)/2
	if s.threats(p.Own)&s.drops(p.All) != 0 {
		return most
	}
	if left == 0 {
		return 0
	}
	for least < most {
		// Scores near 0 are tried first: whether a position is won at all is known sooner than how
		// soon.
		middle := least + (most-least)/2
		switch {
		case middle <= 0 && least/2 < middle:
			middle = least / 2
		case middle >= 0 && most/2 > middle:
			middle = most / 2
		}
		if score := s.search(p.Own, p.All, stones, middle, middle+1); score <= middle {
			most = max(least, score)
		} else {
			least = min(most, score)
		}
	}
	return least
}

// middle is half of the range of bounds in a table: those above 2·middle are lower bounds, less
// 3·middle.
const middle = 64

// search returns the score of a position in which the player to move can't win at once, if it lies
// between alpha and beta; else a bound on that side of it.
func (s *alphaBeta) search(own, all uint64, stones, alpha, beta int) int {
	s.nodes++
	left := s.cells - stones
	other := own ^ all
	moves := s.drops(all)
	lost := s.threats(other) & s.board // where the other player would win
	if forced := moves & lost; forced != 0 {
		if forced&(forced-1) != 0 {
			return -left / 2
		}
		moves = forced
	}
	if moves &^= lost >> 1; moves == 0 { // below such a cell
		return -left / 2
	}
	if left <= 2 {
		return 0
	}
	// The other player wins with its second stone from here at the earliest, and so does the player
	// to move.
	if least := -(left - 2) / 2; alpha < least {
		if alpha = least; alpha >= beta {
			return alpha
		}
	}
	if most := (left - 1) / 2; beta > most {
		if beta = most; alpha >= beta {
			return beta
		}
	}
	if moves&(moves-1) == 0 {
		return -s.search(other, all|moves, stones+1, -beta, -alpha)
	}
	key := own + all // unique, since own is part of all
	table := &s.table
	if left <= nearCells {
		table = &s.near
	}
	if left > bareCells {
		if bound := table.find(key); bound >= 2*middle { // a lower one
			if bound -= 3 * middle; alpha < bound {
				if alpha = bound; alpha >= beta {
					return alpha
				}
			}
		} else if bound != 0 {
			if bound -= middle; beta > bound {
				if beta = bound; alpha >= beta {
					return beta
				}
			}
		}
	}
	list := &s.moves[stones&63]
	n := 0
	free := s.board &^ all
	for m := moves; m != 0; m &= m - 1 {
		cell := m & -m
		rank := bits.OnesCount64(s.threats(own|cell)&free)<<8 |
			int(s.preceded[bits.TrailingZeros64(cell)&63])
		i := n
		for ; i > 0 && list[(i-1)&(mostColumns-1)].rank < rank; i-- {
			list[i&(mostColumns-1)] = list[(i-1)&(mostColumns-1)]
		}
		list[i&(mostColumns-1)] = move{cell, rank}
		n++
	}
	for i := range n {
		score := -s.search(other, all|list[i&(mostColumns-1)].cell, stones+1, -beta, -alpha)
		if score >= beta {
			if left > bareCells {
				table.put(key, stones, score+3*middle)
			}
			return score
		}
		alpha = max(alpha, score)
	}
	if left > bareCells {
		table.put(key, stones, alpha+middle)
	}
	return alpha
}

// table is a transposition table. An entry holds a bound of a position's score in one word: the
// rest of a product that determines the key together with the place, the number of stones, and the
// bound. So no position is ever taken for another. Of two neighbouring entries the first is kept
// for the position with fewer stones, whose search was longer.
type table struct {
	entries []uint64
	shift   uint // the place is the product's upper bits
	rest    uint64
}

const (
	boundBits  = 8
	stonesBits = 6
	// An entry has room for 50 bits of the product, so that the place has at least 14.
	leastPlaces = 14
	multiplier  = 0x9e3779b97f4a7c15 // odd, so that the product determines the key
)

// newTable makes a table of at most bytes, and at least 256 KiB.
func newTable(bytes int) table {
	places := max(leastPlaces, bits.Len(uint(max(1, bytes/16)))-1)
	t := table{entries: make([]uint64, 2<<places), shift: uint(64 - places)}
	t.rest = 1<<t.shift - 1
	return t
}

// find returns the bound of a key, 0 if there is none.
func (t *table) find(key uint64) int {
	product := key * multiplier
	place := product >> (t.shift & 63)
	pair := t.entries[2*place : 2*place+2 : 2*place+2]
	tag := product & t.rest
	if e := pair[0]; e>>(boundBits+stonesBits) == tag {
		return int(e & (1<<boundBits - 1))
	}
	if e := pair[1]; e>>(boundBits+stonesBits) == tag {
		return int(e & (1<<boundBits - 1))
	}
	return 0
}

// put keeps a bound, 1 to 255, of a position.
func (t *table) put(key uint64, stones, bound int) {
	product := key * multiplier
	place := product >> (t.shift & 63)
	pair := t.entries[2*place : 2*place+2 : 2*place+2]
	tag := product & t.rest
	e := tag<<(boundBits+stonesBits) | uint64(stones)<<boundBits | uint64(bound)
	first := pair[0]
	if first == 0 || first>>(boundBits+stonesBits) == tag ||
		stones <= int(first>>boundBits&(1<<stonesBits-1)) {
		pair[0] = e
		return
	}
	pair[1] = e
}

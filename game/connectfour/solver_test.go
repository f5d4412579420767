package connectfour

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"tengen/internal/random"
)

// plain returns the score by plain minimax over all moves. A row is looked for on a naive board.
func plain(b bitBoard, p position, known map[position]int) int {
	if v, ok := known[p]; ok {
		return v
	}
	g := newGeometry(b)
	left := g.cells - p.Stones()
	best := -1000
	for m := g.drops(p.All); m != 0; m &= m - 1 {
		next := p.Play(m & -m)
		score := 0
		switch {
		case naiveRow(b, p.Own|m&-m):
			score = (left + 1) / 2
		case left > 1:
			score = -plain(b, next, known)
		}
		best = max(best, score)
	}
	if known != nil {
		known[p] = best
	}
	return best
}

// naiveRow reports whether stones has a row, cell by cell.
func naiveRow(b bitBoard, stones uint64) bool {
	at := func(r, c int) bool {
		return r >= 0 && r < b.Rows && c >= 0 && c < b.Columns && stones>>(c*(b.Rows+1)+r)&1 != 0
	}
	for r := range b.Rows {
		for c := range b.Columns {
			for _, d := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {-1, 1}} {
				n := 0
				for n < b.InRow && at(r+n*d[0], c+n*d[1]) {
					n++
				}
				if n == b.InRow {
					return true
				}
			}
		}
	}
	return false
}

// randomPosition plays some stones at random; ok is false if the game is over.
func randomPosition(b bitBoard, stones int, rng *rand.Rand) (p position, ok bool) {
	g := newGeometry(b)
	for range stones {
		m := g.drops(p.All)
		for range rng.IntN(max(1, bits.OnesCount64(m))) {
			m &= m - 1
		}
		cell := m & -m
		if cell == 0 || naiveRow(b, p.Own|cell) {
			return p, false
		}
		p = p.Play(cell)
	}
	return p, g.drops(p.All) != 0
}

func solverOf(t testing.TB, b bitBoard, bytes int) *alphaBeta {
	t.Helper()
	s, err := newAlphaBeta(b, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// On small boards every position that can be reached from the first, and its value, agrees with
// plain minimax.
func TestSmallBoards(t *testing.T) {
	for _, b := range []bitBoard{
		{1, 1, 1}, {1, 4, 2}, {2, 2, 2}, {3, 3, 3}, {3, 4, 3}, {4, 3, 3}, {4, 4, 4}, {4, 4, 3},
		{3, 5, 4}, {5, 3, 4}, {2, 6, 3}, {7, 2, 4}, {2, 7, 4}, {6, 3, 4}, {3, 4, 4}, {15, 1, 4},
	} {
		known := map[position]int{}
		s := solverOf(t, b, 0)
		want := plain(b, position{}, known)
		if got := s.Score(position{}); got != want {
			t.Errorf("%v is worth %d; by plain minimax %d", b, got, want)
		}
		if len(known) > 60_000 {
			t.Logf("%v has %d positions", b, len(known))
		}
		n := 0
		for p, want := range known {
			if n++; n > 3000 {
				break
			}
			if got := s.Score(p); got != want {
				t.Errorf("%v, %v is worth %d; by plain minimax %d", b, p, got, want)
			}
		}
	}
}

// Endgames of larger boards, with a solver that keeps what it found, agree with plain minimax.
func TestEndgames(t *testing.T) {
	for _, b := range []bitBoard{
		{6, 7, 4}, {7, 8, 4}, {5, 5, 4}, {6, 7, 3}, {6, 7, 5}, {15, 4, 4}, {3, 16, 4},
	} {
		s := solverOf(t, b, 0)
		cells := b.Rows * b.Columns
		solved := 0
		for i := 0; solved < 40 && i < 20_000; i++ {
			rng := random.New(1, random.Test, 71, uint64(i))
			p, ok := randomPosition(b, cells-4-rng.IntN(7), rng)
			if !ok {
				continue
			}
			solved++
			want := plain(b, p, map[position]int{})
			if got := s.Score(p); got != want {
				t.Errorf("%v, %v is worth %d; by plain minimax %d", b, p, got, want)
			}
		}
		t.Logf("%v: %d positions", b, solved)
	}
}

// The threats of the usual board agree with those of any board, and with trying each cell.
func TestThreats(t *testing.T) {
	for _, b := range []bitBoard{
		{6, 7, 4}, {6, 9, 4}, {6, 1, 4}, {7, 8, 4}, {4, 5, 3}, {5, 6, 5}, {3, 3, 1},
	} {
		g := newGeometry(b)
		for i := range uint64(2000) {
			rng := random.New(1, random.Test, 72, i)
			all := uint64(0) // columns of random heights
			for _, c := range g.columns[:b.Columns] {
				all |= (c&-c)<<rng.IntN(b.Rows+1) - c&-c
			}
			stones, free := all&rng.Uint64(), g.board&^all
			if naiveRow(b, stones) {
				continue
			}
			want := uint64(0)
			for m := free; m != 0; m &= m - 1 {
				if naiveRow(b, stones|m&-m) {
					want |= m & -m
				}
			}
			if got := g.threats(stones) & free; got != want {
				t.Errorf("%v, stones %#x: the threats are %#x; want %#x", b, stones, got, want)
			}
			if got := g.threatsOfAnyBoard(stones) & free; got != want {
				t.Errorf("%v, stones %#x: the threats by any board are %#x; want %#x",
					b, stones, got, want)
			}
		}
	}
}

func TestRefusesBoards(t *testing.T) {
	for _, b := range []bitBoard{{0, 7, 4}, {6, 0, 4}, {6, 10, 4}, {1, 17, 4}, {6, 7, 0}} {
		if _, err := newAlphaBeta(b, 1<<20); err == nil {
			t.Errorf("%v is taken", b)
		}
	}
}

// BenchmarkSolve solves random positions of the usual board by number of stones. The table is
// empty for each position.
func BenchmarkSolve(b *testing.B) {
	board := bitBoard{6, 7, 4}
	for _, stones := range []int{12, 14, 18, 22} {
		b.Run(fmt.Sprint(stones), func(b *testing.B) {
			s := solverOf(b, board, 64<<20)
			i := uint64(0)
			for b.Loop() {
				for {
					i++
					if p, ok := randomPosition(board, stones,
						random.New(1, random.Test, 73, i)); ok {
						s.Score(p)
						break
					}
				}
			}
			b.ReportMetric(float64(s.Nodes())/b.Elapsed().Seconds()/1e6, "Mpositions/s")
			b.ReportMetric(float64(s.Nodes())/float64(b.N), "positions")
		})
	}
}

package mnk

import (
	"context"
	"slices"
	"testing"

	"tengen/game"
)

// The numbers of games of tic-tac-toe by length: after five to nine stones 1440, 5328,
// 47952, 72576 and, of nine stones, 81792 won and 46080 drawn; 255168 in all.
func TestNumberOfGames(t *testing.T) {
	g := newGame(3, 3, 3, 2)
	counts, err := game.Perft(context.Background(), g, g.NewState(), 9)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint64{
		1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872,
	}; !slices.Equal(counts, want) {
		t.Errorf("the sequences of 0 to 9 stones are %v; want %v", counts, want)
	}
	// A game that is not over after n stones has 9-n continuations.
	var games uint64
	for n := 1; n < 9; n++ {
		games += counts[n] - counts[n+1]/uint64(9-n)
	}
	if games += counts[9]; games != 255168 {
		t.Errorf("there are %d games; want 255168", games)
	}
}

// Tic-tac-toe has 5478 positions, 765 up to rotation and reflection.
func TestNumberOfPositions(t *testing.T) {
	g := newGame(3, 3, 3, 2)
	symmetries := g.Symmetries()
	planes, turned := make([]float32, g.Planes().Size()), make([]float32, g.Planes().Size())
	positions := map[uint64]bool{}
	classes := map[string]bool{}
	var walk func(s game.State)
	walk = func(s game.State) {
		if positions[s.Hash()] {
			return
		}
		positions[s.Hash()] = true
		s.Observation(planes)
		least := ""
		for i := range symmetries {
			symmetries[i].Transform(turned, planes)
			text := make([]byte, 18)
			for j := range text {
				text[j] = byte('0' + turned[j])
			}
			if i == 0 || string(text) < least {
				least = string(text)
			}
		}
		classes[least] = true
		if s.CurrentPlayer() == game.Nobody {
			return
		}
		for _, a := range s.LegalActions(nil) {
			next := g.NewState()
			next.CopyFrom(s)
			next.Apply(a)
			walk(next)
		}
	}
	walk(g.NewState())
	if len(positions) != 5478 || len(classes) != 765 {
		t.Errorf("there are %d positions, %d up to symmetry; want 5478 and 765",
			len(positions), len(classes))
	}
}

// solve returns the utility of the first of two players under perfect play.
func solve(g game.Game, s game.State, known map[uint64]float32) float32 {
	if v, ok := known[s.Hash()]; ok {
		return v
	}
	if s.CurrentPlayer() == game.Nobody {
		u := make([]float32, 2)
		s.Returns(u)
		return u[0]
	}
	best := float32(-1)
	for _, a := range s.LegalActions(nil) {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		v := solve(g, next, known)
		if best < 0 || s.CurrentPlayer() == 0 && v > best || s.CurrentPlayer() == 1 && v < best {
			best = v
		}
	}
	known[s.Hash()] = best
	return best
}

// Known results: two in a row wins if a line has three cells or the board is 2×2;
// three in a row wins on 3×4 and larger boards, and draws on 3×3 and if a side is
// shorter than three.
func TestSolvedBoards(t *testing.T) {
	for _, c := range []struct {
		rows, columns, inRow int
		want                 float32
	}{
		{1, 1, 1, 1}, {1, 2, 2, 0.5}, {1, 3, 2, 1}, {2, 2, 2, 1}, {2, 3, 2, 1}, {1, 8, 3, 0.5},
		{2, 5, 3, 0.5},
		{3, 3, 2, 1}, {3, 3, 3, 0.5}, {3, 4, 3, 1}, {4, 3, 3, 1}, {3, 4, 4, 0.5},
	} {
		g := newGame(c.rows, c.columns, c.inRow, 2)
		if v := solve(g, g.NewState(), map[uint64]float32{}); v != c.want {
			t.Errorf("%s is worth %v to its first player; want %v", g.Name(), v, c.want)
		}
	}
}

package connectfour

import (
	"context"
	"slices"
	"testing"

	"tengen/game"
)

// The numbers of sequences of moves: powers of 7 until a column can be full or a game over.
func TestNumberOfSequences(t *testing.T) {
	g := newGame(6, 7, 4, 2)
	counts, err := game.Perft(context.Background(), g, g.NewState(), 8)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint64{
		1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234,
	}; !slices.Equal(counts, want) {
		t.Errorf("the sequences of 0 to 8 stones are %v; want %v", counts, want)
	}
}

// The sequences by the naive rules are as many, on boards of several shapes.
func TestNaiveNumberOfSequences(t *testing.T) {
	for _, b := range [][5]int{
		{6, 7, 4, 2, 5}, {2, 3, 2, 2, 6}, {4, 4, 3, 3, 7}, {3, 4, 3, 2, 8}, {2, 5, 4, 2, 7},
	} {
		g := newGame(b[0], b[1], b[2], b[3])
		counts, err := game.Perft(context.Background(), g, g.NewState(), b[4])
		if err != nil {
			t.Fatal(err)
		}
		var count func(actions []game.Action, depth int) uint64
		count = func(actions []game.Action, depth int) uint64 {
			n := naive([4]int(b[:4]))
			n.Clear()
			for _, a := range actions {
				n.Apply(a)
			}
			if depth == 0 {
				return 1
			}
			if n.CurrentPlayer() == game.Nobody {
				return 0
			}
			sum := uint64(0)
			for _, a := range n.LegalActions(nil) {
				sum += count(append(slices.Clone(actions), a), depth-1)
			}
			return sum
		}
		if want := count(nil, b[4]); counts[b[4]] != want {
			t.Errorf("%s has %d sequences of %d stones; by the naive rules %d",
				g.Name(), counts[b[4]], b[4], want)
		}
	}
}

// The numbers of positions by stones (Tromp, OEIS A212693).
func TestNumberOfPositions(t *testing.T) {
	g := newGame(6, 7, 4, 2)
	positions := map[uint64]game.State{g.NewState().Hash(): g.NewState()}
	for stones, want := range []int{1, 7, 49, 238, 1120, 4263, 16422, 54859} {
		if len(positions) != want {
			t.Errorf("there are %d positions of %d stones; want %d", len(positions), stones, want)
		}
		next := map[uint64]game.State{}
		for _, s := range positions {
			if s.CurrentPlayer() == game.Nobody {
				continue
			}
			for _, a := range s.LegalActions(nil) {
				u := g.NewState()
				u.CopyFrom(s)
				u.Apply(a)
				next[u.Hash()] = u
			}
		}
		positions = next
	}
}

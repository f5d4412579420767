package goban

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tengen/game"
)

// naiveCount enumerates all arrangements of stones on the naive board.
func naiveCount(r Rules) (legal uint64) {
	n := newNaive(r)
	var place func(p int)
	place = func(p int) {
		if p < len(n.board) {
			for c := -1; c < r.Players; c++ {
				n.board[p] = c
				place(p + 1)
			}
			n.board[p] = -1
			return
		}
		for q, c := range n.board {
			if c >= 0 && !n.hasLiberty(n.board, n.group(n.board, q)) {
				return
			}
		}
		legal++
	}
	place(0)
	return legal
}

func positions(t *testing.T, name string) uint64 {
	t.Helper()
	g := game.Must(game.New(name))
	counts, err := g.(game.Countable).CountPositions(t.Context())
	if err != nil || len(counts) != 1 {
		t.Fatalf("%s: %v, %v", name, counts, err)
	}
	return counts[0].N
}

// TestCountsLegalPositions compares with the numbers of legal positions of two-colour
// Go (Tromp and Farnebäck, "Combinatorics of Go", 2007, table 1).
func TestCountsLegalPositions(t *testing.T) {
	for name, want := range map[string]uint64{
		"go:size=1,players=2":           1,
		"go:rows=1,columns=2,players=2": 5,
		"go:rows=1,columns=3,players=2": 15,
		"go:size=2,players=2":           57,
		"go:rows=2,columns=3,players=2": 489,
		"go:size=3,players=2":           12675,
		"go:rows=3,columns=4,players=2": 321689,
	} {
		if got := positions(t, name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// TestCountsLikeNaive counts with three and four colours on both boards.
func TestCountsLikeNaive(t *testing.T) {
	for _, r := range []Rules{
		{Rows: 1, Columns: 1, Players: 3},
		{Rows: 1, Columns: 2, Players: 4},
		{Rows: 5, Columns: 1, Players: 3},
		{Rows: 2, Columns: 2, Players: 4, Reward: Win},
		{Rows: 2, Columns: 3, Players: 3},
		{Rows: 3, Columns: 2, Players: 4},
		{Rows: 2, Columns: 4, Players: 3},
	} {
		name := game.Must(New(r)).Name()
		got, want := positions(t, name), naiveCount(r)
		t.Logf("%s: %d", name, want)
		if got != want {
			t.Errorf("%s: %d, naive %d", name, got, want)
		}
	}
}

func TestCountRefusesAndStops(t *testing.T) {
	_, err := game.Must(game.New("go:size=5,players=3")).(game.Countable).CountPositions(
		t.Context())
	if err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("5×5 with three colours: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = game.Must(game.New("go:size=4,players=3")).(game.Countable).CountPositions(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled count returns %v", err)
	}
}

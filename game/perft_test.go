package game_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tengen/game"
)

// Counted by hand. Three stones: 1 or 2; then 11, 12 or 21; then 111. With rain, 0 or
// 1 by chance before each turn. Two stones: 0 and 1; then 01, 02 and 11; then 010 and
// 011; then 0101.
func TestPerft(t *testing.T) {
	for _, c := range []struct {
		g    *pile
		want []uint64
	}{
		{&pile{1, false}, []uint64{1, 1, 0}},
		{&pile{3, false}, []uint64{1, 2, 3, 1, 0, 0}},
		{&pile{2, true}, []uint64{1, 2, 3, 2, 1, 0}},
	} {
		got, err := game.Perft(context.Background(), c.g, c.g.NewState(), len(c.want)-1)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: the counts are %v, %v; want %v", *c.g, got, err, c.want)
		}
	}
}

// sequences counts by the definition, replaying every sequence on a new state.
func sequences(g game.Game, actions []game.Action, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	s := g.NewState()
	for _, a := range actions {
		s.Apply(a)
	}
	var next []game.Action
	switch s.CurrentPlayer() {
	case game.Nobody:
	case game.Chance:
		next = []game.Action{0, 1}
	default:
		next = s.LegalActions(nil)
	}
	var n uint64
	for _, a := range next {
		n += sequences(g, append(slices.Clone(actions), a), depth-1)
	}
	return n
}

func TestPerftByDefinition(t *testing.T) {
	for _, g := range []*pile{{6, false}, {5, true}} {
		got, err := game.Perft(context.Background(), g, g.NewState(), 8)
		if err != nil {
			t.Fatal(err)
		}
		for depth, n := range got {
			if want := sequences(g, nil, depth); n != want {
				t.Errorf("%+v: %d sequences of %d actions; want %d", *g, n, depth, want)
			}
		}
	}
}

// Perft does not change the state that it counts from.
func TestPerftLeavesTheState(t *testing.T) {
	g := &pile{stones: 5}
	s := g.NewState()
	s.Apply(2)
	if _, err := game.Perft(context.Background(), g, s, 3); err != nil {
		t.Fatal(err)
	}
	if *s.(*pileState) != (pileState{g: g, left: 3, mover: 1}) {
		t.Errorf("the state has become %+v", s)
	}
}

func TestPerftStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := &pile{stones: 9}
	counts, err := game.Perft(ctx, g, g.NewState(), 9)
	if !errors.Is(err, context.Canceled) || len(counts) > 2 {
		t.Errorf("a count that was cancelled gives %v, %v", counts, err)
	}
}

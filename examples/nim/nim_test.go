package main

import (
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

func TestConform(t *testing.T) {
	for _, name := range []string{
		"nim", "nim:heaps=[1]", "nim:heaps=[20,20]", "nim:heaps=[1,2,3,4,5]",
	} {
		gametest.Conform(t, game.Must(game.New(name)))
	}
}

// TestTheory: the player to move loses exactly if the exclusive or of the heaps is
// zero (Bouton 1901).
func TestTheory(t *testing.T) {
	wins := func(s *state) bool { return false }
	wins = func(s *state) bool {
		if s.CurrentPlayer() == game.Nobody {
			return false
		}
		for _, a := range s.LegalActions(nil) {
			next := s.game.NewState().(*state)
			next.CopyFrom(s)
			next.Apply(a)
			if !wins(next) {
				return true
			}
		}
		return false
	}
	g := game.Must(newGame([]float64{3, 3, 3})).(*nim)
	for a := 0; a <= 3; a++ {
		for b := 0; b <= 3; b++ {
			for c := 0; c <= 3; c++ {
				s := g.NewState().(*state)
				s.left = []int{a, b, c}
				s.won = a+b+c == 0
				if got, want := wins(s), a^b^c != 0; got != want {
					t.Errorf("heaps %d %d %d: the mover wins: %v, want %v", a, b, c, got, want)
				}
			}
		}
	}
}

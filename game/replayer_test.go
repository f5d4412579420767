package game_test

import (
	"errors"
	"testing"

	"tengen/game"
)

// TestReplayer: what may come is accepted, anything else is refused, and a refusal leaves
// the position as it was.
func TestReplayer(t *testing.T) {
	r := game.NewReplayer(&pile{stones: 4, rain: true})
	for round := range 2 {
		r.Reset()
		for _, step := range []struct {
			refused []game.Action
			a       game.Action
			legal   int // of the position before a
		}{
			{[]game.Action{2, -1}, 1, 0}, // chance
			{[]game.Action{0, 3}, 2, 2},
			{[]game.Action{2}, 0, 0},
			{[]game.Action{0, 2}, 1, 1},
		} {
			ply := r.Ply()
			if n := len(r.LegalActions()); n != step.legal {
				t.Errorf("ply %d: %d legal actions, want %d", ply, n, step.legal)
			}
			for _, a := range step.refused {
				if err := r.Play(a); err == nil || err == game.ErrOver || r.Ply() != ply {
					t.Errorf("ply %d: action %d: %v", ply, a, err)
				}
			}
			if err := r.Play(step.a); err != nil || r.Ply() != ply+1 {
				t.Errorf("ply %d: action %d: %v", ply, step.a, err)
			}
		}
		if err := r.Play(1); !errors.Is(err, game.ErrOver) ||
			r.State().CurrentPlayer() != game.Nobody {
			t.Errorf("round %d: an action after the end: %v", round, err)
		}
	}
}

// Start goes on from any position, and Edit makes the legal actions be listed anew.
func TestReplayerStart(t *testing.T) {
	g := &pile{stones: 5}
	s := g.NewState()
	s.Apply(2)
	r := game.NewReplayer(g)
	r.Start(s)
	if len(r.LegalActions()) != 2 || r.Play(2) != nil || r.Ply() != 1 || s.(*pileState).left != 3 {
		t.Errorf("after 2 of 5 stones: %+v, %+v", r.State(), s)
	}
	failed := errors.New("no")
	err := r.Edit(func(s game.State) error { s.(*pileState).left = 2; return failed })
	if err != failed || len(r.LegalActions()) != 2 {
		t.Errorf("%v; %d legal actions of 2 stones", err, len(r.LegalActions()))
	}
}

func TestReplayerAllocatesNothing(t *testing.T) {
	r := game.NewReplayer(&pile{stones: 4, rain: true})
	if n := testing.AllocsPerRun(100, func() {
		r.Reset()
		for _, a := range []game.Action{1, 2, 0, 1} {
			if r.Play(a) != nil {
				t.Fatal("refused")
			}
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
